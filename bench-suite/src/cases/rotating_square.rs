//! A square of fluid that rotates in empty space: without viscosity it keeps its energy and its momentum.

use super::{block, pbf, projection, set};
use crate::{
    cases::Case,
    metrics::{Metric, conservation::Conservation, rotation::Rotation},
    scenes::methods::Method,
};
use sph_core::scene::{Fluid, LinearVelocity, MassMode, Scene, VelocityField};

/// A square of 1 × 1 m that turns with 1 rad/s at first.
pub struct RotatingSquare;

/// Length of its sides, `[m]`.
const SIDE: f64 = 1.0;
/// Angular velocity at time 0, `[rad/s]`.
const OMEGA: f64 = 1.0;
/// End: ωt = 2, while the corners are arms that a few particles still resolve, `[s]`.
const END: f64 = 2.0 / OMEGA;
/// Citation.
const SOURCE: &str = "Euler's equations keep energy and angular momentum; scene of Colagrossi 2005, PhD thesis, Univ. of Rome La Sapienza";

impl Case for RotatingSquare {
    fn name(&self) -> &'static str {
        "rotating_square"
    }

    fn about(&self) -> &'static str {
        "square of fluid that turns in empty space: energy and angular momentum"
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn resolution(&self) -> usize {
        60
    }

    /// `n` particles across the side.
    fn scene(&self, n: usize) -> Scene {
        let mut scene = Scene::new(2, SIDE / n as f64, END);
        scene.title = "Rotating square".into();
        scene.rest_density = 1.0;
        scene.gravity = Some(vec![0.0, 0.0]);
        scene.mass_mode = MassMode::Volume;
        let mut body = Fluid::new(block(&[-0.5 * SIDE; 2], &[0.5 * SIDE; 2]));
        let matrix = vec![vec![0.0, -OMEGA], vec![OMEGA, 0.0]];
        body.velocity = VelocityField::Linear(LinearVelocity { matrix, center: vec![0.0, 0.0] });
        scene.fluid = vec![body];
        set(
            &mut scene,
            [
                ("name", "wcsph".into()),
                ("sound_speed", (10.0 * OMEGA * SIDE).into()),
                ("artificial_viscosity_alpha", 0.0.into()),
            ],
        );
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        match method {
            Method::Wcsph => {}
            Method::Viscoelastic => return false,
            // Under tension nothing but shifting keeps particles in order.
            Method::Projection => projection(scene, [("preset", "closed".into())]),
            Method::Pbf => pbf(
                scene,
                [
                    // One that only pushes lets the square fly apart.
                    ("unilateral", false.into()),
                    ("scorr_k", 0.0.into()),
                    ("cohesion", 0.0.into()),
                    ("xsph_viscosity", 0.0.into()),
                    ("velocity_update", "second_order".into()),
                ],
            ),
        }
        true
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let interval = END / 200.0;
        vec![Box::new(Conservation::every(interval)), Box::new(Rotation::new(SIDE, interval, SOURCE))]
    }

    fn pictures(&self) -> Vec<f64> {
        vec![0.5 * END, END]
    }
}
