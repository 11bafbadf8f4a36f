//! Linear equations on a GPU: that of the pressure, and those of viscous velocities.

use super::{
    Gpu, Launched,
    equation::{Closed, GpuEquation, Inverse, System},
    launcher,
    memory::{Vectors, Work},
};
use crate::cg::{self, Outcome, Solved};
use cuda_kernels::{
    common::search::neighbors::Pairs,
    device::error::CudaError,
    projection::{Near, Walls, aggregation::Fine},
};
use sph_core::Real;

/// The equation for `x` with `n` unknowns, a matrix, and its preconditioner.
macro_rules! equation {
    ($launcher:ident, $device:ident.$vectors:ident, $system:expr, $n:expr, $x:expr, $history:expr, $inverse:expr) => {
        GpuEquation {
            launcher: $launcher,
            system: $system,
            n: $n,
            inverse: $inverse,
            closed: None,
            vectors: &mut $device.$vectors,
            x: $x,
            work: &mut $device.work,
            history: $history,
            slot: 0,
        }
    };
}

/// The matrix of entries, times `scale`.
macro_rules! entries {
    ($device:expr, $scale:expr) => {
        System::Entries {
            rows: &$device.rows[Pairs::Fluid as usize],
            entries: &$device.entries,
            scale: $scale,
        }
    };
}

impl<const D: usize> Gpu<'_, D> {
    /// The pressure by conjugate gradients.
    pub(super) fn conjugate_gradients(&mut self) -> Result<Solved, CudaError> {
        let limits = self.method.pressure_limits(self.device.common.fluid.n);
        if !self.method.params.warm_start {
            self.executor.clear(&mut self.device.p)?;
        }
        self.build_levels()?;
        let (launching, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let pointwise = Inverse::pointwise(self.method.params.preconditioner);
        let inverse = device.levels.as_mut().map_or(pointwise, Inverse::Multilevel);
        let history = &mut self.method.fields.residuals;
        history.clear();
        let mut dirichlet_sum = [0.0];
        self.executor.read(&device.dirichlet_sum, &mut dirichlet_sum)?;
        let (n, system) = (device.common.fluid.n, entries!(device, 1.0));
        let mut equation = equation!(launching, device.vectors, system, n, &mut device.p, history, inverse);
        self.method.fields.is_closed = dirichlet_sum == [0.0];
        if self.method.fields.is_closed {
            let (reduce, sum) = (&mut device.common.reduce, &mut device.number);
            equation.closed = Some(Closed { reduce, sum, dirichlet_sum: &device.dirichlet_sum });
        }
        let solved = cg::solve(&mut equation, &limits)?;
        self.settle(solved)
    }

    /// The levels of the multigrid preconditioner, if there is one.
    fn build_levels(&mut self) -> Launched {
        let device = &mut *self.device;
        let Some(levels) = &mut device.levels else { return Ok(()) };
        let fine = Fine {
            cells: &device.common.fluid.cells,
            rows: &device.rows[Pairs::Fluid as usize],
            entries: &device.entries,
            dirichlet: &device.dirichlet,
            n: device.common.fluid.n,
        };
        levels.build(self.executor, &fine)
    }

    /// Without a free surface the least pressure is 0.
    fn settle(&mut self, solved: Solved) -> Result<Solved, CudaError> {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (n, Work { partial, largest, .. }) = (device.common.fluid.n, &mut device.work);
        launcher.depth(&device.p, n, partial, largest)?;
        launcher.fix_constant(largest, &device.dirichlet_sum, n, &mut device.p)?;
        Ok(solved)
    }

    /// Pressures as they act, and the largest of their sizes.
    pub(super) fn act(&mut self) -> Launched {
        let (launcher, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        let (n, acting, lost) = (device.common.fluid.n, &mut device.acting, &mut device.common.lost);
        let Work { partial, largest, .. } = &mut device.work;
        launcher.act(&device.p, &device.share, n, acting, lost, partial, largest)?;
        let mut found = [0.0];
        self.executor.read(largest, &mut found)?;
        self.method.fields.max_pressure = f64::max(found[0], 0.0);
        Ok(())
    }

    /// The velocities after viscosity, axis by axis, of equations that have entries times `scale`. Returns how the
    /// iterations ended, if one did not converge.
    pub(super) fn solve_viscous(&mut self, scale: Real) -> Result<Outcome, CudaError> {
        let mut outcome = Outcome::Converged;
        let (n, limits) = (self.device.common.fluid.n, self.method.viscous_limits());
        let (launching, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        launching.drag(near!(device), &device.place, n, &mut device.drag)?;
        launching.viscous_diagonal(scale, &device.sums, &device.drag, n, &mut device.vectors.diagonal)?;
        let history = &mut self.method.fields.viscous_residuals;
        for axis in 0..D {
            let (v, b) = (&mut device.common.fluid.v[axis], &mut device.vectors.b);
            launching.viscous_right_hand_side(scale, &device.drag, axis as u32, v, n, b)?;
            history.clear();
            let inverse = Inverse::pointwise(self.method.params.preconditioner);
            let system = entries!(device, scale);
            let mut equation = equation!(launching, device.vectors, system, n, v, &mut *history, inverse);
            let solved = cg::solve(&mut equation, &limits)?;
            if solved.outcome != Outcome::Converged {
                outcome = solved.outcome;
            }
        }
        Ok(outcome)
    }

    /// The velocities after viscosity along lines of centers, all axes at once. Returns how the iterations ended.
    pub(super) fn solve_stress(&mut self, scale: Real) -> Result<Outcome, CudaError> {
        let (n, limits) = (self.device.common.fluid.n, self.method.viscous_limits());
        let (launching, device) = (launcher(self.executor, &self.constants), &mut *self.device);
        launching.partners(near!(device), &device.place, n, &mut device.velocity)?;
        launching.put_partners(&device.velocity, n, &mut device.place)?;
        let (v, Vectors { diagonal, b, .. }) = (&device.common.fluid.v, &mut device.viscous);
        let x = &mut device.velocity;
        launching.set_up_stress(near!(device), &device.place, scale, v, n, diagonal, b, x)?;
        let history = &mut self.method.fields.viscous_residuals;
        history.clear();
        let inverse = Inverse::pointwise(self.method.params.preconditioner);
        let system = System::Central { near: near!(device), place: &device.place, scale };
        let mut equation = equation!(launching, device.viscous, system, D * n, x, history, inverse);
        let solved = cg::solve(&mut equation, &limits)?;
        launching.take_velocities(&device.velocity, n, &mut device.common.fluid.v)?;
        Ok(solved.outcome)
    }
}
