//! The formulas of the method: pure, without loops and memory.
//!
//! `x_ij = x_i − x_j` points from j to i, so that a positive number along it pushes i away from j.

use crate::params::RelaxMode;
use sph_core::{Real, numerics::lane::Lane};

/// Distances are taken at least this long where one divides by them: particles in one place then have no direction.
const TINY: Real = 1e-30;

/// Closeness `g = (1 − r/h)₊`, `[-]` `[CBP05, §4.1]`.
#[inline(always)]
pub fn closeness<L: Lane>(r: L, inv_h: Real) -> L {
    (L::splat(1.0) - r * L::splat(inv_h)).max(L::splat(0.0))
}

/// `1/r`, finite for particles in one place, `[1/m]`.
#[inline(always)]
pub fn inverse<L: Lane>(r: L) -> L {
    L::splat(1.0) / r.max(L::splat(TINY))
}

/// What a particle adds to density and near density of another: `g²` and `g³` `[CBP05, eq. 1, 3]`.
#[inline(always)]
pub fn density_terms<L: Lane>(g: L) -> [L; 2] {
    let g2 = g * g;
    [g2, g2 * g]
}

/// Pressures of double density: `P = k (ρ − ρ₀)` and `P_near = k_near ρ_near` `[CBP05, eq. 2, 4]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// Stiffness k over what densities are divided by, `[m/s²]`.
    pub k: Real,
    /// Near stiffness over what near densities are divided by, `[m/s²]`.
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

    /// What a wall answers the pressures of a particle with: the same, as fluid that goes on behind it would, but no more
    /// tension than what the near pressure balances, so that walls do not pull a layer at the spacing of the lattice.
    #[inline(always)]
    pub fn on_wall<L: Lane>(&self, [p, near]: [L; 2]) -> [L; 2] {
        [p.max(L::splat(-self.balance) * near), near]
    }
}

/// How far a pair moves apart because of one of its particles, without dt²: `P g + P_near g²`, `[m/s²]`
/// `[CBP05, eq. 6]`. Half of it is for each.
#[inline(always)]
pub fn push<L: Lane>([p, near]: [L; 2], g: L) -> L {
    (p + near * g) * g
}

/// Largest displacement that a pair gives a particle in a pass, over h, `[-]`.
pub const MAX_DISPLACEMENT: Real = 0.25;

/// Size of a displacement, kept within `±most`, `[m]`.
#[inline(always)]
pub fn limited<L: Lane>(displacement: L, most: Real) -> L {
    displacement.max(L::splat(-most)).min(L::splat(most))
}

/// Viscosity of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viscosity {
    /// `dt σ`, `[-]`.
    pub linear: Real,
    /// `dt β`, `[s/m]`.
    pub quadratic: Real,
    /// Part of the approach that a pair may take away, `[-]`: 1 stops it, and never turns it around.
    pub most: Real,
}

impl Viscosity {
    /// The impulse `I = dt g (σ u + β u²) ≤ u` of a pair that comes nearer with the speed u; 0 of one that parts, `[m/s]`
    /// `[CBP05, eq. 8]`. Half of it is for each.
    #[inline(always)]
    pub fn impulse<L: Lane>(&self, u: L, g: L) -> L {
        let u = u.max(L::splat(0.0));
        let taken = g * u * (L::splat(self.linear) + L::splat(self.quadratic) * u);
        taken.min(L::splat(self.most) * u)
    }
}

/// How a spring of rest length L answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// `dt² k_spring`, `[-]`.
    pub stiffness: Real,
    /// Interaction radius, `[m]`.
    pub h: Real,
}

impl Spring {
    /// How far a pair moves apart: `dt² k (1 − L/h)(L − r)`, `[m]` `[CBP05, eq. 7]`. Half of it is for each.
    #[inline(always)]
    pub fn displacement<L: Lane>(&self, rest: L, r: L) -> L {
        // Divided: a spring as long as h then is none to the last bit, as padding is.
        L::splat(self.stiffness) * (L::splat(1.0) - rest / L::splat(self.h)) * (rest - r)
    }
}

/// How rest lengths flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// `dt α`, at most 1, `[-]`.
    pub rate: Real,
    /// Yield ratio γ, `[-]`.
    pub yield_ratio: Real,
}

impl Flow {
    /// The rest length after a step at the distance r: it follows what exceeds the yield ratio, `[m]` `[CBP05, §5.2]`.
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
    /// `ρ₀ = ρ + k_near ρ_near/k Σ g² q / Σ g q`, with densities already divided by what they are divided by.
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

/// Squared speed of pressure waves in the lattice, `c² = d(p/ρ)/d ln ρ + p/ρ`, `[m²/s²]`: what compression is held by,
/// and what limits the step.
pub fn sound_speed2<const D: usize>(stiffness: &Stiffness, eta: f64, h: f64) -> f64 {
    // Density goes with the cube (the square) of the support ratio.
    const PART: f64 = 1e-3;
    let at = |part: f64| virial::<D>(stiffness, eta * (1.0 + part), h);
    let slope = (at(PART) - at(-PART)) / (2.0 * PART * D as f64);
    slope + at(0.0)
}

/// Spacings that a pressure wave may run in a step before the relaxation explodes, `[-]`. Measured on tanks at rest with
/// η = 2.5: all at once 1.0 to 1.4 in the plane, 0.7 to 1.0 or 1.0 to 1.4 in space; one after the other 1.4 to 2.0.
pub fn stable_waves(dim: usize, at_once: bool) -> f64 {
    match (at_once, dim) {
        (true, 2) => 1.35,
        (true, _) => 1.0,
        (false, _) => 1.4,
    }
}

/// Largest `dt² k_spring` at which a stirred elastic block comes to rest, `[-]`. Measured: one spring after the other above
/// 2; those of one particle at once 0.5 to 0.83; all at once 0.28 to 0.5 in space, 0.5 to 0.83 in the plane.
pub fn stable_springs(mode: RelaxMode) -> f64 {
    match mode {
        RelaxMode::Sequential => 0.83,
        RelaxMode::Colored => 0.5,
        RelaxMode::Jacobi => 0.28,
    }
}

/// Largest `dt² k_stick`, `[-]`: with it a particle that rests close to a wall falls onto it in one step, and no further.
pub const STABLE_STICKINESS: f64 = 1.0;

/// What a unit becomes when lengths grow by `lengths` and times by `times`: the factor of a number whose unit is
/// `m^l s^t`. Motions are then similar.
pub fn similar(lengths: f64, times: f64, l: i32, t: i32) -> f64 {
    lengths.powi(l) * times.powi(t)
}

/// Spacing at which the lattice has the double density `rho` (sums of g², not divided), `[m]`, for interaction radius
/// `h`: the inverse of `Σ g²(h/s)`.
pub fn spacing_of<const D: usize>(rho: f64, h: f64) -> f64 {
    let (mut low, mut high) = (1.0, 64.0);
    for _ in 0..64 {
        let eta = 0.5 * (low + high);
        if LatticeSums::new::<D>(eta).rho < rho {
            low = eta
        } else {
            high = eta
        }
        if high - low < 1e-9 {
            break;
        }
    }
    h / (0.5 * (low + high))
}
