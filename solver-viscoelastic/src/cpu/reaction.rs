//! Reaction forces of the relaxation on dynamic bodies: the opposite of what their samples did to the fluid.

use super::{Cpu, relax::Relaxation};
use sph_core::{
    Real,
    fluid::boundary::Boundary,
    method::{failure::StepError, state::State},
    neighbors::Chunk,
    numerics::lane::{Lane, each},
    phase,
};

phase! {
/// Forces on loaded samples: `F_b = −Σ_i m Δx_ib/dt²`, with `factor` = m/dt².
fn reaction_forces<L>[const D: usize](
    s: &Relaxation<'_, D>, pressure: &[[Real; 8]], boundary: &Boundary<D>, factor: Real, rows: &Chunk,
    out: [&mut [Real]; D],
) {
    let mut out = out;
    for (k, b) in rows.points().enumerate().filter(|(_, b)| boundary.is_loaded(*b)) {
        let sample = &s.walls[b];
        let w = L::splat(sample[3]);
        let sums = rows.sum::<L, D, 8, D>(b, each(|a| sample[a]), pressure, &s.periodic, |x_bi, r2, i| {
            let over_r = s.wall_over_r(r2, s.stiffness.on_wall([i[4], i[5]]), w);
            each(|a| over_r * x_bi[a])
        });
        for (out, sum) in out.iter_mut().zip(sums) {
            out[k] = factor * sum;
        }
    }
}
}

impl<const D: usize> Cpu<'_, D> {
    /// Forces and torques of the relaxation on the bodies.
    pub(super) fn collect_reactions(&mut self) -> Result<(), StepError> {
        let mut reaction = self.method.fields.reaction.each_mut().map(std::mem::take);
        let loops = self.relaxation();
        let factor = self.state.rest.m / loops.dt2;
        let (isa, pressure, walls) = (self.method.shell.isa, &self.method.fields.pressure, &self.state.walls);
        let out = reaction.each_mut().map(Vec::as_mut_slice);
        self.method.shell.neighbors.wall_fluid.for_each(out, |_, rows, out| {
            reaction_forces(isa, &loops, pressure, walls, factor, rows, out);
        });
        self.method.shell.gather_reactions(self.state, "resolve_collisions", &mut reaction)?;
        self.method.fields.reaction = reaction;
        self.state.bodies.collect(&self.state.walls, &self.method.fields.reaction);
        Ok(())
    }

    /// Advances the bodies. Returns false, and moves none, where one is not finite.
    pub(super) fn advance_bodies(&mut self, damping: Real) -> bool {
        let State { bodies, walls, forces, rest, .. } = &mut *self.state;
        bodies.kick(forces, self.dt, f64::from(damping));
        // Before the samples follow: a diagnosis would name the walls.
        let finite = bodies.list.iter().all(|body| body.is_finite() && body.top_speed().is_finite());
        if finite {
            bodies.drift(walls, self.end, f64::from(rest.spacing), self.dt);
        }
        finite
    }
}
