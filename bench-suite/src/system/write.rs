//! Files that are whole or absent: written beside their place, flushed to the disk, then renamed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// The file that was wanted.
    pub path: PathBuf,
    /// Why it could not be had.
    pub source: io::Error,
}

/// The calls through which files are written: those of the disk, or of one that fails on purpose.
pub trait Files: Sync {
    /// Makes a folder and those above it.
    ///
    /// # Errors
    /// Those of the system; so with all that follow.
    fn make_folder(&self, folder: &Path) -> io::Result<()>;
    /// Makes a file that is not there yet.
    ///
    /// # Errors
    /// Those of the system.
    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>>;
    /// Gives a file another name, and its place if there is one.
    ///
    /// # Errors
    /// Those of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    ///
    /// # Errors
    /// Those of the system.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Flushes the names in a folder to the disk.
    ///
    /// # Errors
    /// Those of the system.
    fn flush_folder(&self, folder: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub trait NewFile: Write {
    /// Flushes all bytes to the disk.
    ///
    /// # Errors
    /// Those of the system.
    fn flush_to_disk(&mut self) -> io::Result<()>;
}

/// The files of the system.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Files for Disk {
    fn make_folder(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        Ok(Box::new(File::create_new(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    /// Does nothing where folders cannot be opened.
    fn flush_folder(&self, folder: &Path) -> io::Result<()> {
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }
}

impl NewFile for File {
    fn flush_to_disk(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// Writes `bytes` to `path`, creating its folders. A reader sees the old file or the new one, never a part;
/// a failure leaves the old file and nothing beside it.
///
/// # Errors
/// When a folder or file cannot be made, written or renamed.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_with(&Disk, path, |file| file.write_all(bytes))
}

/// Finds out whether files can be made in a folder, or in what will be its parent, and leaves nothing there.
///
/// # Errors
/// When the folder is something else, or may not be written.
pub fn check_folder(folder: &Path) -> Result<(), WriteError> {
    let failed = |source| WriteError { path: folder.to_owned(), source };
    let there = folder.ancestors().find(|path| path.exists() || path.as_os_str().is_empty());
    let there = there.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        let message = format!("{} is a file, must be a folder", there.display());
        return Err(failed(io::Error::new(io::ErrorKind::NotADirectory, message)));
    }
    let probe = beside(&there.join("probe")).map_err(failed)?;
    File::create_new(&probe).map_err(failed)?;
    fs::remove_file(&probe).map_err(failed)
}

/// As [`write_atomic`], for content that is made while it is written, and any files.
///
/// # Errors
/// As [`write_atomic`], and whatever `fill` returns.
pub fn write_with(
    files: &dyn Files,
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    let failed = |source| WriteError { path: path.to_owned(), source };
    let folder = folder_of(path);
    let beside = beside(path).map_err(failed)?;
    files.make_folder(folder).map_err(failed)?;
    let mut written = fill_and_flush(files, &beside, fill);
    if written.is_ok() {
        written = files.rename(&beside, path);
    }
    if let Err(source) = written {
        let _ = files.remove(&beside); // absent if it could not be created
        return Err(failed(source));
    }
    files.flush_folder(folder).map_err(failed)
}

/// A fresh name in the same folder, hence on the same file system.
fn beside(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    let mut fresh = std::ffi::OsString::from(".");
    fresh.push(name);
    fresh.push(format!(".{}-{}{PART}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    Ok(folder_of(path).join(fresh))
}

/// The end of the names of unfinished files.
pub const PART: &str = ".part";

/// Whether a file has a name that is given to unfinished ones, `.NAME.PROCESS-COUNT.part`.
#[must_use]
pub fn is_unfinished(path: &Path) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let name = path.file_name().map(|name| name.to_string_lossy());
    let inner = name.as_deref().and_then(|name| name.strip_prefix('.')?.strip_suffix(PART)?.rsplit_once('.'));
    inner.and_then(|(_, numbers)| numbers.split_once('-')).is_some_and(|(a, b)| is_number(a) && is_number(b))
}

/// Removes the files of a folder that killed programs have left unfinished; what cannot be removed does no harm.
pub fn remove_unfinished(folder: &Path) {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    paths.filter(|path| is_unfinished(path)).for_each(|path| drop(fs::remove_file(path)));
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn fill_and_flush(
    files: &dyn Files,
    beside: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = io::BufWriter::with_capacity(1 << 20, files.create(beside)?);
    fill(&mut file)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.flush_to_disk()
}
