//! The phases on the CPU: loops over particles that call `physics.rs`.

mod check;
mod correction;
mod lambda;
mod pack;
mod predict;
mod reaction;
mod surface;
mod velocity;

use crate::{Pbf, memory::Fields, physics, step::Phases};
pub(crate) use correction::Relaxation;
use lambda::Constraint;
use sph_core::{
    Real,
    kernel::Kernel as _,
    method::{
        failure::{Cause, StepError},
        phases::Timed,
        report::StepReport,
        state::State,
        stopwatch::Stopwatch,
    },
    numerics::{
        field::Sizing,
        parallel::{self, Exact, First},
        vector::norm2,
    },
    run::ranks::exchange::{PerParticle, PointSet},
};
use std::mem::take;

/// A step in progress: the method and the state it advances. Between prediction and [`Phases::update_positions`] the
/// state has the predicted `x*` and `v*`, while the records have the positions that are corrected.
pub(crate) struct Cpu<'a, const D: usize> {
    pub method: &'a mut Pbf<D>,
    pub state: &'a mut State<D>,
    /// Substep, `[s]`.
    pub dt: f64,
    /// Change of velocity over the displacement that makes it, `[1/s]`.
    pub per_displacement: Real,
    /// Time at the end of the substep, `[s]`.
    pub end: f64,
}

impl<'a, const D: usize> Cpu<'a, D> {
    pub fn new(method: &'a mut Pbf<D>, state: &'a mut State<D>) -> Self {
        method.shell.report = StepReport::default();
        Self { method, state, dt: 0.0, per_displacement: 0.0, end: 0.0 }
    }
}

impl<const D: usize> Timed for Cpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.method.shell.stopwatch
    }
}

impl<const D: usize> Phases for Cpu<'_, D> {
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.end = self.state.t + dt;
        self.state.walls.move_to(self.end);
        Ok(())
    }

    fn predict_positions(&mut self, dt: f64) -> Result<(), StepError> {
        (self.dt, self.per_displacement) = (dt, (1.0 / dt) as Real);
        let found = match self.method.constants.needs.past {
            false => {
                let forces = self.state.forces;
                self.add_container_loads(0.0, |_, state, i| {
                    predict::free(&forces, state.fluid.position(i), state.fluid.velocity(i), dt as Real)
                });
                predict::first_order(self.state, dt as Real)
            }
            true => self.predict_from_past(),
        };
        self.check_predicted(found)
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &mut *self.state);
        let past = s
            .fields
            .displacement
            .iter_mut()
            .chain(&mut s.fields.velocity_change)
            .filter(|_| s.constants.needs.past);
        let found = s.shell.find_neighbors(state, past);
        s.fields.resize(&mut Sizing::Make, state.fluid.len(), state.walls.len(), s.constants.needs);
        if let Err(cause) = found {
            self.check_packed(First::from(self.state.fluid.first_lost()), First::NONE)?;
            return Err(StepError::new(self.state, "find_neighbors", None, cause));
        }
        self.method.shell.stopwatch.lap("find_neighbors");
        self.method.fields.reaction.iter_mut().for_each(|force| force.fill(0.0));
        let (fluid, walls) = (self.pack_positions(), self.pack_walls());
        self.method.shell.stopwatch.lap("pack");
        self.check_packed(fluid, walls)
    }

    fn compute_lambda(&mut self) -> Result<(), StepError> {
        let found = self.lambda();
        self.count_errors("compute_lambda")?;
        self.check_corrected("compute_lambda", found, "lambda")?;
        let s = &mut *self.method;
        s.shell.refresh(self.state, "compute_lambda", PointSet::Fluid, &mut s.fields.x_lambda)
    }

    fn is_solved(&mut self, corrections: u32) -> bool {
        self.method.params.is_solved(corrections, self.method.shell.report.density_error_mean)
    }

    fn compute_delta_x(&mut self) -> Result<(), StepError> {
        self.delta_x();
        self.method.shell.report.iterations += 1;
        Ok(())
    }

    fn apply_delta_x(&mut self) -> Result<(), StepError> {
        if self.state.needs_reactions() {
            let s = &mut *self.method;
            s.shell.refresh(self.state, "compute_delta_x", PointSet::Fluid, &mut s.fields.delta)?;
            self.react();
        }
        let (n, relaxation) = (self.state.fluid.len(), self.method.constants.relaxation);
        self.add_container_loads(f64::from(self.per_displacement), |fields, _, i| {
            (relaxation.corrected(&fields.x_star[i], &fields.delta[i]), [0.0; D])
        });
        let Fields { x_star, delta, .. } = &mut self.method.fields;
        let found = correction::apply(&mut x_star[..n], delta, relaxation, &self.state.containers);
        self.method.fields.density_is_current = false;
        self.check_corrected("compute_delta_x", found, "position correction")?;
        let s = &mut *self.method;
        s.shell.refresh(self.state, "apply_delta_x", PointSet::Fluid, &mut s.fields.x_star)
    }

    fn compute_density(&mut self) -> Result<(), StepError> {
        if self.method.fields.density_is_current {
            return Ok(());
        }
        let found = self.density();
        self.count_errors("compute_density")?;
        self.check_corrected("compute_density", found, "density")
    }

    fn update_velocities(&mut self, dt: f64) -> Result<(), StepError> {
        let damping = self.damping();
        let found = self.velocities(damping);
        let largest = &mut self.method.shell.report.max_acceleration;
        *largest = largest.max(f64::from(found.square).sqrt() / dt);
        let Some(i) = found.bad.place() else { return Ok(()) };
        let fluid = &self.state.fluid;
        let (phase, field) = match (fluid.rho[i].is_finite(), norm2(fluid.velocity(i)).is_finite()) {
            (false, _) => ("compute_density", "density"),
            // The predicted velocity stays where the new one is not finite.
            (_, false) => ("predict_positions", "velocity"),
            _ => ("update_velocities", "velocity"),
        };
        self.check_corrected(phase, found.bad, field)
    }

    fn apply_vorticity_and_xsph(&mut self, dt: f64) -> Result<(), StepError> {
        let needs = self.method.constants.needs;
        if needs.velocities {
            let found = self.pack_velocities();
            self.check_field("update_velocities", found, "velocity")?;
            self.refresh_velocities()?;
            if needs.vorticity {
                self.confine_vorticity(dt as Real)?;
                let found = self.pack_velocities();
                self.check_field("apply_vorticity_and_xsph", found, "velocity")?;
                self.refresh_velocities()?;
            }
            self.apply_xsph();
            self.method.shell.stopwatch.lap("apply_vorticity_and_xsph");
        }
        if needs.surface_forces {
            self.pack_densities();
            self.surface_forces()?;
            let found = self.accelerate(dt as Real);
            self.method.shell.stopwatch.lap("surface_forces");
            return self.check_accelerated(found);
        }
        Ok(())
    }

    fn update_positions(&mut self) -> Result<(), StepError> {
        self.drop_ghosts();
        let found = self.store_positions();
        let Some(i) = found.bad.place() else { return self.report_speeds(f64::from(found.square).sqrt()) };
        let fluid = &self.state.fluid;
        if self.state.domain.holds(fluid.position(i)) {
            // The velocity before it has replaced the one that is not finite.
            let changed =
                self.method.constants.needs.velocities || self.method.constants.needs.surface_forces;
            let phase = if changed { "apply_vorticity_and_xsph" } else { "update_velocities" };
            return self.check_field(phase, found.bad, "velocity");
        }
        if fluid.position(i).iter().all(|x| x.is_finite()) {
            return Err(StepError::new(self.state, "update_positions", Some(fluid.id[i]), Cause::Escaped));
        }
        self.check_field("apply_delta_x", found.bad, "position")
    }

    fn move_bodies(&mut self) -> Result<(), StepError> {
        if self.state.needs_reactions() {
            let s = &mut *self.method;
            s.shell.gather_reactions(self.state, "move_bodies", &mut s.fields.reaction)?;
            self.advance_bodies(self.damping());
        }
        Ok(())
    }

    fn report(&mut self, dt: f64) -> StepReport {
        let shell = &mut self.method.shell;
        shell.max_speed = shell.report.max_speed;
        StepReport { dt, residual: shell.report.density_error_mean, ..shell.report }
    }
}

impl<const D: usize> Cpu<'_, D> {
    /// Damping factor of velocities in a substep, `[-]`.
    fn damping(&self) -> Real {
        self.state.forces.damping_of(self.state.t, self.dt)
    }

    /// Adds what containers are about to do in the substep, which is a part of the step whose mean is the force.
    fn add_container_loads(
        &mut self,
        rate: f64,
        before: impl Fn(&Fields<D>, &State<D>, usize) -> ([Real; D], [Real; D]) + Sync,
    ) {
        let (fields, step) = (&self.method.fields, self.dt * f64::from(self.method.params.substeps));
        self.state.add_container_loads(step, rate, |state, i| before(fields, state, i));
    }

    /// Prediction of the second-order update.
    fn predict_from_past(&mut self) -> First {
        let fields = &mut self.method.fields;
        fields.resize_past(&mut Sizing::Make, self.state.fluid.len(), true);
        let (bdf2, is_new) = fields.bdf2(self.dt);
        self.per_displacement /= bdf2.rate;
        let past = predict::Past {
            displacement: &mut fields.displacement,
            velocity_change: &mut fields.velocity_change,
            is_new,
        };
        predict::second_order(self.state, past, bdf2, self.dt as Real)
    }

    fn lambda(&mut self) -> First {
        let (s, state) = (&mut *self.method, &mut *self.state);
        let (n, periodic, fields) = (state.fluid.len(), state.domain.periodic, &mut s.fields);
        let input = [&fields.x_star[..], &fields.x_psi];
        let constraint = Constraint::new((&s.params, &s.constants), state.rest, periodic, input);
        let outputs = (&mut fields.x_lambda[..n], &mut state.fluid.rho[..], &mut fields.lambda[..]);
        s.shell.neighbors.fluid.for_each(outputs, |k, fluid, out| {
            let walls = &s.shell.neighbors.walls.chunks()[k];
            lambda::lambda(s.shell.isa, s.kernel, &constraint, fluid, walls, out)
        })
    }

    fn density(&mut self) -> First {
        let (s, state) = (&*self.method, &mut *self.state);
        let input = [&s.fields.x_star[..], &s.fields.x_psi];
        let constraint = Constraint::new((&s.params, &s.constants), state.rest, state.domain.periodic, input);
        s.shell.neighbors.fluid.for_each(&mut state.fluid.rho[..], |k, fluid, rho| {
            let walls = &s.shell.neighbors.walls.chunks()[k];
            lambda::density(s.shell.isa, s.kernel, &constraint, fluid, walls, rho)
        })
    }

    fn count_errors(&mut self, phase: &'static str) -> Result<(), StepError> {
        self.method.shell.report_density(self.state, phase)?;
        self.method.fields.density_is_current = true;
        self.method.shell.stopwatch.lap(phase);
        Ok(())
    }

    fn refresh_velocities(&mut self) -> Result<(), StepError> {
        let s = &mut *self.method;
        s.shell.refresh(self.state, "apply_vorticity_and_xsph", PointSet::Fluid, &mut s.fields.x_v_rho)
    }

    fn drop_ghosts(&mut self) {
        let Fields { x_star, x_v_rho, lambda, displacement, velocity_change, .. } = &mut self.method.fields;
        let records: [&mut dyn PerParticle; 3] = [x_star, x_v_rho, lambda];
        let past = displacement.iter_mut().chain(velocity_change).map(|axis| axis as &mut dyn PerParticle);
        self.method.shell.drop_ghosts(self.state, records.into_iter().chain(past));
    }

    /// Takes the largest speed and acceleration of all ranks into the report.
    fn report_speeds(&mut self, own: f64) -> Result<(), StepError> {
        const PHASE: &str = "update_positions";
        let shell = &mut self.method.shell;
        shell.report.max_speed = shell.max(self.state, PHASE, own)?;
        shell.report.max_acceleration = shell.max(self.state, PHASE, shell.report.max_acceleration)?;
        Ok(())
    }

    fn delta_x(&mut self) {
        let scorr = physics::Scorr { k: self.method.scorr(self.dt), ..self.method.constants.scorr };
        let (s, state) = (&mut *self.method, &*self.state);
        let correction = correction::Correction {
            periodic: state.domain.periodic,
            x_lambda: &s.fields.x_lambda,
            x_psi: &s.fields.x_psi,
            m: state.rest.m,
            rho_0: state.rest.rho_0,
            scorr,
            counts: s.constants.relaxation.averages,
        };
        s.shell.neighbors.fluid.for_each(&mut s.fields.delta[..], |k, fluid, delta| {
            let walls = &s.shell.neighbors.walls.chunks()[k];
            correction::delta_x(s.shell.isa, s.kernel, &correction, fluid, walls, delta);
        });
    }

    fn apply_xsph(&mut self) {
        let (s, state) = (&*self.method, &mut *self.state);
        if s.params.xsph_viscosity == 0.0 {
            return;
        }
        let velocities = s.velocities(state);
        let v = state.fluid.v.each_mut().map(Vec::as_mut_slice);
        s.shell.neighbors.fluid.for_each(v, |_, fluid, v| {
            velocity::xsph(s.shell.isa, s.kernel, &velocities, fluid, v);
        });
    }

    fn confine_vorticity(&mut self, dt: Real) -> Result<(), StepError> {
        const PHASE: &str = "apply_vorticity_and_xsph";
        let (n, h, periodic) =
            (self.state.fluid.len(), self.method.kernel.support_radius(), self.state.domain.periodic);
        let mut vorticity = take(&mut self.method.fields.vorticity);
        let (s, velocities) = (&*self.method, self.method.velocities(self.state));
        s.shell.neighbors.fluid.for_each(&mut vorticity[..n], |_, fluid, vorticity| {
            velocity::vorticity(s.shell.isa, s.kernel, &velocities, fluid, vorticity);
        });
        let shell = &mut self.method.shell;
        let own = shell.own(n);
        let size = |k: usize| f64::from(vorticity[own.place(k)][7]);
        let squares = parallel::blocks(own.count(), (), |range, ()| Exact::of(range, |k| size(k) * size(k)));
        let squares = shell.sum(self.state, PHASE, squares)?;
        let mean = (squares / shell.total(n).max(1) as f64).sqrt() as Real;
        shell.refresh(self.state, PHASE, PointSet::Fluid, &mut vorticity)?;
        self.method.fields.vorticity = vorticity;
        let s = &*self.method;
        let confinement = velocity::Confinement {
            periodic,
            vorticity: &s.fields.vorticity,
            strength: dt * s.params.vorticity_confinement,
            least: 1e-6 * mean / h,
        };
        let v = self.state.fluid.v.each_mut().map(Vec::as_mut_slice);
        s.shell.neighbors.fluid.for_each(v, |_, fluid, v| {
            velocity::confine(s.shell.isa, s.kernel, &confinement, fluid, v);
        });
        Ok(())
    }
}

impl<const D: usize> Pbf<D> {
    /// Input of the loops over velocities.
    fn velocities(&self, state: &State<D>) -> velocity::Velocities<'_, D> {
        velocity::Velocities {
            periodic: state.domain.periodic,
            x_v_rho: &self.fields.x_v_rho,
            m: state.rest.m,
            xsph: self.params.xsph_viscosity,
        }
    }
}
