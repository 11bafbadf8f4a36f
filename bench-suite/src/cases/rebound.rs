//! A square body that falls on a floor, with springs and without.

use super::{fluid, set, tank};
use crate::{
    cases::Case,
    metrics::{
        Metric,
        bounce::{Body, Bounce},
        conservation::Conservation,
    },
    scenes::methods::Method,
};
use sph_core::{
    geometry::sampling::Face,
    scene::{Scene, Slip},
};

/// A block of 1 × 1 m that falls by half a meter.
pub struct Rebound {
    /// Whether it has springs.
    pub springs: bool,
}

/// Side of the block, and how far it falls, `[m]`.
const SIDE: f64 = 1.0;
const FALL: f64 = 0.5;
/// Spring stiffness times spacing squared, `[m²/s²]`: that of waves in the springs.
const WAVES: f64 = 60.0;
/// End: the first rebound is over, `[s]`.
const END: f64 = 1.0;

impl Case for Rebound {
    fn name(&self) -> &'static str {
        if self.springs { "rebound" } else { "rebound_liquid" }
    }

    fn about(&self) -> &'static str {
        if self.springs {
            "an elastic block falls on a floor and rebounds: coefficient of restitution"
        } else {
            "the same block without springs: it stays on the floor"
        }
    }

    fn source(&self) -> &'static str {
        "energy: the height of the rebound over that of the fall"
    }

    fn resolution(&self) -> usize {
        20
    }

    /// `n` particles across the block.
    fn scene(&self, n: usize) -> Scene {
        let dx = SIDE / n as f64;
        let mut scene = Scene::new(2, dx, END);
        scene.title = "Falling block".into();
        scene.fluid = vec![fluid(&[-0.5 * SIDE, FALL], &[0.5 * SIDE, FALL + SIDE])];
        scene.wall = vec![tank(&[-4.0, 0.0], &[4.0, 2.0], &[Face::YMin], Slip::FreeSlip, 2)];
        scene.solver.set("name", "viscoelastic");
        if self.springs {
            set(
                &mut scene,
                [
                    ("spring_stiffness", (WAVES / (dx * dx)).into()),
                    ("spring_creation", "at_start".into()),
                    ("plasticity", 0.0.into()),
                ],
            );
        }
        scene
    }

    fn suit(&self, _scene: &mut Scene, method: Method) -> bool {
        method == Method::Viscoelastic
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let body = Body { standing: 0.5 * SIDE, fall: FALL, rebounds: self.springs };
        vec![Box::new(Conservation::every(0.01)), Box::new(Bounce::new(body, 0.005))]
    }

    fn pictures(&self) -> Vec<f64> {
        vec![0.42, 0.65, END]
    }
}
