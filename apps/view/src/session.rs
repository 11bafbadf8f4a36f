//! The runs of all panes, side by side in simulated time.

mod moments;

use crate::{
    hub::{Frames, Hub, Request, Saved},
    pane::{self, Pane, Setup},
    scenes::Scenes,
    wire::{Level, Message, Order, PANES, SPEEDS, Status, Wanted},
};
use bench_suite::system::processor::Processor;
use moments::Moments;
use serde_json::{Value, json};
use sph_core::{error::Error, scene::Command};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

/// Time from one frame to the next, at least.
const FRAME: Duration = Duration::from_millis(33);
/// Wall-clock time that a stall may be made up for, `[s]`.
const STALL: f64 = 0.1;
/// A pause looks this often whether the program shall end.
const LOOK: Duration = Duration::from_millis(100);

/// The panes, and what is asked of them.
pub struct Session {
    hub: Arc<Hub>,
    scenes: Scenes,
    processors: Vec<Processor>,
    most_particles: usize,
    panes: Vec<Box<dyn Pane>>,
    opened: Vec<Wanted>,
    status: Status,
    /// Where the panes shall be, `[s]`.
    target: f64,
    moments: Moments,
    frames: Frames,
}

impl Session {
    /// One without panes, for runs of at most so many particles.
    pub fn new(hub: Arc<Hub>, scenes: Scenes, processors: Vec<Processor>, most_particles: usize) -> Self {
        Self {
            hub,
            scenes,
            processors,
            most_particles,
            panes: Vec::new(),
            opened: Vec::new(),
            status: Status { speed: 1.0, ..Status::default() },
            target: 0.0,
            moments: Moments::default(),
            frames: Frames::default(),
        }
    }

    /// Does what is asked until `end` is true.
    pub fn serve(&mut self, requests: &Receiver<Request>, end: &AtomicBool) {
        let mut tick = Instant::now();
        let mut is_old = true;
        while !end.load(Ordering::Relaxed) {
            let wait = if self.status.running { FRAME.saturating_sub(tick.elapsed()) } else { LOOK };
            match requests.recv_timeout(wait) {
                Ok(request) => {
                    self.answer(request);
                    let until = Instant::now() + FRAME;
                    // Others that wait, but for no longer than a frame: `end` and the page wait, too.
                    while Instant::now() < until
                        && let Ok(request) = requests.try_recv()
                    {
                        self.answer(request);
                    }
                    is_old = true;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let passed = tick.elapsed().as_secs_f64().min(STALL);
            if self.status.running && tick.elapsed() >= FRAME {
                tick = Instant::now();
                self.go_on(passed * self.status.speed);
                is_old = true;
            }
            if is_old && self.hub.is_wanted.swap(false, Ordering::Relaxed) {
                self.publish();
                is_old = self.status.running;
            }
        }
    }

    /// Steps all panes on by so much simulated time, `[s]`, or as far as they come in the time of a frame: the one that is
    /// behind goes first.
    fn go_on(&mut self, more: f64) {
        self.target += more;
        let until = Instant::now() + FRAME;
        loop {
            let at = |pane: &dyn Pane| pane.t();
            let alive = self.panes.iter().enumerate().filter(|(_, pane)| pane.failure().is_none());
            let next = alive.min_by(|a, b| at(&**a.1).total_cmp(&at(&**b.1))).map(|(k, _)| k);
            let Some(k) = next else { return self.pause() };
            if self.panes[k].t() >= self.target {
                break;
            }
            if Instant::now() >= until {
                // Slower than asked: what is left is not made up for.
                self.target = self.panes[k].t();
                break;
            }
            self.step(k);
        }
        self.keep_moment();
        self.tell_status();
    }

    fn keep_moment(&mut self) {
        if let Err(error) = self.moments.note(&mut self.panes) {
            self.refuse(None, &error);
        }
    }

    /// Does a step, unless there are too many particles for another one: then all panes pause.
    fn step(&mut self, k: usize) {
        match self.room(k) {
            Ok(()) => self.panes[k].step(),
            Err(error) => {
                self.pause();
                self.refuse(Some(k), &error);
            }
        }
    }

    fn room(&self, k: usize) -> Result<(), Error> {
        let n = self.panes[k].len();
        if n <= self.most_particles {
            return Ok(());
        }
        let error = Error::new(format!("{n} particles are more than {}", self.most_particles));
        Err(error.hint("go back, or give --most-particles"))
    }

    /// Tells which panes have failed, if they are not those that were told.
    fn tell_failures(&self) {
        let now: Vec<_> = self.panes.iter().map(|pane| pane.failure().map(str::to_owned)).collect();
        self.hub.failures.send_if_modified(|known| std::mem::replace(known, now.clone()) != now);
    }

    fn pause(&mut self) {
        self.status.running = false;
        self.tell_status();
    }

    fn tell_status(&mut self) {
        self.status.t = self.latest();
        self.status.kept_from = self.moments.first().unwrap_or(self.status.t);
        self.tell_failures();
        let status = self.status;
        self.hub.status.send_if_modified(|known| std::mem::replace(known, status) != status);
    }

    /// Hands the newest particles to the connections.
    fn publish(&mut self) {
        let mut fluid = Vec::new();
        for (k, pane) in self.panes.iter_mut().enumerate() {
            match pane.frame(k) {
                Ok(frame) => fluid.push(frame),
                Err(error) => self.hub.tell(Message::said(Level::Error, Some(k), None, &error.to_string())),
            }
            if let Some(walls) = pane.walls(k) {
                self.frames.walls[k] = (self.frames.walls[k].0 + 1, walls);
            }
        }
        (0..self.panes.len()).for_each(|k| self.tell_particle(k));
        self.frames.fluid = fluid;
        self.hub.frames.send_replace(Arc::new(self.frames.clone()));
    }

    fn tell_particle(&mut self, k: usize) {
        if let Some(particle) = self.panes[k].particle(k) {
            self.hub.tell(particle);
        }
    }

    fn answer(&mut self, request: Request) {
        match request {
            Request::Order(order) => {
                let pane = order.pane();
                if let Err(error) = self.obey(order) {
                    self.refuse(pane, &error);
                }
                self.tell_status();
            }
            Request::Save { what, pane, to } => {
                let saved = self.pane(pane).and_then(|pane| match what {
                    Saved::Scene => pane.scene().map(String::into_bytes),
                    Saved::Script => pane.script().map(String::into_bytes),
                    Saved::Checkpoint => pane.keep(),
                });
                // Whoever asked may be gone.
                let _ = to.send(saved.map_err(|error| error.to_string()));
            }
        }
    }

    fn obey(&mut self, order: Order) -> Result<(), Error> {
        match order {
            Order::Open { panes } => self.open(panes)?,
            Order::Reset {} => self.open(self.opened.clone())?,
            Order::Play {} => self.play()?,
            Order::Pause {} => self.status.running = false,
            Order::Step {} => {
                self.status.running = false;
                (0..self.panes.len())
                    .filter(|&k| self.panes[k].failure().is_none())
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|k| self.step(k));
                self.keep_moment();
            }
            Order::Speed { factor } => self.status.speed = in_range("speed.factor", factor, &SPEEDS)?,
            Order::Rewind { t } => self.rewind(t)?,
            Order::Command { pane, command } => self.command(pane, command)?,
            Order::Show { pane, field, low, high } => self.pane(pane)?.show(&field, low, high)?,
            Order::Inspect { pane, id } => {
                self.pane(pane)?.inspect(id);
                self.tell_particle(pane);
            }
            Order::Pick { pane, x } => {
                self.pane(pane)?.pick(&x)?;
                self.tell_particle(pane);
            }
            Order::Phases { pane } => self.phases(pane)?,
            Order::Next {} => {}
        }
        Ok(())
    }

    /// Makes all panes before any of those that there are goes.
    fn open(&mut self, wanted: Vec<Wanted>) -> Result<(), Error> {
        if !PANES.contains(&wanted.len()) {
            return Err(Error::range("panes", wanted.len(), "[1, 4]"));
        }
        let (mut panes, mut opened) = (Vec::new(), Vec::new());
        for (k, one) in wanted.into_iter().enumerate() {
            match self.make(&one) {
                Ok(pane) => {
                    panes.push(pane);
                    opened.push(one);
                }
                Err(error) => {
                    if !one.optional {
                        self.refuse(Some(k), &error);
                        return Err(Error::new("the panes stay as they were"));
                    }
                    let left_out = format!("left out: {error}");
                    self.hub.tell(Message::said(Level::Warning, None, error.line(), &left_out));
                }
            }
        }
        if panes.is_empty() {
            return Err(Error::new("no pane is left; they stay as they were"));
        }
        let about = panes.iter().map(|pane| pane.about()).collect::<Result<Vec<_>, _>>()?;
        self.frames.walls =
            panes.iter().map(|_| (self.frames.newest(), Message::text(&Value::Null))).collect();
        (self.panes, self.opened, self.target) = (panes, opened, 0.0);
        self.status.running = false;
        self.moments = Moments::default();
        self.keep_moment();
        self.hub.frames.send_replace(Arc::default());
        self.hub.opened.send_replace(Message::text(&json!({ "is": "opened", "panes": about })));
        Ok(())
    }

    /// The run that a pane asks for.
    fn make(&self, wanted: &Wanted) -> Result<Box<dyn Pane>, Error> {
        let (scene, text, notes) = self.scenes.scene(wanted)?;
        let n = scene.estimate()?.fluid.round();
        if n > self.most_particles as f64 {
            let error = Error::new(format!("has about {n} particles, more than {}", self.most_particles));
            return Err(error.hint("raise the spacing, or give --most-particles"));
        }
        let is_meant = |name: String| wanted.backend.as_ref().is_none_or(|backend| *backend == name);
        let Some(processor) = self.processors.iter().find(|processor| is_meant(processor.name())) else {
            let known: Vec<_> = self.processors.iter().map(Processor::name).collect();
            let error =
                Error::invalid("backend", "is none of this page").value(format!("{:?}", wanted.backend));
            return Err(error.hint(format!("there are {}", known.join(", "))));
        };
        let setup = Setup { wanted: wanted.clone(), text, notes, most_particles: self.most_particles };
        pane::open(setup, scene, processor)
    }

    fn play(&mut self) -> Result<(), Error> {
        if self.panes.is_empty() {
            return Err(Error::new("no scene is open"));
        }
        self.status.running = true;
        self.target = self
            .panes
            .iter()
            .filter(|pane| pane.failure().is_none())
            .map(|pane| pane.t())
            .fold(f64::INFINITY, f64::min);
        Ok(())
    }

    /// Where the farthest run is that goes on, or was that has failed, `[s]`.
    fn latest(&self) -> f64 {
        let alive =
            self.panes.iter().filter(|pane| pane.failure().is_none()).map(|pane| pane.t()).reduce(f64::max);
        alive.unwrap_or_else(|| self.panes.iter().map(|pane| pane.t()).fold(0.0, f64::max))
    }

    fn rewind(&mut self, t: f64) -> Result<(), Error> {
        self.status.running = false;
        self.moments.back(t, &mut self.panes)
    }

    fn command(&mut self, pane: Option<usize>, command: Value) -> Result<(), Error> {
        if names_a_file(&command) {
            return Err(Error::new("commands of the page name no files"));
        }
        let command: Command =
            serde_json::from_value(command).map_err(|error| Error::new(format!("command: {error}")))?;
        if let Some(k) = pane {
            return self.pane(k)?.command(&command).map_err(|error| by_hand(error, &command));
        }
        // A pane that refuses it does not keep the others from it.
        for k in 0..self.panes.len() {
            if let Err(error) = self.panes[k].command(&command) {
                self.refuse(Some(k), &by_hand(error, &command));
            }
        }
        Ok(())
    }

    fn phases(&mut self, k: usize) -> Result<(), Error> {
        self.status.running = false;
        self.pane(k)?;
        self.room(k)?;
        let messages = self.panes[k].record(k)?;
        self.hub.tell(Message::Several(messages.into()));
        Ok(())
    }

    fn pane(&mut self, k: usize) -> Result<&mut Box<dyn Pane>, Error> {
        let n = self.panes.len();
        self.panes.get_mut(k).ok_or_else(|| Error::range("pane", k, &format!("[0, {n})")))
    }

    fn refuse(&self, pane: Option<usize>, error: &Error) {
        self.hub.tell(Message::said(Level::Error, pane, error.line(), &error.to_string()));
    }
}

impl Order {
    /// The pane that it is for, if it is for one.
    fn pane(&self) -> Option<usize> {
        match self {
            Self::Command { pane, .. } => *pane,
            Self::Show { pane, .. }
            | Self::Inspect { pane, .. }
            | Self::Pick { pane, .. }
            | Self::Phases { pane } => Some(*pane),
            _ => None,
        }
    }
}

/// An error of a command that stands in no script: of a change, by the key of what it changes.
fn by_hand(error: Error, command: &Command) -> Error {
    let key = error.key().map(str::to_owned).unwrap_or_default();
    match (&command.set, key.split_once('.')) {
        (Some(set), _) => error.under(&set.key),
        (None, Some((_, key))) => error.under(key),
        (None, None) => error,
    }
}

impl Frames {
    /// The number of the newest walls.
    fn newest(&self) -> u64 {
        self.walls.iter().map(|walls| walls.0).max().unwrap_or(0)
    }
}

fn in_range(key: &str, x: f64, range: &std::ops::RangeInclusive<f64>) -> Result<f64, Error> {
    let text = format!("[{}, {}]", range.start(), range.end());
    if range.contains(&x) { Ok(x) } else { Err(Error::range(key, x, &text)) }
}

/// True when a value names a file anywhere in it.
fn names_a_file(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| key == "file" || names_a_file(value)),
        Value::Array(items) => items.iter().any(names_a_file),
        _ => false,
    }
}
