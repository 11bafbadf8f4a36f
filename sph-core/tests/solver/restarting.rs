//! Runs that stop and go on from a checkpoint.

use super::super::common;
use super::{
    measures::scene,
    scenes::{dam_break, simulation},
};
use sph_core::{
    method::stopwatch::NoClock,
    numerics::lane::Isa,
    run::{
        checkpoint::{self, Checkpoint},
        simulation::Simulation,
    },
    scene::Script,
};

pub const PADDLE: &str = "[[wall]]\nname = \"paddle\"\nshape.block = { min = [0.7, 0.0], max = [0.8, 0.3] }\nside = \"outside\"\nlayers = 2\n\
    motion.oscillation = { amplitude = [0.05, 0.0], frequency = 3.0 }\n";

/// Commands of every kind. In capitals, what a method chooses: how fast the paddle leaves, and a parameter of it.
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
move_wall = { wall = \"paddle\", motion.translation = { velocity = [PADDLE_SPEED, 0.0] } }
[[command]]
step = 50
set = { key = \"solver.PARAMETER\", value = 0.3 }
[[command]]
step = 60
set = { key = \"gravity\", value = [1.0, -9.0] }
[[command]]
step = 120
close = \"sink\"
";

/// A dam break with a moving wall and every kind of command.
pub fn eventful(preset: &str, extra: &str, solver: &str) -> String {
    let [speed, parameter] = common::EVENTS;
    let commands = COMMANDS.replace("PADDLE_SPEED", speed).replace("PARAMETER", parameter);
    format!("{extra}\n{}\n{commands}", dam_break::<2>(preset, 0.04, "", &format!("{solver}\n{PADDLE}")))
}

pub fn save<const D: usize>(run: &mut Simulation<D>) -> Vec<u8> {
    let mut bytes = Vec::new();
    checkpoint::write(run, "", "test", &mut bytes).expect("a vector takes all");
    bytes
}

pub fn load<const D: usize>(text: &str, bytes: &[u8]) -> Simulation<D> {
    let mut run = simulation::<D>(text);
    let read = Checkpoint::read(&mut &bytes[..], bytes.len() as u64).unwrap_or_else(|e| panic!("{e}"));
    read.restore(&mut run).unwrap_or_else(|e| panic!("{e}"));
    run
}

pub fn go<const D: usize>(run: &mut Simulation<D>, steps: u64) {
    for _ in 0..steps {
        run.step(f64::INFINITY).unwrap_or_else(|e| panic!("{e}"));
    }
    run.fetch().unwrap();
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

/// N steps, a checkpoint, a restart and N steps are 2N steps, on other threads too: ten at most, but for each tenth N.
pub fn restarts<const D: usize>(text: &str, at: &[u64]) {
    let last = 2 * at.iter().max().unwrap();
    let (hashes, saved) = record::<D>(text, last, at);
    for (bytes, &n) in saved.iter().zip(at) {
        let threads = [1, 2, 3, 7][n as usize % 4];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut run = load::<D>(text, bytes);
            assert_eq!(run.state.hash(), hashes[n as usize], "loaded after {n} steps");
            assert_eq!(save(&mut run), *bytes, "saved again after {n} steps");
            let more = if n % 10 == 0 { n } else { n.min(10) };
            go(&mut run, more);
            assert_eq!(run.state.hash(), hashes[(n + more) as usize], "{n} + {more} steps\n{text}");
        });
    }
}

/// Checks that what was done to a run, by its script and live, repeats it to the last bit.
pub fn history_repeats_the_run(text: &str) {
    let mut run = simulation::<2>(text);
    go(&mut run, 25);
    let live = "[[command]]\nadd.shape.ball = { center = [1.0, 0.3], radius = 0.1 }\n";
    let live = Script::parse("live.toml", live, &scene(text)).unwrap();
    run.command(&live.command[0]).unwrap();
    go(&mut run, 175);
    let history = run.interaction.history().iter().map(|done| done.command.clone()).collect();
    let script = Script { command: history }.to_toml().unwrap();
    // The same scene without its script, which the history replaces.
    let mut again = scene(text);
    again.command = Script::parse("history.toml", &script, &again).unwrap().command;
    assert_eq!(again.command.len(), 10);
    let mut again: Simulation<2> = common::make(&again, Isa::best(), Box::new(NoClock)).unwrap();
    go(&mut again, 200);
    assert_eq!(again.state.hash(), run.state.hash());
    assert!(again.interaction.drained() > 0, "the drain has taken nothing");
}
