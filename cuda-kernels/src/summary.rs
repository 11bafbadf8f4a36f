//! What a step is judged by: launchers of `summary.cu`. These numbers alone leave the card in a steady step.

use crate::{
    cells::CellSort,
    error::CudaError,
    executor::{Executor, Field, Kernel, arguments, count, plain},
    reduce::{PARTIALS, Passes, start},
};
use sph_core::{Real, method::report::StepReport};

const SUMMARIZE: Kernel = Kernel { file: "summary.cu", name: "summarize" };
const MERGE_SUMMARIES: Kernel = Kernel { file: "summary.cu", name: "merge_summaries" };

/// What a step is judged by. Twin of `Summary` in summary.cu.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Summary {
    /// `Σ_i max(ρ_i/ρ₀ − 1, 0)`, `[-]`.
    pub excess: f64,
    /// `max_i (ρ_i/ρ₀ − 1)`, -∞ of nothing, `[-]`.
    pub largest: f64,
    /// Largest squared speed, `[m²/s²]`.
    pub v2: f64,
    /// Largest squared acceleration, [m²/s⁴].
    pub a2: f64,
    /// First particle whose density, velocity or acceleration is not finite, or [`NONE`](crate::reduce::NONE).
    pub bad: u64,
    /// First particle that has left the domain, or whose place would not be finite, or the same.
    pub lost: u64,
    /// Particles and wall samples that the last sorts found outside of the box of cells; 0 without a particle.
    pub outside: u64,
}
plain!(Summary);

impl Summary {
    /// What `n` particles came to, in the words of a report, beside what the step says of itself.
    pub fn report(&self, n: usize, of_step: StepReport) -> StepReport {
        StepReport {
            density_error_mean: self.excess / n.max(1) as f64,
            density_error_max: if n == 0 { 0.0 } else { self.largest },
            max_speed: self.v2.sqrt(),
            max_acceleration: self.a2.sqrt(),
            ..of_step
        }
    }
}

/// What is summarized. Fields of shape `[n]`.
#[derive(Debug)]
pub struct Judged<'a, const D: usize> {
    /// Densities, `[kg/m³]`.
    pub rho: &'a Field<Real>,
    /// Density at rest ρ₀, `[kg/m³]`.
    pub rho_0: Real,
    /// Squared speeds, `[m²/s²]`.
    pub v2: &'a Field<Real>,
    /// Squared accelerations, [m²/s⁴].
    pub a2: &'a Field<Real>,
    /// Not 0 for particles that have left the domain.
    pub lost: &'a Field<u32>,
    /// The cells of the fluid and of the walls.
    pub cells: [&'a CellSort<D>; 2],
}

/// Room for a summary.
#[derive(Debug)]
pub struct Summaries {
    partial: Field<Summary>,
    result: Field<Summary>,
}

impl Summaries {
    /// Room for one.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor) -> Result<Self, CudaError> {
        Ok(Self { partial: executor.zeros(PARTIALS)?, result: executor.zeros(1)? })
    }

    /// The summary of `n` particles, after all work before.
    ///
    /// # Errors
    /// When a field is too short, or a launch, a kernel before it or the copy fails.
    pub fn of<const D: usize>(
        &mut self,
        executor: &dyn Executor,
        judged: &Judged<'_, D>,
        n: usize,
    ) -> Result<Summary, CudaError> {
        for (name, field) in [("rho", judged.rho), ("v2", judged.v2), ("a2", judged.a2)] {
            SUMMARIZE.expect(name, field.len(), n)?;
        }
        SUMMARIZE.expect("lost", judged.lost.len(), n)?;
        let rho = executor.input(judged.rho);
        let (v2, a2) = (executor.input(judged.v2), executor.input(judged.a2));
        let lost = executor.input(judged.lost);
        let [of_fluid, of_walls] = judged.cells.map(|cells| cells.outside(executor));
        let passes = Passes { executor, n, first: SUMMARIZE, second: MERGE_SUMMARIES };
        passes.run(D, &mut self.partial, &mut self.result, |partial| {
            start(
                executor,
                SUMMARIZE,
                D,
                n,
                arguments![rho, judged.rho_0, v2, a2, lost, of_fluid, of_walls, count(n)?, partial],
            )
        })?;
        let mut summary = [Summary::default()];
        executor.read(&self.result, &mut summary)?;
        Ok(summary[0])
    }
}
