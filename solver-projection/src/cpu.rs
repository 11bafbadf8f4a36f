//! The phases on the CPU: loops over particles that call `physics.rs`.

mod alpha;
mod contact;
pub mod equation;
mod matrix;
mod motion;
mod pack;
mod reaction;
mod stress;
mod surface;
pub mod vcycle;
mod velocity;
mod viscosity;

use crate::{
    Projection,
    cg::{self, Solved},
    params::{Compensation, Reference},
    step::Phases,
};
use sph_core::{
    Real,
    method::{
        failure::{BEFORE, Cause, StepError},
        phases::Timed,
        report::StepReport,
        state::State,
        stopwatch::Stopwatch,
    },
    numerics::{
        field::Sizing,
        parallel::{self, First, Max, Sum},
    },
};
use std::mem::take;

/// A step in progress: the method and the state it advances.
pub struct Cpu<'a, const D: usize> {
    /// The method.
    pub method: &'a mut Projection<D>,
    /// What it advances.
    pub state: &'a mut State<D>,
    /// Time at the end of the step, `[s]`.
    pub end: f64,
    /// Part of the density error that the source takes out, of what it usually would.
    pub source_part: f64,
    /// How often this step has searched for voids.
    pub searches: u32,
}

impl<'a, const D: usize> Cpu<'a, D> {
    /// Begins a step.
    pub fn new(method: &'a mut Projection<D>, state: &'a mut State<D>) -> Self {
        method.shell.report = StepReport::default();
        Self { end: state.t, source_part: 1.0, searches: 0, method, state }
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

    fn apply_forces(&mut self, dt: f64) -> Result<(), StepError> {
        let found = motion::kick(self.state, dt as Real);
        self.check(BEFORE, found, "velocity")
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        let (s, state) = (&mut *self.method, &mut *self.state);
        s.fields.resize(&mut Sizing::Make, state.fluid.len(), state.walls.len(), s.constants.needs);
        if let Err(cause) = s.shell.neighbors.update(state, [&mut s.fields.p, &mut s.fields.acting]) {
            // Infinity is far from everything else, too.
            let x = &self.state.fluid.x;
            let infinite = (0..x[0].len()).find(|&i| x.iter().any(|axis| !axis[i].is_finite()));
            self.check(BEFORE, First::from(infinite), "position")?;
            return Err(StepError::new(self.state, "find_neighbors", None, cause.into()));
        }
        self.method.shell.stopwatch.lap("find_neighbors");
        let found = self.pack_positions();
        let walls = self.pack_walls();
        self.method.shell.stopwatch.lap("pack");
        if let Some(b) = walls.place() {
            let id = Some(self.state.walls.id[b]);
            let cause = Cause::NotFinite { field: "wall position or velocity" };
            return Err(StepError::new(self.state, "move_walls", id, cause));
        }
        self.check(BEFORE, found, "position")
    }

    fn compute_alpha(&mut self) -> Result<(), StepError> {
        let found = self.sum_weights();
        let n = self.state.fluid.len();
        let report = &mut self.method.shell.report;
        report.density_error_mean = found.excess / n.max(1) as f64;
        report.density_error_max = if n == 0 { 0.0 } else { f64::from(found.largest) };
        self.check("compute_alpha", found.bad, "density")
    }

    fn assemble_matrix(&mut self) -> Result<(), StepError> {
        if self.method.params.reference == Reference::FirstStep && self.method.fields.full[0] == 0.0 {
            self.method.fields.full[0] = self.largest(|fields, i| fields.moments[i].alpha);
        }
        let found = self.pack_alpha();
        self.check(BEFORE, found, "velocity")?;
        self.correct_walls();
        self.assemble();
        Ok(())
    }

    fn detect_free_surface(&mut self) -> Result<(), StepError> {
        if self.method.params.reference == Reference::FirstStep && self.method.fields.full[1] == 0.0 {
            self.method.fields.full[1] = self.largest(|fields, i| fields.sums[i].fluid);
        }
        self.find_surface();
        Ok(())
    }

    fn build_right_hand_side(&mut self, dt: f64) -> Result<(), StepError> {
        let found = self.right_hand_side(dt);
        if self.method.fields.is_closed {
            motion::remove_mean(&mut self.method.fields.equation.b);
        }
        self.check("build_right_hand_side", found, "right-hand side")
    }

    fn solve_pressure(&mut self) -> Result<(), StepError> {
        let solved = self.conjugate_gradients();
        self.method.count(&solved);
        let found = self.pack_pressures();
        self.check("solve_pressure", found, "pressure")?;
        self.method.check_outcome(self.state, "solve_pressure", solved.outcome)
    }

    fn limit_density_source(&mut self, dt: f64) -> Result<bool, StepError> {
        let Some(source_part) = self.method.source_limit(self.state, dt) else { return Ok(false) };
        self.source_part = source_part;
        // What was too large begins by as much smaller.
        motion::scale(&mut self.method.fields.p, source_part as Real);
        self.build_right_hand_side(dt)?;
        Ok(true)
    }

    fn open_voids(&mut self, dt: f64) -> Result<bool, StepError> {
        let may = self.method.may_throw(self.state, dt, self.searches);
        self.searches += 1;
        if !may {
            return Ok(false);
        }
        let opened = self.open(dt as Real);
        self.method.shell.stopwatch.lap("open_voids");
        if opened {
            self.build_right_hand_side(dt)?;
        }
        Ok(opened)
    }

    fn correct_velocities(&mut self, dt: f64) -> Result<(), StepError> {
        let found = self.project(dt as Real);
        let largest = &mut self.method.shell.report.max_acceleration;
        *largest = f64::from(found.square).sqrt() / dt;
        if self.state.needs_reactions() {
            self.react_pressure(dt as Real);
        }
        self.check("correct_velocities", found.bad, "velocity")
    }

    fn apply_viscosity(&mut self, dt: f64) -> Result<(), StepError> {
        let needs = self.method.constants.needs;
        if needs.viscosity {
            let outcome = self.diffuse(dt as Real);
            self.method.shell.stopwatch.lap("implicit_viscosity");
            self.method.check_outcome(self.state, "apply_viscosity", outcome)?;
        }
        if needs.xsph {
            let found = self.mix_velocities(dt as Real);
            self.method.shell.stopwatch.lap("xsph");
            self.check("apply_viscosity", found, "velocity")?;
        }
        Ok(())
    }

    fn stop_at_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.stop(dt);
        Ok(())
    }

    fn update_positions(&mut self, dt: f64) -> Result<(), StepError> {
        let damping = self.state.forces.damping_of(self.state.t, dt);
        let found = self.drift(dt as Real, damping);
        self.method.shell.report.max_speed = f64::from(found.square).sqrt();
        let Some(i) = found.bad.place() else { return Ok(()) };
        let fluid = &self.state.fluid;
        if !fluid.velocity(i).iter().all(|v| v.is_finite()) {
            return self.check("apply_viscosity", found.bad, "velocity");
        }
        if self.state.domain.holds(fluid.position(i)) {
            return self.check("update_positions", found.bad, "position");
        }
        Err(StepError::new(self.state, "update_positions", Some(fluid.id[i]), Cause::Escaped))
    }

    fn move_bodies(&mut self, dt: f64) -> Result<(), StepError> {
        if !self.state.needs_reactions() {
            return Ok(());
        }
        let damping = self.state.forces.damping_of(self.state.t, dt);
        let lost = self.advance_bodies(dt, f64::from(damping));
        if lost {
            let cause = Cause::NotFinite { field: "velocity of a body" };
            return Err(StepError::new(self.state, "move_bodies", None, cause));
        }
        Ok(())
    }

    fn report(&mut self, dt: f64) -> StepReport {
        let shell = &mut self.method.shell;
        shell.max_speed = shell.report.max_speed;
        StepReport { dt, ..shell.report }
    }
}

impl<const D: usize> Cpu<'_, D> {
    /// The largest of a number over all particles.
    fn largest(&self, of: impl Fn(&crate::memory::Fields<D>, usize) -> Real + Sync) -> f64 {
        let fields = &self.method.fields;
        parallel::blocks(self.state.fluid.len(), (), |range, ()| {
            Max(range.map(|i| f64::from(of(fields, i))).fold(0.0, f64::max))
        })
        .0
    }

    fn conjugate_gradients(&mut self) -> Solved {
        let limits = self.method.pressure_limits(self.state.fluid.len());
        let mut p = take(&mut self.method.fields.p);
        if !self.method.params.warm_start {
            p.fill(0.0);
        }
        let mut levels = take(&mut self.method.fields.levels);
        let inverse = self.inverse(&mut levels);
        let mut vectors = take(&mut self.method.fields.equation);
        let mut history = take(&mut self.method.fields.residuals);
        let mut equation = self.equation(inverse, &mut vectors, &mut p, &mut history, 1.0);
        let Ok(solved) = cg::solve(&mut equation, &limits);
        if equation.is_closed {
            motion::fix_pressure_constant(&mut p);
        }
        let fields = &mut self.method.fields;
        (fields.p, fields.equation, fields.residuals, fields.levels) = (p, vectors, history, levels);
        solved
    }

    /// True when the density takes part in the source with both signs.
    fn is_two_sided(&self) -> bool {
        self.method.params.compensation_mode == Compensation::TwoSided
    }

    /// Fails if a loop found something.
    fn check(&self, phase: &'static str, found: First, field: &'static str) -> Result<(), StepError> {
        let Some(i) = found.place() else { return Ok(()) };
        let cause = Cause::NotFinite { field };
        Err(StepError::new(self.state, phase, Some(self.state.fluid.id[i]), cause))
    }
}

/// The mean of a field, summed in one order.
fn mean(field: &[Real]) -> f64 {
    let Sum(sum) =
        parallel::blocks(field.len(), (), |range, ()| Sum(field[range].iter().map(|&x| f64::from(x)).sum()));
    sum / field.len().max(1) as f64
}
