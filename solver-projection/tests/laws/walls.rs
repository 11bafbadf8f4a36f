//! Walls of ghosts with normals.
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common::*;
use sph_core::run::simulation::Simulation;

/// A block on the floor of a wide tank, moving with `v`.
fn on_floor(v: [f64; 2], solver: &str) -> Simulation<2> {
    simulation(&format!(
        "spacing = 0.05\nrest_density = 1.0\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
         domain = {{ min = [0.0, -1.0], max = [1.0, 2.0], periodic = [\"x\"] }}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 0.5] }}\nvelocity.uniform = {v:?}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 1.0] }}\nfaces = [\"y_min\"]\nlayers = 3\n\
         [solver]\nname = \"projection\"\ndensity_compensation = 0.0\nxsph_viscosity = 0.0\n{solver}\n"
    ))
}

fn largest(gains: &[[f64; 2]]) -> f64 {
    gains.iter().map(norm).fold(0.0, f64::max)
}

#[test]
fn fluid_that_slides_along_a_wall_that_slips_feels_nothing() {
    let gains = gains(&mut on_floor([1.0, 0.0], "tangential = 0.0"), 1e-3);
    assert!(largest(&gains) < 50.0 * EPSILON, "{gains:?}");
}

#[test]
fn fluid_may_leave_a_wall_as_far_as_the_separation_says() {
    let tangential_gradient =
        |s: f64| largest(&gains(&mut on_floor([0.0, 1.0], &format!("separation = {s:?}")), 1e-3));
    assert!(tangential_gradient(0.0) < 50.0 * EPSILON);
    assert!(
        tangential_gradient(1.0) > tangential_gradient(0.1) && tangential_gradient(0.1) > 0.0,
        "{} {}",
        tangential_gradient(1.0),
        tangential_gradient(0.1)
    );
}

#[test]
fn fluid_that_falls_onto_a_wall_is_stopped() {
    let mut sim = on_floor([0.0, -1.0], "");
    step(&mut sim, 1e-4);
    assert!(pressures(&sim).iter().sum::<f64>() > 0.0);
    step(&mut sim, 1e-4);
    let v = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
    let mean = v.iter().map(|v| v[1]).sum::<f64>() / v.len() as f64;
    assert!(mean.abs() < 0.1, "{mean} of 1 m/s is left");
}

/// Fluid that bounces off a floor is under the pressure of what falls onto it. A floor that pushed it then would follow it.
#[test]
fn a_wall_is_no_piston() {
    let mut sim = on_floor([0.0, -1.0], "");
    let fluid = &mut sim.state.fluid;
    for i in 0..fluid.len() {
        if fluid.x[1][i] < 0.05 {
            fluid.v[1][i] = 5.0;
        }
    }
    let energy = |sim: &Simulation<2>| {
        vectors(&sim.state.fluid.id, &sim.state.fluid.v).iter().map(|v| v[1] * v[1]).sum::<f64>()
    };
    let before = energy(&sim);
    step(&mut sim, 1e-4);
    let after = energy(&sim);
    println!("{before} m²/s² before, {after} after");
    assert!(after < before, "{before} {after}");
}

/// Ghosts have no pressure of their own: a particle that has no other neighbors needs a Dirichlet term, or its row is empty.
#[test]
fn lone_particle_in_a_wall_stops_and_does_not_stop_the_run() {
    let mut sim = simulation::<2>(
        "spacing = 0.05\nrun.end_time = 10.0\n\
         domain = { min = [0.0, -1.0], max = [2.0, 2.0], periodic = [\"x\"] }\n\
         [[fluid]]\nshape.block = { min = [0.0, 0.0], max = [0.5, 0.5] }\n\
         [[wall]]\nshape.block = { min = [0.0, 0.0], max = [2.0, 1.0] }\nfaces = [\"y_min\"]\nlayers = 3\n\
         slip = \"free_slip\"\n[solver]\nname = \"projection\"\n",
    );
    let alone = sim.state.fluid.len() - 1;
    let id = sim.state.fluid.id[alone];
    (sim.state.fluid.x[0][alone], sim.state.fluid.x[1][alone]) = (1.25, -0.02);
    (sim.state.fluid.v[0][alone], sim.state.fluid.v[1][alone]) = (0.0, -0.5);
    for _ in 0..20 {
        let report = sim.step(f64::INFINITY).expect("a healthy run");
        assert_eq!(report.unconverged, 0);
    }
    let i = (0..sim.state.fluid.len()).find(|&i| sim.state.fluid.id[i] == id).expect("it is there");
    let (y, v) = (sim.state.fluid.x[1][i], sim.state.fluid.v[1][i]);
    println!("{y} m, {v} m/s");
    assert!(y > -0.05 && v > -0.1, "{y} {v}");
}

/// In a turning vessel with no slip the fluid turns along; with free slip it stays.
#[test]
fn a_turning_vessel_takes_the_fluid_along() {
    let spin = |slip: &str| {
        let mut sim = simulation::<2>(&format!(
            "spacing = 0.05\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
             [[fluid]]\nshape.disc = {{ center = [0.0, 0.0], radius = 0.5 }}\n\
             [[wall]]\nshape.disc = {{ center = [0.0, 0.0], radius = 0.5 }}\nlayers = 3\nslip = \"{slip}\"\n\
             motion.rotation = {{ center = [0.0, 0.0], angular_velocity = 2.0 }}\n\
             [solver]\nname = \"projection\"\ndynamic_viscosity = 50.0\n"
        ));
        sim.run(0.5, 10_000, &mut []).expect("a healthy run");
        let fluid = &sim.state.fluid;
        let moment = |i: usize| {
            let ([x, y], [u, v]) = (fluid.position(i).map(f64::from), fluid.velocity(i).map(f64::from));
            (x * v - y * u, x * x + y * y)
        };
        let (l, inertia) = (0..fluid.len()).map(moment).fold((0.0, 0.0), |(a, b), (l, i)| (a + l, b + i));
        l / inertia
    };
    let (no_slip, free_slip) = (spin("no_slip"), spin("free_slip"));
    assert!(no_slip > 1.0 && free_slip.abs() < 0.1, "{no_slip} and {free_slip} of 2 1/s");
}

/// Two layers hold all ghosts of a particle half a spacing before the wall; one layer is said to be too few.
#[test]
fn walls_that_are_too_thin_are_said_to_be() {
    let warnings = |layers: u32| {
        let text =
            dam_break::<2>("consistent", 0.05, "", "").replace("layers = 3", &format!("layers = {layers}"));
        let sim = simulation::<2>(&text);
        sim.solver.derived(&sim.state).warnings
    };
    assert!(warnings(2).is_empty() && warnings(1).len() == 1, "{:?}", warnings(1));
    assert!(warnings(1)[0].contains("2 are needed"), "{:?}", warnings(1));
}
