//! The live page: methods side by side in a browser.
//!
//! `serve` makes runs of scenes in up to four panes and serves a page that shows and touches them. The runs have the calling
//! thread, and with it the threads of its pool; connections have one of their own, and never hold up a step: who is slow misses
//! frames. Everything done to a run is a command between two steps, so that `sph run` repeats it to the last bit. Compiled to
//! WebAssembly the same runs are in a worker of the page (`worker`), and there is no server.
mod listing;
mod pane;
mod scenes;
#[cfg(feature = "server")]
mod server;
mod session;
mod shipped;
mod wire;
#[cfg(not(feature = "server"))]
mod worker;

use bench_suite::system::processor::Processor;
use scenes::Scenes;
use serde_json::{Value, json};
#[cfg(feature = "server")]
pub use server::{Options, serve};

/// The first message to a page: what there is, and how much of it may be asked for.
fn hello(scenes: &Scenes, set: &[String], processors: &[Processor], most_particles: usize) -> Value {
    json!({
        "is": "hello",
        "version": env!("CARGO_PKG_VERSION"),
        "backends": processors.iter().map(Processor::name).collect::<Vec<_>>(),
        "scenes": scenes.told(),
        "first": scenes.first(),
        "set": set,
        "methods": scenes::methods(),
        "limits": { "panes": wire::PANES.end(), "particles": most_particles },
    })
}
