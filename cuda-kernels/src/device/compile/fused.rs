//! Operations that round a product and a sum at once, of which strict kernels hold none (feature `cuda`): all others are
//! rounded alike on a GPU and on the processor, so that strict kernels have the bits of the emulator.

use crate::device::{
    compile::{
        ahead::for_each,
        nvrtc::{self, Job},
        source,
        variant::Variant,
    },
    error::CudaError,
};
use std::sync::{Mutex, PoisonError};

/// The code that is looked at: PTX still tells a product and a sum from both at once.
const PTX: &str = "compute_80";

/// What was found in the functions of strict kernels.
#[derive(Clone, Debug)]
pub struct Strict {
    /// Functions that were looked at `[-]`.
    pub functions: usize,
    /// Those that hold fused operations.
    pub fused: Vec<String>,
}

/// A build of a file: dimension, and smoothing kernel if it uses one.
type Build = (&'static str, usize, Option<&'static str>);

/// Compiles the strict kernels of `files` in 3D in the width of this build, each with one of its smoothing kernels and one with
/// all (the others have the same formulas), and looks for fused operations.
///
/// # Errors
/// When there is no compiler, or it refuses a text.
pub fn in_strict_kernels(files: impl Fn(&str) -> bool) -> Result<Strict, CudaError> {
    let some = |file: &str| if file == "common/boundary/weigh.cu" { usize::MAX } else { 1 };
    let files =
        source::SOURCES.iter().map(|(file, _)| *file).filter(|file| file.ends_with(".cu") && files(file));
    let builds = files
        .flat_map(|file| source::smoothing(file).into_iter().take(some(file)).map(move |s| (file, 3, s)));
    let counts = count(Variant { strict: true, ..Variant::default() }, builds)?;
    let fused =
        counts.iter().filter(|(_, n)| *n > 0).map(|(function, n)| format!("{function}: {n}")).collect();
    Ok(Strict { functions: counts.len(), fused })
}

/// The functions of builds with their fused operations.
fn count(variant: Variant, builds: impl Iterator<Item = Build>) -> Result<Vec<(String, usize)>, CudaError> {
    nvrtc::version().ok_or(CudaError::NoCompiler)?;
    let mut jobs = Vec::new();
    for (file, dim, smoothing) in builds {
        jobs.push(Job::new(file, source::options(file, dim, smoothing, variant), PTX)?);
    }
    let counts = Mutex::new(Vec::new());
    let count = |job: &Job| {
        let code = job.compile()?;
        let ptx = String::from_utf8_lossy(&code);
        let named = of_functions(&ptx).into_iter().map(|(function, n)| (format!("{function} of {job}"), n));
        counts.lock().unwrap_or_else(PoisonError::into_inner).extend(named);
        Ok(0)
    };
    for_each(&jobs, count, |_, _, _| ())?;
    let mut counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    counts.sort();
    Ok(counts)
}

/// The functions of a PTX text with their fused operations. A product or sum without a rounding counts as well: the driver
/// may fuse it.
fn of_functions(ptx: &str) -> Vec<(&str, usize)> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    for line in ptx.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let declared = code.split_once(".entry ").or_else(|| code.split_once(".func "));
        if let Some((_, rest)) = declared {
            // What a function returns is declared before its name.
            let name = rest.split_once(") ").map_or(rest, |(_, name)| name);
            found.push((name.trim_end_matches('('), 0));
        }
        let fused = ["fma.", "mul.f", "add.f", "sub.f"].iter().any(|operation| code.contains(operation));
        if let Some((_, n)) = found.last_mut().filter(|_| fused) {
            *n += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::compile::ahead::tests::nvrtc_is_missing;

    #[test]
    fn strict_kernels_fuse_nothing() {
        let text = "\t.entry one(\n\tfma.rn.f32 %f1;\n@%p1 fma.rn.f64 %f2;\n// fma.\n.visible .entry two(\n\
                    add.rn.f32 %f1;\nmad.lo.s32 %r1;\n.visible .entry three(\n mul.f32 %f1;\n\
                    .func  (.param .b64 func_retval0) power(\n";
        assert_eq!(of_functions(text), [("one", 2), ("two", 0), ("three", 1), ("power", 0)]);
        if nvrtc_is_missing() {
            return;
        }
        let strict =
            in_strict_kernels(|file| file.starts_with("wcsph/") || file.contains("boundary/")).unwrap();
        assert!(strict.functions > 20 && strict.fused.is_empty(), "{strict:?}");
        let fused =
            count(Variant::default(), [("common/boundary/weigh.cu", 3, Some("CubicSpline"))].into_iter());
        assert!(fused.unwrap().iter().any(|(_, n)| *n > 0), "they are counted where they are allowed");
    }

    #[test]
    #[ignore = "long: compiles every kernel"]
    fn no_strict_kernel_fuses_anything() {
        let strict = in_strict_kernels(|_| true).unwrap();
        assert!(strict.functions > 100 && strict.fused.is_empty(), "{strict:?}");
    }
}
