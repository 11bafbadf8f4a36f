//! From a scene to a run.

use crate::{
    Constants, Depth, Params, Viscoelastic,
    cpu::colors::Colors,
    memory::{Fields, Needs},
    physics::{self, LatticeSums, Stiffness},
};
use sph_core::{
    Real,
    error::Error,
    fluid::material::Material,
    geometry::lattice,
    kernel::{CubicSpline, Formula as _, Kernel as _},
    method::{state::State, stopwatch::Clock},
    numerics::lane::Isa,
    run::method::{self, Shell},
    scene::{
        Parameters as _, Scene,
        setup::{self, Setup},
    },
};

/// Near stiffness over stiffness where it is left out, `[-]`.
const NEAR: f64 = 1.5;
/// Compression at the bottom of the fluid that a stiffness which is left out allows, `[-]`.
const COMPRESSION: Real = 0.03;

/// The first state of a scene, and the method for it.
///
/// # Errors
/// When the scene is refused, or the stiffness is left out and there is no depth to derive it from.
pub fn of_scene<const D: usize>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<(State<D>, Viscoelastic<D>), Error> {
    let params = Params::of_scene(scene)?;
    // Masses, and volumes of wall samples, are those of this kernel.
    let kernel = CubicSpline::<D>::new(params.support_ratio * scene.spacing as Real);
    let Setup { state, .. } = setup::build(scene, &kernel)?;
    let (depth, reactions) = (Depth::of(&state), state.bodies.may_be_loaded());
    let constants = Constants::derive::<D>(&params, state.rest, depth, reactions);
    let solver = Viscoelastic {
        constants: constants.map_err(|error| scene.locate(error))?,
        depth,
        shell: Shell::new(
            method::search::<D, Viscoelastic<D>>(scene, &state, &params, kernel.support_radius(), isa),
            clock,
        ),
        colors: Colors::default(),
        fields: Fields::default(),
        params,
    };
    Ok((state, solver))
}

impl Constants {
    pub(crate) fn derive<const D: usize>(
        params: &Params,
        rest: Material,
        depth: Depth,
        reactions: bool,
    ) -> Result<Self, Error> {
        let eta = f64::from(params.support_ratio);
        let h = params.support_ratio * rest.spacing;
        let sums = LatticeSums::new::<D>(eta);
        let weights = if params.normalized { [1.0 / sums.rho, 1.0 / sums.near] } else { [1.0; 2] };
        let of = |k: f64| stiffness(params, &sums, weights, k);
        let k = match params.stiffness {
            Some(k) => f64::from(k),
            None => {
                // c² is proportional to k, and c² = g H/ε holds a depth H with the compression ε.
                let unit = physics::sound_speed2::<D>(&of(1.0), eta, f64::from(h));
                depth.pressure / (f64::from(COMPRESSION) * unit)
            }
        };
        if k == 0.0 && params.stiffness.is_none() {
            let error =
                Error::invalid("solver.stiffness", "cannot be derived: there is no depth without gravity");
            return Err(error.hint("give solver.stiffness"));
        }
        let stiffness = of(k);
        Ok(Self {
            h,
            rest,
            stiffness,
            lattice_rho: sums.rho as Real,
            n_neighbors: lattice::n_neighbors::<D>(eta),
            sound_speed: physics::sound_speed2::<D>(&stiffness, eta, f64::from(h)).max(0.0).sqrt(),
            needs: Needs::of(params, reactions),
        })
    }
}

/// The stiffnesses of a `k`, `[m/s²]`, with densities that are multiplied by `weights`.
fn stiffness(params: &Params, sums: &LatticeSums, weights: [f64; 2], k: f64) -> Stiffness {
    let k_near = params.stiffness_near.map_or(NEAR * k, f64::from);
    let rho_0 = params.rest_density.map_or_else(
        || sums.rest_density([weights[0] * sums.rho, weights[1] * sums.near], k, k_near),
        f64::from,
    );
    Stiffness {
        k: (k * weights[0]) as Real,
        k_near: (k_near * weights[1]) as Real,
        k_rest: (k * rho_0) as Real,
        balance: sums.balance() as Real,
    }
}

impl Depth {
    /// Depth of the initial state.
    fn of<const D: usize>(state: &State<D>) -> Self {
        let height = if state.fluid.is_empty() { 0.0 } else { f64::from(state.height()) };
        let g = state.forces.gravity.iter().map(|g| f64::from(g * g)).sum::<f64>().sqrt();
        Self { height, pressure: g * height }
    }
}
