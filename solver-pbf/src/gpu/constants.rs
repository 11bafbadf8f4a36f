//! Constants of the kernels of `cuda_kernels::pbf`.

use crate::{Pbf, physics};
use cuda_kernels::{
    common::{
        numerics::{
            kernel::KernelConstants,
            space::{Domain, Forces},
        },
        surface::Surface,
    },
    pbf::{Bdf2, Constants, Scorr},
};
use sph_core::{kernel::Kernel as _, method::state::State};

/// What the kernels read in a step that begins at `state`. The strength of s_corr is set in each substep.
pub fn constants<const D: usize>(method: &Pbf<D>, state: &State<D>) -> Constants<D> {
    let (c, params, rest) = (&method.constants, &method.params, state.rest);
    let h = method.kernel.support_radius();
    let physics::Scorr { k, inv_w_dq } = c.scorr;
    Constants {
        kernel: KernelConstants::new::<D>(params.kernel, h),
        domain: Domain::from(&state.domain),
        forces: Forces::from(&state.forces),
        surface: Surface::new::<D>(h, params.tension()),
        scorr: Scorr { k, inv_w_dq },
        m: rest.m,
        rho_0: rest.rho_0,
        epsilon: c.epsilon,
        relaxation: c.relaxation.factor,
        xsph: params.xsph_viscosity,
        unilateral: params.unilateral.into(),
        walls_in_denominator: params.walls_in_denominator.into(),
        averages: c.relaxation.averages.into(),
    }
}

/// BDF2 coefficients as the kernels read them.
pub fn bdf2(of: physics::Bdf2) -> Bdf2 {
    Bdf2 { history: of.history, rate: of.rate, kappa: of.kappa }
}
