//! Between the connections, each a task, and the runs, which have a thread to themselves: the runs never wait.

use crate::{
    session::{
        Session,
        audience::{Audience, Frames, Saved},
    },
    wire::{Message, Order, Status},
};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};
use tokio::sync::{broadcast, oneshot, watch};

/// Connections that there may be.
pub const MOST_CLIENTS: usize = 64;
/// Orders that wait for the end of a step, at most.
pub const QUEUE: usize = 1024;
/// Time from one frame to the next, at least.
pub const FRAME: Duration = Duration::from_millis(33);
/// Messages that a slow connection may lag behind.
const BEHIND: usize = 512;

/// What the runs are asked for.
pub enum Request {
    /// By the page.
    Order(Order),
    /// A file to keep.
    Save {
        /// What of it.
        what: Saved,
        /// The pane.
        pane: usize,
        /// Where it goes, or why there is none.
        to: oneshot::Sender<Result<Vec<u8>, String>>,
    },
}

/// What connections and runs share.
pub struct Hub {
    /// The newest frames.
    pub frames: watch::Sender<Arc<Frames>>,
    /// True when a connection is ready for the next frames.
    pub is_wanted: AtomicBool,
    /// Whether the runs go on.
    pub status: watch::Sender<Status>,
    /// The diagnosis of each pane, if it has failed.
    pub failures: watch::Sender<Vec<Option<String>>>,
    /// What the panes are.
    pub opened: watch::Sender<Message>,
    /// The connections, by number.
    pub clients: watch::Sender<BTreeSet<u64>>,
    /// What all connections are told once.
    pub said: broadcast::Sender<Message>,
    next: AtomicU64,
}

impl Hub {
    /// One without connections.
    pub fn new() -> Self {
        Self {
            frames: watch::Sender::default(),
            is_wanted: AtomicBool::new(false),
            status: watch::Sender::default(),
            failures: watch::Sender::default(),
            opened: watch::Sender::new(Message::opened(&[])),
            clients: watch::Sender::default(),
            said: broadcast::Sender::new(BEHIND),
            next: AtomicU64::new(1),
        }
    }

    /// Counts a connection in, unless there are too many.
    pub fn enter(self: &Arc<Self>) -> Option<Client> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let entered =
            self.clients.send_if_modified(|clients| clients.len() < MOST_CLIENTS && clients.insert(number));
        entered.then(|| Client { hub: Arc::clone(self), number })
    }
}

impl Audience for Arc<Hub> {
    fn wants_frames(&self) -> bool {
        self.is_wanted.swap(false, Ordering::Relaxed)
    }

    fn show(&self, frames: &Frames) {
        self.frames.send_replace(Arc::new(frames.clone()));
    }

    fn tell_status(&self, status: Status) {
        self.status.send_if_modified(|known| std::mem::replace(known, status) != status);
    }

    fn tell_failures(&self, failures: &[Option<String>]) {
        self.failures.send_if_modified(|known| {
            let is_new = known != failures;
            failures.clone_into(known);
            is_new
        });
    }

    fn tell_opened(&self, opened: Message) {
        self.opened.send_replace(opened);
    }

    fn tell(&self, message: Message) {
        // Without connections there is no one to tell.
        let _ = self.said.send(message);
    }
}

/// A connection that is counted in while it lives.
pub struct Client {
    hub: Arc<Hub>,
    number: u64,
}

impl Client {
    /// The oldest connection controls the runs, the others watch.
    pub fn is_controller(&self) -> bool {
        self.hub.clients.borrow().first() == Some(&self.number)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.hub.clients.send_if_modified(|clients| clients.remove(&self.number));
    }
}

/// Lets the runs go on, and do what they are asked for, until `end` is true.
pub fn run(session: &mut Session, requests: &Receiver<Request>, end: &AtomicBool) {
    while !end.load(Ordering::Relaxed) {
        match requests.recv_timeout(session.rest()) {
            Ok(request) => {
                request.answer(session);
                let until = Instant::now() + FRAME;
                // Others that wait, but for no longer than a frame: `end` and the page wait, too.
                while Instant::now() < until
                    && let Ok(request) = requests.try_recv()
                {
                    request.answer(session);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        session.turn();
    }
}

impl Request {
    fn answer(self, session: &mut Session) {
        match self {
            Self::Order(order) => session.answer(order),
            // Whoever asked may be gone.
            Self::Save { what, pane, to } => drop(to.send(session.saved(what, pane))),
        }
    }
}
