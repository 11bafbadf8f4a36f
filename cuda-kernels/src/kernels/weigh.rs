//! Volumes of wall samples: launchers of `kernels/weigh.cu`.

use crate::{
    error::CudaError,
    executor::{Executor, Field, Kernel, Launch, arguments, count},
    neighbors::Source,
    physics::KernelConstants,
    reduce::NONE,
    walls::Drawn,
};
use sph_core::{Real, fluid::boundary::Boundary};

const WEIGH_SAMPLES: Kernel = Kernel { file: "kernels/weigh.cu", name: "weigh_samples" };

/// The group of each rigid set of `walls` that is weighed as one: all sets at rest are. To be uploaded.
pub fn groups<const D: usize>(walls: &Boundary<D>) -> Vec<u32> {
    walls.bodies.iter().enumerate().map(|(k, set)| if set.is_fixed() { NONE } else { k as u32 }).collect()
}

/// What volumes are found with.
#[derive(Clone, Copy, Debug)]
pub struct Weigh<'a> {
    /// The constants of the smoothing kernel.
    pub kernel: &'a KernelConstants,
    /// That kernel: [`KernelKind::type_name`](sph_core::kernel::KernelKind::type_name).
    pub smoothing: &'static str,
    /// Factor of all volumes, `[-]`: that of `PsiMode::Scaled`, or 1.
    pub scale: Real,
}

impl Weigh<'_> {
    /// `V_b = scale / Σ_k W_bk` over the group of each sample, itself included. `sorted` are the samples where they
    /// were drawn, packed in the order of their cells, and [`CellSort::order`] leads back to that of `drawn`.
    ///
    /// [`CellSort::order`]: crate::cells::CellSort::order
    ///
    /// # Errors
    /// When a field is too short, or the launch fails.
    pub fn samples<const D: usize>(
        &self,
        executor: &dyn Executor,
        sorted: &Source<'_, D>,
        drawn: &Drawn<'_, D>,
        group: &Field<u32>,
        volume: &mut Field<Real>,
    ) -> Result<(), CudaError> {
        let n = sorted.cells.order.len();
        WEIGH_SAMPLES.expect("body", drawn.body.len(), n)?;
        WEIGH_SAMPLES.expect("volume", volume.len(), n)?;
        for x in drawn.x_0 {
            WEIGH_SAMPLES.expect("x_0", x.len(), n)?;
        }
        let near = sorted.near(executor, WEIGH_SAMPLES, self.kernel.support.h)?;
        let (order, x_0) = (executor.input(&sorted.cells.order), executor.points(drawn.x_0));
        let (n_groups, group) = (count(group.len())?, executor.input(group));
        let body = executor.input(drawn.body);
        let (number, volume) = (count(n)?, executor.output(volume));
        let launch = Launch { smoothing: Some(self.smoothing), ..WEIGH_SAMPLES.for_each(D, n)? };
        // SAFETY: all fields of samples have n items, `order` is a permutation of n, and the kernel looks for no
        // group beyond the table.
        unsafe {
            executor.launch(
                launch,
                arguments![@constants *self.kernel, @samples near, order, x_0, body, group, n_groups, number, self.scale, volume],
            )
        }
    }
}
