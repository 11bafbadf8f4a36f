//! Kernels that are chosen at run time: single distances through an object, loops through a match.

use super::{Kernel, KernelKind};
use crate::{Real, error::Error};

/// A [`Kernel`] that is asked one distance at a time, by setup and lattices.
pub trait ScalarKernel<const D: usize>: Sync {
    /// Support radius `h` \[m\].
    fn support_radius(&self) -> Real;

    /// `W(0)` \[m⁻ᴰ\].
    fn w_0(&self) -> Real;

    /// `W(r)` from `r²` \[m²\]; \[m⁻ᴰ\].
    fn w(&self, r2: Real) -> Real;

    /// The same in `f64`, with constants rounded to [`Real`].
    fn w_f64(&self, r2: f64) -> f64;

    /// `W'(r) / r` from `r²` \[m²\], in `f64` as well; \[m⁻ᴰ⁻²\].
    fn grad_factor_f64(&self, r2: f64) -> f64;
}

impl<const D: usize, K: Kernel<D>> ScalarKernel<D> for K {
    fn support_radius(&self) -> Real {
        Kernel::support_radius(self)
    }

    fn w_0(&self) -> Real {
        Kernel::w_0(self)
    }

    fn w(&self, r2: Real) -> Real {
        Kernel::w(self, r2)
    }

    fn w_f64(&self, r2: f64) -> f64 {
        Kernel::w(self, r2)
    }

    fn grad_factor_f64(&self, r2: f64) -> f64 {
        Kernel::grad_factor(self, r2)
    }
}

impl KernelKind {
    /// The error of a method that takes other kernels, `allowed`.
    #[must_use]
    pub fn refused(self, allowed: &[Self]) -> Error {
        let names: Vec<_> = allowed.iter().map(|kind| kind.name()).collect();
        let names = match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => "left out".to_owned(),
        };
        Error::invalid("solver.kernel", format!("must be {names}")).value(format!("\"{self}\""))
    }
}

/// Declares the smoothing kernels that a method takes: the enum with a value of each, itself a [`Kernel`], and the constant
/// `KERNELS` of their kinds.
///
/// A method that takes all kernels of a group names it in place of the list: `pub enum Smoothing: bell;` takes those that
/// are bell-shaped, whose gradient vanishes at `r = 0` and is the derivative of `W`.
///
/// A loop over pairs holds the choice inside, once for each vector of neighbors, which the processor foresees: a loop of
/// its own for each kernel is no faster and takes as many times as long to compile.
///
/// ```
/// use sph_core::kernel::{Kernel, KernelKind};
///
/// sph_core::smoothing! {
///     /// The kernels of this method.
///     pub enum Smoothing { CubicSpline, WendlandC2 }
/// }
///
/// let chosen = Smoothing::<3>::new(KernelKind::WendlandC2, 0.1).unwrap();
/// assert_eq!(chosen.support_radius(), 0.1);
/// let error = Smoothing::<3>::new(KernelKind::Poly6, 0.1).unwrap_err();
/// assert_eq!(error.to_string(), "solver.kernel = \"poly6\": must be cubic_spline or wendland_c2");
/// ```
#[macro_export]
macro_rules! smoothing {
    ($(#[$doc:meta])* $vis:vis enum $name:ident: $group:ident;) => {
        $crate::grouped_kernels! { @$group $(#[$doc])* $vis enum $name: }
    };
    (@bell $(#[$doc:meta])* $vis:vis enum $name:ident: $((bell $kernel:ident))*) => {
        $crate::smoothing! { $(#[$doc])* $vis enum $name { $($kernel),* } }
    };
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($kernel:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        $vis enum $name<const D: usize> {
            $(#[doc = concat!("`", stringify!($kernel), "`.")] $kernel($crate::kernel::$kernel<D>),)*
        }

        #[doc = concat!("The kinds of [`", stringify!($name), "`].")]
        $vis const KERNELS: &[$crate::kernel::KernelKind] = &[$($crate::kernel::KernelKind::$kernel),*];

        impl<const D: usize> $name<D> {
            /// The kernel with support radius `h`, `[m]`.
            ///
            /// # Errors
            /// When the method does not take it.
            pub fn new(kind: $crate::kernel::KernelKind, h: $crate::Real) -> Result<Self, $crate::error::Error> {
                match kind {
                    $($crate::kernel::KernelKind::$kernel => {
                        Ok(Self::$kernel($crate::kernel::Formula::<D>::new(h)))
                    })*
                    other => Err(other.refused(KERNELS)),
                }
            }
        }

        impl<const D: usize> $crate::kernel::Kernel<D> for $name<D> {
            #[inline(always)]
            fn support_radius(&self) -> $crate::Real {
                match self { $(Self::$kernel(kernel) => kernel.support_radius()),* }
            }

            #[inline(always)]
            fn w<L: $crate::numerics::lane::Lane>(&self, r2: L) -> L {
                match self { $(Self::$kernel(kernel) => kernel.w(r2)),* }
            }

            #[inline(always)]
            fn grad_factor<L: $crate::numerics::lane::Lane>(&self, r2: L) -> L {
                match self { $(Self::$kernel(kernel) => kernel.grad_factor(r2)),* }
            }

            #[inline(always)]
            fn w_0(&self) -> $crate::Real {
                match self { $(Self::$kernel(kernel) => kernel.w_0()),* }
            }
        }
    };
}
