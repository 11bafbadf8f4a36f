//! Steps have the same bits for every number of ranks.
use crate::{
    common::dam_break,
    solver::{ranks::*, threads::BELT},
};

#[test]
fn dams_break_alike_on_any_number_of_ranks() {
    for preset in ["validation", "graphics"] {
        same_on_ranks::<2>(&dam_break::<2>(preset, 0.02, "", ""), 60);
        same_on_ranks::<3>(&dam_break::<3>(preset, 0.05, "", ""), 25);
    }
}

#[test]
fn so_do_shifting_and_surface_terms_and_hashed_cells_under_oblique_gravity() {
    let shifting = format!("regularization = \"shifting\"\n{BELT}");
    same_on_ranks::<2>(&dam_break::<2>("validation", 0.02, "", &shifting), 40);
    let surface = "cohesion = 0.1\nsurface_tension = 0.1\nadhesion = 0.1";
    same_on_ranks::<2>(&dam_break::<2>("graphics", 0.02, OBLIQUE, surface), 40);
    let extra = "neighbors.backend = \"hash_grid\"";
    same_on_ranks::<3>(&dam_break::<3>("graphics", 0.05, extra, surface), 10);
}

/// Jittered fluid in a box of `n` particles an axis, periodic along some axes.
fn periodic(dim: usize, n: usize, axes: &str, jitter: f64) -> String {
    let corner = |x: &str| format!("[{}]", vec![x; dim].join(", "));
    let (low, high) = (corner("0.0"), corner("1.0"));
    format!(
        "dim = {dim}\nspacing = {:?}\ngravity = {low}\nrun.end_time = 10.0\n\
         domain = {{ min = {low}, max = {high}, periodic = {axes} }}\n\
         [[fluid]]\nshape.block = {{ min = {low}, max = {high} }}\njitter = {jitter:?}\n\
         [solver]\nname = \"wcsph\"\nsound_speed = 10.0\nviscosity_model = \"solenoidal\"\ndynamic_viscosity = 1.0\n",
        1.0 / n as f64
    )
}

#[test]
fn so_do_periodic_axes() {
    same_on_ranks::<2>(&periodic(2, 20, "[\"x\", \"y\"]", 0.2), 40);
    same_on_ranks::<3>(&periodic(3, 20, "[\"x\", \"z\"]", 0.2), 8);
    // Three cells an axis: whoever is beside on one side is so on the other, too.
    same_on_ranks::<3>(&periodic(3, 10, "[\"x\", \"y\", \"z\"]", 0.2), 20);
}

/// Of a step by symplectic Euler with a summed density, which is what ghosts get besides.
#[test]
fn bytes_sent_follow_the_formula() {
    let text = periodic(3, 20, "[\"x\", \"y\", \"z\"]", 0.01);
    bytes_follow_the_formula(
        &format!("{text}density = \"summation\"\ndelta_sph = 0.0\nintegrator = \"symplectic_euler\"\n"),
        1,
    );
}

#[test]
fn so_do_commands() {
    commands_are_the_same("validation", "");
}

#[test]
fn a_collapse_is_cut_anew() {
    a_new_cut_changes_no_bit(&dam_break::<2>("validation", 0.02, "", ""), 900);
}

/// A tank that swings, with a plate above the fluid, and a measure of each kind that reads a part of the fluid.
const MEASURED: &str = "spacing = 0.02\nrun.end_time = 10.0\n\
    domain = { min = [-1.0, -4.0], max = [1.4, 4.0] }\n\
    [[fluid]]\nshape.block = { min = [0.0, 0.0], max = [0.4, 0.3] }\n\
    [[wall]]\nname = \"tank\"\nshape.block = { min = [0.0, 0.0], max = [0.4, 2.0] }\n\
    faces = [\"x_min\", \"x_max\", \"y_min\"]\nlayers = 2\n\
    motion.oscillation = { amplitude = [0.02, 0.0], frequency = 3.0 }\n\
    [[wall]]\nshape.block = { min = [0.05, 0.35], max = [0.35, 0.37] }\nside = \"outside\"\nlayers = 1\n\
    [[measure]]\nname = \"pressure\"\ninterval = 0.002\nprobe = { at = [0.1, 0.1], field = \"pressure\" }\n\
    [[measure]]\nname = \"profile\"\ninterval = 0.005\n\
    profile = { from = [0.0, 0.05], to = [0.4, 0.2], points = 9, field = \"velocity\" }\n\
    [[measure]]\nname = \"level\"\ninterval = 0.003\ngauge = { from = [0.3, 0.0], to = [0.3, 0.6] }\n\
    [[measure]]\nname = \"flow\"\ninterval = 0.002\nflow = { at = [0.2, 0.0], normal = [1, 0] }\n\
    [[measure]]\nname = \"force\"\ninterval = 0.004\nforce = { on = \"tank\" }\n\
    [[measure]]\nname = \"steps\"\ninterval = 0.004\ntotals = [\"particles\", \"density_error\", \"time_step\"]\n\
    [solver]\nname = \"wcsph\"\n";

#[test]
fn what_looks_at_a_run_finds_the_same() {
    looks_are_the_same(MEASURED, 300);
}

#[test]
fn checkpoints_go_on_with_other_ranks() {
    restarts_on_other_ranks::<2>(&dam_break::<2>("validation", 0.02, "", ""), 20);
    restarts_on_other_ranks::<3>(&dam_break::<3>("graphics", 0.05, "", ""), 8);
}

#[test]
fn recoveries_go_back_alike() {
    let extra = "run.time_step = 0.003\nrun.on_failure = \"reduce_dt\"\nrun.snapshot_every = 10\nrun.max_retries = 10";
    recoveries_are_the_same(&dam_break::<2>("validation", 0.04, extra, ""), 120);
}

#[test]
fn a_failure_is_told_as_on_one_rank() {
    failures_are_told_on_ranks(&dam_break::<2>("validation", 0.02, "", ""));
}

#[test]
fn a_rank_that_is_gone_ends_the_run() {
    a_lost_rank_ends_the_run(&dam_break::<2>("validation", 0.04, "", ""));
}

#[test]
fn a_rank_that_hangs_is_named() {
    a_hung_rank_ends_the_run(&dam_break::<2>("validation", 0.04, "", ""));
}

#[test]
fn what_one_rank_alone_can_do_is_refused() {
    what_ranks_cannot_do_is_refused(|extra| dam_break::<2>("validation", 0.04, extra, ""));
}
