//! What a scene says about the run rather than about the fluid.
use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::source::Source;
use crate::{
    error::Error,
    keys::{Bounded, Range, Validate, formula::Formula, join},
    neighbors::Backend as NeighborBackend,
    parameters,
};

parameters! {
    /// The box in which particles are expected; needed for periodic axes.
    pub struct Domain {
        /// Corner with the smallest coordinates.
        pub min: Vec<f64>, "m", "(-inf, inf)";
        /// Corner with the largest coordinates.
        pub max: Vec<f64>, "m", "(-inf, inf)";
        /// Axes along which what leaves on one side enters on the other.
        pub periodic: Vec<Axis> = Vec::new();
    }
}

parameters! {
    /// Body forces beside gravity.
    pub struct Forces {
        /// A pull towards a point.
        pub central: Option<CentralForce> = None, validate;
        /// Acceleration beside gravity, `[m/s²]`: a formula of t `[s]` for each axis, taken at the beginning of a step. That of
        /// a tank which is shaken is felt in it with the opposite sign.
        pub acceleration: Vec<Formula> = Vec::new();
    }
}

parameters! {
    /// Acceleration `a = -B² (x - c)`.
    pub struct CentralForce {
        /// Center `c`.
        pub center: Vec<f64>, "m", "(-inf, inf)";
        /// Strength `B`.
        pub strength: f64, "1/s", "[0, inf)";
    }
}

parameters! {
    /// Artificial damping `v ← v exp(-rate Δt)` that brings a scene to rest before it is measured.
    pub struct Damping {
        /// Rate.
        pub rate: f64, "1/s", "(0, inf)";
        /// When it ends.
        pub until: f64, "s", "(0, inf)";
    }
}

parameters! {
    /// The search of neighbors.
    pub struct Neighbors {
        /// Structure of the search.
        pub backend: NeighborBackend = NeighborBackend::DenseGrid;
        /// Distance added to the support so that lists last for several steps; at most the support radius.
        pub skin: f64 = 0.0, "m", "[0, inf)";
    }
}

parameters! {
    /// Length and output of a run.
    pub struct Run {
        /// Simulated time.
        pub end_time: f64, "s", "(0, inf)";
        /// Largest number of steps; no limit if left out.
        pub max_steps: Option<u64> = None, "-", "[1, inf)";
        /// Simulated time between outputs; a hundredth of the run if left out.
        pub output_interval: Option<f64> = None, "s", "(0, inf)";
        /// Threads; all of the machine if left out.
        pub threads: Option<u32> = None, "-", "[1, 1024]";
        /// Fixed step, no smaller than a run may fall to; chosen by the solver if left out.
        pub time_step: Option<f64> = None, "s", "[1e-9, inf)";
        /// Runs with a fixed step above the solver's limits, which is refused otherwise.
        pub allow_unstable_time_step: bool = false;
        /// Largest `ρ/ρ₀ − 1` of a particle; the run fails beyond it.
        pub density_limit: f64 = 1.0, "-", "(0, inf)";
        /// Largest share of the particles that may pass walls; the run fails beyond it. 1 lets all pass `[convention]`.
        pub escape_limit: f64 = 0.001, "-", "[0, 1]";
        /// What a failed step leads to.
        pub on_failure: OnFailure = OnFailure::Stop;
        /// How often in a row a run goes back before it gives up, with `on_failure = "reduce_dt"` `[convention]`.
        pub max_retries: u32 = 5, "-", "[1, 50]";
        /// Steps between the states that it may go back to `[convention]`.
        pub snapshot_every: u64 = 20, "-", "[1, 100000]";
    }
}

/// What a failed step leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The run stops, and its error says why.
    #[default]
    Stop,
    /// The run goes back to a state before the failure and on with steps of half the size.
    ReduceDt,
}

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl Run {
    /// A run until `end_time` `[s]` with defaults for the rest.
    pub fn until(end_time: f64) -> Self {
        Self {
            end_time,
            allow_unstable_time_step: false,
            max_steps: None,
            output_interval: None,
            threads: None,
            time_step: None,
            density_limit: 1.0,
            escape_limit: 0.001,
            on_failure: OnFailure::Stop,
            max_retries: 5,
            snapshot_every: 20,
        }
    }
}

impl Axis {
    /// Its place in a vector.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Mass of a fluid particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MassMode {
    /// `m = ρ_0 / Σ W` over the lattice: the initial lattice has the rest density exactly.
    #[default]
    Calibrated,
    /// `m = ρ_0 Δx^D`.
    Volume,
    /// The second, times a factor `[-]`.
    Factor(#[schemars(extend("x-unit" = "-", "x-range" = "(0, 2]"))] f64),
}

impl Validate for MassMode {
    fn validate(&self, prefix: &str) -> Result<(), Error> {
        const RANGE: Range = Range::parse("(0, 2]");
        match self {
            Self::Factor(factor) => factor.check(&join(prefix, "factor"), "-", &RANGE),
            Self::Calibrated | Self::Volume => Ok(()),
        }
    }
}

/// The table `[solver]`: `name`, `preset`, and parameters that only that solver can read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SolverSettings {
    table: toml::Table,
    #[serde(skip)]
    pub(super) source: Source,
}

impl SolverSettings {
    const OWN_KEYS: [&str; 2] = ["name", "preset"];

    /// Settings that name a solver and leave all else to it.
    pub fn named(name: &str) -> Self {
        let mut settings = Self::default();
        settings.set("name", name);
        settings
    }

    /// Name of the solver, if the scene gives one.
    pub fn name(&self) -> Option<&str> {
        self.table.get("name").and_then(toml::Value::as_str)
    }

    /// Name of a set of parameters that the given ones are changes to.
    pub fn preset(&self) -> Option<&str> {
        self.table.get("preset").and_then(toml::Value::as_str)
    }

    /// Sets one key. Places in the file are no longer known afterwards.
    pub fn set(&mut self, key: &str, value: impl Into<toml::Value>) {
        self.table.insert(key.to_owned(), value.into());
        self.source = Source::default();
    }

    /// The parameters of the solver, with its defaults for what the scene leaves out.
    ///
    /// # Errors
    ///
    /// Unknown keys and wrong types with their places. The caller validates, and adds places with
    /// [`Scene::locate`](super::Scene::locate).
    pub fn parameters<P: DeserializeOwned + JsonSchema>(&self) -> Result<P, Error> {
        if !self.source.is_empty() {
            return self.source.read_table("solver", &Self::OWN_KEYS);
        }
        self.read_written()
    }

    /// The parameters of the solver, with those of a preset for what the scene leaves out.
    ///
    /// # Errors
    ///
    /// As [`SolverSettings::parameters`].
    pub fn parameters_over<P: Serialize + DeserializeOwned + JsonSchema>(
        &self,
        base: &P,
    ) -> Result<P, Error> {
        // Read alone first: only the given keys have places in the file.
        self.parameters::<P>()?;
        let mut merged = as_table(base)?;
        let given = self.table.iter().filter(|(key, _)| !Self::OWN_KEYS.contains(&key.as_str()));
        merged.extend(given.map(|(key, value)| (key.clone(), value.clone())));
        Self { table: merged, source: Source::default() }.read_written()
    }

    /// Those of a scene made in code: its text as it would be written gives the keys, though no lines.
    fn read_written<P: DeserializeOwned + JsonSchema>(&self) -> Result<P, Error> {
        let root = toml::Table::from_iter([("solver".to_owned(), toml::Value::Table(self.table.clone()))]);
        Source::new("<scene>", &root.to_string()).read_table("solver", &Self::OWN_KEYS)
    }

    /// Writes out all parameters, so that the scene depends on no default but of what it leaves to its geometry, as the speed
    /// of sound.
    ///
    /// # Errors
    ///
    /// If they cannot be written as TOML.
    pub fn resolve<P: Serialize>(&mut self, parameters: &P) -> Result<(), Error> {
        self.table.extend(as_table(parameters)?);
        Ok(())
    }

    pub(super) fn check(&self, key: &str) -> Result<(), Error> {
        for own in Self::OWN_KEYS {
            if let Some(value) = self.table.get(own).filter(|value| !value.is_str()) {
                return Err(Error::invalid(join(key, own), "must be a text in quotes").value(value));
            }
        }
        Ok(())
    }
}

fn as_table<P: Serialize>(parameters: &P) -> Result<toml::Table, Error> {
    toml::Table::try_from(parameters).map_err(|error| Error::invalid("solver", error.to_string()))
}

impl JsonSchema for SolverSettings {
    fn schema_name() -> Cow<'static, str> {
        "Solver".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "The solver, and its parameters.",
            "properties": {
                "name": { "type": "string", "description": "Name of the solver." },
                "preset": { "type": "string", "description": "Set of parameters to start from." },
            },
            "additionalProperties": true,
        })
    }
}
