//! The constants of the SPH kernels, as `kernel.cuh` reads them.

use std::f64::consts::PI;

use sph_core::{Real, kernel::KernelKind};

block! {
    /// The support radius, as formulas need it.
    Support = "Support" {
        /// Support radius h, `[m]`.
        h: Real,
        /// 1/h, `[1/m]`.
        inv_h: Real,
    }
}

block! {
    /// The constants of an interpolation kernel: the same for all, so that blocks do not depend on the kernel.
    KernelConstants = "KernelConstants" {
        /// The support radius.
        support: Support,
        /// h/2, `[m]`.
        half_h: Real,
        /// h², `[m²]`.
        h2: Real,
        /// 1/h², `[1/m²]`.
        inv_h2: Real,
        /// Factor of W, `[m^-D]`.
        w_scale: Real,
        /// Factor of the gradient factor; its unit depends on the kernel.
        f_scale: Real,
    }
}

block! {
    /// Constants of the Laplacian of the viscosity kernel.
    ViscosityLaplacian = "ViscosityLaplacian" {
        /// The support radius.
        support: Support,
        /// Factor of (1 − q), `[m^-(D+2)]`.
        scale: Real,
    }
}

block! {
    /// Constants of the cohesion between fluid particles.
    Cohesion = "Cohesion" {
        /// The support radius.
        support: Support,
        /// Factor of the shape, `[m^-D]`.
        scale: Real,
    }
}

block! {
    /// Constants of the adhesion to walls.
    Adhesion = "Adhesion" {
        /// The support radius.
        support: Support,
        /// h/2, `[m]`.
        half_h: Real,
        /// Factor of the shape, `[m^-D]`.
        scale: Real,
    }
}

block! {
    /// Strengths and kernels of cohesion, curvature and adhesion (Akinci, Akinci & Teschner 2013).
    Surface = "Surface" {
        /// Kernel of the cohesion.
        cohesion_kernel: Cohesion,
        /// Kernel of the adhesion.
        adhesion_kernel: Adhesion,
        /// γ_c, `[m⁴/(kg s²)]` in 3D.
        cohesion: Real,
        /// γ_κ, `[m/s²]`.
        curvature: Real,
        /// β, `[m⁴/(kg s²)]` in 3D.
        adhesion: Real,
    }
}

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
        Self { support, half_h: 0.5 * h, h2: h * h, inv_h2: support.scaled(1.0, 2), w_scale, f_scale }
    }
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

impl Surface {
    /// In `D` dimensions, with support radius `h` `[m]` and the strengths of `sph_core::fluid::surface`.
    pub fn new<const D: usize>(h: Real, tension: sph_core::fluid::surface::Tension) -> Self {
        Self {
            cohesion_kernel: Cohesion::new::<D>(h),
            adhesion_kernel: Adhesion::new::<D>(h),
            cohesion: tension.cohesion,
            curvature: tension.curvature,
            adhesion: tension.adhesion,
        }
    }
}
