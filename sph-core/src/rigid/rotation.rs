//! Rotations as unit quaternions; in 2D about the z axis.

use crate::numerics::vector::{cross, norm};

/// A rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation {
    /// Real part of the quaternion, `[-]`.
    pub w: f64,
    /// Imaginary part, `[-]`.
    pub v: [f64; 3],
}

impl Default for Rotation {
    /// The one that turns nothing.
    fn default() -> Self {
        Self { w: 1.0, v: [0.0; 3] }
    }
}

impl Rotation {
    /// `exp(θ)`: about the direction of `angle`, by its length, `[rad]`.
    pub fn by(angle: &[f64; 3]) -> Self {
        let length = norm(*angle);
        let (sin, cos) = (0.5 * length).sin_cos();
        // sin(θ/2)/θ of an angle whose square is nothing beside 1.
        let scale = if length > 1e-8 { sin / length } else { 0.5 };
        Self { w: cos, v: angle.map(|a| a * scale) }
    }

    /// This rotation after `first`, of length 1 again.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        let across = cross(self.v, first.v);
        let w = self.w * first.w - (0..3).map(|a| self.v[a] * first.v[a]).sum::<f64>();
        let v: [f64; 3] = std::array::from_fn(|a| self.w * first.v[a] + first.w * self.v[a] + across[a]);
        let length = norm([w, v[0], v[1], v[2]]);
        Self { w: w / length, v: v.map(|v| v / length) }
    }

    /// `R x = x + 2 v × (v × x + w x)`.
    pub fn rotate(&self, x: &[f64; 3]) -> [f64; 3] {
        let inner = cross(self.v, *x);
        let outer = cross(self.v, std::array::from_fn(|a| inner[a] + self.w * x[a]));
        std::array::from_fn(|a| x[a] + 2.0 * outer[a])
    }

    /// `Rᵀ x`.
    pub fn inverse_rotate(&self, x: &[f64; 3]) -> [f64; 3] {
        Self { w: self.w, v: self.v.map(|v| -v) }.rotate(x)
    }

    /// Angle about the third axis of a 2D rotation, from −π to π, `[rad]`.
    pub fn angle(&self) -> f64 {
        let (w, z) = (self.w, self.v[2]);
        (2.0 * w * z).atan2(w * w - z * z)
    }
}
