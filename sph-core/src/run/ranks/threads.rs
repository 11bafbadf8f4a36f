//! Ranks that are threads of this process.

use super::transport::Transport;
use crate::method::failure::Lost;
use std::sync::mpsc::{Receiver, Sender, channel};

/// One of the ranks; ends for the others when it is dropped.
#[derive(Debug)]
pub struct Threads {
    rank: usize,
    /// To each rank; to itself, too, where nothing is sent.
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
}

impl Threads {
    /// As many ranks as said, each for a thread of its own.
    pub fn ranks(size: usize) -> Vec<Self> {
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
        ends.map(|(rank, (to, from))| Self { rank, to, from }).collect()
    }
}

impl Transport for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), Lost> {
        self.to[to].send(message).map_err(|_| Lost::Gone(to))
    }

    fn receive(&mut self, from: usize) -> Result<Vec<u8>, Lost> {
        self.from[from].recv().map_err(|_| Lost::Gone(from))
    }
}
