//! Records the compiler, so that a result can name it, and builds the folders of `cases` into the program.

use std::env;
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok().filter(|out| out.status.success());
    let version = version.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned());
    println!("cargo::rustc-env=SPH_RUSTC_VERSION={}", version.as_deref().unwrap_or("unknown"));
    println!("cargo::rerun-if-changed=cases");
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let of = |case: &PathBuf| Ok(format!("({:?}, &[{}])", name(case), list(case, file)?));
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("cases.rs");
    fs::write(out, format!("&[{}]", list(&cases, of)?))
}

/// An expression for each entry of a folder, by name.
fn list(folder: &Path, of: impl Fn(&PathBuf) -> Result<String>) -> Result<String> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries.iter().map(of).collect::<Result<Vec<_>>>()?.join(", "))
}

/// Name and text of a file.
fn file(path: &PathBuf) -> Result<String> {
    Ok(format!("({:?}, include_str!({path:?}))", name(path)))
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
