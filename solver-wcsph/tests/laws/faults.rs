//! A number that is not finite is found in the phase that made it.

use crate::{
    common::{NAME, make},
    solver::{faults::*, ticking},
};
use solver_wcsph::Wcsph;
use sph_core::numerics::lane::Isa;

fn cases<const D: usize>(solver: &str) -> Vec<Case<Wcsph<D>, D>> {
    let mut cases: Vec<Case<Wcsph<D>, D>> = vec![
        ("move_walls", "wall position", |_, state, b, bad| state.walls.x[0][b] = bad),
        ("move_walls", "wall velocity", |_, state, b, bad| state.walls.v[D - 1][b] = bad),
        ("compute_density", "density", |_, state, i, bad| state.fluid.rho[i] = bad),
        ("compute_pressure", "pressure", |s, _, i, bad| {
            s.fields.p[i] = bad;
            s.fields.record[i][3] = bad;
        }),
        ("compute_acceleration", "acceleration", |s, _, i, bad| s.fields.a[0][i] = bad),
        ("compute_acceleration", "acceleration", |s, _, i, bad| s.fields.a[D - 1][i] = bad),
        ("kick", "velocity", |_, state, i, bad| state.fluid.v[D - 1][i] = bad),
        ("drift", "position", |_, state, i, bad| state.fluid.x[0][i] = bad),
    ];
    // Only some methods have these.
    if solver.contains("regularization") {
        let drift = "compute_drift_correction";
        cases.push((drift, "drift correction", |s, _, i, bad| s.fields.w[D - 1][i] = bad));
    }
    if !solver.contains("graphics") {
        let walls = "wall pressure or velocity";
        cases.push(("extrapolate_to_walls", walls, |s, _, b, bad| s.fields.wall_record[b][3] = bad));
    }
    cases
}

const SHIFTING: &str = "regularization = \"shifting\"";

fn check<const D: usize>(solver: &str, calls: &[u32]) {
    let euler = solver.contains("symplectic_euler") || solver.contains("graphics");
    let is_last = |phase: &str, call| if euler { phase == "drift" } else { phase == "kick" && call % 2 == 1 };
    every_phase_is_named(make::<D>, &scene::<D>("", NAME, solver), &cases(solver), calls, is_last);
}

#[test]
fn every_phase_is_named_by_either_integrator_and_density() {
    for integrator in ["velocity_verlet", "symplectic_euler"] {
        for density in ["continuity\"", "summation\"\ndelta_sph = 0.0"] {
            check::<2>(&format!("integrator = \"{integrator}\"\ndensity = \"{density}\n{SHIFTING}"), &[0, 3]);
        }
    }
}

#[test]
fn every_phase_is_named_by_either_preset_in_3d() {
    check::<3>(SHIFTING, &[2]);
    check::<3>(&format!("preset = \"graphics\"\n{SHIFTING}"), &[2]);
}

#[test]
fn only_steps_are_timed() {
    let scene = scene::<2>("", NAME, "");
    ticking::only_steps_are_timed(|clock| make::<2>(&scene, Isa::best(), clock));
}
