//! Ranks that are processes of an MPI program.

use mpi::{
    Threading,
    environment::Universe,
    point_to_point::{Destination as _, MatchedReceiveVec as _, Source as _},
    request::{Request, StaticScope},
    topology::{Communicator as _, SimpleCommunicator},
};
use sph_core::{error::Error, method::failure::Lost, run::ranks::transport::Transport};
use std::{
    env,
    fmt::{self, Debug, Formatter},
    mem::{forget, take},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// All processes of this program, from its first to its last message.
pub struct World {
    rank: usize,
    size: usize,
    /// Ends MPI when it is dropped.
    universe: Mutex<Option<Universe>>,
    /// True while a run has the way to the others.
    is_busy: Arc<AtomicBool>,
    /// True once a rank was silent for longer than this.
    is_hung: Arc<AtomicBool>,
    patience: Duration,
}

// SAFETY: the handle inside is used to end MPI alone, behind a lock; MPI was begun so that one thread at a time may call it.
unsafe impl Send for World {}
// SAFETY: as above.
unsafe impl Sync for World {}

impl Debug for World {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("rank", &self.rank).field("size", &self.size).finish()
    }
}

impl World {
    /// Joins the others, where a launcher has started this process as one of several: with this
    /// [patience](Transport::patience).
    ///
    /// # Errors
    /// When MPI cannot be begun, or the ranks are not all of one program.
    pub fn join(patience: Duration) -> Result<Option<Self>, String> {
        if super::ranks::launched() < 2 {
            return Ok(None);
        }
        let begun = mpi::initialize_with_threading(Threading::Serialized);
        let (universe, threading) = begun.ok_or("MPI has begun already")?;
        if threading < Threading::Serialized {
            return Err("this MPI library allows calls of the first thread alone".into());
        }
        let world = SimpleCommunicator::world();
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        let universe = Mutex::new(Some(universe));
        let joined =
            Self { rank, size, universe, is_busy: Arc::default(), is_hung: Arc::default(), patience };
        joined.check_program()?;
        Ok(Some(joined))
    }

    /// Refuses ranks of different programs: the bits of their numbers could differ.
    fn check_program(&self) -> Result<(), String> {
        let file = env::current_exe()
            .and_then(std::fs::read)
            .map_err(|error| format!("rank {}: {error}", self.rank))?;
        let own = crc32fast::hash(&file).to_le_bytes();
        let mut transport = self.transport().map_err(|error| error.to_string())?;
        let lost = |lost: Lost| lost.to_string();
        if self.rank > 0 {
            transport.send(0, own.to_vec()).map_err(lost)?;
            let verdict = transport.receive(0, None).map_err(lost)?;
            return if verdict.is_empty() { Ok(()) } else { Err(String::new()) };
        }
        let mut other = None;
        for from in 1..self.size {
            let theirs = transport.receive(from, None).map_err(lost)?;
            other = other.or((theirs != own).then_some(from));
        }
        let verdict = vec![0; usize::from(other.is_some())];
        (1..self.size).try_for_each(|to| transport.send(to, verdict.clone())).map_err(lost)?;
        other.map_or(Ok(()), |other| {
            Err(format!("rank {other} runs another program than rank 0: start one and the same"))
        })
    }

    /// Which rank this is.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The way to the others, for one run at a time.
    ///
    /// # Errors
    /// When another run has it.
    pub fn transport(&self) -> Result<Processes, Error> {
        if self.is_busy.swap(true, Ordering::AcqRel) {
            return Err(Error::new(
                "the processes of this program are in a run already, and can be in one at a time",
            ));
        }
        Ok(Processes {
            world: SimpleCommunicator::world(),
            rank: self.rank,
            size: self.size,
            sends: Vec::new(),
            is_busy: self.is_busy.clone(),
            is_hung: self.is_hung.clone(),
            patience: self.patience,
        })
    }

    /// True once a rank was silent for longer than it may be: MPI cannot be ended in good order then.
    pub fn is_hung(&self) -> bool {
        self.is_hung.load(Ordering::Acquire)
    }

    /// Ends all processes at once.
    pub fn abort(&self) -> ! {
        SimpleCommunicator::world().abort(1)
    }

    /// The last message has been sent.
    pub fn leave(&self) {
        drop(self.universe.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// A message under way, and its bytes.
type Sent = (Request<'static, [u8], StaticScope>, *mut [u8]);

/// The way from one process to the others.
pub struct Processes {
    world: SimpleCommunicator,
    rank: usize,
    size: usize,
    /// Messages that are still under way.
    sends: Vec<Sent>,
    is_busy: Arc<AtomicBool>,
    is_hung: Arc<AtomicBool>,
    patience: Duration,
}

// SAFETY: MPI was begun so that any thread may call it while no other does. There is one of these at a time, and what the
// `World` does itself comes before and after it.
unsafe impl Send for Processes {}

/// The longest part of a message; MPI counts in 31 bits.
const PART: usize = 1 << 30;

/// Looks for a message between two looks at the clock.
const TRIES: usize = 256;

impl Processes {
    /// Gives the memory of messages back that have arrived, or of all.
    fn settle(&mut self, all: bool) {
        for (request, bytes) in take(&mut self.sends) {
            let open = match all {
                true => {
                    request.wait();
                    None
                }
                false => request.test().err(),
            };
            match open {
                Some(request) => self.sends.push((request, bytes)),
                // SAFETY: it was leaked by `send_part`, and MPI has done with it.
                None => drop(unsafe { Box::from_raw(bytes) }),
            }
        }
    }

    fn send_part(&mut self, to: usize, bytes: Box<[u8]>) {
        let bytes = Box::into_raw(bytes);
        // SAFETY: it stays until `settle` finds that MPI has done with it.
        let shared: &'static [u8] = unsafe { &*bytes };
        let request = self.world.process_at_rank(to as i32).immediate_send(StaticScope, shared);
        self.sends.push((request, bytes));
    }
}

impl Processes {
    /// The next message of a rank, whole or a part of the full length.
    fn receive_part(&self, from: usize, within: Option<Duration>) -> Result<Vec<u8>, Lost> {
        let source = self.world.process_at_rank(from as i32);
        let Some(within) = within else { return Ok(source.matched_probe().matched_receive_vec::<u8>().0) };
        let start = Instant::now();
        loop {
            for _ in 0..TRIES {
                if let Some(message) = source.immediate_matched_probe() {
                    return Ok(message.matched_receive_vec::<u8>().0);
                }
            }
            if start.elapsed() > within {
                self.is_hung.store(true, Ordering::Release);
                return Err(Lost::Silent(from, within.as_secs()));
            }
            // Ranks may have to share a core.
            thread::yield_now();
        }
    }
}

impl Transport for Processes {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn patience(&self) -> Duration {
        self.patience
    }

    fn send(&mut self, to: usize, mut message: Vec<u8>) -> Result<(), Lost> {
        self.settle(false);
        // A part of the full length says that another one follows.
        while message.len() >= PART {
            let rest = message.split_off(PART);
            self.send_part(to, message.into_boxed_slice());
            message = rest;
        }
        self.send_part(to, message.into_boxed_slice());
        Ok(())
    }

    fn receive(&mut self, from: usize, within: Option<Duration>) -> Result<Vec<u8>, Lost> {
        let mut message = self.receive_part(from, within)?;
        let mut last = message.len();
        while last == PART {
            let part = self.receive_part(from, within)?;
            last = part.len();
            message.extend(part);
        }
        Ok(message)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        if self.is_hung.load(Ordering::Acquire) {
            // What was sent to one that hangs stays under way until all processes are ended.
            forget(take(&mut self.sends));
        }
        // Runs end when all that was sent has been read.
        self.settle(true);
        self.is_busy.store(false, Ordering::Release);
    }
}
