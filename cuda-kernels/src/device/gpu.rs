//! Which GPUs there are, or precisely why none can be used (feature `cuda`). Nothing here panics, whatever is installed.

use crate::device::{
    compile::{
        ahead::{self, Carried},
        nvrtc,
    },
    driver,
    error::{Unavailable, Version},
};
use std::fmt;

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Its number, from 0.
    pub ordinal: usize,
    /// Its name.
    pub name: String,
    /// Its memory, `[B]`.
    pub total_memory: usize,
    /// Free memory, `[B]`; or why the GPU does not say, as when another process holds it alone.
    pub free_memory: Result<usize, Unavailable>,
    /// Its compute capability.
    pub compute_capability: Version,
}

/// The driver, the compiler of kernels, and the GPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The CUDA version that the driver serves.
    pub driver: Version,
    /// The compiler of kernels (NVRTC), if it is here.
    pub compiler: Option<Version>,
    /// Architectures of the kernels, as `sm_90`, that the folder of `SPH_KERNEL_AHEAD` holds in the width of this build.
    pub ahead: Vec<String>,
    /// The GPUs, at least one.
    pub gpus: Vec<Gpu>,
}

/// Looks for driver, compiler and GPUs.
///
/// # Errors
/// Why no GPU can be used.
pub fn probe() -> Result<Machine, Unavailable> {
    let (driver, n) = driver::start()?;
    let gpus = (0..n).map(find).collect::<Result<_, _>>()?;
    // A folder that cannot be used is an error when a GPU is opened.
    let carried = Carried::of_environment().ok().flatten();
    let ahead = carried.map_or_else(Vec::new, |carried| carried.architectures);
    Ok(Machine { driver, compiler: nvrtc::version(), ahead, gpus })
}

/// The GPUs.
///
/// # Errors
/// Why no GPU can be used.
pub fn devices() -> Result<Vec<Gpu>, Unavailable> {
    probe().map(|machine| machine.gpus)
}

/// One GPU.
pub(crate) fn find(ordinal: usize) -> Result<Gpu, Unavailable> {
    let gpu = driver::handle(ordinal)?;
    Ok(Gpu {
        ordinal,
        name: driver::name(gpu)?,
        total_memory: driver::total_memory(gpu)?,
        free_memory: driver::free_memory(gpu),
        compute_capability: driver::compute_capability(gpu)?,
    })
}

impl Machine {
    /// True when kernels can be had for a GPU: compiled here, or ahead.
    pub fn has_kernels(&self, ordinal: usize) -> bool {
        let ahead = |gpu: &Gpu| ahead::serves(&self.ahead, gpu.compute_capability);
        self.compiler.is_some() || self.gpus.get(ordinal).is_some_and(ahead)
    }
}

impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gib = |bytes: usize| bytes as f64 / f64::from(1 << 30);
        write!(f, "cuda:{} {}, {:.1} GiB", self.ordinal, self.name, gib(self.total_memory))?;
        match &self.free_memory {
            Ok(free) => write!(f, " ({:.1} GiB free)", gib(*free))?,
            Err(e) => write!(f, " (free memory unknown: {e})")?,
        }
        write!(f, ", compute capability {}", self.compute_capability)
    }
}

impl fmt::Display for Machine {
    /// One line for the driver and the compiler, one a GPU.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CUDA driver {}, ", self.driver)?;
        match self.compiler {
            Some(version) => write!(f, "compiler NVRTC {version}")?,
            None => write!(f, "no compiler: NVRTC (libnvrtc.so) not found")?,
        }
        if !self.ahead.is_empty() {
            write!(f, "; kernels compiled ahead for {}", self.ahead.join(", "))?;
        }
        self.gpus.iter().try_for_each(|gpu| write!(f, "\n{gpu}"))
    }
}
