//! Contact of particles with walls and bodies (Clavet et al. 2005, §6): stickiness, the collision impulse, and the
//! velocity of a body after all impulses. Pure functions in `f64`: few particles are in contact.
//!
//! `d` is the distance of the center of a particle to the nominal surface, negative behind it, and `n` the normal into
//! the fluid. The impulse of a particle on a body with the velocity `V` and the angular velocity `ω` is
//!
//! ```text
//! Δv = −Π (v − V − ω × r)      Π = a_n n nᵀ + a_t (1 − n nᵀ)
//! ```
//!
//! with `a_n` and `a_t` of [`Contact::parts`]. The body gets `−m Δv` at the arm `r`. With the velocity of
//! the body before the contacts, a light body would rebound faster than it came. [`ContactSystem`] yields the velocity
//! after all impulses, with which they are those of one inelastic collision.

use crate::params::Params;
use nalgebra::{SMatrix, SVector};
use sph_core::{
    Real,
    fluid::material::Forces,
    numerics::vector::{cross, dot},
    rigid::{Rigid, Wrench, spatial},
};
use std::array::from_fn;

/// Ranges and strengths of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Distance below which a particle belongs to the first layer, one spacing: halfway between the rest positions of
    /// the first and the second layer, so that rounding does not decide which particles stick, `[m]`.
    pub layer: f64,
    /// The step, `[s]`.
    pub dt: f64,
    /// Stickiness `dt k_stick`, `[1/s]`.
    pub stick: f64,
    /// Distance `d_stick` at which stickiness ends, `[m]`.
    pub stick_distance: f64,
}

impl Contact {
    /// Contacts over the step `dt`, `[s]`, with the interaction radius and the spacing, `[m]`.
    pub fn new(params: &Params, h: Real, spacing: Real, dt: f64) -> Self {
        Self {
            layer: f64::from(spacing),
            dt,
            stick: dt * f64::from(params.stick_stiffness),
            stick_distance: f64::from(params.stick_distance) * f64::from(h),
        }
    }

    /// Distance at which the first contact begins, `[m]`.
    pub fn reach(&self) -> f64 {
        if self.stick > 0.0 { self.layer.max(self.stick_distance) } else { self.layer }
    }

    /// Change of velocity along the normal by stickiness: `−dt k_stick d (1 − d/d_stick)` for `0 < d < d_stick`,
    /// `[m/s]` `[CBP05, §6.3]`.
    pub fn stickiness(&self, d: f64) -> f64 {
        let within = d > 0.0 && d < self.stick_distance;
        if within { -self.stick * d * (1.0 - d / self.stick_distance) } else { 0.0 }
    }

    /// The fractions `[a_n, a_t]` of the relative velocity that a particle loses, `[-]`: of the normal component
    /// behind the surface where `v_n < 0`, of the tangential one in the first layer of a no-slip surface.
    pub fn parts(&self, d: f64, v_n: f64, no_slip: bool) -> [f64; 2] {
        let part = |lost: bool| if lost { 1.0 } else { 0.0 };
        [part(d <= 0.0 && v_n < 0.0), part(no_slip && d < self.layer)]
    }

    /// The impulse over the mass of a particle with the velocity `v` relative to the surface, `[m/s]` `[CBP05, §6.1]`.
    pub fn impulse<const D: usize>(&self, d: f64, v: &[f64; D], n: &[f64; D], no_slip: bool) -> [f64; D] {
        let v_n = dot(*v, *n);
        let [normal, tangential] = self.parts(d, v_n, no_slip);
        from_fn(|k| -tangential * v[k] - (normal - tangential) * v_n * n[k])
    }
}

/// Contact point of a particle on a body: 3D vectors, in 2D with z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Distance to the surface, `[m]`.
    pub d: f64,
    /// Normal into the fluid.
    pub n: [f64; 3],
    /// Arm from the center of mass, `[m]`.
    pub arm: [f64; 3],
}

/// Velocity and angular velocity of a body, `[m/s]` and `[rad/s]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// Of the center of mass.
    pub velocity: [f64; 3],
    /// About it.
    pub angular: [f64; 3],
}

impl Twist {
    /// That of a body.
    pub fn of<const D: usize>(body: &Rigid<D>) -> Self {
        Self { velocity: spatial(&body.velocity()), angular: body.angular_velocity() }
    }

    /// `V + ω × r`, `[m/s]`.
    pub fn at(&self, arm: &[f64; 3]) -> [f64; 3] {
        let turning = cross(self.angular, *arm);
        from_fn(|k| self.velocity[k] + turning[k])
    }
}

/// Linear system of the contacts of a body: with `G = (1, −r×)`, `δ` the change of its velocity and angular velocity
/// and `M` its mass and inertia, momentum is conserved where `(M + Σ m Gᵀ Π G) δ = Σ m Gᵀ (Π v̄ − s n)`. `v̄` is the
/// velocity relative to the body before the contacts, `s n` the change of the particle velocity by stickiness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSystem {
    /// `Σ m Gᵀ Π G`, `[kg]` to `[kg m²]`.
    matrix: [[f64; 6]; 6],
    /// `Σ m Gᵀ (Π v̄ − s n)`, `[kg m/s]` and `[kg m²/s]`.
    momentum: [f64; 6],
}

impl Default for ContactSystem {
    fn default() -> Self {
        Self { matrix: [[0.0; 6]; 6], momentum: [0.0; 6] }
    }
}

impl ContactSystem {
    /// From the upper triangle of the matrix, row by row, and the momentum.
    pub fn of_sums(upper: &[f64; 21], momentum: [f64; 6]) -> Self {
        let entry = |row: usize, column: usize| upper[row * (11 - row) / 2 + column];
        Self { matrix: from_fn(|a| from_fn(|b| entry(a.min(b), a.max(b)))), momentum }
    }

    /// What [`ContactSystem::of_sums`] makes one of, one behind the other.
    pub fn sums(&self) -> [f64; 27] {
        let mut upper = (0..6).flat_map(|row| (row..6).map(move |column| self.matrix[row][column]));
        from_fn(|k| if k < 21 { upper.next().unwrap_or(0.0) } else { self.momentum[k - 21] })
    }

    /// Adds a particle of mass `m`, `[kg]`, with velocity `v` relative to the body, stickiness included, `[m/s]`.
    pub fn add(&mut self, contact: &Contact, point: &ContactPoint, m: f64, v: &[f64; 3], no_slip: bool) {
        let v_n = dot(*v, point.n);
        let [normal, tangential] = contact.parts(point.d, v_n, no_slip);
        self.add_along(&point.n, &point.arm, m * (normal - tangential), v_n);
        for k in 0..3 {
            self.add_along(&from_fn(|a| if a == k { 1.0 } else { 0.0 }), &point.arm, m * tangential, v[k]);
        }
        let pull = wrench(&point.n, &point.arm);
        for a in 0..6 {
            self.momentum[a] -= m * contact.stickiness(point.d) * pull[a];
        }
    }

    fn add_along(&mut self, direction: &[f64; 3], arm: &[f64; 3], m: f64, v: f64) {
        let g = wrench(direction, arm);
        for a in 0..6 {
            self.momentum[a] += m * v * g[a];
            for b in 0..6 {
                self.matrix[a][b] += m * g[a] * g[b];
            }
        }
    }

    /// The velocity of the body after the contacts, from that before; constrained components stay.
    pub fn after<const D: usize>(&self, body: &Rigid<D>, before: Twist) -> Twist {
        let form = &body.form;
        let free: [bool; 6] = from_fn(|a| match a {
            0..3 => a < D && !form.held[a],
            _ => !form.held_rotation && (D == 3 || a == 5),
        });
        let unit = |k: usize| from_fn(|a| if a == k { 1.0 } else { 0.0 });
        let inertia: [[f64; 3]; 3] =
            from_fn(|k| body.rotation.rotate(&form.inertia(&body.rotation.inverse_rotate(&unit(k)))));
        let own = |a: usize, b: usize| match (a < 3, b < 3) {
            (true, true) if a == b => form.mass,
            (false, false) => inertia[b - 3][a - 3],
            _ => 0.0,
        };
        let matrix = SMatrix::<f64, 6, 6>::from_fn(|a, b| match free[a] && free[b] {
            true => own(a, b) + self.matrix[a][b],
            false => f64::from(u8::from(a == b)),
        });
        let momentum = SVector::<f64, 6>::from_fn(|a, _| if free[a] { self.momentum[a] } else { 0.0 });
        // Mass and inertia are positive definite: the factorization fails only where numbers are not finite.
        let Some(change) = matrix.cholesky().map(|factors| factors.solve(&momentum)) else { return before };
        Twist {
            velocity: from_fn(|a| before.velocity[a] + change[a]),
            angular: from_fn(|a| before.angular[a] + change[3 + a]),
        }
    }
}

/// A body with its velocity after the step `dt`, `[s]`, without contacts, and the same advanced by it; `None` where
/// it is not finite.
pub(crate) fn without_contacts<const D: usize>(
    rigid: &Rigid<D>,
    forces: &Forces<D>,
    dt: f64,
) -> Option<[Rigid<D>; 2]> {
    let mut body = rigid.clone();
    body.kick(forces, dt, 1.0);
    let mut ahead = body.clone();
    body.is_finite().then(|| {
        ahead.advance_free(dt);
        [body, ahead]
    })
}

/// Applies the opposite of the momentum and angular momentum that particles get in the step `dt`, `[s]`.
pub(crate) fn react<const D: usize>(to: &mut Wrench<D>, given: [f64; 6], dt: f64) {
    let given = given.map(|sum| sum / dt);
    for a in 0..D {
        to.force[a] -= given[a];
    }
    for a in 0..3 {
        to.torque[a] -= given[3 + a];
    }
}

/// Force and torque of a unit force at an arm.
pub fn wrench(force: &[f64; 3], arm: &[f64; 3]) -> [f64; 6] {
    let torque = cross(*arm, *force);
    from_fn(|a| if a < 3 { force[a] } else { torque[a - 3] })
}
