//! The formulas of the staggered projection: pure, without loops, over lanes.
//!
//! `q = r/h`; `n_ij` points from `j` to `i`; `a_ij = 1/α_i + 1/α_j`. Gradient, divergence and Laplacian carry the same
//! factor `1/d`: the mean of `n nᵀ` over all directions is `I/d`.

use crate::params::WeightForm;
pub use sph_core::numerics::vector::dot;
use sph_core::{Real, geometry::lattice, numerics::lane::Lane};

/// Weights of a neighbor: `w` and, with the clamped distance `r_c = max(r, c h)`, `w¹ = w/r_c` and `w² = w/r_c²`. They
/// have to share `r_c`, or `A` is not `D M⁻¹ Dᵀ` any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// What w is of q.
    pub form: WeightForm,
    /// `1/h`, `[1/m]`.
    pub inv_h: Real,
    /// 1 over the clamped radius, `[1/m]`.
    pub inv_clamp: Real,
}

/// The weights of one pair.
#[derive(Clone, Copy)]
pub struct Weighed<L> {
    /// `1/r`, bounded where r is 0, `[1/m]`.
    pub inv_r: L,
    /// `w`, `[-]`.
    pub w: L,
    /// `w/r_c`, `[1/m]`.
    pub w1: L,
    /// `w/r_c²`, `[1/m²]`.
    pub w2: L,
}

/// The weights of one pair in the viscosity along lines of centers.
#[derive(Clone, Copy)]
pub struct CentralWeights<L> {
    /// `1/r`, bounded where r is 0, `[1/m]`.
    pub inv_r: L,
    /// `w`, `[-]`.
    pub w: L,
    /// `w/r²`, `[1/m²]`.
    pub w2: L,
}

impl Weight {
    /// With a clamp at `clamp` supports, 0 for weights without one. `h` `[m]`.
    pub fn new(form: WeightForm, h: Real, clamp: Real) -> Self {
        Self { form, inv_h: 1.0 / h, inv_clamp: 1.0 / (clamp.max(TINY as Real) * h) }
    }

    /// At a squared distance, `[m²]`. All vanish from h on.
    #[inline(always)]
    pub fn at<L: Lane>(self, r2: L) -> Weighed<L> {
        let inv_h = L::splat(self.inv_h);
        let inv_r = L::splat(1.0) / r2.sqrt().max(L::splat(TINY as Real / self.inv_h));
        let inv_c = inv_r.min(L::splat(self.inv_clamp));
        let w = self.of(r2 * inv_h * inv_h);
        let w1 = w * inv_c;
        Weighed { inv_r, w, w1, w2: w1 * inv_c }
    }

    /// `w` at a squared `q`. Beyond h, where q may overflow, q is held at 1. The form is the same for all pairs.
    #[inline(always)]
    pub fn of<L: Lane>(self, q2: L) -> L {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        if self.form == WeightForm::MpsQuartic {
            return zero.max(one - q2 * q2);
        }
        let held = one.min(q2);
        let q = one.min(q2.sqrt());
        let left = one - q;
        if self.form == WeightForm::Spiky {
            return q.max(L::splat(self.inv_h / self.inv_clamp)) * (left * left);
        }
        held * left * (left * left)
    }

    /// Those of the viscosity along lines of centers, `w = q⁴ (1 − q)³` whatever the form. It weighs fourth moments of n, in which
    /// square and cubic lattices are not isotropic: for this weight they are, to 2.5 percent for η from 2.5 to 4, and to 0.1
    /// in 2D at 2.5, where others make shear along the axes 15 to 20 percent less viscous. Close pairs need no clamp.
    #[inline(always)]
    pub fn central<L: Lane>(self, r2: L) -> CentralWeights<L> {
        let (one, inv_h) = (L::splat(1.0), L::splat(self.inv_h));
        let inv_r = one / r2.sqrt().max(L::splat(TINY as Real / self.inv_h));
        let q2 = one.min(r2 * inv_h * inv_h);
        let left = one - q2.sqrt();
        let w2 = q2 * left * (left * left);
        CentralWeights { inv_r, w: q2 * w2, w2: w2 * inv_h * inv_h }
    }
}

/// Distances below this part of h count as 0: coincident particles have no direction.
const TINY: f64 = 1e-6;

/// Sums over the full lattice of particles at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatticeSums {
    /// `α = Σ w`, `[-]`.
    pub alpha: f64,
    /// `Σ a w² = 2 Σ w²/α`, the diagonal inside of the fluid, times `h²`, `[-]`.
    pub diagonal_h2: f64,
    /// `Σ w` of [`Weight::central`], `[-]`.
    pub central: f64,
}

impl LatticeSums {
    /// For `η = h/Δx`.
    pub fn new<const D: usize>(weight: Weight, eta: f64) -> Self {
        let h = 1.0 / f64::from(weight.inv_h);
        let (mut alpha, mut sum_w2, mut central) = (0.0, 0.0, 0.0);
        lattice::for_each_site::<D>(eta, |site| {
            let r2 = site.iter().map(|c| c * c).sum::<f64>() * (h / eta) * (h / eta);
            if r2 > 0.0 {
                let at = weight.at::<f64>(r2);
                (alpha, sum_w2) = (alpha + at.w, sum_w2 + at.w2);
                central += weight.central::<f64>(r2).w;
            }
        });
        Self { alpha, diagonal_h2: 2.0 * sum_w2 / alpha * h * h, central }
    }
}

/// Velocity of the fluid against a wall, `u = v_i − v_k`, in the divergence: normal to the wall all of an approach, and
/// the part `separation` of a departure; along the wall the part `tangential`. `n` is the normal into the
/// fluid.
#[inline(always)]
pub fn against_wall<L: Lane, const D: usize>(u: [L; D], n: [L; D], tangential: L, separation: L) -> [L; D] {
    let zero = L::splat(0.0);
    let u_n = dot(u, n);
    let kept = zero.min(u_n) + separation * zero.max(u_n);
    let mut felt = u;
    for a in 0..D {
        felt[a] = kept * n[a] + tangential * (u[a] - u_n * n[a]);
    }
    felt
}

/// With how much of the pressure a wall acts on fluid that leaves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parting {
    /// Part of a departure that the divergence counts, `[-]`.
    pub separation: Real,
    /// The speed V up to which a wall acts with all of the pressure, `[m/s]`.
    pub speed: Real,
}

impl Parting {
    /// Part of the pressure with which a wall pushes fluid that moves by `u` against it: 1, and from twice the speed on what the
    /// divergence counts of the departure. With more, the wall would be a piston that follows the fluid.
    #[inline(always)]
    pub fn held<L: Lane, const D: usize>(self, u: [L; D], n: [L; D]) -> L {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let gone = one.min(zero.max(dot(u, n) / L::splat(self.speed) - one));
        one - L::splat(1.0 - self.separation) * gone
    }
}

/// Contact: walls stop particles that would pass them in the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The step, `[s]`.
    pub dt: f64,
    /// The gap that they keep, a fifth of a spacing, `[m]`. Nearer to ghosts their pressure would be that of fluid pressed together,
    /// and what is squeezed out along the wall would gain energy; tanks at rest come as near as a quarter.
    pub least: f64,
    /// Squared distance, along a surface, within which there is a sample of it wherever its edges are, `[m²]`.
    pub pitch2: Real,
}

impl Contact {
    /// In a step `dt`, `[s]`, of particles with this spacing, `[m]`.
    pub fn new<const D: usize>(dt: f64, spacing: Real) -> Self {
        Self { dt, least: 0.2 * f64::from(spacing), pitch2: 0.5 * (D as Real - 1.0) * spacing * spacing }
    }

    /// The gap from which on a particle counts as behind a wall, and is left alone, `[m]`: the first layer of samples of a tank, whose
    /// pressure drives out what is before it; the surface of an obstacle, from within which the nearest face may be another one
    /// than it came through.
    pub fn behind(outside: bool, first_layer: f64) -> f64 {
        if outside { 0.0 } else { -first_layer }
    }

    /// What a wall takes of the velocity of a particle along its normal, `[m/s]`:
    /// `max(min((least − g)/dt, −u_n), 0)`, with the gap `g` at the end of the step and the velocity `u_n` against the wall. So
    /// the wall stops particles, and throws none.
    pub fn stopped(&self, gap: f64, u_n: f64) -> f64 {
        let (lacks, approach) = ((self.least - gap) / self.dt, -u_n);
        let change = if lacks < approach { lacks } else { approach };
        if change > 0.0 { change } else { 0.0 }
    }
}

/// The tangential wall correction. A ghost mirrors pressure and velocity of the particle whose neighbor it is, so it adds to
/// the α of a particle beside a wall, but not to its differences along the wall. `E_i = d G/(α (α − d g))` makes up for it: `G = Σ_k w (P n_ik)(P n_ik)ᵀ` with `P` along the wall of ghost `k`, and
/// `g` its size. Six numbers, the upper triangle row by row; those of the third axis are 0 in 2D.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallCorrection<L>(pub [L; 6]);

impl<L: Lane> WallCorrection<L> {
    /// Term of a ghost in `G` over `w`: `n` points from the ghost to the particle, `normal` into the fluid.
    #[inline(always)]
    pub fn of_ghost<const D: usize>(n: [L; D], normal: [L; D]) -> Self {
        let across = dot(n, normal);
        let mut t = [L::splat(0.0); 3];
        for a in 0..D {
            t[a] = n[a] - across * normal[a];
        }
        let [x, y, z] = t;
        Self([x * x, x * y, x * z, y * y, y * z, z * z])
    }

    /// `E x`.
    #[inline(always)]
    pub fn times<const D: usize>(self, x: [L; D]) -> [L; D] {
        const ROWS: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
        let mut product = [L::splat(0.0); D];
        for a in 0..D {
            for b in 0..D {
                product[a] = product[a] + self.0[ROWS[a][b]] * x[b];
            }
        }
        product
    }
}

/// The least part of α of the fluid: in a corner ghosts may have nearly all of it.
pub const LEAST_OF_ALPHA: Real = 0.2;

/// `E` over `G`: `d/(α' max(α − d g, 0.2 α))` with `g = √(tr G²/(d − 1))`, which is the share of each direction along a
/// plane wall; `inv_alpha` is `1/α'`, α with its floor.
pub fn correction_scale<const D: usize>(g: WallCorrection<Real>, alpha: Real, inv_alpha: Real) -> Real {
    let [xx, xy, xz, yy, yz, zz] = g.0;
    let squares = xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz);
    let size = (squares / (D as Real - 1.0)).sqrt();
    let left = alpha - D as Real * size;
    let least = LEAST_OF_ALPHA * alpha;
    D as Real * inv_alpha / if left < least { least } else { left }
}

/// When a particle is of the free surface, and its Dirichlet term there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeSurface {
    /// Diagonal of a particle inside of the fluid, `[1/m²]`.
    pub reference: Real,
    /// Part χ of it below which neighbors are missing, `[-]`.
    pub threshold: Real,
    /// Asymmetry from which on they are missing on one side, `[-]`.
    pub asymmetry: Real,
    /// Factor of the reference beside a wall, `[-]`.
    pub at_wall: Real,
    /// Part of α below which a particle is of a spray, `[-]`.
    pub spray: Real,
    /// True where asymmetry alone tells: with the difference gradient, which wants the order that shifting keeps.
    pub by_asymmetry: bool,
}

/// With less than this part of the diagonal or of α a particle is of the surface wherever its neighbors are: it is spray. A
/// flat surface leaves 0.63 to 0.73 of the diagonal.
pub const SPRAY: Real = 0.5;

/// With less than this part of the diagonal by the fluid, walls do not count as neighbors of a particle: they have no pressure
/// to hold it with. A corner of three walls leaves a third.
pub const LONE: Real = 0.1;

/// Bound of |σ| h below which a particle is not searched: neighbors on one side only give one to two.
pub const STEEPEST: Real = 3.0;

/// A search that raises a Dirichlet term by a smaller part than this changes nothing.
pub const GROWTH: Real = 1e-3;

/// Dirichlet term `d |σ_i|²` of a particle that the pressure accelerates into a void, `d dt/ρ₀ |σ_i| p_i > V`, `[1/m²]`; 0 of others.
/// `push` is `d dt/ρ₀ p_i`, `[m²/s]`.
#[inline(always)]
pub fn of_void<const D: usize>(push: Real, sigma2: Real, speed: Real) -> Real {
    if push * sigma2.sqrt() > speed { D as Real * sigma2 } else { 0.0 }
}

/// Part of α that particles of the surface must have among the neighbors of one in the surface region.
pub const REACH: Real = 1e-3;

impl FreeSurface {
    /// The diagonal that counts, `[1/m²]`, of a particle with `fluid` by the fluid and `total` by walls, too.
    #[inline(always)]
    pub fn counted(&self, fluid: Real, total: Real) -> Real {
        if fluid < LONE * self.reference { fluid } else { total }
    }

    /// Whether a particle is of the surface. `total` is its diagonal, `[1/m²]`; `alpha` and `asymmetry` are its `Σ w` and
    /// `|Σ w n|` over the lattice's α.
    #[inline(always)]
    pub fn holds(&self, total: Real, alpha: Real, asymmetry: Real, at_wall: bool) -> bool {
        let full = if at_wall { self.at_wall * self.reference } else { self.reference };
        let lacks = (self.by_asymmetry || total < self.threshold * full) && asymmetry >= self.asymmetry;
        lacks || total < SPRAY * full || alpha < self.spray
    }

    /// Dirichlet term `s_i` of a particle of the surface: what its diagonal lacks, at least that of the lattice in proportion to the α
    /// that a spray lacks, `[1/m²]`. A few particles that fly close to each other have a full diagonal.
    #[inline(always)]
    pub fn missing(&self, total: Real, alpha: Real, at_wall: bool) -> Real {
        let full = if at_wall { self.at_wall * self.reference } else { self.reference };
        let of_spray = if alpha < self.spray { (1.0 - alpha) * self.reference } else { 0.0 };
        let lacks = full - total;
        if lacks < of_spray { of_spray } else { lacks }
    }
}

/// Density error that the source takes out: `ρ/ρ₀ − 1`, of which a deficit counts inside of the fluid alone, and not more
/// than [`LACK`].
#[inline(always)]
pub fn density_error(excess: Real, two_sided: bool) -> Real {
    let least = if two_sided { LACK } else { 0.0 };
    if excess < least { least } else { excess }
}

/// The largest density deficit that the source takes out, `[-]`.
pub const LACK: Real = -0.05;

/// XSPH weight of a pair (Monaghan 1992, eq. 7.1): `2 m/(ρ_i + ρ_j) W_ij`.
#[inline(always)]
pub fn xsph<L: Lane>(m: L, rho_i: L, rho_j: L, w: L) -> L {
    L::splat(2.0) * m / (rho_i + rho_j) * w
}

/// How much farther the mirror image of a particle behind a wall is from it than the wall: `(d_i + d_k)/d_i` with the
/// distance `d_i` of the particle before the wall, held at `least`, and the depth `d_k` of the sample. A velocity that is
/// linear across the wall then is 0 on it.
#[inline(always)]
pub fn mirrored<L: Lane>(before: L, depth: L, least: L) -> L {
    let before = before.max(least);
    (before + depth) / before
}
