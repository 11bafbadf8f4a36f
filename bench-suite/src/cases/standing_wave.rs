//! A standing wave of small amplitude: its period is that of potential flow, and nothing damps it.

use super::{fluid, pbf, periodic, set, strained, tank};
use crate::{
    cases::Case,
    metrics::{
        Metric,
        conservation::Conservation,
        standing::{Exact, PERIODS, Standing},
    },
    result::ReferenceCurve,
    scenes::methods::Method,
};
use sph_core::{
    geometry::sampling::Face,
    scene::{GRAVITY, Hydrostatic, MassMode, PressureField, PsiMode, Scene, Slip},
};

/// One wavelength of water that is half as deep, along a period.
pub struct StandingWave;

/// The wave. Its steepness kA is 0.16: waves of finite height are slower by (kA)²/8 in deep water, 0.3 percent here.
const WAVE: Exact = Exact { amplitude: 0.05, length: 2.0, depth: 1.0, gravity: GRAVITY };
/// Periods that are computed: the third ends later than the exact one by what the period errs.
const END: f64 = PERIODS as f64 + 0.15;
/// Citation.
const SOURCE: &str = "Lamb 1932, Hydrodynamics, 6th ed., art. 228: ω² = gk tanh(kH)";

impl Case for StandingWave {
    fn name(&self) -> &'static str {
        "standing_wave"
    }

    fn about(&self) -> &'static str {
        "standing wave of small amplitude: period and energy over three periods"
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn resolution(&self) -> usize {
        40
    }

    /// `n` particles across the depth; at 40 the amplitude is two spacings.
    fn scene(&self, n: usize) -> Scene {
        let Exact { length, depth, .. } = WAVE;
        let mut scene = Scene::new(2, depth / n as f64, END * WAVE.period());
        scene.title = "Standing wave".into();
        scene.mass_mode = MassMode::Volume;
        scene.domain = Some(periodic(&[length, 2.0 * depth], 1));
        let mut body = fluid(&[0.0, 0.0], &[length, depth]);
        body.velocity = WAVE.field();
        body.pressure = PressureField::Hydrostatic(Hydrostatic { surface: depth });
        scene.fluid = vec![body];
        scene.wall = vec![tank(&[0.0, 0.0], &[length, 1.5 * depth], &[Face::YMin], Slip::FreeSlip, 3)];
        set(&mut scene, [("name", "wcsph".into()), ("artificial_viscosity_alpha", 0.0.into())]);
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        match method {
            Method::Wcsph => return true,
            Method::Viscoelastic => return false,
            Method::Projection => strained(scene),
            Method::Pbf => pbf(
                scene,
                [
                    ("preset", "accurate".into()),
                    ("scorr_k", 0.0.into()),
                    ("cohesion", 0.0.into()),
                    ("xsph_viscosity", 0.0.into()),
                    ("velocity_update", "second_order".into()),
                ],
            ),
        }
        // As of the column at rest: two layers go on with the lattice.
        scene.boundary.psi_mode = PsiMode::FluidMass;
        true
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        vec![Box::new(Conservation::every(0.02)), Box::new(Standing::new(WAVE, SOURCE))]
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        vec![WAVE.curve(self.name(), END, SOURCE)]
    }

    fn pictures(&self) -> Vec<f64> {
        [0.25, PERIODS as f64].map(|periods| periods * WAVE.period()).to_vec()
    }
}
