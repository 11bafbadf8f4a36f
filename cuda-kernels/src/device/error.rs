//! Why a GPU cannot be used, and what failed on one.

use sph_core::{
    method::{
        failure::{Cause, StepError},
        state::State,
    },
    neighbors::TooManyCells,
};
use std::{fmt, num::ParseIntError, path::PathBuf, str::FromStr};

/// A version as `13.0`, of driver or compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

impl Version {
    /// The version that a driver calls `1000 major + 10 minor`.
    pub fn from_driver(number: i32) -> Self {
        let number = number.max(0) as u32;
        Self { major: number / 1000, minor: number % 1000 / 10 }
    }

    /// The number of a compute capability in the name of an architecture: 90 of 9.0.
    pub fn architecture(self) -> u32 {
        10 * self.major + self.minor
    }
}

impl FromStr for Version {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
        Ok(Self { major: major.parse()?, minor: minor.parse()? })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Why no GPU can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// There is no driver library.
    #[error("no CUDA driver library (libcuda.so) found: no NVIDIA driver is installed here")]
    NoDriverLibrary,
    /// A library of this name lacks the functions of one.
    #[error(
        "the CUDA driver library has no function {function}: it is broken, or older than any that could serve"
    )]
    BrokenDriverLibrary {
        /// What is missing.
        function: &'static str,
    },
    /// The library is the one that a toolkit links against, not that of a driver.
    #[error("the CUDA driver library is a stub of a toolkit, not that of a driver; see LD_LIBRARY_PATH")]
    StubLibrary,
    /// The driver is older than the code needs.
    #[error("the CUDA driver serves CUDA {found}, {needed} or later is needed")]
    DriverTooOld {
        /// What the driver serves.
        found: Version,
        /// What is needed.
        needed: Version,
    },
    /// The driver runs and finds no GPU.
    #[error("the CUDA driver ({driver}) sees no GPU")]
    NoGpu {
        /// What the driver serves.
        driver: Version,
    },
    /// No GPU of this number.
    #[error("there is no GPU {ordinal}: the driver sees {gpus}")]
    NoSuchGpu {
        /// What was asked for.
        ordinal: usize,
        /// Number of GPUs.
        gpus: usize,
    },
    /// The driver refuses for another reason.
    #[error("the CUDA driver fails in {call}: {reason}")]
    Driver {
        /// The call that failed.
        call: &'static str,
        /// The driver's name of the error.
        reason: String,
    },
}

/// What failed while kernels were prepared or run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CudaError {
    /// No GPU can be used.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// No memory left.
    #[error("no memory for {bytes} bytes on the GPU: {reason}")]
    OutOfMemory {
        /// What was asked for.
        bytes: usize,
        /// The driver's name of the error.
        reason: String,
    },
    /// A kernel could not be started, or failed while each launch is waited for.
    #[error("kernel {kernel} failed: {reason}")]
    Launch {
        /// The kernel.
        kernel: &'static str,
        /// The driver's name of the error, or what the shim found.
        reason: String,
    },
    /// A copy failed, or a kernel that was started before it.
    #[error("{copy} of {bytes} bytes failed after kernel {after}: {reason}")]
    Copy {
        /// Which way.
        copy: &'static str,
        /// How much.
        bytes: usize,
        /// The last kernel that was started, if any: the fault may be its own.
        after: &'static str,
        /// The driver's name of the error.
        reason: String,
    },
    /// The compiler of kernels is missing, and no kernels were compiled ahead for the GPU.
    #[error(
        "kernels cannot be compiled: no NVRTC library (libnvrtc.so) found, and SPH_KERNEL_AHEAD names no folder with \
         kernels for this GPU"
    )]
    NoCompiler,
    /// A folder of kernels compiled ahead cannot be written or read.
    #[error("kernels compiled ahead in {}: {reason}", folder.display())]
    Ahead {
        /// The folder.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The source of a kernel was refused.
    #[error("{file} does not compile: {log}")]
    Compile {
        /// The text.
        file: &'static str,
        /// What the compiler says.
        log: String,
    },
    /// Compiled kernels were refused.
    #[error("{file} was compiled but cannot be loaded: {reason}")]
    Load {
        /// The text.
        file: &'static str,
        /// The driver's name of the error.
        reason: String,
    },
    /// A field is shorter than the launch needs.
    #[error("kernel {kernel} needs {needed} items of {field}, which has {len}")]
    TooShort {
        /// The kernel.
        kernel: &'static str,
        /// The field.
        field: &'static str,
        /// Items that it has.
        len: usize,
        /// Items that are needed.
        needed: usize,
    },
    /// More particles than a kernel can number.
    #[error("{n} particles; kernels can number {most}")]
    TooMany {
        /// How many.
        n: usize,
        /// Most that is allowed.
        most: usize,
    },
    /// A periodic axis holds less than three cells.
    #[error(
        "a periodic axis of {length} m is too short for a search radius of {radius} m: it must hold three cells"
    )]
    PeriodTooShort {
        /// The axis, `[m]`.
        length: f64,
        /// Search radius, `[m]`.
        radius: f64,
    },
    /// The dense grid would be too large.
    #[error(transparent)]
    TooManyCells(#[from] TooManyCells),
}

impl CudaError {
    /// The failure of a GPU in a phase of the step that `state` is in.
    pub fn in_phase<const D: usize>(self, state: &State<D>, phase: &'static str) -> StepError {
        let cause = match self {
            Self::TooManyCells(error) => Cause::Neighbors(error),
            error => Cause::Device(error.to_string()),
        };
        StepError::new(state, phase, None, cause)
    }
}
