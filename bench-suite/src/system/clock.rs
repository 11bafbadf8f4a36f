//! The system's clock for the core, which has none.

use sph_core::method::stopwatch::Clock;
use std::time::Instant;

/// Seconds since it was made.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
