//! What a method tells about itself and its steps.

use super::solids::Flow;

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Step size, `[s]`.
    pub dt: f64,
    /// Iterations of an iterative solver, 0 for the others.
    pub iterations: u32,
    /// Residual of an iterative solver, in its own unit.
    pub residual: f64,
    /// Solutions of an equation that ended at their iteration limit, above their tolerance.
    pub unconverged: u32,
    /// Mean over the particles of max(ρ/ρ₀ − 1, 0), `[-]`.
    pub density_error_mean: f64,
    /// Largest ρ/ρ₀ − 1, `[-]`.
    pub density_error_max: f64,
    /// Largest speed after the step, `[m/s]`.
    pub max_speed: f64,
    /// Largest acceleration in the step, `[m/s²]`.
    pub max_acceleration: f64,
    /// How often the run went back to an earlier state on the way to the end of this step.
    pub retries: u32,
}

/// A number that a method derived from the scene, to be read by people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// What it is.
    pub name: &'static str,
    /// How large it is; infinite for a limit that does not act.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
}

/// What a method derived from a scene before the first step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derived {
    /// Whether the fluid has a free surface, where the method asks for it.
    pub flow: Option<Flow>,
    /// Constants of the run, as the sound speed.
    pub constants: Vec<Number>,
    /// Limits of the step size at the start, `[s]`: the smallest binds.
    pub step_limits: Vec<Number>,
    /// What is allowed but doubtful, in words.
    pub warnings: Vec<String>,
}

impl Derived {
    /// The limit of the step size that binds; `None` for a method without limits.
    pub fn binding(&self) -> Option<&Number> {
        self.step_limits.iter().min_by(|a, b| a.value.total_cmp(&b.value))
    }
}

/// A field that a method computes beside the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Name, as [`Solver::field`](super::solver::Solver::field) knows it.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
}
