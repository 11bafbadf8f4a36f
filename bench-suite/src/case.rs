//! The contract of cases and metrics.

use crate::{
    registry::Method,
    result::{ReferenceCurve, Score, Series},
};
use sph_core::{Real, scene::Scene, simulation::View};

/// A published experiment, an exact solution, or a state that must not change.
pub trait Case: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// One line for `sph list`.
    fn about(&self) -> &'static str;

    /// Citation of what it is compared with.
    fn source(&self) -> &'static str;

    /// The scene with `n` particles across its reference length, with the settings that suit WCSPH.
    fn scene(&self, n: usize) -> Scene;

    /// Gives such a scene the settings that suit a method. False when the case asks for what the method does not have,
    /// as a pressure or a viscosity of the liquid.
    fn suit(&self, _scene: &mut Scene, method: Method) -> bool {
        method == Method::Wcsph
    }

    /// Particles across at which the bands are stated.
    fn resolution(&self) -> usize;

    /// Fresh metrics for one run of `scene`.
    fn metrics(&self, scene: &Scene) -> Vec<Box<dyn Metric>>;

    /// Published or exact curves for the report.
    fn references(&self) -> Vec<ReferenceCurve> {
        Vec::new()
    }

    /// Moments of the pictures, `[s]`.
    fn pictures(&self) -> Vec<f64> {
        Vec::new()
    }

    /// How deep particles may come into walls, in spacings, where that is demanded; and none may escape.
    fn deepest_penetration(&self) -> Option<f64> {
        None
    }
}

/// What a metric may see of a run, whatever its dimension.
pub struct HostView<'a> {
    /// Time, `[s]`.
    pub t: f64,
    /// Number of dimensions.
    pub dim: usize,
    /// Positions, one slice an axis, `[m]`.
    pub x: Vec<&'a [Real]>,
    /// Velocities, one slice an axis, `[m/s]`.
    pub v: Vec<&'a [Real]>,
    /// Densities, `[kg/m³]`.
    pub rho: &'a [Real],
    /// Pressures, `[Pa]`; empty for a method without pressure.
    pub p: &'a [Real],
    /// Particle spacing, `[m]`.
    pub spacing: f64,
    /// Kernel support radius, `[m]`.
    pub support: f64,
    /// Particle mass, `[kg]`.
    pub m: f64,
    /// Rest density, `[kg/m³]`.
    pub rho_0: f64,
    /// Gravity, `[m/s²]`.
    pub gravity: Vec<f64>,
    /// Center and strength of the central force, `[m]` and `[1/s]`.
    pub central: Option<(Vec<f64>, f64)>,
    /// Internal energy per mass of a density, `[J/kg]`.
    pub internal_energy: &'a dyn Fn(f64) -> f64,
    /// Mean density error of the step, `[-]`.
    pub density_error: f64,
}

impl HostView<'_> {
    /// Number of particles.
    pub fn n(&self) -> usize {
        self.rho.len()
    }

    /// Position of particle `i`; z is 0 in 2D, `[m]`.
    pub fn position(&self, i: usize) -> [f64; 3] {
        std::array::from_fn(|a| self.x.get(a).map_or(0.0, |x| f64::from(x[i])))
    }

    /// Velocity of particle `i`; w is 0 in 2D, `[m/s]`.
    pub fn velocity(&self, i: usize) -> [f64; 3] {
        std::array::from_fn(|a| self.v.get(a).map_or(0.0, |v| f64::from(v[i])))
    }

    /// Volume of a particle at rest, `[m³]`.
    pub fn volume(&self) -> f64 {
        self.spacing.powi(self.dim as i32)
    }

    /// Runs `f` on the host view of a run's view.
    pub fn with<const D: usize, T>(view: &View<'_, D>, f: impl FnOnce(&HostView<'_>) -> T) -> T {
        let state = view.state;
        let rest = &state.rest;
        f(&HostView {
            t: state.t,
            dim: D,
            x: state.fluid.x.iter().map(Vec::as_slice).collect(),
            v: state.fluid.v.iter().map(Vec::as_slice).collect(),
            rho: &state.fluid.rho,
            p: view.solver.field("pressure").filter(|p| p.len() == state.fluid.len()).unwrap_or(&[]),
            spacing: f64::from(rest.spacing),
            support: f64::from(view.solver.support_radius()),
            m: f64::from(rest.m),
            rho_0: f64::from(rest.rho_0),
            gravity: state.forces.gravity.iter().map(|&g| f64::from(g)).collect(),
            central: state
                .forces
                .central
                .map(|(c, b)| (c.iter().map(|&c| f64::from(c)).collect(), f64::from(b))),
            internal_energy: &|rho| view.solver.internal_energy(rho),
            density_error: view.report.density_error_mean,
        })
    }
}

/// What a metric found in a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Numbers, judged where there is a band.
    pub scores: Vec<Score>,
    /// Curves.
    pub series: Vec<Series>,
}

/// Measures one thing in a run.
pub trait Metric {
    /// Simulated time between two looks, `[s]`.
    fn interval(&self) -> f64;

    /// Looks at the run; the first time at its start, the last time at its end.
    fn observe(&mut self, view: &HostView<'_>);

    /// What was found.
    fn finish(&self) -> Outcome;
}
