//! Commands: what a script, a viewer or a test may do to a run between two steps.
use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::source::Source;
use super::{Fluid, PressureField, Scene, VelocityField};
use crate::{
    error::Error,
    geometry::{
        motion::Motion,
        sampling::SURFACE_TOLERANCE,
        shape::{Shape, direction, vector},
    },
    keys::{Bounded, Range, join},
    parameters,
};

parameters! {
    /// Something done to a run between two steps: exactly one of its actions, at a time or at a step.
    pub struct Command {
        /// When it is done: before the first step that begins at this time or later; 0 if left out.
        pub at: Option<f64> = None, "s", "[0, inf)";
        /// The step before which it is done, counted from 0, in place of a time: as a history is written.
        pub step: Option<u64> = None, "-", "[0, inf)";
        /// Adds a body of fluid, unless it comes too near to what is there.
        pub add: Option<Fluid> = None, validate;
        /// Opens an emitter.
        pub emitter: Option<Emitter> = None, validate;
        /// Opens a drain.
        pub drain: Option<Drain> = None, validate;
        /// Drags fluid and bodies along a path.
        pub push: Option<Push> = None, validate;
        /// Closes the emitter or drain of this name.
        pub close: Option<String> = None;
        /// Gives a wall another motion, from where it is.
        pub move_wall: Option<MoveWall> = None, validate;
        /// Stops the wall of this name where it is.
        pub stop_wall: Option<String> = None;
        /// Changes a parameter.
        pub set: Option<Set> = None, validate;
        hidden origin: Origin;
    }
}

parameters! {
    /// A round outlet, flat across `direction`, from which layers of fluid come one spacing apart.
    pub struct Emitter {
        /// Name, to close it by.
        pub name: String = String::new();
        /// Middle of the outlet.
        pub center: Vec<f64>, "m", "(-inf, inf)";
        /// Direction of the flow, of any length.
        pub direction: Vec<f64>, "-", "(-inf, inf)";
        /// Radius of the outlet; in two dimensions half its width.
        pub radius: f64, "m", "(0, inf)";
        /// Speed of the fluid.
        pub speed: f64, "m/s", "(0, inf)";
        /// Time after which it closes by itself; never if left out.
        pub duration: Option<f64> = None, "s", "(0, inf)";
        /// Number of particles after which it closes by itself; no limit if left out.
        pub limit: Option<u64> = None, "-", "[1, inf)";
    }
}

parameters! {
    /// A shape in which fluid vanishes.
    pub struct Drain {
        /// Name, to close it by.
        pub name: String = String::new();
        /// Where fluid vanishes.
        pub shape: Shape, validate;
        /// Time after which it closes by itself; never if left out.
        pub duration: Option<f64> = None, "s", "(0, inf)";
    }
}

parameters! {
    /// A pointer that drags what is around it along: `dv/dt = rate (1 - r²/R²)² (u - v)` within the radius `R` of the
    /// pointer, whose velocity is `u`. A dynamic body is held at that one of its points which is nearest to the pointer. The
    /// pointer vanishes behind the last point of its path.
    pub struct Push {
        /// Radius `R`.
        pub radius: f64, "m", "(0, inf)";
        /// How fast they take the velocity of the pointer `[convention]`.
        pub rate: f64 = 100.0, "1/s", "(0, inf)";
        /// Where the pointer is, and when; on straight lines between.
        pub path: Vec<PathPoint>, validate;
    }
}

parameters! {
    /// A point of a path.
    pub struct PathPoint {
        /// Time since the command.
        pub time: f64, "s", "[0, inf)";
        /// Place.
        pub position: Vec<f64>, "m", "(-inf, inf)";
    }
}

parameters! {
    /// A wall, by the name it has in the scene, and its new motion.
    pub struct MoveWall {
        /// Name of the wall.
        pub wall: String;
        /// How it moves; times count from the command on, positions from where the wall is then.
        pub motion: Motion, validate;
    }
}

parameters! {
    /// A parameter and its new value.
    pub struct Set {
        /// `gravity`, `run.time_step`, or a parameter of the solver, as `solver.dynamic_viscosity`.
        pub key: String;
        /// The value, written as in a scene.
        pub value: Setting;
    }
}

/// Widest outlet of an emitter, in spacings.
const WIDEST: f64 = 1000.0;

/// A value as a scene writes it: a number, a name, a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Setting(pub toml::Value);

impl JsonSchema for Setting {
    fn schema_name() -> Cow<'static, str> {
        "Setting".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A value as a scene writes it: a number, a name, a list." })
    }
}

/// The text that a command was read from, and its place there: no part of what it says, so all are equal.
#[derive(Clone, Debug, Default)]
struct Origin {
    source: Source,
    index: usize,
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

parameters! {
    /// Commands in a file of their own.
    pub struct Script {
        /// The commands.
        pub command: Vec<Command> = Vec::new(), validate;
    }
}

impl Script {
    /// Reads and checks a script for a scene; `name` is what errors call it, as the name of its file.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with line, column, key, value and allowed range.
    pub fn parse(name: &str, text: &str, scene: &Scene) -> Result<Self, Error> {
        let source = Source::new(name, text);
        let mut script: Self = source.read()?;
        script.validate("").map_err(|error| source.locate(error))?;
        mark(&mut script.command, &source);
        let (folder, dim) = (super::files::folder(name), usize::from(scene.dim));
        super::files::load_commands(&mut script.command, folder, dim, scene.run.end_time)
            .map_err(|error| source.locate(error))?;
        check_all(&script.command, scene)?;
        Ok(script)
    }

    /// The commands as TOML: [`Script::parse`] reads them back.
    ///
    /// # Errors
    ///
    /// If a value cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, Error> {
        toml::to_string(self).map_err(|error| Error::new(error.to_string()))
    }
}

/// Tells commands where they stand.
pub(super) fn mark(commands: &mut [Command], source: &Source) {
    for (index, command) in commands.iter_mut().enumerate() {
        command.origin = Origin { source: source.clone(), index };
    }
}

/// Checks what can be wrong with commands before they are done.
///
/// # Errors
///
/// The first contradiction, with its place.
pub(super) fn check_all(commands: &[Command], scene: &Scene) -> Result<(), Error> {
    commands.iter().try_for_each(|command| {
        if scene.dim == 2 { command.check::<2>(scene) } else { command.check::<3>(scene) }
    })
}

impl Command {
    /// Checks numbers and names; what depends on the state of the run is checked when it is done.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place if it was read from a text.
    pub fn check<const D: usize>(&self, scene: &Scene) -> Result<(), Error> {
        let found = self.check_form().and_then(|()| self.action_fits::<D>(scene, &self.key()));
        found.map_err(|error| self.locate(error))
    }

    /// Checks what needs no scene: every number, that there is one moment and one action.
    pub(crate) fn check_form(&self) -> Result<(), Error> {
        let key = self.key();
        self.validate(&key)?;
        if self.at.is_some() && self.step.is_some() {
            return Err(Error::invalid(join(&key, "step"), "stands beside `at`").hint("give one of them"));
        }
        let actions = [
            self.add.is_some(),
            self.emitter.is_some(),
            self.drain.is_some(),
            self.push.is_some(),
            self.close.is_some(),
            self.move_wall.is_some(),
            self.stop_wall.is_some(),
            self.set.is_some(),
        ];
        let n = actions.into_iter().filter(|given| *given).count();
        if n != 1 {
            let hint = "give one of add, emitter, drain, push, close, move_wall, stop_wall, set";
            return Err(Error::invalid(key, format!("names {n} actions, must name one")).hint(hint));
        }
        if self.add.as_ref().is_some_and(|body| body.pressure != PressureField::Zero) {
            let message = "is for the start of a run: an added body has the density of rest";
            return Err(Error::invalid(join(&key, "add.pressure"), message).hint("leave it out"));
        }
        Ok(())
    }

    /// Adds line and column to an error that knows its key only.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        self.origin.source.locate(error)
    }

    /// Its key path, as `command[2]`.
    pub fn key(&self) -> String {
        format!("command[{}]", self.origin.index)
    }

    fn action_fits<const D: usize>(&self, scene: &Scene, key: &str) -> Result<(), Error> {
        if let Some(fluid) = &self.add {
            let key = join(key, "add");
            super::check::fluid::<D>(scene, fluid, &key)?;
            if matches!(fluid.velocity, VelocityField::Table(_)) {
                // Its grid must hold all particles, which the run finds only when it adds them.
                fluid.sample::<D>(&key, scene.spacing)?;
            }
        }
        if let Some(emitter) = &self.emitter {
            let center_key = join(key, "emitter.center");
            let center = vector::<D>(&center_key, &emitter.center)?;
            direction::<D>(&join(key, "emitter.direction"), &emitter.direction)?;
            emitter.across(&join(key, "emitter"), scene.spacing)?;
            super::check::outlet(scene, &center, &center_key)?;
        }
        if let Some(drain) = &self.drain {
            drain.shape.resolve::<D>(&join(key, "drain.shape"))?;
        }
        if let Some(push) = &self.push {
            check_path::<D>(&push.path, &join(key, "push.path"))?;
        }
        if let Some(step) = &self.move_wall {
            known_wall(scene, &step.wall, &join(key, "move_wall.wall"))?;
            step.motion.resolve::<D>(&join(key, "move_wall.motion"))?;
        }
        if let Some(wall) = &self.stop_wall {
            known_wall(scene, wall, &join(key, "stop_wall"))?;
        }
        self.set.as_ref().map_or(Ok(()), |set| set.change::<D>(&join(key, "set")).map(drop))
    }
}

/// What a command sets.
pub(crate) enum Change<'a, const D: usize> {
    /// Gravity, `[m/s²]`.
    Gravity([f64; D]),
    /// The fixed step, `[s]`.
    TimeStep(f64),
    /// This parameter of the solver, to a value that the solver has to check.
    Solver(&'a str),
}

impl Set {
    /// What is set, with its value; `key` is its own.
    ///
    /// # Errors
    ///
    /// If the key cannot change in a run, or has a value of another kind.
    pub(crate) fn change<const D: usize>(&self, key: &str) -> Result<Change<'_, D>, Error> {
        const FINITE: Range = Range::parse("(-inf, inf)");
        const TIME_STEP: Range = Range::parse("[1e-9, inf)");
        let (value, value_key) = (&self.value.0, join(key, "value"));
        let wrong = |kind: &str| Error::invalid(&value_key, format!("must be {kind}")).value(value);
        if let Some(name) = self.key.strip_prefix("solver.") {
            return Ok(Change::Solver(name));
        }
        match self.key.as_str() {
            "gravity" => {
                let g: Vec<f64> = value.clone().try_into().map_err(|_| wrong("a list of numbers"))?;
                g.check(&value_key, "m/s²", &FINITE)?;
                Ok(Change::Gravity(vector(&value_key, &g)?))
            }
            "run.time_step" => {
                let dt: f64 = value.clone().try_into().map_err(|_| wrong("a number"))?;
                dt.check(&value_key, "s", &TIME_STEP)?;
                Ok(Change::TimeStep(dt))
            }
            other => {
                let error =
                    Error::invalid(join(key, "key"), "cannot change in a run").value(format!("{other:?}"));
                Err(error.hint("change gravity, run.time_step, or a parameter of the solver"))
            }
        }
    }
}

impl Emitter {
    /// Places across the outlet.
    ///
    /// # Errors
    ///
    /// If they are more than any run needs.
    pub(crate) fn across(&self, key: &str, spacing: f64) -> Result<usize, Error> {
        let n = 2.0 * self.radius / spacing * (1.0 + SURFACE_TOLERANCE);
        if n > WIDEST {
            let error =
                Error::range(join(key, "radius"), self.radius, &format!("(0, {}]", 0.5 * WIDEST * spacing));
            return Err(error.unit("m").hint(format!("at most {WIDEST} spacings across")));
        }
        Ok((n.floor() as usize).max(1))
    }
}

fn check_path<const D: usize>(path: &[PathPoint], key: &str) -> Result<(), Error> {
    if path.len() < 2 {
        let message = format!("has {} points, needs at least 2", path.len());
        return Err(Error::invalid(key, message).hint("a pointer at rest has the same position twice"));
    }
    for (i, point) in path.iter().enumerate() {
        vector::<D>(&format!("{key}[{i}].position"), &point.position)?;
        if i > 0 && point.time <= path[i - 1].time {
            let message = format!("must be later than the time before it, {} s", path[i - 1].time);
            return Err(Error::invalid(format!("{key}[{i}].time"), message).value(point.time));
        }
    }
    Ok(())
}

/// Walls without a name are called by their place, as `wall[0]`.
fn known_wall(scene: &Scene, name: &str, key: &str) -> Result<(), Error> {
    let names = scene.wall.iter().enumerate().map(|(k, wall)| wall.called(k));
    super::check::known("wall", names, name, key)
}
