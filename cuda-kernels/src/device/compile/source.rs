//! The CUDA source: embedded, joined, named by a hash, and kept on disk when compiled.

use crate::device::compile::variant::Variant;
use sph_core::Real;
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// All files that kernels are made of, by the name that `#include` gives them.
pub const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The groups of smoothing kernels with their members, as `common/numerics/kernel.cuh` lists them; `kernels` has all.
pub const GROUPS: &[(&str, &[&str])] = include!(concat!(env!("OUT_DIR"), "/groups.rs"));

/// The members of a group; none where there is no such group.
pub fn group(name: &str) -> &'static [&'static str] {
    GROUPS.iter().find(|(group, _)| *group == name).map_or(&[], |(_, members)| members)
}

/// The text of a file with all that it includes, each file once, or the name that is missing.
///
/// # Errors
/// The name of a text that is not in [`SOURCES`].
pub fn joined(file: &str) -> Result<String, String> {
    let (mut out, mut seen) = (String::new(), Vec::new());
    join(file, &mut seen, &mut out)?;
    Ok(out)
}

fn join(file: &str, seen: &mut Vec<String>, out: &mut String) -> Result<(), String> {
    if seen.iter().any(|s| s == file) {
        return Ok(());
    }
    seen.push(file.to_owned());
    let (_, text) = SOURCES.iter().find(|(name, _)| *name == file).ok_or_else(|| file.to_owned())?;
    // What the compiler says then names the file and line that a reader finds.
    let place = |line: usize| format!("#line {line} \"{file}\"\n");
    out.push_str(&place(1));
    for (k, line) in text.lines().enumerate() {
        match line.strip_prefix("#include \"").and_then(|l| l.strip_suffix('"')) {
            Some(name) => {
                join(name, seen, out)?;
                out.push_str(&place(k + 2));
            }
            // A text that is joined once needs no guard, and the compiler warns of one in a main file.
            None if line == "#pragma once" => out.push('\n'),
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    Ok(())
}

/// The smoothing kernels that a text is compiled with, each by itself, as its line `// SMOOTHING` lists them and groups
/// of them: values of the macro `SPH_KERNEL`; one `None` of a text that uses none.
pub fn smoothing(file: &str) -> Vec<Option<&'static str>> {
    match listed(file, "// SMOOTHING ") {
        listed if listed.is_empty() => vec![None],
        listed => listed.into_iter().flat_map(members).map(Some).collect(),
    }
}

/// What a word of a line `// SMOOTHING` stands for.
fn members(word: &'static str) -> Vec<&'static str> {
    match group(word) {
        [] => vec![word],
        members => members.to_vec(),
    }
}

/// Every text with kernels in 2D and 3D, with each of its smoothing kernels.
pub fn builds() -> impl Iterator<Item = (&'static str, usize, Option<&'static str>)> {
    let files = SOURCES.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".cu"));
    files.flat_map(|file| smoothing(file).into_iter().flat_map(move |s| [(file, 2, s), (file, 3, s)]))
}

/// The ways to find neighbors that a text may be compiled with beside the default, as its line `// WALKS` lists them:
/// values of the macro `SPH_WALK`.
pub fn walks(file: &str) -> Vec<&'static str> {
    listed(file, "// WALKS ")
}

/// The words of the line of a text that begins so.
fn listed(file: &str, begin: &str) -> Vec<&'static str> {
    let text = SOURCES.iter().find(|(name, _)| *name == file).map_or("", |(_, text)| text);
    let line = text.lines().find_map(|line| line.strip_prefix(begin));
    line.unwrap_or_default().split_whitespace().collect()
}

/// The macro `REAL`: the width of numbers in this build.
pub fn real() -> &'static str {
    if size_of::<Real>() == 4 { "float" } else { "double" }
}

/// What the compiler is told of a text, whatever the GPU: dimension, width of numbers, the smoothing kernel if the text
/// uses one, and the options of a variant.
pub fn options(file: &str, dim: usize, smoothing: Option<&str>, variant: Variant) -> Vec<String> {
    let mut options = vec![
        "-std=c++17".into(),
        "-default-device".into(),
        format!("-DDIM={dim}"),
        format!("-DREAL={}", real()),
    ];
    options.extend(smoothing.map(|kernel| format!("-DSPH_KERNEL={kernel}")));
    options.extend(variant.options(file));
    options
}

/// A hash of byte strings in their order (FNV-1a, 128 bits, the length of each among them), as 32 digits.
pub fn hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for part in parts {
        for &byte in part.iter().chain(&(part.len() as u64).to_le_bytes()) {
            hash = (hash ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
    format!("{hash:032x}")
}

/// A folder of compiled kernels.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The folder that the environment names: `SPH_KERNEL_CACHE`, or `sph-kernels` in `XDG_CACHE_HOME` or in
    /// `~/.cache`. An empty `SPH_KERNEL_CACHE` means none.
    pub fn of_environment() -> Self {
        let path = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        if env::var_os("SPH_KERNEL_CACHE").is_some() {
            return Self { folder: path("SPH_KERNEL_CACHE") };
        }
        let home = path("XDG_CACHE_HOME").or_else(|| path("HOME").map(|home| home.join(".cache")));
        Self { folder: home.map(|home| home.join("sph-kernels")) }
    }

    /// This folder.
    pub fn at(folder: &Path) -> Self {
        Self { folder: Some(folder.into()) }
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{key}.bin")))
    }

    /// What was kept under a key.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let kept = fs::read(self.path(key)?).ok()?;
        // The name alone does not tell a file that a full disk or a crash has cut.
        let (bytes, sum) = kept.split_at_checked(kept.len().checked_sub(32)?)?;
        (hash([bytes]).as_bytes() == sum).then(|| bytes.to_vec())
    }

    /// Keeps compiled kernels: written beside, then renamed, so that another process never reads half of them.
    ///
    /// # Errors
    /// When the folder cannot be written. Nothing depends on it but the time of the next start.
    pub fn put(&self, key: &str, bytes: &[u8]) -> io::Result<()> {
        let (Some(folder), Some(path)) = (&self.folder, self.path(key)) else { return Ok(()) };
        fs::create_dir_all(folder)?;
        let beside = folder.join(format!("{key}.{}.part", std::process::id()));
        let written = fs::write(&beside, [bytes, hash([bytes]).as_bytes()].concat());
        let kept = written.and_then(|()| fs::rename(&beside, &path));
        if kept.is_err() {
            let _ = fs::remove_file(&beside);
        }
        kept
    }

    /// Forgets what was kept under a key, because it does not load.
    pub fn forget(&self, key: &str) {
        if let Some(path) = self.path(key) {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("sph-kernels-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn texts_are_joined_once_and_name_their_lines() {
        for (file, _) in SOURCES.iter().filter(|(name, _)| name.ends_with(".cu")) {
            let text = joined(file).unwrap();
            assert!(!text.contains("#include \""), "{file}");
            assert_eq!(text.matches("struct __align__(16) Packed {").count(), 1, "{file}");
            assert!(text.contains("\n#line 1 \"common/numerics/base.cuh\"\n"), "{file}");
        }
        let text = joined("common/search/cells.cuh").unwrap();
        let after = text.rsplit_once("#line 4 \"common/search/cells.cuh\"\n").unwrap().1;
        let line =
            SOURCES.iter().find(|t| t.0 == "common/search/cells.cuh").unwrap().1.lines().nth(3).unwrap();
        assert!(after.starts_with(line));
        assert_eq!(joined("nothing.cu"), Err("nothing.cu".into()));
    }

    #[test]
    fn hashes_tell_texts_and_their_borders_apart() {
        // The empty string is the offset of FNV; the length that follows is eight zeros.
        assert_eq!(hash([]), "6c62272e07bb014262b821756295c58d");
        let all: Vec<&[&[u8]]> = vec![&[b"ab", b"c"], &[b"a", b"bc"], &[b"abc"], &[b"abc", b""], &[b"abd"]];
        let mut hashes: Vec<_> = all.iter().map(|parts| hash(parts.iter().copied())).collect();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), all.len());
    }

    #[test]
    fn kept_kernels_come_back_and_cut_ones_do_not() {
        let cache = Cache::at(&folder("kept"));
        assert_eq!(cache.get("k"), None);
        cache.put("k", b"some machine code").unwrap();
        assert_eq!(cache.get("k").as_deref(), Some(&b"some machine code"[..]));
        let path = cache.path("k").unwrap();
        let whole = fs::read(&path).unwrap();
        for cut in [0, 5, 31, 33, whole.len() - 1] {
            fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(cache.get("k"), None, "{cut} bytes");
        }
        cache.put("k", b"").unwrap();
        assert_eq!(cache.get("k").as_deref(), Some(&b""[..]));
        cache.forget("k");
        assert_eq!(cache.get("k"), None);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0, "nothing is left beside");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_leaves_nothing() {
        let file = folder("file");
        fs::write(&file, b"not a folder").unwrap();
        assert!(Cache::at(&file).put("k", b"x").is_err());
        assert_eq!(Cache::at(&file).get("k"), None);
        assert!(Cache::default().put("k", b"x").is_ok());
        fs::remove_file(file).unwrap();
    }
}
