//! Areas of the samples of closed surfaces, over which the pressure on a body is summed.

use super::{boundary::Boundary, wall_surface::WallSurface};
use crate::{geometry::sampling::Side, numerics::lane::each};
use nalgebra::{SMatrix, SVector};
use std::ops::RangeInclusive;

/// Three numbers of n and nine of n xᵀ, those of missing axes 0.
const TERMS: usize = 12;
/// Areas over the mean that may be: edges of thin bodies count among one of their faces.
const EVEN: RangeInclusive<f64> = 0.1..=4.0;

/// Areas of the samples of the first layer of a closed surface, with normals n at points x of it: `A = A₀ (1 + c·(n, n xᵀ))` with
/// the c of least changes for which `Σ A n = 0`, and `Σ A n xᵀ` is the volume times the unit matrix. So a pressure that is linear in x
/// gives the force of Archimedes, and a constant one neither force nor torque.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Areas {
    /// Samples that are deeper behind the surface stand for no area, `[m]`.
    pub deepest: f64,
    /// A₀, `[m^(D−1)]`; negative where the surface is not closed.
    pub mean: f64,
    /// Where x counts from, `[m]`.
    pub center: [f64; 3],
    /// c, `[-]` and `[1/m]`.
    pub terms: [f64; TERMS],
}

/// What has no areas.
const OPEN: Areas = Areas { deepest: 0.0, mean: -1.0, center: [0.0; 3], terms: [0.0; TERMS] };

/// `(n, n xᵀ)`.
fn products<const D: usize>(n: &[f64; D], x: &[f64; D]) -> [f64; TERMS] {
    let mut terms = [0.0; TERMS];
    for a in 0..D {
        terms[a] = n[a];
        for b in 0..D {
            terms[3 + 3 * a + b] = n[a] * x[b];
        }
    }
    terms
}

impl Areas {
    /// Those of each surface of `walls`, whose samples are about `spacing` apart, `[m]`.
    pub fn all<const D: usize>(walls: &Boundary<D>, spacing: f64) -> Vec<Self> {
        let of_surface = |k| {
            (0..walls.len()).filter(move |&b| walls.surface_of_body[usize::from(walls.body[b])] == Some(k))
        };
        let place = |b: usize| each(|a| f64::from(walls.x_0[a][b]));
        let of = |(k, surface)| Self::of(surface, of_surface(k).map(place), spacing).unwrap_or(OPEN);
        walls.surfaces.iter().enumerate().map(of).collect()
    }

    /// Those of a surface with these samples in its reference frame; `None` where it is not closed around a volume.
    fn of<const D: usize>(
        surface: &WallSurface<D>,
        samples: impl Iterator<Item = [f64; D]>,
        spacing: f64,
    ) -> Option<Self> {
        let volume = surface.region.volume().filter(|_| surface.side == Side::Outside)?;
        let deepest = surface.first_layer + 0.5 * spacing;
        let on_surface = |x: [f64; D]| {
            let (depth, n) = surface.depth_and_normal(&x);
            (depth <= deepest).then(|| (n, each(|a| x[a] + depth * n[a])))
        };
        let first: Vec<([f64; D], [f64; D])> = samples.filter_map(on_surface).collect();
        let center: [f64; D] = each(|a| first.iter().map(|(_, x)| x[a]).sum::<f64>() / first.len() as f64);
        let mean = spacing.powi(D as i32 - 1);
        // In units of the spacing both kinds of conditions count alike.
        let of_sample = |(n, x): &([f64; D], [f64; D])| {
            SVector::<f64, TERMS>::from(products(n, &each(|a| (x[a] - center[a]) / spacing)))
        };
        let mut missing = SVector::<f64, TERMS>::zeros();
        let mut matrix = SMatrix::<f64, TERMS, TERMS>::zeros();
        (0..D).for_each(|a| missing[3 + 4 * a] = volume / (mean * spacing));
        for products in first.iter().map(of_sample) {
            missing -= products;
            matrix += products * products.transpose();
        }
        let decomposed = matrix.svd(true, true);
        let terms = decomposed.solve(&missing, 1e-9 * decomposed.singular_values.max()).ok()?;
        let is_met = (matrix * terms - missing).norm() <= 1e-6 * volume / (mean * spacing);
        let is_even = first.iter().all(|sample| EVEN.contains(&(1.0 + terms.dot(&of_sample(sample)))));
        let center = std::array::from_fn(|k| if k < D { center[k] } else { 0.0 });
        let terms = std::array::from_fn(|k| if k < 3 { terms[k] } else { terms[k] / spacing });
        (is_met && is_even).then_some(Self { deepest, mean, center, terms })
    }

    /// The area of a sample at x in the reference frame, so deep behind the surface, `[m]`, with the normal there, `[m^(D−1)]`;
    /// negative where the surface is not closed.
    pub fn at<const D: usize>(&self, x: &[f64; D], depth: f64, n: &[f64; D]) -> f64 {
        if self.mean >= 0.0 && depth > self.deepest {
            return 0.0;
        }
        let products = products(n, &each(|a| x[a] + depth * n[a] - self.center[a]));
        self.mean * (1.0 + (0..TERMS).map(|k| self.terms[k] * products[k]).sum::<f64>())
    }
}
