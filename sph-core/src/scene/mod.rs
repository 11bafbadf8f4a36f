//! A scene: everything that defines a run, as plain data, and how it becomes a state. Imports `method` and what is below;
//! knows nothing of what a run does with it.
//!
//! ```toml
//! title = "Dam break"
//! spacing = 0.01
//! run.end_time = 1.0
//!
//! [[fluid]]
//! shape.block = { min = [0.0, 0.0], max = [0.5, 1.0] }
//!
//! [[wall]]
//! shape.block = { min = [0.0, 0.0], max = [2.0, 1.5] }
//! faces = ["x_min", "x_max", "y_min"]
//!
//! [solver]
//! name = "wcsph"
//! ```
use crate::{
    compiled_here,
    error::Error,
    geometry::{motion::Motion, shape::vector},
    method::{report::Derived, solids::Flow, state::State},
    parameters,
};

mod body;
mod check;
mod command;
mod files;
mod fluid;
mod measure;
mod parameters;
mod settings;
pub mod setup;
mod source;
mod wall;

pub use crate::fluid::boundary::PsiMode;
pub use crate::neighbors::Backend as NeighborBackend;
pub use body::{Body, Freedom};
pub use check::Counts;
pub(crate) use command::Change;
pub use command::{Command, Drain, Emitter, MoveWall, PathPoint, Push, Script, Set, Setting};
pub use fluid::{
    FieldTable, Fluid, Hydrostatic, LinearVelocity, Places, PressureField, StandingWave, StrainedDrop,
    TaylorGreen, VelocityField,
};
pub use measure::{FlowRate, ForceOn, Gauge, Measure, Probe, Profile, Statistic, Take, Total};
pub use parameters::{Parameters, Preset};
pub use settings::{
    Axis, CentralForce, Damping, Domain, Forces, MassMode, Neighbors, OnFailure, Run, SolverSettings,
};
pub use source::Source;
pub use wall::{Boundary, Container, FaceVelocity, Slip, Wall};

/// Standard value that a scene has without `gravity` `[m/s²]`.
pub const GRAVITY: f64 = 9.81;

/// A scene that needs more particles is refused before any are made.
pub const MAX_PARTICLES: f64 = 500e6;

parameters! {
    /// Everything that defines a run.
    pub struct Scene {
        /// What it shows.
        pub title: String = String::new();
        /// Number of dimensions; two of them are a slab of depth 1 m `[convention]`.
        pub dim: u8 = 2, "-", "[2, 3]";
        /// Initial distance of particles `Δx`; each stands for the volume `Δx^D`.
        pub spacing: f64, "m", "(0, inf)";
        /// Rest density `ρ_0`; left out, that of `[water]`.
        pub rest_density: f64 = 1000.0, "kg/m³", "(0, inf)";
        /// Gravity `g`; 9.81 against the second axis if left out.
        pub gravity: Option<Vec<f64>> = None, "m/s²", "(-inf, inf)";
        /// Support radius of the kernel in spacings, `η = h/Δx`; the solver's choice if left out.
        pub support_ratio: Option<f64> = None, "-", "[1.5, 4]";
        /// Whether the fluid has a free surface; found from the geometry if left out. Methods choose by it what is their default.
        pub flow: Option<Flow> = None;
        /// Mass of a fluid particle.
        pub mass_mode: MassMode = MassMode::Calibrated, validate;
        /// The box in which particles are expected; needed for periodic axes.
        pub domain: Option<Domain> = None, validate;
        /// Bodies of fluid.
        pub fluid: Vec<Fluid> = Vec::new(), validate;
        /// Walls made of particles.
        pub wall: Vec<Wall> = Vec::new(), validate;
        /// Rigid bodies that move freely.
        pub body: Vec<Body> = Vec::new(), validate;
        /// Containers without particles.
        pub container: Vec<Container> = Vec::new(), validate;
        /// Treatment of all walls made of particles.
        pub boundary: Boundary = Boundary::default(), validate;
        /// Body forces beside gravity.
        pub forces: Forces = Forces::default(), validate;
        /// Artificial damping of the beginning.
        pub damping: Option<Damping> = None, validate;
        /// What is done to the run between its steps.
        pub command: Vec<Command> = Vec::new(), validate;
        /// What is measured and kept as time series.
        pub measure: Vec<Measure> = Vec::new(), validate;
        /// The search of neighbors.
        pub neighbors: Neighbors = Neighbors::default(), validate;
        /// Length and output of the run.
        pub run: Run, validate;
        /// The solver, and its parameters.
        pub solver: SolverSettings = SolverSettings::default();
        hidden source: Source;
    }
}

impl Scene {
    /// A scene without fluid and walls, under standard gravity.
    pub fn new(dim: u8, spacing: f64, end_time: f64) -> Self {
        Self {
            title: String::new(),
            dim,
            spacing,
            rest_density: 1000.0,
            gravity: Some(standard_gravity(dim)),
            support_ratio: None,
            flow: None,
            mass_mode: MassMode::Calibrated,
            domain: None,
            fluid: Vec::new(),
            wall: Vec::new(),
            body: Vec::new(),
            container: Vec::new(),
            boundary: Boundary::default(),
            forces: Forces::default(),
            damping: None,
            command: Vec::new(),
            measure: Vec::new(),
            neighbors: Neighbors::default(),
            run: Run::until(end_time),
            solver: SolverSettings::default(),
            source: Source::default(),
        }
    }

    /// Reads and checks a scene; `name` is what errors call it, as the name of its file. Files that the scene names are
    /// looked for from the folder of that file on.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with line, column, key, value and allowed range.
    ///
    /// # Example
    ///
    /// ```
    /// use sph_core::scene::Scene;
    /// let error = Scene::parse("dam.toml", "spacing = -0.1\nrun.end_time = 1.0").unwrap_err();
    /// assert_eq!(error.to_string(), "dam.toml:1:11: spacing = -0.1: must lie in (0, inf) [m]");
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let source = Source::new(name, text);
        let mut scene: Self = source.read()?;
        scene.solver.source = source.clone();
        command::mark(&mut scene.command, &source);
        scene.source = source;
        scene.resolve();
        files::load(&mut scene, files::folder(name)).map_err(|error| scene.locate(error))?;
        scene.check()?;
        Ok(scene)
    }

    /// Checks every number, and what can be contradictory without particles.
    ///
    /// # Errors
    ///
    /// The first contradiction, with its place if the scene was read from a text.
    pub fn check(&self) -> Result<(), Error> {
        check::scene(self).map_err(|error| self.locate(error))
    }

    /// The same with a flow that was found, where it names none: kept with a run, since a later version may find otherwise.
    pub fn in_flow(mut self, found: Option<Flow>) -> Self {
        self.flow = self.flow.or(found);
        self
    }

    /// Whether the fluid of its first state has a free surface, or may get one by a command.
    pub fn flow_of<const D: usize>(&self, state: &State<D>) -> Flow {
        compiled_here!(D, Scene::find_flow as fn(&Scene, &State<D>) -> Flow)(self, state)
    }

    fn find_flow<const D: usize>(&self, state: &State<D>) -> Flow {
        let opens = |c: &Command| {
            c.add.is_some() || c.emitter.is_some() || c.drain.is_some() || c.move_wall.is_some()
        };
        // Solids that move against each other may open what was full, as a gate does.
        let motions = || {
            self.wall.iter().map(|wall| &wall.motion).chain(self.container.first().map(|_| &Motion::Static))
        };
        let moves_apart = motions().zip(motions().skip(1)).any(|(one, next)| one != next);
        self.flow.unwrap_or_else(|| match moves_apart || self.command.iter().any(opens) {
            true => Flow::FreeSurface,
            false => Flow::of(state),
        })
    }

    /// Refuses a fixed step above the limits that a method has derived, unless the scene allows it.
    ///
    /// # Errors
    ///
    /// Names the limit that binds.
    pub fn check_time_step(&self, derived: &Derived) -> Result<(), Error> {
        self.run
            .time_step
            .map_or(Ok(()), |dt| self.check_step(dt, derived))
            .map_err(|error| self.locate(error))
    }

    /// The check of [`Scene::check_time_step`], of any step `dt` `[s]`.
    pub(crate) fn check_step(&self, dt: f64, derived: &Derived) -> Result<(), Error> {
        let Some(limit) = derived.binding() else { return Ok(()) };
        // A step written as the limit that was printed counts as the limit.
        if dt <= limit.value * (1.0 + 1e-3) || self.run.allow_unstable_time_step {
            return Ok(());
        }
        let message = format!("is above the largest stable step, {:.4e} s by {}", limit.value, limit.name);
        let error = Error::invalid("run.time_step", message).value(dt);
        Err(error.hint("leave it out, lower it, or set run.allow_unstable_time_step = true"))
    }

    /// Number of particles and samples, estimated from the volumes of the shapes.
    ///
    /// # Errors
    ///
    /// If a shape is refused.
    pub fn estimate(&self) -> Result<Counts, Error> {
        check::estimate(self).map_err(|error| self.locate(error))
    }

    /// Particles that the emitters of its commands give at most, whatever leaves the scene again, `[-]`.
    pub fn emitted(&self) -> f64 {
        let of = |command: &Command| {
            let emitter = command.emitter.as_ref()?;
            let time = self.run.end_time - command.at.unwrap_or(0.0);
            let layers =
                emitter.duration.unwrap_or(f64::INFINITY).min(time).max(0.0) * emitter.speed / self.spacing;
            let across = (2.0 * emitter.radius / self.spacing).max(1.0).powi(i32::from(self.dim) - 1);
            Some(((layers + 1.0) * across).min(emitter.limit.map_or(f64::INFINITY, |limit| limit as f64)))
        };
        self.command.iter().filter_map(of).sum::<f64>().min(MAX_PARTICLES)
    }

    /// Adds line and column to an error that knows its key only.
    #[must_use]
    pub fn locate(&self, error: Error) -> Error {
        self.source.locate(error)
    }

    /// Writes out the defaults that depend on other keys.
    pub fn resolve(&mut self) {
        let dim = self.dim;
        self.gravity.get_or_insert_with(|| standard_gravity(dim));
    }

    /// The scene as TOML with all defaults written out. Reading it again gives an equal scene.
    ///
    /// # Errors
    ///
    /// If the solver's settings cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, Error> {
        let mut resolved = self.clone();
        resolved.resolve();
        toml::to_string(&resolved).map_err(|error| Error::new(error.to_string()))
    }

    /// JSON schema of scene files, for completion and checks in editors.
    pub fn schema() -> String {
        format!("{:#}", schemars::schema_for!(Self).as_value())
    }

    /// Gravity in a fixed dimension `[m/s²]`.
    ///
    /// # Errors
    ///
    /// If the scene has another dimension.
    pub fn gravity_vector<const D: usize>(&self) -> Result<[f64; D], Error> {
        match &self.gravity {
            Some(gravity) => vector("gravity", gravity),
            None => vector("gravity", &standard_gravity(self.dim)),
        }
    }
}

fn standard_gravity(dim: u8) -> Vec<f64> {
    let mut gravity = vec![0.0; usize::from(dim.max(2))];
    gravity[1] = -GRAVITY;
    gravity
}
