//! Bits that must not depend on the order of threads, nor on a restart.

use super::{
    common::{MODES, NAME, in_mode, with_order},
    solver::{bodies, faults, measures::scene, on_gpu::stirred, restarting::*, scenes::dam_break, ticking},
};
use sph_core::{method::stopwatch::NoClock, run::simulation::Simulation};

fn hash<const D: usize>(text: &str, order: u64, steps: u64) -> u64 {
    let run: Simulation<D> = with_order(&scene(text), order, Box::new(NoClock)).unwrap();
    let mut run = stirred(run);
    go(&mut run, steps);
    run.state.hash()
}

/// Everything that a step can have.
const ALL: &str = "spring_stiffness = 200.0\nyield_ratio = 0.02\n\
    plasticity = 40.0\nviscosity_linear = 5.0\nviscosity_quadratic = 1.0\nstick_stiffness = 300.0";
/// Springs that are made once.
const ONCE: &str = "spring_stiffness = 200.0\nspring_creation = \"at_start\"";

fn orders_agree<const D: usize>(text: &str, steps: u64) {
    let expected = hash::<D>(text, 0, steps);
    for order in [1, 7] {
        assert_eq!(hash::<D>(text, order, steps), expected, "order {order}\n{text}");
    }
}

#[test]
fn no_order_of_threads_matters() {
    for mode in MODES {
        for solver in ["", ALL, ONCE] {
            let solver = in_mode(mode, solver);
            orders_agree::<2>(&dam_break::<2>("standard", 0.05, "", &solver), 4);
            orders_agree::<3>(&dam_break::<3>("standard", 0.1, "", &solver), 2);
        }
    }
}

#[test]
fn no_order_of_threads_matters_to_walls_and_bodies() {
    for mode in MODES {
        let solver = in_mode(mode, ALL);
        orders_agree::<2>(&bodies::busy::<2>(&solver, ""), 2);
        orders_agree::<3>(&bodies::busy::<3>(&solver, ""), 1);
    }
}

#[test]
fn a_restart_goes_on_with_the_same_bits() {
    for mode in MODES {
        for solver in ["", ALL, ONCE] {
            restarts::<2>(&dam_break::<2>("standard", 0.05, "", &in_mode(mode, solver)), &[1, 4, 7]);
        }
        restarts::<3>(&dam_break::<3>("standard", 0.1, "", &in_mode(mode, ALL)), &[3]);
    }
}

#[test]
fn a_restart_in_the_midst_of_commands_and_moving_walls_goes_on_with_the_same_bits() {
    for mode in MODES {
        let solver = in_mode(mode, &format!("dt_max = 0.004\nstiffness = 315.0\n{ALL}"));
        restarts::<2>(&eventful("standard", "", &solver), &[45]);
    }
}

/// A restart with dynamic bodies goes on with the same bits, too.
#[test]
fn so_does_one_with_dynamic_bodies() {
    for mode in MODES {
        bodies::restarts::<2>(&bodies::busy::<2>(&in_mode(mode, ALL), ""), &[4]);
    }
    bodies::restarts::<3>(&bodies::busy::<3>(ALL, ""), &[2]);
}

#[test]
fn only_steps_are_timed() {
    let scene = faults::scene::<2>("", NAME, "");
    ticking::only_steps_are_timed::<2>(|clock| with_order(&scene, 0, clock));
}
