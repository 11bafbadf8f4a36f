//! The system's clock for the core, which has none.

use sph_core::method::stopwatch::Clock;

#[cfg(target_arch = "wasm32")]
pub use page::Instant;
/// A moment of the system's clock; a page has one of its own, since the standard library has none there.
#[cfg(not(target_arch = "wasm32"))]
pub use std::time::Instant;

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

/// The clock of a page.
#[cfg(target_arch = "wasm32")]
mod page {
    use std::{ops::Add, time::Duration};

    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        /// Time since the page began, `[s]`.
        safe fn now() -> f64;
    }

    /// A moment, `[s]`.
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
    pub struct Instant(f64);

    impl Instant {
        /// This moment.
        #[must_use]
        pub fn now() -> Self {
            Self(now())
        }

        /// Time since then.
        #[must_use]
        pub fn elapsed(self) -> Duration {
            Duration::from_secs_f64((now() - self.0).max(0.0))
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, more: Duration) -> Self {
            Self(self.0 + more.as_secs_f64())
        }
    }
}
