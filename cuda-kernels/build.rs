//! Generates launchers and twins of structs from the CUDA source, and under feature `host` builds that source for the
//! processor.

#[path = "build/host.rs"]
#[cfg(feature = "host")]
mod host;
#[path = "build/launchers.rs"]
mod launchers;
#[path = "build/source.rs"]
mod source;
#[path = "build/types.rs"]
mod types;

use source::File;
use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};
use types::Sources;

fn main() {
    if let Err(e) = build() {
        println!("cargo:warning={e}");
        std::process::exit(1);
    }
}

fn build() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src");
    let mut names = Vec::new();
    find(Path::new("src"), "", &mut names)?;
    let mut cuda: Vec<_> = names.iter().filter(|n| n.ends_with(".cu") || n.ends_with(".cuh")).collect();
    cuda.sort();
    let files = cuda.iter().map(|name| File::read(Path::new("src"), name)).collect::<io::Result<_>>()?;
    let beside = names.iter().filter_map(|name| name.strip_suffix(".rs")).map(str::to_owned).collect();
    let sources = Sources { files, beside };
    let out =
        env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    let (modules, _shared) = launchers::generate(&sources)?;
    for (module, text) in modules {
        fs::write(out.join(format!("{}.rs", module.trim_start_matches("crate::").replace("::", "_"))), text)?;
    }
    fs::write(out.join("sources.rs"), list(&sources))?;
    fs::write(out.join("groups.rs"), format!("&{:?}", sources.groups()).replace("\", [", "\", &["))?;
    #[cfg(feature = "host")]
    host::build(&sources, &_shared)?;
    Ok(())
}

/// The CUDA source as a table of names and text.
fn list(sources: &Sources) -> String {
    let mut text = String::from("&[\n");
    for File { name, .. } in &sources.files {
        let _ = writeln!(
            text,
            "    ({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/src/{name}\"))),"
        );
    }
    text + "]\n"
}

/// The files below a folder, by their paths from `src`.
fn find(folder: &Path, prefix: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            find(&path, &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}
