//! The runs in a worker of the page: what `page/worker.js` calls.
//!
//! Bytes pass through one buffer in each direction. A worker has one thread, so everything is of that thread.

use crate::{
    hello,
    scenes::Scenes,
    session::{
        Session,
        audience::{Audience, Frames, Saved},
    },
    wire::{LONGEST_MESSAGE, Level, Message, Order, Status},
};
use bench_suite::system::{clock::Instant, processor::Processor};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    panic,
    rc::Rc,
    time::Duration,
};

/// Particles of a pane, at most: a page has 4 GiB of addresses and one thread.
const MOST_PARTICLES: usize = 200_000;
/// Time from one frame to the next, at least: that of a screen.
const FRAME: Duration = Duration::from_millis(16);

#[cfg_attr(target_arch = "wasm32", link(wasm_import_module = "env"))]
unsafe extern "C" {
    /// Tells the page why the program ends.
    fn fail(text: *const u8, length: usize);
}

thread_local! {
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
    /// What the page hands in and takes out.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A page that asks for nothing in this time is not seen: its runs rest.
const UNSEEN: Duration = Duration::from_secs(2);

struct Worker {
    session: Session,
    page: Rc<Page>,
    /// When the page was last heard of.
    heard: Instant,
}

/// The page that has the worker: it controls the runs, and is their only watcher.
#[derive(Default)]
struct Page {
    messages: RefCell<VecDeque<Message>>,
    wants_frames: Cell<bool>,
    /// Numbers of the walls that it has.
    walls: RefCell<Vec<u64>>,
    status: Cell<Option<Status>>,
    failures: RefCell<Vec<Option<String>>>,
}

impl Audience for Rc<Page> {
    fn wants_frames(&self) -> bool {
        self.wants_frames.take()
    }

    fn show(&self, frames: &Frames) {
        self.messages.borrow_mut().extend(frames.since(&mut self.walls.borrow_mut()));
    }

    fn tell_status(&self, status: Status) {
        if self.status.replace(Some(status)) != Some(status) {
            self.tell(Message::state(status, true, 0));
        }
    }

    fn tell_failures(&self, failures: &[Option<String>]) {
        if self.failures.borrow().as_slice() != failures {
            failures.clone_into(&mut self.failures.borrow_mut());
            self.tell(Message::failures(failures));
        }
    }

    fn tell_opened(&self, opened: Message) {
        self.walls.borrow_mut().clear();
        self.tell(opened);
    }

    fn tell(&self, message: Message) {
        let mut messages = self.messages.borrow_mut();
        match message {
            Message::Several(several) => messages.extend(several.iter().cloned()),
            one => messages.push_back(one),
        }
    }
}

impl Worker {
    fn new() -> Self {
        let (page, scenes, processors) =
            (Rc::new(Page::default()), Scenes::with(&[]), vec![Processor::default()]);
        page.tell(Message::text(&hello(&scenes, &[], &processors, MOST_PARTICLES)));
        page.tell_status(Status { speed: 1.0, ..Status::default() });
        page.tell_opened(Message::opened(&[]));
        let audience = Box::new(Rc::clone(&page));
        Self {
            session: Session::new(audience, scenes, processors, MOST_PARTICLES, FRAME),
            page,
            heard: Instant::now(),
        }
    }

    fn hear(&mut self, text: &[u8]) {
        self.heard = Instant::now();
        let refuse = |why: String| self.page.tell(Message::said(Level::Error, None, None, &why));
        if text.len() > LONGEST_MESSAGE {
            return refuse(format!("message: is longer than {LONGEST_MESSAGE} bytes"));
        }
        match serde_json::from_slice(text) {
            Ok(Order::Next {}) => {
                self.page.wants_frames.set(true);
                self.session.show();
            }
            Ok(order) => self.session.answer(order),
            Err(error) => refuse(format!("message: {error}")),
        }
    }
}

fn with<T>(act: impl FnOnce(&mut Worker) -> T) -> T {
    WORKER.with_borrow_mut(|worker| act(worker.get_or_insert_with(Worker::new)))
}

/// Begins: messages to the page wait from then on.
#[unsafe(no_mangle)]
pub extern "C" fn begin() {
    panic::set_hook(Box::new(|why| {
        let text = why.to_string();
        // SAFETY: the page reads the text before it returns.
        unsafe { fail(text.as_ptr(), text.len()) };
    }));
    with(|_| ());
}

/// Place of a buffer of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Bytes in the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    BUFFER.with_borrow(Vec::len)
}

/// Does what the message in the buffer asks for.
#[unsafe(no_mangle)]
pub extern "C" fn hear() {
    let text = BUFFER.take();
    with(|worker| worker.hear(&text));
}

/// Steps on and shows, if that is due. Gives the time until the next turn, `[ms]`.
#[unsafe(no_mangle)]
pub extern "C" fn turn() -> f64 {
    with(|worker| {
        let is_seen = worker.heard.elapsed() < UNSEEN;
        if is_seen {
            worker.session.turn();
        }
        // A message of the page ends the rest.
        let rest = if is_seen { worker.session.rest() } else { UNSEEN };
        1000.0 * rest.as_secs_f64()
    })
}

/// Moves the oldest message to the page into the buffer. Gives 1 if it is text, 2 if binary, and 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn next() -> u32 {
    let message = with(|worker| worker.page.messages.borrow_mut().pop_front());
    let (kind, bytes) = match message {
        Some(Message::Text(text)) => (1, text.as_bytes().to_vec()),
        Some(Message::Binary(bytes)) => (2, bytes.to_vec()),
        Some(Message::Several(_)) | None => (0, Vec::new()),
    };
    BUFFER.set(bytes);
    kind
}

/// Moves a file to keep of a pane into the buffer: 0 for its scene, 1 for the script of what was done by hand, 2 for a
/// checkpoint. Gives 1, or 0 if there is none: then the reason is there.
#[unsafe(no_mangle)]
pub extern "C" fn save(what: u32, pane: usize) -> u32 {
    let what = [Saved::Scene, Saved::Script, Saved::Checkpoint][what.min(2) as usize];
    let (is_there, bytes) = match with(|worker| worker.session.saved(what, pane)) {
        Ok(bytes) => (1, bytes),
        Err(why) => (0, why.into_bytes()),
    };
    BUFFER.set(bytes);
    is_there
}
