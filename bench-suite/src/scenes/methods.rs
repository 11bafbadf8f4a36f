//! The methods: what scenes call them, and their parameters.

use serde_json::Value;

/// A method as a scene names it.
pub struct Solver {
    /// `solver.name`.
    pub name: &'static str,
    /// One line for `sph list`.
    pub about: &'static str,
    /// Values of `solver.preset`.
    pub presets: &'static [&'static str],
    /// JSON schema of its parameters.
    pub schema: fn() -> Value,
}

/// All methods.
pub const SOLVERS: &[Solver] = &[
    Solver {
        name: "wcsph",
        about: "weakly compressible SPH",
        presets: &["validation", "graphics"],
        schema: schema_of::<solver_wcsph::Params>,
    },
    Solver {
        name: "pbf",
        about: "Position Based Fluids",
        presets: &["standard", "fluid_demo", "flex", "accurate"],
        schema: schema_of::<solver_pbf::Params>,
    },
    Solver {
        name: "viscoelastic",
        about: "viscoelastic fluid by double density relaxation",
        presets: &["standard", "circle_demo"],
        schema: schema_of::<solver_viscoelastic::Params>,
    },
    Solver {
        name: "projection",
        about: "variational pressure projection on staggered particles",
        presets: &["consistent", "peridyno_compat"],
        schema: schema_of::<solver_projection::Params>,
    },
];

/// The methods, by what a case has to give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Weakly compressible SPH.
    Wcsph,
    /// Position Based Fluids.
    Pbf,
    /// Viscoelastic fluid by double density relaxation.
    Viscoelastic,
    /// Variational pressure projection on staggered particles.
    Projection,
}

/// The schema of a set of parameters.
pub(super) fn schema_of<P: schemars::JsonSchema>() -> Value {
    schemars::schema_for!(P).to_value()
}
