//! The linear equation on a GPU: the twin of `cpu/equation.rs`.
//!
//! Numbers of the iteration stay on the GPU, and the host reads them every few iterations: those after the last
//! one that was needed change nothing.

use super::memory::{Vectors, Work};
use crate::{
    cg::{self, Observed},
    params::Preconditioner,
};
use cuda_kernels::{
    common::{
        numerics::{fields::Packed, reduce::Reduce},
        search::neighbors::NeighborRows,
    },
    device::{error::CudaError, executor::Field},
    projection::{self, Central, Launcher, Matrix, Near, Numbers, aggregation::Multigrid},
};
use sph_core::Real;

/// Iterations from one observation to the next: [`Numbers`] remembers as many.
const OBSERVE_EVERY: usize = projection::OBSERVE_EVERY as usize;

/// The preconditioner.
#[derive(Debug)]
pub enum Inverse<'a, const D: usize> {
    /// Nothing.
    Nothing,
    /// The diagonal.
    Diagonal,
    /// The diagonal and a V-cycle over levels that are built.
    Multilevel(&'a mut Multigrid<D>),
}

impl<const D: usize> Inverse<'_, D> {
    /// Without levels: viscosity reaches about a spacing in a step.
    pub fn pointwise(chosen: Preconditioner) -> Self {
        if chosen == Preconditioner::None { Self::Nothing } else { Self::Diagonal }
    }
}

/// The matrix, but for its diagonal.
#[derive(Debug)]
pub enum System<'a> {
    /// `A_ij = −scale c_ij` with the entries c of the rows.
    Entries { rows: &'a NeighborRows, entries: &'a Field<Real>, scale: Real },
    /// That of the viscosity along lines of centers, over all axes; `place` is `[x y z 1/α]`.
    Central { near: Near<'a>, place: &'a Field<Packed>, scale: Real },
}

/// What removes the mean of a field: where the sum of the Dirichlet terms is 0.
#[derive(Debug)]
pub struct Closed<'a, const D: usize> {
    pub reduce: &'a mut Reduce<D>,
    pub sum: &'a mut Field<f64>,
    pub dirichlet_sum: &'a Field<f64>,
}

/// `A x = b`.
#[derive(Debug)]
pub struct GpuEquation<'a, const D: usize> {
    pub launcher: Launcher<'a, D>,
    pub system: System<'a>,
    /// Number of unknowns.
    pub n: usize,
    pub inverse: Inverse<'a, D>,
    /// For an equation that is open up to a constant, which levels would amplify.
    pub closed: Option<Closed<'a, D>>,
    pub vectors: &'a mut Vectors,
    pub x: &'a mut Field<Real>,
    pub work: &'a mut Work,
    /// `‖r_k‖²` so far.
    pub history: &'a mut Vec<f64>,
    /// The slot of the next `r·z`.
    pub slot: u32,
}

impl<const D: usize> GpuEquation<'_, D> {
    /// Keeps the residuals of the iterations since the last observation.
    fn remember(&mut self, numbers: &Numbers) {
        let done = numbers.done as usize;
        self.history.extend((self.history.len()..done).map(|k| numbers.history[k % OBSERVE_EVERY]));
    }
}

impl<const D: usize> cg::Equation for GpuEquation<'_, D> {
    type Error = CudaError;
    /// The slot of an `r·z`; `d·q` has one place alone.
    type Scalar = u32;

    fn residual(&mut self) -> Result<[f64; 2], CudaError> {
        let Vectors { diagonal, b, r, .. } = &mut *self.vectors;
        let (Work { pairs, numbers, .. }, n, x, diagonal) = (&mut *self.work, self.n, &*self.x, &*diagonal);
        match self.system {
            System::Entries { rows, entries, scale } => {
                let matrix = Matrix { rows, entries, diagonal, scale };
                self.launcher.residual(matrix, x, b, n, r, pairs, numbers)?;
            }
            System::Central { near, place, scale } => {
                let matrix = Central { near, place, diagonal, scale };
                self.launcher.central_residual(matrix, x, b, n / D, r, pairs, numbers)?;
            }
        }
        let numbers = self.work.read(self.launcher.executor)?;
        Ok([numbers.b2, numbers.r2])
    }

    fn precondition(&mut self) -> Result<u32, CudaError> {
        let (slot, n, launcher) = (self.slot, self.n, &self.launcher);
        let Vectors { diagonal, r, z, .. } = &mut *self.vectors;
        let Work { partial, numbers, .. } = &mut *self.work;
        let mut divide = |divides| launcher.precondition(divides, diagonal, r, n, z, partial, slot, numbers);
        match &mut self.inverse {
            Inverse::Nothing => divide(false)?,
            Inverse::Diagonal => divide(true)?,
            Inverse::Multilevel(levels) => {
                levels.precondition(launcher.executor, diagonal, r, n, z, partial, slot, numbers)?;
                if let Some(Closed { reduce, sum, dirichlet_sum }) = &mut self.closed {
                    reduce.sum(launcher.executor, z, n, sum)?;
                    launcher.remove_mean(sum, dirichlet_sum, n, z)?;
                    launcher.multiply(r, z, n, partial, slot, numbers)?;
                }
            }
        }
        self.slot = 1 - slot;
        Ok(slot)
    }

    fn begin(&mut self) -> Result<(), CudaError> {
        let Vectors { z, d, .. } = &mut *self.vectors;
        self.launcher.turn(z, self.n, true, 0, &self.work.numbers, d)
    }

    fn apply(&mut self) -> Result<u32, CudaError> {
        let Vectors { diagonal, d, q, .. } = &mut *self.vectors;
        let (Work { pairs, numbers, .. }, n, diagonal) = (&mut *self.work, self.n, &*diagonal);
        match self.system {
            System::Entries { rows, entries, scale } => {
                let matrix = Matrix { rows, entries, diagonal, scale };
                self.launcher.product(matrix, d, n, q, pairs, numbers)?;
            }
            System::Central { near, place, scale } => {
                let matrix = Central { near, place, diagonal, scale };
                self.launcher.central_product(matrix, d, n / D, q, pairs, numbers)?;
            }
        }
        Ok(0)
    }

    fn advance(&mut self, rho: u32, _sigma: u32, target: f64) -> Result<(), CudaError> {
        let Vectors { d, q, r, .. } = &mut *self.vectors;
        let Work { partial, numbers, .. } = &mut *self.work;
        self.launcher.advance(d, q, self.n, rho, target, numbers, self.x, r, partial)
    }

    fn turn(&mut self, next: u32, _rho: u32) -> Result<(), CudaError> {
        let Vectors { z, d, .. } = &mut *self.vectors;
        self.launcher.turn(z, self.n, false, next, &self.work.numbers, d)
    }

    fn observe(&mut self, k: u32, last: bool) -> Result<Observed, CudaError> {
        if !last && !(k as usize + 1).is_multiple_of(OBSERVE_EVERY) {
            return Ok(Observed::Nothing);
        }
        let numbers = self.work.read(self.launcher.executor)?;
        self.remember(&numbers);
        Ok(match numbers.status {
            0.0 => Observed::Residual(numbers.r2),
            1.0 => Observed::Breakdown,
            _ => Observed::Indefinite,
        })
    }

    fn history(&self) -> &[f64] {
        self.history
    }
}
