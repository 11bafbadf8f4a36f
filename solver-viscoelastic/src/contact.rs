//! What happens where a particle touches a wall or a body (Clavet et al. 2005, §6): stickiness and the collision
//! impulse, and the motion of a body that many particles touch at once. Pure, in `f64`: few particles touch anything.
//!
//! `d` is the distance of the center of a particle to the nominal surface, negative behind it, and `n` the normal into
//! the fluid. The impulse of a particle on a body with the velocity `V` and the angular velocity `ω` is
//!
//! ```text
//! Δv = −Π (v − V − ω × r)      Π = a_n n nᵀ + a_t (1 − n nᵀ)
//! ```
//!
//! with `a_n` and `a_t` of [`Contact::parts`]. The body gets `−m Δv` at the arm `r`. If all particles met it with the
//! velocity that it had before, a body that is lighter than what touches it would be thrown back faster than it came.
//! [`Meeting`] finds the velocity after all impulses, with which they are those of one inelastic collision.

use crate::params::Params;
use nalgebra::{SMatrix, SVector};
use sph_core::{
    Real,
    numerics::{
        parallel::Merge,
        vector::{cross, dot},
    },
    rigid::Rigid,
};
use std::array::from_fn;

/// Where contact begins, and what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Distance below which a particle belongs to the first layer, one spacing: half way from where this layer rests to where
    /// the second one does, so that no rounding decides who sticks, `[m]`.
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

    /// Distance at which the first of all begins, `[m]`.
    pub fn reach(&self) -> f64 {
        if self.stick > 0.0 { self.layer.max(self.stick_distance) } else { self.layer }
    }

    /// What stickiness adds to the velocity along the normal: `−dt k_stick d (1 − d/d_stick)` for `0 < d < d_stick`,
    /// `[m/s]` `[CBP05, §6.3]`.
    pub fn stickiness(&self, d: f64) -> f64 {
        let within = d > 0.0 && d < self.stick_distance;
        if within { -self.stick * d * (1.0 - d / self.stick_distance) } else { 0.0 }
    }

    /// The parts `[a_n, a_t]` of its velocity relative to the surface that a particle loses, `[-]`: of the normal one
    /// where it is behind the surface and goes on with `v_n < 0`, of the tangential one where the surface holds its first layer.
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

/// Where a particle is on a body: all vectors of space, those of a plane with z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
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

/// What all particles that touch a body ask of it: with `G = (1, −r×)`, `δ` the change of its velocity and angular
/// velocity and `M` its mass and inertia, momentum is kept where `(M + Σ m Gᵀ Π G) δ = Σ m Gᵀ (Π v̄ − s n)`. There `v̄` is
/// the velocity relative to the body before, and `s n` what stickiness adds to that of the particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// `Σ m Gᵀ Π G`, `[kg]` to `[kg m²]`.
    matrix: [[f64; 6]; 6],
    /// `Σ m Gᵀ (Π v̄ − s n)`, `[kg m/s]` and `[kg m²/s]`.
    momentum: [f64; 6],
}

impl Default for Meeting {
    fn default() -> Self {
        Self { matrix: [[0.0; 6]; 6], momentum: [0.0; 6] }
    }
}

impl Merge for Meeting {
    fn merge(self, later: Self) -> Self {
        Self {
            matrix: from_fn(|a| from_fn(|b| self.matrix[a][b] + later.matrix[a][b])),
            momentum: from_fn(|a| self.momentum[a] + later.momentum[a]),
        }
    }
}

impl Meeting {
    /// From sums that were made elsewhere: the entries of the matrix on its diagonal and above, row by row, and the
    /// momentum.
    pub fn of_sums(upper: &[f64; 21], momentum: [f64; 6]) -> Self {
        let entry = |row: usize, column: usize| upper[row * (11 - row) / 2 + column];
        Self { matrix: from_fn(|a| from_fn(|b| entry(a.min(b), a.max(b)))), momentum }
    }

    /// Adds a particle of the mass `m`, `[kg]`, that moves with `v` relative to the body, stickiness included, `[m/s]`.
    pub fn add(&mut self, contact: &Contact, spot: &Spot, m: f64, v: &[f64; 3], no_slip: bool) {
        let v_n = dot(*v, spot.n);
        let [normal, tangential] = contact.parts(spot.d, v_n, no_slip);
        self.along(&spot.n, &spot.arm, m * (normal - tangential), v_n);
        for k in 0..3 {
            self.along(&from_fn(|a| if a == k { 1.0 } else { 0.0 }), &spot.arm, m * tangential, v[k]);
        }
        let pull = wrench(&spot.n, &spot.arm);
        for a in 0..6 {
            self.momentum[a] -= m * contact.stickiness(spot.d) * pull[a];
        }
    }

    fn along(&mut self, direction: &[f64; 3], arm: &[f64; 3], m: f64, v: f64) {
        let g = wrench(direction, arm);
        for a in 0..6 {
            self.momentum[a] += m * v * g[a];
            for b in 0..6 {
                self.matrix[a][b] += m * g[a] * g[b];
            }
        }
    }

    /// The motion of the body after it, from that before; what it is not free to do stays.
    pub fn after<const D: usize>(&self, body: &Rigid<D>, before: Twist) -> Twist {
        let form = &body.form;
        let free: [bool; 6] = from_fn(|a| match a {
            0..3 => a < D && !form.held[a],
            _ => !form.held_rotation && (D == 3 || a == 5),
        });
        let unit = |k: usize| from_fn(|a| if a == k { 1.0 } else { 0.0 });
        let inertia: [[f64; 3]; 3] =
            from_fn(|k| body.rotation.turn(&form.inertia(&body.rotation.turn_back(&unit(k)))));
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
        // Mass and inertia are positive; a matrix that is not is one of numbers that are not finite.
        let Some(change) = matrix.cholesky().map(|factors| factors.solve(&momentum)) else { return before };
        Twist {
            velocity: from_fn(|a| before.velocity[a] + change[a]),
            angular: from_fn(|a| before.angular[a] + change[3 + a]),
        }
    }
}

/// Force and torque of a unit force at an arm.
pub fn wrench(force: &[f64; 3], arm: &[f64; 3]) -> [f64; 6] {
    let torque = cross(*arm, *force);
    from_fn(|a| if a < 3 { force[a] } else { torque[a - 3] })
}

/// A vector in space; one of a plane lies in it.
pub fn spatial<const D: usize>(x: &[f64; D]) -> [f64; 3] {
    from_fn(|a| if a < D { x[a] } else { 0.0 })
}
