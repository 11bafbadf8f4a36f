//! How messages get from rank to rank.

use crate::method::failure::Lost;

/// Carries bytes between ranks. Messages of one rank to another arrive whole and in their order.
pub trait Transport: Send {
    /// Which rank this is, from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Sends a message to another rank, without waiting for it.
    ///
    /// # Errors
    /// When that rank is gone.
    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), Lost>;

    /// The next message of another rank; waits for it.
    ///
    /// # Errors
    /// When that rank is gone.
    fn receive(&mut self, from: usize) -> Result<Vec<u8>, Lost>;
}
