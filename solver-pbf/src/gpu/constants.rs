//! The constants of the kernels, in the words of `cuda_kernels::pbf`.

use crate::{
    Params, Pbf,
    params::{SurfaceMode, XsphWeight},
    physics,
};
use cuda_kernels::{
    common::{
        numerics::{
            kernel::KernelConstants,
            space::{Domain, Forces},
        },
        surface::Surface,
    },
    pbf::{Bdf2, Constants, Scorr, Weights},
};
use sph_core::{fluid::surface::Tension, kernel::Kernel as _, method::state::State};

/// What the kernels read in a step that begins at `state`. The strength of s_corr is that of no substep yet.
pub fn constants<const D: usize>(method: &Pbf<D>, state: &State<D>) -> Constants<D> {
    let (c, params, rest) = (&method.constants, &method.params, state.rest);
    let h = method.kernel.support_radius();
    let physics::Scorr { k, inv_w_dq, n } = c.scorr;
    Constants {
        kernel: KernelConstants::new::<D>(params.kernel, h),
        domain: Domain::from(&state.domain),
        forces: Forces::from(&state.forces),
        surface: Surface::new::<D>(h, tension(params)),
        scorr: Scorr { k, inv_w_dq, n },
        weights: Weights { equal_mass: (c.weights == physics::Weights::EqualMass).into() },
        m: rest.m,
        rho_0: rest.rho_0,
        solid: params.solid_pressure,
        epsilon: c.epsilon,
        mass_spread: params.mass_spread,
        relaxation: c.relaxation.factor,
        xsph: params.xsph_viscosity,
        wall_xsph: params.wall_viscosity,
        half_k: 0.5 * params.surface_tension,
        unilateral: params.unilateral.into(),
        walls_in_denominator: params.walls_in_denominator.into(),
        averages: c.relaxation.averages.into(),
        symmetric: (params.xsph_weight == XsphWeight::Symmetric).into(),
        unequal: c.needs.masses.into(),
    }
}

/// What acts as a force; the curvature may be a constraint instead.
fn tension(params: &Params) -> Tension {
    let as_force = params.surface_mode == SurfaceMode::Forces;
    let curvature = if as_force { params.surface_tension } else { 0.0 };
    Tension { cohesion: params.cohesion, curvature, adhesion: params.adhesion }
}

/// Backward differences as the kernels read them.
pub fn bdf2(of: physics::Bdf2) -> Bdf2 {
    Bdf2 { history: of.history, rate: of.rate, kappa: of.kappa }
}
