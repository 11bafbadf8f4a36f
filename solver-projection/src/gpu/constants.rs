//! The constants of the kernels, in the words of `cuda_kernels::physics::projection`.

use crate::{
    Projection,
    params::{AlphaFloor, Compensation, Reference},
};
use cuda_kernels::physics::{
    kernel::KernelConstants,
    projection::{Constants, Surface, Weight},
    space::{Domain, Forces},
};
use sph_core::{Real, kernel::Kernel, kernel::KernelKind, state::State};

/// The longest way of shifting in a step, in spacings.
const LONGEST_SHIFT: Real = 0.05;
/// A particle is never nearer to a wall than this in the viscous Laplacian, in spacings.
const NEAREST: Real = 0.25;

/// What the kernels read in a step from `state` on. Sums of a full neighborhood are those that are known so far.
pub fn constants<const D: usize>(method: &Projection<D>, state: &State<D>) -> Constants<D> {
    let (params, c, rest) = (&method.params, &method.constants, state.rest);
    let [alpha, reference] = match params.reference {
        Reference::Lattice => [c.lattice.alpha as Real, c.surface.reference],
        Reference::FirstStep => method.fields.full.map(|full| full as Real),
    };
    let floor = if params.surface_asymmetry == 0.0 { AlphaFloor::All } else { params.floor(D) };
    let (surface, weight) = (c.surface, c.weight);
    Constants {
        weight: Weight { quartic: weight.quartic.into(), inv_h: weight.inv_h, inv_clamp: weight.inv_clamp },
        kernel: KernelConstants::new::<D>(KernelKind::CubicSpline, method.kernel.support_radius()),
        domain: Domain::from(&state.domain),
        forces: Forces::from(&state.forces),
        surface: Surface {
            reference,
            threshold: surface.threshold,
            asymmetry: surface.asymmetry,
            at_wall: surface.at_wall,
        },
        m: rest.m,
        rho_0: rest.rho_0,
        alpha,
        separation: params.separation,
        tangential: params.tangential.unwrap_or(0.0),
        air_pressure: params.air_pressure,
        difference: params.grad_difference,
        sum: params.grad_sum,
        least: if params.pair_switch { 0.0 } else { Real::NEG_INFINITY },
        xsph: params.xsph_viscosity,
        before: NEAREST * rest.spacing,
        shift: params.particle_shifting,
        longest: LONGEST_SHIFT * rest.spacing,
        own_slip: params.tangential.is_none().into(),
        floor_everywhere: (floor == AlphaFloor::All).into(),
        free_surface: params.free_surface.into(),
        two_sided: (params.compensation_mode == Compensation::TwoSided).into(),
        along: (c.needs.along && !state.walls.is_empty()).into(),
    }
}

/// A pressure above this part of [`Projection::pressure_limit`] throws neighbors past each other.
pub const OVERSHOT: f64 = 0.25;
/// Residual of the viscous velocities over their size.
pub const VISCOUS_TOLERANCE: f64 = 1e-5;

/// What divergence `[kg/(m³ s)]` and density error `[kg/(m³ s²)]` are multiplied by in the right side of a step `dt`
/// `[s]`; `softness` is the part of the second that acts.
pub fn rates<const D: usize>(method: &Projection<D>, state: &State<D>, dt: f64, softness: f64) -> [Real; 2] {
    let (params, rho_0) = (&method.params, f64::from(state.rest.rho_0));
    let compensation = match params.compensation_mode {
        Compensation::Off => 0.0,
        _ => f64::from(params.density_compensation) * softness,
    };
    let usual = dt.max(f64::from(params.dt_max));
    [(rho_0 / dt) as Real, (compensation * rho_0 / (D as f64 * dt * usual)) as Real]
}
