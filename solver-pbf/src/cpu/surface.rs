//! Surface tension, as forces or as a constraint.

use super::{Cpu, correction, velocity};
use crate::params::SurfaceMode;
use sph_core::{
    Real,
    fluid::surface,
    kernel::Kernel as _,
    numerics::parallel::{self, First},
};
use std::mem::take;

impl<const D: usize> Cpu<'_, D> {
    /// Normals of the surface at the predicted positions, for its constraint.
    pub(super) fn find_surface(&mut self) {
        if !self.method.constants.needs.surface_constraint {
            return;
        }
        let mut normal = take(&mut self.method.fields.normal);
        let (n, s) = (self.state.fluid.len(), &*self.method);
        let constraint = self.constraint(&s.fields.equal.place);
        s.neighbors.fluid.for_each(&mut normal[..n], |k, fluid, out| {
            let walls = &s.neighbors.walls.chunks()[k];
            velocity::surface_normals(s.isa, s.kernel, &constraint, fluid, walls, out);
        });
        self.method.fields.normal = normal;
        self.method.stopwatch.lap("find_surface");
    }

    /// Adds the constraint of the surface to the corrections.
    pub(super) fn pull_surface(&mut self) {
        let (s, n) = (&mut *self.method, self.state.fluid.len());
        let place = &s.fields.equal.place;
        parallel::blocks(n, &mut s.fields.normal[..n], |range, normal| {
            for (normal, i) in normal.iter_mut().zip(range) {
                normal[..3].copy_from_slice(&place[i][..3]);
            }
        });
        let h = s.kernel.support_radius();
        let pull = correction::Pull {
            periodic: self.state.domain.periodic,
            normal: &s.fields.normal,
            h2: h * h,
            half_k: 0.5 * s.params.surface_tension,
        };
        let isa = s.isa;
        s.neighbors.fluid.for_each(&mut s.fields.delta[..], |_, fluid, delta| {
            correction::surface_pull(isa, &pull, fluid, delta);
        });
    }

    pub(super) fn surface_forces(&mut self) {
        let (s, state) = (&mut *self.method, &*self.state);
        let as_force = s.params.surface_mode == SurfaceMode::Forces;
        let tension = surface::Tension {
            cohesion: s.params.cohesion,
            curvature: if as_force { s.params.surface_tension } else { 0.0 },
            adhesion: s.params.adhesion,
        };
        let rest = &state.rest;
        let h = s.kernel.support_radius();
        let surface = surface::Surface::new(h, state.domain.periodic, rest.m, rest.rho_0, tension);
        let (isa, lists, fields) = (s.isa, &s.neighbors, &mut s.fields);
        fields.a.iter_mut().for_each(|a| a.fill(0.0));
        let records = &mut fields.spin;
        surface.write_normals(isa, s.kernel, lists, &fields.x4, records);
        surface.add_acceleration(isa, lists, &fields.wall_x4, &fields.spin, &mut fields.a);
        if s.constants.needs.reactions && tension.adhesion > 0.0 {
            let (walls, force) = (&fields.wall_x4, &mut fields.reaction);
            surface.add_reaction(isa, lists, &state.walls, &fields.x4, walls, force);
        }
    }

    /// `v ← v + dt a` with the forces of the surface. Where that is not finite `v` stays.
    pub(super) fn accelerate(&mut self, dt: Real) -> First {
        let (n, a) = (self.state.fluid.len(), &self.method.fields.a);
        let v = self.state.fluid.v.each_mut().map(Vec::as_mut_slice);
        parallel::blocks(n, v, |range, v| {
            let mut bad = First::NONE;
            for (k, i) in range.enumerate() {
                for d in 0..D {
                    let new = v[d][k] + dt * a[d][i];
                    bad.count(i, !new.is_finite());
                    v[d][k] = if new.is_finite() { new } else { v[d][k] };
                }
            }
            bad
        })
    }
}
