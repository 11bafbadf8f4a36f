//! Forces of surface tension and adhesion (Akinci, Akinci & Teschner 2013).

use super::Cpu;
use sph_core::{
    Real,
    fluid::surface::Surface,
    kernel::Kernel as _,
    method::failure::StepError,
    numerics::parallel::{self, First},
    run::ranks::exchange::PointSet,
};

impl<const D: usize> Cpu<'_, D> {
    pub(super) fn surface_forces(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &*self.state);
        let (rest, tension) = (&state.rest, s.params.tension());
        let h = s.kernel.support_radius();
        let surface = Surface::new(h, state.domain.periodic, rest.m, rest.rho_0, tension);
        let (isa, fields) = (s.shell.isa, &mut s.fields);
        // Normals overwrite the vorticity, densities are those of the owners.
        const PHASE: &str = "apply_vorticity_and_xsph";
        s.shell.refresh(state, PHASE, PointSet::Fluid, &mut fields.x_rho)?;
        fields.a.iter_mut().for_each(|a| a.fill(0.0));
        surface.write_normals(isa, s.kernel, &s.shell.neighbors, &fields.x_rho, &mut fields.vorticity);
        s.shell.refresh(state, PHASE, PointSet::Fluid, &mut fields.vorticity)?;
        let lists = &s.shell.neighbors;
        surface.add_acceleration(isa, lists, &fields.x_psi, &fields.vorticity, &mut fields.a);
        if state.needs_reactions() && tension.adhesion > 0.0 {
            let (walls, force) = (&fields.x_psi, &mut fields.reaction);
            surface.add_reaction(isa, lists, &state.walls, &fields.x_rho, walls, force);
        }
        Ok(())
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
