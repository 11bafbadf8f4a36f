//! What a method says of its steps on a GPU.

use super::{Common, resident::Population, summary::Summary};
use crate::{
    common::search::cells::CellGrid,
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{
    Real,
    error::Error,
    method::{failure::StepError, report::StepReport, state::State},
    run::method::Method,
};
use std::any::Any;

/// What the memory of a run depends on beside the parameters.
#[derive(Clone, Copy, Debug)]
pub struct Demand<'a, const D: usize> {
    /// Numbers of points.
    pub population: &'a Population,
    /// Cells around them.
    pub grid: CellGrid<D>,
    /// Spacing of the particles, `[m]`.
    pub spacing: Real,
    /// False where containers bring particles back from wherever they are.
    pub bounded: bool,
}

/// Parts of the memory of a run, by name.
pub type Parts = Vec<(&'static str, Box<dyn Any>)>;

/// A method whose steps run on a GPU. What it is on the CPU holds its parameters, its constants and the fields of the
/// last copy to the host.
pub trait OnGpu<const D: usize>: Method<D> {
    /// What a run holds on the device.
    type Fields: Send + 'static;
    /// How much memory rows have needed so far.
    type Sizes: Copy + Send;
    /// True where kernels ask for the distance from surfaces of walls and bodies; else samples are all that they know of these.
    const READS_SURFACES: bool;

    /// Sizes before the first step: those of the lattice.
    fn first_sizes(params: &Self::Params) -> Self::Sizes;

    /// Refuses what does not run on a GPU.
    ///
    /// # Errors
    /// Names the parameter.
    fn check_on_gpu(_params: &Self::Params) -> Result<(), Error> {
        Ok(())
    }

    /// Edge of a cell over the support radius, `[-]`.
    fn cell_over_support(_executor: &dyn Executor) -> Real {
        1.0
    }

    /// The memory of a run.
    ///
    /// # Errors
    /// When there is none left.
    fn allocate(
        executor: &dyn Executor,
        params: &Self::Params,
        sizes: Self::Sizes,
        demand: Demand<'_, D>,
    ) -> Result<Self::Fields, CudaError>;

    /// The part of it that all methods have.
    fn common(device: &mut Self::Fields) -> &mut Common<D>;

    /// The same, and what else a plan lists by name.
    fn into_parts(device: Self::Fields) -> (Common<D>, Parts);

    /// A field of [`Method::FIELDS`] on the device, and what else all methods have there. `None` where a run has no such field.
    fn shown<'a>(_device: &'a mut Self::Fields, _name: &str) -> Option<(&'a mut Common<D>, &'a Field<Real>)> {
        None
    }

    /// Copies the state and what is remembered to the device.
    ///
    /// # Errors
    /// When there is no memory left, or a copy fails.
    fn write(
        &mut self,
        executor: &dyn Executor,
        device: &mut Self::Fields,
        state: &State<D>,
    ) -> Result<(), CudaError>;

    /// The phases of a step. No particle is lost yet, and none has gained velocity.
    ///
    /// # Errors
    /// When a phase fails.
    fn step(
        &mut self,
        executor: &dyn Executor,
        device: &mut Self::Fields,
        state: &mut State<D>,
        dt: f64,
    ) -> Result<(), StepError>;

    /// The box of cells is another one now.
    ///
    /// # Errors
    /// When there is no memory left.
    fn refit(_executor: &dyn Executor, _device: &mut Self::Fields) -> Result<(), CudaError> {
        Ok(())
    }

    /// A step is over, with this summary if it came so far. Returns the memory that its rows have needed.
    fn learn(&mut self, device: &mut Self::Fields, summary: Option<&Summary>) -> Self::Sizes;

    /// The report of a healthy step, whose largest acceleration is that of a change of velocity in the step.
    fn report(&self, report: StepReport) -> StepReport {
        StepReport { max_acceleration: report.max_acceleration / report.dt, ..report }
    }

    /// Copies to the host what the method shows and remembers beside particles and walls.
    ///
    /// # Errors
    /// When a copy fails.
    fn read(&mut self, _executor: &dyn Executor, _device: &Self::Fields) -> Result<(), CudaError> {
        Ok(())
    }

    /// Copies to the host what is too much for every fetch, when restarts or changes ask for it.
    ///
    /// # Errors
    /// When a copy fails.
    fn read_rest(&mut self, _executor: &dyn Executor, _device: &Self::Fields) -> Result<(), CudaError> {
        Ok(())
    }

    /// Copies to the host the fields that locate the start of a failure.
    ///
    /// # Errors
    /// When a copy fails.
    fn read_chain(&mut self, _executor: &dyn Executor, _device: &Self::Fields) -> Result<(), CudaError> {
        Ok(())
    }

    /// The failure that a summary reports. All fields are on the host.
    fn blame(&mut self, state: &State<D>, summary: &Summary) -> StepError;

    /// Cause of a failed iteration, if it shows in the fields. All fields are on the host.
    fn explain(&mut self, _state: &State<D>) -> Option<StepError> {
        None
    }

    /// Forgets what [`Self::read_chain`] has brought.
    fn forget_chain(&mut self) {}
}
