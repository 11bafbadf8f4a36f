//! Smoothing kernels: interpolation, viscosity, cohesion and adhesion.
//!
//! Every interpolation kernel has the form `W(r) = σ_d / h^d f(q)` with `q = r / h`, and is exactly 0 from `r = h`
//! on; `h` is the **support radius** (the "smoothing length" of journals is `h / 2`). Kernels take `r²` and
//! are generic over [`Lane`], so one text serves SIMD, single numbers and the `f64` oracle.
//!
//! They are in *clamped form*: `(1 - q)₊` takes the place of a case distinction, so there is neither branch nor
//! mask, and a null particle at distance 10¹⁵ m adds an exact 0. Formulas are arranged such that no
//! intermediate overflows there, nothing cancels near `r = 0`, and a NaN stays one.
//! Constants are computed in `f64` and rounded once; no power of `h` above `h^(d+2)` occurs.
//!
//! Imports `numerics` and `keys`.

use std::fmt::{self, Debug};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Real, numerics::lane::Lane};

pub mod choice;
mod cohesion;
mod cubic_spline;
mod poly6;
mod poly6_spiky;
mod spiky;
mod viscosity;
mod wendland_c2;
mod wendland_c4;
mod wendland_c6;

pub use cohesion::{Adhesion, Cohesion};
pub use viscosity::ViscosityLaplacian;

/// An interpolation kernel in 2 or 3 dimensions: normalized, non-negative, decreasing, 0 from the support
/// radius on.
///
/// In two dimensions a kernel is that of a slab of unit depth: `W` is in m⁻².
///
/// ```
/// use sph_core::kernel::{Kernel as _, CubicSpline, Formula, Kernel};
///
/// let kernel = <CubicSpline<3> as Formula<3>>::new(0.1);
/// let (x_ij, r2) = (0.03, 0.03 * 0.03);
/// assert!(kernel.w(r2) < kernel.w_0());
/// assert!(kernel.grad_factor(r2) * x_ij < 0.0); // ∇W points from i to j
/// assert_eq!(kernel.w(1e30), 0.0);
/// ```
pub trait Kernel<const D: usize>: Copy + Debug + Send + Sync + 'static {
    /// Support radius `h` \[m\].
    fn support_radius(&self) -> Real;

    /// `W(r)` from `r²` \[m²\]; \[m⁻ᴰ\].
    fn w<L: Lane>(&self, r2: L) -> L;

    /// `F(r) = W'(r) / r`, with which `∇W_ij = F x_ij`, from `r²` \[m²\]; \[m⁻ᴰ⁻²\]. Never positive, and finite at
    /// `r = 0`, so that particles in one place have no gradient rather than NaN.
    fn grad_factor<L: Lane>(&self, r2: L) -> L;

    /// `W(0)`, the share of a particle in its own density, and the factor `σ/h^d` of `W` \[m⁻ᴰ\].
    fn w_0(&self) -> Real;
}

/// A kernel of the table, which a scene names.
pub trait Formula<const D: usize>: Kernel<D> {
    /// Name in scenes and reports.
    const NAME: &'static str;

    /// Second moment `∫ q² W dV`, in closed form \[-\].
    const SECOND_MOMENT: f64;

    /// True where [`Kernel::grad_factor`] is the derivative of [`Kernel::w`].
    const IS_CONSISTENT: bool = true;

    /// The kernel with support radius `h` \[m\].
    fn new(h: Real) -> Self;

    /// Factor of `F`, for its formula in CUDA; its unit depends on the kernel.
    fn f_scale(&self) -> Real;
}

/// The table of the interpolation kernels: from a row, `file::Type`, follow its kind, and with that the name in scenes and
/// in CUDA source. A row ends with the group of the kernel if it has one; a method takes a group by its name
/// ([`smoothing!`](crate::smoothing)). The first token stands for the dollar sign of the macros that are declared here.
macro_rules! kernels {
    ($d:tt $($(#[doc = $doc:literal])* $file:ident::$kernel:ident $(: $group:ident)?;)*) => {
        $(pub use $file::$kernel;)*

        /// The interpolation kernels that a scene may name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum KernelKind {
            $($(#[doc = $doc])* $kernel,)*
        }

        impl KernelKind {
            /// All kernels.
            pub const ALL: &[Self] = &[$(Self::$kernel),*];

            /// The groups, a pair for each member.
            pub const GROUPS: &[(&str, Self)] = &[$($((stringify!($group), Self::$kernel),)?)*];

            /// Name in scenes and reports, [`Formula::NAME`].
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kernel => <$kernel<3> as Formula<3>>::NAME,)*
                }
            }

            /// Name of the type, here and in CUDA source.
            #[must_use]
            pub const fn type_name(self) -> &'static str {
                match self {
                    $(Self::$kernel => stringify!($kernel),)*
                }
            }

            /// Factors of `W` and of `F` with support radius `h` \[m\], [`Kernel::w_0`] and [`Formula::f_scale`].
            #[must_use]
            pub fn scales<const D: usize>(self, h: Real) -> [Real; 2] {
                match self {
                    $(Self::$kernel => {
                        let kernel = <$kernel<D> as Formula<D>>::new(h);
                        [kernel.w_0(), kernel.f_scale()]
                    })*
                }
            }
        }

        /// Calls a macro with the names of all kernels, for tests and benches of each.
        ///
        /// ```
        /// use sph_core::kernel::{self, Formula};
        ///
        /// macro_rules! names {
        ///     ($($kernel:ident)*) => { [$(<kernel::$kernel<3> as Formula<3>>::NAME),*] };
        /// }
        ///
        /// assert!(sph_core::all_kernels!(names).contains(&"cubic_spline"));
        /// ```
        #[macro_export]
        macro_rules! all_kernels {
            ($d callback:ident) => { $d callback! { $($kernel)* } };
        }

        /// Calls [`smoothing!`](crate::smoothing) with what it is given and the members of all groups.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! grouped_kernels {
            ($d($d given:tt)*) => { $d crate::smoothing! { $d($d given)* $($(($group $kernel))?)* } };
        }
    };
}

kernels! { $
    // ANCHOR: table
    /// `(1 - q²)³`; `σ_2 = 4/π`, `σ_3 = 315/(64π)`; C² at `q = 1`, `f'(0) = 0`; `[MCG03]`.
    poly6::Poly6;
    /// `(1 - q)³`; `σ_2 = 10/π`, `σ_3 = 15/π`; a kink at 0, `f'(0) = -3`; `[MCG03]`.
    spiky::Spiky;
    /// `6 (q³ - q²) + 1` up to `q = ½`, then `2 (1 - q)³`; `σ_2 = 40/(7π)`, `σ_3 = 8/π`; C²; `[Mon92]`.
    cubic_spline::CubicSpline: bell;
    /// `(1 - q)⁴ (1 + 4q)`; `σ_2 = 7/π`, `σ_3 = 21/(2π)`; C²; `[Wen95]`.
    wendland_c2::WendlandC2: bell;
    /// `(1 - q)⁶ (1 + 6q + 35/3 q²)`; `σ_2 = 9/π`, `σ_3 = 495/(32π)`; C⁴; `[Wen95]`.
    wendland_c4::WendlandC4: bell;
    /// `(1 - q)⁸ (1 + 8q + 25q² + 32q³)`; `σ_2 = 78/(7π)`, `σ_3 = 1365/(64π)`; C⁶; `[Wen95]`.
    wendland_c6::WendlandC6: bell;
    /// Density by `poly6`, gradient by `spiky`; `[MM13]`.
    poly6_spiky::Poly6Spiky;
    // ANCHOR_END: table
}

impl fmt::Display for KernelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Distances below this part of `h` count as 0 where a direction `x_ij / r` is needed \[-\].
const COINCIDENT: Real = if cfg!(feature = "f64") { 1e-9 } else { 1e-6 };

/// The support radius, as formulas need it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Support {
    h: Real,
    inv_h: Real,
}

impl Support {
    fn new(h: Real) -> Self {
        debug_assert!(h > 0.0, "support radius {h} must be positive");
        Self { h, inv_h: (1.0 / f64::from(h)) as Real }
    }

    /// `(1 - q)₊` \[-\]. As `(h - r)₊ / h`, so that it is exactly 0 from `r = h` on.
    #[inline(always)]
    fn one_minus_q<L: Lane>(&self, r: L) -> L {
        positive(L::splat(self.h) - r) * L::splat(self.inv_h)
    }

    /// `max(r, ε h)` \[m\], to divide by.
    #[inline(always)]
    fn apart<L: Lane>(&self, r: L) -> L {
        L::splat(COINCIDENT * self.h).max(r)
    }

    /// `scale / h^power`, computed in `f64`.
    fn scaled(&self, scale: f64, power: usize) -> Real {
        (scale / f64::from(self.h).powi(power as i32)) as Real
    }
}

/// `a₊ = max(0, a)`; NaN if `a` is.
#[inline(always)]
fn positive<L: Lane>(a: L) -> L {
    L::splat(0.0).max(a)
}

/// The constant of the dimension. Kernels of other dimensions do not compile.
const fn in_dimension<const D: usize>(two: f64, three: f64) -> f64 {
    const { assert!(D == 2 || D == 3, "kernels exist in 2 and 3 dimensions") };
    if D == 2 { two } else { three }
}
