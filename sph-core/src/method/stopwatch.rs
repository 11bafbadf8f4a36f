//! The time that each phase takes.

use std::fmt::{self, Debug, Formatter};

/// Where time comes from: the core itself has no clock.
pub trait Clock: Send + Sync {
    /// Seconds since some moment.
    fn now(&self) -> f64;
}

/// A clock that stands still.
#[derive(Clone, Copy, Debug)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> f64 {
        0.0
    }
}

/// Time spent in one phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseTime {
    /// Name of the phase.
    pub name: &'static str,
    /// Total, `[s]`.
    pub seconds: f64,
    /// How often it ran.
    pub calls: u64,
}

/// Adds up the time of named phases.
pub struct Stopwatch {
    clock: Box<dyn Clock>,
    phases: Vec<PhaseTime>,
    /// When the part that is measured now began, `[s]`.
    since: f64,
    /// The part of the phase at hand that was counted last.
    part: Option<&'static str>,
}

impl Debug for Stopwatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopwatch").field("phases", &self.phases).finish_non_exhaustive()
    }
}

impl Stopwatch {
    /// A stopwatch that reads `clock`.
    pub fn new(clock: Box<dyn Clock>) -> Self {
        Self { clock, phases: Vec::with_capacity(32), since: 0.0, part: None }
    }

    /// The next phase begins now.
    pub fn start(&mut self) {
        self.since = self.clock.now();
        self.part = None;
    }

    /// A part of the phase at hand is over: counts the time since the last part, or since the start of the phase, under a
    /// name of its own.
    pub fn lap(&mut self, part: &'static str) {
        self.count(part, 1);
        self.part = Some(part);
    }

    /// The phase is over. What its parts have not counted is time of the last part, or of `phase` if it has no parts. The
    /// next phase begins now.
    pub fn close(&mut self, phase: &'static str) {
        match self.part.take() {
            Some(part) => self.count(part, 0),
            None => self.count(phase, 1),
        }
    }

    fn count(&mut self, name: &'static str, calls: u64) {
        let now = self.clock.now();
        let seconds = now - self.since;
        self.since = now;
        match self.phases.iter_mut().find(|p| p.name == name) {
            Some(phase) => {
                phase.seconds += seconds;
                phase.calls += calls;
            }
            None => self.phases.push(PhaseTime { name, seconds, calls }),
        }
    }

    /// All phases, in the order of their first call.
    pub fn phases(&self) -> &[PhaseTime] {
        &self.phases
    }

    /// Forgets all times.
    pub fn reset(&mut self) {
        self.phases.clear();
    }
}
