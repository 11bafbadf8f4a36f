//! Where the files of a case come from: a folder, or the program.

use crate::scenes;
use sph_core::error::Error;
use std::path::{Component, Path};

/// Texts that are built into the program: name of the case, and name and text of each of its files.
pub type BuiltIn = (&'static str, &'static [(&'static str, &'static str)]);

/// All of them: the folders of `bench-suite/cases`.
pub const BUILT_IN: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// The files of a case.
#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// Those of a folder.
    Folder(&'a Path),
    /// Those that were there when the program was built.
    BuiltIn(&'static BuiltIn),
}

impl Files<'_> {
    /// The name of the case: that of its folder.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn case(&self) -> Result<String, Error> {
        match self {
            Self::BuiltIn((case, _)) => Ok((*case).to_owned()),
            Self::Folder(folder) => {
                let folder = folder.canonicalize().map_err(|error| Error::new(error.to_string()))?;
                Ok(folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
            }
        }
    }

    /// What errors call a file, and its text; `key` is where the case names it.
    ///
    /// # Errors
    /// When there is no such file in the folder, as by `..`, a root or a link out of it, or it is not text.
    pub fn text(&self, name: &str, key: &str) -> Result<(String, String), Error> {
        let refuse = |message: String| Err(Error::invalid(key, message).value(format!("{name:?}")));
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) || name.is_empty() {
            return refuse("must be a file in the folder of the case".into());
        }
        match self {
            Self::BuiltIn((case, files)) => match files.iter().find(|(known, _)| *known == name) {
                Some((_, text)) => Ok((format!("{case}/{name}"), (*text).to_owned())),
                None => refuse("is no file of the case".into()),
            },
            Self::Folder(folder) => {
                let path = folder.join(name);
                match (path.canonicalize(), folder.canonicalize()) {
                    (Ok(real), Ok(root)) if real.starts_with(&root) => scenes::text_of(&path),
                    (Ok(_), Ok(_)) => refuse("leads out of the folder of the case".into()),
                    (Err(error), _) | (_, Err(error)) => refuse(error.to_string()),
                }
            }
        }
    }
}
