//! The phases on the CPU: loops over particles that call `physics.rs`.

mod density;
mod drift;
mod integrate;
mod momentum;
mod pack;
mod walls;

use crate::{Wcsph, memory::Fields, params, physics::CAVITATION, step::Phases};
use momentum::Momentum;
pub use momentum::Wall;
use sph_core::{
    Real,
    fluid::surface,
    kernel::Kernel as _,
    method::{
        failure::{BEFORE, Cause, StepError},
        phases::Timed,
        report::StepReport,
        state::State,
        stopwatch::Stopwatch,
    },
    numerics::{
        field::Sizing,
        lane::each,
        parallel::{self, First},
    },
    run::ranks::exchange::{PerParticle, PointSet},
};
pub(crate) use walls::Extrapolated;

/// A step in progress: the method and the state it advances.
pub(crate) struct Cpu<'a, const D: usize> {
    pub method: &'a mut Wcsph<D>,
    pub state: &'a mut State<D>,
}

impl<const D: usize> Timed for Cpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.method.shell.stopwatch
    }
}

impl<const D: usize> Phases for Cpu<'_, D> {
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.state.walls.move_to(self.state.t + dt);
        Ok(())
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &mut *self.state);
        // Accelerations and corrections are computed anew before they are used.
        let found = s.shell.find_neighbors(state, []);
        s.fields.resize(
            &mut Sizing::Make,
            state.fluid.len(),
            state.walls.len(),
            s.constants.needs,
            state.bodies.may_be_loaded(),
        );
        if let Err(cause) = found {
            // Infinity is far from everything else, too.
            self.check_packed([First::from(self.state.fluid.first_lost()), First::NONE])?;
            return Err(StepError::new(self.state, "find_neighbors", None, cause));
        }
        self.method.shell.stopwatch.lap("find_neighbors");
        let found = self.pack_positions();
        self.method.shell.stopwatch.lap("pack");
        self.check_packed(found)
    }

    fn compute_density(&mut self, dt: f64) -> Result<(), StepError> {
        match self.method.params.density {
            params::Density::Summation => self.sum_density(),
            params::Density::Continuity if dt > 0.0 => self.integrate_density(dt as Real)?,
            params::Density::Continuity => return Ok(()),
        }
        self.refresh_density()
    }

    fn compute_pressure(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &*self.state);
        let (pressure, rho_0) = (s.pressure(), state.rest.rho_0);
        let (n, rho, x, v) = (state.fluid.len(), &state.fluid.rho, &state.fluid.x, &state.fluid.v);
        let outputs = (&mut s.fields.p[..], &mut s.fields.record[..n]);
        let bad = parallel::blocks(n, outputs, |range, (p, record)| {
            let mut bad = First::NONE;
            let rho = &rho[range.clone()];
            let x: [&[Real]; D] = each(|d| &x[d][range.clone()]);
            let v: [&[Real]; D] = each(|d| &v[d][range.clone()]);
            for (k, (p, record)) in p.iter_mut().zip(record).enumerate() {
                *p = pressure(rho[k]);
                record[3] = *p / (rho[k] * rho[k]);
                record[7] = rho[k];
                for d in 0..D {
                    record[d] = x[d][k];
                    record[4 + d] = v[d][k];
                }
                bad.count(range.start + k, !(rho[k] / rho_0 + record[3]).is_finite());
            }
            bad
        });
        match bad.place() {
            Some(i) => Err(self.not_finite("compute_pressure", Some(self.state.fluid.id[i]), "pressure")),
            None => self.method.shell.report_density(self.state, "compute_pressure"),
        }
    }

    fn extrapolate_to_walls(&mut self) -> Result<(), StepError> {
        let dummy = self.method.constants.wall.is_dummy();
        if dummy && !self.state.walls.is_empty() {
            self.extrapolate();
        }
        // Records of walls at rest that take nothing from the fluid stay as they are.
        if dummy || self.state.walls.is_moving() || !self.method.shell.walls_packed {
            self.pack_walls();
            self.method.shell.walls_packed = true;
        }
        let s = &mut *self.method;
        match dummy {
            true => s.shell.refresh(
                self.state,
                "extrapolate_to_walls",
                PointSet::Walls,
                &mut s.fields.wall_record,
            ),
            false => Ok(()),
        }
    }

    fn compute_acceleration(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &*self.state);
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        let a = s.fields.a.each_mut().map(Vec::as_mut_slice);
        let momentum = Momentum::new(&s.constants, &s.fields.record, &s.fields.wall_record, state);
        lists.fluid.for_each(a, |k, fluid, a| {
            let walls = &lists.walls.chunks()[k];
            momentum::acceleration(isa, s.kernel, &momentum, fluid, walls, a);
        });
        self.method.fields.started = 1.0;
        self.method.shell.stopwatch.lap("compute_acceleration");
        if self.method.constants.needs.surface {
            self.surface_terms()?;
            self.method.shell.stopwatch.lap("surface_terms");
        }
        Ok(())
    }

    fn compute_reaction(&mut self) -> Result<(), StepError> {
        if self.state.needs_reactions() {
            self.reaction()?;
        }
        Ok(())
    }

    fn compute_drift_correction(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &*self.state);
        if !s.constants.needs.drift_correction {
            return Ok(());
        }
        let spacing = state.rest.spacing;
        let top_speed = s.shell.max(state, "compute_drift_correction", f64::from(state.max_speed()))? as Real;
        let drift = drift::Drift {
            periodic: state.domain.periodic,
            x4: &s.fields.x4,
            walls: &s.fields.wall_x4,
            volume: spacing.powi(D as i32),
            inv_w_dx: 1.0 / s.kernel.w(spacing * spacing),
            factor: SHIFTING * top_speed * 0.5 * s.kernel.support_radius(),
        };
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        lists.fluid.for_each(s.fields.w.each_mut().map(Vec::as_mut_slice), |k, fluid, w| {
            let walls = &lists.walls.chunks()[k];
            drift::shifting(isa, s.kernel, &drift, fluid, walls, w);
        });
        Ok(())
    }

    fn kick(&mut self, dt: f64) -> Result<(), StepError> {
        let Fields { a, w, p, .. } = &mut self.method.fields;
        let fields = a.iter_mut().chain(w).chain([p]).map(|field| field as &mut dyn PerParticle);
        self.method.shell.drop_ghosts(self.state, fields);
        let damping = self.state.forces.damping_of(self.state.t, dt);
        let found = integrate::kick(self.state, &self.method.fields.a, dt as Real, damping);
        self.state.bodies.kick(&self.state.forces, dt, f64::from(damping));
        self.check("kick", found.bad)?;
        let shell = &mut self.method.shell;
        shell.report.max_speed = shell.max(self.state, "kick", f64::from(found.v2).sqrt())?;
        shell.report.max_acceleration = shell.max(self.state, "kick", f64::from(found.a2).sqrt())?;
        Ok(())
    }

    fn drift(&mut self, dt: f64) -> Result<(), StepError> {
        let limit = MAX_CORRECTION * self.state.rest.spacing;
        let found = integrate::drift(self.state, &self.method.fields.w, dt as Real, limit);
        if !self.state.containers.is_empty() {
            let found = |state: &State<D>, i: usize| (state.fluid.position(i), state.fluid.velocity(i));
            self.state.add_container_loads(dt, 0.0, found);
            integrate::contain(self.state);
        }
        let State { bodies, walls, rest, t, .. } = &mut *self.state;
        bodies.drift(walls, *t, f64::from(rest.spacing), dt);
        self.check("drift", found)
    }

    fn is_first_step(&mut self) -> bool {
        self.method.fields.started == 0.0
    }

    fn report(&mut self, dt: f64) -> StepReport {
        let Wcsph { shell, fields, .. } = &mut *self.method;
        shell.max_speed = shell.report.max_speed;
        fields.max_acceleration = shell.report.max_acceleration;
        StepReport { dt, ..shell.report }
    }
}

/// Shifting coefficient A_s (measured), `[-]`.
pub(crate) const SHIFTING: Real = 10.0;

/// A drift correction moves a particle by this part of the spacing at most (measured for shifting).
pub(crate) const MAX_CORRECTION: Real = 0.05;

impl<const D: usize> Cpu<'_, D> {
    fn sum_density(&mut self) {
        let (s, state) = (&mut *self.method, &mut *self.state);
        let density = density::Density {
            periodic: state.domain.periodic,
            x4: &s.fields.x4,
            walls: &s.fields.wall_x4,
            m: state.rest.m,
        };
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        lists.fluid.for_each(&mut state.fluid.rho[..], |k, fluid, rho| {
            let walls = &lists.walls.chunks()[k];
            density::summation(isa, s.kernel, &density, fluid, walls, rho);
        });
    }

    fn refresh_density(&mut self) -> Result<(), StepError> {
        let mut rho = std::mem::take(&mut self.state.fluid.rho);
        let done = self.method.shell.refresh(self.state, "compute_density", PointSet::Fluid, &mut rho);
        self.state.fluid.rho = rho;
        done
    }

    /// `ρ ← ρ + dt dρ/dt`; the rates go through the pressure's field, which is computed next.
    fn integrate_density(&mut self, dt: Real) -> Result<(), StepError> {
        self.pack_for_continuity();
        if self.method.constants.diffusion > 0.0 {
            self.density_gradient()?;
        }
        let (s, state) = (&mut *self.method, &mut *self.state);
        let (isa, lists, fields) = (s.shell.isa, &s.shell.neighbors, &mut s.fields);
        let continuity = density::Continuity {
            periodic: state.domain.periodic,
            record: &fields.wide,
            walls: &fields.wall_record,
            m: state.rest.m,
            diffusion: s.constants.diffusion,
        };
        lists.fluid.for_each(&mut fields.p[..], |k, fluid, rate| {
            let walls = &lists.walls.chunks()[k];
            density::continuity(isa, s.kernel, &continuity, fluid, walls, rate);
        });
        let (rate, floor) = (&fields.p, (1.0 - CAVITATION) * state.rest.rho_0);
        parallel::blocks(state.fluid.len(), &mut state.fluid.rho[..], |range, rho| {
            for (rho, i) in rho.iter_mut().zip(range) {
                let next = *rho + dt * rate[i];
                // Not `max`, which would hide a NaN.
                *rho = if next < floor { floor } else { next };
            }
        });
        Ok(())
    }

    fn density_gradient(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &*self.state);
        let n = state.fluid.len();
        let density = density::Density {
            periodic: state.domain.periodic,
            x4: &s.fields.x4,
            walls: &s.fields.wall_x4,
            m: state.rest.m,
        };
        let isa = s.shell.isa;
        s.shell.neighbors.fluid.for_each(&mut s.fields.wide[..n], |_, fluid, wide| {
            density::gradient(isa, s.kernel, &density, fluid, wide);
        });
        s.shell.stopwatch.lap("compute_density_gradient");
        s.shell.refresh(state, "compute_density", PointSet::Fluid, &mut s.fields.wide)
    }

    fn extrapolate(&mut self) {
        let (s, state) = (&mut *self.method, &*self.state);
        let extrapolation = walls::Extrapolation {
            periodic: state.domain.periodic,
            record: &s.fields.record,
            x: &state.walls.x,
            a: &state.walls.a,
            gravity: state.forces.gravity,
        };
        let isa = s.shell.isa;
        s.extrapolated.resize(state.walls.len(), Extrapolated::default());
        s.shell.neighbors.wall_fluid.for_each(&mut s.extrapolated[..], |_, rows, out| {
            walls::extrapolate(isa, s.kernel, &extrapolation, rows, out);
        });
    }

    /// Forces on samples, and their sums over each body.
    fn reaction(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &mut *self.state);
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        let out = s.fields.reaction.each_mut().map(Vec::as_mut_slice);
        let momentum = Momentum::new(&s.constants, &s.fields.record, &s.fields.wall_record, state);
        lists.wall_fluid.for_each(out, |_, rows, out| {
            momentum::reaction(isa, s.kernel, &momentum, &state.walls, rows, out);
        });
        if s.params.adhesion > 0.0 {
            let fields = &mut s.fields;
            let view = surface_view(s.kernel.support_radius(), &s.params, state);
            view.add_reaction(isa, lists, &state.walls, &fields.x4, &fields.wall_x4, &mut fields.reaction);
        }
        s.shell.gather_reactions(state, "compute_reaction", &mut s.fields.reaction)?;
        state.bodies.collect(&state.walls, &s.fields.reaction);
        Ok(())
    }

    fn surface_terms(&mut self) -> Result<(), StepError> {
        // The packed densities are those before this step's. What is wrong with these has been found.
        let _ = self.pack_positions();
        let (s, state) = (&mut *self.method, &*self.state);
        let view = surface_view(s.kernel.support_radius(), &s.params, state);
        let (isa, fields) = (s.shell.isa, &mut s.fields);
        view.write_normals(isa, s.kernel, &s.shell.neighbors, &fields.x4, &mut fields.surface);
        s.shell.refresh(state, "compute_acceleration", PointSet::Fluid, &mut fields.surface)?;
        view.add_acceleration(isa, &s.shell.neighbors, &fields.wall_x4, &fields.surface, &mut fields.a);
        Ok(())
    }

    /// Fails if the packed positions and densities of fluid or walls are not finite.
    fn check_packed(&self, [fluid, walls]: [First; 2]) -> Result<(), StepError> {
        let State { fluid: particles, walls: samples, .. } = &*self.state;
        // This step has moved the particles already, but for its first forces.
        let kept = self.method.params.integrator == params::Integrator::VelocityVerlet;
        let moved = if kept && self.method.fields.started != 0.0 { "drift" } else { BEFORE };
        if let Some(b) = walls.place() {
            return Err(self.not_finite("move_walls", Some(samples.id[b]), "wall position"));
        }
        let Some(i) = fluid.place() else { return Ok(()) };
        let id = Some(particles.id[i]);
        Err(match particles.position(i).iter().all(|x| x.is_finite()) {
            true => self.not_finite(BEFORE, id, "density"),
            false => self.not_finite(moved, id, "position"),
        })
    }

    /// Fails if a streaming loop found something, with what is known here of where it began.
    fn check(&self, phase: &'static str, found: First) -> Result<(), StepError> {
        let Some(i) = found.place() else { return Ok(()) };
        let fluid = &self.state.fluid;
        let is_finite = |field: &[Vec<Real>; D]| field.iter().all(|axis| axis[i].is_finite());
        let not_finite = |phase, field| self.not_finite(phase, Some(fluid.id[i]), field);
        Err(match (phase, is_finite(&fluid.v)) {
            ("kick", true) if !is_finite(&self.method.fields.a) => {
                not_finite("compute_acceleration", "acceleration")
            }
            ("kick", true) => not_finite("kick", "velocity"),
            // Kick leaves no such velocity, so it was there when the step began.
            ("kick", false) => not_finite(BEFORE, "velocity"),
            (_, false) => not_finite("kick", "velocity"),
            (_, true) if !is_finite(&fluid.x) => not_finite(BEFORE, "position"),
            (_, true) if self.state.domain.holds(fluid.position(i)) => not_finite("drift", "position"),
            (_, true) => StepError::new(self.state, "drift", Some(fluid.id[i]), Cause::Escaped),
        })
    }

    fn not_finite(&self, phase: &'static str, particle: Option<u64>, field: &'static str) -> StepError {
        StepError::new(self.state, phase, particle, Cause::NotFinite { field })
    }
}

fn surface_view<const D: usize>(h: Real, params: &params::Params, state: &State<D>) -> surface::Surface<D> {
    let tension = surface::Tension {
        cohesion: params.cohesion,
        curvature: params.surface_tension,
        adhesion: params.adhesion,
    };
    surface::Surface::new(h, state.domain.periodic, state.rest.m, state.rest.rho_0, tension)
}
