//! Steps have the same bits for every number of ranks.
use crate::{
    common::dam_break,
    solver::{ranks::*, threads::BELT},
};

/// Presets, with what acts on velocities and needs more of the neighbors.
const SOLVERS: [&str; 3] = [
    "density_tolerance = 0.02",
    "substeps = 2\nvorticity_confinement = 0.05",
    "velocity_update = \"second_order\"\ncohesion = 0.1\nsurface_tension = 0.1\nadhesion = 0.1",
];

#[test]
fn dams_break_alike_on_any_number_of_ranks() {
    for solver in SOLVERS {
        same_on_ranks::<2>(&dam_break::<2>("standard", 0.02, "", solver), 40);
        same_on_ranks::<3>(&dam_break::<3>("standard", 0.05, "", solver), 10);
    }
    let extra = format!("{OBLIQUE}\nforces.central = {{ center = [0.3, 0.1], strength = 5.0 }}");
    same_on_ranks::<2>(&dam_break::<2>("standard", 0.02, &extra, BELT), 40);
}

#[test]
fn so_do_commands() {
    commands_are_the_same("standard", "");
}

/// With a history of particles that go over to a rank that had none.
#[test]
fn a_collapse_is_cut_anew() {
    a_new_cut_changes_no_bit(&dam_break::<2>("standard", 0.02, "", SOLVERS[2]), 250);
}

#[test]
fn checkpoints_go_on_with_other_ranks() {
    restarts_on_other_ranks::<2>(&dam_break::<2>("standard", 0.02, "", SOLVERS[2]), 20);
}
