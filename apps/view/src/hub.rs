//! Between the connections, each a task, and the runs, which have a thread to themselves: the runs never wait.

use crate::wire::{Message, Order, Status};
use serde_json::json;
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};
use tokio::sync::{broadcast, oneshot, watch};

/// Connections that there may be.
pub const MOST_CLIENTS: usize = 64;
/// Orders that wait for the end of a step, at most.
pub const QUEUE: usize = 1024;
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

/// What can be kept of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Saved {
    /// The scene, with all its defaults.
    Scene,
    /// What was done to its run by hand.
    Script,
    /// The run.
    Checkpoint,
}

/// The newest particles of all panes.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// Of the fluid.
    pub fluid: Vec<Message>,
    /// Of the walls, each with a number that grows with every change.
    pub walls: Vec<(u64, Message)>,
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
            opened: watch::Sender::new(Message::text(&json!({ "is": "opened", "panes": [] }))),
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

    /// Tells all connections.
    pub fn tell(&self, message: Message) {
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
