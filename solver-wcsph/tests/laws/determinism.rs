//! Steps have the same bits for every number of threads and every instruction set.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{common::dam_break, solver::threads::*};

#[test]
fn dam_break_2d() {
    for preset in ["validation", "graphics"] {
        same_for_threads_and_isas::<2>(&dam_break::<2>(preset, 0.01, "", ""));
    }
}

#[test]
fn dam_break_3d() {
    for preset in ["validation", "graphics"] {
        same_for_threads_and_isas::<3>(&dam_break::<3>(preset, 0.035, "", ""));
    }
}

#[test]
fn moving_wall_with_shifting() {
    let solver = format!(
        "regularization = \"shifting\"\nviscosity_model = \"morris\"\ndynamic_viscosity = 1e-3\n{BELT}"
    );
    same_for_threads_and_isas::<2>(&dam_break::<2>("validation", 0.01, "", &solver));
}

#[test]
fn verlet_skin_and_hash_grid() {
    let extra = "neighbors = { skin = 0.004, backend = \"hash_grid\" }";
    same_for_threads_and_isas::<2>(&dam_break::<2>("validation", 0.01, extra, ""));
    same_for_threads_and_isas::<2>(&dam_break::<2>(
        "graphics",
        0.01,
        extra,
        "cohesion = 0.1\nsurface_tension = 0.1\nadhesion = 0.1",
    ));
}

#[test]
fn periodic_shear_box() {
    for viscosity in ["morris", "solenoidal"] {
        same_for_threads_and_isas::<2>(&format!(
            "spacing = 0.02\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
             domain = {{ min = [0.0, 0.0], max = [1.0, 1.0], periodic = [\"x\", \"y\"] }}\n\
             [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 1.0] }}\njitter = 0.2\n\
             [solver]\nname = \"wcsph\"\nsound_speed = 10.0\nviscosity_model = \"{viscosity}\"\ndynamic_viscosity = 1.0\n\
             integrator = \"symplectic_euler\"\n"
        ));
    }
}
