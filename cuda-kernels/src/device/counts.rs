//! How often this process starts kernels, copies and waits: on a GPU and on the emulator alike, so that what a step costs
//! in calls is known before there is a GPU.

use std::{
    ops::Sub,
    sync::atomic::{AtomicU64, Ordering},
};

/// Calls of all executors of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Kernels started, without those of no block `[-]`.
    pub launches: u64,
    /// Copies to the device `[-]`.
    pub uploads: u64,
    /// Copies to the host `[-]`.
    pub reads: u64,
    /// Times that the host waits for the device: at each copy to the host, at each copy to the device that is too long to
    /// be staged ([`STAGED`]), and where a caller synchronizes `[-]`.
    pub waits: u64,
}

/// Longest copy to the device that the host does not wait for, `[B]`.
pub const STAGED: usize = 64 << 10;

static LAUNCHES: AtomicU64 = AtomicU64::new(0);
static UPLOADS: AtomicU64 = AtomicU64::new(0);
static READS: AtomicU64 = AtomicU64::new(0);
static WAITS: AtomicU64 = AtomicU64::new(0);

/// The counts since the process started.
pub fn now() -> Counts {
    let [launches, uploads, reads, waits] =
        [&LAUNCHES, &UPLOADS, &READS, &WAITS].map(|count| count.load(Ordering::Relaxed));
    Counts { launches, uploads, reads, waits }
}

impl Sub for Counts {
    type Output = Self;

    /// Calls between `earlier` and these counts.
    fn sub(self, earlier: Self) -> Self {
        Self {
            launches: self.launches - earlier.launches,
            uploads: self.uploads - earlier.uploads,
            reads: self.reads - earlier.reads,
            waits: self.waits - earlier.waits,
        }
    }
}

#[cfg(any(feature = "cuda", feature = "host"))]
pub(crate) mod count {
    use super::{AtomicU64, LAUNCHES, Ordering, READS, UPLOADS, WAITS};

    fn bump(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub fn launch() {
        bump(&LAUNCHES);
    }

    pub fn upload() {
        bump(&UPLOADS);
    }

    pub fn read() {
        bump(&READS);
    }

    pub fn wait() {
        bump(&WAITS);
    }
}

/// What the launches of a kernel took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelTime {
    /// The kernel.
    pub kernel: &'static str,
    /// Launches `[-]`.
    pub launches: u64,
    /// Their time on the GPU, without what lies between them, `[s]`.
    pub seconds: f64,
}
