//! The formulas of the method: pure, without loops and memory.
//!
//! `x_ij = x_i − x_j` points from j to i, so that a positive displacement along it separates the pair.

use crate::params::RelaxMode;
use sph_core::{Real, numerics::lane::Lane};

/// Lower bound of distances in divisions: coincident particles then have no direction.
const TINY: Real = 1e-30;

/// Closeness `g = (1 − r/h)₊`, `[-]` `[CBP05, §4.1]`.
#[inline(always)]
pub fn closeness<L: Lane>(r: L, inv_h: Real) -> L {
    (L::splat(1.0) - r * L::splat(inv_h)).max(L::splat(0.0))
}

/// `1/r`, finite for coincident particles, `[1/m]`.
#[inline(always)]
pub fn inverse<L: Lane>(r: L) -> L {
    L::splat(1.0) / r.max(L::splat(TINY))
}

/// Contributions of a neighbor to density and near density: `g²` and `g³` `[CBP05, eq. 1, 3]`.
#[inline(always)]
pub fn density_terms<L: Lane>(g: L) -> [L; 2] {
    let g2 = g * g;
    [g2, g2 * g]
}

/// Pressures of double density: `P = k (ρ − ρ₀)` and `P_near = k_near ρ_near` `[CBP05, eq. 2, 4]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// Stiffness k over the normalization of the density, `[m/s²]`.
    pub k: Real,
    /// Near stiffness over the normalization of the near density, `[m/s²]`.
    pub k_near: Real,
    /// `k ρ₀`, `[m/s²]`.
    pub k_rest: Real,
    /// −P over P_near at which the lattice neither contracts nor expands, `[-]`.
    pub balance: Real,
}

impl Stiffness {
    /// `[P, P_near]` from the sums of `g²` and `g³`, `[m/s²]`.
    #[inline(always)]
    pub fn pressures<L: Lane>(&self, [rho, near]: [L; 2]) -> [L; 2] {
        [L::splat(self.k) * rho - L::splat(self.k_rest), L::splat(self.k_near) * near]
    }

    /// Pressures of a wall that acts on a particle: those of the particle, as if the fluid continued behind the wall,
    /// but with no more tension than the near pressure balances, so that walls do not attract a layer at the lattice
    /// spacing.
    #[inline(always)]
    pub fn on_wall<L: Lane>(&self, [p, near]: [L; 2]) -> [L; 2] {
        [p.max(L::splat(-self.balance) * near), near]
    }
}

/// Displacement of a pair over dt² by the pressures of one of its particles: `P g + P_near g²`, `[m/s²]` `[CBP05, eq.
/// 6]`. Each particle gets half of it.
#[inline(always)]
pub fn pair_acceleration<L: Lane>([p, near]: [L; 2], g: L) -> L {
    (p + near * g) * g
}

/// Largest displacement that a pair gives a particle in a pass, over h, `[-]`.
pub const MAX_DISPLACEMENT: Real = 0.25;

/// A displacement limited to `±max`, `[m]`.
#[inline(always)]
pub fn limited<L: Lane>(displacement: L, max: Real) -> L {
    displacement.max(L::splat(-max)).min(L::splat(max))
}

/// Viscosity of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viscosity {
    /// `dt σ`, `[-]`.
    pub linear: Real,
    /// `dt β`, `[s/m]`.
    pub quadratic: Real,
    /// Fraction of its approach velocity that a pair may lose, `[-]`: with 1 it never rebounds.
    pub max_fraction: Real,
}

impl Viscosity {
    /// The impulse `I = dt g (σ u + β u²) ≤ u` of a pair with the approach speed u; 0 of a separating one, `[m/s]`
    /// `[CBP05, eq. 8]`. Each particle gets half of it.
    #[inline(always)]
    pub fn impulse<L: Lane>(&self, u: L, g: L) -> L {
        let u = u.max(L::splat(0.0));
        let taken = g * u * (L::splat(self.linear) + L::splat(self.quadratic) * u);
        taken.min(L::splat(self.max_fraction) * u)
    }
}

/// Springs of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// `dt² k_spring`, `[-]`.
    pub stiffness: Real,
    /// Interaction radius, `[m]`.
    pub h: Real,
}

impl Spring {
    /// Displacement of a pair: `dt² k (1 − L/h)(L − r)`, `[m]` `[CBP05, eq. 7]`. Each particle gets half of it.
    #[inline(always)]
    pub fn displacement<L: Lane>(&self, rest: L, r: L) -> L {
        // The division gives exactly 1 for L = h: padding then does nothing.
        L::splat(self.stiffness) * (L::splat(1.0) - rest / L::splat(self.h)) * (rest - r)
    }
}

/// Plastic flow of rest lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// `dt α`, at most 1, `[-]`.
    pub rate: Real,
    /// Yield ratio γ, `[-]`.
    pub yield_ratio: Real,
}

impl Flow {
    /// The rest length after a step at the distance r, which flows beyond the yield ratio, `[m]` `[CBP05, §5.2]`.
    #[inline(always)]
    pub fn rest<L: Lane>(&self, rest: L, r: L) -> L {
        let (tolerance, zero) = (L::splat(self.yield_ratio) * rest, L::splat(0.0));
        let too_long = (r - rest - tolerance).max(zero);
        let too_short = (rest - tolerance - r).max(zero);
        rest + L::splat(self.rate) * (too_long - too_short)
    }
}

/// Sums over the lattice on which particles start, self left out, with `q = r/h`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatticeSums {
    /// `Σ g²`: the double density.
    pub rho: f64,
    /// `Σ g³`: the near density.
    pub near: f64,
    /// `Σ g q`.
    pub reach: f64,
    /// `Σ g² q`.
    pub near_reach: f64,
}

impl LatticeSums {
    /// Those of a lattice with support ratio `eta` = h/Δx in `D` dimensions.
    pub fn new<const D: usize>(eta: f64) -> Self {
        let mut sums = Self { rho: 0.0, near: 0.0, reach: 0.0, near_reach: 0.0 };
        sph_core::geometry::lattice::for_each_site::<D>(eta, |site| {
            let q = site.iter().map(|c| c * c).sum::<f64>().sqrt() / eta;
            let g = closeness(q, 1.0);
            if q > 0.0 {
                sums.rho += g * g;
                sums.near += g * g * g;
                sums.reach += g * q;
                sums.near_reach += g * g * q;
            }
        });
        sums
    }

    /// The ρ₀ at which this lattice neither contracts nor expands. The virial `Σ (P g + P_near g²) q` vanishes:
    /// `ρ₀ = ρ + k_near ρ_near/k Σ g² q / Σ g q`, with normalized densities.
    pub fn rest_density(&self, [rho, near]: [f64; 2], k: f64, k_near: f64) -> f64 {
        rho + k_near * near / k * self.balance()
    }

    /// −P over P_near at which this lattice neither contracts nor expands: `Σ g² q / Σ g q`.
    pub fn balance(&self) -> f64 {
        self.near_reach / self.reach
    }
}

/// Pressure over density of a lattice by the virial, `p/ρ = h/(2D) Σ_j (P g + P_near g²) q`, with `P = k w (ρ − ρ₀ …)`,
/// `[m²/s²]`; `h` in `[m]`.
pub fn virial<const D: usize>(stiffness: &Stiffness, eta: f64, h: f64) -> f64 {
    let sums = LatticeSums::new::<D>(eta);
    let (k, k_near, rest) =
        (f64::from(stiffness.k), f64::from(stiffness.k_near), f64::from(stiffness.k_rest));
    let (p, near) = (k * sums.rho - rest, k_near * sums.near);
    h / (2.0 * D as f64) * (p * sums.reach + near * sums.near_reach)
}

/// Squared speed of pressure waves in the lattice, `c² = d(p/ρ)/d ln ρ + p/ρ`, `[m²/s²]`: which determines the
/// compression and limits the step.
pub fn sound_speed2<const D: usize>(stiffness: &Stiffness, eta: f64, h: f64) -> f64 {
    // The density is proportional to the D-th power of the support ratio.
    const PART: f64 = 1e-3;
    let at = |part: f64| virial::<D>(stiffness, eta * (1.0 + part), h);
    let slope = (at(PART) - at(-PART)) / (2.0 * PART * D as f64);
    slope + at(0.0)
}

/// Largest stable Courant number of pressure waves, `[-]`. Measured on tanks at rest with η = 2.5: Jacobi 1.0 to 1.4 in
/// 2D, 0.7 to 1.0 or 1.0 to 1.4 in 3D; Gauss-Seidel 1.4 to 2.0.
pub fn stable_waves(dim: usize, jacobi: bool) -> f64 {
    match (jacobi, dim) {
        (true, 2) => 1.35,
        (true, _) => 1.0,
        (false, _) => 1.4,
    }
}

/// Largest `dt² k_spring` at which a perturbed elastic block comes to rest, `[-]`. Measured: sequential Gauss-Seidel
/// above 2; multicolor 0.5 to 0.83; Jacobi 0.28 to 0.5 in 3D, 0.5 to 0.83 in 2D.
pub fn stable_springs(mode: RelaxMode) -> f64 {
    match mode {
        RelaxMode::Sequential => 0.83,
        RelaxMode::Colored => 0.5,
        RelaxMode::Jacobi => 0.28,
    }
}

/// Largest `dt² k_stick`, `[-]`: a particle at rest close to a wall then reaches its surface in one step, and no
/// further.
pub const STABLE_STICKINESS: f64 = 1.0;
