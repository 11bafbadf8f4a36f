//! A checkpoint is all there is: a run continued from it has the bits of a run that never stopped.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{Random, dam_break, simulation};
use sph_core::{
    checkpoint::{self, Checkpoint},
    simulation::Simulation,
};

const PADDLE: &str = "[[wall]]\nname = \"paddle\"\nshape.block = { min = [0.7, 0.0], max = [0.8, 0.3] }\nside = \"outside\"\nlayers = 2\n\
    motion.oscillation = { amplitude = [0.05, 0.0], frequency = 3.0 }\n";

const COMMANDS: &str = "
[[command]]
at = 0.004
add.shape.block = { min = [0.2, 0.7], max = [0.4, 0.85] }
add.velocity.uniform = [0.5, -1.0]
[[command]]
at = 0.001
emitter = { name = \"tap\", center = [0.9, 0.6], direction = [-1.0, 0.2], radius = 0.06, speed = 2.0, duration = 0.25 }
[[command]]
step = 30
drain = { name = \"sink\", shape.ball = { center = [0.45, 0.05], radius = 0.08 } }
[[command]]
at = 0.02
push = { radius = 0.2, path = [{ time = 0.0, position = [0.0, 0.3] }, { time = 0.1, position = [0.5, 0.4] }] }
[[command]]
step = 70
stop_wall = \"paddle\"
[[command]]
step = 90
move_wall = { wall = \"paddle\", motion.translation = { velocity = [-0.3, 0.0] } }
[[command]]
step = 50
set = { key = \"solver.artificial_viscosity_alpha\", value = 0.3 }
[[command]]
step = 60
set = { key = \"gravity\", value = [1.0, -9.0] }
[[command]]
step = 120
close = \"sink\"
";

/// A dam break with a moving wall and every kind of command, in a sixth of a second of work.
fn eventful(preset: &str, extra: &str) -> String {
    format!("{extra}\n{}\n{COMMANDS}", dam_break::<2>(preset, 0.04, "", PADDLE))
}

fn save<const D: usize>(run: &mut Simulation<D>) -> Vec<u8> {
    let mut bytes = Vec::new();
    checkpoint::write(run, "", "test", &mut bytes).expect("a vector takes all");
    bytes
}

fn load<const D: usize>(text: &str, bytes: &[u8]) -> Simulation<D> {
    let mut run = simulation::<D>(text);
    let read = Checkpoint::read(&mut &bytes[..], bytes.len() as u64).unwrap_or_else(|e| panic!("{e}"));
    read.restore(&mut run).unwrap_or_else(|e| panic!("{e}"));
    run
}

fn go<const D: usize>(run: &mut Simulation<D>, steps: u64) {
    for _ in 0..steps {
        run.step(f64::INFINITY).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Hashes of the run after each step, and its bytes after each of `wanted`.
fn record<const D: usize>(text: &str, last: u64, wanted: &[u64]) -> (Vec<u64>, Vec<Vec<u8>>) {
    let mut run = simulation::<D>(text);
    let (mut hashes, mut saved) = (vec![run.state.hash()], Vec::new());
    for step in 1..=last {
        go(&mut run, 1);
        hashes.push(run.state.hash());
        if wanted.contains(&step) {
            saved.push(save(&mut run));
        }
    }
    (hashes, saved)
}

/// N steps, a checkpoint, a restart and N steps are 2N steps, on other threads too.
fn restarts<const D: usize>(text: &str, at: &[u64]) {
    let last = 2 * at.iter().max().unwrap();
    let (hashes, saved) = record::<D>(text, last, at);
    for (bytes, &n) in saved.iter().zip(at) {
        let threads = [1, 2, 3, 7][n as usize % 4];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut run = load::<D>(text, bytes);
            assert_eq!(run.state.hash(), hashes[n as usize], "loaded after {n} steps");
            assert_eq!(save(&mut run), *bytes, "saved again after {n} steps");
            go(&mut run, n);
            assert_eq!(run.state.hash(), hashes[2 * n as usize], "{n} + {n} steps\n{text}");
        });
    }
}

#[test]
fn at_every_step_up_to_200_with_commands_and_moving_walls() {
    let all: Vec<u64> = (1..=200).collect();
    restarts::<2>(&eventful("validation", ""), &all);
}

#[test]
fn at_random_steps_later() {
    let mut random = Random(7);
    let late: Vec<u64> = (0..4).map(|_| 200 + (random.next().abs() * 400.0) as u64).collect();
    let mut late = late;
    late.sort_unstable();
    late.dedup();
    restarts::<2>(&eventful("graphics", ""), &late);
    restarts::<2>(&eventful("validation", ""), &late);
}

#[test]
fn in_space() {
    let few: Vec<u64> = (1..=200).step_by(23).collect();
    for preset in ["validation", "graphics"] {
        restarts::<3>(&dam_break::<3>(preset, 0.07, "", ""), &few);
    }
}

#[test]
fn with_lists_that_live_for_several_steps() {
    let skin = "neighbors.skin = 0.01";
    let few: Vec<u64> = (1..=60).collect();
    restarts::<2>(&eventful("validation", skin), &few);
    restarts::<3>(&dam_break::<3>("graphics", 0.07, skin, ""), &[5, 20]);
}

#[test]
fn both_integrators_with_both_densities() {
    for integrator in ["velocity_verlet", "symplectic_euler"] {
        for density in ["continuity", "summation\"\ndelta_sph = 0.0#"] {
            let solver = format!("integrator = \"{integrator}\"\ndensity = \"{density}\"\n");
            restarts::<2>(&dam_break::<2>("validation", 0.03, "", &solver), &[1, 2, 7, 20]);
        }
    }
}

#[test]
fn steps_limited_by_acceleration() {
    for preset in ["validation", "graphics"] {
        restarts::<2>(&dam_break::<2>(preset, 0.03, "", "cfl_force = 0.005"), &[1, 7, 20]);
    }
}

#[test]
fn drift_corrections_and_surface_terms() {
    for solver in [
        "regularization = \"shifting\"\nxsph = 0.5",
        "regularization = \"transport_velocity\"\nintegrator = \"symplectic_euler\"",
        "regularization = \"transport_velocity\"",
        "delta_form = \"molteni\"\ncohesion = 0.1\nsurface_tension = 0.1\nadhesion = 0.1",
    ] {
        let text = dam_break::<2>("validation", 0.03, "damping = { rate = 5.0, until = 0.01 }", solver);
        restarts::<2>(&text, &[1, 7, 20]);
    }
}

#[test]
fn a_history_repeats_the_run() {
    let text = eventful("validation", "");
    let mut run = simulation::<2>(&text);
    go(&mut run, 25);
    let live = "[[command]]\nadd.shape.ball = { center = [1.0, 0.3], radius = 0.1 }\n";
    let scene = common::scene(&text);
    let live = sph_core::scene::Script::parse("live.toml", live, &scene).unwrap();
    run.command(&live.command[0]).unwrap();
    go(&mut run, 175);
    let history = run.interaction.history().iter().map(|done| done.command.clone()).collect();
    let script = sph_core::scene::Script { command: history }.to_toml().unwrap();
    // The same scene without its script, which the history replaces.
    let mut again = common::scene(&text);
    again.command = sph_core::scene::Script::parse("history.toml", &script, &again).unwrap().command;
    assert_eq!(again.command.len(), 10);
    let mut again: Simulation<2> =
        solver_wcsph::simulation(&again, sph_core::lane::Isa::best(), Box::new(sph_core::solver::NoClock))
            .unwrap();
    go(&mut again, 200);
    assert_eq!(again.state.hash(), run.state.hash());
    assert!(again.interaction.drained() > 0, "the drain has taken nothing");
}
