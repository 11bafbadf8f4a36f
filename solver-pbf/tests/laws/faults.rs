//! A number that is not finite is found in the phase that made it.

use crate::{
    common::{NAME, make},
    solver::{faults::*, ticking},
};
use solver_pbf::Pbf;
use sph_core::numerics::lane::Isa;

fn cases<const D: usize>() -> Vec<Case<Pbf<D>, D>> {
    vec![
        ("move_walls", "wall position", |_, state, b, bad| state.walls.x[0][b] = bad),
        ("move_walls", "wall velocity", |_, state, b, bad| state.walls.v[D - 1][b] = bad),
        ("predict_positions", "position", |_, state, i, bad| state.fluid.x[0][i] = bad),
        ("predict_positions", "velocity", |_, state, i, bad| state.fluid.v[D - 1][i] = bad),
        ("compute_lambda", "lambda", |s, _, i, bad| {
            s.fields.lambda[i] = bad;
            s.fields.x_lambda[i][3] = bad;
        }),
        ("compute_delta_x", "position correction", |s, _, i, bad| s.fields.delta[i][D - 1] = bad),
        ("apply_delta_x", "position", |s, _, i, bad| s.fields.x_star[i][0] = bad),
        ("compute_density", "density", |_, state, i, bad| state.fluid.rho[i] = bad),
        ("update_velocities", "velocity", |_, state, i, bad| state.fluid.v[0][i] = bad),
        ("apply_vorticity_and_xsph", "velocity", |_, state, i, bad| state.fluid.v[D - 1][i] = bad),
        ("update_positions", "position", |_, state, i, bad| state.fluid.x[D - 1][i] = bad),
        ("update_positions", "velocity", |_, state, i, bad| state.fluid.v[0][i] = bad),
    ]
}

fn check<const D: usize>(solver: &str, calls: &[u32]) {
    // Each phase runs at least once a substep, and iterations are never cut short.
    let solver = format!("substeps = 1\nmin_iterations = 3\nsolver_iterations = 3\n{solver}");
    let is_last = |phase: &str, _| phase == "update_positions";
    every_phase_is_named(make::<D>, &scene::<D>("", NAME, &solver), &cases::<D>(), calls, is_last);
}

#[test]
fn every_phase_is_named_with_either_update() {
    for update in ["first_order", "second_order"] {
        check::<2>(&format!("velocity_update = \"{update}\""), &[0, 3]);
    }
}

#[test]
fn every_phase_is_named_with_vorticity_and_poly6_in_3d() {
    check::<3>("kernel = \"poly6_spiky\"\nvorticity_confinement = 0.1\nxsph_viscosity = 0.0", &[2]);
}

#[test]
fn only_steps_are_timed() {
    let scene = scene::<2>("", NAME, "");
    ticking::only_steps_are_timed(|clock| make::<2>(&scene, Isa::best(), clock));
}
