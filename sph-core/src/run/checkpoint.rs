//! A run as bytes: everything that its next step depends on, and nothing else.
//!
//! ```text
//! 0   8   "SPHSTATE"
//! 8   4   version, u32
//! 12  4   length of the header in bytes, u32
//! 16  4   CRC-32 of the header, u32
//! 20  4   0
//! 24      header: TOML, UTF-8
//! …       arrays, each at a multiple of 64
//! ```
//!
//! All numbers are little-endian. The header names scene, step, time, history of commands, numbers of the
//! solver, and of each array its type, shape, place and CRC-32; an array is a plain block that other programs
//! can map (`numpy.memmap` with the type and place of the header). The law: 2N steps have the bits of N
//! steps, a checkpoint, a restart, and N steps.

mod header;
mod read;
mod write;

pub use header::{Array, Header, MAGIC, VERSION};
pub use read::Checkpoint;
pub use write::write;

use crate::{Real, method::solver::Memory, run::simulation::Simulation};

/// Fields of the state and the solver, as they stand in a checkpoint.
enum Values<'a> {
    Reals(&'a mut Vec<Real>),
    Words(&'a mut Vec<u64>),
    Shorts(&'a mut Vec<u16>),
    Doubles(&'a mut Vec<f64>),
}

/// Shows `visit` every array that a restart must keep, with its name, to read or to overwrite it.
fn arrays<const D: usize>(run: &mut Simulation<D>, visit: &mut dyn FnMut(&str, Values<'_>)) {
    const AXES: [&str; 3] = ["x", "y", "z"];
    let (fluid, walls) = (&mut run.state.fluid, &mut run.state.walls);
    visit("fluid.id", Values::Words(&mut fluid.id));
    visit("fluid.rho", Values::Reals(&mut fluid.rho));
    visit("walls.id", Values::Words(&mut walls.id));
    visit("walls.volume", Values::Reals(&mut walls.volume));
    visit("walls.body", Values::Shorts(&mut walls.body));
    let vectors = [
        ("fluid.x", &mut fluid.x),
        ("fluid.v", &mut fluid.v),
        ("walls.x", &mut walls.x),
        ("walls.v", &mut walls.v),
        ("walls.a", &mut walls.a),
        ("walls.x_0", &mut walls.x_0),
    ];
    for (name, vector) in vectors {
        for (axis, values) in AXES.iter().zip(vector) {
            visit(&format!("{name}.{axis}"), Values::Reals(values));
        }
    }
    run.solver.memory(&mut |name, memory| match memory {
        Memory::Field(values) | Memory::Array(values) => {
            visit(&format!("solver.{name}"), Values::Reals(values));
        }
        Memory::Pairs(values) => visit(&format!("{PAIRS}.{name}"), Values::Reals(values)),
        Memory::Number(_) => {}
    });
    run.measures.arrays(&mut |name, values| visit(&format!("{MEASURE}.{name}"), Values::Doubles(values)));
}

/// Shows `visit` every number of bodies, solver and recovery that a restart must keep.
fn numbers<const D: usize>(run: &mut Simulation<D>, visit: &mut dyn FnMut(&str, &mut f64)) {
    run.state.bodies.numbers(visit);
    let recovery = &mut run.guard.recovery;
    let (mut good_steps, mut failures) = (recovery.good_steps as f64, f64::from(recovery.failures));
    visit("recovery.scale", &mut recovery.scale);
    visit("recovery.good_steps", &mut good_steps);
    visit("recovery.failures", &mut failures);
    (recovery.good_steps, recovery.failures) = (good_steps as u64, failures as u32);
    run.solver.memory(&mut |name, memory| {
        if let Memory::Number(number) = memory {
            visit(name, number);
        }
    });
}

/// What names of columns of pairs begin with.
const PAIRS: &str = "pairs";

/// What names of samples of measures begin with.
const MEASURE: &str = "measure";

/// The type of `Real` in the words of numpy.
const REAL: &str = if size_of::<Real>() == 4 { "<f4" } else { "<f8" };
