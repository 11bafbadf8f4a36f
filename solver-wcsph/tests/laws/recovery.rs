//! A run that goes back after a failure has the bits of one that took the smaller steps by itself.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{dam_break, memory, simulation};
use sph_core::{
    Real,
    error::Error,
    method::{
        failure::{Cause, StepError},
        observer::View,
        report::{Derived, StepReport},
        solver::{Link, Memory, Solver},
        state::State,
        stopwatch::Stopwatch,
    },
    neighbors::Neighbors,
    run::simulation::Simulation,
    scene::OnFailure,
};

/// A method that fails whenever a step would go beyond a moment, so many times.
struct Failing<const D: usize> {
    inner: Box<dyn Solver<D>>,
    beyond: f64,
    times: u32,
}

impl<const D: usize> Solver<D> for Failing<D> {
    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let report = self.inner.step(state, dt)?;
        if state.t + dt > self.beyond && self.times > 0 {
            self.times -= 1;
            return Err(StepError::new(state, "solve", None, Cause::NotConverged(Box::new(report))));
        }
        Ok(report)
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        self.inner.max_dt(state)
    }

    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn support_radius(&self) -> Real {
        self.inner.support_radius()
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.inner.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.inner.fluid_changed();
    }

    fn walls_changed(&mut self) {
        self.inner.walls_changed();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.inner.check_parameter(name, value)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.inner.set_parameter(name, value)
    }

    fn restored(&mut self, state: &State<D>) {
        self.inner.restored(state);
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.inner.chain(state)
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        self.inner.field(name)
    }

    fn neighbors(&self) -> &Neighbors<D> {
        self.inner.neighbors()
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.inner.derived(state)
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.inner.stopwatch()
    }

    fn reset_stopwatch(&mut self) {
        self.inner.reset_stopwatch();
    }
}

fn failing<const D: usize>(text: &str, beyond: f64, times: u32) -> Simulation<D> {
    let mut sim = simulation::<D>(text);
    sim.solver = Box::new(Failing { inner: sim.solver, beyond, times });
    sim.guard.policy.on_failure = OnFailure::ReduceDt;
    sim
}

const PADDLE: &str = "[[wall]]\nshape.block = { min = [0.7, 0.0], max = [0.8, 0.3] }\nside = \"outside\"\nlayers = 2\n\
    motion.oscillation = { amplitude = [0.05, 0.0], frequency = 3.0 }\n";

/// Time after `steps` steps.
fn time_of<const D: usize>(text: &str, steps: u64) -> f64 {
    let mut sim = simulation::<D>(text);
    sim.run(10.0, steps, &mut []).expect("a healthy run");
    sim.state.t
}

fn recovers<const D: usize>(text: &str, fails_at: u64, fixed: bool) {
    let moment = time_of::<D>(text, fails_at);
    let fixed = fixed.then(|| moment / fails_at as f64);
    let mut sim = failing::<D>(text, moment, 1);
    sim.fixed_dt = fixed;
    let mut last = f64::NEG_INFINITY;
    let mut reported = 0;
    sim.run(
        2.0 * moment,
        u64::MAX,
        &mut [&mut |view: &View<'_, D>| {
            assert!(view.state.t > last, "time runs backwards for observers");
            last = view.state.t;
            reported += view.report.retries;
            true
        }],
    )
    .expect("it recovers");
    let [retry] = &sim.guard.retries[..] else { panic!("{:?}", sim.guard.retries) };
    assert_eq!((retry.scale, reported), (0.5, 1), "{retry:?}");
    assert!(retry.step >= retry.back_to && retry.reason.contains("no convergence"), "{retry:?}");

    let mut other = simulation::<D>(text);
    other.fixed_dt = fixed;
    other.run(2.0 * moment, retry.back_to, &mut []).expect("a healthy run");
    other.guard.recovery.scale = 0.5;
    other.run(2.0 * moment, u64::MAX, &mut []).expect("a healthy run");
    assert_eq!(sim.state.step, other.state.step, "{text}");
    assert_eq!(sim.state.hash(), other.state.hash(), "failed at {fails_at}\n{text}");
    assert_eq!(memory(&mut *sim.solver), memory(&mut *other.solver), "failed at {fails_at}\n{text}");
}

/// A run that goes back after failures has the bits of one that took the smaller steps by itself.
/// Failures before the first snapshot is renewed, and behind several; the walls are sorted only after the first.
#[test]
fn a_restored_history_is_that_of_smaller_steps() {
    for (preset, extra) in
        [("validation", ""), ("graphics", ""), ("validation", PADDLE), ("graphics", PADDLE)]
    {
        for (fails_at, fixed) in [(1, false), (7, true), (33, false), (45, true)] {
            recovers::<2>(&dam_break::<2>(preset, 0.05, extra, ""), fails_at, fixed);
        }
    }
    recovers::<3>(&dam_break::<3>("validation", 0.1, "", ""), 25, false);
}

#[test]
fn lists_with_a_skin_are_built_anew() {
    let text = dam_break::<2>("validation", 0.05, "neighbors.skin = 0.02", "");
    let moment = time_of::<2>(&text, 33);
    let mut sim = failing::<2>(&text, moment, 1);
    sim.run(2.0 * moment, u64::MAX, &mut []).expect("it recovers");
    let rows = sim.solver.neighbors().fluid.len();
    assert_eq!((sim.guard.retries.len(), rows), (1, sim.state.fluid.len()));
}

#[test]
fn the_scale_comes_back_after_good_steps() {
    let text = dam_break::<2>("graphics", 0.05, "run.snapshot_every = 4", "");
    let mut sim = failing::<2>(&text, time_of::<2>(&text, 10), 2);
    sim.run(10.0, 14, &mut []).expect("it recovers");
    assert_eq!((sim.guard.recovery.scale, sim.guard.recovery.failures), (0.25, 2));
    let (mut scales, last) = (Vec::new(), sim.state.step + 60);
    while sim.state.step < last {
        sim.step(10.0).expect("a healthy step");
        scales.push(sim.guard.recovery.scale);
    }
    scales.dedup();
    assert_eq!(scales, [0.25, 0.5, 1.0]);
    assert_eq!(sim.guard.recovery, Default::default());
}

#[test]
fn a_run_gives_up_and_tells_what_it_tried() {
    let text = dam_break::<2>("graphics", 0.05, "run.max_retries = 3", "");
    let moment = time_of::<2>(&text, 30);
    let mut sim = failing::<2>(&text, moment, u32::MAX);
    let error = sim.run(10.0, u64::MAX, &mut []).expect_err("it fails always");
    let tried = &error.diagnosis.as_ref().expect("an explanation").retries;
    assert_eq!(tried.iter().map(|retry| retry.scale).collect::<Vec<_>>(), [0.5, 0.25, 0.125]);
    assert_eq!(
        (tried[0].step, tried, error.to_string().matches("tried before").count()),
        (30, &sim.guard.retries, 3)
    );
    assert!(sim.state.t <= moment);
}

/// A step to where the run is already comes back.
#[test]
fn a_step_of_no_length_returns() {
    let mut sim = simulation::<2>(&dam_break::<2>("graphics", 0.05, "run.on_failure = \"reduce_dt\"", ""));
    assert_eq!(sim.step(0.0).expect("nothing can go wrong").dt, 0.0);
}

#[test]
fn nothing_is_tried_unless_the_scene_asks_for_it() {
    let text = dam_break::<2>("graphics", 0.05, "", "");
    let mut sim = failing::<2>(&text, 0.0, 1);
    sim.guard.policy.on_failure = OnFailure::Stop;
    assert!(sim.step(10.0).is_err() && sim.guard.retries.is_empty());
    let text = dam_break::<2>("graphics", 0.05, "run.on_failure = \"reduce_dt\"", "");
    assert_eq!(simulation::<2>(&text).guard.policy.on_failure, OnFailure::ReduceDt);
}
