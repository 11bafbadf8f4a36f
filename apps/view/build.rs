//! Lists the files of the page, for the program to hold.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let page = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("page");
    let mut names = Vec::new();
    for folder in ["", "vendor"] {
        println!("cargo:rerun-if-changed={}", page.join(folder).display());
        for entry in fs::read_dir(page.join(folder))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                names.push(Path::new(folder).join(entry.file_name()).display().to_string());
            }
        }
    }
    names.sort();
    let mut list = String::from("/// Name and contents of each.\nstatic FILES: &[(&str, &[u8])] = &[\n");
    for name in names {
        writeln!(list, "    ({name:?}, include_bytes!({:?})),", page.join(&name).display().to_string())?;
    }
    list += "];\n";
    fs::write(Path::new(&env::var("OUT_DIR")?).join("files.rs"), list)?;
    Ok(())
}
