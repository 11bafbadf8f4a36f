//! A number that is not finite is found in the phase that made it.

use crate::{
    common::{NAME, make},
    solver::{faults::*, ticking},
};
use solver_projection::Projection;
use sph_core::numerics::lane::Isa;

fn cases<const D: usize>() -> Vec<Case<Projection<D>, D>> {
    vec![
        ("move_walls", "wall position", |_, state, b, bad| state.walls.x[0][b] = bad),
        ("move_walls", "wall velocity", |_, state, b, bad| state.walls.v[D - 1][b] = bad),
        ("compute_alpha", "sum of weights", |s, _, i, bad| s.fields.moments[i].alpha = bad),
        ("compute_alpha", "density", |_, state, i, bad| state.fluid.rho[i] = bad),
        ("assemble_matrix", "divergence", |s, _, i, bad| s.fields.sums[i].divergence = bad),
        ("build_right_hand_side", "right-hand side", |s, _, i, bad| s.fields.equation.b[i] = bad),
        ("solve_pressure", "pressure", |s, _, i, bad| {
            s.fields.p[i] = bad;
            s.fields.record[i][7] = bad;
        }),
        // Velocities are changed in place, and whoever changes them looks at once: behind the last of them drift looks.
        ("apply_viscosity", "velocity", |_, state, i, bad| state.fluid.v[D - 1][i] = bad),
        ("update_positions", "position", |_, state, i, bad| state.fluid.x[D - 1][i] = bad),
        ("update_positions", "velocity", |_, state, i, bad| state.fluid.v[0][i] = bad),
    ]
}

fn check<const D: usize>(solver: &str, calls: &[u32]) {
    let is_last = |phase: &str, _| phase == "update_positions";
    every_phase_is_named(make::<D>, &scene::<D>("", NAME, solver), &cases::<D>(), calls, is_last);
}

#[test]
fn every_phase_is_named_by_either_gradient() {
    check::<2>("", &[0, 3]);
    check::<2>("preset = \"peridyno_compat\"", &[2]);
}

#[test]
fn every_phase_is_named_with_viscosity_and_levels_in_3d() {
    check::<3>("dynamic_viscosity = 1.0\npreconditioner = \"multilevel\"", &[2]);
}

#[test]
fn only_steps_are_timed() {
    let scene = scene::<2>("", NAME, "");
    ticking::only_steps_are_timed(|clock| make::<2>(&scene, Isa::best(), clock));
}
