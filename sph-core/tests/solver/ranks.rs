//! The same run on several ranks, which are threads here.

use super::super::common::METHOD;
use super::{
    measures::scene,
    restarting::{eventful, go, save},
    scenes::simulation,
};
use sph_core::{
    Real,
    error::Error,
    method::{
        failure::{Cause, Lost, StepError},
        report::StepReport,
        stopwatch::NoClock,
    },
    neighbors::{CellFrame, Partition, Share},
    numerics::lane::Isa,
    run::{
        checkpoint::Checkpoint,
        ranks::{
            Start,
            transport::{Threads, Transport},
        },
        simulation::Simulation,
    },
    watch::penetration::{Escape, Penetration, PenetrationMonitor},
};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Of a scene, forces along no axis: constants of the methods depend on how far the whole fluid reaches along them.
pub const OBLIQUE: &str = "neighbors.backend = \"hash_grid\"\ngravity = [-3.0, -9.0]";

/// How many ranks a run has, and threads each.
const RANKS: [(usize, usize); 5] = [(1, 1), (2, 2), (3, 1), (4, 2), (7, 1)];

/// Longer than any step of a test takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a test does with each message that a rank sends, before it is sent.
type Tap = fn(rank: usize, message: &[u8]) -> Result<(), Lost>;

fn untapped(_: usize, _: &[u8]) -> Result<(), Lost> {
    Ok(())
}

struct Tapped {
    rank: Threads,
    tap: Tap,
}

impl Transport for Tapped {
    fn rank(&self) -> usize {
        self.rank.rank()
    }

    fn size(&self) -> usize {
        self.rank.size()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), Lost> {
        (self.tap)(self.rank(), &message)?;
        self.rank.send(to, message)
    }

    fn patience(&self) -> Duration {
        self.rank.patience()
    }

    fn receive(&mut self, from: usize, within: Option<Duration>) -> Result<Vec<u8>, Lost> {
        self.rank.receive(from, within)
    }
}

/// Numbers of orders that the first rank gives.
const LOAD: u64 = 1;
const FETCH: u64 = 2;
const CUT: u64 = 7;

/// The order in a message, if there is one.
fn order(rank: usize, message: &[u8]) -> Option<u64> {
    const ORDER: u64 = 2;
    let word =
        |k: usize| message.get(8 * k..8 * k + 8).map(|bytes| u64::from_ne_bytes(bytes.try_into().unwrap()));
    word(2).filter(|_| rank == 0 && word(1) == Some(ORDER))
}

/// A run on so many ranks.
fn led<const D: usize>(text: &str, ranks: usize, threads: usize, tap: Tap) -> Result<Simulation<D>, Error> {
    led_within(text, ranks, threads, tap, PATIENCE)
}

fn led_within<const D: usize>(
    text: &str,
    ranks: usize,
    threads: usize,
    tap: Tap,
    patience: Duration,
) -> Result<Simulation<D>, Error> {
    let (scene, copy) = (scene(text), scene(text));
    let start = move || {
        let mut all = Threads::ranks(ranks, patience);
        for rank in all.split_off(1) {
            let scene = copy.clone();
            thread::spawn(move || {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                pool.install(|| METHOD.follow(&scene, Isa::best(), Box::new(Tapped { rank, tap })))
            });
        }
        let first: Box<dyn Transport> = Box::new(Tapped { rank: all.remove(0), tap });
        Ok(first)
    };
    let start = Start { size: ranks, start: Box::new(start) };
    METHOD.lead(&scene, Isa::best(), Box::new(NoClock), start)
}

fn on_ranks<const D: usize>(text: &str, ranks: usize, threads: usize) -> Simulation<D> {
    led(text, ranks, threads, untapped).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Something to see after few steps, for viscosity and vorticity as well.
fn stir<const D: usize>(run: &mut Simulation<D>) {
    for i in 0..run.state.fluid.len() {
        run.state.fluid.v[0][i] = (run.state.fluid.x[1][i] * 40.0).sin();
    }
    run.solver.velocities_changed();
}

/// A run has the same bits on all numbers of ranks, whenever its particles are shared out anew.
pub fn same_on_ranks<const D: usize>(text: &str, steps: u64) {
    let mut one = simulation::<D>(text);
    stir(&mut one);
    go(&mut one, steps);
    for (ranks, threads) in RANKS {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut run = on_ranks::<D>(text, ranks, threads);
            stir(&mut run);
            let mut random = 12345_u64 + ranks as u64;
            for _ in 0..steps {
                run.step(f64::INFINITY).unwrap_or_else(|error| panic!("{ranks} ranks: {error}\n{text}"));
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if random >> 61 == 0 {
                    run.fetch().unwrap();
                    run.solver.velocities_changed();
                }
            }
            run.fetch().unwrap();
            assert_eq!(run.state.hash(), one.state.hash(), "{ranks} ranks\n{text}");
            assert!(run.state.bodies.loads == one.state.bodies.loads, "{ranks} ranks: another force\n{text}");
            assert!(save(&mut run) == save(&mut one), "{ranks} ranks: another checkpoint\n{text}");
        });
    }
}

/// Emitters, drains, pushes, and changes of parameters and of gravity are the same on ranks.
pub fn commands_are_the_same(preset: &str, solver: &str) {
    let text = eventful(preset, "", solver);
    let is_motion = |command: &&str| command.contains("stop_wall") || command.contains("move_wall");
    let parts: Vec<&str> = text.split("[[command]]").filter(|part| !is_motion(part)).collect();
    same_on_ranks::<2>(&parts.join("[[command]]"), 130);
}

/// A flow that leaves some ranks with too much, and may leave others with nothing, is cut anew by itself, and has the same
/// bits.
pub fn a_new_cut_changes_no_bit(text: &str, steps: u64) {
    static CUTS: AtomicU64 = AtomicU64::new(0);
    // Pieces of a state that the first rank has sent or got.
    static PIECES: AtomicU64 = AtomicU64::new(0);
    let tap: Tap = |rank, message| {
        CUTS.fetch_add(u64::from(order(rank, message) == Some(CUT)), Ordering::Relaxed);
        PIECES.fetch_add(u64::from(matches!(order(rank, message), Some(LOAD | FETCH))), Ordering::Relaxed);
        Ok(())
    };
    let mut one = simulation::<2>(text);
    go(&mut one, steps);
    for ranks in [2, 7] {
        let mut run = led::<2>(text, ranks, 1, tap).unwrap();
        run.step(f64::INFINITY).unwrap();
        let before = [&CUTS, &PIECES].map(|count| count.load(Ordering::Relaxed));
        for _ in 1..steps {
            run.step(f64::INFINITY).unwrap();
        }
        let after = [&CUTS, &PIECES].map(|count| count.load(Ordering::Relaxed));
        assert!(after[0] > before[0], "{ranks} ranks: never cut anew");
        assert_eq!(after[1], before[1], "{ranks} ranks: the first one has held all particles");
        run.fetch().unwrap();
        assert_eq!(run.state.hash(), one.state.hash(), "{ranks} ranks\n{text}");
    }
}

/// What a run has measured, as text, since samples may be no numbers, and what its monitor of penetration has found.
#[derive(Debug, PartialEq)]
struct Looks {
    series: String,
    escaped: Vec<u64>,
    first: Option<Escape>,
    deepest: Option<Penetration>,
}

fn looks(run: &mut Simulation<2>, steps: u64) -> Looks {
    // Some fly against the sides, others through the bottom, or upward through a plate.
    for i in 0..run.state.fluid.len() {
        let outward = if run.state.fluid.x[0][i] > 0.2 { 6.0 } else { -6.0 };
        let v = match run.state.fluid.id[i] % 9 {
            0 => [outward, 3.0],
            5 => [0.0, -25.0],
            7 => [0.0, 25.0],
            _ => [0.0, 0.0],
        };
        (run.state.fluid.v[0][i], run.state.fluid.v[1][i]) = (v[0], v[1]);
    }
    run.solver.velocities_changed();
    let mut monitor = PenetrationMonitor::new(&run.state);
    let mut report = StepReport::default();
    for _ in 0..steps {
        run.measure(&report).unwrap();
        if monitor.count(&run.view(&report)) {
            let found = run.find(monitor.search()).unwrap();
            monitor.judge(&run.state, &found);
        }
        report = run.step(f64::INFINITY).unwrap();
    }
    Looks {
        series: format!("{:?}", run.measures.series().collect::<Vec<_>>()),
        escaped: monitor.escaped().to_vec(),
        first: monitor.first_escape().cloned(),
        deepest: monitor.deepest().cloned(),
    }
}

/// Probes, profiles, gauges, flows and forces, and the monitor of penetration, find on ranks what they find on one, and
/// the first rank gets no more of the fluid than what they read.
pub fn looks_are_the_same(text: &str, steps: u64) {
    static FETCHES: AtomicU64 = AtomicU64::new(0);
    let tap: Tap = |rank, message| {
        FETCHES.fetch_add(u64::from(order(rank, message) == Some(FETCH)), Ordering::Relaxed);
        Ok(())
    };
    let expected = looks(&mut simulation::<2>(text), steps);
    println!("{:?}, deepest {:?}", expected.escaped, expected.deepest);
    assert!(expected.first.is_some() && expected.deepest.is_some(), "nothing to find");
    for ranks in [2, 5] {
        let found = looks(&mut led::<2>(text, ranks, 1, tap).unwrap(), steps);
        assert_eq!(found, expected, "{ranks} ranks");
    }
    assert_eq!(FETCHES.load(Ordering::Relaxed), 0);
}

/// A run that goes on from a checkpoint on another number of ranks is the run on one.
pub fn restarts_on_other_ranks<const D: usize>(text: &str, part: u64) {
    let mut one = simulation::<D>(text);
    go(&mut one, 3 * part);
    let mut run = on_ranks::<D>(text, 4, 1);
    go(&mut run, part);
    for ranks in [1, 3] {
        let bytes = save(&mut run);
        run = on_ranks::<D>(text, ranks, 1);
        let read = Checkpoint::read(&mut &bytes[..], bytes.len() as u64).unwrap();
        read.restore(&mut run).unwrap();
        go(&mut run, part);
    }
    assert_eq!(run.state.hash(), one.state.hash(), "{text}");
}

/// A run that fails, goes back and on with smaller steps does so on ranks as on one.
pub fn recoveries_are_the_same(text: &str, steps: u64) {
    let mut one = simulation::<2>(text);
    go(&mut one, steps);
    assert!(!one.guard.retries.is_empty(), "nothing failed\n{text}");
    for ranks in [2, 4] {
        let mut run = on_ranks::<2>(text, ranks, 1);
        go(&mut run, steps);
        assert_eq!(run.guard.retries.len(), one.guard.retries.len(), "{ranks} ranks\n{text}");
        assert_eq!(run.state.hash(), one.state.hash(), "{ranks} ranks\n{text}");
    }
}

/// What a step finds on any rank is told as on one.
pub fn failures_are_told_on_ranks(text: &str) {
    let spoiled = |mut run: Simulation<2>| -> StepError {
        go(&mut run, 3);
        let last = run.state.fluid.len() - 1;
        run.state.fluid.rho[last] = Real::NAN;
        run.state.fluid.v[0][last] = 1e30;
        run.solver.velocities_changed();
        run.step(f64::INFINITY).expect_err("a step that fails")
    };
    let expected = spoiled(simulation::<2>(text));
    for ranks in [2, 4] {
        let found = spoiled(on_ranks::<2>(text, ranks, 1));
        assert_eq!(found.to_string(), expected.to_string(), "{ranks} ranks");
    }
}

/// A run of which a rank is lost ends, and says which.
pub fn a_lost_rank_ends_the_run(text: &str) {
    // Messages that the second rank has sent, and then no more.
    static SENT: AtomicU64 = AtomicU64::new(0);
    for ranks in [2, 4] {
        SENT.store(0, Ordering::Relaxed);
        let tap: Tap = |rank, _| match rank {
            1 if SENT.fetch_add(1, Ordering::Relaxed) >= 40 => Err(Lost::Gone(1)),
            _ => Ok(()),
        };
        let mut run = led::<2>(text, ranks, 1, tap).unwrap();
        let mut lost = None;
        for _ in 0..50 {
            lost = lost.or_else(|| run.step(f64::INFINITY).err());
        }
        let cause = lost.map(|error| error.cause);
        assert_eq!(cause, Some(Cause::Rank(Lost::Gone(1))), "{ranks} ranks");
    }
}

/// A run of which a rank hangs ends in bounded time, and says which one hangs: not one that waits for it.
pub fn a_hung_rank_ends_the_run(text: &str) {
    const PATIENCE: Duration = Duration::from_secs(2);
    // Messages that the last rank has sent, and then no more for long.
    static SENT: AtomicU64 = AtomicU64::new(0);
    let tap: Tap = |rank, _| {
        if rank == 3 && SENT.fetch_add(1, Ordering::Relaxed) == 40 {
            thread::sleep(6 * PATIENCE);
        }
        Ok(())
    };
    let mut run = led_within::<2>(text, 4, 1, tap, PATIENCE).unwrap();
    let start = Instant::now();
    let lost = (0..50).find_map(|_| run.step(f64::INFINITY).err());
    drop(run);
    assert_eq!(lost.map(|error| error.cause), Some(Cause::Rank(Lost::Silent(3, PATIENCE.as_secs()))));
    assert!(start.elapsed() < 3 * PATIENCE, "{:?}", start.elapsed());
}

/// A rank sends in a step what the book says: for each particle in a cell beside another rank its id, position, velocity and
/// density, and `values` numbers besides. The scene has a lattice that hardly moves.
pub fn bytes_follow_the_formula(text: &str, values: usize) {
    const STEPS: u64 = 10;
    // Bytes that the second rank has sent.
    static SENT: AtomicU64 = AtomicU64::new(0);
    let tap: Tap = |rank, message| {
        SENT.fetch_add(if rank == 1 { message.len() as u64 } else { 0 }, Ordering::Relaxed);
        Ok(())
    };
    let mut run = led::<3>(text, 2, 1, tap).unwrap();
    go(&mut run, 1);
    let fluid = &run.state.fluid;
    let frame = CellFrame::new(run.solver.support_radius(), &run.state.domain.periodic);
    let cells = || (0..fluid.len()).map(|i| frame.cell(fluid.position(i)));
    let partition = Partition::of(frame, cells(), 2, 1).unwrap();
    let share = Share::new(partition, 1);
    let ghosts = cells().filter(|&cell| share.owns(cell) && share.reaches_beside(0, cell)).count();
    let before = SENT.load(Ordering::Relaxed);
    for _ in 0..STEPS {
        run.step(f64::INFINITY).unwrap();
    }
    let sent = (SENT.load(Ordering::Relaxed) - before) as f64 / STEPS as f64;
    let expected = (ghosts * (8 + (7 + values) * size_of::<Real>())) as f64;
    println!("{ghosts} ghosts, {sent} bytes a step, {expected} expected");
    assert!(ghosts > 1000 && (sent / expected - 1.0).abs() < 0.1, "{sent} bytes for {ghosts} ghosts");
}

/// Why a run is refused on so many ranks, before the first step.
pub fn refusal_on_ranks(text: &str, ranks: usize) -> String {
    match led::<2>(text, ranks, 1, untapped) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

/// What only one rank can do is refused.
pub fn what_ranks_cannot_do_is_refused(text: impl Fn(&str) -> String) {
    let refused = |extra: &str, ranks| refusal_on_ranks(&text(extra), ranks);
    assert!(refused("neighbors.skin = 0.01", 2).contains("neighbors.skin"));
    assert!(refused("neighbors.backend = \"brute_force\"", 2).contains("neighbors.backend"));
    assert!(refused("[[command]]\nat = 0.1\nstop_wall = \"wall[0]\"", 2).contains("command"));
    assert!(refused("", 100_000).contains("100000 ranks for "));
}
