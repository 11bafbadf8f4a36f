//! State and memory are all there is: a run continued from them has the bits of a run that never stopped.
//!
//! The one exception is a Verlet skin. Its lists, and with them the order of every sum, date from a moment
//! before the restart that the state no longer knows; a restart builds them anew, which is right to round-off.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
mod common;

use common::{dam_break, memory, remember, simulation};

const PADDLE: &str = "[[wall]]\nshape.block = { min = [0.7, 0.0], max = [0.8, 0.3] }\nside = \"outside\"\nlayers = 2\n\
    motion.oscillation = { amplitude = [0.05, 0.0], frequency = 3.0 }\n";

fn restarts<const D: usize>(text: &str) {
    for n in [1, 2, 7, 20] {
        let mut whole = simulation::<D>(text);
        whole.run(10.0, 2 * n, &mut []).expect("a healthy run");
        let mut first = simulation::<D>(text);
        first.run(10.0, n, &mut []).expect("a healthy run");
        let mut second = simulation::<D>(text);
        second.state = first.state.clone();
        remember(&mut *second.solver, &memory(&mut *first.solver));
        second.run(10.0, 2 * n, &mut []).expect("a healthy run");
        assert_eq!(second.state.t.to_bits(), whole.state.t.to_bits(), "time after {n} + {n} steps");
        assert_eq!(second.state.hash(), whole.state.hash(), "after {n} + {n} steps\n{text}");
        assert_eq!(memory(&mut *second.solver), memory(&mut *whole.solver), "memory after {n} + {n} steps");
    }
}

#[test]
fn both_presets() {
    for preset in ["validation", "graphics"] {
        restarts::<2>(&dam_break::<2>(preset, 0.03, "", ""));
        restarts::<3>(&dam_break::<3>(preset, 0.06, "", ""));
    }
}

#[test]
fn moving_walls() {
    for preset in ["validation", "graphics"] {
        restarts::<2>(&dam_break::<2>(preset, 0.03, "", PADDLE));
    }
}

#[test]
fn both_integrators_with_both_densities() {
    for integrator in ["velocity_verlet", "symplectic_euler"] {
        for density in ["continuity", "summation\"\ndelta_sph = 0.0#"] {
            let solver = format!("integrator = \"{integrator}\"\ndensity = \"{density}\"\n");
            restarts::<2>(&dam_break::<2>("validation", 0.03, "", &solver));
        }
    }
}

#[test]
fn steps_limited_by_acceleration() {
    for preset in ["validation", "graphics"] {
        restarts::<2>(&dam_break::<2>(preset, 0.03, "", "cfl_force = 0.005"));
    }
}

#[test]
fn drift_corrections_and_surface_terms() {
    for solver in [
        "regularization = \"shifting\"\nxsph = 0.5",
        "regularization = \"transport_velocity\"\nintegrator = \"symplectic_euler\"",
        "regularization = \"transport_velocity\"",
        "delta_form = \"molteni\"\ncohesion = 0.1\nsurface_tension = 0.1\nadhesion = 0.1",
    ] {
        restarts::<2>(&dam_break::<2>("validation", 0.03, "damping = { rate = 5.0, until = 0.01 }", solver));
    }
}
