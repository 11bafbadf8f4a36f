//! A run that goes wrong stops at once and says when, where and why; it never panics.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
mod common;

use common::{dam_break, norm, simulation, vectors};
use sph_core::{
    Real,
    simulation::Simulation,
    solver::{Cause, StepError},
};

/// Runs for a few steps, has one particle spoilt, and gives its id and the error of the next eight steps.
fn spoilt<const D: usize>(
    text: &str,
    steps: u64,
    spoil: impl Fn(&mut Simulation<D>, usize),
) -> (u64, Option<StepError>) {
    let mut sim = simulation::<D>(text);
    sim.run(10.0, steps, &mut []).expect("a healthy run");
    let i = sim.state.fluid.len() / 2;
    let id = sim.state.fluid.id[i];
    let x = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    spoil(&mut sim, i);
    let error = sim.run(10.0, steps + 8, &mut []).err();
    if let Some(error) = &error {
        assert_eq!((error.step, error.t.to_bits()), (sim.state.step, sim.state.t.to_bits()), "{error}");
        let found = error.particle.unwrap_or_else(|| panic!("{error} names no particle"));
        // A neighbor may be reported instead: one support for the forces, one for density and walls.
        let distance = norm::<D>(&std::array::from_fn(|a| x[found as usize][a] - x[id as usize][a]));
        let reach = 2.0 * f64::from(sim.solver.support_radius());
        assert!(distance <= reach, "{error}: {distance} m away");
    }
    (id, error)
}

fn is_found<const D: usize>(text: &str, phases: &[&str], spoil: impl Fn(&mut Simulation<D>, usize) + Copy) {
    for steps in [0, 3] {
        let (_, error) = spoilt(text, steps, spoil);
        let error = error.unwrap_or_else(|| panic!("not found after {steps} steps\n{text}"));
        assert!(phases.contains(&error.phase), "{error}");
        assert!(matches!(error.cause, Cause::NotFinite { .. }), "{error}");
    }
}

fn nan_is_found<const D: usize>(spacing: f64) {
    for preset in ["validation", "graphics"] {
        for integrator in ["velocity_verlet", "symplectic_euler"] {
            let text = dam_break::<D>(preset, spacing, "", &format!("integrator = \"{integrator}\""));
            let phases = ["kick", "drift", "compute_density", "compute_acceleration"];
            for a in 0..D {
                is_found::<D>(&text, &["drift"], |sim, i| sim.state.fluid.x[a][i] = Real::NAN);
                is_found::<D>(&text, &phases, |sim, i| sim.state.fluid.v[a][i] = Real::NAN);
            }
            // A summed density is computed anew, so only an evolved one can be spoilt.
            if preset == "validation" {
                is_found::<D>(&text, &phases, |sim, i| sim.state.fluid.rho[i] = Real::NAN);
            }
        }
    }
}

#[test]
fn nan_in_any_field_is_found_2d() {
    nan_is_found::<2>(0.05);
}

#[test]
fn nan_in_any_field_is_found_3d() {
    nan_is_found::<3>(0.1);
}

#[test]
fn an_absurd_step_is_found() {
    for preset in ["validation", "graphics"] {
        for dt in [1e2, 1e12, 1e30] {
            let text = dam_break::<2>(preset, 0.05, &format!("run.time_step = {dt:?}"), "");
            let mut sim = simulation::<2>(&text);
            let error = sim.run(1e33, 8, &mut []).expect_err("cannot go well");
            assert!(error.step < 8 && error.particle.is_some(), "{error}");
            assert!(
                matches!(error.phase, "kick" | "drift" | "compute_density" | "compute_acceleration"),
                "{error}"
            );
        }
    }
}

#[test]
fn an_escape_is_found() {
    for integrator in ["velocity_verlet", "symplectic_euler"] {
        let text = dam_break::<2>("validation", 0.05, "", &format!("integrator = \"{integrator}\""));
        let mut sim = simulation::<2>(&text);
        let far = sim.state.domain.high[0];
        let id = sim.state.fluid.id[7];
        sim.state.fluid.x[0][7] = 0.999 * far;
        sim.state.fluid.v[0][7] = 1e3;
        let error = sim.run(10.0, 8, &mut []).expect_err("it left");
        let Cause::Escaped { x, speed } = &error.cause else { panic!("{error}") };
        assert_eq!((error.phase, error.particle), ("drift", Some(id)));
        assert!(x[0] > f64::from(far) && (speed - 1e3).abs() < 1.0, "{error}");
    }
}

#[test]
fn the_floor_of_the_step_is_kept() {
    let text = dam_break::<2>("validation", 0.05, "", "dt_min = 1e-3");
    let mut sim = simulation::<2>(&text);
    let error = sim.run(10.0, 8, &mut []).expect_err("sound asks for less");
    let Cause::StepTooSmall { dt, floor } = error.cause else { panic!("{error}") };
    assert!(dt < floor && (floor - 1e-3).abs() < 1e-9, "{error}");
    assert_eq!((error.step, error.phase), (0, "max_dt"));
}
