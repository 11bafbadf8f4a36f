//! What happens to a run between its steps: commands, and the emitters, drains and pointers that they open.
//!
//! A command that was done stands in the history with its step. The history of a run, given to a new run of
//! the same scene as its script, repeats it to the last bit; so does a restart, which takes from the history
//! what no array holds.

mod edit;
mod emitter;
mod open;
mod push;

pub use edit::Subject;
pub use emitter::{Emitted, Emitter};
pub use open::{Drain, Open};
pub use push::Push;

use crate::{
    Real,
    error::Error,
    keys::formula::Formula,
    method::state::State,
    scene::{Command, Scene},
};

/// A command that was done, and when.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Time of the run, `[s]`.
    pub t: f64,
    /// The command, with its step in place of a time.
    pub command: Command,
}

/// What a restart must keep beside the history. Places in the history stand for the commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Commands of the script that are done: those with a step, those with a time.
    pub script: [usize; 2],
    /// Particles that drains have taken.
    pub drained: u64,
    /// The drains that are open.
    pub drains: Vec<usize>,
    /// The active pointers.
    pub pushes: Vec<usize>,
    /// The emitters that are open.
    pub emitters: Vec<usize>,
    /// What each of them has given.
    pub emitted: Vec<Emitted>,
}

/// Commands in the order in which they are due, and how many are done.
#[derive(Clone, Debug, Default)]
struct Queue {
    commands: Vec<Command>,
    done: usize,
}

impl Queue {
    fn next(&self, is_due: impl Fn(&Command) -> bool) -> Option<Command> {
        self.commands.get(self.done).filter(|command| is_due(command)).cloned()
    }
}

/// What is open now, and what it has done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Openings<const D: usize> {
    emitters: Vec<Open<Emitter<D>>>,
    drains: Vec<Open<Drain<D>>>,
    pushes: Vec<Open<Push<D>>>,
    drained: u64,
}

/// Script, history, and what is open now.
#[derive(Clone, Debug)]
pub struct Interaction<const D: usize> {
    by_step: Queue,
    by_time: Queue,
    history: Vec<Done>,
    /// Gravity as scene and commands have it, and the acceleration beside it, `[m/s²]`.
    gravity: [Real; D],
    acceleration: Vec<Formula>,
    /// A run that goes back to an earlier state goes back to these, too.
    pub(crate) open: Openings<D>,
}

impl<const D: usize> Interaction<D> {
    /// The script of a scene, whose state has this gravity, `[m/s²]`.
    pub fn of(scene: &Scene, gravity: [Real; D]) -> Self {
        let (mut by_step, mut by_time): (Vec<_>, Vec<_>) =
            scene.command.iter().cloned().partition(|command| command.step.is_some());
        // Stable: commands of one moment keep the order in which they stand.
        by_step.sort_by_key(|command| command.step);
        by_time.sort_by(|a, b| moment(a).total_cmp(&moment(b)));
        let queue = |commands| Queue { commands, done: 0 };
        Self {
            by_step: queue(by_step),
            by_time: queue(by_time),
            history: Vec::new(),
            gravity,
            acceleration: scene.forces.acceleration.clone(),
            open: Openings::default(),
        }
    }

    /// Gives gravity the acceleration that a scene prescribes beside it at the beginning of a step.
    pub fn accelerate(&self, state: &mut State<D>) {
        for (a, formula) in self.acceleration.iter().enumerate() {
            state.forces.gravity[a] = self.gravity[a] + formula.at(&[], state.t) as Real;
        }
    }

    /// Everything done so far.
    pub fn history(&self) -> &[Done] {
        &self.history
    }

    /// The emitters that are open.
    pub fn emitters(&self) -> impl Iterator<Item = &Emitter<D>> {
        self.open.emitters.iter().map(|open| &open.what)
    }

    /// True when the script gives a wall another motion.
    pub fn moves_walls(&self) -> bool {
        self.by_step.commands.iter().chain(&self.by_time.commands).any(|command| command.move_wall.is_some())
    }

    /// Particles that drains have taken.
    pub fn drained(&self) -> u64 {
        self.open.drained
    }

    /// The numbers that a restart must keep.
    pub fn counters(&self) -> Counters {
        Counters {
            script: [self.by_step.done, self.by_time.done],
            drained: self.open.drained,
            drains: self.open.drains.iter().map(|open| open.by).collect(),
            pushes: self.open.pushes.iter().map(|open| open.by).collect(),
            emitters: self.open.emitters.iter().map(|open| open.by).collect(),
            emitted: self.emitters().map(|emitter| emitter.emitted).collect(),
        }
    }

    /// True when nothing is due before this step, and nothing open acts in it.
    pub fn is_idle(&self, step: u64, t: f64) -> bool {
        let open = &self.open;
        self.by_step.next(|command| command.step.is_some_and(|due| due <= step)).is_none()
            && self.by_time.next(|command| moment(command) <= t).is_none()
            && open.emitters.is_empty()
            && open.drains.is_empty()
            && open.pushes.is_empty()
    }

    /// Does what is due before the next step: commands of the script, emitters, drains.
    ///
    /// # Errors
    /// When a command of the script cannot be done (those before it are), or an emitter not go on.
    pub fn before_step(&mut self, run: &mut Subject<'_, D>) -> Result<(), Error> {
        let (step, t) = (run.state.step, run.state.t);
        while let Some(command) = self.by_step.next(|command| command.step.is_some_and(|due| due <= step)) {
            self.perform(command, run)?;
            self.by_step.done += 1;
        }
        while let Some(command) = self.by_time.next(|command| moment(command) <= t) {
            self.perform(command, run)?;
            self.by_time.done += 1;
        }
        for open in &mut self.open.emitters {
            open.what.emit(run)?;
        }
        self.open.emitters.retain(|open| !open.what.is_spent(t));
        for open in &self.open.drains {
            self.open.drained += run.remove(&open.what.region);
        }
        self.open.drains.retain(|open| t < open.what.end);
        self.open.pushes.retain(|open| t < open.what.end());
        Ok(())
    }

    /// Drags the fluid for a step of `dt`, `[s]`. True when something did.
    pub fn push(&self, run: &mut Subject<'_, D>, dt: f64) -> bool {
        for open in &self.open.pushes {
            open.what.act(run.state, dt);
        }
        !self.open.pushes.is_empty()
    }

    /// Does a command now, whatever time it names.
    ///
    /// # Errors
    /// When it cannot be done; nothing has changed then.
    pub fn command(&mut self, command: &Command, run: &mut Subject<'_, D>) -> Result<(), Error> {
        self.perform(command.clone(), run)
    }

    fn perform(&mut self, mut command: Command, run: &mut Subject<'_, D>) -> Result<(), Error> {
        let done = command.check_form().and_then(|()| self.act(&command, run));
        let done = done.map_err(|error| command.locate(error));
        (command.step, command.at) = (Some(run.state.step), None);
        done.map(|()| self.history.push(Done { t: run.state.t, command }))
    }

    fn act(&mut self, command: &Command, run: &mut Subject<'_, D>) -> Result<(), Error> {
        let key = command.key();
        if let Some(fluid) = &command.add {
            run.add_body(fluid, &format!("{key}.add"))?;
        }
        if let Some(emitter) = &command.emitter {
            let emitter = Emitter::open(emitter, &format!("{key}.emitter"), run.state)?;
            emitter.check_outlet(&format!("{key}.emitter.center"), run.state)?;
            self.open.emitters.push(Open { by: self.history.len(), what: emitter });
        }
        if let Some(name) = &command.close {
            self.close(name, &format!("{key}.close"))?;
        }
        self.begin(command, self.history.len(), run.state.t)?;
        self.reconfigure(command, run)
    }

    fn reconfigure(&mut self, command: &Command, run: &mut Subject<'_, D>) -> Result<(), Error> {
        // A command may set gravity: not what is prescribed beside it.
        run.state.forces.gravity = self.gravity;
        let done = run.reconfigure(command);
        self.gravity = run.state.forces.gravity;
        self.accelerate(run.state);
        done
    }

    /// Opens a drain, or starts a pointer.
    fn begin(&mut self, command: &Command, by: usize, t: f64) -> Result<(), Error> {
        let key = command.key();
        if let Some(drain) = &command.drain {
            self.open.drains.push(Open { by, what: Drain::open(drain, &format!("{key}.drain"), t)? });
        }
        if let Some(push) = &command.push {
            self.open.pushes.push(Open { by, what: Push::begin(push, &format!("{key}.push"), t)? });
        }
        Ok(())
    }

    fn close(&mut self, name: &str, key: &str) -> Result<(), Error> {
        let names: Vec<String> = self.emitters().map(|emitter| &emitter.name).cloned().collect();
        let names: Vec<String> =
            names.into_iter().chain(self.open.drains.iter().map(|open| open.what.name.clone())).collect();
        if !names.iter().any(|known| known == name) {
            let error = Error::invalid(key, "is no open emitter or drain").value(format!("{name:?}"));
            return Err(error.hint(format!("open are: {names:?}")));
        }
        self.open.emitters.retain(|open| open.what.name != name);
        self.open.drains.retain(|open| open.what.name != name);
        Ok(())
    }

    /// Takes back what commands had led to, but for the arrays, which the caller overwrites next: motions,
    /// parameters, and what is open. `run` is that of the scene, before its first step.
    ///
    /// # Errors
    /// When the history does not fit the scene, or the counters the history.
    pub fn restore(
        &mut self,
        history: Vec<Done>,
        counters: &Counters,
        run: &mut Subject<'_, D>,
    ) -> Result<(), Error> {
        for done in &history {
            run.state.t = done.t;
            self.reconfigure(&done.command, run)?;
        }
        self.history = history;
        for &by in counters.drains.iter().chain(&counters.pushes) {
            let Done { command, t, .. } = self.opener(by)?;
            self.begin(&command, by, t)?;
        }
        for (&by, &emitted) in counters.emitters.iter().zip(&counters.emitted) {
            let Done { command, t, .. } = self.opener(by)?;
            let Some(emitter) = &command.emitter else { continue };
            run.state.t = t;
            let mut emitter = Emitter::open(emitter, "emitter", run.state)?;
            emitter.emitted = emitted;
            self.open.emitters.push(Open { by, what: emitter });
        }
        self.open.drained = counters.drained;
        [self.by_step.done, self.by_time.done] = counters.script;
        if self.counters() != *counters {
            return Err(Error::new("has counters that do not fit its history"));
        }
        Ok(())
    }

    fn opener(&self, by: usize) -> Result<Done, Error> {
        let found = self.history.get(by).cloned();
        found.ok_or_else(|| {
            Error::new(format!("counts on command {by} of a history of {}", self.history.len()))
        })
    }
}

/// When a command without a step is due, `[s]`.
fn moment(command: &Command) -> f64 {
    command.at.unwrap_or(0.0)
}
