//! The formulas of weakly compressible SPH: pure, without loops, over lanes.
//!
//! `h_s = h/2` is the smoothing length of the journals; `F` is the kernel's gradient factor,
//! `∇W_ij = F x_ij`, negative for every kernel used here.

pub use sph_core::numerics::vector::dot;
use sph_core::{Real, numerics::lane::Lane};

/// Keeps `1 / r²` finite: the denominator is `r² + 0.01 h_s²` (Monaghan 1992).
pub const SOFTENING: f64 = 0.01;

/// Equation of state `p(ρ)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Eos {
    /// `p = B ((ρ/ρ₀)^γ − 1)`, γ = 7 (Becker & Teschner 2007, eq. 7).
    Tait {
        /// Stiffness `B = ρ₀c₀²/γ`, `[Pa]`.
        b: Real,
    },
    /// `p = c₀² (ρ − ρ₀)`.
    Linear {
        /// Sound speed squared, `[m²/s²]`.
        c2: Real,
    },
}

/// Pressure `[Pa]` of density `rho` `[kg/m³]`.
#[inline(always)]
pub fn pressure(eos: Eos, rho: Real, rho_0: Real) -> Real {
    match eos {
        Eos::Tait { b } => {
            let t = rho / rho_0;
            let t3 = t * t * t;
            b * (t3 * t3 * t - 1.0)
        }
        Eos::Linear { c2 } => c2 * (rho - rho_0),
    }
}

/// The fluid cavitates at the density `(1 − ε) ρ₀`: it gets no less dense, and bears no tension. This is ε, `[-]`.
pub const CAVITATION: Real = 0.1;

/// Tensile cut-off: negative pressure `p` counts in full down to the density `(1 − ε/2) ρ₀` and fades to zero at
/// `(1 − ε) ρ₀`. Otherwise a tension without bound would clump spray.
#[inline(always)]
pub fn tensile_cutoff(p: Real, rho: Real, rho_0: Real) -> Real {
    if p >= 0.0 {
        return p;
    }
    let above = (rho / rho_0 - (1.0 - CAVITATION)) / (0.5 * CAVITATION);
    p * above.clamp(0.0, 1.0)
}

/// `x^(1/7)`, 0 below 0. Of sums, products, quotients and square roots alone, which have the same bits everywhere: powers are
/// those of a library.
///
/// With `s = x^(1/8)` the root is `s^(8/7)`, and `s (1 + (s − 1)/7)` is wrong by at most a ninth of it for x from 10⁻³ to 10⁴. A step
/// of Halley makes of a relative error e four times its cube.
#[inline(always)]
pub fn seventh_root(x: f64) -> f64 {
    if !(x > 0.0 && x < f64::INFINITY) {
        return x.max(0.0);
    }
    // Walls without fluid near them, most of a tank.
    if x == 1.0 {
        return 1.0;
    }
    let s = x.sqrt().sqrt().sqrt();
    let mut y = s * (1.0 + (s - 1.0) / 7.0);
    for _ in 0..3 {
        let y2 = y * y;
        let y7 = y2 * y2 * y2 * y;
        y = y * (3.0 * y7 + 4.0 * x) / (4.0 * y7 + 3.0 * x);
    }
    y
}

/// Density `[kg/m³]` of pressure `p` `[Pa]`: the inverse of [`pressure`].
#[inline(always)]
pub fn density_of_pressure(eos: Eos, p: Real, rho_0: Real) -> Real {
    match eos {
        Eos::Tait { b } => rho_0 * seventh_root(f64::from(p / b + 1.0)) as Real,
        Eos::Linear { c2 } => rho_0 + p / c2,
    }
}

/// Internal energy per mass `[J/kg]` whose derivative is `de/dρ = p/ρ²`, zero at rest density.
pub fn internal_energy(eos: Eos, rho: f64, rho_0: f64) -> f64 {
    let t = rho / rho_0;
    let t2 = t * t;
    match eos {
        Eos::Tait { b } => f64::from(b) / rho_0 * ((t2 * t2 * t2 - 1.0) / 6.0 + 1.0 / t - 1.0),
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

/// Diffusion of density of a pair, `ψ_ij·∇W_ij` per `2 δ h_s c₀ V_j` (Antuono et al. 2010, eq. 9). With
/// `x_ji·∇W_ij = −F r²` it needs no division; `grad_dot_x = (∇ρ_i + ∇ρ_j)·x_ij` makes it vanish for linear ρ.
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
    /// Monaghan 1992, eq. 4.1: `Π_ij = −α c μ_ij/ρ̄` for approaching pairs.
    Monaghan {
        /// `α h_s c₀`, `[m²/s]`.
        alpha_h_c: Real,
    },
    /// Morris, Fox & Zhu 1997, eq. 22: laminar, along the velocity difference.
    Morris {
        /// Dynamic viscosity μ over its lattice factor, `[Pa s]`.
        mu: Real,
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
            Self::Monaghan { alpha_h_c } => {
                let approach = dot(pair.v_ij, pair.x_ij).min(zero);
                let mu_over_rho = approach * L::splat(2.0) / (two_rho * soft_r2);
                [L::splat(alpha_h_c) * mu_over_rho * pair.f, zero]
            }
            Self::Morris { mu } => {
                let k = L::splat(2.0 * mu) * pair.r2 / (rho_rho * soft_r2);
                [zero, k * pair.f]
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
