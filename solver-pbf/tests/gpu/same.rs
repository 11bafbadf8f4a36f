//! Bits that must not depend on the order of threads, nor on a restart.

use super::{
    common::{NAME, with_order},
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
const ALL: &str = "velocity_update = \"second_order\"\nvorticity_confinement = 0.05\n\
    relaxation_mode = \"local\"\nsurface_tension = 0.1\nadhesion = 0.1";

#[test]
fn no_order_of_threads_matters() {
    for solver in ["", ALL] {
        let two = dam_break::<2>("standard", 0.05, "", solver);
        let three = dam_break::<3>("standard", 0.1, "", solver);
        for order in [1, 7] {
            assert_eq!(hash::<2>(&two, order, 3), hash::<2>(&two, 0, 3), "order {order}\n{two}");
            assert_eq!(hash::<3>(&three, order, 2), hash::<3>(&three, 0, 2), "order {order}\n{three}");
        }
    }
}

#[test]
fn a_restart_goes_on_with_the_same_bits() {
    for solver in ["", ALL] {
        restarts::<2>(&dam_break::<2>("standard", 0.05, "", solver), &[1, 5]);
    }
    restarts::<3>(&dam_break::<3>("fluid_demo", 0.1, "", "velocity_update = \"second_order\""), &[3]);
}

#[test]
fn a_restart_in_the_midst_of_commands_and_moving_walls_goes_on_with_the_same_bits() {
    let second = "dt_max = 0.004\nvelocity_update = \"second_order\"\nvorticity_confinement = 0.05\n";
    restarts::<2>(&eventful("fluid_demo", "", second), &[45]);
}

/// A restart with dynamic bodies goes on with the same bits, too.
#[test]
fn so_does_one_with_dynamic_bodies() {
    bodies::restarts::<2>(&bodies::tank::<2>(0.05, &body(), "", "adhesion = 0.1"), &[1, 8]);
}

fn body() -> String {
    format!("{}\ndensity = 700.0\nangle = 0.3\nvelocity = [0.8, -2.0]", bodies::brick::<2>(0.52))
}

#[test]
fn only_steps_are_timed() {
    let scene = faults::scene::<2>("", NAME, "");
    ticking::only_steps_are_timed::<2>(|clock| with_order(&scene, 0, clock));
}
