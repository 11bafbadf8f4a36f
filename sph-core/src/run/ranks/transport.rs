//! How messages get from rank to rank.

use crate::method::failure::Lost;
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::Duration,
};

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

/// The way of one of the ranks that are threads of this process; it ends for the others when it is dropped.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    /// To each rank; to itself, too, where nothing is sent.
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
    patience: Duration,
}

impl Threads {
    /// As many ranks as said, each for a thread of its own, and each with this [patience](Transport::patience).
    pub fn ranks(size: usize, patience: Duration) -> Vec<Self> {
        let (mut to, mut from): (Vec<Vec<_>>, Vec<Vec<_>>) = (Vec::new(), Vec::new());
        to.resize_with(size, Vec::new);
        from.resize_with(size, Vec::new);
        for sends in &mut to {
            for receives in &mut from {
                let (sender, receiver) = channel();
                sends.push(sender);
                receives.push(receiver);
            }
        }
        let ends = to.into_iter().zip(from).enumerate();
        ends.map(|(rank, (to, from))| Self { rank, to, from, patience }).collect()
    }
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), Lost> {
        self.to[to].send(message).map_err(|_| Lost::Gone(to))
    }

    fn receive(&mut self, from: usize, within: Option<Duration>) -> Result<Vec<u8>, Lost> {
        let messages = &self.from[from];
        let Some(within) = within else { return messages.recv().map_err(|_| Lost::Gone(from)) };
        messages.recv_timeout(within).map_err(|error| match error {
            RecvTimeoutError::Timeout => Lost::Silent(from, within.as_secs()),
            RecvTimeoutError::Disconnected => Lost::Gone(from),
        })
    }
}
