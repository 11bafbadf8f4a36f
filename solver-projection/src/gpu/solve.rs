//! Linear equations on a card: that of the pressure, and those of viscous velocities.

use super::{
    Gpu, Launched,
    card::Pairs,
    constants::VISCOUS_TOLERANCE,
    equation::{GpuEquation, System},
    launcher,
};
use crate::{
    cg::{self, Limits, Outcome, Solved},
    params::{Preconditioner, Tolerance},
};
use cuda_kernels::{error::CudaError, executor::Executor};
use sph_core::Real;

/// The equation for `x`, with the vectors of the card and entries times `scale`.
macro_rules! equation {
    ($gpu:expr, $x:expr, $history:expr, $scale:expr) => {
        GpuEquation {
            launcher: launcher($gpu.executor, &$gpu.constants),
            system: System {
                rows: &$gpu.card.rows[Pairs::Fluid as usize],
                entries: &$gpu.card.entries,
                scale: $scale,
                divides: $gpu.method.params.preconditioner != Preconditioner::None,
                n: $gpu.card.fluid.n,
            },
            vectors: &mut $gpu.card.vectors,
            x: $x,
            work: &mut $gpu.card.work,
            history: $history,
            slot: 0,
        }
    };
}

impl<const D: usize, E: Executor> Gpu<'_, D, E> {
    fn limits(&self) -> Limits {
        let (params, n) = (&self.method.params, self.card.fluid.n);
        Limits {
            tolerance: f64::from(params.cg_tolerance),
            absolute: (params.cg_tolerance_mode == Tolerance::Absolute).then(|| (n as f64).sqrt()),
            iterations: params.cg_max_iter,
        }
    }

    /// The pressure by conjugate gradients.
    pub(super) fn conjugate_gradients(&mut self) -> Result<Solved, CudaError> {
        let limits = self.limits();
        if !self.method.params.warm_start {
            self.executor.clear(&mut self.card.p)?;
        }
        let history = &mut self.method.fields.residuals;
        history.clear();
        let mut equation = equation!(self, &mut self.card.p, history, 1.0);
        let solved = cg::solve(&mut equation, &limits)?;
        self.settle(solved)
    }

    /// The pressure by damped Jacobi iteration, of which the host waits for each.
    pub(super) fn jacobi(&mut self) -> Result<Solved, CudaError> {
        let (limits, omega) = (self.limits(), self.method.params.jacobi_omega);
        if !self.method.params.warm_start {
            self.executor.clear(&mut self.card.p)?;
        }
        let history = &mut self.method.fields.residuals;
        history.clear();
        let mut equation = equation!(self, &mut self.card.p, history, 1.0);
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

    /// The least pressure of a closed vessel is 0, and residuals are parts of the right side.
    fn settle(&mut self, solved: Solved) -> Result<Solved, CudaError> {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        launcher.lift(&card.all_air, card.fluid.n, &mut card.p, &mut card.work)?;
        let history = &mut self.method.fields.residuals;
        history.iter_mut().for_each(|r2| *r2 = r2.sqrt() / solved.right_side);
        Ok(solved)
    }

    /// Pressures as they act, and the largest of their sizes.
    pub(super) fn act(&mut self) -> Launched {
        let (launcher, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let (n, acting, lost) = (card.fluid.n, &mut card.acting, &mut card.lost);
        let largest = launcher.act(&card.p, &card.share, n, acting, lost, &mut card.work)?;
        self.method.fields.max_pressure = largest;
        Ok(())
    }

    /// The velocities after viscosity, axis by axis, of equations that have entries times `scale`. Returns how the
    /// iterations ended, if one did not converge.
    pub(super) fn solve_viscous(&mut self, scale: Real) -> Result<Outcome, CudaError> {
        let mut outcome = Outcome::Converged;
        let (n, iterations) = (self.card.fluid.n, self.method.params.cg_max_iter);
        let limits = Limits { tolerance: VISCOUS_TOLERANCE, absolute: None, iterations };
        let (launching, card) = (launcher(self.executor, &self.constants), &mut *self.card);
        let diagonal = &mut card.vectors.diagonal;
        launching.viscous_diagonal(scale, &card.sums, &card.drag, n, diagonal)?;
        for axis in 0..D {
            let card = &mut *self.card;
            let (v, b) = (&card.fluid.v[axis], &mut card.vectors.b);
            launching.viscous_side(scale, &card.drag, axis, v, n, b)?;
            let history = &mut self.method.fields.viscous_residuals;
            history.clear();
            let mut equation = equation!(self, &mut self.card.fluid.v[axis], history, scale);
            let solved = cg::solve(&mut equation, &limits)?;
            if solved.outcome != Outcome::Converged {
                outcome = solved.outcome;
            }
        }
        Ok(outcome)
    }
}
