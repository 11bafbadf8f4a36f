//! Under feature `host`, builds the CUDA text and the test entry points for the processor.
//!
//! `SPH_SANITIZE=1` builds them with AddressSanitizer and UndefinedBehaviorSanitizer; `scripts/sanitize_kernels`
//! runs the tests so.

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
        env,
        fmt::Write as _,
        fs, io,
        path::{Path, PathBuf},
    };

    /// Builds for each dimension the kernels of `**/*.cu` and the entry points of `host/*.cpp`.
    pub fn build() -> io::Result<()> {
        for folder in ["src", "host"] {
            println!("cargo:rerun-if-changed={folder}");
        }
        println!("cargo:rerun-if-env-changed=SPH_SANITIZE");
        let sanitize = env::var_os("SPH_SANITIZE").is_some_and(|v| v == "1");
        let (mut kernels, mut entries) = (Vec::new(), Vec::new());
        find(Path::new("src"), "cu", &mut kernels)?;
        find(Path::new("host"), "cu", &mut kernels)?;
        find(Path::new("host"), "cpp", &mut entries)?;
        for dim in [2, 3] {
            let mut build = compiler(dim, sanitize);
            build.flag("-x").flag("c++").flag("-include").flag("cuda_host_shim.h");
            compile(build.files(&kernels), &format!("kernels_{dim}d"))?;
            if !entries.is_empty() {
                compile(compiler(dim, sanitize).files(&entries), &format!("entries_{dim}d"))?;
            }
        }
        if sanitize {
            println!("cargo:rustc-link-lib=dylib=asan");
            println!("cargo:rustc-link-lib=dylib=ubsan");
        }
        write_table(&kernels)
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

    /// What all texts of one dimension are built with.
    fn compiler(dim: u32, sanitize: bool) -> cc::Build {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++17").opt_level(2).include("src").include("host");
        // Nothing is fused: the bits are those of the Rust text.
        for flag in ["-ffp-contract=off", "-Wno-unknown-pragmas", "-Wno-unused-parameter"] {
            build.flag(flag);
        }
        if sanitize {
            build.flag("-fsanitize=address,undefined").flag("-fno-sanitize-recover=undefined");
            // Lines for the reports. Tracking variables would take minutes a file.
            build.opt_level(1).flag("-g1").flag("-fno-var-tracking");
        }
        build
            .define("DIM", dim.to_string().as_str())
            .define("DIM_SUFFIX", format!("_{dim}d").as_str())
            .define("REAL", if cfg!(feature = "f64") { "double" } else { "float" });
        build
    }

    fn compile(build: &cc::Build, library: &str) -> io::Result<()> {
        build.try_compile(library).map_err(|e| io::Error::other(e.to_string()))
    }

    /// Names the exported kernels for Rust: `KERNELS`, of name and entry in 2D and 3D.
    fn write_table(files: &[PathBuf]) -> io::Result<()> {
        let (mut declared, mut listed) = (String::new(), String::new());
        for file in files {
            for line in fs::read_to_string(file)?.lines() {
                let Some(name) = line.strip_prefix("SHIM_EXPORT(").and_then(|l| l.strip_suffix(')')) else {
                    continue;
                };
                let _ = writeln!(listed, "(\"{name}\", [shim_{name}_2d, shim_{name}_3d]),");
                for dim in [2, 3] {
                    let _ = writeln!(
                        declared,
                        "fn shim_{name}_{dim}d(grid: *const u32, block: *const u32, shared: u32, \
                         arguments: *const *mut c_void, sizes: *const usize, n_arguments: usize, first: u64, \
                         last: u64, seed: u64, message: *mut c_char, room: usize) -> i32;"
                    );
                }
            }
        }
        let text = format!(
            "unsafe extern \"C\" {{\n{declared}}}\nconst KERNELS: &[(&str, [HostKernel; 2])] = &[\n{listed}];\n"
        );
        let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
        fs::write(Path::new(&out).join("host_kernels.rs"), text)
    }
}
