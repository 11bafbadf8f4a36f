//! Dynamic bodies: what they and the fluid give to each other, and where they come to rest.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
use crate::{common::*, solver::bodies::*};

fn conserves<const D: usize>(steps: u64) {
    // The difference gradient, of which PeriDyno's preset has a half, does not conserve it.
    const LAPLACIAN: &str = "dynamic_viscosity = 10.0\nviscosity_model = \"morris\"";
    for solver in ["", "dynamic_viscosity = 10.0\nxsph_viscosity = 0.3", LAPLACIAN] {
        let [change, _] = change::<D>(&collision::<D>(solver), steps, |_| 1.0);
        println!("{D}D {solver:?}: {:.1} roundings", change / EPSILON);
        assert!(change < kept(solver, 200.0), "{D}D {solver:?}: {change:e}");
    }
}

#[test]
fn momentum_of_fluid_and_bodies_is_conserved() {
    conserves::<2>(150);
    conserves::<3>(100);
}

#[test]
fn a_box_of_half_the_density_settles_half_submerged() {
    let (share, tilt) = settled::<2>(0.016, "xsph_viscosity = 0.3");
    println!("{share:.3}, {tilt:.3}");
    // The fluid keeps half a spacing off: the box seems a tenth larger than it is.
    assert!((share - 0.5).abs() < 0.1 && tilt.abs() < 0.15, "{share} {tilt}");
}
