//! The phases on the CPU: loops over particles that call `physics.rs`.

mod check;
mod correction;
mod lambda;
mod pack;
mod predict;
mod reaction;
mod surface;
mod velocity;

use crate::{
    Pbf,
    memory::Records,
    params::XsphWeight,
    physics::{self, Bdf2},
    step::Phases,
};
pub(crate) use correction::Relaxation;
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
        parallel::{self, First, Max, Sum},
        vector::norm2,
    },
};
use std::mem::take;

/// A step in progress: the method and the state it advances. Between prediction and [`Phases::update_positions`] the
/// state holds `x*` and `v*`, while the records hold the positions that are corrected.
pub(crate) struct Cpu<'a, const D: usize> {
    pub method: &'a mut Pbf<D>,
    pub state: &'a mut State<D>,
    /// Substep, `[s]`.
    pub dt: f64,
    /// Change of velocity over the way that makes it, `[1/s]`.
    pub per_way: Real,
    /// Time at the end of the substep, `[s]`.
    pub end: f64,
}

impl<'a, const D: usize> Cpu<'a, D> {
    pub fn new(method: &'a mut Pbf<D>, state: &'a mut State<D>) -> Self {
        method.fields.report = StepReport::default();
        Self { method, state, dt: 0.0, per_way: 0.0, end: 0.0 }
    }
}

/// Runs a loop on the records that the masses ask for.
macro_rules! with_records {
    ($cpu:ident, $records:ident => $run:expr) => {
        if $cpu.method.constants.needs.masses {
            let mut taken = take(&mut $cpu.method.fields.unequal);
            let $records = &mut taken;
            let result = $run;
            $cpu.method.fields.unequal = taken;
            result
        } else {
            let mut taken = take(&mut $cpu.method.fields.equal);
            let $records = &mut taken;
            let result = $run;
            $cpu.method.fields.equal = taken;
            result
        }
    };
}

impl<const D: usize> Timed for Cpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.method.stopwatch
    }
}

impl<const D: usize> Phases for Cpu<'_, D> {
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.end = self.state.t + dt;
        self.state.walls.move_to(self.end);
        Ok(())
    }

    fn predict_positions(&mut self, dt: f64) -> Result<(), StepError> {
        (self.dt, self.per_way) = (dt, (1.0 / dt) as Real);
        let found = match self.method.constants.needs.past {
            false => predict::first_order(self.state, dt as Real),
            true => self.predict_from_past(),
        };
        self.check_predicted(found)
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &mut *self.state);
        s.fields.resize(state.fluid.len(), state.walls.len(), s.constants.needs);
        let past = s.fields.way.iter_mut().chain(&mut s.fields.gain).filter(|field| !field.is_empty());
        if let Err(cause) = s.neighbors.update(state, past) {
            let x = &self.state.fluid.x;
            let infinite = (0..x[0].len()).find(|&i| x.iter().any(|axis| !axis[i].is_finite()));
            self.check_packed(First::from(infinite), First::NONE)?;
            return Err(StepError::new(self.state, "find_neighbors", None, cause.into()));
        }
        self.method.stopwatch.lap("find_neighbors");
        self.method.fields.reaction.iter_mut().for_each(|force| force.fill(0.0));
        let fluid = with_records!(self, records => self.pack_places(records));
        let walls = self.pack_walls();
        self.method.stopwatch.lap("pack");
        self.check_packed(fluid, walls)?;
        self.find_surface();
        Ok(())
    }

    fn compute_lambda(&mut self) -> Result<(), StepError> {
        let found = with_records!(self, records => self.lambda_of(records));
        self.count_errors(&found, "compute_lambda");
        self.check_corrected("compute_lambda", found.bad, "lambda")
    }

    fn is_solved(&mut self, corrections: u32) -> bool {
        let params = &self.method.params;
        let tolerance = f64::from(params.density_tolerance);
        corrections >= params.min_iterations && self.method.fields.report.density_error_mean < tolerance
    }

    fn compute_delta_x(&mut self) -> Result<(), StepError> {
        self.correct();
        if self.method.constants.needs.surface_constraint {
            self.pull_surface();
        }
        self.method.fields.report.iterations += 1;
        Ok(())
    }

    fn apply_delta_x(&mut self) -> Result<(), StepError> {
        let found = with_records!(self, records => self.apply_to(records));
        self.method.fields.density_is_current = false;
        self.check_corrected("compute_delta_x", found, "position correction")
    }

    fn compute_density(&mut self) -> Result<(), StepError> {
        if self.method.fields.density_is_current {
            return Ok(());
        }
        let found = with_records!(self, records => self.density_of(records));
        self.count_errors(&found, "compute_density");
        self.check_corrected("compute_density", found.bad, "density")
    }

    fn update_velocities(&mut self, dt: f64) -> Result<(), StepError> {
        let damping = self.damping();
        let found = with_records!(self, records => self.velocities(records, damping));
        let largest = &mut self.method.fields.report.max_acceleration;
        *largest = largest.max(f64::from(found.square).sqrt() / dt);
        let Some(i) = found.bad.place() else { return Ok(()) };
        let fluid = &self.state.fluid;
        let (phase, field) = match (fluid.rho[i].is_finite(), norm2(fluid.velocity(i)).is_finite()) {
            (false, _) => ("compute_density", "density"),
            // What was predicted stays where the new one is not finite.
            (_, false) => ("predict_positions", "velocity"),
            _ => ("update_velocities", "velocity"),
        };
        self.check_corrected(phase, found.bad, field)
    }

    fn apply_vorticity_and_xsph(&mut self, dt: f64) -> Result<(), StepError> {
        let needs = self.method.constants.needs;
        if needs.velocities {
            let found = with_records!(self, records => self.pack_velocities(records));
            self.check_field("update_velocities", found, "velocity")?;
            if needs.vorticity {
                self.confine_vorticity(dt as Real);
                let found = with_records!(self, records => self.pack_velocities(records));
                self.check_field("apply_vorticity_and_xsph", found, "velocity")?;
            }
            self.mix_velocities();
            self.method.stopwatch.lap("apply_vorticity_and_xsph");
        }
        if needs.surface_forces {
            with_records!(self, records => self.pack_densities(records));
            self.surface_forces();
            let found = self.accelerate(dt as Real);
            self.method.stopwatch.lap("surface_forces");
            return self.check_accelerated(found);
        }
        Ok(())
    }

    fn update_positions(&mut self) -> Result<(), StepError> {
        let found = with_records!(self, records => self.commit(records));
        self.method.fields.report.max_speed = f64::from(found.square).sqrt();
        let Some(i) = found.bad.place() else { return Ok(()) };
        let fluid = &self.state.fluid;
        if self.state.domain.holds(fluid.position(i)) {
            // A velocity from before has taken the place of the one that is not finite.
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
        if !self.state.bodies.is_empty() {
            self.advance_bodies(self.damping());
        }
        Ok(())
    }

    fn report(&mut self, dt: f64) -> StepReport {
        let fields = &mut self.method.fields;
        fields.max_speed = fields.report.max_speed;
        StepReport { dt, residual: fields.report.density_error_mean, ..fields.report }
    }
}

impl<const D: usize> Cpu<'_, D> {
    /// What a substep leaves of a velocity, `[-]`.
    fn damping(&self) -> Real {
        self.state.forces.damping_of(self.state.t, self.dt)
    }

    /// Prediction of the second-order update. A step much longer than the last begins anew.
    fn predict_from_past(&mut self) -> First {
        let fields = &mut self.method.fields;
        fields.resize_past(self.state.fluid.len(), true);
        let kappa = self.dt / fields.last_dt;
        let is_new = fields.last_dt == 0.0 || kappa > Bdf2::MAX_GROWTH;
        let bdf2 = Bdf2::new(if is_new { 1.0 } else { kappa });
        fields.last_dt = self.dt;
        self.per_way /= bdf2.rate;
        let past = predict::Past { way: &mut fields.way, gain: &mut fields.gain, is_new };
        predict::second_order(self.state, past, bdf2, self.dt as Real)
    }

    fn constraint<'a, const N: usize>(&'a self, place: &'a [[Real; N]]) -> lambda::Constraint<'a, D, N> {
        let (s, rest) = (&*self.method, self.state.rest);
        lambda::Constraint {
            periodic: self.state.domain.periodic,
            place,
            walls: &s.fields.wall_x4,
            m: rest.m,
            rho_0: rest.rho_0,
            solid: s.params.solid_pressure,
            epsilon: s.constants.epsilon,
            unilateral: s.params.unilateral,
            weights: s.constants.weights,
            walls_in_denominator: s.params.walls_in_denominator,
        }
    }

    fn lambda_of<const N: usize>(&mut self, records: &mut Records<N>) -> lambda::Found {
        let (n, mut lambda_out) = (self.state.fluid.len(), take(&mut self.method.fields.lambda));
        let mut rho = take(&mut self.state.fluid.rho);
        let s = &*self.method;
        let constraint = self.constraint(&records.place);
        let outputs = (&mut records.push[..n], &mut rho[..], &mut lambda_out[..]);
        let found = s.neighbors.fluid.for_each(outputs, |k, fluid, out| {
            let walls = &s.neighbors.walls.chunks()[k];
            lambda::lambda(s.isa, s.kernel, &constraint, fluid, walls, out)
        });
        self.state.fluid.rho = rho;
        self.method.fields.lambda = lambda_out;
        found
    }

    fn density_of<const N: usize>(&mut self, records: &mut Records<N>) -> lambda::Found {
        let mut rho = take(&mut self.state.fluid.rho);
        let s = &*self.method;
        let constraint = self.constraint(&records.place);
        let found = s.neighbors.fluid.for_each(&mut rho[..], |k, fluid, rho| {
            let walls = &s.neighbors.walls.chunks()[k];
            lambda::density(s.isa, s.kernel, &constraint, fluid, walls, rho)
        });
        self.state.fluid.rho = rho;
        found
    }

    fn count_errors(&mut self, found: &lambda::Found, phase: &'static str) {
        let n = self.state.fluid.len();
        let report = &mut self.method.fields.report;
        report.density_error_mean = found.excess / n.max(1) as f64;
        report.density_error_max = if n == 0 { 0.0 } else { f64::from(found.largest) };
        self.method.fields.density_is_current = true;
        self.method.stopwatch.lap(phase);
    }

    fn correct(&mut self) {
        if self.method.constants.needs.masses {
            let unequal = take(&mut self.method.fields.unequal);
            self.correct_with(&unequal);
            self.method.fields.unequal = unequal;
        } else {
            let equal = take(&mut self.method.fields.equal);
            self.correct_with(&equal);
            self.method.fields.equal = equal;
        }
    }

    fn correct_with<const N: usize>(&mut self, records: &Records<N>) {
        let scorr = physics::Scorr { k: self.method.scorr(self.dt), ..self.method.constants.scorr };
        let (s, state) = (&mut *self.method, &*self.state);
        let correction = correction::Correction {
            periodic: state.domain.periodic,
            push: &records.push,
            walls: &s.fields.wall_x4,
            m: state.rest.m,
            rho_0: state.rest.rho_0,
            solid: s.params.solid_pressure,
            weights: s.constants.weights,
            scorr,
            counts: s.constants.relaxation.averages,
        };
        let (isa, lists) = (s.isa, &s.neighbors);
        lists.fluid.for_each(&mut s.fields.delta[..], |k, fluid, delta| {
            let walls = &lists.walls.chunks()[k];
            correction::delta_x(isa, s.kernel, &correction, fluid, walls, delta);
        });
    }

    fn apply_to<const N: usize>(&mut self, records: &mut Records<N>) -> First {
        let (n, relaxation) = (self.state.fluid.len(), self.method.constants.relaxation);
        if self.method.constants.needs.reactions {
            self.push_back(&mut records.push);
        }
        let delta = &self.method.fields.delta;
        correction::apply(&mut records.place[..n], delta, relaxation, &self.state.containers)
    }

    fn velocity_loops(&self) -> velocity::Velocities<'_, D> {
        let s = &*self.method;
        velocity::Velocities {
            periodic: self.state.domain.periodic,
            record: &s.fields.record,
            walls: &s.fields.wall_record,
            xsph: s.params.xsph_viscosity,
            wall_xsph: s.params.wall_viscosity,
            symmetric: s.params.xsph_weight == XsphWeight::Symmetric,
        }
    }

    fn mix_velocities(&mut self) {
        if self.method.params.xsph_viscosity == 0.0 && self.method.params.wall_viscosity == 0.0 {
            return;
        }
        let mut v = self.state.fluid.v.each_mut().map(take);
        let (s, loops) = (&*self.method, self.velocity_loops());
        s.neighbors.fluid.for_each(v.each_mut().map(Vec::as_mut_slice), |k, fluid, v| {
            let walls = &s.neighbors.walls.chunks()[k];
            velocity::xsph(s.isa, s.kernel, &loops, fluid, walls, v);
        });
        self.state.fluid.v = v;
        if self.method.constants.needs.reactions && self.method.params.wall_viscosity > 0.0 {
            self.rub_back();
        }
    }

    fn confine_vorticity(&mut self, dt: Real) {
        let (n, h) = (self.state.fluid.len(), self.method.kernel.support_radius());
        let mut spin = take(&mut self.method.fields.spin);
        let (s, loops) = (&*self.method, self.velocity_loops());
        let Sum(squares) = s.neighbors.fluid.for_each(&mut spin[..n], |_, fluid, spin| {
            velocity::vorticity(s.isa, s.kernel, &loops, fluid, spin)
        });
        self.method.fields.spin = spin;
        let s = &*self.method;
        let mean = (squares / n.max(1) as f64).sqrt() as Real;
        let confinement = velocity::Confinement {
            periodic: self.state.domain.periodic,
            spin: &s.fields.spin,
            strength: dt * s.params.vorticity_confinement,
            least: 1e-6 * mean / h,
        };
        let v = self.state.fluid.v.each_mut().map(Vec::as_mut_slice);
        s.neighbors.fluid.for_each(v, |_, fluid, v| {
            velocity::confine(s.isa, s.kernel, &confinement, fluid, v);
        });
    }
}

/// The largest speed of the fluid, `[m/s]`.
pub(crate) fn max_speed<const D: usize>(state: &State<D>) -> Real {
    let fluid = &state.fluid;
    let Max(v2) = parallel::blocks(fluid.len(), (), |range, ()| {
        Max(range.map(|i| norm2(fluid.velocity(i))).fold(0.0, Real::max) as f64)
    });
    v2.sqrt() as Real
}
