//! The constants of the SPH kernels, as `kernel.cuh` reads them.

use std::f64::consts::PI;

use crate::device::compile::source;
use sph_core::{Real, kernel::KernelKind};

/// The smoothing kernels, twin of `sph-core/src/kernel`.
pub const FORMULAS: &str = include_str!("kernel.cuh");

crate::device::launch::generated!("common_numerics_kernel.rs");

/// The constant of the dimension. Kernels of other dimensions do not compile.
const fn in_dimension<const D: usize>([two, three]: [f64; 2]) -> f64 {
    const { assert!(D == 2 || D == 3, "kernels exist in 2 and 3 dimensions") };
    if D == 2 { two } else { three }
}

impl Support {
    /// With support radius `h`, `[m]`.
    pub fn new(h: Real) -> Self {
        Self { h, inv_h: (1.0 / f64::from(h)) as Real }
    }

    /// `scale / h^power`, computed in `f64` and rounded once.
    fn scaled(self, scale: f64, power: usize) -> Real {
        (scale / f64::from(self.h).powi(power as i32)) as Real
    }
}

impl KernelConstants {
    /// Those of a kernel in `D` dimensions, with support radius `h` `[m]`.
    pub fn new<const D: usize>(kind: KernelKind, h: Real) -> Self {
        let (support, [w_scale, f_scale]) = (Support::new(h), kind.scales::<D>(h));
        Self {
            support,
            half_h: 0.5 * h,
            h2: h * h,
            inv_h2: support.scaled(1.0, 2),
            w_scale,
            f_scale,
            kind: place(kind),
        }
    }
}

/// The place of a kernel in the list of the CUDA source, -1 where it is missing.
fn place(kind: KernelKind) -> i32 {
    let found = source::group("kernels").iter().position(|name| *name == kind.type_name());
    found.map_or(-1, |k| k as i32)
}

impl ViscosityLaplacian {
    /// In `D` dimensions, with support radius `h` `[m]`.
    pub fn new<const D: usize>(h: Real) -> Self {
        let support = Support::new(h);
        Self { support, scale: support.scaled(in_dimension::<D>([40.0 / PI, 45.0 / PI]), D + 2) }
    }
}

impl Cohesion {
    /// In `D` dimensions, with support radius `h` `[m]`.
    pub fn new<const D: usize>(h: Real) -> Self {
        let support = Support::new(h);
        Self { support, scale: support.scaled(32.0 / PI, D) }
    }
}

impl Adhesion {
    /// In `D` dimensions, with support radius `h` `[m]`.
    pub fn new<const D: usize>(h: Real) -> Self {
        let support = Support::new(h);
        Self { support, half_h: 0.5 * h, scale: support.scaled(0.007, D) }
    }
}
