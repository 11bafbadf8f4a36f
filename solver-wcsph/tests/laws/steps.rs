//! Integrators, step sizes and energy.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{Block, EPSILON, shake, simulation};
use sph_core::run::simulation::Simulation;
use std::f64::consts::TAU;

const INTEGRATORS: [&str; 2] = ["symplectic_euler", "velocity_verlet"];

/// Mean height and mean rise of the fluid.
fn mean<const D: usize>(sim: &Simulation<D>) -> [f64; 2] {
    let n = sim.state.fluid.len() as f64;
    [&sim.state.fluid.x[1], &sim.state.fluid.v[1]].map(|f| f.iter().map(|&y| y as f64).sum::<f64>() / n)
}

fn falls<const D: usize>() {
    for integrator in INTEGRATORS {
        let solver =
            format!("integrator = \"{integrator}\"\nviscosity_model = \"morris\"\ndynamic_viscosity = 0.1");
        let block = Block { gravity: 9.81, ..Block::free(8, &solver).jitter(0.2) };
        let mut sim = block.build::<D>();
        shake(&mut sim.state, 3, 1.0, 0.97, 1.03);
        let ([y_0, v_0], dt, n) = (mean(&sim), 1.0 / 2048.0, 64);
        sim.fixed_dt = Some(dt);
        sim.run(1.0, n, &mut []).expect("a healthy run");
        let t = n as f64 * dt;
        let lag = if integrator == "symplectic_euler" { dt } else { 0.0 };
        let expected = [y_0 + v_0 * t - 0.5 * 9.81 * t * (t + lag), v_0 - 9.81 * t];
        let found = mean(&sim);
        // Pair forces up to 1e3 m/s² cancel to ε; g itself is rounded.
        let tolerance = [0, 1].map(|k| n as f64 * EPSILON * if k == 0 { 1.0 } else { 2.0 });
        for k in 0..2 {
            assert!(
                (found[k] - expected[k]).abs() < tolerance[k],
                "{integrator}, D = {D}: {found:?}, not {expected:?}"
            );
        }
    }
}

#[test]
fn the_center_of_mass_follows_the_parabola_of_the_integrator() {
    falls::<2>();
    falls::<3>();
}

#[test]
fn each_limit_binds_in_its_turn() {
    let dx = 0.1;
    let limit = |solver: &str, gravity: f64, speed: f64| {
        let mut sim = Block { gravity, ..Block::free(10, solver) }.build::<2>();
        sim.state.fluid.v[0].fill(speed as _);
        sim.solver.max_dt(&sim.state).expect("a step")
    };
    let same = |found: f64, expected: f64| {
        assert!((found / expected - 1.0).abs() < 8.0 * EPSILON, "{found} {expected}")
    };
    same(limit("", 0.0, 0.0), 0.5 * dx / 10.0);
    same(limit("cfl_sound = 0.25", 0.0, 3.0), 0.25 * dx / 13.0);
    same(limit("cfl = 0.1\ncfl_sound = 2.0", 0.0, 40.0), 0.1 * dx / 40.0);
    same(limit("cfl_force = 0.125", 1e3, 0.0), 0.125 * (dx / 1e3_f64).sqrt());
    same(limit("viscosity_model = \"morris\"\ndynamic_viscosity = 4.0", 0.0, 0.0), 0.25 * dx * dx / 4.0);
    // α h_s c₀/8 with h_s = 1.5 Δx
    same(limit("artificial_viscosity_alpha = 8.0", 0.0, 0.0), 0.25 * dx * dx / (0.15 * 10.0));
    same(limit("dt_max = 1e-5", 0.0, 0.0), 1e-5);
}

#[test]
fn the_end_is_met_by_adaptive_steps_and_fixed_steps_are_kept() {
    for end in [0.0121, 0.05, 0.0500001] {
        let mut sim = Block::free(8, "").build::<2>();
        sim.run(end, 1000, &mut []).expect("a healthy run");
        assert_eq!((sim.state.t, sim.state.step > 1), (end, true));
    }
    let mut sim = Block::free(8, "").build::<2>();
    sim.fixed_dt = Some(1e-3);
    let mut steps = Vec::new();
    let mut watch = |view: &sph_core::method::observer::View<'_, 2>| {
        steps.push(view.report.dt);
        true
    };
    sim.run(0.01, 1000, &mut [&mut watch]).expect("a healthy run");
    assert_eq!((sim.state.t, steps.len()), (0.01, 11));
    assert!(steps[1..].iter().all(|dt| (dt - 1e-3).abs() < 1e-15), "{steps:?}");
}

/// Kinetic and internal energy of a periodic box of mass 1.
fn energy(sim: &Simulation<2>) -> f64 {
    let (fluid, m) = (&sim.state.fluid, sim.state.rest.m as f64);
    let eos = solver_wcsph::physics::Eos::Linear { c2: 100.0 };
    let one = |i: usize| {
        let v2: f64 = fluid.velocity(i).iter().map(|&v| v as f64 * v as f64).sum();
        0.5 * v2 + solver_wcsph::physics::internal_energy(eos, fluid.rho[i] as f64, 1.0)
    };
    m * (0..fluid.len()).map(one).sum::<f64>()
}

/// Energies at the beginning and after 0.03 s.
fn energies(integrator: &str, viscosity: &str, steps: u64) -> [f64; 2] {
    let solver = format!("integrator = \"{integrator}\"\neos = \"linear\"\ndelta_sph = 0.0\n{viscosity}");
    let mut sim = Block::periodic(12, &solver).jitter(0.1).build::<2>();
    for i in 0..sim.state.fluid.len() {
        let [x, y] = sim.state.fluid.position(i);
        sim.state.fluid.v[0][i] = -(TAU as sph_core::Real * x).cos() * (TAU as sph_core::Real * y).sin();
        sim.state.fluid.v[1][i] = (TAU as sph_core::Real * x).sin() * (TAU as sph_core::Real * y).cos();
        sim.state.fluid.rho[i] = 1.0 + 0.05 * (TAU as sph_core::Real * x).sin();
    }
    let before = energy(&sim);
    sim.fixed_dt = Some(0.03 / steps as f64);
    sim.run(0.03, steps, &mut []).expect("a healthy run");
    [before, energy(&sim)]
}

#[test]
fn energy_drifts_with_the_step_and_falls_with_viscosity() {
    for integrator in INTEGRATORS {
        let drift = |steps| {
            let [before, after] = energies(integrator, "artificial_viscosity_alpha = 0.0", steps);
            (after - before) / before
        };
        let (coarse, fine) = (drift(32), drift(128));
        assert!(coarse.abs() < 0.02 && fine.abs() < 0.4 * coarse.abs(), "{integrator}: {coarse:e} {fine:e}");
        let laminar = |model| format!("viscosity_model = \"{model}\"\ndynamic_viscosity = 0.05");
        for strong in ["artificial_viscosity_alpha = 0.5".into(), laminar("morris"), laminar("solenoidal")] {
            let [before, after] = energies(integrator, &strong, 128);
            assert!((after - before) / before < -4.0 * fine.abs(), "{integrator} {strong}: {before} {after}");
        }
    }
}

#[test]
fn a_sound_pulse_travels_with_the_sound_speed() {
    // A summed density bears no tension: the fluid is compressed by more than the pulse.
    for (solver, compression) in [("", 1.0), ("preset = \"graphics\"\nsupport_ratio = 2.5", 1.01)] {
        let mut sim = simulation::<2>(&format!(
            "spacing = 0.01\nrest_density = 1.0\ngravity = [0.0, 0.0]\nrun.end_time = 1.0\n\
             domain = {{ min = [0.0, 0.0], max = [1.0, 0.1], periodic = [\"x\", \"y\"] }}\n\
             [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 0.1] }}\n\
             [solver]\nname = \"wcsph\"\nsound_speed = 10.0\neos = \"linear\"\nartificial_viscosity_alpha = 0.0\n{solver}\n"
        ));
        // A pulse of velocity alone splits in two, which meet again after half a turn: cos(k c t) is its amplitude.
        let amplitude = |sim: &Simulation<2>| {
            let (x, v) = (&sim.state.fluid.x[0], &sim.state.fluid.v[0]);
            x.iter().zip(v).map(|(&x, &v)| v as f64 * (TAU * x as f64).sin()).sum::<f64>()
        };
        for i in 0..sim.state.fluid.len() {
            let s = (sim.state.fluid.x[0][i] as f64 - 0.25) / 0.1;
            sim.state.fluid.v[0][i] = (0.01 * (-s * s).exp()) as _;
        }
        sim.state.rest.m *= compression;
        sim.fixed_dt = Some(2.5e-4);
        let before = amplitude(&sim);
        // An eighth of a turn: cos(π/4), where the phase shows best.
        sim.run(0.0125, 50, &mut []).expect("a healthy run");
        let phase = (amplitude(&sim) / before).acos();
        assert!((phase / (TAU * 10.0 * 0.0125) - 1.0).abs() < 0.03, "{solver}: phase {phase}");
    }
}

/// Before the first step no acceleration is known but those from outside: a fluid that falls onto a center was moved by
/// many spacings.
#[test]
fn a_central_force_limits_the_first_step() {
    let (strength, spacing) = (400.0, 0.05);
    let mut sim = simulation::<2>(&format!(
        "spacing = {spacing}\nrun.end_time = 1.0\ngravity = [0.0, 0.0]\n\
         forces.central = {{ center = [0.0, 0.0], strength = {strength:?} }}\n\
         [[fluid]]\nshape.block = {{ min = [-0.5, -0.5], max = [0.5, 0.5] }}\n\
         [solver]\nname = \"wcsph\"\nsound_speed = 20.0\n"
    ));
    let reach = sim.state.fluid.x.iter().flatten().fold(0.0, |most: f64, &x| most.max(f64::from(x).abs()));
    let largest = strength * strength * reach * std::f64::consts::SQRT_2;
    let report = sim.step(1.0).expect("a healthy step");
    assert!(report.dt <= (spacing / largest).sqrt(), "{} s, at {largest} m/s²", report.dt);
}
