//! Where steps run: on the processor, or on a GPU.

use crate::system::{machine, ranks::Ranks};
#[cfg(any(feature = "cuda", feature = "host"))]
use cuda_kernels::device::compile::variant::Variant;
#[cfg(feature = "host")]
use cuda_kernels::device::emulator::Emulator;
#[cfg(feature = "cuda")]
use cuda_kernels::device::{backend::Device, gpu};
use cuda_kernels::device::{compile::variant::UnknownVariant, counts::KernelTime, error::CudaError};
use sph_core::numerics::lane::Isa;
#[cfg(any(feature = "cuda", feature = "host"))]
use std::sync::Arc;
use std::{fmt, str::FromStr};

/// Name of the processor among backends, in options and results.
pub const CPU: &str = "cpu";

/// A backend as an option names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// `cpu`: the processor.
    #[default]
    Cpu,
    /// `cuda` or `cuda:1`: the GPU of this number, and no other.
    Cuda(usize),
    /// `auto`: the first GPU, else the processor.
    Auto,
    /// `emulator`: the kernels of a GPU, executed on the processor.
    Emulator,
}

/// A name that is no backend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no backend: use {names}", names = NAMES)]
pub struct UnknownBackend(pub String);

/// What an option may say, for its error.
const NAMES: &str =
    if cfg!(feature = "host") { "cpu, cuda, cuda:N, auto or emulator" } else { "cpu, cuda, cuda:N or auto" };

impl FromStr for Choice {
    type Err = UnknownBackend;

    fn from_str(text: &str) -> Result<Self, UnknownBackend> {
        let unknown = || UnknownBackend(text.to_owned());
        match text {
            CPU => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            "auto" => Ok(Self::Auto),
            "emulator" if cfg!(feature = "host") => Ok(Self::Emulator),
            _ => {
                let number = text.strip_prefix("cuda:").filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
                number.and_then(|n| n.parse().ok()).map(Self::Cuda).ok_or_else(unknown)
            }
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str(CPU),
            Self::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
            Self::Auto => f.write_str("auto"),
            Self::Emulator => f.write_str("emulator"),
        }
    }
}

/// Why a backend that was asked for cannot be had.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoBackend {
    /// No GPU that could run it.
    #[error("--backend {choice}: {reason}")]
    Gpu {
        /// What was asked for.
        choice: Choice,
        /// Why not.
        reason: CudaError,
    },
    /// The environment names an unknown order of threads.
    #[error("SPH_EMULATOR_ORDER: {0:?} is not an order of threads: use a number, 0 for ascending")]
    Order(String),
    /// The environment names an unknown variant of the kernels.
    #[error("SPH_CUDA_VARIANT: {0}")]
    Variant(#[from] UnknownVariant),
    /// It is not in this program.
    #[error("--backend {choice}: this program was built without the feature `{feature}`")]
    NotBuilt {
        /// What was asked for.
        choice: Choice,
        /// What is missing.
        feature: &'static str,
    },
}

/// Why a copy or a kernel could not be timed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoTiming {
    /// The backend is no GPU.
    #[error("--backend {0}: copies and kernels are timed on a GPU; use cuda or cuda:N")]
    NoGpu(String),
    /// The GPU failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

/// A backend that is ready for steps.
#[derive(Clone, Debug, Default)]
pub enum Backend {
    /// The processor.
    #[default]
    Cpu,
    /// A GPU.
    #[cfg(feature = "cuda")]
    Cuda(Arc<Device>),
    /// The kernels of a GPU, executed on the processor.
    #[cfg(feature = "host")]
    Emulator(Arc<Emulator>),
}

/// How steps run: the instruction set of what the processor does, and the backend.
#[derive(Clone, Debug)]
pub struct Processor {
    /// Instruction set.
    pub isa: Isa,
    /// Where steps run.
    pub backend: Backend,
    /// What the choice of the backend came to, where the program chose.
    pub note: Option<String>,
    /// Among whom particles are shared out; on the CPU alone.
    pub ranks: Ranks,
}

impl Default for Processor {
    /// The processor with its best instruction set.
    fn default() -> Self {
        Self::from(Isa::best())
    }
}

impl From<Isa> for Processor {
    fn from(isa: Isa) -> Self {
        Self { isa, backend: Backend::Cpu, note: None, ranks: Ranks::default() }
    }
}

impl Processor {
    /// Opens a backend. Only `auto` may come to another one than it names, and says so in its note.
    ///
    /// # Errors
    /// Why the backend cannot be had.
    pub fn open(choice: Choice, isa: Isa) -> Result<Self, NoBackend> {
        let of = |backend| Self { backend, ..Self::from(isa) };
        match choice {
            Choice::Cpu => Ok(of(Backend::Cpu)),
            Choice::Cuda(ordinal) => device(choice, ordinal).map(of),
            Choice::Emulator => emulator().map(of),
            Choice::Auto => Ok(match device(choice, 0) {
                Ok(found) => {
                    let note = format!("backend auto: {}, the first GPU", found.name());
                    Self { note: Some(note), ..of(found) }
                }
                Err(error) => {
                    let why = match error {
                        NoBackend::Gpu { reason, .. } => reason.to_string(),
                        NoBackend::Variant(_) | NoBackend::Order(_) => return Err(error),
                        NoBackend::NotBuilt { feature, .. } => {
                            format!("this program was built without the feature `{feature}`")
                        }
                    };
                    Self {
                        note: Some(format!("backend auto: cpu, without a GPU: {why}")),
                        ..of(Backend::Cpu)
                    }
                }
            }),
        }
    }

    /// Name of the backend, and the number of ranks where there are more than one, as results carry it.
    pub fn name(&self) -> String {
        match self.ranks.count() {
            1 => self.backend.name(),
            ranks => format!("{}, {ranks} ranks", self.backend.name()),
        }
    }
}

impl Backend {
    /// Its name: `cpu`, `emulator`, or number and name of the GPU.
    pub fn name(&self) -> String {
        match self {
            Self::Cpu => CPU.into(),
            #[cfg(feature = "cuda")]
            Self::Cuda(device) => format!("cuda:{} {}", device.gpu().ordinal, device.gpu().name),
            #[cfg(feature = "host")]
            Self::Emulator(_) => "emulator".into(),
        }
    }

    /// Memory that a run may take there, where the system tells, `[B]`.
    ///
    /// # Errors
    /// When a GPU does not say.
    pub fn free_memory(&self) -> Result<Option<u64>, CudaError> {
        match self {
            #[cfg(feature = "cuda")]
            Self::Cuda(device) => device.free_memory().map(|free| Some(free as u64)),
            _ => Ok(machine::free_memory_bytes()),
        }
    }

    /// Mean time of a copy of so many bytes within the memory of a GPU, `[s]`.
    ///
    /// # Errors
    /// When there is no GPU, or it has no memory for two such buffers.
    pub fn time_copy(&self, bytes: usize, copies: u32) -> Result<f64, NoTiming> {
        match self {
            #[cfg(feature = "cuda")]
            Self::Cuda(device) => Ok(device.time_copy(bytes, copies)?),
            _ => {
                let _ = (bytes, copies);
                Err(NoTiming::NoGpu(self.name()))
            }
        }
    }

    /// Free memory of a GPU now, `[B]`; nothing where steps run elsewhere.
    ///
    /// # Errors
    /// When the GPU does not say.
    pub fn gpu_memory(&self) -> Result<Option<u64>, CudaError> {
        match self {
            #[cfg(feature = "cuda")]
            Self::Cuda(_) => self.free_memory(),
            _ => Ok(None),
        }
    }

    /// Times each kernel by events from now on.
    ///
    /// # Errors
    /// When the backend is no GPU, or has no events.
    pub fn start_profile(&self) -> Result<(), NoTiming> {
        match self {
            #[cfg(feature = "cuda")]
            Self::Cuda(device) => {
                device.start_profile();
                Ok(())
            }
            _ => Err(NoTiming::NoGpu(self.name())),
        }
    }

    /// Times of the kernels since [`Backend::start_profile`].
    ///
    /// # Errors
    /// When the backend is no GPU, or a kernel failed.
    pub fn take_profile(&self) -> Result<Vec<KernelTime>, NoTiming> {
        match self {
            #[cfg(feature = "cuda")]
            Self::Cuda(device) => Ok(device.take_profile()?),
            _ => Err(NoTiming::NoGpu(self.name())),
        }
    }

    /// What its memory is called in a refusal.
    pub fn memory_name(&self) -> String {
        match self {
            #[cfg(feature = "cuda")]
            Self::Cuda(_) => format!("memory of {}", self.name()),
            _ => "memory".into(),
        }
    }

    /// True for the processor.
    pub fn is_cpu(&self) -> bool {
        matches!(self, Self::Cpu)
    }
}

/// The variant of the kernels that the environment asks for, if it does.
#[cfg(any(feature = "cuda", feature = "host"))]
fn variant() -> Result<Option<Variant>, NoBackend> {
    Ok(std::env::var("SPH_CUDA_VARIANT").ok().map(|words| words.parse()).transpose()?)
}

#[cfg(feature = "cuda")]
fn device(choice: Choice, ordinal: usize) -> Result<Backend, NoBackend> {
    let variant = variant()?.unwrap_or_default();
    let open = || {
        let machine = gpu::probe()?;
        if ordinal < machine.gpus.len() && !machine.has_kernels(ordinal) {
            // Steps would fail, and only after the scene is set up.
            return Err(CudaError::NoCompiler);
        }
        Device::open(ordinal, variant)
    };
    match open() {
        Ok(device) => Ok(Backend::Cuda(Arc::new(device))),
        Err(reason) => Err(NoBackend::Gpu { choice, reason }),
    }
}

#[cfg(not(feature = "cuda"))]
fn device(choice: Choice, _ordinal: usize) -> Result<Backend, NoBackend> {
    Err(NoBackend::NotBuilt { choice, feature: "cuda" })
}

#[cfg(feature = "host")]
fn emulator() -> Result<Backend, NoBackend> {
    // For a rehearsal, which compares two orders.
    let order = match std::env::var("SPH_EMULATOR_ORDER") {
        Ok(text) => text.parse().map_err(|_| NoBackend::Order(text))?,
        Err(_) => 0,
    };
    let variant = variant()?.unwrap_or(Emulator::default().variant);
    Ok(Backend::Emulator(Arc::new(Emulator { variant, order })))
}

#[cfg(not(feature = "host"))]
fn emulator() -> Result<Backend, NoBackend> {
    Err(NoBackend::NotBuilt { choice: Choice::Emulator, feature: "host" })
}
