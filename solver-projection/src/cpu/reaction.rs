//! Reaction forces on dynamic bodies: the opposite of what the fluid got from their samples.

use super::{
    Cpu,
    stress::friction,
    velocity::Gradients,
    viscosity::{Viscous, drag},
};
use crate::{
    memory::record::{AREA, DEPTH, GRADIENT, INV_ALPHA, NORMAL, P, RHO, TANGENTIAL, V},
    params::{Gradient, ViscousForm},
    physics::{self, WallCorrection},
};
use sph_core::{
    Real,
    fluid::boundary::Boundary,
    kernel::Kernel,
    method::state::State,
    neighbors::Chunk,
    numerics::{
        lane::{Lane, each},
        vector::norm2,
    },
    phase,
};
use std::mem::take;

phase! {
/// Forces on loaded samples, of the pressure: `F_k = Σ_i m/ρ₀ d ½ a_ik w¹_ik 2 max(p_i, least) n_ki`, each times
/// the part of the pressure with which the sample acts. Where samples have areas see [`on_surface`].
fn pressure_reaction<L>[const D: usize](
    s: &Gradients<'_, D>, weight: [Real; D], boundary: &Boundary<D>, factor: Real, least: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_loaded(*b)) {
        if s.walls[b][AREA] >= 0.0 {
            let force = on_surface(s, weight, (factor, least), rows, b);
            for a in 0..D {
                out[a][k] += force[a];
            }
            continue;
        }
        let wall: [L; 12] = each(|t| L::splat(s.walls[b][t]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| s.walls[b][a]), s.record, &s.periodic, |x_ki, r2, i| {
            let at = s.weight.at(r2);
            let held = s.parting.held::<L, D>(each(|a| i[V + a] - wall[V + a]), each(|a| wall[NORMAL + a]));
            let twice = L::splat(2.0) * L::splat(least).max(i[P]);
            let coefficient = held * i[INV_ALPHA] * at.w1 * at.inv_r * twice;
            each(|a| coefficient * x_ki[a])
        });
        for a in 0..D {
            out[a][k] += factor * sums[a];
        }
    }
}
}

/// The force on a sample with an area A: −A n times the pressure on the surface over it, by the particles before it,
/// `Σ_i c_ik (max(p_i, least) + ρ₀ g·(x_s − x_i)) / Σ_i c_ik`, `c_ik = w¹_ik max(n_ik·n, 0)`, n the normal into the fluid, each times the
/// part of the pressure with which the sample acts. In reach of a free surface, where their gradient keeps momentum, particles act by
/// pairs.
fn on_surface<const D: usize>(
    s: &Gradients<'_, D>,
    weight: [Real; D],
    (factor, least): (Real, Real),
    rows: &Chunk,
    b: usize,
) -> [Real; D] {
    let wall = &s.walls[b];
    let normal: [Real; D] = each(|a| wall[NORMAL + a]);
    let (mut pairs, mut sum, mut all) = ([0.0; D], 0.0, 0.0);
    for i in rows.neighbors(b) {
        let record = &s.record[i];
        let x_ki: [Real; D] = s.periodic.nearest(each(|a| wall[a] - record[a]));
        let at = s.weight.at(norm2(x_ki));
        let held = s.parting.held(each(|a| record[V + a] - wall[V + a]), normal);
        let p = record[P].max(least);
        let c = at.w1 * at.inv_r * (-physics::dot(normal, x_ki)).max(0.0);
        all += c;
        if s.surface_region[i][3] != 0.0 {
            let coefficient = held * record[INV_ALPHA] * at.w1 * at.inv_r * (2.0 * p);
            pairs = each(|a| pairs[a] + coefficient * x_ki[a]);
        } else {
            let to_surface: [Real; D] = each(|a| x_ki[a] + wall[DEPTH] * normal[a]);
            sum += c * (held * (p + physics::dot(weight, to_surface)));
        }
    }
    let p = if all > 0.0 { sum / all } else { 0.0 };
    each(|a| factor * pairs[a] - wall[AREA] * p * normal[a])
}

phase! {
/// Forces on loaded samples, of the tangential wall correction:
/// `F_k = −Σ_i m/ρ₀ d E_i/G_i w_ik t_ik t_ik·(Σ_j w¹_ij (p_j − p_i) n_ij)`, `t_ik` the part of `n_ik` along the wall.
fn tangential_reaction<L>[const D: usize](
    s: &Gradients<'_, D>, tangential_gradient: &[[Real; 8]], boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_loaded(*b)) {
        let wall = &s.walls[b];
        let normal: [L; D] = each(|a| L::splat(wall[NORMAL + a]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| wall[a]), tangential_gradient, &s.periodic, |x_ki, r2, i| {
            let at = s.weight.at(r2);
            let n: [L; D] = each(|a| x_ki[a] * at.inv_r);
            let share = WallCorrection::<L>::of_ghost(n, normal).times::<D>(each(|a| i[GRADIENT + a]));
            each(|a| at.w * share[a])
        });
        for a in 0..D {
            out[a][k] -= factor * sums[a];
        }
    }
}
}

phase! {
/// Forces on loaded samples, of PeriDyno's walls: `F_k = −Σ_i m/dt w/α_i ((v_k − v_i)·n_ik) n_ik`.
fn peridyno_reaction<L>[const D: usize](
    s: &Gradients<'_, D>, boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_loaded(*b)) {
        let wall = &s.walls[b];
        let v_k: [L; D] = each(|a| L::splat(wall[V + a]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| wall[a]), s.record, &s.periodic, |x_ki, r2, i| {
            let at = s.weight.at(r2);
            let approach: [L; D] = each(|a| v_k[a] - i[V + a]);
            let coefficient = i[INV_ALPHA] * at.w * at.inv_r * at.inv_r * physics::dot(approach, x_ki);
            each(|a| coefficient * x_ki[a])
        });
        for a in 0..D {
            out[a][k] -= factor * sums[a];
        }
    }
}
}

phase! {
/// Forces on loaded samples, of the implicit viscosity: `F_k = Σ_i m/dt g a_ik w² τ β (v_i − v_k)`.
fn viscous_reaction<L>[const D: usize](
    s: &Viscous<'_, D>, boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_loaded(*b)) {
        let wall: [L; 12] = each(|t| L::splat(s.walls[b][t]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| s.walls[b][a]), s.record, &s.periodic, |x_ki, r2, i| {
            let x_ik: [L; D] = each(|a| -x_ki[a]);
            let drag = i[INV_ALPHA] * drag(s, x_ik, r2, &wall);
            each(|a| drag * (i[V + a] - wall[V + a]))
        });
        for a in 0..D {
            out[a][k] += factor * sums[a];
        }
    }
}
}

phase! {
/// Forces on loaded samples, of the viscosity along lines of centers: `F_k = Σ_i m/dt g a_ik w² τ β n n·(v_i − v_k)`.
fn central_reaction<L>[const D: usize](
    s: &Viscous<'_, D>, boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_loaded(*b)) {
        let wall: [L; 12] = each(|t| L::splat(s.walls[b][t]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| s.walls[b][a]), s.record, &s.periodic, |x_ki, r2, i| {
            let x_ik: [L; D] = each(|a| -x_ki[a]);
            let (n, weight) = friction(s, x_ik, r2, &wall);
            let along = i[INV_ALPHA] * weight * physics::dot(n, each(|a| i[V + a] - wall[V + a]));
            each(|a| along * n[a])
        });
        for a in 0..D {
            out[a][k] += factor * sums[a];
        }
    }
}
}

phase! {
/// Forces on loaded samples, of XSPH: `F_k = Σ_i m/dt c τ 2m/(ρ_i + ρ₀) W_ik (v_i − v_k)`.
fn xsph_reaction<L>[const D: usize](
    s: &Viscous<'_, D>, boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_loaded(*b)) {
        let wall = &s.walls[b];
        let v_k: [L; D] = each(|a| L::splat(wall[V + a]));
        let (m, rho_0, tangential) = (L::splat(s.m), L::splat(s.rho_0), L::splat(wall[TANGENTIAL]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| wall[a]), s.record, &s.periodic, |_, r2, i| {
            let weight = tangential * physics::xsph(m, i[RHO], rho_0, s.kernel.w(r2));
            each(|a| weight * (i[V + a] - v_k[a]))
        });
        for a in 0..D {
            out[a][k] += factor * sums[a];
        }
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Begins the forces of a step with those of the pressure.
    pub(super) fn react_pressure(&mut self, dt: Real) {
        let mut force = self.method.fields.reaction.each_mut().map(take);
        force.iter_mut().for_each(|axis| axis.fill(0.0));
        let (s, rest, gradients, boundary) =
            (&*self.method, self.state.rest, self.gradients(dt), &self.state.walls);
        let (isa, rows) = (s.shell.isa, &s.shell.neighbors.wall_fluid);
        let factor = D as Real * rest.m / rest.rho_0;
        let weight = self.state.forces.gravity.map(|g| rest.rho_0 * g);
        rows.for_each(force.each_mut().map(Vec::as_mut_slice), |_, rows, out| {
            let (factor, least) = (factor * s.sum_part(), s.least_pushed());
            pressure_reaction(isa, &gradients, weight, boundary, factor, least, rows, out)
        });
        if !s.fields.tangential_gradient.is_empty() {
            let (tangential_gradient, out) =
                (&s.fields.tangential_gradient, force.each_mut().map(Vec::as_mut_slice));
            rows.for_each(out, |_, rows, out| {
                tangential_reaction(isa, &gradients, tangential_gradient, boundary, factor, rows, out)
            });
        }
        if s.params.gradient == Gradient::Peridyno {
            let out = force.each_mut().map(Vec::as_mut_slice);
            rows.for_each(out, |_, rows, out| {
                peridyno_reaction(isa, &gradients, boundary, rest.m / dt, rows, out)
            });
        }
        self.method.fields.reaction = force;
    }

    /// Adds those of the implicit viscosity, with the velocities of the records.
    pub(super) fn react_viscous(&mut self, dt: Real) {
        let mut force = self.method.fields.reaction.each_mut().map(take);
        let (s, viscous, boundary) = (&*self.method, self.viscous(), &self.state.walls);
        let (isa, rows, per_step) = (s.shell.isa, &s.shell.neighbors.wall_fluid, viscous.m / dt);
        let out = force.each_mut().map(Vec::as_mut_slice);
        match s.params.viscosity_model {
            ViscousForm::Morris => {
                let factor = per_step * self.diffusion(dt);
                rows.for_each(out, |_, rows, out| {
                    viscous_reaction(isa, &viscous, boundary, factor, rows, out)
                });
            }
            ViscousForm::Solenoidal => {
                let factor = per_step * self.central_diffusion(dt);
                rows.for_each(out, |_, rows, out| {
                    central_reaction(isa, &viscous, boundary, factor, rows, out)
                });
            }
        }
        self.method.fields.reaction = force;
    }

    /// Adds those of XSPH.
    pub(super) fn react_xsph(&mut self, dt: Real) {
        let mut force = self.method.fields.reaction.each_mut().map(take);
        let (s, viscous, boundary) = (&*self.method, self.viscous(), &self.state.walls);
        let factor = viscous.m / dt * viscous.xsph;
        let out = force.each_mut().map(Vec::as_mut_slice);
        s.shell
            .neighbors
            .wall_fluid
            .for_each(out, |_, rows, out| xsph_reaction(s.shell.isa, &viscous, boundary, factor, rows, out));
        self.method.fields.reaction = force;
    }

    /// Bodies take up the forces of the step, and move. Returns true, and moves none, where one is not finite.
    pub(super) fn advance_bodies(&mut self, dt: f64, damping: f64) -> bool {
        let State { bodies, walls, forces, rest, .. } = &mut *self.state;
        self.method.collect(bodies, rest.rho_0, |bodies| bodies.collect(walls, &self.method.fields.reaction));
        bodies.react(&self.method.fields.given, f64::from(rest.m) / dt);
        bodies.kick(forces, dt, damping);
        let finite = bodies.list.iter().all(|body| body.is_finite() && body.top_speed().is_finite());
        if finite {
            bodies.drift(walls, self.end, f64::from(rest.spacing), dt);
        }
        !finite
    }
}
