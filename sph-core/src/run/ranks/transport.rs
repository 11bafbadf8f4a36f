//! How messages get from rank to rank.

use crate::method::failure::Lost;
use std::time::Duration;

/// Carries bytes between ranks. Messages of one rank to another arrive whole and in their order.
pub trait Transport: Send {
    /// Which rank this is, from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// How long another rank may leave this one waiting in a step.
    fn patience(&self) -> Duration;

    /// Sends a message to another rank, without waiting for it.
    ///
    /// # Errors
    /// When that rank is gone.
    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), Lost>;

    /// The next message of another rank; waits for it, and no longer than `within` where that is given.
    ///
    /// # Errors
    /// When that rank is gone, or silent.
    fn receive(&mut self, from: usize, within: Option<Duration>) -> Result<Vec<u8>, Lost>;
}
