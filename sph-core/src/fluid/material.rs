//! The liquid, the forces on it and the space it may use: constants of a run that every method reads.

use crate::{Real, neighbors::Periodic, numerics::lane::each};

/// The liquid and the resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Rest density ρ₀, `[kg/m³]`.
    pub rho_0: Real,
    /// Mass of every fluid particle (a slab of 1 m depth in 2D), `[kg]`.
    pub m: Real,
    /// Particle spacing Δx, `[m]`.
    pub spacing: Real,
}

/// Accelerations from outside, and the damping of a run's first moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forces<const D: usize> {
    /// Gravity g, `[m/s²]`.
    pub gravity: [Real; D],
    /// Center and strength B of the central acceleration −B² (x − c), `[m]` and `[1/s]`.
    pub central: Option<([Real; D], Real)>,
    /// Rate k of the damping v ← v e^(−k dt), and when it ends, `[1/s]` and `[s]`.
    pub damping: Option<(Real, f64)>,
}

impl<const D: usize> Forces<D> {
    /// Acceleration at `x`, `[m/s²]`.
    #[inline(always)]
    pub fn acceleration(&self, x: [Real; D]) -> [Real; D] {
        match self.central {
            None => self.gravity,
            Some((c, b)) => each(|a| self.gravity[a] - b * b * (x[a] - c[a])),
        }
    }

    /// What a step `dt` from the time `t` leaves of a velocity, `e^(−k dt)`, `[-]`; both in `[s]`.
    pub fn damping_of(&self, t: f64, dt: f64) -> Real {
        match self.damping {
            Some((rate, until)) if t < until => (-f64::from(rate) * dt).exp() as Real,
            _ => 1.0,
        }
    }
}

/// The space a run may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain<const D: usize> {
    /// A particle below has escaped, `[m]`.
    pub low: [Real; D],
    /// A particle above has escaped, `[m]`.
    pub high: [Real; D],
    /// Periodic axes, on which nothing escapes.
    pub periodic: Periodic<D>,
}

impl<const D: usize> Domain<D> {
    /// True when `x` is inside; false also for NaN.
    #[inline(always)]
    pub fn holds(&self, x: [Real; D]) -> bool {
        // Without branches, for the loop over all particles.
        (0..D).fold(true, |inside, a| inside & (x[a] >= self.low[a]) & (x[a] <= self.high[a]))
    }
}
