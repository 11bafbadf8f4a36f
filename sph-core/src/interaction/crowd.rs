//! Which of some points come too near to particles that are there already.

use crate::{Real, neighbors::Periodic};
use std::collections::HashMap;

/// The particles around some points, by cells as wide as the distance that counts as too near.
pub struct Crowd<const D: usize> {
    cells: HashMap<[i64; D], Vec<[f64; D]>>,
    distance: f64,
}

impl<const D: usize> Crowd<D> {
    /// The particles `x` that may be nearer than `distance`, `[m]`, to one of the points.
    pub fn around(points: &[[f64; D]], x: &[Vec<Real>; D], distance: f64, periodic: &Periodic<D>) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
        for point in points {
            for a in 0..D {
                low[a] = low[a].min(point[a] - distance);
                high[a] = high[a].max(point[a] + distance);
            }
        }
        let mut crowd = Self { cells: HashMap::new(), distance };
        for i in 0..x[0].len() {
            let place: [f64; D] = std::array::from_fn(|a| f64::from(x[a][i]));
            crowd.add_images(place, 0, (&low, &high), periodic);
        }
        crowd
    }

    /// Adds a place, and its images along the periodic axes from `axis` on, as far as they are within bounds.
    fn add_images(
        &mut self,
        place: [f64; D],
        axis: usize,
        bounds: (&[f64; D], &[f64; D]),
        periodic: &Periodic<D>,
    ) {
        if axis == D {
            let inside = (0..D).all(|a| place[a] >= bounds.0[a] && place[a] <= bounds.1[a]);
            if inside {
                self.cells.entry(self.cell(&place)).or_default().push(place);
            }
            return;
        }
        let length = f64::from(periodic.length[axis]);
        for turn in if length > 0.0 { -1..=1 } else { 0..=0 } {
            let mut image = place;
            image[axis] += f64::from(turn) * length;
            self.add_images(image, axis + 1, bounds, periodic);
        }
    }

    fn cell(&self, place: &[f64; D]) -> [i64; D] {
        place.map(|x| (x / self.distance).floor() as i64)
    }

    /// The particle nearest to a point, if it is too near, and its distance, `[m]`.
    pub fn near(&self, point: &[f64; D]) -> Option<([f64; D], f64)> {
        let cell = self.cell(point);
        let around = (0..3_usize.pow(D as u32)).filter_map(|k| {
            self.cells.get(&std::array::from_fn(|a| cell[a] + (k / 3_usize.pow(a as u32) % 3) as i64 - 1))
        });
        let distance = |x: &[f64; D]| (0..D).map(|a| (x[a] - point[a]).powi(2)).sum::<f64>().sqrt();
        let all = around.flatten().map(|x| (*x, distance(x)));
        all.filter(|(_, d)| *d < self.distance).min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_through_the_end_of_a_period() {
        let periodic = Periodic::<2>::new([0.0, 0.0], [1.0, 0.0]);
        let x = [vec![0.96, 0.5, 0.9], vec![0.5, 0.97, 0.5]];
        let points = [[0.02, 0.5], [0.5, 0.02], [0.3, 0.3]];
        let crowd = Crowd::around(&points, &x, 0.1, &periodic);
        let (place, distance) = crowd.near(&points[0]).unwrap();
        assert!((place[0] + 0.04).abs() < 1e-6 && (distance - 0.06).abs() < 1e-6);
        assert_eq!(crowd.near(&points[1]), None, "y is not periodic");
        assert_eq!(crowd.near(&points[2]), None);
    }
}
