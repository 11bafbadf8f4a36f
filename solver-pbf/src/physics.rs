//! The formulas of Position Based Fluids: pure, without loops, over lanes.
//!
//! A multiplier is kept over the mass of a particle at rest, `λ̂ = λ/m` `[m²]`, and masses as `μ_i = m_i/m`: for
//! equal masses, `μ = 1`, the formulas are then those of Macklin & Müller (2013). `F` is the kernel's gradient
//! factor, `∇W_ij = F x_ij`, negative for every kernel used here, and `V = m/ρ₀`.

pub use sph_core::numerics::vector::cross;
use sph_core::{Real, numerics::lane::Lane};

/// Density constraint `C_i = ρ_i/ρ₀ − 1` (Macklin & Müller 2013, eq. 1); of an inequality `C ≤ 0` only its violation
/// `max(C_i, 0)` (Macklin et al. 2014, §3.2). Not a number stays one. `[-]`.
#[inline(always)]
pub fn constraint<L: Lane>(rho: L, inv_rho_0: L, unilateral: bool) -> L {
    let c = rho * inv_rho_0 - L::splat(1.0);
    if unilateral { L::splat(0.0).max(c) } else { c }
}

/// Multiplier of a constraint (Macklin & Müller 2013, eq. 11, with inverse masses as in Macklin et al. 2014, eq. 4):
/// `λ̂_i = −C_i / (|∇_i C_i|²/μ_i + Σ_j |∇_j C_i|²/μ_j + ε)`. The three terms and ε `[1/m²]`; result `[m²]`.
/// A constraint that is met has λ̂ = 0, also where all gradients vanish.
#[inline(always)]
pub fn lambda(c: Real, own_grad2: Real, sum_grad2: Real, epsilon: Real) -> Real {
    if c == 0.0 { 0.0 } else { -c / (own_grad2 + sum_grad2 + epsilon) }
}

/// How masses weigh in `λ̂` and `Δx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// By inverse masses: `Σ m_i Δx_i = 0`.
    Canonical,
    /// As if inverse masses were equal: `Σ Δx_i = 0`.
    EqualMass,
}

impl Weights {
    /// `|∇_j C_i|²/μ_j` over `V² |∇W_ij|²`: `μ_j`, or `μ_j²` without inverse masses, `[-]`.
    #[inline(always)]
    pub fn of_gradient<L: Lane>(self, mu_j: L) -> L {
        match self {
            Self::Canonical => mu_j,
            Self::EqualMass => mu_j * mu_j,
        }
    }

    /// What `|∇_i C_i|²` and `Δx_i` are divided by, `[-]`.
    #[inline(always)]
    pub fn of_own(self, mu_i: Real) -> Real {
        match self {
            Self::Canonical => mu_i,
            Self::EqualMass => 1.0,
        }
    }
}

/// Correction of a pair (Macklin & Müller 2013, eq. 12 and 14): `μ_i Δx_i` over `V ∇W_ij` is
/// `μ_j λ̂_i + μ_i λ̂_j + μ_i μ_j s_ij`, from `∇_i C_i` and `∇_i C_j = +m_i/ρ₀ ∇W_ij`. The same for `j`, so that
/// `Σ m_i Δx_i = 0`. `[m²]`.
#[inline(always)]
pub fn pair_correction<L: Lane>(lambda_i: L, lambda_j: L, s_ij: L, mu_i: L, mu_j: L) -> L {
    mu_j * lambda_i + mu_i * lambda_j + mu_i * mu_j * s_ij
}

/// Tensile correction `s_ij = −k (W_ij/W(Δq))^n` (Macklin & Müller 2013, eq. 13; Monaghan 2000).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scorr {
    /// Strength k; 0 for none, `[m²]`.
    pub k: Real,
    /// `1/W(Δq)`, `[m^D]`.
    pub inv_w_dq: Real,
    /// Exponent n, `[-]`.
    pub n: u32,
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
        let mut power = q2 * q2;
        if self.n != 4 {
            power = q;
            for _ in 1..self.n {
                power = power * q;
            }
        }
        -(L::splat(self.k) * power)
    }
}

/// Step at which the scaled strength of s_corr is what is given, `[s]`, and the number of iterations.
const SCORR_STEP: (f64, f64) = (1.0 / 60.0, 4.0);

/// `k` `[m²]` of a strength `[-]` that is comparable with a density error, the same push in a second for all steps
/// and iterations: `k̂/Σ|∇C|² (Δt/Δt_ref)² 4/n_iter`, `Δt_ref` = 1/60 s. The term is added in every iteration and
/// its effect, a displacement, stands against `g Δt²`.
pub fn scaled_scorr(k: f64, reference: f64, dt: f64, iterations: u32) -> f64 {
    let (dt_ref, n_ref) = SCORR_STEP;
    k / reference * (dt / dt_ref).powi(2) * n_ref / f64::from(iterations)
}

/// Variable-step BDF2, `κ = Δt_n/Δt_{n−1}`: for a quantity q with rate r,
/// `r_{n+1} Δt_n = ((1 + 2κ) (q_{n+1} − q_n) − κ² (q_n − q_{n−1}))/(1 + κ)`.
/// Exact where q is a parabola in time. Zero-stable for `κ < 1 + √2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bdf2 {
    /// Part of the last change that goes on: `κ²/(1 + 2κ)`, `[-]`.
    pub history: Real,
    /// Part of `Δt r` that a change holds: `(1 + κ)/(1 + 2κ)`, `[-]`.
    pub rate: Real,
    /// The step over the one before, κ, `[-]`.
    pub kappa: Real,
}

impl Bdf2 {
    /// Steps that grow faster begin anew, `[-]`.
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

    /// The change `q_{n+1} − q_n` that makes the rate at the end of the step what it shall be; `rate_dt = Δt r`.
    #[inline(always)]
    pub fn change(self, last_change: Real, rate_dt: Real) -> Real {
        self.history * last_change + self.rate * rate_dt
    }
}

/// XSPH weight of a neighbor (Monaghan 1992, eq. 7.1): `2 m_j/(ρ_i + ρ_j) W_ij`; or (Schechter & Bridson 2012, §6)
/// `m_j/ρ_j W_ij`, which does not keep momentum where densities differ. `[-]`.
#[inline(always)]
pub fn xsph<L: Lane>(symmetric: bool, m_j: L, rho_i: L, rho_j: L, w: L) -> L {
    if symmetric { L::splat(2.0) * m_j / (rho_i + rho_j) * w } else { m_j / rho_j * w }
}

/// XSPH weight of a wall sample: `psi_b/ρ_i W_ib`, `[-]`.
#[inline(always)]
pub fn wall_xsph<L: Lane>(psi: L, rho_i: L, w: L) -> L {
    psi / rho_i * w
}

/// The first D components, and zeros.
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

/// Normals `|n_i| = |h Σ_j V_j ∇W_ij|` above this are those of a surface, `[-]`.
pub const SURFACE: Real = 0.2;

/// Surface constraint of a pair, over `−½ k`: `x_ij·n̂_i n̂_i + x_ij·n̂_j n̂_j`, with unit normals at a surface and zero
/// ones inside. It vanishes when both particles lie in both tangent planes.
#[inline(always)]
pub fn surface_pull<L: Lane, const D: usize>(x_ij: [L; D], n_i: [L; D], n_j: [L; D]) -> [L; D] {
    let (mut along_i, mut along_j) = (L::splat(0.0), L::splat(0.0));
    for a in 0..D {
        along_i = along_i + x_ij[a] * n_i[a];
        along_j = along_j + x_ij[a] * n_j[a];
    }
    let mut pull = x_ij;
    for a in 0..D {
        pull[a] = along_i * n_i[a] + along_j * n_j[a];
    }
    pull
}

/// Deviation of a mass from the mean over the mass, uniform in [−1, 1) and a function of the particle's id alone.
pub fn deviation(id: u64) -> Real {
    let z = id.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (((z ^ (z >> 31)) >> 40) as f64 / f64::from(1 << 23) - 1.0) as Real
}

/// Stability number `S = G Δt²/(Δx² n_iter)` of a substep, with `G = g H` the largest hydrostatic pressure over
/// ρ₀ `[m²/s²]`: how far the fluid falls in a step against how far iterations can push it back.
pub fn stability_number(gh: f64, dt: f64, spacing: f64, iterations: u32) -> f64 {
    gh * dt * dt / (spacing * spacing * f64::from(iterations))
}

/// Largest S that keeps the volume within 3 %.
pub const S_VOLUME: f64 = 0.09;
/// Volume that is lost at rest, over S.
pub const LOSS_OVER_S: f64 = 0.3;

/// S at which a column explodes, in `dim` dimensions: 0.35 in two, 0.25 in three; half of it with two iterations.
pub fn s_explosion(dim: usize, iterations: u32) -> f64 {
    let few = f64::from(iterations.min(4)) / 4.0;
    few * if dim == 2 { 0.35 } else { 0.25 }
}

/// Number of the explicit surface forces, `S_c = γ_c m 0.159/h³ Δt²/Δx` (in 2D with `h²`): the way that the largest
/// cohesion of a pair makes in a step, in spacings.
pub fn cohesion_number(cohesion: f64, m: f64, h: f64, dim: usize, dt: f64, spacing: f64) -> f64 {
    const LARGEST: f64 = 0.159_154_943;
    cohesion * m * LARGEST / h.powi(dim as i32) * dt * dt / spacing
}

/// Largest cohesion number of a usable run: calm up to 0.005, boiling at 0.05.
pub const S_COHESION: f64 = 0.02;

/// Vorticity confinement boils above so many support radii in a second, `[1/s]`.
pub const CONFINEMENT_OVER_H: f64 = 2.5;
