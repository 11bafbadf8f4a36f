//! Steps have the same bits for every number of threads and every instruction set.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
use crate::{
    common::{MODES, dam_break},
    solver::threads::*,
};

const ALL: &str = "spring_stiffness = 200.0\nviscosity_linear = 5.0\nviscosity_quadratic = 1.0\nplasticity = 5.0\n\
     stick_stiffness = 300.0";

#[test]
fn dam_break_2d() {
    for mode in MODES {
        same_for_threads_and_isas::<2>(&dam_break::<2>(
            "standard",
            0.01,
            "",
            &format!("relax_mode = \"{mode}\""),
        ));
    }
}

#[test]
fn dam_break_3d() {
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\n{ALL}");
        same_for_threads_and_isas::<3>(&dam_break::<3>("standard", 0.035, "", &solver));
    }
}

#[test]
fn moving_wall_springs_viscosity_skin_and_hash_grid() {
    let extra = "neighbors = { skin = 0.004, backend = \"hash_grid\" }";
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\n{ALL}\n{BELT}");
        same_for_threads_and_isas::<2>(&dam_break::<2>("standard", 0.01, extra, &solver));
    }
}

#[test]
fn periodic_box() {
    for mode in MODES {
        same_for_threads_and_isas::<2>(&format!(
            "spacing = 0.02\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
             domain = {{ min = [0.0, 0.0], max = [1.0, 0.7], periodic = [\"x\", \"y\"] }}\n\
             [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 0.7] }}\njitter = 0.2\n\
             [solver]\nname = \"viscoelastic\"\nstiffness = 10.0\nrelax_mode = \"{mode}\"\n{ALL}\n"
        ));
    }
}
