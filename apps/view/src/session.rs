//! The runs of all panes, side by side in simulated time.

pub mod audience;
mod moments;

use crate::{
    pane::{self, Pane, Setup, Shown},
    scenes::Scenes,
    wire::{Level, Message, Order, PANES, SPEEDS, Status, Wanted, by_option},
};
use audience::{Audience, Frames, Saved};
use bench_suite::system::{clock::Instant, processor::Processor};
use moments::Moments;
use serde_json::Value;
use sph_core::{error::Error, scene::Command};
use std::time::Duration;

/// Wall-clock time that a stall may be made up for, `[s]`.
const STALL: f64 = 0.1;
/// A pause looks this often whether the program shall end.
const LOOK: Duration = Duration::from_millis(100);

/// The panes, and what is asked of them.
pub struct Session {
    audience: Box<dyn Audience>,
    scenes: Scenes,
    processors: Vec<Processor>,
    most_particles: usize,
    /// Time from one frame to the next, at least.
    frame: Duration,
    panes: Vec<Box<dyn Pane>>,
    opened: Vec<Wanted>,
    status: Status,
    /// Where the panes shall be, `[s]`.
    target: f64,
    moments: Moments,
    frames: Frames,
    /// When the runs were stepped on.
    stepped: Instant,
    /// True when there is something to show that was not shown.
    is_old: bool,
}

impl Session {
    /// One without panes, for runs of at most so many particles and frames that are at least so far apart.
    pub fn new(
        audience: Box<dyn Audience>,
        scenes: Scenes,
        processors: Vec<Processor>,
        most_particles: usize,
        frame: Duration,
    ) -> Self {
        Self {
            audience,
            scenes,
            processors,
            most_particles,
            frame,
            panes: Vec::new(),
            opened: Vec::new(),
            status: Status { speed: 1.0, ..Status::default() },
            target: 0.0,
            moments: Moments::default(),
            frames: Frames::default(),
            stepped: Instant::now(),
            is_old: true,
        }
    }

    /// Time until [`Session::turn`] has something to do, unless something is asked for before.
    pub fn rest(&self) -> Duration {
        if self.status.running { self.frame.saturating_sub(self.stepped.elapsed()) } else { LOOK }
    }

    /// Steps the runs on if that is due, and shows them to those who want to see them.
    pub fn turn(&mut self) {
        let passed = self.stepped.elapsed();
        if self.status.running && passed >= self.frame {
            self.stepped = Instant::now();
            self.go_on(passed.as_secs_f64().min(STALL) * self.status.speed);
            self.is_old = true;
        }
        self.show();
    }

    /// Shows the runs to those who want to see them, unless they are as they were shown.
    pub fn show(&mut self) {
        if self.is_old && self.audience.wants_frames() {
            self.publish();
            self.is_old = false;
        }
    }

    /// Steps all panes on by so much simulated time, `[s]`, or as far as they come in the time of a frame: the one that is
    /// behind goes first.
    fn go_on(&mut self, more: f64) {
        self.target += more;
        let until = Instant::now() + self.frame;
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
        Err(error.hint(by_option("go back")))
    }

    /// Tells which panes have failed.
    fn tell_failures(&self) {
        let now: Vec<_> = self.panes.iter().map(|pane| pane.failure().map(str::to_owned)).collect();
        self.audience.tell_failures(&now);
    }

    fn pause(&mut self) {
        self.status.running = false;
        self.tell_status();
    }

    fn tell_status(&mut self) {
        self.status.t = self.latest();
        self.status.kept_from = self.moments.first().unwrap_or(self.status.t);
        self.tell_failures();
        self.audience.tell_status(self.status);
    }

    /// Hands the newest particles to the connections.
    fn publish(&mut self) {
        let mut fluid = Vec::new();
        for (k, pane) in self.panes.iter_mut().enumerate() {
            match pane.frame(k) {
                Ok(frame) => fluid.push(frame),
                Err(error) => {
                    self.audience.tell(Message::said(Level::Error, Some(k), None, &error.to_string()))
                }
            }
            if let Some(walls) = pane.walls(k) {
                self.frames.walls[k] = (self.frames.walls[k].0 + 1, walls);
            }
        }
        (0..self.panes.len()).for_each(|k| self.tell_particle(k));
        self.frames.fluid = fluid;
        self.audience.show(&self.frames);
    }

    fn tell_particle(&mut self, k: usize) {
        if let Some(particle) = self.panes[k].particle(k) {
            self.audience.tell(particle);
        }
    }

    /// Does what the page wants, or says why not.
    pub fn answer(&mut self, order: Order) {
        self.is_old = true;
        let pane = order.pane();
        if let Err(error) = self.obey(order) {
            self.refuse(pane, &error);
        }
        self.tell_status();
    }

    /// A file to keep of a pane, or why there is none.
    pub fn saved(&mut self, what: Saved, pane: usize) -> Result<Vec<u8>, String> {
        let saved = self.pane(pane).and_then(|pane| match what {
            Saved::Scene => pane.scene().map(String::into_bytes),
            Saved::Script => pane.script().map(String::into_bytes),
            Saved::Checkpoint => pane.keep(),
        });
        saved.map_err(|error| error.to_string())
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
            Order::Show { pane, field, low, high, vectors } => {
                self.pane(pane)?.show(Shown::new(&field, low, high, vectors)?)?
            }
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
                    self.audience.tell(Message::said(Level::Warning, None, error.line(), &left_out));
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
        self.audience.show(&Frames::default());
        self.audience.tell_opened(Message::opened(&about));
        Ok(())
    }

    /// The run that a pane asks for.
    fn make(&self, wanted: &Wanted) -> Result<Box<dyn Pane>, Error> {
        let (scene, text, notes) = self.scenes.scene(wanted)?;
        let n = scene.estimate()?.fluid.round();
        if n > self.most_particles as f64 {
            let error = Error::new(format!("has about {n} particles, more than {}", self.most_particles));
            return Err(error.hint(by_option("raise the spacing")));
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
        self.audience.tell(Message::Several(messages.into()));
        Ok(())
    }

    fn pane(&mut self, k: usize) -> Result<&mut Box<dyn Pane>, Error> {
        let n = self.panes.len();
        self.panes.get_mut(k).ok_or_else(|| Error::range("pane", k, &format!("[0, {n})")))
    }

    fn refuse(&self, pane: Option<usize>, error: &Error) {
        self.audience.tell(Message::said(Level::Error, pane, error.line(), &error.to_string()));
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
