//! Rigid bodies that the fluid moves, and that move the fluid (Akinci et al. 2012). Imports `fluid` and what is below.
//!
//! A body `k` has a position `X` of its center of mass, an orientation `R`, a momentum `P` and an angular momentum `L`
//! about that center. Its surface is made of wall samples: their positions `x_0` in the frame of the body and their
//! volumes are computed once, and `x_b = X + R x_0`, `v_b = P/m + ω × (x_b − X)` whenever it has moved. With force and
//! torque of the fluid, `F = Σ_b F_b` and `τ = Σ_b (x_b − X) × F_b`:
//!
//! ```text
//! P ← P + dt (F + m g)      L ← L + dt τ        Bodies::kick
//! X ← X + dt P/m            R ← exp(dt ω) R      Bodies::drift,  ω = R I₀⁻¹ Rᵀ L
//! ```
//!
//! Momenta are the state, not velocities: what the fluid loses is what the bodies get, to the last digits, and a
//! body that spins freely keeps `L` exactly (`methods.md` writes the same as a gyroscopic term). All in `f64`.
//!
//! Collisions with walls and other bodies are those of an [`Engine`]. It sees a body only near something that it may
//! touch, and must keep no memory of its own: momenta and poses are all that a restart knows.
//!
//! # What a solver provides for bodies
//! In every step, and in this order relative to its own kicks and drifts:
//! 1. compute the force `F_b` on every sample of a body, opposite to what the fluid got from it, and hand all to
//!    [`Bodies::collect`] (samples of walls may hold anything): the sums go into [`Rigid::wrench`] in a fixed order;
//! 2. where it advances the velocities of the fluid by these forces, call [`Bodies::kick`] with the same `dt`;
//! 3. where it advances positions, call [`Bodies::drift`], which takes the samples along.
//!
//! A method of positions has displacements `Δx_i = Σ_b Δx_ib` in place of forces: `F_b = −Σ_i m_i Δx_ib / dt²`, summed
//! over its iterations.

mod drift;
mod form;
mod load;
mod placement;
#[cfg(feature = "rigid")]
mod rapier;
mod rotation;

pub use drift::Obstacle;
pub use form::Form;
pub use load::{ContainerLoad, Load};
pub use placement::Placement;
#[cfg(feature = "rigid")]
#[doc(hidden)]
pub use rapier::pieces;
pub use rotation::Rotation;

use crate::{
    Real, compiled_here,
    fluid::{
        boundary::{Body, Boundary},
        material::{Domain, Forces},
        wall_surface::WallSurface,
    },
    geometry::shape::Region,
    numerics::{
        lane::each,
        parallel::{self, Merge},
        vector::{cross, norm},
    },
};
use nalgebra::{Matrix3, SymmetricEigen, Vector3};
use std::{fmt::Debug, sync::Arc};

/// Force and torque.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench<const D: usize> {
    /// Force F, `[N]`.
    pub force: [f64; D],
    /// Torque τ about the center of mass; its last entry alone in 2D, `[N m]`.
    pub torque: [f64; 3],
}

impl<const D: usize> Wrench<D> {
    /// Adds a force `[N]` at an arm `[m]`.
    pub fn add(&mut self, force: &[f64; D], arm: &[f64; D]) {
        let torque = cross(spatial(arm), spatial(force));
        self.force = each(|a| self.force[a] + force[a]);
        self.torque = each(|a| self.torque[a] + torque[a]);
    }

    /// Subtracts what was given to particles in a part of the step: `factor` times momentum and angular momentum.
    pub fn react(&mut self, given: &Self, factor: f64) {
        self.force = each(|a| self.force[a] - factor * given.force[a]);
        self.torque = each(|a| self.torque[a] - factor * given.torque[a]);
    }
}

impl<const D: usize> Default for Wrench<D> {
    fn default() -> Self {
        Self { force: [0.0; D], torque: [0.0; 3] }
    }
}

impl<const D: usize> Merge for Wrench<D> {
    fn merge(self, later: Self) -> Self {
        Self {
            force: each(|a| self.force[a] + later.force[a]),
            torque: each(|a| self.torque[a] + later.torque[a]),
        }
    }
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Rigid<const D: usize> {
    /// Constants of the body.
    pub form: Arc<Form<D>>,
    /// Center of mass X, `[m]`.
    pub x: [f64; D],
    /// Orientation R.
    pub rotation: Rotation,
    /// Momentum P, `[kg m/s]`.
    pub momentum: [f64; D],
    /// Angular momentum L about the center of mass; its last entry alone in 2D, `[kg m²/s]`.
    pub angular_momentum: [f64; 3],
    /// Force and torque of the fluid, of the last force evaluation.
    pub wrench: Wrench<D>,
}

impl<const D: usize> Rigid<D> {
    /// A body at rest, not turned.
    pub fn new(form: Arc<Form<D>>, x: [f64; D]) -> Self {
        Self {
            form,
            x,
            rotation: Rotation::default(),
            momentum: [0.0; D],
            angular_momentum: [0.0; 3],
            wrench: Wrench::default(),
        }
    }

    /// Velocity of the center of mass, `[m/s]`.
    pub fn velocity(&self) -> [f64; D] {
        self.momentum.map(|p| p / self.form.mass)
    }

    /// Angular velocity `ω = R I₀⁻¹ Rᵀ L`, `[rad/s]`.
    pub fn angular_velocity(&self) -> [f64; 3] {
        self.rotation
            .rotate(&self.form.inverse_inertia(&self.rotation.inverse_rotate(&self.angular_momentum)))
    }

    /// Velocity of the point of it that is at `x`, `[m/s]`.
    pub fn velocity_at(&self, x: &[f64; D]) -> [f64; D] {
        let turning = cross(self.angular_velocity(), spatial::<D>(&each(|a| x[a] - self.x[a])));
        each(|a| self.momentum[a] / self.form.mass + turning[a])
    }

    /// Changes the velocity of the point that is at `x` by `change`, `[m/s]`, as far as nothing holds it, by the impulse there
    /// that does it: `J = K⁺ Δv`. `K e` is the velocity there that an impulse `e` gives to the body at rest; `K⁺`, its
    /// pseudo-inverse, leaves alone what is held.
    pub fn change_velocity_at(&mut self, x: &[f64; D], change: &[f64; D]) {
        let arm = spatial::<D>(&each(|a| x[a] - self.x[a]));
        let answer = |impulse: &[f64; D]| {
            let angular_momentum = cross(arm, spatial(impulse));
            let mut body = Self { momentum: *impulse, angular_momentum, ..self.clone() };
            body.apply_constraints();
            spatial(&body.velocity_at(x))
        };
        let columns = (0..D).map(|a| Vector3::from(answer(&each(|b| f64::from(u8::from(a == b))))));
        let mut k = Matrix3::zeros();
        columns.enumerate().for_each(|(a, column)| k.set_column(a, &column));
        let SymmetricEigen { eigenvectors, eigenvalues } = k.symmetric_eigen();
        let least = 1e-9 * eigenvalues.max();
        let mut impulse = Vector3::zeros();
        for (axis, value) in eigenvectors.column_iter().zip(&eigenvalues).filter(|(_, value)| **value > least)
        {
            impulse += axis * (axis.dot(&Vector3::from(spatial(change))) / value);
        }
        self.momentum = each(|a| self.momentum[a] + impulse[a]);
        let twist = cross(arm, impulse.into());
        self.angular_momentum = each(|a| self.angular_momentum[a] + twist[a]);
        self.apply_constraints();
    }

    /// Gives it these velocities.
    pub fn set_velocities(&mut self, v: &[f64; D], omega: &[f64; 3]) {
        self.momentum = v.map(|v| v * self.form.mass);
        self.angular_momentum =
            self.rotation.rotate(&self.form.inertia(&self.rotation.inverse_rotate(omega)));
        self.apply_constraints();
    }

    /// Where the point `x_0` of the body's frame is, `[m]`.
    pub fn transform(&self, x_0: &[f64; D]) -> [f64; D] {
        let turned = self.rotation.rotate(&spatial(x_0));
        each(|a| self.x[a] + turned[a])
    }

    /// The point of the body's frame that is at `x`, `[m]`.
    pub fn inverse_transform(&self, x: &[f64; D]) -> [f64; D] {
        let turned = self.rotation.inverse_rotate(&spatial::<D>(&each(|a| x[a] - self.x[a])));
        each(|a| turned[a])
    }

    /// Largest speed of a point of it, `[m/s]`.
    pub fn top_speed(&self) -> f64 {
        norm(self.velocity()) + norm(self.angular_velocity()) * self.form.reach
    }

    /// Shows `visit` every number that a restart must keep, with its name, to read or to overwrite it.
    pub fn numbers(&mut self, visit: &mut dyn FnMut(&str, &mut f64)) {
        const AXES: [&str; 3] = ["x", "y", "z"];
        visit("rotation.w", &mut self.rotation.w);
        let vectors: [(&str, &mut [f64]); 6] = [
            ("place", &mut self.x),
            ("rotation", &mut self.rotation.v),
            ("momentum", &mut self.momentum),
            ("angular_momentum", &mut self.angular_momentum),
            ("force", &mut self.wrench.force),
            ("torque", &mut self.wrench.torque),
        ];
        for (name, vector) in vectors {
            vector.iter_mut().zip(AXES).for_each(|(number, axis)| visit(&format!("{name}.{axis}"), number));
        }
    }

    /// Zeroes the momenta of constrained degrees of freedom.
    fn apply_constraints(&mut self) {
        for a in 0..D {
            self.momentum[a] *= f64::from(u8::from(!self.form.held[a]));
        }
        if self.form.held_rotation {
            self.angular_momentum = [0.0; 3];
        }
    }

    /// Momenta after `dt`, `[s]`, with its wrench, and with forces from outside, which act on the center of mass.
    /// `damping` is what is left of a velocity, `[-]`.
    pub fn kick(&mut self, forces: &Forces<D>, dt: f64, damping: f64) {
        let outside = forces.acceleration(self.x.map(|x| x as Real));
        for a in 0..D {
            let force = self.wrench.force[a] + self.form.mass * f64::from(outside[a]);
            self.momentum[a] = (self.momentum[a] + dt * force) * damping;
        }
        for a in 0..3 {
            self.angular_momentum[a] = (self.angular_momentum[a] + dt * self.wrench.torque[a]) * damping;
        }
        self.apply_constraints();
    }

    /// True when position and momenta are finite.
    pub fn is_finite(&self) -> bool {
        let sum = self.x.iter().chain(&self.momentum).chain(&self.angular_momentum).sum::<f64>();
        (0.0 * sum).is_finite()
    }
}

/// What moves and collides bodies that are near something. It depends on nothing but its arguments.
pub trait Engine<const D: usize>: Debug + Send + Sync {
    /// Advances the `bodies` by `dt`, `[s]`, with their velocities and what contacts make of them, and leaves those
    /// alone that touch nothing. No force but those of contacts acts: all others are in the momenta already.
    /// `spacing` is that of the particles, `[m]`. Returns in `touched` which bodies it has advanced.
    fn advance(
        &self,
        bodies: &mut [Rigid<D>],
        obstacles: &[Obstacle<'_, D>],
        spacing: f64,
        dt: f64,
        touched: &mut [bool],
    );
}

/// The dynamic bodies of a run.
#[derive(Clone, Debug, Default)]
pub struct Bodies<const D: usize> {
    /// The bodies, in the order of the scene.
    pub list: Vec<Rigid<D>>,
    /// Loads on walls on which the force is measured.
    pub loads: Vec<Load<D>>,
    /// Loads on containers on which the force is measured.
    pub container_loads: Vec<ContainerLoad<D>>,
    /// What collides them; without it they pass through each other and through walls.
    pub engine: Option<Arc<dyn Engine<D>>>,
    /// Containers, which have no samples.
    pub containers: Arc<Vec<WallSurface<D>>>,
}

impl<const D: usize> Bodies<D> {
    /// Shows `visit` every number of every body that a restart must keep, with its name, to read or to overwrite it.
    pub fn numbers(&mut self, visit: &mut dyn FnMut(&str, &mut f64)) {
        for (k, body) in self.list.iter_mut().enumerate() {
            body.numbers(&mut |name, number| visit(&format!("body.{k}.{name}"), number));
        }
    }

    /// True when the fluid may act on samples of one of them, or of a wall on which the force is measured.
    pub fn may_be_loaded(&self) -> bool {
        !self.list.is_empty() || !self.loads.is_empty()
    }

    /// The moving bodies and walls on which the fluid acts: where each has the point about which its torque is, `[m]`.
    pub fn pivots(&self) -> impl Iterator<Item = [f64; D]> {
        self.list.iter().map(|body| body.x).chain(self.loads.iter().map(|_| [0.0; D]))
    }

    /// Force and torque on each of [`Bodies::pivots`].
    pub fn wrenches(&mut self) -> impl Iterator<Item = &mut Wrench<D>> {
        let loads = self.loads.iter_mut().map(|load| &mut load.wrench);
        self.list.iter_mut().map(|body| &mut body.wrench).chain(loads)
    }

    /// Wrenches of the measured walls and containers, each with its place where containers follow the walls of these `surfaces`.
    pub fn contact_loads(
        &mut self,
        surfaces: &[WallSurface<D>],
    ) -> impl Iterator<Item = (usize, &mut Wrench<D>)> {
        let place = |name: &str| surfaces.iter().position(|surface| surface.name == name);
        let walls =
            self.loads.iter_mut().filter_map(move |load| Some((place(&load.wall)?, &mut load.wrench)));
        let containers = self.container_loads.iter_mut();
        walls.chain(containers.map(|load| (surfaces.len() + load.container, &mut load.wrench)))
    }

    /// The place of a set of samples among [`Bodies::pivots`], if the force on it is needed in this step.
    pub fn pivot_of(&self, set: &Body<D>, walls: &Boundary<D>) -> Option<usize> {
        let load = set.load.filter(|_| walls.loads_due).map(|k| self.list.len() + k);
        set.rigid.or(load)
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Largest speed of a point of a body, `[m/s]`.
    pub fn top_speed(&self) -> f64 {
        self.list.iter().map(Rigid::top_speed).fold(0.0, f64::max)
    }

    /// The first body that holds the point `x`, `[m]`.
    pub fn containing(&self, x: &[f64; D]) -> Option<&Rigid<D>> {
        self.list.iter().find(|body| body.form.region.phi(&body.inverse_transform(x)) < 0.0)
    }

    /// The first body whose center is outside of the domain.
    pub fn outside(&self, domain: &Domain<D>) -> Option<&Rigid<D>> {
        self.list.iter().find(|body| !domain.holds(body.x.map(|x| x as Real)))
    }

    /// Sums the forces on the samples of bodies, and of walls whose loads are due, in their order and in `f64`. Shape `[D][n_walls]`, `[N]`.
    pub fn collect(&mut self, walls: &Boundary<D>, force: &[Vec<Real>; D]) {
        compiled_here!(D, Bodies::sum_forces as fn(&mut Bodies<D>, &Boundary<D>, &[Vec<Real>; D]))(
            self, walls, force,
        )
    }

    fn sum_forces(&mut self, walls: &Boundary<D>, force: &[Vec<Real>; D]) {
        self.list.iter_mut().for_each(|body| body.wrench = Wrench::default());
        if walls.loads_due {
            self.loads.iter_mut().for_each(|load| load.wrench = Wrench::default());
        }
        for b in 0..walls.len() {
            let Some(k) = self.pivot_of(&walls.bodies[usize::from(walls.body[b])], walls) else { continue };
            let f: [f64; D] = each(|a| f64::from(force[a][b]));
            let x: [f64; D] = each(|a| f64::from(walls.x[a][b]));
            let n_bodies = self.list.len();
            if let Some(body) = self.list.get_mut(k) {
                body.wrench.add(&f, &each(|a| x[a] - body.x[a]));
            } else {
                self.loads[k - n_bodies].wrench.add(&f, &x);
            }
        }
    }

    /// Does `collect` in the substep `k` of a step, from 1 on: loads on walls become the means over the substeps so far.
    pub fn collect_substep<R>(&mut self, k: f64, collect: impl FnOnce(&mut Self) -> R) -> R {
        let means: Vec<Wrench<D>> = self.loads.iter().map(|load| load.wrench).collect();
        let done = collect(self);
        let earlier = if k > 1.0 { (k - 1.0) / k } else { 0.0 };
        for (load, mean) in self.loads.iter_mut().zip(&means) {
            let now = load.wrench;
            load.wrench.force = each(|a| now.force[a] + earlier * (mean.force[a] - now.force[a]));
            load.wrench.torque = each(|a| now.torque[a] + earlier * (mean.torque[a] - now.torque[a]));
        }
        done
    }

    /// Does `collect` for bodies that the fluid takes for walls with the velocity of the step before. What makes way for a body answers its
    /// acceleration of that step by the inertia of no more fluid of the density `rho_0` `[kg/m³]` than the ball around it holds; one that
    /// is lighter would answer that by more. So the share `m/(m + ρ₀ V)` of what is new in a wrench counts, and a steady one in whole.
    pub fn collect_with_added_mass<R>(&mut self, rho_0: f64, collect: impl FnOnce(&mut Self) -> R) -> R {
        let earlier: Vec<Wrench<D>> = self.list.iter().map(|body| body.wrench).collect();
        let done = collect(self);
        for (body, earlier) in self.list.iter_mut().zip(&earlier) {
            let (mass, now) = (body.form.mass, body.wrench);
            let ball = Region::Ball { center: [0.0; D], radius: body.form.reach };
            let part = mass / (mass + rho_0 * ball.volume().unwrap_or(0.0));
            body.wrench.force = each(|a| earlier.force[a] + part * (now.force[a] - earlier.force[a]));
            body.wrench.torque = each(|a| earlier.torque[a] + part * (now.torque[a] - earlier.torque[a]));
        }
        done
    }

    /// Advances the momenta by `dt`, `[s]`: with the wrenches, and with forces from outside, which act on the center
    /// of mass. `damping` is what is left of a velocity, `[-]`.
    pub fn kick(&mut self, forces: &Forces<D>, dt: f64, damping: f64) {
        self.list.iter_mut().for_each(|body| body.kick(forces, dt, damping));
    }

    /// Brings the samples to where their bodies are, with their velocities.
    pub fn update_samples(&self, walls: &mut Boundary<D>) {
        compiled_here!(D, Bodies::move_samples as fn(&Bodies<D>, &mut Boundary<D>))(self, walls)
    }

    fn move_samples(&self, walls: &mut Boundary<D>) {
        if self.is_empty() {
            return;
        }
        let (list, sets, set, x_0) = (&self.list, &walls.bodies, &walls.body, &walls.x_0);
        let outputs = (walls.x.each_mut().map(Vec::as_mut_slice), walls.v.each_mut().map(Vec::as_mut_slice));
        parallel::blocks(set.len(), outputs, |range, (x, v)| {
            for (i, b) in range.enumerate() {
                let Some(k) = sets[usize::from(set[b])].rigid else { continue };
                let body = &list[k];
                let arm = body.rotation.rotate(&spatial::<D>(&each(|a| f64::from(x_0[a][b]))));
                let (velocity, turning) = (body.velocity(), cross(body.angular_velocity(), arm));
                for a in 0..D {
                    x[a][i] = (body.x[a] + arm[a]) as Real;
                    v[a][i] = (velocity[a] + turning[a]) as Real;
                }
            }
        });
    }
}

/// An engine for collisions, if this program was built with one.
pub fn engine<const D: usize>() -> Option<Arc<dyn Engine<D>>> {
    #[cfg(feature = "rigid")]
    {
        rapier::engine()
    }
    #[cfg(not(feature = "rigid"))]
    {
        None
    }
}

/// A 3D vector; a 2D one has z = 0.
pub fn spatial<const D: usize>(x: &[f64; D]) -> [f64; 3] {
    each(|a| if a < D { x[a] } else { 0.0 })
}
