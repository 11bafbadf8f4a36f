//! The constants of the kernels.

use crate::{Viscoelastic, physics};
use cuda_kernels::{
    common::numerics::space::{Domain, Forces},
    viscoelastic::{Constants, Flow, Spring, Stiffness, Viscosity},
};
use sph_core::method::state::State;

/// The constants of the kernels in a step `dt` `[s]` from `state` on.
pub fn constants<const D: usize>(method: &Viscoelastic<D>, state: &State<D>, dt: f64) -> Constants<D> {
    let c = &method.constants;
    let physics::Stiffness { k, k_near, k_rest, balance } = c.stiffness;
    let physics::Viscosity { linear, quadratic, max_fraction } = method.viscosity(dt);
    let physics::Spring { stiffness, h } = method.spring(dt);
    let physics::Flow { rate, yield_ratio } = method.flow(dt);
    Constants {
        domain: Domain::from(&state.domain),
        forces: Forces::from(&state.forces),
        stiffness: Stiffness { k, k_near, k_rest, balance },
        viscosity: Viscosity { linear, quadratic, max_fraction },
        spring: Spring { stiffness, h },
        flow: Flow { rate, yield_ratio },
        inv_h: 1.0 / c.h,
        dt2: (dt * dt) as _,
        max_displacement: physics::MAX_DISPLACEMENT * c.h,
        to_density: state.rest.rho_0 / c.lattice_rho,
        inv_volume: 1.0 / state.rest.spacing.powi(D as i32),
        creates: method.creates().into(),
    }
}
