//! The live page: methods side by side in a browser.
//!
//! [`serve`] makes runs of scenes in up to four panes and serves a page that shows and touches them. The runs have the calling
//! thread, and with it the threads of its pool; connections have one of their own, and never hold up a step: who is slow misses
//! frames. Everything done to a run is a command between two steps, so that `sph run` repeats it to the last bit.

mod hub;
mod listing;
mod pane;
mod scenes;
mod server;
mod session;
mod wire;

use bench_suite::system::processor::Processor;
use hub::{Hub, QUEUE};
use scenes::Scenes;
use serde_json::json;
use server::Shared;
use session::Session;
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

/// Where and how the page is served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Scenes beside those that come with the program; the first one is shown first.
    pub scenes: Vec<PathBuf>,
    /// Address and port; port 0 for any that is free.
    pub address: SocketAddr,
    /// Must stand in every address, if there is one.
    pub token: Option<String>,
    /// Particles of a pane, at most.
    pub most_particles: usize,
    /// Where steps may run; the first unless a pane asks for another.
    pub processors: Vec<Processor>,
}

/// Serves the page until `end` becomes true; `ready` is called once with its address.
///
/// # Errors
/// When the address cannot be had, or the system fails to take connections.
pub fn serve(options: Options, ready: impl FnOnce(&str), end: &AtomicBool) -> io::Result<()> {
    let listener = std::net::TcpListener::bind(options.address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let (to_runs, requests) = mpsc::sync_channel(QUEUE);
    let hub = Arc::new(Hub::new());
    let scenes = Scenes::with(&options.scenes);
    let hello = json!({
        "is": "hello",
        "version": env!("CARGO_PKG_VERSION"),
        "backends": options.processors.iter().map(Processor::name).collect::<Vec<_>>(),
        "scenes": scenes.told(),
        "first": scenes.first(),
        "methods": scenes::methods(),
        "limits": { "panes": wire::PANES.end(), "particles": options.most_particles },
    });
    let query = options.token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
    let shared = Shared {
        hub: Arc::clone(&hub),
        requests: to_runs,
        hello: hello.to_string(),
        token: options.token,
        address,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let connections = move || {
        runtime.block_on(async {
            server::serve(tokio::net::TcpListener::from_std(listener)?, Arc::new(shared)).await
        })
    };
    let connections = thread::Builder::new().name("connections".into()).spawn(connections)?;
    let shown = if address.ip().is_unspecified() {
        SocketAddr::new(local(address.ip()), address.port())
    } else {
        address
    };
    ready(&format!("http://{shown}/{query}"));
    Session::new(hub, scenes, options.processors, options.most_particles).serve(&requests, end);
    if end.load(Ordering::Relaxed) {
        return Ok(());
    }
    // Nobody can ask any more.
    connections.join().unwrap_or_else(|_| Err(io::Error::other("the server has ended")))
}

/// The address of this machine for itself, in place of one that stands for all of its addresses.
fn local(any: IpAddr) -> IpAddr {
    if any.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() }
}
