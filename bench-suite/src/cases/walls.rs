//! Penetration of walls: twelve scenes of corners, thin plates, fast, moving and curved walls.
//!
//! The scenes are files, to be run and changed by anyone; the cases add what is demanded of them.

use crate::{
    cases::Case,
    metrics::{Metric, conservation::Conservation},
};
use sph_core::scene::Scene;

/// The name of all of them on the command line.
pub const GROUP: &str = "walls";
/// How deep a particle may come, in spacings.
const DEEPEST: f64 = 0.1;

/// A scene file with walls that must hold.
pub struct WallScene {
    /// Name on the command line.
    pub name: &'static str,
    about: &'static str,
    /// The scene file.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal: $about:literal,)*) => {
        &[$(WallScene {
            name: concat!("walls/", $name),
            about: $about,
            text: include_str!(concat!("../../scenes/walls/", $name, ".toml")),
        },)*]
    };
}

/// All of them.
pub const SCENES: &[WallScene] = scenes! {
    "corner_2d": "a block of water thrown into the corner of a box",
    "corner_3d": "the same in 3D",
    "plates": "jets against plates of one and of two layers",
    "fast_drop": "a drop that hits the floor with 20 m/s",
    "piston": "a piston that drives water against a wall",
    "oscillating_tank": "a tank shaken near the resonance of its water",
    "stirrer": "crossed paddles in a round tank",
    "disc_inside": "water that swings in a round tank",
    "disc_around": "water that falls on a disc",
    "cylinder_inside": "3D column that collapses in a round tank",
    "cylinder_around": "3D dam break against a round column",
    "dam_break_step": "a dam break against a sharp step",
};

impl WallScene {
    /// The scene of the file. One that cannot be read has no fluid, and the run refuses it.
    fn parsed(&self) -> Scene {
        Scene::parse(self.name, self.text).unwrap_or_else(|_| Scene::new(2, 1.0, 1.0))
    }
}

impl Case for WallScene {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn source(&self) -> &'static str {
        "no particle passes a wall, or comes deeper than a tenth of a spacing"
    }

    /// Particles on a meter.
    fn resolution(&self) -> usize {
        (1.0 / self.parsed().spacing).round() as usize
    }

    fn scene(&self, n: usize) -> Scene {
        let mut scene = self.parsed();
        if n != self.resolution() {
            scene.spacing = 1.0 / n as f64;
        }
        scene
    }

    fn metrics(&self, scene: &Scene) -> Vec<Box<dyn Metric>> {
        vec![Box::new(Conservation::every(0.01 * scene.run.end_time).driven())]
    }

    fn pictures(&self) -> Vec<f64> {
        [0.25, 0.5, 1.0].map(|part| part * self.parsed().run.end_time).to_vec()
    }

    fn deepest_penetration(&self) -> Option<f64> {
        Some(DEEPEST)
    }
}
