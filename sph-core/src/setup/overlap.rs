//! Are two particles too near each other, or a particle and a wall? One table of cells answers in O(n).

use crate::{
    Real,
    neighbors::{CellFrame, Periodic, norm2},
    parallel::{self, Merge},
};

/// The least distance of two particles, and of a particle and a wall sample, in spacings.
pub const CLEARANCE: f64 = 0.5;

/// Cells are this many clearances wide: a ball of that radius then touches two of them along an axis, even when
/// rounding moves its ends by a hundredth of a spacing.
const EDGE: f64 = 2.05;

/// What a point is too near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Near {
    /// Another of the points, an earlier one.
    Point(usize),
    /// A particle of the fluid that is there already.
    Fluid(usize),
    /// A wall sample.
    Wall(usize),
}

/// Two points nearer than [`CLEARANCE`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap<const D: usize> {
    /// Index of the point.
    pub point: usize,
    /// What it is too near to.
    pub near: Near,
    /// Place of the point, `[m]`.
    pub x: [Real; D],
    /// Place of the other, `[m]`.
    pub x_near: [Real; D],
    /// Their distance over the spacing, `[-]`.
    pub distance: f64,
}

/// Checks that points keep [`CLEARANCE`] spacings to each other, to the fluid and to the walls.
///
/// `points`, `fluid` and `walls` are places in `[m]`, one array an axis, `spacing` is in `[m]`. A distance that is
/// the limit itself up to rounding is accepted. `points` may be the whole fluid of a scene, with no other, or what
/// is to be added to a run.
///
/// # Errors
/// The first pair that is too near: among the points, then with the fluid, then with the walls.
///
/// # Example
/// ```
/// use sph_core::{neighbors::Periodic, setup::{Near, check_clearance}};
/// let (points, none) = ([vec![0.0, 1.0], vec![0.0, 0.0]], [vec![], vec![]]);
/// let walls = [vec![1.0], vec![-0.25]];
/// let overlap = check_clearance(&points, &none, &walls, 1.0, &Periodic::NONE).unwrap_err();
/// assert_eq!((overlap.point, overlap.near, overlap.distance), (1, Near::Wall(0), 0.25));
/// ```
pub fn check_clearance<const D: usize>(
    points: &[Vec<Real>; D],
    fluid: &[Vec<Real>; D],
    walls: &[Vec<Real>; D],
    spacing: Real,
    periodic: &Periodic<D>,
) -> Result<(), Overlap<D>> {
    if points[0].is_empty() {
        return Ok(());
    }
    let table = Table::new(points, spacing, periodic);
    table.search(points, |from, to| (to < from).then_some((from, Near::Point(to))))?;
    table.search(fluid, |from, to| Some((to, Near::Fluid(from))))?;
    table.search(walls, |from, to| Some((to, Near::Wall(from))))
}

/// Which points are nearer than [`CLEARANCE`] spacings to one of `others`: as [`check_clearance`], for few points that
/// may keep away one by one. Shape `[n]`.
pub fn crowded<const D: usize>(
    points: &[Vec<Real>; D],
    others: &[Vec<Real>; D],
    spacing: Real,
    periodic: &Periodic<D>,
) -> Vec<bool> {
    let mut near = vec![false; points[0].len()];
    if near.is_empty() {
        return near;
    }
    let table = Table::new(points, spacing, periodic);
    for i in 0..others[0].len() {
        let x = at(others, i);
        if let Some(ends) = table.nearby(x) {
            // No pair is the first: the walk goes on to all of them.
            let _ = table.first_near(x, ends, &mut |to| {
                near[to] = true;
                None
            });
        }
    }
    near
}

/// The points by cell. Cells share buckets; distances decide.
struct Table<'a, const D: usize> {
    x: &'a [Vec<Real>; D],
    spacing: f64,
    periodic: &'a Periodic<D>,
    frame: CellFrame<D>,
    /// Where each bucket begins in `points` and `places`.
    start: Vec<u32>,
    points: Vec<u32>,
    /// Their places side by side: a look-up then touches one line of the cache.
    places: Vec<[Real; D]>,
    /// The box of the points, larger by the clearance.
    bounds: [(Real, Real); D],
    /// Radius of the search, `[m]`.
    reach: Real,
    /// Nearer pairs are refused, `[m]`.
    limit: f64,
}

impl<'a, const D: usize> Table<'a, D> {
    fn new(x: &'a [Vec<Real>; D], spacing: Real, periodic: &'a Periodic<D>) -> Self {
        let n = x[0].len();
        let reach = CLEARANCE as Real * spacing;
        let mut bounds = [(Real::INFINITY, Real::NEG_INFINITY); D];
        for (bounds, x) in bounds.iter_mut().zip(x) {
            let ends = x.iter().fold(*bounds, |(low, high), &x| (low.min(x), high.max(x)));
            *bounds = (ends.0 - reach, ends.1 + reach);
        }
        let largest = bounds.iter().fold(0.0, |most: Real, (low, high)| most.max(low.abs()).max(high.abs()));
        let (spacing, largest) = (f64::from(spacing), f64::from(largest));
        // Both places, and a shift by a period, are rounded.
        let rounding = 4.0 * f64::from(Real::EPSILON) * largest + 1e-6 * spacing;
        let mut table = Self {
            x,
            spacing,
            periodic,
            frame: CellFrame::new((EDGE * CLEARANCE * spacing) as Real, periodic),
            start: vec![0; n.next_power_of_two() + 1],
            points: vec![0; n],
            places: vec![[0.0; D]; n],
            bounds,
            reach,
            limit: CLEARANCE * spacing - rounding,
        };
        table.fill();
        table
    }

    /// A counting sort by bucket: points of one bucket keep their order.
    fn fill(&mut self) {
        let n = self.points.len();
        let mut buckets = vec![0_u32; n];
        let (x, frame, n_buckets) = (self.x, self.frame, self.start.len() - 1);
        parallel::blocks(n, &mut buckets[..], |range, out| {
            for (out, i) in out.iter_mut().zip(range) {
                *out = bucket(frame.cell(at(x, i)), n_buckets) as u32;
            }
        });
        for &b in &buckets {
            self.start[b as usize + 1] += 1;
        }
        for b in 0..n_buckets {
            self.start[b + 1] += self.start[b];
        }
        // Each bucket is filled from its end down, which leaves `start` as it was; hence the reversed order.
        let mut end: Vec<u32> = self.start[1..].to_vec();
        for (i, &b) in buckets.iter().enumerate().rev() {
            end[b as usize] -= 1;
            let place = end[b as usize] as usize;
            (self.points[place], self.places[place]) = (i as u32, at(x, i));
        }
    }

    /// Looks up `from` among the points. `pair` names a pair of both indices, or skips it.
    fn search(
        &self,
        from: &[Vec<Real>; D],
        pair: impl Fn(usize, usize) -> Option<(usize, Near)> + Sync,
    ) -> Result<(), Overlap<D>> {
        let First(found) = parallel::blocks(from[0].len(), (), |range, ()| {
            for i in range {
                let x = at(from, i);
                let near = self.nearby(x).and_then(|at| self.first_near(x, at, &mut |to| pair(i, to)));
                if near.is_some() {
                    return First(near);
                }
            }
            First(None)
        });
        found.map_or(Ok(()), Err)
    }

    /// The cells at both ends of the search around `x`; `None` where there is no point at all.
    fn nearby(&self, x: [Real; D]) -> Option<[[i32; D]; 2]> {
        let outside = |a: usize| !(self.bounds[a].0..=self.bounds[a].1).contains(&x[a]);
        if (0..D).any(|a| !self.periodic.is_periodic(a) && outside(a)) {
            return None;
        }
        let end = |reach: Real| self.frame.cell(self.periodic.wrap(x.map(|x| x + reach)));
        Some([end(-self.reach), end(self.reach)])
    }

    fn first_near(
        &self,
        x: [Real; D],
        ends: [[i32; D]; 2],
        pair: &mut impl FnMut(usize) -> Option<(usize, Near)>,
    ) -> Option<Overlap<D>> {
        let corners = 0..1_usize << D;
        // An axis on which both ends lie in one cell is walked through once.
        let corners =
            corners.filter(|corner| (0..D).all(|a| corner >> a & 1 == 0 || ends[0][a] != ends[1][a]));
        // Rounding may hide a pair at the limit; the limit allows for that.
        let wide = self.reach * self.reach;
        for corner in corners {
            let mut cell = ends[0];
            for a in 0..D {
                cell[a] = ends[corner >> a & 1][a];
            }
            let b = bucket(cell, self.start.len() - 1);
            for k in self.start[b] as usize..self.start[b + 1] as usize {
                let x_to = self.places[k];
                let mut difference = x;
                for a in 0..D {
                    difference[a] -= x_to[a];
                }
                if norm2(self.periodic.nearest(difference)) < wide
                    && let Some(overlap) = self.overlap(x, x_to, self.points[k] as usize, pair)
                {
                    return Some(overlap);
                }
            }
        }
        None
    }

    /// The pair, if it is too near in double precision too.
    fn overlap(
        &self,
        x: [Real; D],
        x_to: [Real; D],
        to: usize,
        pair: &mut impl FnMut(usize) -> Option<(usize, Near)>,
    ) -> Option<Overlap<D>> {
        let difference = std::array::from_fn(|a| f64::from(x[a]) - f64::from(x_to[a]));
        let distance = norm2(self.nearest(difference)).sqrt();
        if distance >= self.limit {
            return None;
        }
        let (point, near) = pair(to)?;
        let (x, x_near) = if point == to { (x_to, x) } else { (x, x_to) };
        Some(Overlap { point, near, x, x_near, distance: distance / self.spacing })
    }

    /// The nearest image of a difference, as [`Periodic::nearest`] in double precision.
    fn nearest(&self, mut d: [f64; D]) -> [f64; D] {
        for (d, &length) in d.iter_mut().zip(&self.periodic.length) {
            if length > 0.0 {
                *d -= f64::from(length) * (*d / f64::from(length)).round();
            }
        }
        d
    }
}

#[inline(always)]
fn at<const D: usize>(x: &[Vec<Real>; D], i: usize) -> [Real; D] {
    std::array::from_fn(|a| x[a][i])
}

/// Cells along x have buckets side by side, so that points in the order of a lattice find theirs in the cache.
/// The factors are 2³² over the golden ratio and over the square of the plastic number, made odd.
#[inline(always)]
fn bucket<const D: usize>(cell: [i32; D], n_buckets: usize) -> usize {
    const FACTORS: [u32; 3] = [1, 2_654_435_769, 2_447_445_413];
    let sum = (0..D).fold(0_u32, |sum, a| sum.wrapping_add((cell[a] as u32).wrapping_mul(FACTORS[a])));
    sum as usize & (n_buckets - 1)
}

/// The earliest of what was found.
struct First<T>(Option<T>);

impl<T: Send> Merge for First<T> {
    fn merge(self, later: Self) -> Self {
        First(self.0.or(later.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soa<const D: usize>(points: &[[Real; D]]) -> [Vec<Real>; D] {
        std::array::from_fn(|a| points.iter().map(|x| x[a]).collect())
    }

    fn grid(n: usize, spacing: f64, shift: f64) -> Vec<[Real; 2]> {
        let place = |k: usize| ((k as f64 + 0.5) * spacing + shift) as Real;
        (0..n * n).map(|k| [place(k % n), place(k / n)]).collect()
    }

    #[test]
    fn half_a_spacing_is_far_enough_and_less_is_not() {
        let none = soa::<2>(&[]);
        for spacing in [0.1, 0.003, 7.0] {
            let mut points = grid(40, spacing, 3.0 * spacing);
            for (distance, fits) in [(0.5, true), (0.499, false), (0.0, false)] {
                let [x, y] = points[321];
                points.push([x + (distance * spacing) as Real, y]);
                let found = check_clearance(&soa(&points), &none, &none, spacing as Real, &Periodic::NONE);
                assert_eq!(found.is_ok(), fits, "{distance} of {spacing}");
                if let Err(overlap) = found {
                    assert_eq!((overlap.point, overlap.near), (1600, Near::Point(321)));
                    assert!((overlap.distance - distance).abs() < 1e-3);
                }
                points.pop();
            }
        }
    }

    #[test]
    fn agrees_with_testing_every_pair() {
        for seed in 0..40 {
            let periodic = [Periodic::NONE, Periodic::new([0.0; 3], [4.0, 0.0, 5.5])][seed as usize % 2];
            let mut points = Vec::new();
            let mut hash = seed;
            for _ in 0..60 {
                points.push(std::array::from_fn(|_| {
                    hash = crate::sampling::splitmix64(hash);
                    (hash >> 40) as Real / (1 << 24) as Real * 4.0
                }));
            }
            let (points, others) = points.split_at(40);
            let near = |x: &[Real; 3], y: &[Real; 3]| {
                let d: [Real; 3] = std::array::from_fn(|a| x[a] - y[a]);
                norm2(periodic.nearest(d)).sqrt() < 0.5
            };
            let first = (0..40).find_map(|i| (0..i).find(|&j| near(&points[i], &points[j])).map(|_| i));
            let (points, walls, none) = (soa(points), soa(others), soa(&[]));
            let found = check_clearance(&points, &none, &none, 1.0, &periodic).err();
            assert_eq!(found.map(|overlap| overlap.point), first, "{seed}");
            let single = std::array::from_fn(|a| vec![points[a][0]]);
            let first = (0..20).find(|&b| near(&at(&points, 0), &at(&walls, b)));
            let found = check_clearance(&single, &none, &walls, 1.0, &periodic).err();
            assert_eq!(found.map(|overlap| overlap.near), first.map(Near::Wall), "{seed}");
        }
    }

    #[test]
    fn a_period_brings_both_ends_together() {
        let periodic = Periodic::new([0.0, 0.0], [10.0, 0.0]);
        let (points, none) = (soa(&[[0.1, 1.0], [9.8, 1.0]]), soa(&[]));
        let overlap = check_clearance(&points, &none, &none, 1.0, &periodic).unwrap_err();
        assert_eq!((overlap.point, overlap.near), (1, Near::Point(0)));
        assert!((overlap.distance - 0.3).abs() < 1e-5);
        assert!(check_clearance(&points, &none, &none, 1.0, &Periodic::NONE).is_ok());
    }

    #[test]
    fn crowded_points_are_those_that_alone_would_be_refused() {
        let periodic = Periodic::new([0.0, 0.0], [1.0, 0.0]);
        let points = [[0.02, 0.5], [0.5, 0.02], [0.3, 0.3], [0.3, 0.9]];
        let others = soa(&[[0.96, 0.5], [0.5, 0.97], [0.28, 0.3], [0.32, 0.3]]);
        let found = crowded(&soa(&points), &others, 0.2, &periodic);
        assert_eq!(found, [true, false, true, false], "x is periodic, y is not");
        for (point, crowded) in points.iter().zip(found) {
            let alone = check_clearance(&soa(&[*point]), &others, &soa(&[]), 0.2, &periodic);
            assert_eq!(alone.is_err(), crowded, "{point:?}");
        }
    }

    #[test]
    fn a_heap_of_equal_points_is_found_at_once() {
        let (points, none) = (soa(&vec![[1.0, 2.0, 3.0]; 1_000_000]), soa(&[]));
        let start = std::time::Instant::now();
        let overlap = check_clearance(&points, &none, &none, 0.1, &Periodic::NONE).unwrap_err();
        assert_eq!((overlap.point, overlap.near, overlap.distance), (1, Near::Point(0), 0.0));
        assert!(start.elapsed().as_secs_f64() < 1.0);
    }
}
