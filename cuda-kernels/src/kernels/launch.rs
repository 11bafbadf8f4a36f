//! What the launchers of a solver share: they check fields, give kernels their addresses, and start them.

use crate::{
    error::CudaError,
    executor::{Argument, Executor, Field, In, Kernel, Launch, Out, Plain, Points, Writable},
    neighbors::{NeighborRows, StoredRows},
};
use sph_core::Real;

/// Outcome of a launch.
pub(super) type Launched = Result<(), CudaError>;

/// A set of launchers in `D` dimensions.
pub(super) trait Launches<const D: usize> {
    /// Where kernels run.
    fn executor(&self) -> &dyn Executor;

    /// The smoothing kernel, by the name of its macro, if the texts use one.
    fn smoothing(&self) -> Option<&'static str>;

    /// # Safety
    /// As of [`Executor::launch`], for one thread for each of `n` items.
    unsafe fn start(&self, kernel: Kernel, n: usize, arguments: &[Argument]) -> Launched {
        let launch = Launch { smoothing: self.smoothing(), ..kernel.for_each(D, n)? };
        // SAFETY: by the caller's promise.
        unsafe { self.executor().launch(launch, arguments) }
    }

    /// The first `n` rows.
    fn rows(&self, kernel: Kernel, rows: &NeighborRows, n: usize) -> Result<StoredRows, CudaError> {
        Ok(StoredRows {
            rows: self.input(kernel, "rows", &rows.rows, rows.entries())?,
            count: self.input(kernel, "counts of rows", &rows.count, n)?,
            line: self.executor().input(&rows.lines.line),
        })
    }

    fn input<T: Plain>(
        &self,
        kernel: Kernel,
        name: &'static str,
        field: &Field<T>,
        n: usize,
    ) -> Result<In<T>, CudaError> {
        kernel.expect(name, field.len(), n)?;
        Ok(self.executor().input(field))
    }

    fn output<T: Plain>(
        &self,
        kernel: Kernel,
        name: &'static str,
        field: &mut Field<T>,
        n: usize,
    ) -> Result<Out<T>, CudaError> {
        kernel.expect(name, field.len(), n)?;
        Ok(self.executor().output(field))
    }

    fn points(
        &self,
        kernel: Kernel,
        name: &'static str,
        x: &[Field<Real>; D],
        n: usize,
    ) -> Result<Points<Real, D>, CudaError> {
        x.iter().try_for_each(|x| kernel.expect(name, x.len(), n))?;
        Ok(self.executor().points(x))
    }

    fn writable(
        &self,
        kernel: Kernel,
        name: &'static str,
        x: &mut [Field<Real>; D],
        n: usize,
    ) -> Result<Writable<D>, CudaError> {
        x.iter().try_for_each(|x| kernel.expect(name, x.len(), n))?;
        Ok(self.executor().writable(x))
    }
}
