//! From a scene to a run.

use crate::{
    Constants, Params, Projection,
    memory::{Fields, Needs},
    params::Gradient,
    physics::{self, FreeSurface, LatticeSums},
};
use sph_core::{
    Real,
    error::Error,
    fluid::{areas::Areas, material::Material},
    kernel::{CubicSpline, Formula as _, Kernel as _},
    method::{state::State, stopwatch::Clock},
    numerics::lane::Isa,
    run::method::{self, Shell},
    scene::{
        Parameters as _, Scene,
        setup::{self, Setup},
    },
};

/// The first state of a scene, and the method for it.
///
/// # Errors
/// When the scene or the solver's parameters are refused.
pub fn of_scene<const D: usize>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<(State<D>, Projection<D>), Error> {
    let params = Params::of_scene(scene)?;
    let kernel = CubicSpline::<D>::new(params.support_ratio * scene.spacing as Real);
    let Setup { state, .. } = setup::build(scene, &kernel)?;
    // Without ghosts the fluid beside a container has no support: it counts as its surface.
    let flow = match state.containers.is_empty() {
        true => scene.flow_of(&state),
        false => scene.flow.unwrap_or_default(),
    };
    // No preset of a flow has a support ratio of its own: the kernel is that of all.
    let params = Params::of_flow(scene, flow)?;
    let solver = Projection {
        flow,
        height: if state.fluid.is_empty() { state.height_of_walls() } else { state.height() },
        areas: Areas::all(&state.walls, scene.spacing),
        constants: Constants::derive::<D>(&params, state.rest, state.bodies.may_be_loaded()),
        shell: Shell::new(
            method::search::<D, Projection<D>>(scene, &state, &params, kernel.support_radius(), isa),
            clock,
        ),
        fields: Fields::default(),
        kernel,
        params,
    };
    Ok((state, solver))
}

impl Constants {
    /// Depends on nothing but its arguments.
    pub(crate) fn derive<const D: usize>(params: &Params, rest: Material, reactions: bool) -> Self {
        let h = params.support_ratio * rest.spacing;
        let weight = physics::Weight::new(params.projection_weight, h, params.clamp(D));
        let lattice = LatticeSums::new::<D>(weight, f64::from(params.support_ratio));
        Self {
            weight,
            lattice,
            surface: FreeSurface {
                reference: (lattice.diagonal_h2 / f64::from(h).powi(2)) as Real,
                threshold: params.surface_threshold,
                asymmetry: params.surface_asymmetry,
                at_wall: params.wall_surface_factor,
                spray: physics::SPRAY,
                by_asymmetry: params.gradient == Gradient::Difference && params.surface_asymmetry > 0.0,
            },
            rest,
            needs: Needs::of(params, reactions),
        }
    }
}
