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
    let table = |text: &str| {
        let table = toml::from_str(text).map_err(|error| Error::new(error.message()).in_file(&name))?;
        Ok::<_, Error>(Value::Table(table))
    };
    let mut then = table(stored)?;
    // What the file leaves out goes on as it was, also when the run becomes longer.
    let measures = then.get("measure").and_then(Value::as_array);
    for (measure, kept) in scene.measure.iter_mut().zip(measures.into_iter().flatten()) {
        measure.interval = measure.interval.or(kept.get("interval").and_then(Value::as_float));
    }
    scene.flow = scene.flow.or(then.get("flow").cloned().and_then(|flow| flow.try_into().ok()));
    let mut now = table(&run::resolved(scene)?)?;
    agree(&mut then, &mut now);
    take_length(&mut then, &now);
    check_same(&then, &now, &name).map_err(|error| scene.locate(error))?;
    let text = toml::to_string(&then).map_err(|error| Error::new(error.to_string()))?;
    *scene = Scene::parse(&name, &text)?;
    Ok(found)
}

/// Gives the scene of a checkpoint the length of run of the scene now.
fn take_length(then: &mut Value, now: &Value) {
    let Some(run) = then.get_mut("run").and_then(Value::as_table_mut) else { return };
    for key in FREE {
        match now.get("run").and_then(|now| now.get(key)) {
            Some(value) => drop(run.insert(key.to_owned(), value.clone())),
            None => drop(run.remove(key)),
        }
    }
}

/// Gives the scene of a checkpoint the places of files now, if they are the same files, and that now the parts into which
/// motions had divided the run.
fn agree(then: &mut Value, now: &mut Value) {
    match (then, now) {
        (Value::Table(then), Value::Table(now)) => {
            let is_same = then.contains_key("checksum") && then.get("checksum") == now.get("checksum");
            if let Some(file) = now.get("file").filter(|_| is_same) {
                then.insert("file".to_owned(), file.clone());
            }
            if let Some(part) = then.get("part").filter(|_| now.contains_key("part")) {
                now.insert("part".to_owned(), part.clone());
            }
            then.iter_mut().for_each(|(key, then)| {
                if let Some(now) = now.get_mut(key) {
                    agree(then, now);
                }
            });
        }
        (Value::Array(then), Value::Array(now)) => {
            then.iter_mut().zip(now).for_each(|(then, now)| agree(then, now));
        }
        _ => {}
    }
}

/// Refuses a scene that is not that of the checkpoint.
fn check_same(then: &Value, now: &Value, checkpoint: &str) -> Result<(), Error> {
    match difference("", then, now) {
        None => Ok(()),
        Some((key, then, now)) => {
            let file = if key.ends_with("checksum") { ": the file has changed" } else { "" };
            let message = format!("differs from that of {checkpoint}, {then}{file}");
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
