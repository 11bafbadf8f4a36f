//! Cohesion, surface tension and adhesion for every solver (Akinci, Akinci & Teschner 2013).
//!
//! `F_ij = −K_ij [γ_c m_i m_j C(r) n_ij + γ_κ m (n_i − n_j)]`, `K_ij = 2ρ₀/(ρ_i + ρ_j)`, with the color
//! normals `n_i = h Σ_j V_j ∇W_ij`, which point into the fluid; adhesion `−β m_i psi_b A(r) n_ib`.

use crate::{
    Real, compiled_here,
    fluid::boundary::Boundary,
    kernel::{Adhesion, Cohesion, Kernel},
    neighbors::{Chunk, Neighbors, Periodic},
    numerics::lane::{Isa, Lane, each},
    phase,
};

/// Strengths of the surface terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tension {
    /// γ_c, [m⁴/(kg s²)] in 3D.
    pub cohesion: Real,
    /// γ_κ, `[m/s²]`.
    pub curvature: Real,
    /// β, [m⁴/(kg s²)] in 3D.
    pub adhesion: Real,
}

/// The surface terms of one step.
pub struct Surface<const D: usize> {
    /// Support radius, `[m]`.
    h: Real,
    cohesion: Cohesion<D>,
    adhesion: Adhesion<D>,
    periodic: Periodic<D>,
    m: Real,
    rho_0: Real,
    tension: Tension,
}

impl<const D: usize> Surface<D> {
    /// Surface terms within the support radius `h`, for particles of mass `m` and rest density `rho_0`.
    pub fn new(h: Real, periodic: Periodic<D>, m: Real, rho_0: Real, tension: Tension) -> Self {
        Self { h, cohesion: Cohesion::new(h), adhesion: Adhesion::new(h), periodic, m, rho_0, tension }
    }

    /// Writes what [`add_acceleration`](Self::add_acceleration) reads, the normals among it. `x4` is `[x y z ρ]`;
    /// `records` has its length, with the null particle in the last place.
    pub fn write_normals<K: Kernel<D>>(
        &self,
        isa: Isa,
        kernel: K,
        lists: &Neighbors<D>,
        x4: &[[Real; 4]],
        records: &mut [[Real; 8]],
    ) {
        let n = lists.fluid.len();
        lists.fluid.for_each(&mut records[..n], |_, fluid, out| normals(isa, kernel, self, fluid, x4, out));
    }

    /// Adds the accelerations to `a`. `walls` is `[x y z psi]`.
    pub fn add_acceleration(
        &self,
        isa: Isa,
        lists: &Neighbors<D>,
        walls: &[[Real; 4]],
        records: &[[Real; 8]],
        a: &mut [Vec<Real>; D],
    ) {
        compiled_here!(
            D,
            Surface::add_forces
                as fn(&Surface<D>, Isa, &Neighbors<D>, &[[Real; 4]], &[[Real; 8]], &mut [Vec<Real>; D])
        )(self, isa, lists, walls, records, a)
    }

    fn add_forces(
        &self,
        isa: Isa,
        lists: &Neighbors<D>,
        walls: &[[Real; 4]],
        records: &[[Real; 8]],
        a: &mut [Vec<Real>; D],
    ) {
        lists.fluid.for_each(a.each_mut().map(Vec::as_mut_slice), |k, fluid, a| {
            forces(isa, self, fluid, &lists.walls.chunks()[k], records, walls, a);
        });
    }

    /// Adds the forces of adhesion on loaded samples, opposite to those on the fluid, to `force`. Shape
    /// `[D][n_walls]`, `[N]`.
    pub fn add_reaction(
        &self,
        isa: Isa,
        lists: &Neighbors<D>,
        boundary: &Boundary<D>,
        x4: &[[Real; 4]],
        walls: &[[Real; 4]],
        force: &mut [Vec<Real>; D],
    ) {
        compiled_here!(
            D,
            Surface::add_adhesion
                as fn(
                    &Surface<D>,
                    Isa,
                    &Neighbors<D>,
                    &Boundary<D>,
                    &[[Real; 4]],
                    &[[Real; 4]],
                    &mut [Vec<Real>; D],
                )
        )(self, isa, lists, boundary, x4, walls, force)
    }

    fn add_adhesion(
        &self,
        isa: Isa,
        lists: &Neighbors<D>,
        boundary: &Boundary<D>,
        x4: &[[Real; 4]],
        walls: &[[Real; 4]],
        force: &mut [Vec<Real>; D],
    ) {
        lists.wall_fluid.for_each(force.each_mut().map(Vec::as_mut_slice), |_, rows, force| {
            adhesion(isa, self, boundary, rows, x4, walls, force);
        });
    }
}

phase! {
/// Records `[x y z · | n ρ]` with the color normals `n_i = h Σ_j m/ρ_j ∇W_ij`.
fn normals<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Surface<D>, fluid: &Chunk, x4: &[[Real; 4]], out: &mut [[Real; 8]],
) {
    for (k, i) in fluid.points().enumerate() {
        let x_i: [Real; D] = each(|a| x4[i][a]);
        let hm = L::splat(s.h * s.m);
        // The null particle's density is 0: keep its quotient finite.
        let tiny = L::splat(Real::MIN_POSITIVE.sqrt());
        let n = fluid.sum::<L, D, 4, D>(i, x_i, x4, &s.periodic, |x_ij, r2, [_, _, _, rho_j]| {
            let f = hm / rho_j.max(tiny) * kernel.grad_factor(r2);
            each(|a| f * x_ij[a])
        });
        out[k] = [0.0; 8];
        out[k][..3].copy_from_slice(&x4[i][..3]);
        out[k][4..4 + D].copy_from_slice(&n);
        out[k][7] = x4[i][3];
    }
}
}

phase! {
/// Cohesion, curvature and adhesion accelerations, added.
fn forces<L>[const D: usize](
    s: &Surface<D>, fluid: &Chunk, wall_rows: &Chunk, records: &[[Real; 8]], walls: &[[Real; 4]],
    a: [&mut [Real]; D],
) {
    for (k, i) in fluid.points().enumerate() {
        let r_i = &records[i];
        let x_i: [Real; D] = each(|d| r_i[d]);
        let n_i: [L; D] = each(|d| L::splat(r_i[4 + d]));
        let (rho_i, two_rho_0) = (L::splat(r_i[7]), L::splat(2.0 * s.rho_0));
        let (cohesion, curvature) = (L::splat(s.tension.cohesion * s.m), L::splat(s.tension.curvature));
        let h2 = L::splat(s.h * s.h);
        let inner = fluid.sum::<L, D, 8, D>(i, x_i, records, &s.periodic, |x_ij, r2, j| {
            let amplify = two_rho_0 / (rho_i + j[7]);
            let along = cohesion * s.cohesion.c_over_r(r2);
            // Curvature acts on every neighbor alike: only what is in reach may count.
            let near = (h2 - r2).max(L::splat(0.0));
            let curvature = curvature * (near / near.max(L::splat(Real::MIN_POSITIVE)));
            each(|d| -(amplify * (along * x_ij[d] + curvature * (n_i[d] - j[4 + d]))))
        });
        let adhesion = L::splat(s.tension.adhesion);
        let outer = wall_rows.sum::<L, D, 4, D>(i, x_i, walls, &s.periodic, |x_ib, r2, [_, _, _, psi]| {
            let pull = adhesion * psi * s.adhesion.a_over_r(r2);
            each(|a| -(pull * x_ib[a]))
        });
        for d in 0..D {
            a[d][k] += inner[d] + outer[d];
        }
    }
}
}

phase! {
/// Adhesion on loaded samples, added: `F_b += β m psi_b Σ_i A(r) x_ib/r`.
fn adhesion<L>[const D: usize](
    s: &Surface<D>, boundary: &Boundary<D>, rows: &Chunk, x4: &[[Real; 4]], walls: &[[Real; 4]],
    force: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate() {
        if !boundary.is_loaded(b) {
            continue;
        }
        let x_b: [Real; D] = each(|a| walls[b][a]);
        let strength = L::splat(s.tension.adhesion * walls[b][3]);
        let sum = rows.sum::<L, D, 4, D>(b, x_b, x4, &s.periodic, |x_bi, r2, _| {
            let pull = strength * s.adhesion.a_over_r(r2);
            each(|a| -(pull * x_bi[a]))
        });
        for a in 0..D {
            force[a][k] += s.m * sum[a];
        }
    }
}
}
