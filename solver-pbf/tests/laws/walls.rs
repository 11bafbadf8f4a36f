//! What holds the fluid: samples with pseudo-masses, and containers that are clamped to.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{EPSILON, simulation};
use sph_core::{method::observer::View, run::simulation::Simulation, watch::penetration::PenetrationMonitor};

/// Densities of the first and the second row beside a flat wall, as the reference has them.
#[test]
fn density_beside_a_wall_is_that_of_the_reference() {
    for (eta, layers, first, second) in
        [(2.0, 1, 1.074, 1.000), (2.0, 2, 1.030, 1.000), (2.5, 2, 1.068, 1.002)]
    {
        let mut sim = simulation::<2>(&format!(
            "spacing = 0.05\ngravity = [0.0, 0.0]\nrun.end_time = 1.0\n\
             domain = {{ min = [0.0, -1.0], max = [1.0, 2.0], periodic = [\"x\"] }}\n\
             [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 0.6] }}\n\
             [[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 1.0] }}\nfaces = [\"y_min\"]\nlayers = {layers}\n\
             [solver]\nname = \"pbf\"\nsupport_ratio = {eta:?}\nsubsteps = 1\n\
             solver_iterations = 1\nmin_iterations = 0\ndensity_tolerance = 1.0\ncohesion = 0.0\n"
        ));
        // So large a tolerance lets nothing move: the densities are those of the lattice.
        sim.solver.step(&mut sim.state, 1e-3).expect("a step");
        for (row, expected) in [(0, first), (1, second)] {
            let y = (row as f64 + 0.5) * 0.05;
            let fluid = &sim.state.fluid;
            let on_row = (0..fluid.len()).filter(|&i| (f64::from(fluid.x[1][i]) - y).abs() < 1e-3);
            let mean: Vec<f64> = on_row.map(|i| f64::from(fluid.rho[i]) / 1000.0).collect();
            let mean = mean.iter().sum::<f64>() / mean.len() as f64;
            assert!((mean - expected).abs() < 1e-3, "{eta} {layers} row {row}: {mean}, not {expected}");
        }
    }
}

fn contained<const D: usize>(container: &str, solver: &str) -> Simulation<D> {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    simulation(&format!(
        "dim = {D}\nspacing = 0.05\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.4, 0.5{1}] }}\n\
         [[container]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [1.0, 2.0{1}] }}\n{container}\n\
         [solver]\nname = \"pbf\"\ncohesion = 0.0\n{solver}\n",
        z("0.0"),
        z("0.4"),
    ))
}

/// Whatever falls in a container stays half a spacing away from its walls, after every step.
#[test]
fn a_container_holds_the_fluid() {
    fn check<const D: usize>(preset: &str) {
        let mut sim = contained::<D>("", &format!("preset = \"{preset}\""));
        let size = [1.0, 2.0, 0.4];
        let mut worst: f64 = 1.0;
        let watch = &mut |view: &View<'_, D>| {
            for a in 0..D {
                for x in &view.state.fluid.x[a] {
                    let x = f64::from(*x);
                    worst = worst.min(x.min(size[a] - x));
                }
            }
            true
        };
        sim.run(1.0, u64::MAX, &mut [watch]).unwrap_or_else(|error| panic!("{error}"));
        assert!(worst > 0.025 - 4.0 * EPSILON, "{preset}: {worst}");
        let top = sim.state.fluid.x[1].iter().fold(0.0_f64, |top, y| top.max(f64::from(*y)));
        assert!(
            top < 1.0 && sim.state.fluid.x[0].iter().any(|x| *x > 0.9),
            "{preset}: it did not flow, {top}"
        );
    }
    check::<2>("standard");
    check::<3>("fluid_demo");
}

/// A lone particle comes back with the part of its speed that the restitution leaves, and friction takes its part.
#[test]
fn a_lone_particle_bounces_and_rubs() {
    for (e, friction) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.0, 0.3)] {
        for update in ["first_order", "second_order"] {
            let mut sim = simulation::<2>(&format!(
                "spacing = 0.1\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
                 [[fluid]]\nshape.block = {{ min = [0.4, 0.4], max = [0.5, 0.5] }}\nvelocity.uniform = [0.5, -1.0]\n\
                 [[container]]\nshape.block = {{ min = [-9.0, 0.0], max = [9.0, 9.0] }}\nrestitution = {e:?}\nfriction = {friction:?}\n\
                 [solver]\nname = \"pbf\"\nvelocity_update = \"{update}\"\ncohesion = 0.0\n"
            ));
            sim.fixed_dt = Some(1.0 / 128.0);
            while sim.state.fluid.v[1][0] == -1.0 {
                sim.step(f64::INFINITY).expect("a step");
            }
            let v = sim.state.fluid.velocity(0).map(f64::from);
            let expected = [0.5 * (1.0 - friction), e];
            let off = (v[0] - expected[0]).abs().max((v[1] - expected[1]).abs());
            assert!(off < 16.0 * EPSILON, "{e} {friction} {update}: {v:?}");
        }
    }
}

/// Escapes, and the deepest penetration in spacings, of the demo's dam break until `end`, `[s]`.
fn fluid_demo(end: f64) -> (usize, f64) {
    let mut sim = simulation::<3>(
        "dim = 3\nspacing = 0.05\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = { min = [0.0, 0.0, 0.025], max = [0.75, 1.0, 0.775] }\n\
         [[wall]]\nshape.block = { min = [0.0, 0.0, 0.0], max = [4.0, 4.0, 0.8] }\n\
         [solver]\nname = \"pbf\"\npreset = \"fluid_demo\"\n",
    );
    assert_eq!(sim.state.fluid.len(), 15 * 20 * 15);
    let mut monitor = PenetrationMonitor::new(&sim.state);
    sim.run(end, u64::MAX, &mut [&mut monitor]).unwrap_or_else(|error| panic!("{error}"));
    (monitor.escaped().len(), monitor.deepest().map_or(0.0, |deepest| deepest.depth))
}

#[test]
fn nothing_escapes_from_the_dam_break_of_the_demo() {
    let (escaped, depth) = fluid_demo(1.5);
    assert!(escaped == 0 && depth < 1.0, "{escaped} escaped, {depth} spacings deep");
}

#[test]
#[ignore = "a minute in release"]
fn nothing_escapes_from_the_dam_break_of_the_demo_in_ten_seconds() {
    let (escaped, depth) = fluid_demo(10.0);
    println!("{depth} spacings deep");
    assert!(escaped == 0 && depth < 1.0, "{escaped} escaped, {depth} spacings deep");
}
