//! Bits that must not depend on the order of threads, nor on a restart.

use super::{
    common::{NAME, with_order},
    solver::{
        bodies, faults,
        leaving::{box_follows, flight},
        measures::scene,
        on_gpu::stirred,
        restarting::*,
        scenes::dam_break,
        ticking,
    },
};
use solver_projection::simulation;
use sph_core::{method::stopwatch::NoClock, numerics::lane::Isa, run::simulation::Simulation};

fn hash<const D: usize>(text: &str, order: u64, steps: u64) -> u64 {
    let run: Simulation<D> = with_order(&scene(text), order, Box::new(NoClock)).unwrap();
    let mut run = stirred(run);
    go(&mut run, steps);
    run.state.hash()
}

const LEVELS: &str = "preconditioner = \"multilevel\"";

/// Everything that a step can have.
const ALL: &str = "dynamic_viscosity = 1.0\nparticle_shifting = 0.1";

fn orders_agree<const D: usize>(text: &str, steps: u64) {
    let expected = hash::<D>(text, 0, steps);
    for order in [1, 7] {
        assert_eq!(hash::<D>(text, order, steps), expected, "order {order}\n{text}");
    }
}

#[test]
fn no_order_of_threads_matters() {
    for (preset, solver) in
        [("consistent", ""), ("consistent", LEVELS), ("consistent", ALL), ("peridyno_compat", "")]
    {
        orders_agree::<2>(&dam_break::<2>(preset, 0.05, "", solver), 3);
        orders_agree::<3>(&dam_break::<3>(preset, 0.1, "", solver), 2);
    }
}

#[test]
fn no_order_of_threads_matters_to_walls_and_bodies() {
    orders_agree::<2>(&bodies::busy::<2>(ALL, ""), 2);
    orders_agree::<3>(&bodies::busy::<3>("", ""), 1);
}

#[test]
fn a_restart_goes_on_with_the_same_bits() {
    for (preset, solver) in
        [("consistent", ""), ("consistent", LEVELS), ("consistent", ALL), ("peridyno_compat", "")]
    {
        restarts::<2>(&dam_break::<2>(preset, 0.05, "", solver), &[1, 4]);
    }
    restarts::<3>(&dam_break::<3>("consistent", 0.1, "", ALL), &[2]);
}

#[test]
fn a_restart_in_the_midst_of_commands_and_moving_walls_goes_on_with_the_same_bits() {
    restarts::<2>(&eventful("consistent", "", "dt_max = 0.004"), &[45]);
}

/// A restart with dynamic bodies goes on with the same bits, too.
#[test]
fn so_does_one_with_dynamic_bodies() {
    bodies::restarts::<2>(&(bodies::busy::<2>(ALL, "") + bodies::PULL), &[2]);
}

/// The box of cells follows what leaves it, and the levels of the preconditioner are fitted with it. A few iterations are enough.
#[test]
fn the_box_of_cells_follows_what_leaves_it() {
    let text = flight::<2>("consistent", "cg_max_iter = 3");
    let on_cpu = simulation::<2>(&scene(&text), Isa::best(), Box::new(NoClock)).unwrap();
    box_follows::<2>(&text, on_cpu, 300, 1e6);
}

#[test]
fn only_steps_are_timed() {
    let scene = faults::scene::<2>("", NAME, "");
    ticking::only_steps_are_timed::<2>(|clock| with_order(&scene, 0, clock));
}
