//! The run: a loop over steps, what happens between them, and the recovery after failures and restarts. Imports all
//! other layers; a run asks `watch` why a step failed, since that tells whether smaller steps can help.

pub mod checkpoint;
mod forward;
pub mod interaction;
pub mod method;
pub mod ranks;
pub mod recovery;
pub mod simulation;
pub mod snapshot;
