//! The cases: one file, one paper or one exact solution.

pub mod column;
pub mod dam_break;
pub mod rebound;
pub mod rotating_square;
pub mod stretched_bar;
pub mod viscoelastic_channel;
pub mod walls;

use crate::{
    metrics::{Metric, Outcome},
    result::ReferenceCurve,
    scenes::methods::Method,
};
use sph_core::{
    geometry::{
        sampling::{Face, Side},
        shape::{Block, Shape},
    },
    scene::{Fluid, MassMode, PressureField, Scene, Slip, SolverSettings, Wall},
    watch::measure::Series,
};

/// A published experiment, an exact solution, or a state that must not change.
pub trait Case: Sync {
    /// Name on the command line.
    fn name(&self) -> &str;

    /// One line for `sph list`.
    fn about(&self) -> &str;

    /// Citation of what it is compared with.
    fn source(&self) -> &str;

    /// The scene with `n` particles across its reference length, with the settings that suit WCSPH.
    fn scene(&self, n: usize) -> Scene;

    /// Gives such a scene the settings that suit a method. False when the case asks for what the method does not have,
    /// as a pressure or a viscosity of the liquid.
    fn suit(&self, _scene: &mut Scene, method: Method) -> bool {
        method == Method::Wcsph
    }

    /// Whether the solution is exact or converged: errors then fall with resolution, and rank methods.
    fn is_exact(&self) -> bool {
        false
    }

    /// Whether it is a part of the program, and not read from files that may change.
    fn is_built_in(&self) -> bool {
        true
    }

    /// Particles across at which the bands are stated.
    fn resolution(&self) -> usize;

    /// Resolutions of a comparison.
    fn resolutions(&self) -> Vec<usize> {
        vec![self.resolution()]
    }

    /// Fresh metrics for one run of `scene`.
    fn metrics(&self, scene: &Scene) -> Vec<Box<dyn Metric>>;

    /// What the measures of the scene come to.
    fn judge(&self, _series: &[&Series]) -> Outcome {
        Outcome::default()
    }

    /// Published or exact curves for the report.
    fn references(&self) -> Vec<ReferenceCurve> {
        Vec::new()
    }

    /// Moments of the pictures, `[s]`.
    fn pictures(&self) -> Vec<f64> {
        Vec::new()
    }

    /// How deep particles may come into walls, in spacings, where that is demanded; and none may escape.
    fn deepest_penetration(&self) -> Option<f64> {
        None
    }
}

/// A block from `min` to `max`, `[m]`.
fn block(min: &[f64], max: &[f64]) -> Shape {
    Shape::Block(Block { min: min.to_vec(), max: max.to_vec() })
}

/// Fluid at rest in a block.
fn fluid(min: &[f64], max: &[f64]) -> Fluid {
    Fluid::new(block(min, max))
}

/// A tank of wall samples, open where no face is named.
fn tank(min: &[f64], max: &[f64], faces: &[Face], slip: Slip, layers: u32) -> Wall {
    Wall { faces: Some(faces.to_vec()), slip, layers, ..Wall::new(block(min, max), Side::Inside) }
}

/// Position Based Fluids in a scene of WCSPH: fluid of rest density, walls of two layers with pseudo-masses, and no
/// damping, since no sound rings.
fn pbf<const N: usize>(scene: &mut Scene, keys: [(&str, toml::Value); N]) {
    of_positions(scene, "pbf");
    set(scene, keys);
}

/// The viscoelastic fluid in a scene of WCSPH, without springs.
fn viscoelastic(scene: &mut Scene) {
    of_positions(scene, "viscoelastic");
}

/// The staggered projection in a scene of WCSPH: walls as thick as its support, and no damping, since no sound rings.
fn projection<const N: usize>(scene: &mut Scene, keys: [(&str, toml::Value); N]) {
    of_positions(scene, "projection");
    for wall in &mut scene.wall {
        wall.layers = 3;
    }
    set(scene, keys);
}

/// A method of positions in a scene of WCSPH.
fn of_positions(scene: &mut Scene, name: &str) {
    scene.solver = SolverSettings::default();
    scene.solver.set("name", name);
    scene.mass_mode = MassMode::Calibrated;
    scene.damping = None;
    for wall in &mut scene.wall {
        wall.layers = 2;
    }
    for body in &mut scene.fluid {
        body.pressure = PressureField::Zero;
    }
}

/// Sets keys of the solver.
fn set<const N: usize>(scene: &mut Scene, keys: [(&str, toml::Value); N]) {
    for (key, value) in keys {
        scene.solver.set(key, value);
    }
}
