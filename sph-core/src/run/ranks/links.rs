//! What ranks say to each other: data of a step, what a step has come to, and what the first rank wants.
//!
//! A rank whose step fails says so to all others, in the place of the data that they wait for. What is still under way of
//! that step is passed over: every message bears the number of its step. At the end of a run each rank reads what the others
//! have sent until they say good-bye.
//!
//! In a step no rank waits longer for another than its patience says; between steps the others wait for the first rank, which may be
//! writing files, without an end. A rank that does not even say what its step has come to is given up by the first one.

use super::{
    transport::Transport,
    wire::{self, Reader},
};
use crate::method::failure::Lost;
use bytemuck::Pod;
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Before the bytes of a message: the number of the step, and the kind.
const HEADER: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Data of a step.
    Data = 0,
    /// The step has failed.
    Failed = 1,
    /// What the step has come to, or what the first rank wants next.
    Control = 2,
    /// The last message of a run.
    End = 3,
}

/// The other ranks.
pub struct Links {
    /// Behind a lock, which nobody waits for, since loops share the method that has them.
    transport: Mutex<Box<dyn Transport>>,
    rank: usize,
    size: usize,
    /// Number of the step, the same on all ranks.
    round: u64,
    /// True once a rank was given up: nobody is waited for any more.
    is_broken: bool,
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Links").field("rank", &self.rank()).field("round", &self.round).finish()
    }
}

impl Links {
    /// Those of a rank.
    pub fn new(transport: Box<dyn Transport>) -> Self {
        let (rank, size) = (transport.rank(), transport.size());
        Self { transport: Mutex::new(transport), rank, size, round: 0, is_broken: false }
    }

    /// Which rank this is.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// A step begins, or something else that all ranks do together.
    pub fn begin(&mut self) {
        self.round += 1;
    }

    /// Sends data of this step.
    ///
    /// # Errors
    /// When the rank is gone.
    pub fn send(&mut self, to: usize, bytes: &[u8]) -> Result<(), Lost> {
        self.send_kind(to, Kind::Data, bytes)
    }

    /// The next data of this step from a rank.
    ///
    /// # Errors
    /// When the rank is gone or silent, or its step has failed.
    pub fn receive(&mut self, from: usize) -> Result<Vec<u8>, Lost> {
        let patience = self.transport().patience();
        match self.next(from, Some(patience))? {
            (Kind::Data, bytes) => Ok(bytes),
            (Kind::Failed, _) => Err(Lost::Failed(from)),
            (Kind::Control | Kind::End, _) => Err(Lost::Garbled(from)),
        }
    }

    /// Tells all others that the step of this rank has failed.
    pub fn fail(&mut self) {
        let rank = self.rank();
        for to in (0..self.size()).filter(|&to| to != rank) {
            // Who is gone need not know.
            let _ = self.send_kind(to, Kind::Failed, &[]);
        }
    }

    /// Ends the run on this rank: nothing that was sent to it stays unread.
    pub fn close(&mut self) {
        let (rank, size) = (self.rank, self.size);
        for to in (0..size).filter(|&to| to != rank) {
            // Who is gone need not know.
            let _ = self.send_kind(to, Kind::End, &[]);
        }
        let patience = self.transport().patience();
        for from in (0..size).filter(|&from| from != rank) {
            while self.next(from, Some(patience)).is_ok_and(|(kind, _)| kind != Kind::End) {}
        }
    }

    /// Sends a message to each of `peers`, and takes one from each, in their order.
    ///
    /// # Errors
    /// As [`Links::receive`].
    pub fn exchange(
        &mut self,
        peers: &[usize],
        messages: Vec<Vec<u8>>,
        mut take: impl FnMut(&mut Reader<'_>) -> Option<()>,
    ) -> Result<(), Lost> {
        for (&to, message) in peers.iter().zip(&messages) {
            self.send(to, message)?;
        }
        for &from in peers {
            let message = self.receive(from)?;
            let mut reader = Reader::new(&message);
            take(&mut reader).filter(|()| reader.is_empty()).ok_or(Lost::Garbled(from))?;
        }
        Ok(())
    }

    /// `merge` over the values of all ranks, on every rank.
    ///
    /// # Errors
    /// As [`Links::receive`].
    pub fn all_reduce<T: Pod>(&mut self, mine: T, merge: impl Fn(T, T) -> T) -> Result<T, Lost> {
        let mut value = [mine];
        self.all_reduce_each(&mut value, merge)?;
        Ok(value[0])
    }

    /// The same for each of a number of values.
    ///
    /// # Errors
    /// As [`Links::receive`].
    pub fn all_reduce_each<T: Pod>(
        &mut self,
        values: &mut [T],
        merge: impl Fn(T, T) -> T,
    ) -> Result<(), Lost> {
        let mut others = vec![T::zeroed(); values.len()];
        let all = self.all(bytemuck::cast_slice(values).to_vec(), |mine, other| {
            Reader::new(other).write(&mut others)?;
            for (mine, other) in mine.chunks_exact_mut(size_of::<T>()).zip(&others) {
                let merged = merge(bytemuck::pod_read_unaligned(mine), *other);
                mine.copy_from_slice(bytemuck::bytes_of(&merged));
            }
            Some(())
        })?;
        Reader::new(&all).write(values).ok_or(Lost::Garbled(0))
    }

    /// The values of all ranks, one rank behind the other, on every rank.
    ///
    /// # Errors
    /// As [`Links::receive`].
    pub fn all_gather<T: Pod>(&mut self, mine: &[T]) -> Result<Vec<T>, Lost> {
        let all = self.all(bytemuck::cast_slice(mine).to_vec(), |mine, other| {
            mine.extend_from_slice(other);
            Some(())
        })?;
        let (n, mut values) = (all.len() / size_of::<T>(), Vec::new());
        Reader::new(&all).append(n, &mut values).ok_or(Lost::Garbled(0))?;
        Ok(values)
    }

    /// What `join` makes of the messages of all ranks: it gets those of two neighboring groups of them, the lower one first.
    fn all(
        &mut self,
        mut mine: Vec<u8>,
        mut join: impl FnMut(&mut Vec<u8>, &[u8]) -> Option<()>,
    ) -> Result<Vec<u8>, Lost> {
        let (rank, size) = (self.rank, self.size);
        // Up a binomial tree to rank 0, and down again.
        let mut reach = 1;
        while reach < size && rank & reach == 0 {
            let from = rank + reach;
            if from < size {
                let theirs = self.receive(from)?;
                join(&mut mine, &theirs).ok_or(Lost::Garbled(from))?;
            }
            reach *= 2;
        }
        if rank != 0 {
            self.send(rank - reach, &mine)?;
            mine = self.receive(rank - reach)?;
        }
        while reach > 1 {
            reach /= 2;
            if rank + reach < size {
                self.send(rank + reach, &mine)?;
            }
        }
        Ok(mine)
    }

    /// Sends all ranks a control message of the first one, which gives it; the others get it here.
    ///
    /// # Errors
    /// When a rank is gone.
    pub fn broadcast(&mut self, mine: Option<Vec<u8>>) -> Result<Vec<u8>, Lost> {
        let (rank, size) = (self.rank(), self.size());
        let mut reach = 1;
        while reach < size && rank & reach == 0 {
            reach *= 2;
        }
        let message = match mine {
            Some(message) => message,
            None => self.receive_control(rank - reach, None)?,
        };
        while reach > 1 {
            reach /= 2;
            if rank + reach < size {
                self.send_kind(rank + reach, Kind::Control, &message)?;
            }
        }
        Ok(message)
    }

    /// Hands `take` a control message of each other rank, on the first one, in their order and one at a time. Gives up a rank
    /// that is silent.
    ///
    /// # Errors
    /// When a rank is gone or silent, or `take` cannot read what it has sent.
    pub fn gather(&mut self, mut take: impl FnMut(usize, &[u8]) -> Option<()>) -> Result<(), Lost> {
        let patience = self.transport().patience();
        (1..self.size()).try_for_each(|from| {
            let message = self.receive_control(from, Some(patience));
            self.is_broken |= matches!(message, Err(Lost::Silent(..)));
            take(from, &message?).ok_or(Lost::Garbled(from))
        })
    }

    /// Sends a rank a control message of its own.
    ///
    /// # Errors
    /// When it is gone.
    pub fn send_control(&mut self, to: usize, bytes: &[u8]) -> Result<(), Lost> {
        self.send_kind(to, Kind::Control, bytes)
    }

    /// The next control message of a rank, waited for `within` a time or without an end; what else it has sent of this step comes
    /// too late.
    ///
    /// # Errors
    /// When it is gone or silent.
    pub fn receive_control(&mut self, from: usize, within: Option<Duration>) -> Result<Vec<u8>, Lost> {
        loop {
            match self.next(from, within)? {
                (Kind::Control, message) => return Ok(message),
                (Kind::End, _) => return Err(Lost::Gone(from)),
                (Kind::Data | Kind::Failed, _) => {}
            }
        }
    }

    fn send_kind(&mut self, to: usize, kind: Kind, bytes: &[u8]) -> Result<(), Lost> {
        let mut message = Vec::with_capacity(HEADER + bytes.len());
        wire::put(&mut message, &[self.round, kind as u64]);
        message.extend_from_slice(bytes);
        self.transport().send(to, message)
    }

    fn transport(&mut self) -> &mut dyn Transport {
        &mut **self.transport.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next message of a rank that is of this step.
    fn next(&mut self, from: usize, within: Option<Duration>) -> Result<(Kind, Vec<u8>), Lost> {
        if self.is_broken {
            return Err(Lost::Gone(from));
        }
        loop {
            let mut message = self.transport().receive(from, within)?;
            let mut reader = Reader::new(&message);
            let (round, kind) = reader.one::<u64>().zip(reader.one::<u64>()).ok_or(Lost::Garbled(from))?;
            if kind < Kind::Control as u64 && round != self.round {
                continue;
            }
            let kind = match kind {
                0 => Kind::Data,
                1 => Kind::Failed,
                2 => Kind::Control,
                3 => Kind::End,
                _ => return Err(Lost::Garbled(from)),
            };
            message.drain(..HEADER);
            return Ok((kind, message));
        }
    }
}
