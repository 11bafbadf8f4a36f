//! Files that keys name.
use std::{fs::File, io::Read, path::Path};

use crate::error::Error;

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where it lies, from the root on.
    pub path: String,
    /// All that is in it.
    pub bytes: Vec<u8>,
}

/// Reads the file that `key` names from a folder on.
///
/// # Errors
///
/// If it cannot be read, is no file but a folder or a device, or is larger than `largest` `[B]`.
pub fn read(folder: &Path, name: &str, largest: u64, key: &str) -> Result<Found, Error> {
    let refused = |message: String| Error::invalid(key, message).value(format!("{name:?}"));
    let failed = |error: std::io::Error| refused(format!("cannot be read: {error}"));
    let path = folder.join(name).canonicalize().map_err(failed)?;
    let size = path.metadata().map_err(failed)?;
    if !size.is_file() {
        return Err(refused("is no file".to_owned()));
    }
    if size.len() > largest {
        return Err(refused(format!("has {} B, more than {largest} B", size.len())));
    }
    let mut bytes = Vec::new();
    File::open(&path).and_then(|file| file.take(largest).read_to_end(&mut bytes)).map_err(failed)?;
    Ok(Found { path: path.display().to_string(), bytes })
}

impl Found {
    /// Keeps the checksum of the file, CRC-32, or refuses a file that has another one.
    ///
    /// # Errors
    ///
    /// With its `key`.
    pub fn check(&self, checksum: &mut Option<u32>, key: &str) -> Result<(), Error> {
        let found = crc32fast::hash(&self.bytes);
        match *checksum.get_or_insert(found) {
            expected if expected == found => Ok(()),
            expected => {
                let error = Error::invalid(
                    key,
                    format!("is not that of {}, {found}: the file has changed", self.path),
                );
                Err(error.value(expected))
            }
        }
    }
}
