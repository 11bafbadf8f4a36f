//! Steps have the same bits for every number of ranks.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
use crate::{
    common::*,
    solver::{
        bodies::{PULL, busy},
        ranks::*,
        restarting::go,
        threads::BELT,
    },
    springs::springs,
};

const JACOBI: &str = "relax_mode = \"jacobi\"";

/// Springs that flow, with impulses and stickiness.
fn sticky() -> String {
    format!(
        "{JACOBI}\nspring_stiffness = 200.0\nplasticity = 5.0\nviscosity_linear = 5.0\nviscosity_quadratic = 1.0\n\
         stick_stiffness = 300.0"
    )
}

#[test]
fn dams_break_alike_on_any_number_of_ranks() {
    for solver in [JACOBI.to_owned(), sticky()] {
        same_on_ranks::<2>(&dam_break::<2>("standard", 0.02, "", &solver), 60);
        same_on_ranks::<3>(&dam_break::<3>("standard", 0.05, "", &solver), 15);
    }
}

#[test]
fn so_do_moving_walls_and_hashed_cells() {
    let solver = format!("{}\n{BELT}", sticky());
    same_on_ranks::<2>(&dam_break::<2>("standard", 0.02, OBLIQUE, &solver), 40);
}

#[test]
fn so_do_dynamic_bodies() {
    same_on_ranks::<2>(&(busy::<2>(&sticky(), "") + PULL), 30);
    same_on_ranks::<3>(&busy::<3>(JACOBI, ""), 10);
}

/// An elastic body whose halves fly apart: springs between them end far beyond the cells around, some at particles that have
/// been taken out.
#[test]
fn so_do_springs_to_particles_that_are_far_away() {
    let half = |from: f64, v: f64| {
        format!(
            "[[fluid]]\nshape.block = {{ min = [{from:?}, 0.0], max = [{:?}, 0.6] }}\njitter = 0.1\n\
             velocity.uniform = [{v:?}, 0.2]\n",
            from + 0.5
        )
    };
    let text = format!(
        "spacing = 0.04\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n{}{}[solver]\nname = \"viscoelastic\"\n{JACOBI}\n\
         stiffness = 0.1\nspring_stiffness = 2.0\nplasticity = 0.0\nspring_creation = \"at_start\"\n\
         [[command]]\nstep = 20\ndrain = {{ name = \"sink\", shape.ball = {{ center = [0.7, 0.3], radius = 0.1 }} }}\n\
         [[command]]\nstep = 22\nclose = \"sink\"\n",
        half(0.0, -1.0),
        half(0.5, 1.0)
    );
    const STEPS: u64 = 60;
    same_on_ranks::<2>(&text, STEPS);
    let mut run = simulation::<2>(&text);
    go(&mut run, STEPS);
    let (h, ends) = (f64::from(run.solver.support_radius()), springs(&mut run));
    let fluid = &run.state.fluid;
    let x = |id: u64| {
        let i = fluid.id.iter().position(|&found| found == id).expect("it is there");
        f64::from(fluid.x[0][i])
    };
    let longest = ends.iter().map(|([a, b], _)| x(*a) - x(*b)).fold(0.0, f64::max);
    assert!(longest > 3.0 * h, "{longest} m: no spring is longer than a rank sees");
}

/// Those of a tank on which fluid lies, and at which it pulls.
#[test]
fn so_do_measured_forces() {
    let solver = format!("{}\n[[measure]]\nname = \"load\"\nforce = {{ on = \"wall[0]\" }}", sticky());
    same_on_ranks::<2>(&dam_break::<2>("standard", 0.02, "", &solver), 40);
}

#[test]
fn so_do_commands() {
    commands_are_the_same("standard", &sticky());
}

#[test]
fn a_collapse_is_cut_anew() {
    a_new_cut_changes_no_bit(&dam_break::<2>("standard", 0.02, "", &sticky()), 250);
}

#[test]
fn checkpoints_go_on_with_other_ranks() {
    restarts_on_other_ranks::<2>(&dam_break::<2>("standard", 0.02, "", &sticky()), 20);
    restarts_on_other_ranks::<3>(&dam_break::<3>("standard", 0.05, "", &sticky()), 6);
}

#[test]
fn a_failure_is_told_as_on_one_rank() {
    failures_are_told_on_ranks(&dam_break::<2>("standard", 0.02, "", JACOBI));
}

/// From the start on, and by a command.
#[test]
fn what_goes_in_turns_is_refused() {
    for mode in ["sequential", "colored"] {
        let text = dam_break::<2>("standard", 0.04, "", &format!("relax_mode = \"{mode}\""));
        assert!(refusal_on_ranks(&text, 2).contains("solver.relax_mode"));
    }
    let change = "[[command]]\nstep = 2\nset = { key = \"solver.relax_mode\", value = \"colored\" }\n";
    let text = dam_break::<2>("standard", 0.04, "", JACOBI) + change;
    assert!(refusal_on_ranks(&text, 2).contains("command[0].set.value: cannot be had on several ranks"));
}
