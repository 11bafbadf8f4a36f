//! The view of a run that metrics get.

use sph_core::{Real, method::observer::View, rigid::Rigid};

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
        const PLACE: [&str; 3] = ["x", "y", "z"];
        const VELOCITY: [&str; 3] = ["velocity x", "velocity y", "velocity z"];
        const TURNING: [&str; 3] = ["angular velocity x", "angular velocity y", "angular velocity z"];
        const FORCE: [&str; 3] = ["force x", "force y", "force z"];
        const TORQUE: [&str; 3] = ["torque x", "torque y", "torque z"];
        let mut numbers = Vec::new();
        let mut add = |names: &[&'static str], unit: &'static str, values: &[f64]| {
            numbers.extend(names.iter().zip(values).map(|(&name, &value)| (name, unit, value)));
        };
        let (rotation, omega, torque) = (body.rotation, body.angular_velocity(), body.wrench.torque);
        // In 2D there is one rotation, about the normal.
        let turns = if D == 2 { 2 } else { 0 };
        add(&PLACE, "m", &body.x);
        if D == 2 {
            add(&["angle"], "rad", &[rotation.angle()]);
        } else {
            let [x, y, z] = rotation.v;
            add(
                &["quaternion w", "quaternion x", "quaternion y", "quaternion z"],
                "-",
                &[rotation.w, x, y, z],
            );
        }
        add(&VELOCITY, "m/s", &body.velocity());
        add(&TURNING[turns..], "rad/s", &omega[turns..]);
        add(&FORCE, "N", &body.wrench.force);
        add(&TORQUE[turns..], "N m", &torque[turns..]);
        Self { name: body.form.name.clone(), numbers }
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
