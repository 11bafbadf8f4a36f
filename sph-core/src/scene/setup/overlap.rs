//! Are two particles too near each other, or a particle and a wall? One table of cells answers in O(n).

use crate::{
    Real,
    neighbors::{CellFrame, Periodic},
    numerics::{
        parallel::{self, Merge},
        vector::norm2,
    },
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
/// `points`, `fluid` and `walls` are positions in `[m]`, one array an axis, `spacing` is in `[m]`. A distance that is
/// the limit itself up to rounding is accepted. `points` may be the whole fluid of a scene, with no other, or what
/// is to be added to a run.
///
/// # Errors
/// The first pair that is too near: among the points, then with the fluid, then with the walls.
///
/// # Example
/// ```
/// use sph_core::{neighbors::Periodic, scene::setup::{Near, check_clearance}};
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
pub fn too_close<const D: usize>(
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
    /// Their positions side by side: a look-up then touches one line of the cache.
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
