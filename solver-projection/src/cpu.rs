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
    cg::{self, Outcome, Solved},
    memory::Fields,
    params::{Compensation, Preconditioner, Reference},
    step::Phases,
};
use bytemuck::Pod;
use equation::{Equation, Inverse, Rows};
use sph_core::{
    Real, compiled_here,
    method::{
        failure::{BEFORE, Cause, Lost, StepError},
        phases::Timed,
        report::StepReport,
        state::State,
        stopwatch::Stopwatch,
    },
    numerics::{
        field::Sizing,
        parallel::{self, First, Max},
    },
    run::ranks::exchange::{PerParticle, PointSet},
};

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

    /// The phases, as this crate has compiled them.
    pub fn phases(&mut self) -> &mut dyn Phases {
        compiled_here!(D, as_phases as for<'a> fn(&'a mut Cpu<'_, D>) -> &'a mut dyn Phases)(self)
    }
}

fn as_phases<'a, const D: usize>(cpu: &'a mut Cpu<'_, D>) -> &'a mut dyn Phases {
    cpu
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
        let Fields { p, acting, .. } = &mut s.fields;
        for kept in [&mut *p, &mut *acting] {
            Sizing::Make.fit(kept, state.fluid.len(), 0.0);
        }
        let found = s.shell.find_neighbors(state, [p, acting]);
        s.fields.resize(&mut Sizing::Make, state.fluid.len(), state.walls.len(), s.constants.needs);
        if let Err(cause) = found {
            // Infinity is far from everything else, too.
            self.check(BEFORE, First::from(self.state.fluid.first_lost()), "position")?;
            return Err(StepError::new(self.state, "find_neighbors", None, cause));
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
        self.check("compute_alpha", found, "density")?;
        self.method.shell.report_density(self.state, "compute_alpha")?;
        self.refresh("compute_alpha", |fields| &mut fields.moments)
    }

    fn assemble_matrix(&mut self) -> Result<(), StepError> {
        self.find_full(0, "assemble_matrix", |fields, i| fields.moments[i].alpha)?;
        let found = self.pack_alpha();
        self.check(BEFORE, found, "velocity")?;
        if !self.method.fields.wall_correction.is_empty() {
            self.correct_walls();
            self.refresh("assemble_matrix", |fields| &mut fields.wall_correction)?;
            self.refresh("assemble_matrix", |fields| &mut fields.record)?;
        }
        self.assemble();
        self.refresh("assemble_matrix", |fields| &mut fields.sums)
    }

    fn detect_free_surface(&mut self) -> Result<(), StepError> {
        self.find_full(1, "detect_free_surface", |fields, i| fields.sums[i].fluid)?;
        let found = self.find_surface();
        let s = &mut *self.method;
        s.fields.is_closed = !s.shell.any(self.state, "detect_free_surface", found)?;
        s.shell.with_others().1.clear_ghosts(&mut s.fields.equation.diagonal);
        Ok(())
    }

    fn build_right_hand_side(&mut self, dt: f64) -> Result<(), StepError> {
        const PHASE: &str = "build_right_hand_side";
        let found = self.right_hand_side(dt);
        let s = &mut *self.method;
        let (n, is_closed) = (s.shell.total(self.state.fluid.len()), s.fields.is_closed);
        let (b, mut others) = (&mut s.fields.equation.b, s.shell.with_others().1);
        others.clear_ghosts(b);
        if is_closed {
            let removed = equation::remove_mean(b, n, &mut others);
            removed.map_err(|lost| StepError::new(self.state, PHASE, None, lost.into()))?;
        }
        self.check(PHASE, found, "right-hand side")
    }

    fn solve_pressure(&mut self) -> Result<(), StepError> {
        const PHASE: &str = "solve_pressure";
        let solved = self.conjugate_gradients().map_err(|lost| self.lost(PHASE, lost))?;
        self.method.count(&solved);
        let found = self.pack_pressures();
        self.check(PHASE, found, "pressure")?;
        let s = &mut *self.method;
        s.fields.max_pressure = s.shell.max(self.state, PHASE, s.fields.max_pressure)?;
        self.method.check_outcome(self.state, PHASE, solved.outcome)
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
        let s = &mut *self.method;
        s.shell.with_others().1.clear_ghosts(&mut s.fields.equation.diagonal);
        let opened = s.shell.any(self.state, "open_voids", opened)?;
        self.method.shell.stopwatch.lap("open_voids");
        if opened {
            self.build_right_hand_side(dt)?;
        }
        Ok(opened)
    }

    fn correct_velocities(&mut self, dt: f64) -> Result<(), StepError> {
        const PHASE: &str = "correct_velocities";
        let found = self.project(dt as Real);
        self.check(PHASE, found.bad, "velocity")?;
        let shell = &mut self.method.shell;
        let largest = shell.max(self.state, PHASE, f64::from(found.square))?;
        shell.report.max_acceleration = largest.sqrt() / dt;
        if self.state.needs_reactions() {
            if !self.method.fields.tangential_gradient.is_empty() {
                self.scale_tangential_gradients();
                self.refresh(PHASE, |fields| &mut fields.tangential_gradient)?;
            }
            if self.method.has_areas() {
                self.refresh(PHASE, |fields| &mut fields.surface_region)?;
            }
            self.react_pressure(dt as Real);
        }
        Ok(())
    }

    fn apply_viscosity(&mut self, dt: f64) -> Result<(), StepError> {
        const PHASE: &str = "apply_viscosity";
        let needs = self.method.constants.needs;
        if needs.viscosity {
            let outcome = self.diffuse(dt as Real).map_err(|lost| self.lost(PHASE, lost))?;
            if self.state.needs_reactions() {
                self.renew_velocities();
                self.refresh(PHASE, |fields| &mut fields.record)?;
                self.react_viscous(dt as Real);
            }
            if needs.stress && outcome == Outcome::Converged {
                self.add_residual();
            }
            self.method.shell.stopwatch.lap("implicit_viscosity");
            self.method.check_outcome(self.state, PHASE, outcome)?;
        }
        if needs.xsph {
            let found = self.pack_velocities();
            self.check(PHASE, found, "velocity")?;
            self.refresh(PHASE, |fields| &mut fields.record)?;
            self.mix_velocities();
            if self.state.needs_reactions() {
                self.react_xsph(dt as Real);
            }
            self.method.shell.stopwatch.lap("xsph");
        }
        Ok(())
    }

    fn stop_at_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.stop(dt).map_err(|lost| self.lost("stop_at_walls", lost))
    }

    fn update_positions(&mut self, dt: f64) -> Result<(), StepError> {
        const PHASE: &str = "update_positions";
        let Fields { p, acting, moments, surface_region, .. } = &mut self.method.fields;
        let fields: [&mut dyn PerParticle; 4] = [p, acting, moments, surface_region];
        self.method.shell.drop_ghosts(self.state, fields);
        let damping = self.state.forces.damping_of(self.state.t, dt);
        let shift = self.shift_length(dt as Real)?;
        let found = self.drift(dt as Real, damping, shift);
        let Some(i) = found.bad.place() else {
            let shell = &mut self.method.shell;
            shell.report.max_speed = shell.max(self.state, PHASE, f64::from(found.square))?.sqrt();
            return Ok(());
        };
        let fluid = &self.state.fluid;
        if !fluid.velocity(i).iter().all(|v| v.is_finite()) {
            return self.check("apply_viscosity", found.bad, "velocity");
        }
        if self.state.domain.holds(fluid.position(i)) {
            return self.check(PHASE, found.bad, "position");
        }
        Err(StepError::new(self.state, PHASE, Some(fluid.id[i]), Cause::Escaped))
    }

    fn move_bodies(&mut self, dt: f64) -> Result<(), StepError> {
        if !self.state.needs_reactions() {
            return Ok(());
        }
        let s = &mut *self.method;
        s.shell.gather_reactions(self.state, "move_bodies", &mut s.fields.reaction)?;
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
    /// Takes the largest of a number in the first step as that of a full neighborhood.
    fn find_full(
        &mut self,
        which: usize,
        phase: &'static str,
        of: impl Fn(&Fields<D>, usize) -> Real + Sync,
    ) -> Result<(), StepError> {
        let Projection { fields, shell, params, .. } = &mut *self.method;
        if params.reference == Reference::FirstStep && fields.full[which] == 0.0 {
            let Max(largest) = parallel::blocks(self.state.fluid.len(), (), |range, ()| {
                Max(range.map(|i| f64::from(of(fields, i))).fold(0.0, f64::max))
            });
            fields.full[which] = shell.max(self.state, phase, largest)?;
        }
        Ok(())
    }

    fn conjugate_gradients(&mut self) -> Result<Solved, Lost> {
        let n = self.method.shell.total(self.state.fluid.len());
        let limits = self.method.pressure_limits(n);
        let Projection { fields, shell, params, .. } = &mut *self.method;
        let (isa, (neighbors, mut others)) = (shell.isa, shell.with_others());
        let Fields { p, equation: vectors, residuals, levels, entries, dirichlet, .. } = fields;
        equation::make_room(residuals, &limits);
        if !params.warm_start {
            p.fill(0.0);
        }
        let inverse = match params.preconditioner {
            Preconditioner::Multilevel => {
                levels.build(neighbors.cells(), &neighbors.fluid, entries, dirichlet, &mut others)?;
                Inverse::Multilevel(levels)
            }
            chosen => Inverse::pointwise(chosen),
        };
        let matrix = Rows { isa, lists: &neighbors.fluid, entries, scale: 1.0 };
        let mut equation = Equation::new((matrix, inverse, n), (isa, others), vectors, p, residuals);
        equation.is_closed = fields.is_closed;
        let solved = cg::solve(&mut equation, &limits)?;
        let (fields, mut others) = (&mut self.method.fields, self.method.shell.with_others().1);
        others.refresh(PointSet::Fluid, &mut fields.p)?;
        if fields.is_closed {
            motion::fix_pressure_constant(&mut fields.p, &mut others)?;
        }
        Ok(solved)
    }

    /// Brings a field to the ghosts, after `phase`.
    fn refresh<T: Pod>(
        &mut self,
        phase: &'static str,
        of: impl FnOnce(&mut Fields<D>) -> &mut Vec<T>,
    ) -> Result<(), StepError> {
        let s = &mut *self.method;
        s.shell.refresh(self.state, phase, PointSet::Fluid, of(&mut s.fields))
    }

    fn lost(&self, phase: &'static str, lost: Lost) -> StepError {
        StepError::new(self.state, phase, None, lost.into())
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
