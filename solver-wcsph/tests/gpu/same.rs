//! Bits that must not depend on the order of threads, nor on a restart.

use super::{
    common::{NAME, with_order},
    solver::{
        faults,
        leaving::{box_follows, flight},
        measures::scene,
        on_gpu::stirred,
        restarting::*,
        scenes::dam_break,
        ticking,
    },
};
use solver_wcsph::simulation;
use sph_core::{method::stopwatch::NoClock, numerics::lane::Isa, run::simulation::Simulation};

fn hash<const D: usize>(text: &str, order: u64) -> u64 {
    let run: Simulation<D> = with_order(&scene(text), order, Box::new(NoClock)).unwrap();
    let mut run = stirred(run);
    go(&mut run, 5);
    run.state.hash()
}

#[test]
fn no_order_of_threads_matters() {
    for solver in ["", "density = \"summation\"\ndelta_sph = 0.0\nregularization = \"shifting\""] {
        let two = dam_break::<2>("validation", 0.05, "", solver);
        let three = dam_break::<3>("validation", 0.1, "", solver);
        for order in [1, 7] {
            assert_eq!(hash::<2>(&two, order), hash::<2>(&two, 0), "order {order}\n{two}");
            assert_eq!(hash::<3>(&three, order), hash::<3>(&three, 0), "order {order}\n{three}");
        }
    }
}

#[test]
fn a_restart_goes_on_with_the_same_bits() {
    for solver in ["", "integrator = \"symplectic_euler\"", "regularization = \"shifting\""] {
        restarts::<2>(&dam_break::<2>("validation", 0.05, "", solver), &[1, 10]);
    }
    restarts::<3>(&dam_break::<3>("graphics", 0.1, "", ""), &[5]);
}

#[test]
fn a_restart_in_the_midst_of_commands_and_moving_walls_goes_on_with_the_same_bits() {
    restarts::<2>(&eventful("validation", "", ""), &[40, 75]);
}

#[test]
fn the_box_of_cells_follows_what_leaves_it() {
    fn follows<const D: usize>(steps: u64, bound: f64) {
        let text = flight::<D>("validation", "");
        let on_cpu = simulation::<D>(&scene(&text), Isa::best(), Box::new(NoClock)).unwrap();
        box_follows::<D>(&text, on_cpu, steps, bound);
    }
    follows::<2>(300, 1e6);
    follows::<3>(150, 1e6);
}

#[test]
fn only_steps_are_timed() {
    let scene = faults::scene::<2>("", NAME, "");
    ticking::only_steps_are_timed::<2>(|clock| with_order(&scene, 0, clock));
}
