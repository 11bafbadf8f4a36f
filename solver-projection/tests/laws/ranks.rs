//! Steps have the same bits for every number of ranks.
use crate::{
    common::{ALL, PRESETS, dam_break},
    solver::{
        bodies::{PULL, busy},
        ranks::*,
        threads::BELT,
    },
    voids::flat,
};

#[test]
fn dams_break_alike_on_any_number_of_ranks() {
    for preset in PRESETS {
        same_on_ranks::<2>(&dam_break::<2>(preset, 0.02, "", ""), 12);
        same_on_ranks::<3>(&dam_break::<3>(preset, 0.06, "", ""), 4);
    }
}

#[test]
fn so_do_viscosity_and_moving_walls_and_hashed_cells() {
    let solver = format!("{ALL}\n{BELT}");
    same_on_ranks::<2>(&dam_break::<2>("consistent", 0.02, OBLIQUE, &solver), 10);
    let morris = "dynamic_viscosity = 1.0\nviscosity_model = \"morris\"\npreconditioner = \"diagonal\"";
    same_on_ranks::<2>(&dam_break::<2>("consistent", 0.02, "", morris), 10);
}

/// The pressure finds voids from the second step on.
#[test]
fn so_does_fluid_that_lands_flat() {
    same_on_ranks::<2>(&flat::<2>(0.02, 0.8, 0.8), 20);
}

/// Without a surface the pressure is open up to a constant; cells of the periods are odd and even in number.
#[test]
fn so_do_full_periods() {
    // Three cells an axis: whoever is beside on one side is so on the other, too.
    for (n, long) in [(8, 4.0), (22, 1.0), (24, 1.0)] {
        let spacing = 1.0 / f64::from(n);
        same_on_ranks::<2>(
            &format!(
                "spacing = {spacing:?}\ngravity = [0.0, 0.0]\nrest_density = 1.0\nrun.end_time = 10.0\nflow = \"closed\"\n\
                 domain = {{ min = [0.0, 0.0], max = [1.0, {long:?}], periodic = [\"x\", \"y\"] }}\n\
                 [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, {long:?}] }}\njitter = 0.1\n\
                 [solver]\nname = \"projection\"\ndynamic_viscosity = 0.01\n"
            ),
            8,
        );
    }
}

#[test]
fn so_do_dynamic_bodies() {
    for solver in [
        "dynamic_viscosity = 10.0\nxsph_viscosity = 0.3",
        "viscosity_model = \"morris\"\ndynamic_viscosity = 10.0",
    ] {
        same_on_ranks::<2>(&(busy::<2>(solver, "") + PULL), 8);
    }
    same_on_ranks::<3>(&busy::<3>("", ""), 3);
}

#[test]
fn so_do_surfaces_with_the_difference_gradient() {
    same_on_ranks::<2>(&dam_break::<2>("closed", 0.02, "", ""), 20);
}

#[test]
fn so_do_commands() {
    commands_are_the_same("consistent", "");
}

#[test]
fn a_collapse_is_cut_anew() {
    a_new_cut_changes_no_bit(&dam_break::<2>("consistent", 0.03, "", ""), 200);
}

#[test]
fn checkpoints_go_on_with_other_ranks() {
    restarts_on_other_ranks::<2>(&dam_break::<2>("consistent", 0.02, "", ALL), 10);
}

#[test]
fn a_failure_is_told_as_on_one_rank() {
    failures_are_told_on_ranks(&dam_break::<2>("consistent", 0.02, "", ""));
}

#[test]
fn a_rank_that_is_gone_ends_the_run() {
    a_lost_rank_ends_the_run(&dam_break::<2>("consistent", 0.04, "", ""));
}
