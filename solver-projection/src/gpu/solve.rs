//! Linear equations on a card: that of the pressure, and those of viscous velocities.

use super::{
    Gpu, Launched,
    equation::{Closed, GpuEquation, Inverse, System},
    launcher,
};
use crate::cg::{self, Outcome, Solved};
use cuda_kernels::{error::CudaError, kernels::projection_levels::Fine, neighbors::Pairs};
use sph_core::Real;

/// The equation for `x`, with the vectors of the card and entries times `scale`, and what stands in for the inverse.
macro_rules! equation {
    ($gpu:expr, $x:expr, $history:expr, $scale:expr, $inverse:expr) => {
        GpuEquation {
            launcher: launcher($gpu.executor, &$gpu.constants),
            system: System {
                rows: &$gpu.card.rows[Pairs::Fluid as usize],
                entries: &$gpu.card.entries,
                scale: $scale,
                n: $gpu.card.common.fluid.n,
            },
            inverse: $inverse,
            closed: None,
            vectors: &mut $gpu.card.vectors,
            x: $x,
            work: &mut $gpu.card.work,
            history: $history,
            slot: 0,
        }
    };
}

impl<const D: usize> Gpu<'_, D> {
    /// The pressure by conjugate gradients.
    pub(super) fn conjugate_gradients(&mut self) -> Result<Solved, CudaError> {
        let limits = self.method.pressure_limits(self.card.common.fluid.n);
        if !self.method.params.warm_start {
            self.executor.clear(&mut self.card.p)?;
        }
        self.build_levels()?;
        let pointwise = Inverse::pointwise(self.method.params.preconditioner);
        let inverse = self.card.levels.as_mut().map_or(pointwise, Inverse::Multilevel);
        let history = &mut self.method.fields.residuals;
        history.clear();
        let mut all_air = [0.0];
        self.executor.read(&self.card.all_air, &mut all_air)?;
        let mut equation = equation!(self, &mut self.card.p, history, 1.0, inverse);
        if all_air == [0.0] {
            let (reduce, sum) = (&mut self.card.common.reduce, &mut self.card.number);
            equation.closed = Some(Closed { reduce, sum, all_air: &self.card.all_air });
        }
        let solved = cg::solve(&mut equation, &limits)?;
        self.settle(solved)
    }

    /// The coarser equations, if the parameters ask for them: entries and air are those of now.
    fn build_levels(&mut self) -> Launched {
        let card = &mut *self.card;
        let Some(levels) = &mut card.levels else { return Ok(()) };
        let fine = Fine {
            cells: &card.common.fluid.cells,
            rows: &card.rows[Pairs::Fluid as usize],
            entries: &card.entries,
            air: &card.air,
            n: card.common.fluid.n,
        };
        levels.build(self.executor, &fine)
    }

    /// The pressure by damped Jacobi iteration, of which the host waits for each.
    pub(super) fn jacobi(&mut self) -> Result<Solved, CudaError> {
        let limits = self.method.pressure_limits(self.card.common.fluid.n);
        let omega = self.method.params.jacobi_omega;
        if !self.method.params.warm_start {
            self.executor.clear(&mut self.card.p)?;
        }
        let history = &mut self.method.fields.residuals;
        history.clear();
        let mut equation = equation!(self, &mut self.card.p, history, 1.0, Inverse::Diagonal);
        let mut solved =
            Solved { outcome: Outcome::CapReached, iterations: 0, residual: 0.0, right_side: 0.0 };
        for k in 0..=limits.iterations {
            let [b2, r2] = cg::Equation::residual(&mut equation)?;
            (solved.iterations, solved.residual, solved.right_side) = (k, r2.sqrt(), b2.sqrt());
            if solved.residual <= limits.tolerance * limits.absolute.unwrap_or(solved.right_side) {
                solved.outcome = Outcome::Converged;
                break;
            }
            if k > 0 {
                equation.history.push(r2);
            }
            if k < limits.iterations {
                equation.relax(omega)?;
            }
        }
        self.settle(solved)
    }

    /// The least pressure of a closed vessel is 0.
    fn settle(&mut self, solved: Solved) -> Result<Solved, CudaError> {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        launcher.lift(&card.all_air, card.common.fluid.n, &mut card.p, &mut card.work)?;
        Ok(solved)
    }

    /// Pressures as they act, and the largest of their sizes.
    pub(super) fn act(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, acting, lost) = (card.common.fluid.n, &mut card.acting, &mut card.common.lost);
        let largest = launcher.act(&card.p, &card.share, n, acting, lost, &mut card.work)?;
        self.method.fields.max_pressure = largest;
        Ok(())
    }

    /// The velocities after viscosity, axis by axis, of equations that have entries times `scale`. Returns how the
    /// iterations ended, if one did not converge.
    pub(super) fn solve_viscous(&mut self, scale: Real) -> Result<Outcome, CudaError> {
        let mut outcome = Outcome::Converged;
        let (n, limits) = (self.card.common.fluid.n, self.method.viscous_limits());
        let (launching, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let diagonal = &mut card.vectors.diagonal;
        launching.viscous_diagonal(scale, &card.sums, &card.drag, n, diagonal)?;
        for axis in 0..D {
            let card = &mut *self.card;
            let (v, b) = (&card.common.fluid.v[axis], &mut card.vectors.b);
            launching.viscous_side(scale, &card.drag, axis, v, n, b)?;
            let history = &mut self.method.fields.viscous_residuals;
            history.clear();
            let inverse = Inverse::pointwise(self.method.params.preconditioner);
            let mut equation = equation!(self, &mut self.card.common.fluid.v[axis], history, scale, inverse);
            let solved = cg::solve(&mut equation, &limits)?;
            if solved.outcome != Outcome::Converged {
                outcome = solved.outcome;
            }
        }
        Ok(outcome)
    }
}
