//! The formulas of Position Based Fluids: pure, without loops, over lanes.
//!
//! All particles have the same mass m, and a multiplier is kept as `λ̂ = λ/m` `[m²]`: the formulas are then those of
//! Macklin & Müller (2013). `F` is the kernel's gradient factor, `∇W_ij = F x_ij`, negative for every kernel used here.

pub use sph_core::numerics::vector::cross;
use sph_core::{Real, numerics::lane::Lane};

/// Density constraint `C_i = ρ_i/ρ₀ − 1` (Macklin & Müller 2013, eq. 1); of an inequality `C ≤ 0` only its violation
/// `max(C_i, 0)` (Macklin et al. 2014, §3.2). NaN stays NaN. `[-]`.
#[inline(always)]
pub fn constraint<L: Lane>(rho: L, inv_rho_0: L, unilateral: bool) -> L {
    let c = rho * inv_rho_0 - L::splat(1.0);
    if unilateral { L::splat(0.0).max(c) } else { c }
}

/// Multiplier of a constraint (Macklin & Müller 2013, eq. 11): `λ̂_i = −C_i / (|∇_i C_i|² + Σ_j |∇_j C_i|² + ε)`. The
/// three terms `[1/m²]`; result `[m²]`. A satisfied constraint has λ̂ = 0, also where all gradients vanish.
#[inline(always)]
pub fn lambda(c: Real, own_grad2: Real, sum_grad2: Real, epsilon: Real) -> Real {
    if c == 0.0 { 0.0 } else { -c / (own_grad2 + sum_grad2 + epsilon) }
}

/// Tensile correction `s_ij = −k (W_ij/W(Δq))⁴` (Macklin & Müller 2013, eq. 13, with their n = 4; Monaghan 2000).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scorr {
    /// Strength k; 0 is off, `[m²]`.
    pub k: Real,
    /// `1/W(Δq)`, `[m^D]`.
    pub inv_w_dq: Real,
}

impl Scorr {
    /// `s_ij` of a pair with kernel value `w`, `[m²]`.
    #[inline(always)]
    pub fn s<L: Lane>(self, w: impl FnOnce() -> L) -> L {
        if self.k == 0.0 {
            return L::splat(0.0);
        }
        let q = w() * L::splat(self.inv_w_dq);
        let q2 = q * q;
        -(L::splat(self.k) * (q2 * q2))
    }
}

/// Spectral radius up to which Jacobi's iteration is used as it is `[-]`: above, all corrections are reduced by their ratio.
/// An iteration of equations is stable up to 2. One that corrects compression alone was stable at 2.8 in 2D and 3.3 in 3D,
/// and not at 3.1 and 3.5 (blocks of fluid in a tank, supports of 2.6, 2.2, 2.8 and 2.3 spacings).
pub fn stable_radius(unilateral: bool) -> f64 {
    if unilateral { 2.85 } else { 1.9 }
}

/// Step and number of iterations for which the strength of s_corr is given, `[s]` and `[-]`.
const SCORR_STEP: (f64, f64) = (1.0 / 60.0, 4.0);

/// Strength `k` `[m²]` of a density error k̂: `k̂/Σ|∇C|² (Δt/Δt_ref)² 4/n_iter`, `Δt_ref` = 1/60 s. The correction is a
/// displacement in every iteration, against the `g Δt²` of a step: so scaled, its effect does not depend on steps and
/// iterations.
pub fn scaled_scorr(k: f64, reference: f64, dt: f64, iterations: u32) -> f64 {
    let (dt_ref, n_ref) = SCORR_STEP;
    k / reference * (dt / dt_ref).powi(2) * n_ref / f64::from(iterations)
}

/// Variable-step BDF2, `κ = Δt_n/Δt_{n−1}`: for a quantity q with rate r,
/// `r_{n+1} Δt_n = ((1 + 2κ) (q_{n+1} − q_n) − κ² (q_n − q_{n−1}))/(1 + κ)`.
/// Exact where q is a parabola in time. Zero-stable for `κ < 1 + √2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bdf2 {
    /// Coefficient of the last change: `κ²/(1 + 2κ)`, `[-]`.
    pub history: Real,
    /// Coefficient of `Δt r`: `(1 + κ)/(1 + 2κ)`, `[-]`.
    pub rate: Real,
    /// The step over the one before, κ, `[-]`.
    pub kappa: Real,
}

impl Bdf2 {
    /// Largest growth of the step; the history restarts at a larger one, `[-]`.
    pub const MAX_GROWTH: f64 = 2.0;

    /// For a step that is `kappa` times the one before, `[-]`.
    pub fn new(kappa: f64) -> Self {
        let scale = 1.0 / (1.0 + 2.0 * kappa);
        Self {
            history: (kappa * kappa * scale) as Real,
            rate: ((1.0 + kappa) * scale) as Real,
            kappa: kappa as Real,
        }
    }

    /// The change `q_{n+1} − q_n` for a rate at the end of the step; `rate_dt = Δt r_{n+1}`.
    #[inline(always)]
    pub fn change(self, last_change: Real, rate_dt: Real) -> Real {
        self.history * last_change + self.rate * rate_dt
    }
}

/// XSPH weight of a neighbor (Monaghan 1992, eq. 7.1): `2 m/(ρ_i + ρ_j) W_ij`, which conserves momentum. `[-]`.
#[inline(always)]
pub fn xsph<L: Lane>(m: L, rho_i: L, rho_j: L, w: L) -> L {
    L::splat(2.0) * m / (rho_i + rho_j) * w
}

/// The vector in 3D; in 2D with a zero.
#[inline(always)]
pub fn in_space<L: Lane, const D: usize>(a: [L; D]) -> [L; 3] {
    let mut out = [L::splat(0.0); 3];
    out[..D].copy_from_slice(&a);
    out
}

/// 1 where `a` is not 0, else 0.
#[inline(always)]
pub fn is_nonzero<L: Lane>(a: L) -> L {
    let size = a.max(-a);
    size / size.max(L::splat(Real::MIN_POSITIVE))
}

/// Stability number `S = G Δt²/(Δx² n_iter)` of a substep, with `G = g H` the largest hydrostatic pressure over
/// ρ₀ `[m²/s²]`: the fall in a step over the displacement that the iterations can correct.
pub fn stability_number(gh: f64, dt: f64, spacing: f64, iterations: u32) -> f64 {
    gh * dt * dt / (spacing * spacing * f64::from(iterations))
}

/// Largest S that conserves the volume within 3 %.
pub const S_VOLUME: f64 = 0.09;
/// Fraction of the volume that is lost at rest, over S.
pub const LOSS_OVER_S: f64 = 0.3;

/// S at which a column explodes, in `dim` dimensions: 0.35 in two, 0.25 in three; half of it with two iterations.
pub fn s_explosion(dim: usize, iterations: u32) -> f64 {
    let few = f64::from(iterations.min(4)) / 4.0;
    few * if dim == 2 { 0.35 } else { 0.25 }
}

/// Stability number of the explicit surface forces, `S_c = γ_c m 0.159/h³ Δt²/Δx` (in 2D with `h²`): the displacement in
/// a step by the largest cohesion of a pair, in spacings.
pub fn cohesion_number(cohesion: f64, m: f64, h: f64, dim: usize, dt: f64, spacing: f64) -> f64 {
    const LARGEST: f64 = 0.159_154_943;
    cohesion * m * LARGEST / h.powi(dim as i32) * dt * dt / spacing
}

/// Largest cohesion number of a usable run: calm up to 0.005, boiling at 0.05.
pub const S_COHESION: f64 = 0.02;

/// Vorticity confinement agitates fluid at rest above this strength over the support radius, `[1/s]`.
pub const CONFINEMENT_OVER_H: f64 = 2.5;
