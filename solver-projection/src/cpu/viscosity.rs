//! Implicit viscosity, with the matrix of the pressure, and XSPH.

use super::{
    Cpu,
    equation::{Equation, Inverse, Rows, make_room},
};
use crate::{
    Projection,
    cg::{self, Outcome},
    choices::NEAREST,
    memory::{
        Fields,
        record::{DEPTH, INV_ALPHA, NORMAL, RHO, TANGENTIAL, V},
    },
    params::ViscousForm,
    physics::{self, Weight, mirrored},
};
use sph_core::{
    Real,
    kernel::{CubicSpline, Kernel},
    method::failure::Lost,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        parallel,
    },
    phase,
};
use std::mem::take;

/// What the loops read.
#[derive(Clone, Copy)]
pub(super) struct Viscous<'a, const D: usize> {
    pub weight: Weight,
    pub kernel: CubicSpline<D>,
    pub periodic: Periodic<D>,
    /// `[x y z 1/α | v p]`, or for XSPH `[x y z · | v ρ]`.
    pub record: &'a [[Real; 8]],
    pub walls: &'a [[Real; 12]],
    pub m: Real,
    pub rho_0: Real,
    /// Part c of XSPH.
    pub xsph: Real,
    /// A particle is never nearer to a wall than this, `[m]`.
    pub least: Real,
}

/// `(d_i + d_k)/d_i` with the distances of a particle and of a wall sample from the surface of the wall.
#[inline(always)]
pub(super) fn mirror<L: Lane, const D: usize>(s: &Viscous<'_, D>, x_ik: [L; D], k: &[L; 12]) -> L {
    let mut before = -k[DEPTH];
    for a in 0..D {
        before = before + k[NORMAL + a] * x_ik[a];
    }
    mirrored(before, k[DEPTH], L::splat(s.least))
}

/// Weight of a wall sample in the viscous Laplacian over `1/α_i`: `2 w² τ (d_i + d_k)/d_i`.
#[inline(always)]
pub(super) fn drag<L: Lane, const D: usize>(s: &Viscous<'_, D>, x_ik: [L; D], r2: L, k: &[L; 12]) -> L {
    L::splat(2.0) * s.weight.at(r2).w2 * k[TANGENTIAL] * mirror(s, x_ik, k)
}

phase! {
/// Viscous drag of walls, `[Σ_k a_ik w² τ β v_k | Σ_k a_ik w² τ β]`, into the first slots of `out`.
fn walls_drag<L>[const D: usize](s: &Viscous<'_, D>, walls: &Chunk, out: &mut [[Real; 4]]) {
    for (k, i) in walls.points().enumerate() {
        let r_i = &s.record[i];
        let sums = walls.sum::<L, D, 12, 4>(i, each(|a| r_i[a]), s.walls, &s.periodic, |x_ik, r2, k| {
            let drag = drag(s, x_ik, r2, &k);
            [drag * k[V], drag * k[V + 1], drag * k[V + 2], drag]
        });
        out[k] = each(|t| r_i[INV_ALPHA] * sums[t]);
    }
}
}

phase! {
/// XSPH (Schechter & Bridson 2012): `v_i += c Σ_j 2m/(ρ_i + ρ_j) (v_j − v_i) W_ij`, ghosts with the part τ.
fn xsph<L>[const D: usize](s: &Viscous<'_, D>, fluid: &Chunk, walls: &Chunk, v: [&mut [Real]; D]) {
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let x_i: [Real; D] = each(|a| r_i[a]);
        let v_i: [L; D] = each(|a| L::splat(r_i[V + a]));
        let (m, rho_i, rho_0) = (L::splat(s.m), L::splat(r_i[RHO]), L::splat(s.rho_0));
        let inner = fluid.sum::<L, D, 8, D>(i, x_i, s.record, &s.periodic, |_, r2, j| {
            let weight = physics::xsph(m, rho_i, j[RHO], s.kernel.w(r2));
            each(|a| weight * (j[V + a] - v_i[a]))
        });
        let outer = walls.sum::<L, D, 12, D>(i, x_i, s.walls, &s.periodic, |_, r2, k| {
            let weight = k[TANGENTIAL] * physics::xsph(m, rho_i, rho_0, s.kernel.w(r2));
            each(|a| weight * (k[V + a] - v_i[a]))
        });
        for a in 0..D {
            v[a][k] += s.xsph * (inner[a] + outer[a]);
        }
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    pub(super) fn viscous(&self) -> Viscous<'_, D> {
        let (s, rest) = (&*self.method, self.state.rest);
        Viscous {
            weight: s.constants.weight,
            kernel: s.kernel,
            periodic: self.state.domain.periodic,
            record: &s.fields.record,
            walls: &s.fields.wall_record,
            m: rest.m,
            rho_0: rest.rho_0,
            xsph: s.params.xsph_viscosity,
            least: NEAREST * rest.spacing,
        }
    }

    /// `d dt μ/ρ₀`, what the matrix is multiplied by in the viscous equation, `[m²]`.
    pub(super) fn diffusion(&self, dt: Real) -> Real {
        D as Real * dt * self.method.params.dynamic_viscosity / self.state.rest.rho_0
    }

    /// Implicit viscosity. Returns how its iterations ended, if one did not converge.
    pub(super) fn diffuse(&mut self, dt: Real) -> Result<Outcome, Lost> {
        match self.method.params.viscosity_model {
            ViscousForm::Morris => self.diffuse_by_axes(dt),
            ViscousForm::Solenoidal => self.diffuse_with_stress(dt),
        }
    }

    /// Backward Euler: `v + dt ν d (Σ_j a w² (v − v_j) + Σ_k a w² τ β (v − v_k)) = v*`, axis by axis.
    fn diffuse_by_axes(&mut self, dt: Real) -> Result<Outcome, Lost> {
        let scale = self.diffusion(dt);
        let mut drag = take(&mut self.method.fields.drag);
        let (s, viscous) = (&*self.method, self.viscous());
        let isa = s.shell.isa;
        s.shell
            .neighbors
            .walls
            .for_each(&mut drag[..], |_, walls, out| walls_drag(isa, &viscous, walls, out));
        self.method.fields.drag = drag;
        let limits = self.method.viscous_limits();
        let Projection { fields, shell, params, .. } = &mut *self.method;
        let Fields { drag, sums, entries, equation: vectors, viscous_residuals, .. } = fields;
        parallel::blocks(drag.len(), &mut vectors.diagonal[..], |range, diagonal| {
            for (out, i) in diagonal.iter_mut().zip(range) {
                *out = 1.0 + scale * (sums[i].fluid + sums[i].correction + drag[i][3]);
            }
        });
        make_room(viscous_residuals, &limits);
        shell.with_others().1.clear_ghosts(&mut vectors.diagonal);
        let (total, mut outcome) = (shell.total(drag.len()), Outcome::Converged);
        for axis in 0..D {
            let v = &mut self.state.fluid.v[axis];
            parallel::blocks(v.len(), &mut vectors.b[..], |range, b| {
                for (b, i) in b.iter_mut().zip(range) {
                    *b = v[i] + scale * drag[i][axis];
                }
            });
            let (neighbors, others) = shell.with_others();
            others.clear_ghosts(&mut vectors.b);
            let matrix = Rows { isa, lists: &neighbors.fluid, entries, scale };
            let of = (matrix, Inverse::pointwise(params.preconditioner), total);
            let mut equation = Equation::new(of, (isa, others), vectors, v, viscous_residuals);
            let solved = cg::solve(&mut equation, &limits)?;
            if solved.outcome != Outcome::Converged {
                outcome = solved.outcome;
            }
        }
        Ok(outcome)
    }

    /// XSPH, with the velocities and densities of the records.
    pub(super) fn mix_velocities(&mut self) {
        let mut v = self.state.fluid.v.each_mut().map(take);
        let (s, viscous) = (&*self.method, self.viscous());
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        lists.fluid.for_each(v.each_mut().map(Vec::as_mut_slice), |k, fluid, v| {
            xsph(isa, &viscous, fluid, &lists.walls.chunks()[k], v);
        });
        self.state.fluid.v = v;
    }
}
