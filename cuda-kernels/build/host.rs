//! Under feature `host`, builds the CUDA source and the test entry points for the processor.
//!
//! `SPH_CHECK_ONLY=1` leaves that out, for commands that check and do not link, as clippy.
//!
//! `SPH_SANITIZE=1` builds them with AddressSanitizer and UndefinedBehaviorSanitizer; `scripts/sanitize_kernels`
//! runs the tests so.

use crate::{
    source::{File, Kernel},
    types::{Found, Sources},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// A file with kernels.
struct Kernels {
    path: PathBuf,
    /// Its kernels, and the names of their parameters.
    kernels: Vec<(String, Vec<String>)>,
    /// The smoothing kernels that a GPU has it compiled with, each by itself; none of a file that uses none. Here it is
    /// built once, with the type that chooses one at run time.
    smoothing: Vec<String>,
    /// The walks that it is built with beside the default.
    walks: Vec<String>,
}

/// Files that are built with the same macros.
struct Library {
    /// `kernels`, `entries` or `fibers`.
    what: &'static str,
    dim: u32,
    /// The walk, of files that list it.
    walk: Option<String>,
    files: Vec<PathBuf>,
}

/// The type in the place of the smoothing kernel: all of them, chosen by a number among the constants. A build for each
/// would take most of the time.
const SMOOTHING: &str = "AnyKernel";

/// What runs the threads of a block, of all kernels in both dimensions.
const SCHEDULER: &str = "host/fibers.cpp";

/// Builds for each dimension the kernels of `**/*.cu` and the entry points of `host/*.cpp`, with the layouts of the
/// structs that these share with Rust.
pub fn build(sources: &Sources, shared: &[Found<'_>]) -> io::Result<()> {
    println!("cargo:rerun-if-changed=host");
    println!("cargo:rerun-if-env-changed=SPH_SANITIZE");
    let sanitize = env::var_os("SPH_SANITIZE").is_some_and(|v| v == "1");
    let broken = File::read(Path::new("host"), "broken.cu")?;
    let of_methods = sources.files.iter().filter(|file| !file.kernels.is_empty());
    let mut texts: Vec<_> = of_methods.map(|file| Kernels::new("src", file, sources)).collect();
    texts.push(Kernels::new("host", &broken, sources));
    write_layout(shared)?;
    println!("cargo:rerun-if-env-changed=SPH_CHECK_ONLY");
    if env::var_os("SPH_CHECK_ONLY").is_none_or(|v| v != "1") {
        build_all(&libraries(&texts)?, sanitize, &stamp(sources, sanitize)?)?;
    }
    if sanitize {
        println!("cargo:rustc-link-lib=dylib=asan");
        println!("cargo:rustc-link-lib=dylib=ubsan");
    }
    write_table(&texts)
}

impl Kernels {
    fn new(folder: &str, file: &File, sources: &Sources) -> Self {
        let parameters = |kernel: &Kernel| kernel.parameters.iter().map(|p| p.name.clone()).collect();
        Self {
            path: Path::new(folder).join(&file.name),
            kernels: file.kernels.iter().map(|kernel| (kernel.name.clone(), parameters(kernel))).collect(),
            smoothing: sources.smoothing(file),
            walks: file.listed("WALKS ").into_iter().map(str::to_owned).collect(),
        }
    }

    /// The walks that it is built with, `None` for the default.
    fn variants(&self) -> Vec<Option<&str>> {
        std::iter::once(None).chain(self.walks.iter().map(|walk| Some(walk.as_str()))).collect()
    }
}

/// Where the fields of the structs lie that formulas share with the host.
fn write_layout(shared: &[Found<'_>]) -> io::Result<()> {
    let files: BTreeSet<_> = shared.iter().map(|found| &found.file.name).collect();
    let mut text: String = files.iter().map(|file| format!("#include {file:?}\n")).collect();
    text += "#include <stddef.h>\n#include \"physics_table.h\"\n\
             extern \"C\" const PhysicsField* PHYSICS_ENTRY(layout)() {\n  static const PhysicsField TABLE[] = {\n";
    for Found { of, .. } in shared {
        let twin = of.twin();
        let _ = writeln!(text, "    {{{twin:?}, \"\", 0, sizeof({twin})}},");
        for field in &of.fields {
            let name = &field.name;
            let _ = writeln!(
                text,
                "    {{{twin:?}, {name:?}, offsetof({twin}, {name}), sizeof({twin}::{name})}},"
            );
        }
    }
    text += "    {nullptr, nullptr, 0, 0},\n  };\n  return TABLE;\n}\n";
    fs::write(out_dir()?.join("physics_layout.cpp"), text)
}

fn libraries(texts: &[Kernels]) -> io::Result<Vec<Library>> {
    let mut entries = Vec::new();
    find(Path::new("host"), "cpp", &mut entries)?;
    entries.retain(|path| path != Path::new(SCHEDULER));
    entries.push(out_dir()?.join("physics_layout.cpp"));
    let mut walks: Vec<_> = texts.iter().flat_map(Kernels::variants).collect();
    walks.sort();
    walks.dedup();
    let mut libraries = Vec::new();
    for dim in [2, 3] {
        for &walk in &walks {
            let built = texts.iter().filter(|text| text.variants().contains(&walk));
            let files = built.map(|text| text.path.clone()).collect();
            libraries.push(Library { what: "kernels", dim, walk: walk.map(str::to_owned), files });
        }
        libraries.push(Library { what: "entries", dim, walk: None, files: entries.clone() });
    }
    libraries.push(Library { what: "fibers", dim: 2, walk: None, files: vec![PathBuf::from(SCHEDULER)] });
    Ok(libraries)
}

/// What the symbols of a walk and dimension end with.
fn suffix(walk: Option<&str>, dim: u32) -> String {
    walk.map(|name| format!("_{name}")).unwrap_or_default() + &format!("_{dim}d")
}

/// What the libraries are built of, as a number.
fn stamp(sources: &Sources, sanitize: bool) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    (sanitize, cfg!(feature = "f64"), env::var_os("CXX"), env::var_os("CXXFLAGS")).hash(&mut hasher);
    sources.files.iter().for_each(|file| (&file.name, &file.text).hash(&mut hasher));
    let mut host = vec![PathBuf::from("build/host.rs")];
    find(Path::new("host"), "cpp", &mut host)?;
    find(Path::new("host"), "h", &mut host)?;
    find(Path::new("host"), "cu", &mut host)?;
    for path in &host {
        fs::read(path)?.hash(&mut hasher);
    }
    Ok(hasher.finish().to_string())
}

/// Builds libraries on as many threads as cargo gives.
fn build_all(libraries: &[Library], sanitize: bool, stamp: &str) -> io::Result<()> {
    let jobs = env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_usize);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(library) = libraries.get(next.fetch_add(1, Ordering::Relaxed)) {
            library.build(sanitize, stamp)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(built) => built,
            Err(_) => Err(io::Error::other("a thread of the build panicked")),
        })
    })
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

impl Library {
    fn build(&self, sanitize: bool, stamp: &str) -> io::Result<()> {
        let suffix = suffix(self.walk.as_deref(), self.dim);
        let mut build = compiler(self.dim, &suffix, sanitize);
        if self.what == "kernels" {
            build.flag("-x").flag("c++").flag("-include").flag("cuda_host_shim.h");
            build.define("SPH_KERNEL", SMOOTHING);
        }
        if self.what == "fibers" {
            // One small file, where most of the time of emulated kernels goes.
            build.opt_level(2);
        }
        if let Some(walk) = &self.walk {
            // -O0 and one file: a walk is built for its own tests alone, and shall take little time.
            build.define("SPH_WALK", walk.as_str()).opt_level(0);
        }
        let name = format!("{}{suffix}", self.what);
        let out = out_dir()?.join(&name);
        fs::create_dir_all(&out)?;
        let files = self.texts(&out)?;
        // Rust files make the build run anew, too; what was built of the same source serves again.
        if fs::read_to_string(out.join("stamp")).is_ok_and(|kept| kept == stamp) {
            println!("cargo:rustc-link-search=native={}", out.display());
            println!("cargo:rustc-link-lib=static={name}");
            println!("cargo:rustc-link-lib=stdc++");
            return Ok(());
        }
        build.out_dir(&out).files(files);
        build.try_compile(&name).map_err(|e| io::Error::other(e.to_string()))?;
        fs::write(out.join("stamp"), stamp)
    }
}

impl Library {
    /// What is compiled: one file for each method that includes all of its files, since headers take half of the time.
    fn texts(&self, out: &Path) -> io::Result<Vec<PathBuf>> {
        if self.what != "kernels" {
            return Ok(self.files.clone());
        }
        let mut texts = BTreeMap::<String, String>::new();
        for file in &self.files {
            let text = texts.entry(family(file)).or_default();
            let _ = writeln!(text, "#include {:?}", file.canonicalize()?);
        }
        let write = |(family, text): (&String, &String)| {
            let path = out.join(format!("{family}.cu"));
            fs::write(&path, text)?;
            Ok(path)
        };
        texts.iter().map(write).collect()
    }
}

/// What a file belongs to: its method, or `common`.
fn family(file: &Path) -> String {
    let mut parts = file.iter().map(|part| part.to_string_lossy().into_owned());
    parts.find(|part| part != "src").unwrap_or_default()
}

pub fn out_dir() -> io::Result<PathBuf> {
    env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| io::Error::other("OUT_DIR is not set"))
}

/// What all files of one dimension are built with.
fn compiler(dim: u32, suffix: &str, sanitize: bool) -> cc::Build {
    let mut build = cc::Build::new();
    // -O1: the time to compile counts for more than that of the tests.
    build.cpp(true).std("c++17").opt_level(1).include("src").include("host");
    // Nothing is fused: the bits are those of the Rust source.
    for flag in ["-ffp-contract=off", "-Wno-unknown-pragmas", "-Wno-unused-parameter"] {
        build.flag(flag);
    }
    if sanitize {
        build.flag("-fsanitize=address,undefined").flag("-fno-sanitize-recover=undefined");
        // Lines for the reports. Tracking variables would take minutes a file.
        build.flag("-g1").flag("-fno-var-tracking");
    }
    build
        .define("DIM", dim.to_string().as_str())
        .define("DIM_SUFFIX", suffix)
        .define("REAL", if cfg!(feature = "f64") { "double" } else { "float" });
    build
}

/// Names the exported kernels for Rust: `KERNELS`.
fn write_table(texts: &[Kernels]) -> io::Result<()> {
    let (mut declared, mut listed) = (String::new(), String::new());
    for text in texts {
        let (walks, smoothing) = (text.variants(), &text.smoothing);
        let kernels = text.kernels.iter();
        for ((name, parameters), &walk) in
            kernels.flat_map(|kernel| walks.iter().map(move |walk| (kernel, walk)))
        {
            let entry = |dim| format!("shim_{name}{}", suffix(walk, dim));
            let entries = [entry(2), entry(3)].join(", ");
            let _ = writeln!(
                listed,
                "Built {{ name: {name:?}, smoothing: &{smoothing:?}, walk: {walk:?}, \
                 parameters: &{parameters:?}, entries: [{entries}] }},"
            );
            for dim in [2, 3] {
                let _ = writeln!(
                    declared,
                    "fn {}(grid: *const u32, block: *const u32, shared: u32, \
                     arguments: *const *mut c_void, sizes: *const usize, n_arguments: usize, first: u64, \
                     last: u64, seed: u64, message: *mut c_char, room: usize) -> i32;",
                    entry(dim)
                );
            }
        }
    }
    let text = format!(
        "unsafe extern \"C\" {{\n{declared}}}\n\
         const KERNELS: &[Built] = &[\n{listed}];\n"
    );
    fs::write(out_dir()?.join("host_kernels.rs"), text)
}
