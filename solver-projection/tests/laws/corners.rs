//! Particles that are thrown into the corners of a box, and onto a step.

use crate::solver::measures::Random;
use sph_core::{Real, method::state::State};

pub const SPACING: f64 = 0.05;

/// A block of particles in the middle of a closed box with a step on its floor, which [`throw`] throws at them.
pub fn corners<const D: usize>(more: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    format!(
        "dim = {D}\nspacing = {SPACING:?}\ngravity = [0.0, 0.0{none}]\nrun.end_time = 10.0\nrun.escape_limit = 1.0\n\
         [[fluid]]\nshape.block = {{ min = [0.4, 0.5{back}], max = [0.6, 0.7{front}] }}\n\
         [[wall]]\nname = \"box\"\nshape.block = {{ min = [0.0, 0.0{none}], max = [1.0, 1.0{one}] }}\nlayers = 2\n\
         offset = 0.7\nslip = \"free_slip\"\n\
         [[wall]]\nname = \"step\"\nshape.block = {{ min = [0.4, 0.0{back}], max = [0.6, 0.2{front}] }}\nside = \"outside\"\n\
         layers = 2\nslip = \"free_slip\"\n[solver]\nname = \"projection\"\n{more}\n",
        none = z(0.0),
        back = z(0.4),
        front = z(0.6),
        one = z(1.0),
    )
}

/// Throws each particle with up to 6 m/s, half a spacing in a step of 4 ms, into one of the corners of the box, or from the side
/// onto the step, as low as a hundredth of a spacing above the floor.
pub fn throw<const D: usize>(state: &mut State<D>) {
    let mut random = Random(7);
    for i in 0..state.fluid.len() {
        let mut unit = || 0.5 + 0.5 * random.next();
        let onto_step = i % 3 == 0;
        for a in 0..D {
            let (mut x, mut v) = (SPACING * (0.05 + unit()), -6.0 * unit());
            if onto_step {
                (x, v) = match a {
                    0 => (0.4 - SPACING * (0.2 + unit()), 3.0 + 3.0 * unit()),
                    1 => (SPACING * (0.01 + 3.9 * unit()), -unit()),
                    _ => (0.4 + 0.2 * unit(), 3.0 - 6.0 * unit()),
                };
            }
            let mirror = i >> a & 1 == 1 && (a == 0 || !onto_step);
            let (x, v) = if mirror { (1.0 - x, -v) } else { (x, v) };
            (state.fluid.x[a][i], state.fluid.v[a][i]) = (x as Real, v as Real);
        }
    }
}
