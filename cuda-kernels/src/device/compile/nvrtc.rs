//! Compiles kernels (NVRTC), when they are first used or ahead of it.

use crate::device::{
    compile::source::{self, Cache},
    error::{CudaError, Version},
};
use cudarc::nvrtc::{result, sys};
use std::{
    ffi::{CStr, CString, c_int},
    fmt,
};

/// Version of the compiler, when it is here.
pub fn version() -> Option<Version> {
    // SAFETY: it only tries to open libraries of known names.
    if !unsafe { sys::is_culib_present() } {
        return None;
    }
    let (mut major, mut minor): (c_int, c_int) = (0, 0);
    // SAFETY: both pointers are to live numbers.
    unsafe { sys::nvrtcVersion(&mut major, &mut minor) }.result().ok()?;
    Some(Version { major: major.max(0) as u32, minor: minor.max(0) as u32 })
}

/// Architectures that the compiler knows, as 90 for 9.0; none when it does not say.
fn architectures() -> Vec<c_int> {
    let mut n: c_int = 0;
    // SAFETY: the pointer is to a live number.
    if unsafe { sys::nvrtcGetNumSupportedArchs(&mut n) }.result().is_err() {
        return Vec::new();
    }
    let mut known = vec![0; n.max(0) as usize];
    // SAFETY: the buffer is as long as the compiler said.
    match unsafe { sys::nvrtcGetSupportedArchs(known.as_mut_ptr()) }.result() {
        Ok(()) => known,
        Err(_) => Vec::new(),
    }
}

/// What to compile for: the machine code of the GPU, or, where the compiler is older than the GPU, the newest
/// intermediate code that the driver can translate.
fn target(capability: Version, known: &[c_int]) -> String {
    let own = capability.architecture() as c_int;
    if known.contains(&own) {
        return format!("sm_{own}");
    }
    match known.iter().filter(|&&a| a <= own).max() {
        Some(older) => format!("compute_{older}"),
        None => format!("sm_{own}"),
    }
}

/// One source to compile.
#[derive(Clone, Debug)]
pub struct Job {
    /// The source by its name, and with all that it includes.
    file: &'static str,
    text: String,
    /// All that the compiler is told.
    options: Vec<String>,
}

/// Compiled kernels of one text.
pub struct Compiled {
    /// Machine code, or intermediate code ended by a zero.
    pub code: Vec<u8>,
    /// The name under which the cache keeps them.
    pub key: String,
    /// True when they came from the cache.
    pub kept: bool,
}

impl Job {
    /// `file` with `options`, for an architecture as `sm_90` or `compute_80`.
    ///
    /// # Errors
    /// When it includes a file that does not exist.
    pub fn new(file: &'static str, mut options: Vec<String>, architecture: &str) -> Result<Self, CudaError> {
        let missing = |name| CudaError::Compile { file, log: format!("there is no source {name}") };
        let text = source::joined(file).map_err(missing)?;
        options.push(format!("--gpu-architecture={architecture}"));
        Ok(Self { file, text, options })
    }

    /// The name of what `compiler` makes of it: nothing that bears on the code is left out.
    pub fn key(&self, compiler: Version) -> String {
        let compiler = compiler.to_string();
        let named = [&self.text, &compiler].into_iter().chain(&self.options);
        source::hash(named.map(|part| part.as_bytes()))
    }

    /// Machine code, or intermediate code ended by a zero.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn compile(&self) -> Result<Vec<u8>, CudaError> {
        let machine = self.options.iter().any(|option| option.starts_with("--gpu-architecture=sm_"));
        translate(self.file, &self.text, &self.options, machine)
            .map_err(|log| CudaError::Compile { file: self.file, log })
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = self.options.iter().filter(|option| option.starts_with("-D") || option.contains('='));
        write!(f, "{}", self.file)?;
        told.filter(|option| !option.starts_with("-std")).try_for_each(|option| write!(f, " {option}"))
    }
}

/// Compiles `file` with `options` for a GPU, or takes what the cache kept for the same source, options, GPU and
/// compiler.
///
/// # Errors
/// When there is no compiler, or it refuses the text.
pub fn compile(
    file: &'static str,
    options: Vec<String>,
    capability: Version,
    cache: &Cache,
) -> Result<Compiled, CudaError> {
    let compiler = version().ok_or(CudaError::NoCompiler)?;
    let job = Job::new(file, options, &target(capability, &architectures()))?;
    let key = job.key(compiler);
    if let Some(code) = cache.get(&key) {
        return Ok(Compiled { code, key, kept: true });
    }
    let code = job.compile()?;
    // Without a place to keep it, the next start compiles again.
    let _ = cache.put(&key, &code);
    Ok(Compiled { code, key, kept: false })
}

/// Text to code; an error is what the compiler says.
fn translate(name: &str, text: &str, options: &[String], machine: bool) -> Result<Vec<u8>, String> {
    let [name, text] = [name, text].map(CString::new);
    let (name, text) = (name.map_err(|e| e.to_string())?, text.map_err(|e| e.to_string())?);
    let program = result::create_program(&text, Some(&name)).map_err(|e| format!("{:?}", e.0))?;
    // SAFETY: the program was just created, and text and name live on.
    let compiled = unsafe { result::compile_program(program, options) };
    let code = match compiled {
        Ok(()) => code(program, machine),
        Err(e) => {
            // SAFETY: as above.
            let log = unsafe { result::get_program_log(program) };
            Err(format!("{:?}\n{}", e.0, log.map(|log| text_of(&log)).unwrap_or_default()))
        }
    };
    // SAFETY: it is used no more. Should this fail, some memory is lost, and nothing else.
    let _ = unsafe { result::destroy_program(program) };
    code
}

/// The log without the zero at its end.
fn text_of(log: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = log.iter().map(|&c| c as u8).collect();
    CStr::from_bytes_until_nul(&bytes)
        .map_or_else(|_| String::new(), |t| t.to_string_lossy().trim_end().to_owned())
}

/// What a compiled program holds.
fn code(program: sys::nvrtcProgram, machine: bool) -> Result<Vec<u8>, String> {
    let failed = |e: result::NvrtcError| format!("{:?}", e.0);
    if !machine {
        // SAFETY: the program was compiled.
        let ptx = unsafe { result::get_ptx(program) }.map_err(failed)?;
        return Ok(ptx.into_iter().map(|c| c as u8).collect());
    }
    let mut size = 0;
    // SAFETY: the program was compiled, the pointer is to a live number.
    unsafe { sys::nvrtcGetCUBINSize(program, &mut size) }.result().map_err(failed)?;
    let mut cubin = vec![0_u8; size];
    // SAFETY: the buffer is as long as the compiler said.
    unsafe { sys::nvrtcGetCUBIN(program, cubin.as_mut_ptr().cast()) }.result().map_err(failed)?;
    Ok(cubin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::compile::{ahead, variant::Variant};

    #[test]
    fn a_gpu_that_the_compiler_does_not_know_gets_intermediate_code() {
        let known = [75, 80, 86, 90, 100, 120];
        let of = |major, minor| target(Version { major, minor }, &known);
        assert_eq!(of(9, 0), "sm_90");
        assert_eq!(of(10, 0), "sm_100");
        assert_eq!(of(8, 9), "compute_86");
        assert_eq!(of(13, 1), "compute_120");
        assert_eq!(target(Version { major: 9, minor: 0 }, &[]), "sm_90");
    }

    #[test]
    fn the_compiler_names_the_line_of_an_error() {
        if ahead::tests::nvrtc_is_missing() {
            return;
        }
        // Options of variants are known to it.
        for variant in ["approximate,dense", "strict,direct"] {
            let (file, variant) = ("common/surface/surface.cu", variant.parse().unwrap());
            let options = source::options(file, 3, source::smoothing(file)[0], variant);
            assert!(Job::new(file, options, "sm_90").unwrap().compile().is_ok(), "{variant}");
        }
        let options = source::options("common/numerics/reduce.cu", 2, None, Variant::default());
        let error = translate("bad.cu", "#line 7 \"there.cuh\"\nint a = b;", &options, true).unwrap_err();
        assert!(error.contains("there.cuh(7): error: identifier \"b\" is undefined"), "{error}");
    }
}
