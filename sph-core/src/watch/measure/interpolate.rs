//! Fields between particles: what a probe at a point reads.

use super::near::{Near, between};
use crate::{
    neighbors::Periodic,
    numerics::{lane::each, vector::norm},
};
use nalgebra::{SMatrix, SVector};
use std::{array::from_fn, f64::consts::PI};

/// Above this the plane of least squares reaches too far beyond its particles: `1 + x̄ᵀ C⁻¹ x̄`, with mean `x̄` and covariance
/// `C` of their distances from the point. It is 3.3 on a plane wall, 5.6 in a corner, 8 in that of three walls
/// `[convention]`.
const MOST_LEVERAGE: f64 = 16.0;

/// Wendland's C2 kernel without its factor, 1 at the point and 0 from `q = r/h = 1` on.
pub fn wendland(q: f64) -> f64 {
    if q < 1.0 { (1.0 - q).powi(4) * (1.0 + 4.0 * q) } else { 0.0 }
}

/// The factor that gives [`wendland`] the integral 1 over the ball of radius `h` `[m]`, `[1/m^D]`.
pub fn wendland_factor<const D: usize>(h: f64) -> f64 {
    if D == 2 { 7.0 / (PI * h * h) } else { 21.0 / (2.0 * PI * h.powi(3)) }
}

/// How values are taken from the particles.
#[derive(Clone, Copy, Debug)]
pub struct Interpolation<const D: usize> {
    /// Support radius h, `[m]`.
    pub h: f64,
    /// True for the plane of least squares, false for the weighted mean.
    pub linear: bool,
    /// Periodic axes.
    pub periodic: Periodic<D>,
}

/// Weighted sums over the particles in reach, with distances in `h`.
struct Moments<const D: usize> {
    weight: f64,
    x: SVector<f64, D>,
    xx: SMatrix<f64, D, D>,
    value: SVector<f64, D>,
    /// A row a component of the value.
    value_x: SMatrix<f64, D, D>,
}

impl<const D: usize> Interpolation<D> {
    /// The value at a point, of the plane of least squares or the weighted mean: the mean also where particles are too few or
    /// too one-sided for a plane. `None` where none is in reach.
    pub(super) fn at(
        &self,
        point: &[f64; D],
        near: &Near<D>,
        value: impl Fn(usize) -> [f64; D],
    ) -> Option<[f64; D]> {
        let mut m = Moments::<D> {
            weight: 0.0,
            x: SVector::zeros(),
            xx: SMatrix::zeros(),
            value: SVector::zeros(),
            value_x: SMatrix::zeros(),
        };
        for (k, x) in near.x.iter().enumerate() {
            let d = between(point, x, &self.periodic);
            let r2 = d.iter().map(|d| d * d).sum::<f64>();
            if r2 < self.h * self.h {
                m.add(SVector::from(d) / self.h, wendland(r2.sqrt() / self.h), value(near.index[k]).into());
            }
        }
        m.value(self.linear)
    }
}

impl<const D: usize> Moments<D> {
    fn add(&mut self, d: SVector<f64, D>, w: f64, value: SVector<f64, D>) {
        self.weight += w;
        self.x += w * d;
        self.xx += w * d * d.transpose();
        self.value += w * value;
        self.value_x += w * value * d.transpose();
    }

    fn value(&self, linear: bool) -> Option<[f64; D]> {
        if self.weight <= 0.0 {
            return None;
        }
        let mean = self.value / self.weight;
        Some(from_fn(|c| if linear { mean[c] - self.offset(&mean)[c] } else { mean[c] }))
    }

    /// By how much the plane lies below the mean at the point: 0 where there is no plane.
    fn offset(&self, mean: &SVector<f64, D>) -> SVector<f64, D> {
        let x = self.x / self.weight;
        let covariance = self.xx / self.weight - x * x.transpose();
        let Some(cholesky) = covariance.cholesky() else { return SVector::zeros() };
        let g = cholesky.solve(&x);
        if 1.0 + x.dot(&g) > MOST_LEVERAGE {
            return SVector::zeros();
        }
        (self.value_x / self.weight - mean * x.transpose()) * g
    }
}

/// Points of the kernel along an axis, of which those in its ball tell how much of it walls take.
const AXIS: usize = 10;
/// Below this no space is left beside the walls, `[-]`.
pub(super) const LEAST_SPACE: f64 = 0.1;

/// Points of the unit ball, and their weights in the kernel, with the sum 1.
pub(super) fn kernel_points<const D: usize>() -> Vec<([f64; D], f64)> {
    let coordinate = |k: usize| (2 * k + 1) as f64 / AXIS as f64 - 1.0;
    let all = (0..AXIS.pow(D as u32)).map(|k| each(|a| coordinate(k / AXIS.pow(a as u32) % AXIS)));
    let mut points: Vec<([f64; D], f64)> = all.map(|q: [f64; D]| (q, wendland(norm(q)))).collect();
    points.retain(|(_, weight)| *weight > 0.0);
    let sum: f64 = points.iter().map(|(_, weight)| weight).sum();
    points.iter_mut().for_each(|(_, weight)| *weight /= sum);
    points
}
