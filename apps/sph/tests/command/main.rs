//! What the command promises, in one binary: it takes long to link.

mod bad;
mod book;
// Waits more than it computes: its name lets it begin among the first.
#[cfg(unix)]
mod browser;
mod cli;
mod compare;
mod device_check;
mod exit;
mod failure;
#[cfg(unix)]
mod folder;
#[cfg(unix)]
mod hostile;
mod induced;
mod kill;
mod measures;
#[cfg(feature = "mesh")]
mod mesh;
mod processor;
mod shapes;
#[path = "../../../../sph-core/tests/solver/skip.rs"]
mod skip;
mod view;
