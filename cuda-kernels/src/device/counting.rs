//! An executor that only counts: what a run would hold on a GPU, from numbers alone and before anything is made.

use crate::device::{
    compile::variant::Variant,
    error::CudaError,
    executor::{Argument, Bytes, Executor, Launch, Memory},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Counts the memory of fields, starts no kernel, and has zeros where a run reads.
#[derive(Debug, Default)]
pub struct Counting {
    /// The variant of the kernels that would run.
    variant: Variant,
    /// Bytes that are held now.
    held: Arc<AtomicUsize>,
    /// The most that were held at once.
    peak: AtomicUsize,
}

impl Counting {
    /// Of a run with this variant of the kernels.
    pub fn new(variant: Variant) -> Self {
        Self { variant, ..Self::default() }
    }

    /// What all fields hold now, `[B]`.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// The most that they held at once, `[B]`.
    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    /// What the fields of `part` have held, which are no more, `[B]`.
    pub fn weigh<T>(&self, part: T) -> usize {
        let before = self.held();
        drop(part);
        before - self.held()
    }
}

/// Memory that is only counted.
#[derive(Debug)]
struct Counted {
    bytes: usize,
    held: Arc<AtomicUsize>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Memory for Counted {
    /// An address where every type could lie, at which nothing is read.
    fn address(&self) -> u64 {
        256
    }
}

impl Executor for Counting {
    fn variant(&self) -> Variant {
        self.variant
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, CudaError> {
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(held, Ordering::Relaxed);
        Ok(Box::new(Counted { bytes, held: Arc::clone(&self.held) }))
    }

    unsafe fn copy_in(&self, _: &Bytes, _: u64) -> Result<(), CudaError> {
        Ok(())
    }

    unsafe fn copy_out(&self, _: u64, to: &mut Bytes) -> Result<(), CudaError> {
        to.fill(std::mem::MaybeUninit::new(0));
        Ok(())
    }

    unsafe fn set_zero(&self, _: u64, _: usize) -> Result<(), CudaError> {
        Ok(())
    }

    unsafe fn launch(&self, _: Launch, _: &[Argument]) -> Result<(), CudaError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_counted_until_it_is_dropped() {
        let counting = Counting::default();
        let executor: &dyn Executor = &counting;
        let small = executor.zeros::<u16>(3).unwrap();
        let mut large = executor.upload(&[1_u64; 5]).unwrap();
        assert_eq!([counting.held(), counting.peak()], [46, 46]);
        executor.write(&[2], &mut large).unwrap();
        assert_eq!(executor.download(&large).unwrap(), [0; 5], "nothing is kept");
        assert_eq!([counting.weigh(large), counting.held(), counting.peak()], [40, 6, 46]);
        drop(small);
        assert_eq!(counting.held(), 0);
    }
}
