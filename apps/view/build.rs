//! Lists the files of the page and the scenes, for the program to hold.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let root = env::var("CARGO_MANIFEST_DIR")?;
    let page = files(&Path::new(&root).join("page"), &["", "vendor"], "")?;
    list("files.rs", "FILES: &[(&str, &[u8])]", "include_bytes", &page)?;
    // A page without a server has no other files.
    let scenes = files(&Path::new(&root).join("../../bench-suite/scenes"), &[""], ".toml")?;
    list("scenes.rs", "SCENES: &[(&str, &str)]", "include_str", &scenes)
}

/// Name and path of each file in some folders whose name ends so.
fn files(root: &Path, folders: &[&str], ending: &str) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut files = Vec::new();
    for folder in folders {
        println!("cargo:rerun-if-changed={}", root.join(folder).display());
        for entry in fs::read_dir(root.join(folder))? {
            let (entry, path) = entry.map(|entry| (entry.file_type(), entry.path()))?;
            let name = Path::new(folder).join(path.file_name().unwrap_or_default()).display().to_string();
            if entry?.is_file() && name.ends_with(ending) {
                files.push((name, path.display().to_string()));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Writes a list of names and contents.
fn list(file: &str, kind: &str, include: &str, files: &[(String, String)]) -> Result<(), Box<dyn Error>> {
    let mut text = format!("/// Name and contents of each.\nstatic {kind} = &[\n");
    for (name, path) in files {
        writeln!(text, "    ({name:?}, {include}!({path:?})),")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join(file), text + "];\n")?;
    Ok(())
}
