//! A method whose fields are those of a frame: what measures ask of one.

use crate::output::{Field, Values};
use sph_core::{
    Real,
    error::Error,
    method::{
        failure::StepError,
        report::StepReport,
        solver::{Memory, Solver},
        state::State,
        stopwatch::Stopwatch,
    },
    neighbors::Neighbors,
};

/// A method of a scene, with fields that another program has found. Of energies of compression nothing is known: 0.
pub struct Foreign<const D: usize> {
    method: Box<dyn Solver<D>>,
    /// Fields of the frame.
    pub fields: Vec<Field<D>>,
}

impl<const D: usize> Foreign<D> {
    /// A method without a frame.
    pub fn new(method: Box<dyn Solver<D>>) -> Self {
        Self { method, fields: Vec::new() }
    }
}

impl<const D: usize> Solver<D> for Foreign<D> {
    fn name(&self) -> &'static str {
        self.method.name()
    }

    fn support_radius(&self) -> Real {
        self.method.support_radius()
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        self.method.max_dt(state)
    }

    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        self.method.step(state, dt)
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.method.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.method.fluid_changed();
    }

    fn walls_changed(&mut self) {
        self.method.walls_changed();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.method.check_parameter(name, value)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.method.set_parameter(name, value)
    }

    fn restored(&mut self, state: &State<D>) {
        self.method.restored(state);
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        self.fields.iter().find(|field| field.name == name).and_then(|field| match &field.values {
            Values::Scalar(values) => Some(&values[..]),
            _ => None,
        })
    }

    fn neighbors(&self) -> &Neighbors<D> {
        self.method.neighbors()
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.method.stopwatch()
    }

    fn reset_stopwatch(&mut self) {
        self.method.reset_stopwatch();
    }
}
