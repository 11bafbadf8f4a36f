//! What dynamic bodies get from the fluid: the opposite of what it got from their samples.

use super::{
    Cpu,
    velocity::Push,
    viscosity::{Rub, drag},
};
use crate::{
    params::Gradient,
    physics::{self, Along},
};
use sph_core::{
    Real,
    fluid::boundary::Boundary,
    kernel::Kernel,
    method::state::State,
    neighbors::Chunk,
    numerics::{
        lane::{Lane, each},
        parallel,
    },
    phase,
};
use std::mem::take;

phase! {
/// Forces on samples of bodies, of the pressure: `F_k = Σ_i m/ρ₀ d ½ a_ik w¹_ik 2 p_i n_ki`.
fn pressed<L>[const D: usize](
    s: &Push<'_, D>, boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_rigid(*b)) {
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| s.walls[b][a]), s.record, &s.periodic, |x_ki, r2, i| {
            let at = s.weight.at(r2);
            let along = i[3] * at.w1 * at.inv_r * L::splat(2.0) * L::splat(0.0).max(i[7]);
            each(|a| along * x_ki[a])
        });
        for a in 0..D {
            out[a][k] += factor * sums[a];
        }
    }
}
}

phase! {
/// Forces on samples of bodies, of what they left out along their surface and the fluid has made up for:
/// `F_k = −Σ_i m/ρ₀ d E_i/G_i w_ik t_ik t_ik·(Σ_j w¹_ij (p_j − p_i) n_ij)`, `t_ik` the part of `n_ik` along the wall.
fn pulled<L>[const D: usize](
    s: &Push<'_, D>, pull: &[[Real; 8]], boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_rigid(*b)) {
        let wall = &s.walls[b];
        let normal: [L; D] = each(|a| L::splat(wall[8 + a]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| wall[a]), pull, &s.periodic, |x_ki, r2, i| {
            let at = s.weight.at(r2);
            let n: [L; D] = each(|a| x_ki[a] * at.inv_r);
            let share = Along::<L>::of_ghost(n, normal).times::<D>(each(|a| i[4 + a]));
            each(|a| at.w * share[a])
        });
        for a in 0..D {
            out[a][k] -= factor * sums[a];
        }
    }
}
}

phase! {
/// Forces on samples of bodies, of PeriDyno's walls: `F_k = −Σ_i m/dt w/α_i ((v_k − v_i)·n_ik) n_ik`.
fn taken<L>[const D: usize](
    s: &Push<'_, D>, boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_rigid(*b)) {
        let wall = &s.walls[b];
        let v_k: [L; D] = each(|a| L::splat(wall[4 + a]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| wall[a]), s.record, &s.periodic, |x_ki, r2, i| {
            let at = s.weight.at(r2);
            let approach: [L; D] = each(|a| v_k[a] - i[4 + a]);
            let along = i[3] * at.w * at.inv_r * at.inv_r * physics::dot(approach, x_ki);
            each(|a| along * x_ki[a])
        });
        for a in 0..D {
            out[a][k] -= factor * sums[a];
        }
    }
}
}

phase! {
/// Forces on samples of bodies, of the implicit viscosity: `F_k = Σ_i m/dt g a_ik w² τ β (v_i − v_k)`.
fn dragged<L>[const D: usize](
    s: &Rub<'_, D>, boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_rigid(*b)) {
        let wall: [L; 12] = each(|t| L::splat(s.walls[b][t]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| s.walls[b][a]), s.record, &s.periodic, |x_ki, r2, i| {
            let x_ik: [L; D] = each(|a| -x_ki[a]);
            let drag = i[3] * drag(s, x_ik, r2, &wall);
            each(|a| drag * (i[4 + a] - wall[4 + a]))
        });
        for a in 0..D {
            out[a][k] += factor * sums[a];
        }
    }
}
}

phase! {
/// Forces on samples of bodies, of XSPH: `F_k = Σ_i m/dt c τ 2m/(ρ_i + ρ₀) W_ik (v_i − v_k)`.
fn rubbed<L>[const D: usize](
    s: &Rub<'_, D>, boundary: &Boundary<D>, factor: Real, rows: &Chunk, out: [&mut [Real]; D],
) {
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_rigid(*b)) {
        let wall = &s.walls[b];
        let v_k: [L; D] = each(|a| L::splat(wall[4 + a]));
        let (m, rho_0, tangential) = (L::splat(s.m), L::splat(s.rho_0), L::splat(wall[7]));
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| wall[a]), s.record, &s.periodic, |_, r2, i| {
            let weight = tangential * physics::xsph(m, i[7], rho_0, s.kernel.w(r2));
            each(|a| weight * (i[4 + a] - v_k[a]))
        });
        for a in 0..D {
            out[a][k] += factor * sums[a];
        }
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Begins the forces of a step with those of the pressure.
    pub(super) fn push_back(&mut self, dt: Real) {
        let mut force = self.method.fields.reaction.each_mut().map(take);
        force.iter_mut().for_each(|axis| axis.fill(0.0));
        if !self.method.fields.pull.is_empty() {
            self.pack_pulls();
        }
        let (s, rest, push, boundary) = (&*self.method, self.state.rest, self.push(dt), &self.state.walls);
        let (isa, rows) = (s.isa, &s.neighbors.wall_fluid);
        let factor = D as Real * rest.m / rest.rho_0;
        if let Some(part) = s.sum_part() {
            let out = force.each_mut().map(Vec::as_mut_slice);
            rows.for_each(out, |_, rows, out| pressed(isa, &push, boundary, factor * part, rows, out));
        }
        if !s.fields.pull.is_empty() {
            let (pull, out) = (&s.fields.pull, force.each_mut().map(Vec::as_mut_slice));
            rows.for_each(out, |_, rows, out| pulled(isa, &push, pull, boundary, factor, rows, out));
        }
        if s.params.gradient == Gradient::Peridyno {
            let out = force.each_mut().map(Vec::as_mut_slice);
            rows.for_each(out, |_, rows, out| taken(isa, &push, boundary, rest.m / dt, rows, out));
        }
        self.method.fields.reaction = force;
    }

    /// Adds those of the implicit viscosity, whose velocities become those of the records.
    pub(super) fn drag_back(&mut self, dt: Real) {
        let v = &self.state.fluid.v;
        parallel::blocks(v[0].len(), &mut self.method.fields.record[..v[0].len()], |range, record| {
            for (out, i) in record.iter_mut().zip(range) {
                for a in 0..D {
                    out[4 + a] = v[a][i];
                }
            }
        });
        let mut force = self.method.fields.reaction.each_mut().map(take);
        let (s, rub, boundary) = (&*self.method, self.rub(), &self.state.walls);
        let factor = rub.m / dt * self.diffusion(dt);
        let out = force.each_mut().map(Vec::as_mut_slice);
        s.neighbors
            .wall_fluid
            .for_each(out, |_, rows, out| dragged(s.isa, &rub, boundary, factor, rows, out));
        self.method.fields.reaction = force;
    }

    /// Adds those of XSPH.
    pub(super) fn rub_back(&mut self, dt: Real) {
        let mut force = self.method.fields.reaction.each_mut().map(take);
        let (s, rub, boundary) = (&*self.method, self.rub(), &self.state.walls);
        let factor = rub.m / dt * rub.xsph;
        let out = force.each_mut().map(Vec::as_mut_slice);
        s.neighbors.wall_fluid.for_each(out, |_, rows, out| rubbed(s.isa, &rub, boundary, factor, rows, out));
        self.method.fields.reaction = force;
    }

    /// Bodies take up the forces of the step, and move. Returns true, and moves none, where one is not finite.
    pub(super) fn advance_bodies(&mut self, dt: f64, damping: f64) -> bool {
        let State { bodies, walls, forces, rest, .. } = &mut *self.state;
        bodies.collect(walls, &self.method.fields.reaction);
        bodies.kick(forces, dt, damping);
        let finite = bodies.list.iter().all(|body| body.is_finite() && body.top_speed().is_finite());
        if finite {
            bodies.drift(walls, self.end, f64::from(rest.spacing), dt);
        }
        !finite
    }
}
