//! Steps: free fall, orders of the velocity update, iterations, substeps and their limits.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{Block, EPSILON, by_id, scene, simulation};
use sph_core::{Real, method::stopwatch::NoClock, numerics::lane::Isa};

const ALONE: &str = "xsph_viscosity = 0.0\ncohesion = 0.0\nscorr_k = 0.0\n";

/// Displacement and velocity of a falling block, too light for corrections, after these steps.
fn fall(solver: &str, steps: &[f64]) -> (f64, f64) {
    let mut sim =
        Block { gravity: 9.81, ..Block::free(4, &format!("{ALONE}substeps = 1\n{solver}")) }.build::<3>();
    sim.state.rest.m *= 0.9;
    sim.state.fluid.v[1].fill(1.5);
    let before = by_id(&sim.state.fluid.id, &sim.state.fluid.x[1]);
    for &dt in steps {
        sim.solver.step(&mut sim.state, dt).expect("a step");
        sim.state.t += dt;
    }
    let after = by_id(&sim.state.fluid.id, &sim.state.fluid.x[1]);
    (after[5] - before[5], f64::from(sim.state.fluid.v[1][5]))
}

const EVEN: [f64; 8] = [0.01; 8];
const UNEVEN: [f64; 8] = [0.01, 0.008, 0.016, 0.01, 0.003, 0.005, 0.01, 0.012];

#[test]
fn first_order_falls_on_the_parabola_of_symplectic_euler() {
    for steps in [EVEN, UNEVEN] {
        let (mut v, mut y) = (1.5, 0.0);
        for dt in steps {
            v -= 9.81 * dt;
            y += v * dt;
        }
        let (fallen, speed) = fall("", &steps);
        assert!((fallen - y).abs() < 16.0 * EPSILON && (speed - v).abs() < 32.0 * EPSILON, "{fallen} {y}");
    }
}

#[test]
fn second_order_is_exact_on_parabolas_whatever_the_steps() {
    for steps in [EVEN, UNEVEN] {
        let t: f64 = steps.iter().sum();
        let (fallen, speed) = fall("velocity_update = \"second_order\"", &steps);
        let exact = 1.5 * t - 0.5 * 9.81 * t * t;
        assert!((fallen - exact).abs() < 16.0 * EPSILON, "{fallen}, not {exact}");
        assert!((speed - (1.5 - 9.81 * t)).abs() < 64.0 * EPSILON, "{speed}");
    }
}

/// A single particle under a central force: the error of a period falls with the order of the update.
#[test]
fn the_orders_are_what_they_are_called() {
    let error = |order: &str, n: u32| {
        let mut sim = simulation::<2>(&format!(
            "spacing = 1.0\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\nforces.central = {{ center = [0.0, 0.0], strength = 1.0 }}\n\
             [[fluid]]\nshape.block = {{ min = [0.5, 0.5], max = [1.5, 1.5] }}\n\
             [solver]\nname = \"pbf\"\n{ALONE}substeps = 1\nvelocity_update = \"{order}\"\n"
        ));
        for _ in 0..n {
            sim.solver.step(&mut sim.state, 1.0 / f64::from(n)).expect("a step");
        }
        (f64::from(sim.state.fluid.x[0][0]) - 1.0_f64.cos()).abs()
    };
    let order = |order: &str| (error(order, 32) / error(order, 64)).log2();
    let (first, second) = (order("first_order"), order("second_order"));
    assert!((first - 1.0).abs() < 0.15 && (second - 2.0).abs() < 0.25, "{first} {second}");
}

/// A push, as of a pointer, changes a velocity once, also where the past counts.
#[test]
fn a_push_counts_once_in_either_order() {
    for order in ["first_order", "second_order"] {
        let solver = format!("{ALONE}velocity_update = \"{order}\"");
        let mut sim = Block::free(1, &solver).build::<2>();
        for step in 0..40 {
            if step == 5 {
                sim.state.fluid.v[0][0] += 1.0;
            }
            sim.solver.step(&mut sim.state, 0.01).expect("a step");
        }
        assert!((sim.state.fluid.v[0][0] - 1.0).abs() < 64.0 * EPSILON as Real, "{order}");
    }
}

fn tank(solver: &str, run: &str) -> String {
    format!(
        "spacing = 0.02\nrun.end_time = 10.0\n{run}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [0.4, 0.4] }}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [0.4, 0.8] }}\n\
         [solver]\nname = \"pbf\"\ncohesion = 0.0\n{solver}\n"
    )
}

#[test]
fn iterations_end_where_the_error_is_small_or_the_number_reached() {
    for (solver, most, least) in [
        ("substeps = 1\nsolver_iterations = 7\nmin_iterations = 7", 7, 7),
        ("substeps = 3\nsolver_iterations = 5\nmin_iterations = 5", 15, 15),
        ("substeps = 1\nsolver_iterations = 200\ndensity_tolerance = 5e-3", 199, 2),
        ("substeps = 1\nsolver_iterations = 1", 1, 1),
    ] {
        let mut sim = simulation::<2>(&tank(solver, "run.time_step = 0.002"));
        for _ in 0..30 {
            let report = sim.step(f64::INFINITY).expect("a step");
            assert!((least..=most).contains(&report.iterations), "{} {solver}", report.iterations);
            if most > least {
                assert!(report.density_error_mean < 5e-3 && report.residual == report.density_error_mean);
            }
        }
    }
}

/// Half the volume that is lost, at the least, for twice the substeps.
#[test]
fn a_resting_column_keeps_its_volume_by_the_stability_number() {
    let height = |solver: &str| {
        let mut sim = simulation::<2>(&tank(
            &format!("substeps = 1\nscorr_k = 0.0\n{solver}"),
            "run.time_step = 0.00833",
        ));
        sim.run(2.0, u64::MAX, &mut []).expect("a healthy run");
        let y = &sim.state.fluid.x[1];
        2.0 * y.iter().map(|y| f64::from(*y)).sum::<f64>() / y.len() as f64 / 0.4
    };
    for (solver, s) in [
        ("solver_iterations = 4\nmin_iterations = 4", 0.172),
        ("solver_iterations = 8\nmin_iterations = 8", 0.085),
        ("solver_iterations = 16\nmin_iterations = 16", 0.0425),
    ] {
        let (found, loss) = (1.0 - height(solver), 0.31 * s);
        // The recipe's law is read off single runs: a third, and what walls do to the fluid's height.
        assert!((found - loss).abs() < 0.35 * loss + 0.006, "{found} lost, not {loss}");
    }
}

fn refusal(text: &str) -> Option<String> {
    solver_pbf::simulation::<2>(&scene(text), Isa::best(), Box::new(NoClock))
        .err()
        .map(|error| error.to_string())
}

#[test]
fn a_step_that_explodes_is_refused_with_what_would_do() {
    let error = refusal(&tank("substeps = 1", "run.time_step = 0.0166")).expect("it explodes");
    // S = 9.81 · 0.4 · 0.0166²/(0.02² · 4) = 0.676, over 1/(1 + ε) for what ε = 0.01 leaves undone:
    // 0.683; 4 · 0.683/0.09 iterations, √(0.683/0.09) substeps.
    for part in
        ["run.time_step = 0.0166", "S = gH Δt²/(Δx² n) is 0.683", "solver_iterations = 31", "substeps = 3"]
    {
        assert!(error.contains(part), "{part:?} is not in {error}");
    }
    for text in [
        tank("substeps = 1", "run.time_step = 0.0166\nrun.allow_unstable_time_step = true"),
        tank("substeps = 1\nsolver_iterations = 31", "run.time_step = 0.0166"),
        tank("substeps = 3", "run.time_step = 0.0166"),
        tank("substeps = 1", ""),
    ] {
        assert_eq!(refusal(&text), None, "{text}");
    }
}

#[test]
fn a_step_that_loses_volume_is_warned_about() {
    let warnings = |solver: &str, dt: &str| {
        let sim = simulation::<2>(&tank(solver, &format!("run.time_step = {dt}")));
        sim.solver.derived(&sim.state).warnings
    };
    let lossy = warnings("substeps = 1", "0.00833");
    assert!(
        lossy.len() == 1 && lossy[0].contains("S = 0.172") && lossy[0].contains("about 5 %"),
        "{lossy:?}"
    );
    assert!(warnings("substeps = 2", "0.00833").is_empty());
    // The step that the method chooses keeps the volume.
    let mut sim = simulation::<2>(&tank("substeps = 1\ndt_max = 1.0\ncfl = 10.0", ""));
    let dt = sim.solver.max_dt(&sim.state).expect("a step");
    let s = 1.01 * 9.81 * 0.4 * dt * dt / (0.02 * 0.02 * 4.0); // ε = 0.01 leaves a hundredth undone
    assert!((s - 0.09).abs() < 1e-4, "{s}");
}

/// A step above the limit is unstable: the column rises.
#[test]
fn the_refused_step_does_explode() {
    let run = "run.time_step = 0.0166\nrun.allow_unstable_time_step = true";
    let mut sim = simulation::<2>(&tank("substeps = 1", run));
    let ended = sim.run(2.0, u64::MAX, &mut []);
    let top = sim.state.fluid.x[1].iter().fold(0.0, |top: Real, y| top.max(*y));
    assert!(ended.is_err() || top > 0.6, "{ended:?} {top}");
}

/// What ε leaves undone counts like iterations that are not made: Σ|∇C|²/(Σ|∇C|² + ε) of a correction is made.
#[test]
fn a_large_epsilon_shortens_the_step() {
    let dt = |epsilon: f64| {
        let text = tank(&format!("cfm_epsilon = {epsilon:?}\ndt_max = 1.0"), "");
        let mut sim = simulation::<2>(&text);
        let state = sim.state.clone();
        sim.solver.max_dt(&state).expect("a healthy state")
    };
    assert!((dt(0.0) / dt(3.0) - 2.0).abs() < 1e-6, "{} {}", dt(0.0), dt(3.0));
}
