//! Implicit viscosity along the lines of centers (Monaghan & Gingold 1983), with its stress at the free surface: one
//! equation for all components of the velocity, whose products weigh every pair anew.

use super::{
    Cpu,
    equation::{Equation, Inverse, Matrix, Product, make_room},
    viscosity::{Viscous, mirror},
};
use crate::{
    Projection,
    cg::{self, Outcome, Solved},
    memory::{
        Fields, Vectors,
        record::{INV_ALPHA, TANGENTIAL, V},
    },
    physics::dot,
};
use sph_core::{
    Real,
    method::failure::Lost,
    neighbors::{Chunk, NeighborLists},
    numerics::{
        lane::{Isa, Lane, each},
        parallel::{self, Exact, Max, Merge},
    },
    phase,
    run::ranks::{exchange::PointSet, shared::Others},
};
use std::mem::take;

/// Normal and weight of a wall sample over `1/α_i`: `n_ik` and `2 w² τ (d_i + d_k)/d_i`.
#[inline(always)]
pub(super) fn friction<L: Lane, const D: usize>(
    s: &Viscous<'_, D>,
    x_ik: [L; D],
    r2: L,
    k: &[L; 12],
) -> ([L; D], L) {
    let at = s.weight.central(r2);
    let mut n = x_ik;
    for a in 0..D {
        n[a] = x_ik[a] * at.inv_r;
    }
    (n, L::splat(2.0) * at.w2 * k[TANGENTIAL] * mirror(s, x_ik, k))
}

phase! {
/// `1/α` of those that take part, `α = Σ_j w + Σ_k τ w`. Walls without friction are left out like the air, since the stress along
/// them is 0, too: so `Σ a w² r²` is 2 beside them and at the surface as it is inside. `least` is the least α.
fn partners<L>[const D: usize](s: &Viscous<'_, D>, least: Real, fluid: &Chunk, walls: &Chunk, out: &mut [Real]) {
    for (row, i) in fluid.points().enumerate() {
        let x_i: [Real; D] = each(|a| s.record[i][a]);
        let [inner] = fluid.sum::<L, D, 8, 1>(i, x_i, s.record, &s.periodic, |_, r2, _| [s.weight.central(r2).w]);
        let [outer] = walls.sum::<L, D, 12, 1>(i, x_i, s.walls, &s.periodic, |_, r2, k| {
            [k[TANGENTIAL] * s.weight.central(r2).w]
        });
        let alpha = inner + outer;
        out[row] = 1.0 / if alpha < least { least } else { alpha };
    }
}
}

phase! {
/// `Σ_j a_ij w² n n + Σ_k a_ik w² τ β n n` on its diagonal, and `Σ_k a_ik w² τ β n n·v_k`.
fn fixed<L>[const D: usize](
    s: &Viscous<'_, D>, fluid: &Chunk, walls: &Chunk, diagonal: [&mut [Real]; D], drags: [&mut [Real]; D],
) {
    for (row, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let (x_i, inv_i): ([Real; D], _) = (each(|a| r_i[a]), L::splat(r_i[INV_ALPHA]));
        let inner = fluid.sum::<L, D, 8, D>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
            let at = s.weight.central(r2);
            let coefficient = (inv_i + j[INV_ALPHA]) * at.w2;
            each(|a| coefficient * (x_ij[a] * at.inv_r) * (x_ij[a] * at.inv_r))
        });
        let outer = walls.sum::<L, D, 12, 6>(i, x_i, s.walls, &s.periodic, |x_ik, r2, k| {
            let (n, weight) = friction(s, x_ik, r2, &k);
            let coefficient = inv_i * weight;
            let carried = coefficient * dot(n, each(|a| k[V + a]));
            let mut sums = [L::splat(0.0); 6];
            for a in 0..D {
                (sums[a], sums[3 + a]) = (coefficient * n[a] * n[a], carried * n[a]);
            }
            sums
        });
        for a in 0..D {
            (diagonal[a][row], drags[a][row]) = (inner[a] + outer[a], outer[3 + a]);
        }
    }
}
}

phase! {
/// `q_i = d_i + scale [Σ_j a_ij w² n n·(d_i − d_j) + Σ_k a_ik w² τ β n n·d_i]`, d in the place of the velocities of the
/// records and, axis after axis, in `flat`. Returns `d·q`, and the largest `A_ii d_i²`. Ghosts have no diagonal, and q = 0.
fn product<L>[const D: usize](
    s: &Viscous<'_, D>, scale: Real, diagonal: &[Real], flat: &[Real], fluid: &Chunk, walls: &Chunk, q: [&mut [Real]; D],
) -> Product {
    let (n_points, mut largest): (_, Real) = (diagonal.len() / D, 0.0);
    for (row, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let (x_i, inv_i): ([Real; D], _) = (each(|a| r_i[a]), L::splat(r_i[INV_ALPHA]));
        let d_i: [L; D] = each(|a| L::splat(r_i[V + a]));
        let inner = fluid.sum::<L, D, 8, D>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
            let at = s.weight.central(r2);
            let n: [L; D] = each(|a| x_ij[a] * at.inv_r);
            let along = (inv_i + j[INV_ALPHA]) * at.w2 * dot(n, each(|a| d_i[a] - j[V + a]));
            each(|a| along * n[a])
        });
        let outer = walls.sum::<L, D, 12, D>(i, x_i, s.walls, &s.periodic, |x_ik, r2, k| {
            let (n, weight) = friction(s, x_ik, r2, &k);
            let along = inv_i * weight * dot(n, d_i);
            each(|a| along * n[a])
        });
        for a in 0..D {
            let (d, diagonal) = (r_i[V + a], diagonal[a * n_points + i]);
            q[a][row] = (if diagonal > 0.0 { d } else { 0.0 }) + scale * (inner[a] + outer[a]);
            largest = largest.max(diagonal * d * d);
        }
    }
    let of_axis = |a: usize| Exact::dot(&flat[a * n_points..][fluid.points()], &*q[a]);
    let work = (0..D).map(of_axis).fold(Exact::default(), Merge::merge);
    Product { work, largest: Max(f64::from(largest)) }
}
}

/// The matrix of the viscous equation.
struct Stress<'a, const D: usize> {
    isa: Isa,
    fluid: &'a NeighborLists,
    walls: &'a NeighborLists,
    /// What the loops read, but for the records.
    viscous: Viscous<'a, D>,
    record: &'a mut [[Real; 8]],
    scale: Real,
}

impl<const D: usize> Matrix<D> for Stress<'_, D> {
    fn multiply(&mut self, vectors: &mut Vectors, others: &mut Others<'_, D>) -> Result<Product, Lost> {
        let n = self.fluid.len();
        let Vectors { diagonal, d, q, .. } = vectors;
        parallel::blocks(n, &mut self.record[..n], |range, record| {
            for (out, i) in record.iter_mut().zip(range) {
                for a in 0..D {
                    out[V + a] = d[a * n + i];
                }
            }
        });
        others.refresh(PointSet::Fluid, self.record)?;
        let (isa, scale, s) = (self.isa, self.scale, Viscous { record: self.record, ..self.viscous });
        Ok(self.fluid.for_each(axes::<D>(q, n), |k, fluid, q| {
            product(isa, &s, scale, diagonal, d, fluid, &self.walls.chunks()[k], q)
        }))
    }
}

/// The axes of a field that has them one after the other.
fn axes<const D: usize>(mut flat: &mut [Real], n: usize) -> [&mut [Real]; D] {
    std::array::from_fn(|_| {
        let (axis, rest) = take(&mut flat).split_at_mut(n);
        flat = rest;
        axis
    })
}

impl<const D: usize> Cpu<'_, D> {
    /// `d (d + 2) dt μ/ρ₀`: the mean of `n n n n` over all directions is `(δδ + δδ + δδ)/(d (d + 2))`. `[m²]`.
    pub(super) fn central_diffusion(&self, dt: Real) -> Real {
        (D as Real + 2.0) * self.diffusion(dt)
    }

    /// Backward Euler, all axes at once.
    pub(super) fn diffuse_with_stress(&mut self, dt: Real) -> Result<Outcome, Lost> {
        let scale = self.central_diffusion(dt);
        let Fields { record, viscous, velocity, viscous_residuals, .. } = &mut self.method.fields;
        let (mut record, mut vectors) = (take(record), take(viscous));
        let (mut x, mut history) = (take(velocity), take(viscous_residuals));
        let solved = self.solve_stress(scale, &mut record, &mut vectors, &mut x, &mut history);
        let n = self.state.fluid.len();
        for (a, v) in self.state.fluid.v.iter_mut().enumerate() {
            v.copy_from_slice(&x[a * n..][..n]);
        }
        let fields = &mut self.method.fields;
        (fields.record, fields.viscous) = (record, vectors);
        (fields.velocity, fields.viscous_residuals) = (x, history);
        Ok(solved?.outcome)
    }

    fn solve_stress(
        &mut self,
        scale: Real,
        record: &mut [[Real; 8]],
        vectors: &mut Vectors,
        x: &mut [Real],
        history: &mut Vec<f64>,
    ) -> Result<Solved, Lost> {
        let n = self.state.fluid.len();
        self.weigh_partners(record, &mut x[..n]);
        self.method.shell.with_others().1.refresh(PointSet::Fluid, record)?;
        self.set_up_stress(scale, record, vectors, x);
        let (limits, preconditioner) = (self.method.viscous_limits(), self.method.params.preconditioner);
        make_room(history, &limits);
        let Viscous { weight, kernel, periodic, m, rho_0, xsph, least, .. } = self.viscous();
        let Projection { shell, fields, .. } = &mut *self.method;
        let total = D * shell.total(n);
        let (isa, (neighbors, others)) = (shell.isa, shell.with_others());
        for a in 0..D {
            others.clear_ghosts(&mut vectors.diagonal[a * n..][..n]);
            others.clear_ghosts(&mut vectors.b[a * n..][..n]);
        }
        let walls = &fields.wall_record[..];
        let viscous = Viscous { weight, kernel, periodic, record: &[], walls, m, rho_0, xsph, least };
        let (fluid, walls) = (&neighbors.fluid, &neighbors.walls);
        let matrix = Stress { isa, fluid, walls, viscous, record, scale };
        let of = (matrix, Inverse::pointwise(preconditioner), total);
        cg::solve(&mut Equation::new(of, (isa, others), vectors, x, history), &limits)
    }

    /// `v ← x + r`, which is `v*` and what pairs exchange at the velocities x: as opposite as the pairs are, not as the
    /// equation is solved.
    pub(super) fn add_residual(&mut self) {
        let (n, r) = (self.state.fluid.len(), &self.method.fields.viscous.r);
        for (a, v) in self.state.fluid.v.iter_mut().enumerate() {
            parallel::blocks(n, &mut v[..], |range, v| {
                for (v, i) in v.iter_mut().zip(range) {
                    *v += r[a * n + i];
                }
            });
        }
    }

    /// `1/α` of those that take part into the records.
    fn weigh_partners(&self, record: &mut [[Real; 8]], inv_alpha: &mut [Real]) {
        let (s, viscous) = (&*self.method, Viscous { record, ..self.viscous() });
        let (least, lists) = (s.least_central(), &s.shell.neighbors);
        lists.fluid.for_each(&mut *inv_alpha, |k, fluid, out| {
            partners(s.shell.isa, &viscous, least, fluid, &lists.walls.chunks()[k], out);
        });
        parallel::blocks(inv_alpha.len(), &mut record[..inv_alpha.len()], |range, record| {
            for (out, i) in record.iter_mut().zip(range) {
                out[INV_ALPHA] = inv_alpha[i];
            }
        });
    }

    /// The diagonal, the right-hand side, and the velocities to begin with.
    fn set_up_stress(&self, scale: Real, record: &[[Real; 8]], vectors: &mut Vectors, x: &mut [Real]) {
        let (s, n) = (&*self.method, self.state.fluid.len());
        let viscous = Viscous { record, ..self.viscous() };
        let Vectors { diagonal, b, .. } = vectors;
        let lists = &s.shell.neighbors;
        lists.fluid.for_each((axes::<D>(diagonal, n), axes::<D>(b, n)), |k, fluid, (diagonal, drags)| {
            fixed(s.shell.isa, &viscous, fluid, &lists.walls.chunks()[k], diagonal, drags);
        });
        for (a, v) in self.state.fluid.v.iter().enumerate() {
            let of = a * n..(a + 1) * n;
            let outputs = (&mut diagonal[of.clone()], (&mut b[of.clone()], &mut x[of]));
            parallel::blocks(n, outputs, |range, (diagonal, (b, x))| {
                for (k, i) in range.enumerate() {
                    diagonal[k] = 1.0 + scale * diagonal[k];
                    (x[k], b[k]) = (v[i], v[i] + scale * b[k]);
                }
            });
        }
    }
}
