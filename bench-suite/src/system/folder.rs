//! The folder of a result: one program at a time writes there, and over nothing that is not of this program.

use super::{
    machine::utc_now,
    write::{WriteError, check_folder, remove_unfinished},
};
use serde::{Deserialize, de::IgnoredAny};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{BufReader, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// There while a program writes into the folder: its process id, and since when.
pub const LOCK: &str = "sph.lock";
/// There as long as the folder holds results: files of their names may be replaced.
pub const MARKER: &str = ".sph-output";

/// How the text of a lock begins.
const PROCESS: &str = "process ";

/// A folder cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Nothing can be written there.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Another program writes there.
    #[error("{} is in use by {holder}; let it end, or choose another folder", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
        /// Who, and since when.
        holder: String,
    },
    /// A file there has a name that would be written, and was not written by this program.
    #[error("{} was not written by sph and would be replaced; move it away, or choose another folder", .0.display())]
    Foreign(PathBuf),
}

/// A folder that is this program's alone until it is released.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Locked by the system as long as the process lives, however it ends.
    _lock: File,
    /// Names that will be written.
    names: Vec<&'static str>,
    /// Folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
    is_new: bool,
    is_released: AtomicBool,
    /// What is worth telling: a lock that a killed program has left, or that there can be none.
    pub remark: Option<String>,
}

impl Folder {
    /// Takes a folder in which files and folders of `names` will be written, and clears away what killed programs have
    /// left unfinished.
    ///
    /// # Errors
    /// When it cannot be written, is in use, or holds one of `names` from somewhere else.
    pub fn take(path: &Path, names: &[&'static str]) -> Result<Self, FolderError> {
        check_folder(path)?;
        let is_new = !is_ours(path);
        if let Some(name) = names.iter().find(|name| is_new && path.join(name).exists()) {
            return Err(FolderError::Foreign(path.join(name)));
        }
        let made = path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        let made = made.map(Path::to_owned).collect();
        let failed = |source| WriteError { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(failed)?;
        let (lock, remark) = lock(path)?;
        let (names, is_released) = (names.to_vec(), AtomicBool::new(false));
        let taken = Self { path: path.to_owned(), _lock: lock, names, made, is_new, is_released, remark };
        let words = "sph writes into this folder, and replaces files of its names.\n";
        fs::write(path.join(MARKER), words).map_err(failed)?;
        for folder in [path.to_owned(), path.join("frames"), path.join("checkpoints"), path.join("measures")]
        {
            remove_unfinished(&folder);
        }
        Ok(taken)
    }

    /// Lets others have it. A folder into which nothing was written is as it was before.
    pub fn release(&self) {
        if self.is_released.swap(true, Ordering::Relaxed) {
            return;
        }
        // Before the lock is let go of, so that no other program's is removed.
        let _ = fs::remove_file(self.path.join(LOCK));
        if self.is_new && !self.names.iter().any(|name| self.path.join(name).exists()) {
            let _ = fs::remove_file(self.path.join(MARKER));
        }
        self.made.iter().for_each(|folder| drop(fs::remove_dir(folder))); // fails where something is in it
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.release();
    }
}

/// Whether this program has written there: by its mark, or by results of before there were marks.
fn is_ours(folder: &Path) -> bool {
    #[derive(Deserialize)]
    struct Results {
        #[serde(rename = "machine")]
        _machine: IgnoredAny,
        #[serde(rename = "results")]
        _results: Vec<IgnoredAny>,
    }
    let results = || File::open(folder.join("results.json")).ok().map(BufReader::new);
    folder.join(MARKER).is_file()
        || results().is_some_and(|file| serde_json::from_reader::<_, Results>(file).is_ok())
}

/// The lock file of a folder, and what there is to tell about it.
fn lock(folder: &Path) -> Result<(File, Option<String>), FolderError> {
    let path = folder.join(LOCK);
    let failed = |source| WriteError { path: path.clone(), source };
    loop {
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(failed)?;
        let mut before = String::new();
        let _ = (&file).take(200).read_to_string(&mut before); // what is no text names nobody
        let before = Some(before.trim()).filter(|before| !before.is_empty());
        if before.is_some_and(|before| !before.starts_with(PROCESS.trim_end())) {
            return Err(FolderError::Foreign(path));
        }
        let name = path.display();
        let remark = match file.try_lock() {
            // The one that held it has removed it meanwhile.
            Ok(()) if !is_same(&file, &path) => continue,
            Ok(()) => before.map(|before| format!("{name}: left by {before}, which has ended; taken over")),
            Err(TryLockError::WouldBlock) => {
                let holder = before.unwrap_or("another program").to_owned();
                return Err(FolderError::InUse { path: folder.to_owned(), holder });
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(error)) => {
                Some(format!("{name}: cannot be locked: {error}; let no second run write there"))
            }
        };
        file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
        // In one piece: a program that is killed meanwhile leaves all of it, or nothing.
        let holder = format!("{PROCESS}{} since {}\n", std::process::id(), utc_now());
        file.write_all(holder.as_bytes()).map_err(failed)?;
        return Ok((file, remark));
    }
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |about: &fs::Metadata| (about.dev(), about.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if of(&a) == of(&b))
}

/// An open file cannot be removed there.
#[cfg(not(unix))]
fn is_same(_: &File, _: &Path) -> bool {
    true
}
