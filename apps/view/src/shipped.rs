//! The scenes that come with the program: files, or texts where there are no files.

#[cfg(feature = "server")]
pub use bench_suite::scenes::{files, folder, text_of};
#[cfg(not(feature = "server"))]
pub use held::{files, folder, text_of};

/// Those that a page without a server holds.
#[cfg(not(feature = "server"))]
mod held {
    use sph_core::error::Error;
    use std::path::{Path, PathBuf};

    include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

    /// The scenes that come with the program.
    pub fn files() -> Vec<PathBuf> {
        SCENES.iter().map(|(name, _)| PathBuf::from(name)).collect()
    }

    /// Where scenes lie.
    pub fn folder() -> PathBuf {
        PathBuf::new()
    }

    /// Name and text of a scene.
    ///
    /// # Errors
    /// When there is no such scene.
    pub fn text_of(file: &Path) -> Result<(String, String), Error> {
        let name = file.display().to_string();
        match SCENES.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Ok((name, (*text).to_owned())),
            None => Err(Error::new("is no scene of this page").in_file(&name)),
        }
    }
}
