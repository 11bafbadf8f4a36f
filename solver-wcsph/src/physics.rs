//! The formulas of weakly compressible SPH: pure, without loops, over lanes.
//!
//! `h_s = h/2` is the smoothing length of the journals; `F` is the kernel's gradient factor,
//! `∇W_ij = F x_ij`, negative for every kernel used here.

pub use sph_core::numerics::vector::dot;
use sph_core::{
    Real,
    numerics::{lane::Lane, vector::norm2},
};

/// Keeps `1 / r²` finite: the denominator is `r² + 0.01 h_s²` (Monaghan 1992).
pub const SOFTENING: f64 = 0.01;

/// Equation of state `p(ρ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Eos {
    /// `p = B ((ρ/ρ₀)⁷ − 1)`: Tait with γ = 7 (Becker & Teschner 2007, eq. 7). `B` `[Pa]`.
    Tait7 {
        /// Stiffness B, `[Pa]`.
        b: Real,
    },
    /// `p = B ((ρ/ρ₀)^γ − 1)` with another exponent.
    Tait {
        /// Stiffness B, `[Pa]`.
        b: Real,
        /// Exponent γ, `[-]`.
        gamma: Real,
    },
    /// `p = c₀² (ρ − ρ₀)`.
    Linear {
        /// Sound speed squared, `[m²/s²]`.
        c2: Real,
    },
}

/// Pressure `[Pa]` of density `rho` `[kg/m³]`. One particle at a time: powers have no lanes.
#[inline(always)]
pub fn pressure(eos: Eos, rho: Real, rho_0: Real) -> Real {
    match eos {
        Eos::Tait7 { b } => {
            let t = rho / rho_0;
            let t3 = t * t * t;
            b * (t3 * t3 * t - 1.0)
        }
        Eos::Tait { b, gamma } => b * ((rho / rho_0).powf(gamma) - 1.0),
        Eos::Linear { c2 } => c2 * (rho - rho_0),
    }
}

/// Tension that torn fluid bears: negative pressure `p` counts in full down to the density `(1 − ε/2) ρ₀` and
/// fades to nothing at `(1 − ε) ρ₀`, `ε = cavitation` `[-]`. Spray that is left to itself would else be pulled
/// into clumps by a tension without bound.
#[inline(always)]
pub fn tension(p: Real, rho: Real, rho_0: Real, cavitation: Real) -> Real {
    if p >= 0.0 {
        return p;
    }
    let above = (rho / rho_0 - (1.0 - cavitation)) / (0.5 * cavitation);
    p * above.clamp(0.0, 1.0)
}

/// Density `[kg/m³]` of pressure `p` `[Pa]`: the inverse of [`pressure`].
#[inline(always)]
pub fn density_of_pressure(eos: Eos, p: Real, rho_0: Real) -> Real {
    match eos {
        Eos::Tait7 { b } => rho_0 * (p / b + 1.0).max(0.0).powf(1.0 / 7.0),
        Eos::Tait { b, gamma } => rho_0 * (p / b + 1.0).max(0.0).powf(1.0 / gamma),
        Eos::Linear { c2 } => rho_0 + p / c2,
    }
}

/// Internal energy per mass `[J/kg]` whose derivative is `de/dρ = p/ρ²`, zero at rest density.
pub fn internal_energy(eos: Eos, rho: f64, rho_0: f64) -> f64 {
    let t = rho / rho_0;
    let tait = |b: f64, g: f64| {
        if (g - 1.0).abs() < 1e-9 {
            return b / rho_0 * (t.ln() + 1.0 / t - 1.0);
        }
        b / rho_0 * ((t.powf(g - 1.0) - 1.0) / (g - 1.0) + 1.0 / t - 1.0)
    };
    match eos {
        Eos::Tait7 { b } => tait(f64::from(b), 7.0),
        Eos::Tait { b, gamma } => tait(f64::from(b), f64::from(gamma)),
        Eos::Linear { c2 } => f64::from(c2) * (t.ln() + 1.0 / t - 1.0),
    }
}

/// Symmetric pressure acceleration coefficient of a pair (Monaghan 1992, eq. 3.3):
/// `a_i = Σ_j −m_j (p_i/ρ_i² + p_j/ρ_j²) ∇W_ij`. Arguments `p/ρ²`; result times `x_ij` is `a_i`.
#[inline(always)]
pub fn pressure_force<L: Lane>(m_j: L, p_rho2_i: L, p_rho2_j: L, f: L) -> L {
    -(m_j * (p_rho2_i + p_rho2_j) * f)
}

/// Rate of density of a pair by continuity (Monaghan 2005, eq. 2.16): `dρ_i/dt = Σ_j m_j v_ij·∇W_ij`.
#[inline(always)]
pub fn continuity<L: Lane>(m_j: L, v_dot_x: L, f: L) -> L {
    m_j * v_dot_x * f
}

/// Diffusion of density of a pair, `ψ_ij·∇W_ij` per `2 δ h_s c₀ V_j`. With `x_ji·∇W_ij = −F r²` the first
/// term needs no division (Molteni & Colagrossi 2009); `grad_dot_x = (∇ρ_i + ∇ρ_j)·x_ij` makes it exact
/// for linear ρ (Antuono et al. 2010, eq. 9), and is zero in the first form.
#[inline(always)]
pub fn density_diffusion<L: Lane>(rho_ji: L, grad_dot_x: L, f: L) -> L {
    -((rho_ji + L::splat(0.5) * grad_dot_x) * f)
}

/// A pair for the viscous force.
#[derive(Clone, Copy)]
pub struct Pair<L, const D: usize> {
    /// `x_i − x_j`, `[m]`.
    pub x_ij: [L; D],
    /// `v_i − v_j`, `[m/s]`.
    pub v_ij: [L; D],
    /// `|x_ij|²`, `[m²]`.
    pub r2: L,
    /// Kernel gradient factor, `[m^-(D+2)]`.
    pub f: L,
    /// Density of `i`, `[kg/m³]`.
    pub rho_i: L,
    /// Density of `j`, `[kg/m³]`.
    pub rho_j: L,
}

/// A viscosity model, with its coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viscosity {
    /// No viscosity.
    None,
    /// Monaghan 1992, eq. 4.1: `Π_ij = (−α c μ_ij + β μ_ij²)/ρ̄` for approaching pairs.
    Monaghan {
        /// `α h_s c₀`, `[m²/s]`.
        alpha_h_c: Real,
        /// `β h_s²`, `[m²]`.
        beta_h2: Real,
    },
    /// Morris, Fox & Zhu 1997, eq. 22: laminar, along the velocity difference.
    Morris {
        /// Dynamic viscosity μ over its lattice factor, `[Pa s]`.
        mu: Real,
    },
    /// Müller, Charypar & Gross 2003, eq. 14, with the Laplacian of the viscosity kernel.
    Muller {
        /// Dynamic viscosity μ, `[Pa s]`.
        mu: Real,
        /// Factor of `(h − r)` in the Laplacian, `[m^-(D+3)]`.
        laplacian: Real,
        /// Support radius h, `[m]`.
        h: Real,
    },
    /// Monaghan 2005, Koschier et al. 2019: along the line of centers, both signs.
    Solenoidal {
        /// `2 (D+2) μ` over its lattice factor, `[Pa s]`.
        mu: Real,
    },
}

impl Viscosity {
    /// Viscous acceleration of `i` by the pair, per mass of `j`: the factors of `x_ij` and of `v_ij`.
    /// `softening = 0.01 h_s²`, `[m²]`. All pairs of a run take the same branch.
    #[inline(always)]
    pub fn factors<L: Lane, const D: usize>(self, pair: &Pair<L, D>, softening: Real) -> [L; 2] {
        let (zero, two_rho, rho_rho) = (L::splat(0.0), pair.rho_i + pair.rho_j, pair.rho_i * pair.rho_j);
        let soft_r2 = pair.r2 + L::splat(softening);
        match self {
            Self::None => [zero, zero],
            Self::Monaghan { alpha_h_c, beta_h2 } => {
                // −Π = (α h_s c μ − β h_s² μ²)/ρ̄ with μ = min(v·x, 0)/(r² + 0.01 h_s²); one division for both.
                let approach = dot(pair.v_ij, pair.x_ij).min(zero);
                let mu_over_rho = approach * L::splat(2.0) / (two_rho * soft_r2);
                let mu = mu_over_rho * two_rho * L::splat(0.5);
                let minus_pi = (L::splat(alpha_h_c) - L::splat(beta_h2) * mu) * mu_over_rho;
                [minus_pi * pair.f, zero]
            }
            Self::Morris { mu } => {
                let k = L::splat(2.0 * mu) * pair.r2 / (rho_rho * soft_r2);
                [zero, k * pair.f]
            }
            Self::Muller { mu, laplacian, h } => {
                let closeness = zero.max(L::splat(h) - pair.r2.sqrt());
                let k = L::splat(mu * laplacian) * closeness / rho_rho;
                [zero, -k]
            }
            Self::Solenoidal { mu } => {
                let k = L::splat(mu) * dot(pair.v_ij, pair.x_ij) / (rho_rho * soft_r2);
                [k * pair.f, zero]
            }
        }
    }
}

/// Particle shifting of a pair without its volume (Sun et al. 2017, eq. 20): `[1 + 0.2 (W/W(Δx))⁴] F`,
/// to be summed times `x_ij`.
#[inline(always)]
pub fn shifting<L: Lane>(w: L, inv_w_dx: L, f: L) -> L {
    let q = w * inv_w_dx;
    let q2 = q * q;
    (L::splat(1.0) + L::splat(0.2) * q2 * q2) * f
}

/// XSPH weight of a pair (Monaghan 1992, eq. 7.1): `2 m_j / (ρ_i + ρ_j) W_ij`.
#[inline(always)]
pub fn xsph<L: Lane>(m_j: L, rho_i: L, rho_j: L, w: L) -> L {
    L::splat(2.0) * m_j / (rho_i + rho_j) * w
}

/// Friction of an Akinci wall (Akinci et al. 2012, eq. 11-13), acceleration per pseudo-mass and `x_ib`:
/// `−Π_ib F` with `Π_ib = −σ h_s c₀/ρ_i min(v·x, 0)/(r² + 0.01 h_s²)`.
#[inline(always)]
pub fn wall_friction<L: Lane, const D: usize>(sigma_h_c: L, pair: &Pair<L, D>, softening: Real) -> L {
    let w = dot(pair.v_ij, pair.x_ij).min(L::splat(0.0));
    sigma_h_c * w / (pair.rho_i * (norm2(pair.x_ij) + L::splat(softening))) * pair.f
}

/// Contact with wall samples: a spring that hardens, on particles nearer to a sample than its reach r_c. It keeps
/// them from between the samples, where a density that is evolved and not summed does not see how close they are.
///
/// `a_i = Σ_b κ c₀²/Δx (1 − r/r_c)² x_ib/r` for `r < r_c`, with the potential `κ c₀² r_c/(3 Δx) (1 − r/r_c)³`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// `κ c₀²/Δx`, `[m/s²]`.
    pub stiffness: Real,
    /// Reach r_c, `[m]`.
    pub reach: Real,
}

impl Contact {
    /// Reach over spacing. On a lattice next to a wall nothing is nearer than one spacing; between four samples the
    /// nominal surface is 0.87 spacings away from each. A reach of 0.9 spoils the lid of a cavity.
    const REACH: Real = 0.85;

    /// The contact of stiffness `kappa` `[-]` at a sound speed `[m/s]` and a spacing `[m]`.
    pub fn new(kappa: Real, c_0: Real, spacing: Real) -> Self {
        Self { stiffness: kappa * c_0 * c_0 / spacing, reach: Self::REACH * spacing }
    }

    /// Acceleration over `x_ib`, `[1/s²]`. Finite at `r = 0`, where `x_ib` makes it vanish.
    #[inline(always)]
    pub fn factor<L: Lane>(self, r2: L) -> L {
        let r = (r2 + L::splat(1e-6 * self.reach * self.reach)).sqrt();
        let gap = L::splat(0.0).max(L::splat(1.0) - r * L::splat(1.0 / self.reach));
        L::splat(self.stiffness) * gap * gap / r
    }
}
