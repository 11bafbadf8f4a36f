//! The contract between a run and a method.

use super::{
    failure::StepError,
    report::{Derived, FieldInfo, StepReport},
    sample::{Picked, Search, Wanted},
    state::State,
    stopwatch::Stopwatch,
};
use crate::{Real, error::Error, fluid::particles::Particles, neighbors::Neighbors};
use std::any::Any;

/// A place of the solver's memory that a restart must keep.
#[derive(Debug)]
pub enum Memory<'a> {
    /// A field over the particles, in their order; empty while the method has not used it.
    Field(&'a mut Vec<Real>),
    /// Positions of fluid or walls at another moment, or nothing.
    Array(&'a mut Vec<Real>),
    /// A column of a table of pairs, which has as many rows as there are pairs. The first two columns are the id of the particle
    /// that owns the pair, in [parts](to_parts); rows stand in the order of their owners.
    Pairs(&'a mut Vec<Real>),
    /// A single number.
    Number(&'a mut f64),
}

/// The low and the high part of an id, which `Real` holds exactly.
pub fn to_parts(id: u64) -> [Real; 2] {
    [id % PART, id / PART].map(|part| part as Real)
}

/// The id of two such parts.
pub fn of_parts([low, high]: [Real; 2]) -> u64 {
    low as u64 + PART * high as u64
}

/// Ids are cut into parts below this.
const PART: u64 = 1 << 20;

/// Called after each phase of a step with the method, the state and the name of the phase: observes a step from within, or
/// injects faults in tests. Fields are then those of the phases so far.
pub type PhaseHook<const D: usize> =
    Box<dyn FnMut(&mut dyn Solver<D>, &mut State<D>, &'static str) + Send + Sync>;

/// A method: advances a state by one step.
pub trait Solver<const D: usize>: Any + Send {
    /// Name in scenes and reports.
    fn name(&self) -> &'static str;

    /// Kernel support radius h, `[m]`.
    fn support_radius(&self) -> Real;

    /// The largest step that the method's limits allow now, `[s]`.
    ///
    /// # Errors
    /// When it lies below the floor.
    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError>;

    /// Advances the state by `dt`, `[s]`.
    ///
    /// # Errors
    /// When a number is not finite, a particle escaped or an iteration failed; the state is then useless.
    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError>;

    /// Brings what the steps have left in another memory, as that of a GPU, into `state` and into what
    /// [`Solver::memory`], [`Solver::field`] and [`Solver::chain`] show. Called before anything but a step looks at
    /// them; a method whose steps work on `state` itself has nothing to copy.
    ///
    /// # Errors
    /// When the copy fails.
    fn fetch(&mut self, _state: &mut State<D>) -> Result<(), StepError> {
        Ok(())
    }

    /// Brings no more of it than samples of measures read: the places of walls into `state`, and what else is `wanted` of
    /// the fluid. `None` when all of it is on the host.
    ///
    /// # Errors
    /// When a copy fails.
    fn pick(&mut self, state: &mut State<D>, _wanted: &Wanted<D>) -> Result<Option<Picked<D>>, StepError> {
        self.fetch(state).map(|()| None)
    }

    /// The particles that are looked for. The walls in `state` are then those of now.
    ///
    /// # Errors
    /// When a copy fails.
    fn find(&mut self, state: &mut State<D>, search: &dyn Search<D>) -> Result<Particles<D>, StepError> {
        self.fetch(state)?;
        Ok(state.fluid.at(&search.places(state)))
    }

    /// Velocities in the state were changed between two steps: what another memory holds of them is void.
    fn velocities_changed(&mut self) {}

    /// Shows `visit` every place that a restart must keep, to read or to overwrite it.
    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>));

    /// Particles were added or removed between two steps, and the fields of [`Solver::memory`] with them (new
    /// entries are 0): forgets all else that depends on their number or order.
    fn fluid_changed(&mut self);

    /// Walls got another motion between two steps: forgets what was computed once for walls at rest.
    fn walls_changed(&mut self);

    /// Checks a new value of a parameter: what [`Solver::set_parameter`] would refuse.
    ///
    /// # Errors
    /// When the parameter does not exist, cannot change in a run, or the value is wrong.
    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error>;

    /// Changes a parameter between two steps. What it derives depends on the parameters alone, not on the
    /// state, so that a restart derives the same.
    ///
    /// # Errors
    /// As [`Solver::check_parameter`].
    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error>;

    /// State and memory have been put back to an earlier moment: whatever else the method kept of the steps
    /// since, as neighbor rows, is void. Fields that the state determines are made anew.
    fn restored(&mut self, state: &State<D>);

    /// The fields that a step computes, each with its phase, in the order of cause and effect. Read after a
    /// failure, to find where it began.
    fn chain<'a>(&'a self, _state: &'a State<D>) -> Vec<Link<'a>> {
        Vec::new()
    }

    /// Speed of sound, if the method has one: flow must stay well below it, `[m/s]`.
    fn sound_speed(&self) -> Option<f64> {
        None
    }

    /// Parts of a step that move particles each, `[-]`.
    fn substeps(&self) -> u32 {
        1
    }

    /// A field that the method computes, in the order of the particles; `None` for an unknown name.
    fn field(&self, name: &str) -> Option<&[Real]>;

    /// The names that [`Solver::field`] knows; a method without such fields has none to show.
    fn fields(&self) -> &'static [FieldInfo] {
        &[]
    }

    /// Where particles are after a phase of a step, as records that begin with the position, if the state gets these positions
    /// only at the end of the step.
    fn moved(&self, _phase: &str) -> Option<&[[Real; 4]]> {
        None
    }

    /// Residuals `‖r‖₂/‖b‖₂` after each iteration of the last step, `[-]`; a method that solves no equation has none to
    /// show.
    fn residuals(&self) -> &[f64] {
        &[]
    }

    /// The neighbor rows of the last step, in the order of the particles.
    fn neighbors(&self) -> &Neighbors<D>;

    /// Internal energy per mass at density `rho` `[kg/m³]`, zero at rest: 0 for a method without one, `[J/kg]`.
    fn internal_energy(&self, _rho: f64) -> f64 {
        0.0
    }

    /// What it derived from the scene, for people; a method without such numbers has none to show.
    fn derived(&self, _state: &State<D>) -> Derived {
        Derived::default()
    }

    /// Calls the hook after each phase of a step from now on, or none; a method whose steps run elsewhere does not.
    fn watch(&mut self, _hook: Option<PhaseHook<D>>) {}

    /// Time spent in each phase.
    fn stopwatch(&self) -> &Stopwatch;

    /// Forgets the time spent so far.
    fn reset_stopwatch(&mut self);
}

/// One field in the chain of cause and effect.
pub struct Link<'a> {
    /// The phase that writes it.
    pub phase: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// True for a field over wall samples, not fluid particles.
    pub on_walls: bool,
    /// Whether the values at an index are finite; true beyond the end.
    pub is_finite: Box<dyn Fn(usize) -> bool + 'a>,
}

impl<'a> Link<'a> {
    /// A field over fluid particles, of one array a component.
    pub fn fluid(phase: &'static str, field: &'static str, values: &'a [Vec<Real>]) -> Self {
        Self { phase, field, on_walls: false, is_finite: Box::new(move |i| all_finite(values, i)) }
    }

    /// A field over wall samples, of one array a component.
    pub fn walls(phase: &'static str, field: &'static str, values: &'a [Vec<Real>]) -> Self {
        Self { on_walls: true, ..Self::fluid(phase, field, values) }
    }
}

fn all_finite(values: &[Vec<Real>], i: usize) -> bool {
    values.iter().all(|axis| axis.get(i).is_none_or(|x| x.is_finite()))
}
