//! What generated launchers share: they check fields, give kernels their addresses, and start them.

use crate::device::{
    error::CudaError,
    executor::{Executor, Field, In, Kernel, Out, Plain, Points, Writable},
};
use sph_core::Real;

/// Outcome of launches.
pub type Launched = Result<(), CudaError>;

/// Brings in what the build has generated from the CUDA source for a module.
macro_rules! generated {
    ($file:literal) => {
        #[allow(
            clippy::derivable_impls,
            clippy::redundant_field_names,
            clippy::too_many_arguments,
            dead_code,
            missing_docs,
            unused_imports,
            unused_qualifications,
            unused_variables,
            reason = "what the signature of a kernel says, by name"
        )]
        mod generated {
            include!(concat!(env!("OUT_DIR"), "/", $file));
        }
        pub use generated::*;
    };
}
pub(crate) use generated;

/// A kernel that is about to be started with these constants.
#[derive(Debug)]
pub struct Call<'a, C> {
    /// Where it will run.
    pub executor: &'a dyn Executor,
    /// Constants of a method, or nothing.
    pub constants: &'a C,
    /// The kernel.
    pub kernel: Kernel,
}

impl<C> Call<'_, C> {
    /// Refuses a field that is shorter than `needed`.
    ///
    /// # Errors
    /// When it is.
    pub fn expect(&self, field: &'static str, len: usize, needed: usize) -> Launched {
        self.kernel.expect(field, len, needed)
    }
}

/// What a launcher takes for a parameter with addresses.
pub trait Parameter<C>: Sized {
    /// The parameter as it lies in memory.
    type Raw: Copy;

    /// The addresses, of at least `n` items under this name.
    ///
    /// # Errors
    /// When there are fewer.
    fn raw(self, call: &Call<'_, C>, name: &'static str, n: usize) -> Result<Self::Raw, CudaError>;
}

impl<T: Plain, C> Parameter<C> for &Field<T> {
    type Raw = In<T>;

    fn raw(self, call: &Call<'_, C>, name: &'static str, n: usize) -> Result<In<T>, CudaError> {
        call.expect(name, self.len(), n)?;
        Ok(call.executor.input(self))
    }
}

impl<T: Plain, C> Parameter<C> for &mut Field<T> {
    type Raw = Out<T>;

    fn raw(self, call: &Call<'_, C>, name: &'static str, n: usize) -> Result<Out<T>, CudaError> {
        call.expect(name, self.len(), n)?;
        Ok(call.executor.output(self))
    }
}

impl<const D: usize, C> Parameter<C> for &[Field<Real>; D] {
    type Raw = Points<Real, D>;

    fn raw(self, call: &Call<'_, C>, name: &'static str, n: usize) -> Result<Self::Raw, CudaError> {
        self.iter().try_for_each(|x| call.expect(name, x.len(), n))?;
        Ok(call.executor.points(self))
    }
}

impl<const D: usize, C> Parameter<C> for &mut [Field<Real>; D] {
    type Raw = Writable<D>;

    fn raw(self, call: &Call<'_, C>, name: &'static str, n: usize) -> Result<Self::Raw, CudaError> {
        self.iter().try_for_each(|x| call.expect(name, x.len(), n))?;
        Ok(call.executor.writable(self))
    }
}

/// Nowhere (0), for kernels that ask.
impl<C, P: Parameter<C, Raw: Default>> Parameter<C> for Option<P> {
    type Raw = P::Raw;

    fn raw(self, call: &Call<'_, C>, name: &'static str, n: usize) -> Result<Self::Raw, CudaError> {
        self.map_or(Ok(P::Raw::default()), |of| of.raw(call, name, n))
    }
}
