//! The cases: one file, one paper or one exact solution.

pub mod column;
pub mod dam_break;

use sph_core::{
    sampling::{Face, Side},
    scene::{Fluid, Scene, Slip, Wall},
    shape::{Block, Shape},
};

/// A block from `min` to `max`, [m].
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

/// Sets keys of the solver.
fn set<const N: usize>(scene: &mut Scene, keys: [(&str, toml::Value); N]) {
    for (key, value) in keys {
        scene.solver.set(key, value);
    }
}
