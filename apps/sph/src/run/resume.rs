//! What `--resume` goes on with, and whether it is the run that the scene file means.

use bench_suite::run::{
    self,
    checkpoints::{self, Checkpoints, Found},
};
use sph_core::{error::Error, scene::Scene};
use std::path::Path;
use toml::Value;

/// What may differ between a checkpoint and the scene it is resumed with.
const FREE: [&str; 4] = ["end_time", "max_steps", "output_interval", "threads"];

/// The checkpoint to go on from: the one named, or the newest of the output folder that is whole. The scene
/// becomes that of the checkpoint, with the length of run that the file says now.
pub fn find(named: Option<&Path>, all: &Checkpoints<'_>, scene: &mut Scene) -> Result<Found, Error> {
    let found = match named {
        None => all.newest()?,
        Some(file) => {
            Found { path: file.to_owned(), checkpoint: checkpoints::read(file)?, passed: Vec::new() }
        }
    };
    let name = found.path.display().to_string();
    let stored = &found.checkpoint.header().scene;
    let kept = Scene::parse(&name, stored)?;
    // What the file leaves out goes on as it was, also when the run becomes longer.
    for (measure, kept) in scene.measure.iter_mut().zip(&kept.measure) {
        measure.interval = measure.interval.or(kept.interval);
    }
    check_same(stored, &run::resolved(scene)?, &name).map_err(|error| scene.locate(error))?;
    let now = scene.run.clone();
    *scene = kept;
    scene.run = now;
    Ok(found)
}

/// Refuses a scene that is not that of the checkpoint.
fn check_same(stored: &str, scene: &str, checkpoint: &str) -> Result<(), Error> {
    let table = |text: &str| {
        let mut table: toml::Table =
            toml::from_str(text).map_err(|error| Error::new(error.message()).in_file(checkpoint))?;
        if let Some(Value::Table(run)) = table.get_mut("run") {
            FREE.iter().for_each(|key| drop(run.remove(*key)));
        }
        Ok::<_, Error>(Value::Table(table))
    };
    match difference("", &table(stored)?, &table(scene)?) {
        None => Ok(()),
        Some((key, then, now)) => {
            let message = format!("differs from that of {checkpoint}, {then}");
            let error = Error::invalid(key, message).value(now);
            Err(error.hint("resume with the scene of the checkpoint, or run without --resume"))
        }
    }
}

/// The first key whose value differs, and both values.
fn difference(key: &str, then: &Value, now: &Value) -> Option<(String, String, String)> {
    match (then, now) {
        (Value::Table(a), Value::Table(b)) => {
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                match (a.get(name), b.get(name)) {
                    (Some(then), Some(now)) => difference(&key, then, now),
                    (then, now) => Some((key, shown(then), shown(now))),
                }
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs.into_iter().find_map(|(k, (then, now))| difference(&format!("{key}[{k}]"), then, now))
        }
        _ if then == now => None,
        _ => Some((key.to_owned(), shown(Some(then)), shown(Some(now)))),
    }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => "(absent)".to_owned(),
        Some(Value::Table(_)) => "a table".to_owned(),
        Some(Value::Array(items)) => format!("a list of {}", items.len()),
        Some(value) => value.to_string(),
    }
}
