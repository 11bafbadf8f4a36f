//! Files that are read whole.

use std::{fs, io, path::Path};

/// The bytes of a file.
///
/// # Errors
/// When it cannot be read, or is a device or a pipe, which may never end.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("is no regular file"));
    }
    fs::read(path)
}

/// The text of a file.
///
/// # Errors
/// As of [`read`], and when it is no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::Error::other("is no text in UTF-8"))
}
