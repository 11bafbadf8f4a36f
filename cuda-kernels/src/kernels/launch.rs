//! What the launchers of a solver share: they check fields, give kernels their addresses, and start them.

use super::wcsph::{Launched, Writable};
use crate::{
    error::CudaError,
    executor::{Argument, Executor, Field, In, Kernel, Out, Plain, Points},
};
use sph_core::Real;

/// A set of launchers in `D` dimensions.
pub(super) trait Launches<const D: usize, E: Executor> {
    /// Where kernels run.
    fn executor(&self) -> &E;

    /// # Safety
    /// As of [`Executor::launch`], for one thread for each of `n` items.
    unsafe fn start(&self, kernel: Kernel, n: usize, arguments: &[Argument]) -> Launched {
        // SAFETY: by the caller's promise.
        unsafe { self.executor().launch(kernel.for_each(D, n)?, arguments) }
    }

    fn input<T: Plain>(
        &self,
        kernel: Kernel,
        name: &'static str,
        field: &Field<E, T>,
        n: usize,
    ) -> Result<In<T>, CudaError> {
        kernel.expect(name, self.executor().len(field), n)?;
        Ok(self.executor().input(field))
    }

    fn output<T: Plain>(
        &self,
        kernel: Kernel,
        name: &'static str,
        field: &mut Field<E, T>,
        n: usize,
    ) -> Result<Out<T>, CudaError> {
        kernel.expect(name, self.executor().len(field), n)?;
        Ok(self.executor().output(field))
    }

    fn points(
        &self,
        kernel: Kernel,
        name: &'static str,
        x: &[Field<E, Real>; D],
        n: usize,
    ) -> Result<Points<Real, D>, CudaError> {
        x.iter().try_for_each(|x| kernel.expect(name, self.executor().len(x), n))?;
        Ok(self.executor().points(x))
    }

    fn writable(
        &self,
        kernel: Kernel,
        name: &'static str,
        x: &mut [Field<E, Real>; D],
        n: usize,
    ) -> Result<Writable<D>, CudaError> {
        x.iter().try_for_each(|x| kernel.expect(name, self.executor().len(x), n))?;
        Ok(Writable(x.each_mut().map(|x| self.executor().output(x))))
    }
}
