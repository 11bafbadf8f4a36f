//! The view of a run that metrics get.

use sph_core::{Real, method::observer::View, rigid::Rigid, watch::measure::body_numbers};

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
    /// Dynamic bodies.
    pub bodies: Vec<HostBody>,
    /// Internal energy per mass of a density, `[J/kg]`.
    pub internal_energy: &'a dyn Fn(f64) -> f64,
    /// Mean density error of the step, `[-]`.
    pub density_error: f64,
}

/// What a metric may see of a dynamic body.
#[derive(Clone, Debug, PartialEq)]
pub struct HostBody {
    /// Its name.
    pub name: String,
    /// Place of its center, orientation (an angle in 2D, a quaternion in 3D), velocities, and the force and torque of
    /// the fluid: each with name and unit.
    pub numbers: Vec<(&'static str, &'static str, f64)>,
}

impl HostBody {
    fn of<const D: usize>(body: &Rigid<D>) -> Self {
        Self { name: body.form.name.clone(), numbers: body_numbers(body) }
    }
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
            bodies: state.bodies.list.iter().map(HostBody::of).collect(),
            internal_energy: &|rho| view.solver.internal_energy(rho),
            density_error: view.report.density_error_mean,
        })
    }
}
