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

/// With the difference gradient fluid in reach of its surface keeps momentum, and pulls the body that it parts from.
#[test]
fn thin_fluid_under_tension_pulls_a_body() {
    let text = "spacing = 0.05\nrest_density = 1000.0\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
                [[fluid]]\nshape.block = { min = [-0.1, -0.3], max = [0.0, 0.3] }\nvelocity.uniform = [-1.0, 0.0]\n\
                [[body]]\nname = \"box\"\nshape.block = { min = [0.0, -0.3], max = [0.3, 0.3] }\ndensity = 1000.0\n\
                velocity = [0.1, 0.0]\n[solver]\nname = \"projection\"\npreset = \"closed\"";
    let mut sim = simulation::<2>(text);
    sim.run(10.0, 1, &mut []).expect("a healthy run");
    let pulled = sim.state.bodies.list[0].momentum[0] / 18.0;
    println!("momentum over that at first: {pulled:.3}");
    assert!(pulled < 0.9, "{pulled}");
    let [lost, _] = change::<2>(text, 5, |_| 1.0);
    assert!(lost < kept("", 200.0), "{lost:e}");
}

/// The first column leaves the box at 5 m/s, against those behind it: the box pushes it with a part of the pressure, and gets
/// back as much.
#[test]
fn momentum_is_conserved_where_fluid_under_pressure_leaves_a_body() {
    let mut sim = simulation::<2>(
        "spacing = 0.05\nrest_density = 1000.0\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = { min = [-0.4, -0.3], max = [0.0, 0.3] }\nvelocity.uniform = [1.0, 0.0]\n\
         [[body]]\nname = \"box\"\nshape.block = { min = [0.0, -0.3], max = [0.3, 0.3] }\ndensity = 1000.0\n\
         [solver]\nname = \"projection\"",
    );
    let fluid = &mut sim.state.fluid;
    for i in 0..fluid.len() {
        if fluid.x[0][i] > -0.05 {
            fluid.v[0][i] = -5.0;
        }
    }
    let momentum = |sim: &sph_core::run::simulation::Simulation<2>| {
        let v = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
        f64::from(sim.state.rest.m) * v.iter().map(|v| v[0]).sum::<f64>()
            + sim.state.bodies.list[0].momentum[0]
    };
    let before = momentum(&sim);
    step(&mut sim, 1e-3);
    let (after, given) = (momentum(&sim), sim.state.bodies.list[0].momentum[0]);
    println!("{before} {after} kg m/s, of which the box has {given}");
    assert!(given > 0.01 * before.abs(), "{given}");
    assert!((after - before).abs() < 2e3 * EPSILON * before.abs(), "{before} {after}");
}

#[test]
fn slow_ones_are_warned_of() {
    slow_bodies_are_warned_of("");
    no_slow_body_is_warned_of("preset = \"closed\"");
}

#[test]
fn a_raft_of_half_the_density_settles_half_submerged() {
    let (share, tilt) = settled::<2>(0.016, "xsph_viscosity = 0.3");
    assert!((share - 0.5).abs() < 0.1 && tilt.abs() < 0.05, "{share} {tilt}");
}

#[test]
fn a_pointer_takes_a_body_along() {
    a_pointer_takes_a_box_along::<2>("");
    a_pointer_takes_a_box_along::<3>("");
}
