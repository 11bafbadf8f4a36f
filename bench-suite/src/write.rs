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

/// Writes `bytes` to `path`, creating its folders. A reader sees the old file or the new one, never a part;
/// a failure leaves the old file and nothing beside it.
///
/// # Errors
/// When a folder or file cannot be made, written or renamed.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_with(path, |file| file.write_all(bytes))
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
    let probe = there.join(format!(".sph-{}.part", std::process::id()));
    File::create_new(&probe).map_err(failed)?;
    fs::remove_file(&probe).map_err(failed)
}

/// As [`write_atomic`], for content that is made while it is written.
///
/// # Errors
/// As [`write_atomic`], and whatever `fill` returns.
pub fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut io::BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let failed = |source| WriteError { path: path.to_owned(), source };
    let beside = beside(path).map_err(failed)?;
    let guard = Beside(&beside);
    fill_and_flush(&beside, fill).map_err(failed)?;
    fs::rename(&beside, path).map_err(failed)?;
    std::mem::forget(guard);
    flush_folder(path).map_err(failed)
}

/// Removes the file beside, unless it was renamed.
struct Beside<'a>(&'a Path);

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.0); // absent if it could not be created
    }
}

/// A fresh name in the same folder, hence on the same file system. Makes the folder.
fn beside(path: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    };
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    let mut fresh = std::ffi::OsString::from(".");
    fresh.push(name);
    fresh.push(format!(".{}-{}.part", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    Ok(folder.join(fresh))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn fill_and_flush(
    beside: &Path,
    fill: impl FnOnce(&mut io::BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = io::BufWriter::with_capacity(1 << 20, File::create_new(beside)?);
    fill(&mut file)?;
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// Flushes the rename itself, where folders can be opened.
fn flush_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder_of(path))?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh_folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sph-write-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_file_is_written_and_replaced() {
        let folder = fresh_folder("replace");
        let path = folder.join("deep/a.txt");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.join("deep")).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_failure_keeps_the_old_file_and_leaves_nothing() {
        let folder = fresh_folder("failure");
        let path = folder.join("a.txt");
        write_atomic(&path, b"old").unwrap();
        let error = write_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("the pen broke"))
        });
        let text = error.unwrap_err().to_string();
        assert!(text.contains("a.txt") && text.contains("the pen broke"), "{text}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_in_the_way_is_an_error_that_names_it() {
        let folder = fresh_folder("in-the-way");
        let path = folder.join("a");
        fs::create_dir_all(path.join("b")).unwrap();
        assert!(write_atomic(&path, b"x").unwrap_err().to_string().contains("in-the-way"));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
