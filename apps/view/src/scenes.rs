//! The scenes and methods that the page offers, and the runs that it asks for.

use crate::{
    listing::Listing,
    shipped::{files, folder, text_of},
    wire::Wanted,
};
use bench_suite::scenes::{
    LARGEST_FILE,
    methods::{SOLVERS, solver_of},
    schema,
    set::{Settings, Sweep},
};
use serde_json::{Value, json};
use sph_core::{
    error::Error,
    scene::{Command, Scene, SolverSettings},
};
use std::{
    path::{Component, Path, PathBuf},
    str::FromStr as _,
};

/// The scene that is shown where the command line names none: all methods can do it.
const FIRST: &str = "dam_break_2d";

/// Scenes by name, those of the command line first, and whether there are such.
#[derive(Clone, Debug)]
pub struct Scenes(Vec<(String, PathBuf)>, bool);

impl Scenes {
    /// With `more` before those that come with the program.
    pub fn with(more: &[PathBuf]) -> Self {
        let mut all: Vec<(String, PathBuf)> = Vec::new();
        for path in more.iter().cloned().chain(files()) {
            let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            if !all.iter().any(|(known, _)| *known == name) {
                all.push((name, path));
            }
        }
        Self(all, !more.is_empty())
    }

    /// Name of the one that is shown first: that of the command line.
    pub fn first(&self) -> Option<&str> {
        let (named, first) = (self.1, self.0.first().map(|(name, _)| name.as_str()));
        if named { first } else { Some(FIRST) }
    }

    /// What the page shows of them; a file that is no scene is left out.
    pub fn told(&self) -> Vec<Value> {
        let told = |(name, path): &(String, PathBuf)| {
            let (file, text) = text_of(path).ok()?;
            let scene = Scene::parse(&file, &text).ok()?;
            let method = solver_of(&scene).ok()?.name;
            Some(
                json!({ "name": name, "title": scene.title, "dim": scene.dim, "method": method, "text": text }),
            )
        };
        self.0.iter().filter_map(told).collect()
    }

    /// The scene of a pane, the text that it was read from, and what was left out of it.
    ///
    /// # Errors
    /// What is wrong with it, with its line.
    pub fn scene(&self, wanted: &Wanted) -> Result<(Scene, String, Vec<String>), Error> {
        let known = self.0.iter().find(|(name, _)| *name == wanted.scene).map(|(_, path)| path.as_path());
        let (scene, text) = match (&wanted.text, known) {
            (Some(text), known) => (parse(&wanted.scene, text, known)?, text.clone()),
            (None, Some(path)) => {
                let (file, text) = text_of(path)?;
                (Scene::parse(&file, &text)?, text)
            }
            (None, None) => {
                return Err(Error::invalid("scene", "is no scene").value(format!("{:?}", wanted.scene)));
            }
        };
        let sweep =
            |text: &String| Sweep::from_str(text).map_err(|why| Error::invalid("set", why).value(text));
        let sweeps: Vec<_> = wanted.set.iter().map(sweep).collect::<Result<_, _>>()?;
        let settings = Settings::one(&sweeps).map_err(Error::new)?;
        // Before it is read.
        for (key, value) in settings.values() {
            let is_file = key.rsplit('.').next() == Some("file");
            let named = if is_file { value.as_str().filter(|name| leaves(name)) } else { outside(value) };
            if let Some(named) = named {
                return Err(foreign(named).under(key));
            }
        }
        let (scene, notes) = for_method(scene, &settings)?;
        Ok((settings.applied(scene)?, text, notes))
    }
}

/// A text of the page. Files that it names are those beside the scene of its name; others are refused.
fn parse(name: &str, text: &str, known: Option<&Path>) -> Result<Scene, Error> {
    let file = format!("{}.toml", name.trim_end_matches(".toml"));
    if text.len() as u64 > LARGEST_FILE {
        return Err(Error::new(format!("is longer than {} bytes", LARGEST_FILE)).in_file(&file));
    }
    let table = text.parse::<toml::Table>().unwrap_or_default();
    if let Some(named) = outside(&toml::Value::Table(table)) {
        return Err(foreign(named).in_file(&file));
    }
    let beside = known.and_then(Path::parent).map_or_else(folder, Path::to_owned);
    let own = Path::new(&file).file_name().unwrap_or_default();
    Scene::parse(&beside.join(own).display().to_string(), text)
}

fn foreign(named: &str) -> Error {
    let error = Error::new(format!("names the file {named:?}, which is not beside the scenes"));
    if cfg!(feature = "server") {
        error.hint("put it there, or open the scene from the command line")
    } else {
        error.hint("this page reads no files")
    }
}

/// True of a name that leads out of the folder that it is looked for in.
fn leaves(name: &str) -> bool {
    Path::new(name).components().any(|part| !matches!(part, Component::Normal(_)))
}

/// The first file that a value names and that lies outside of the folder of the scene.
fn outside(value: &toml::Value) -> Option<&str> {
    match value {
        toml::Value::Table(table) => table.iter().find_map(|(key, value)| match value.as_str() {
            Some(name) if key == "file" => Some(name).filter(|name| leaves(name)),
            _ => outside(value),
        }),
        toml::Value::Array(items) => items.iter().find_map(outside),
        _ => None,
    }
}

/// The scene without what is made for its own method, if another one is set.
fn for_method(mut scene: Scene, settings: &Settings) -> Result<(Scene, Vec<String>), Error> {
    let (own, mut notes) = (solver_of(&scene)?.name, Vec::new());
    let set = settings.texts();
    if let Some((_, name)) = set.iter().find(|(key, name)| key == "solver.name" && name != own) {
        scene.solver = SolverSettings::named(name);
        scene.run.time_step = None;
        // Of fields that the other method may not have.
        scene.measure.clear();
        let is_of_solver =
            |command: &Command| command.set.as_ref().is_some_and(|set| set.key.starts_with("solver."));
        scene.command.retain(|command| !is_of_solver(command));
        notes.push(format!("made for {own}: its parameters, its fixed step and its measures are left out"));
    }
    Ok((scene, notes))
}

/// What the page shows of the methods.
pub fn methods() -> Vec<Value> {
    let tables = schema::parameters();
    let told = SOLVERS.iter().map(|method| {
        let own = format!("solver, {}", method.name);
        let parameters = tables.iter().filter(|table| table.name == own).flat_map(|table| &table.parameters);
        let parameters = parameters.map(|parameter| {
            json!({
                "name": parameter.name,
                "unit": parameter.unit,
                "range": parameter.range,
                "default": parameter.default,
                "about": parameter.about,
                "values": parameter.values,
                "fixed": method.fixed.contains(&parameter.name.as_str()),
            })
        });
        json!({
            "name": method.name,
            "about": method.about,
            "presets": (method.presets)(),
            "listing": Listing::of(method.listing),
            "parameters": parameters.collect::<Vec<_>>(),
        })
    });
    told.collect()
}
