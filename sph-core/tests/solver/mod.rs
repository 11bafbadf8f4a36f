//! What the tests of all methods share: each takes it in as a module of its own, beside the module `common` that says
//! what the method needs.
#![allow(
    dead_code,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "no test binary uses all of it; a helper that fails is a test that fails"
)]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

pub mod bodies;
pub mod facets;
pub mod failing;
pub mod faults;
pub mod leaving;
pub mod measures;
pub mod on_gpu;
pub mod ranks;
pub mod restarting;
pub mod scenes;
pub mod threads;
pub mod ticking;
