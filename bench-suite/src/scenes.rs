//! The scene files that come with the project.

use sph_core::{
    error::Error,
    scene::{Scene, Script},
};
use std::path::{Path, PathBuf};

/// Where they lie: beside the caller in the root of the project, else where this program was built.
pub fn folder() -> PathBuf {
    let here = Path::new("bench-suite/scenes");
    if here.is_dir() { here.to_owned() } else { Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes") }
}

/// All of them, by name.
pub fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}

/// Reads a scene file.
///
/// # Errors
/// When the file cannot be read, is not text, or is no scene.
pub fn read(file: &Path) -> Result<Scene, Error> {
    let (name, text) = text_of(file)?;
    Scene::parse(&name, &text)
}

/// Reads a file of commands for a scene.
///
/// # Errors
/// When the file cannot be read, is not text, or is no script for this scene.
pub fn read_script(file: &Path, scene: &Scene) -> Result<Script, Error> {
    let (name, text) = text_of(file)?;
    Script::parse(&name, &text, scene)
}

fn text_of(file: &Path) -> Result<(String, String), Error> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| Error::new(error.to_string()).in_file(&name))?;
    Ok((name, text))
}
