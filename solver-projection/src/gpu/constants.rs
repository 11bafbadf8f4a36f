//! The constants of the kernels, in the words of `cuda_kernels::projection`.

use crate::{
    Projection,
    choices::{LONGEST_SHIFT, NEAREST},
    params::{Compensation, Gradient},
};
use cuda_kernels::{
    common::numerics::{
        kernel::KernelConstants,
        space::{Domain, Forces},
    },
    projection::{Constants, FreeSurface, Parting, Weight},
};
use sph_core::{
    kernel::{Kernel, KernelKind},
    method::{solids::Flow, state::State},
};

/// What the kernels read in a step `dt` `[s]` from `state` on. Sums of a full neighborhood are those that are known so far.
pub fn constants<const D: usize>(method: &Projection<D>, state: &State<D>, dt: f64) -> Constants<D> {
    let (params, c, rest) = (&method.params, &method.constants, state.rest);
    let (alpha, surface, weight) = (method.full()[0], method.surface(state), c.weight);
    let parting = method.parting(state, dt);
    Constants {
        weight: Weight { form: weight.form as i32, inv_h: weight.inv_h, inv_clamp: weight.inv_clamp },
        kernel: KernelConstants::new::<D>(KernelKind::CubicSpline, method.kernel.support_radius()),
        domain: Domain::from(&state.domain),
        forces: Forces::from(&state.forces),
        surface: FreeSurface {
            reference: surface.reference,
            threshold: surface.threshold,
            asymmetry: surface.asymmetry,
            at_wall: surface.at_wall,
            spray: surface.spray,
            by_asymmetry: surface.by_asymmetry.into(),
        },
        m: rest.m,
        rho_0: rest.rho_0,
        alpha,
        parting: Parting { separation: parting.separation, speed: parting.speed },
        slide: method.slide(),
        tangential: params.tangential.unwrap_or(0.0),
        xsph: params.xsph_viscosity,
        before: NEAREST * rest.spacing,
        least_central: method.least_central(),
        least_pushed: method.least_pushed(),
        shift: params.particle_shifting,
        longest: LONGEST_SHIFT * rest.spacing,
        own_slip: params.tangential.is_none().into(),
        floor_everywhere: method.has_floor_everywhere().into(),
        free_surface: (method.flow == Flow::FreeSurface).into(),
        two_sided: (params.compensation_mode == Compensation::TwoSided).into(),
        has_surface_region: c.needs.surface_region.into(),
        mirrors_surface_region: (params.gradient == Gradient::Difference).into(),
        wall_correction: (c.needs.wall_correction && !state.walls.is_empty()).into(),
    }
}
