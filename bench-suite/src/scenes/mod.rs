//! The scene files that come with the project, the methods that they name, and the schema of both.

pub mod methods;
pub mod schema;
pub mod set;
pub mod tables;

use sph_core::{
    error::Error,
    scene::{Scene, Script},
};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

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

/// A larger file is no scene, `[B]`: numbers of particles belong into shapes, not into text.
pub const LARGEST_FILE: u64 = 1 << 20;

/// Reads a scene file.
///
/// # Errors
/// When the file cannot be read, is too long, is not text, or is no scene.
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

/// Name and text of a file.
///
/// # Errors
/// When it cannot be read, is too long, or is not text.
pub fn text_of(file: &Path) -> Result<(String, String), Error> {
    let name = file.display().to_string();
    let refused = |error: std::io::Error| Error::new(error.to_string()).in_file(&name);
    let mut text = String::new();
    // The length is that of what is read: a device states none.
    let open = File::open(file).map_err(refused)?;
    open.take(LARGEST_FILE + 1).read_to_string(&mut text).map_err(refused)?;
    if text.len() as u64 > LARGEST_FILE {
        let message =
            format!("is longer than {LARGEST_FILE} bytes, the most that a scene or script may have");
        return Err(Error::new(message).in_file(&name));
    }
    Ok((name, text))
}
