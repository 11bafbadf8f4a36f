//! Steps have the same bits for every number of threads and every instruction set.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{common::dam_break, solver::threads::*};

const PRESETS: [&str; 4] = ["standard", "fluid_demo", "flex", "accurate"];

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
fn moving_wall_with_everything_that_acts_on_velocities() {
    for update in ["first_order", "second_order"] {
        let solver = format!(
            "velocity_update = \"{update}\"\nvorticity_confinement = 0.02\n\
             cohesion = 0.1\nsurface_tension = 0.1\nadhesion = 0.1\n{BELT}"
        );
        same_for_threads_and_isas::<2>(&dam_break::<2>("standard", 0.01, "", &solver));
    }
}

#[test]
fn two_sided_constraint_with_poly6_and_spiky() {
    let solver = "kernel = \"poly6_spiky\"\nunilateral = false";
    same_for_threads_and_isas::<2>(&dam_break::<2>("standard", 0.01, "", solver));
    same_for_threads_and_isas::<3>(&dam_break::<3>("standard", 0.04, "", solver));
}

#[test]
fn verlet_skin_and_hash_grid() {
    let extra = "neighbors = { skin = 0.004, backend = \"hash_grid\" }";
    same_for_threads_and_isas::<2>(&dam_break::<2>("standard", 0.01, extra, ""));
    same_for_threads_and_isas::<2>(&dam_break::<2>("flex", 0.01, extra, ""));
}

#[test]
fn periodic_box() {
    same_for_threads_and_isas::<2>(
        "spacing = 0.02\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
         domain = { min = [0.0, 0.0], max = [1.0, 1.0], periodic = [\"x\", \"y\"] }\n\
         [[fluid]]\nshape.block = { min = [0.0, 0.0], max = [1.0, 1.0] }\njitter = 0.2\n\
         [solver]\nname = \"pbf\"\nvelocity_update = \"second_order\"\n",
    );
}
