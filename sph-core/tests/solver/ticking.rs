//! Time that passes between two steps is no time of a phase.

use sph_core::{
    error::Error,
    method::{observer::View, stopwatch::Clock},
    run::simulation::Simulation,
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

/// A clock on which each look takes a second.
#[derive(Clone, Default)]
struct Ticks(Arc<AtomicU64>);

impl Clock for Ticks {
    fn now(&self) -> f64 {
        self.0.fetch_add(1, Relaxed) as f64
    }
}

/// An observer that takes a long time leaves no trace in the phases of a run, from the first on.
pub fn only_steps_are_timed<const D: usize>(
    made: impl FnOnce(Box<dyn Clock>) -> Result<Simulation<D>, Error>,
) {
    let ticks = Ticks::default();
    let mut sim = made(Box::new(ticks.clone())).unwrap();
    const LONG: u64 = 1_000_000;
    let step = |sim: &mut Simulation<D>| {
        let step = sim.state.step;
        sim.run(
            f64::MAX,
            step + 1,
            &mut [&mut |_: &View<'_, D>| {
                ticks.0.fetch_add(LONG, Relaxed);
                true
            }],
        )
        .unwrap();
    };
    for _ in 0..3 {
        step(&mut sim);
        let phases = sim.solver.stopwatch().phases();
        assert!(!phases.is_empty() && phases.iter().all(|phase| phase.calls > 0));
        for phase in phases {
            assert!(phase.seconds > 0.0 && phase.seconds < LONG as f64, "{phase:?}");
        }
    }
    // Each look at the clock ends a part: every second of a step is that of one phase.
    let counted: f64 = sim.solver.stopwatch().phases().iter().map(|phase| phase.seconds).sum();
    let passed = (ticks.0.load(Relaxed) % LONG) as f64;
    assert!(counted > 0.5 * passed && counted <= passed, "{counted} of {passed}");
}
