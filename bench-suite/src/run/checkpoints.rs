//! The checkpoints of a run as files: the newest and the one before it.
//!
//! Each stands under its own name and is written beside it, flushed and renamed; only then is the oldest of
//! three removed, or before the next is written. Whenever the program dies, the newest or the one before it is whole.

use crate::system::write::{self, Files, WriteError};
use sph_core::{
    error::Error,
    run::{
        checkpoint::{self, Checkpoint},
        simulation::Simulation,
    },
};
use std::{
    fs::{self, File},
    io::{self, BufReader},
    path::{Path, PathBuf},
};

/// Name and version of this program, for those who find a checkpoint.
pub const PROGRAM: &str = concat!("sph ", env!("CARGO_PKG_VERSION"));
/// How many stay.
const KEPT: usize = 2;
const PREFIX: &str = "checkpoint-";
const EXTENSION: &str = "sph";
/// Ending of those that were set aside.
const ASIDE: &str = "sph.aside";

/// A folder of checkpoints of one run.
pub struct Checkpoints<'a> {
    folder: PathBuf,
    files: &'a dyn Files,
}

impl<'a> Checkpoints<'a> {
    /// Those in the output folder of a run.
    pub fn of(out: &Path, files: &'a dyn Files) -> Self {
        Self { folder: out.join("checkpoints"), files }
    }

    /// Writes one, and removes all but the newest two. Those of later steps, which a run that went on from an earlier
    /// checkpoint has left behind it, are set aside. Returns the path of the new one.
    ///
    /// # Errors
    /// When it could not be written, or an old one not be removed; those before it are whole.
    pub fn save<const D: usize>(&self, run: &mut Simulation<D>, scene: &str) -> Result<PathBuf, WriteError> {
        let path = self.folder.join(format!("{PREFIX}{:012}.{EXTENSION}", run.state.step));
        // One that a killed program had no time to remove.
        self.remove_older(&path)?;
        write::write_with(self.files, &path, |file| checkpoint::write(run, scene, PROGRAM, file))?;
        for late in self.all().into_iter().filter(|other| *other > path) {
            let aside = late.with_extension(ASIDE);
            self.files.rename(&late, &aside).map_err(|source| WriteError { path: late, source })?;
        }
        self.remove_older(&path)?;
        Ok(path)
    }

    /// Removes all but the newest two of those up to `path`.
    fn remove_older(&self, path: &Path) -> Result<(), WriteError> {
        self.remove(self.all().into_iter().filter(|other| *other <= *path).skip(KEPT))
    }

    /// Their files, the newest first.
    pub fn all(&self) -> Vec<PathBuf> {
        let mut files = self.listed(is_checkpoint);
        files.sort_by(|a, b| b.cmp(a));
        files
    }

    /// Removes them, those set aside, and what a killed program has left unfinished.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn remove_all(&self) -> Result<(), WriteError> {
        self.remove(self.listed(|path| is_checkpoint(path) || is_left(path)))
    }

    /// Removes what a killed program has left unfinished.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn tidy(&self) -> Result<(), WriteError> {
        self.remove(self.listed(write::is_unfinished))
    }

    fn remove(&self, paths: impl IntoIterator<Item = PathBuf>) -> Result<(), WriteError> {
        let remove = |path: PathBuf| self.files.remove(&path).map_err(|source| WriteError { path, source });
        paths.into_iter().try_for_each(remove)
    }

    fn listed(&self, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| wanted(path)).collect()
    }

    /// The newest that is whole, and why those after it were passed over.
    ///
    /// # Errors
    /// When there is none.
    pub fn newest(&self) -> Result<Found, Error> {
        let mut passed = Vec::new();
        for path in self.all() {
            match read(&path) {
                Ok(checkpoint) => return Ok(Found { path, checkpoint, passed }),
                Err(error) => passed.push(error),
            }
        }
        let folder = self.folder.display().to_string();
        Err(match passed.into_iter().next() {
            Some(first) => first,
            None => Error::new("holds no checkpoint").in_file(&folder).hint("run without --resume"),
        })
    }
}

/// A checkpoint to go on from.
pub struct Found {
    /// Its file.
    pub path: PathBuf,
    /// What it holds.
    pub checkpoint: Checkpoint,
    /// Newer ones that are damaged.
    pub passed: Vec<Error>,
}

fn is_checkpoint(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with(PREFIX)) && path.extension().is_some_and(|e| e == EXTENSION)
}

/// Set aside, or unfinished.
fn is_left(path: &Path) -> bool {
    path.to_string_lossy().ends_with(ASIDE) || write::is_unfinished(path)
}

/// Reads a checkpoint file.
///
/// # Errors
/// When it cannot be read, or is not a checkpoint, or is damaged; the error names the file.
pub fn read(path: &Path) -> Result<Checkpoint, Error> {
    let name = path.display().to_string();
    let refused = |error: io::Error| Error::new(format!("cannot be read: {error}")).in_file(&name);
    let file = File::open(path).map_err(refused)?;
    let about = file.metadata().map_err(refused)?;
    if !about.is_file() {
        return Err(Error::new("is no file").in_file(&name));
    }
    Checkpoint::read(&mut BufReader::with_capacity(1 << 20, file), about.len())
        .map_err(|error| error.in_file(&name))
}
