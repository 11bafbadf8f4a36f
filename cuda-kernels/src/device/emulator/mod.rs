//! Runs kernels on the processor, from the same source and through the same launchers as a GPU (feature `host`).
//!
//! Every thread of a block is a fiber, every block one thread of the system, so barriers, shuffles and atomics have
//! their meaning. What it finds: wrong results, barriers that never complete, arguments of another size, and, as a
//! sample of the orders in which threads may run, races.

use crate::device::{
    compile::variant::{Variant, Walk},
    counts::{STAGED, count},
    error::CudaError,
    executor::{Argument, Bytes, Executor, Launch, Memory},
};
use rayon::prelude::*;
use std::{
    alloc::{self, Layout},
    ffi::{CStr, c_char, c_void},
    ptr,
};

pub mod formulas;
pub mod names;
mod values;

/// Entry of a kernel: grid, block, shared bytes, arguments, their sizes and number, first and last block, order, and
/// capacity of the buffer for a message.
type HostKernel = unsafe extern "C" fn(
    *const u32,
    *const u32,
    u32,
    *const *mut c_void,
    *const usize,
    usize,
    u64,
    u64,
    u64,
    *mut c_char,
    usize,
) -> i32;

/// A kernel that was built.
struct Built {
    name: &'static str,
    /// The smoothing kernels that it may use.
    smoothing: &'static [&'static str],
    /// The walk, if it is not the default.
    walk: Option<&'static str>,
    /// The names of its parameters.
    parameters: &'static [&'static str],
    /// In 2D and 3D.
    entries: [HostKernel; 2],
}

include!(concat!(env!("OUT_DIR"), "/host_kernels.rs"));

/// The processor in the place of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Emulator {
    /// The order of threads and blocks: 0 ascending, 1 descending, other numbers shuffle the threads of a block.
    pub order: u64,
    /// The variant of the kernels. The compiler here fuses nothing, whatever it says.
    pub variant: Variant,
}

impl Built {
    /// True where its file lists this smoothing kernel, or none.
    fn takes(&self, smoothing: Option<&str>) -> bool {
        smoothing.map_or(self.smoothing.is_empty(), |kernel| self.smoothing.contains(&kernel))
    }
}

/// Names of all kernels that were built with the default walk, each with the smoothing kernels that it may use.
pub fn kernels() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    KERNELS.iter().filter(|built| built.walk.is_none()).map(|built| (built.name, built.smoothing))
}

/// The entry of a kernel, or why there is none, or why the arguments are not its own.
fn entry(launch: &Launch, walk: Walk, arguments: &[Argument]) -> Result<HostKernel, CudaError> {
    let (kernel, smoothing, walk) = (launch.kernel.name, launch.smoothing, walk.macro_of(launch.kernel.file));
    let refused = |reason| CudaError::Launch { kernel, reason };
    let found =
        KERNELS.iter().find(|built| (built.name, built.walk) == (kernel, walk) && built.takes(smoothing));
    let entry = found.and_then(|built| {
        built.entries.get(launch.dim.wrapping_sub(2)).map(|entry| (built.parameters, *entry))
    });
    let Some((parameters, entry)) = entry else {
        let with: Vec<_> = smoothing.into_iter().chain(walk).collect();
        let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(" and ")) };
        return Err(refused(format!("it was not built{with}")));
    };
    match parameters.iter().zip(arguments).find(|(parameter, argument)| !argument.stands_for(parameter)) {
        None => Ok(entry),
        Some((parameter, argument)) => {
            Err(refused(format!("`{}` was passed for its parameter `{parameter}`", argument.name)))
        }
    }
}

/// Memory of the host, as long as was asked for and no longer: sanitizers see what a kernel does behind it.
#[derive(Debug)]
struct Block {
    address: *mut u8,
    layout: Layout,
}

// SAFETY: the block is owned; who reads or writes it has borrowed the field that holds it.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Zeros, where every plain type may begin.
    fn new(bytes: usize) -> Result<Self, CudaError> {
        let refused = |reason: &str| CudaError::OutOfMemory { bytes, reason: reason.to_owned() };
        let layout = Layout::from_size_align(bytes, 16).map_err(|_| refused("no such size"))?;
        let address = if bytes == 0 {
            // Never read.
            ptr::without_provenance_mut(layout.align())
        } else {
            // SAFETY: of some bytes.
            unsafe { alloc::alloc_zeroed(layout) }
        };
        if address.is_null() { Err(refused("the host has no more")) } else { Ok(Self { address, layout }) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.layout.size() > 0 {
            // SAFETY: it was made so.
            unsafe { alloc::dealloc(self.address, self.layout) };
        }
    }
}

impl Memory for Block {
    fn address(&self) -> u64 {
        self.address as u64
    }

    fn is_of_host(&self) -> bool {
        true
    }
}

/// Values and sizes of the arguments, for all threads.
struct Shared<'a>(&'a [*mut c_void], &'a [usize]);

// SAFETY: kernels read the arguments; what these point at is the caller's promise.
unsafe impl Sync for Shared<'_> {}

/// Fewer blocks take less time than to wake another thread for them.
const FEW: u64 = 8;

impl Default for Emulator {
    fn default() -> Self {
        Self::in_order(0)
    }
}

impl Emulator {
    /// Its variant, in this order of threads and blocks.
    pub const fn in_order(order: u64) -> Self {
        Self { order, variant: Variant { strict: false, approximate: false, walk: Walk::Direct } }
    }

    /// Runs blocks `first..last`.
    ///
    /// # Safety
    /// As of [`Executor::launch`].
    unsafe fn run(
        self,
        entry: HostKernel,
        launch: &Launch,
        arguments: &Shared<'_>,
        first: u64,
        last: u64,
    ) -> Result<(), CudaError> {
        let (grid, block) = ([launch.blocks, 1, 1], [launch.threads, 1, 1]);
        let mut message = [0 as c_char; 256];
        let Shared(values, sizes) = arguments;
        // SAFETY: by the caller's promise; the entry checks number and sizes of the arguments itself.
        let failed = unsafe {
            entry(
                grid.as_ptr(),
                block.as_ptr(),
                0,
                values.as_ptr(),
                sizes.as_ptr(),
                sizes.len(),
                first,
                last,
                self.order,
                message.as_mut_ptr(),
                message.len(),
            )
        };
        if failed == 0 {
            return Ok(());
        }
        // SAFETY: the entry ends its message with a zero.
        let reason = unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy().into_owned();
        Err(CudaError::Launch { kernel: launch.kernel.name, reason })
    }
}

impl Executor for Emulator {
    fn variant(&self) -> Variant {
        self.variant
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, CudaError> {
        Ok(Box::new(Block::new(bytes)?))
    }

    /// Counts a copy to the device as a GPU would have it.
    unsafe fn copy_in(&self, from: &Bytes, to: u64) -> Result<(), CudaError> {
        count::upload();
        if from.len() > STAGED {
            count::wait();
        }
        // SAFETY: by the caller's promise.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), to as *mut _, from.len()) };
        Ok(())
    }

    unsafe fn copy_out(&self, from: u64, to: &mut Bytes) -> Result<(), CudaError> {
        count::read();
        count::wait();
        // SAFETY: by the caller's promise.
        unsafe { ptr::copy_nonoverlapping(from as *const _, to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    unsafe fn set_zero(&self, address: u64, bytes: usize) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        unsafe { ptr::write_bytes(address as *mut u8, 0, bytes) };
        Ok(())
    }

    unsafe fn launch(&self, launch: Launch, arguments: &[Argument]) -> Result<(), CudaError> {
        let entry = entry(&launch, self.variant.walk, arguments)?;
        if launch.blocks == 0 {
            return Ok(());
        }
        count::launch();
        let values: Vec<_> = arguments.iter().map(|a| a.value).collect();
        let sizes: Vec<_> = arguments.iter().map(|a| a.size).collect();
        let shared = Shared(&values, &sizes);
        let blocks = u64::from(launch.blocks);
        let chunk = (blocks / (4 * rayon::current_num_threads() as u64)).max(1);
        let n = blocks.div_ceil(chunk);
        let run = |k: u64| {
            let k = if self.order == 1 { n - 1 - k } else { k };
            // SAFETY: by the caller's promise.
            unsafe { self.run(entry, &launch, &shared, k * chunk, ((k + 1) * chunk).min(blocks)) }
        };
        if n < FEW { (0..n).try_for_each(run) } else { (0..n).into_par_iter().try_for_each(run) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        common::numerics::fields::{self, Packed},
        device::counts,
    };
    use sph_core::Real;

    #[test]
    fn calls_are_counted_as_a_gpu_would_have_them() {
        // No other test of this process runs kernels.
        let (executor, before): (&dyn Executor, _) = (&Emulator::default(), counts::now());
        let mut x = [executor.upload(&[1.0, 2.0]).unwrap(), executor.upload(&[3.0, 4.0]).unwrap()];
        let mut records = executor.zeros::<Packed>(2).unwrap();
        fields::pack_positions(executor, &x, 2, &mut records).unwrap();
        fields::pack_positions(executor, &x, 0, &mut records).unwrap();
        executor.write::<Real>(&[], &mut x[0]).unwrap();
        executor.write(&[5.0 as Real], &mut x[0]).unwrap();
        executor.download(&records).unwrap();
        executor.read(&x[0], &mut [0.0 as Real]).unwrap();
        executor.upload(&vec![0_u64; STAGED / 8 + 1]).unwrap();
        let expected = counts::Counts { launches: 1, uploads: 4, reads: 2, waits: 3 };
        assert_eq!(counts::now() - before, expected);
    }
}
