//! Steps have the same bits for every number of threads and every instruction set.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
use crate::{
    common::{ALL, PRESETS, dam_break},
    solver::threads::*,
    voids::flat,
};

#[test]
fn dam_break_2d() {
    for preset in PRESETS {
        same_for_threads_and_isas::<2>(&dam_break::<2>(preset, 0.01, "", ""));
    }
}

#[test]
fn dam_break_3d() {
    for preset in PRESETS {
        same_for_threads_and_isas::<3>(&dam_break::<3>(preset, 0.035, "", ""));
    }
}

#[test]
fn moving_wall_with_everything_skin_and_hash_grid() {
    let extra = "neighbors = { skin = 0.004, backend = \"hash_grid\" }";
    let solver = format!("{ALL}\n{BELT}");
    same_for_threads_and_isas::<2>(&dam_break::<2>("consistent", 0.01, extra, &solver));
}

/// The pressure finds voids from the second step on.
#[test]
fn fluid_that_lands_flat() {
    same_for_threads_and_isas::<2>(&flat::<2>(0.01, 0.8, 0.8));
    same_for_threads_and_isas::<3>(&flat::<3>(0.05, 0.8, 0.8));
}

#[test]
fn full_period() {
    same_for_threads_and_isas::<2>(
        "spacing = 0.02\ngravity = [0.0, 0.0]\nrest_density = 1.0\nrun.end_time = 10.0\n\
         domain = { min = [0.0, 0.0], max = [1.0, 1.0], periodic = [\"x\", \"y\"] }\n\
         [[fluid]]\nshape.block = { min = [0.0, 0.0], max = [1.0, 1.0] }\n\
         velocity.taylor_green = { speed = 1.0, length = 1.0 }\njitter = 0.1\n\
         [solver]\nname = \"projection\"\ndynamic_viscosity = 0.01\n",
    );
}
