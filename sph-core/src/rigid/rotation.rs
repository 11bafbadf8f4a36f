//! Rotations in space, as unit quaternions; those of a plane turn about its normal.

use super::{cross, norm};

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
        let length = norm(angle);
        let (sin, cos) = (0.5 * length).sin_cos();
        // sin(θ/2)/θ of an angle whose square is nothing beside 1.
        let scale = if length > 1e-8 { sin / length } else { 0.5 };
        Self { w: cos, v: angle.map(|a| a * scale) }
    }

    /// This rotation after `first`, of length 1 again.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        let across = cross(&self.v, &first.v);
        let w = self.w * first.w - (0..3).map(|a| self.v[a] * first.v[a]).sum::<f64>();
        let v: [f64; 3] = std::array::from_fn(|a| self.w * first.v[a] + first.w * self.v[a] + across[a]);
        let length = norm(&[w, v[0], v[1], v[2]]);
        Self { w: w / length, v: v.map(|v| v / length) }
    }

    /// `R x = x + 2 v × (v × x + w x)`.
    pub fn turn(&self, x: &[f64; 3]) -> [f64; 3] {
        let inner = cross(&self.v, x);
        let outer = cross(&self.v, &std::array::from_fn(|a| inner[a] + self.w * x[a]));
        std::array::from_fn(|a| x[a] + 2.0 * outer[a])
    }

    /// `Rᵀ x`.
    pub fn turn_back(&self, x: &[f64; 3]) -> [f64; 3] {
        Self { w: self.w, v: self.v.map(|v| -v) }.turn(x)
    }

    /// Angle about the third axis of a rotation in the plane, from −π to π, `[rad]`.
    pub fn angle(&self) -> f64 {
        let (w, z) = (self.w, self.v[2]);
        (2.0 * w * z).atan2(w * w - z * z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_like_a_matrix_of_cosines() {
        let quarter = Rotation::by(&[0.0, 0.0, std::f64::consts::FRAC_PI_2]);
        let turned = quarter.turn(&[1.0, 2.0, 3.0]);
        let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-15);
        assert!(near(turned, [-2.0, 1.0, 3.0]), "{turned:?}");
        assert!(near(quarter.turn_back(&turned), [1.0, 2.0, 3.0]));
        let half = quarter.after(&quarter);
        assert!(near(half.turn(&[1.0, 0.0, 0.0]), [-1.0, 0.0, 0.0]));
        assert!((half.angle() - std::f64::consts::PI).abs() < 1e-15);
        let small = Rotation::by(&[1e-9, 0.0, 0.0]).turn(&[0.0, 1.0, 0.0]);
        assert!((small[2] - 1e-9).abs() < 1e-24);
    }

    #[test]
    fn of_two_the_second_turns_what_the_first_has_turned() {
        let (a, b) = (Rotation::by(&[0.3, -0.2, 0.9]), Rotation::by(&[-1.1, 0.4, 0.2]));
        let x = [0.3, -2.0, 1.0];
        let (both, twice) = (b.after(&a).turn(&x), b.turn(&a.turn(&x)));
        assert!((0..3).all(|k| (both[k] - twice[k]).abs() < 4.0 * f64::EPSILON * 2.3), "{both:?} {twice:?}");
    }
}
