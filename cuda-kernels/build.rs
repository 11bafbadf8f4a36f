//! Under feature `host`, builds the CUDA text and the test entry points for the processor.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "host")]
    if let Err(e) = host::build() {
        println!("cargo:warning={e}");
        std::process::exit(1);
    }
}

#[cfg(feature = "host")]
mod host {
    use std::{
        fs, io,
        path::{Path, PathBuf},
    };

    /// What must be built for each dimension: kernels in `src/**/*.cu`, entry points in `host/*.cpp`.
    pub fn build() -> io::Result<()> {
        for folder in ["src", "host"] {
            println!("cargo:rerun-if-changed={folder}");
        }
        let (mut kernels, mut entries) = (Vec::new(), Vec::new());
        find(Path::new("src"), "cu", &mut kernels)?;
        find(Path::new("host"), "cpp", &mut entries)?;
        for dim in [2, 3] {
            compile(dim, &kernels, &entries)?;
        }
        Ok(())
    }

    /// All files below `folder` with the given ending, sorted.
    fn find(folder: &Path, ending: &str, out: &mut Vec<PathBuf>) -> io::Result<()> {
        let mut entries: Vec<_> =
            fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<io::Result<_>>()?;
        entries.sort();
        for path in entries {
            if path.is_dir() {
                find(&path, ending, out)?;
            } else if path.extension().is_some_and(|e| e == ending) {
                out.push(path);
            }
        }
        Ok(())
    }

    /// One static library a dimension.
    fn compile(dim: u32, kernels: &[PathBuf], entries: &[PathBuf]) -> io::Result<()> {
        if kernels.is_empty() && entries.is_empty() {
            return Ok(());
        }
        let real = if cfg!(feature = "f64") { "double" } else { "float" };
        let mut build = cc::Build::new();
        build
            .cpp(true)
            .std("c++17")
            .opt_level(2)
            .flag("-ffp-contract=off")
            .flag("-Wno-unknown-pragmas")
            .include("src")
            .include("host")
            .define("DIM", dim.to_string().as_str())
            .define("DIM_SUFFIX", format!("_{dim}d").as_str())
            .define("REAL", real)
            .files(entries);
        build.try_compile(&format!("cuda_text_{dim}d")).map_err(|e| io::Error::other(e.to_string()))
    }
}
