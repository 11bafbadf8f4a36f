//! Kernels compiled ahead into a folder, for a machine where the compiler is missing or where time is short (feature
//! `cuda`).
//!
//! The folder is a cache under another rule: its file `compiler` names the compiler that wrote it and what it holds, so
//! that a machine without a compiler, or with another one, still finds each file by its key.

use crate::device::{
    compile::{
        nvrtc::{self, Job},
        source::{self, Cache},
        variant::Variant,
    },
    error::{CudaError, Version},
};
use std::{
    cmp::Reverse,
    collections::HashSet,
    env, fs,
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// The environment variable that names a folder of kernels compiled ahead.
pub const VARIABLE: &str = "SPH_KERNEL_AHEAD";

/// What was compiled ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// Files of code that the call wrote or found whole `[-]`.
    pub files: usize,
    /// Their size, `[B]`.
    pub bytes: u64,
    /// The compiler.
    pub compiler: Version,
}

/// Compiles all kernels, for the width of this build, into `folder`: each file of kernels in 2D and 3D, with each of its
/// smoothing kernels, in each of the variants (those [for comparison](Variant::is_for_comparison) with the first smoothing
/// kernel alone), for each architecture (`sm_90` is machine code of compute capability 9.0,
/// `compute_80` is PTX, which the driver of any GPU from 8.0 on translates). Uses all cores. What the folder holds
/// already, of the same source, options and compiler, is kept. `progress` is told of each file.
///
/// # Errors
/// When there is no compiler, the compiler refuses a source or an architecture, or the folder cannot be written.
pub fn compile_ahead(
    folder: &Path,
    architectures: &[String],
    variants: &[Variant],
    progress: &dyn Fn(&str),
) -> Result<Ahead, CudaError> {
    compile_all(folder, architectures, &jobs(architectures, variants, |_| true)?, progress)
}

fn compile_all(
    folder: &Path,
    architectures: &[String],
    jobs: &[Job],
    progress: &dyn Fn(&str),
) -> Result<Ahead, CudaError> {
    let compiler = nvrtc::version().ok_or(CudaError::NoCompiler)?;
    let cache = Cache::at(folder);
    let keep = |job: &Job| kept(job, compiler, &cache, folder);
    let bytes = for_each(jobs, keep, |done, job, size| {
        progress(&format!("{done}/{} {job}, {size} B", jobs.len()));
    })?;
    Carried::describe(folder, compiler, architectures)?;
    Ok(Ahead { files: jobs.len(), bytes, compiler })
}

fn unusable(folder: &Path, reason: impl ToString) -> CudaError {
    CudaError::Ahead { folder: folder.into(), reason: reason.to_string() }
}

/// Each build once: variants that differ in the walk alone share their code.
fn jobs(
    architectures: &[String],
    variants: &[Variant],
    files: impl Fn(&str) -> bool,
) -> Result<Vec<Job>, CudaError> {
    let mut jobs = Vec::new();
    for architecture in architectures {
        for (file, dim, smoothing) in source::builds().filter(|(file, ..)| files(file)) {
            let mut seen = HashSet::new();
            let is_first = smoothing == source::smoothing(file)[0];
            for variant in variants.iter().filter(|variant| is_first || !variant.is_for_comparison()) {
                let options = source::options(file, dim, smoothing, *variant);
                if seen.insert(options.clone()) {
                    jobs.push(Job::new(file, options, architecture)?);
                }
            }
        }
    }
    Ok(jobs)
}

/// Compiles what the folder does not hold, and returns its size, `[B]`.
fn kept(job: &Job, compiler: Version, cache: &Cache, folder: &Path) -> Result<u64, CudaError> {
    let key = job.key(compiler);
    if let Some(code) = cache.get(&key) {
        return Ok(code.len() as u64);
    }
    let code = job.compile()?;
    cache.put(&key, &code).map_err(|e| unusable(folder, e))?;
    Ok(code.len() as u64)
}

/// Does all jobs on all cores and sums up their sizes; `done` hears of each on this thread.
pub(crate) fn for_each(
    jobs: &[Job],
    work: impl Fn(&Job) -> Result<u64, CudaError> + Sync,
    done: impl Fn(usize, &Job, u64),
) -> Result<u64, CudaError> {
    let next = AtomicUsize::new(0);
    let (send, results) = mpsc::channel();
    let (next, work) = (&next, &work);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let send = send.clone();
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Nobody listens once a job has failed.
                    if send.send((job, work(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut bytes = 0;
        for (k, (job, size)) in results.into_iter().enumerate() {
            let size = size?;
            bytes += size;
            done(k + 1, job, size);
        }
        Ok(bytes)
    })
}

/// Those of `architectures` that a GPU runs, the best first: its machine code, then PTX, the newest first.
fn targets(architectures: &[String], capability: Version) -> Vec<&str> {
    let own = capability.architecture();
    let ptx = |name: &str| name.strip_prefix("compute_")?.parse().ok().filter(|&number: &u32| number <= own);
    let machine = format!("sm_{own}");
    let ranked = |name: &str| if name == machine { Some(u32::MAX) } else { ptx(name) };
    let mut targets: Vec<_> =
        architectures.iter().filter_map(|name| Some((ranked(name)?, name.as_str()))).collect();
    targets.sort_by_key(|(rank, _)| Reverse(*rank));
    targets.into_iter().map(|(_, name)| name).collect()
}

/// True when a GPU runs one of `architectures`.
pub(crate) fn serves(architectures: &[String], capability: Version) -> bool {
    !targets(architectures, capability).is_empty()
}

/// A folder of kernels compiled ahead.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    files: Cache,
    compiler: Version,
    /// Architectures that it holds in the width of this build.
    pub architectures: Vec<String>,
}

impl Carried {
    /// The folder that the environment names, if it names one.
    pub fn of_environment() -> Result<Option<Self>, CudaError> {
        let named = env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
        named.map(|folder| Self::at(&PathBuf::from(folder))).transpose()
    }

    fn at(folder: &Path) -> Result<Self, CudaError> {
        let path = folder.join("compiler");
        let text =
            fs::read_to_string(&path).map_err(|e| unusable(folder, format!("{}: {e}", path.display())))?;
        let mut lines = text.lines();
        let compiler = lines.next().and_then(|line| line.strip_prefix("NVRTC ")?.parse().ok());
        let compiler = compiler.ok_or_else(|| unusable(folder, "the file `compiler` names no version"))?;
        let of_this_width = |line: &str| Some(line.strip_suffix(source::real())?.trim_end().to_owned());
        Ok(Self {
            files: Cache::at(folder),
            compiler,
            architectures: lines.filter_map(of_this_width).collect(),
        })
    }

    /// Writes the file `compiler`. What it says of the same compiler stays.
    fn describe(folder: &Path, compiler: Version, architectures: &[String]) -> Result<(), CudaError> {
        let path = folder.join("compiler");
        let head = format!("NVRTC {compiler}");
        let before = fs::read_to_string(&path).unwrap_or_default();
        let before = before.strip_prefix(&head).unwrap_or_default();
        let mut lines: Vec<String> = before.lines().skip(1).map(str::to_owned).collect();
        lines.extend(architectures.iter().map(|architecture| format!("{architecture} {}", source::real())));
        lines.sort();
        lines.dedup();
        let written = fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, format!("{head}\n{}\n", lines.join("\n"))));
        written.map_err(|e| unusable(folder, e))
    }

    /// The kernels of a file for a GPU, the best first; those that are whole.
    pub fn codes(
        &self,
        file: &'static str,
        options: &[String],
        capability: Version,
    ) -> Result<Vec<Vec<u8>>, CudaError> {
        let code = |target| {
            let key = Job::new(file, options.to_vec(), target).map(|job| job.key(self.compiler));
            key.map(|key| self.files.get(&key)).transpose()
        };
        targets(&self.architectures, capability).into_iter().filter_map(code).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Skips a test where the compiler is not: `LD_LIBRARY_PATH=$(scripts/check_kernels.py --print-lib-dir)` says where.
    pub(crate) fn nvrtc_is_missing() -> bool {
        let missing = nvrtc::version().is_none();
        if missing {
            crate::skip::skip("NVRTC not found");
        }
        missing
    }

    fn architectures(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_gpu_gets_its_machine_code_and_else_the_newest_ptx() {
        let held = architectures(&["compute_80", "sm_80", "compute_86", "sm_90", "compute_100"]);
        let of = |major, minor| targets(&held, Version { major, minor });
        assert_eq!(of(9, 0), ["sm_90", "compute_86", "compute_80"]);
        assert_eq!(of(8, 0), ["sm_80", "compute_80"]);
        assert_eq!(of(8, 9), ["compute_86", "compute_80"]);
        assert!(of(7, 5).is_empty());
        assert!(!serves(&architectures(&["sm_90"]), Version { major: 8, minor: 0 }));
    }

    #[test]
    fn kernels_compiled_ahead_are_found_by_all_that_they_were_compiled_of() {
        if nvrtc_is_missing() {
            return;
        }
        let folder = env::temp_dir().join(format!("sph-ahead-{}", std::process::id()));
        let held = architectures(&["sm_90", "compute_80"]);
        let strict = Variant { strict: true, ..Variant::default() };
        let variants = [
            Variant::default(),
            Variant { walk: crate::device::compile::variant::Walk::Kept, ..strict },
            strict,
        ];
        let jobs = jobs(&held, &variants, |file| {
            matches!(file, "common/numerics/fields.cu" | "common/numerics/reduce.cu")
        })
        .unwrap();
        // Two files, 2D and 3D, two architectures, fused or not.
        assert_eq!(jobs.len(), 16);
        let told = std::cell::Cell::new(0);
        let compile = || compile_all(&folder, &held, &jobs, &|_| told.set(told.get() + 1)).unwrap();
        let fresh = compile();
        assert_eq!((fresh.files, told.get()), (16, 16));
        assert_eq!(compile(), fresh, "what is there is kept");
        let carried = Carried::at(&folder).unwrap();
        let codes = |variant, major| {
            carried
                .codes(
                    "common/numerics/reduce.cu",
                    &source::options("common/numerics/reduce.cu", 3, None, variant),
                    Version { major, minor: 0 },
                )
                .unwrap()
        };
        let [fused, exact] = [codes(Variant::default(), 9), codes(strict, 9)];
        assert_eq!([fused.len(), exact.len(), codes(strict, 10).len(), codes(strict, 7).len()], [2, 2, 1, 0]);
        assert!(fused[0].starts_with(b"\x7fELF") && fused[1].ends_with(b"\0"));
        assert!(fused[1] != exact[1]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_says_nothing_of_its_compiler_is_an_error() {
        let folder = env::temp_dir().join(format!("sph-not-ahead-{}", std::process::id()));
        assert!(matches!(Carried::at(&folder), Err(CudaError::Ahead { .. })));
        Carried::describe(&folder, Version { major: 13, minor: 1 }, &architectures(&["sm_90"])).unwrap();
        Carried::describe(&folder, Version { major: 13, minor: 1 }, &architectures(&["sm_80", "sm_90"]))
            .unwrap();
        assert_eq!(Carried::at(&folder).unwrap().architectures, ["sm_80", "sm_90"]);
        // Another compiler's files have other keys.
        Carried::describe(&folder, Version { major: 13, minor: 2 }, &architectures(&["sm_90"])).unwrap();
        assert_eq!(Carried::at(&folder).unwrap().architectures, ["sm_90"]);
        fs::write(folder.join("compiler"), "NVRTC of some day\n").unwrap();
        assert!(matches!(Carried::at(&folder), Err(CudaError::Ahead { .. })));
        fs::remove_dir_all(folder).unwrap();
    }
}
