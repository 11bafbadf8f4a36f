//! How long neighbor rows will be, from the shapes alone.
//!
//! A body is taken for the block of lattice sites that fills its bounds: a ball has as much surface for its volume
//! as the cube around it, a cylinder as its block. A site within the support of a face lacks neighbors there; behind
//! a wall it finds samples in their place.

use crate::{
    geometry::{
        sampling::{Face, Side},
        shape::Region,
    },
    neighbors::PAD,
    scene::Scene,
};

/// Mean lengths of the rows of a scene, with their padding.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    /// Of a fluid particle over fluid.
    pub fluid: f64,
    /// Of a fluid particle over walls.
    pub walls: f64,
    /// Of a wall sample over fluid, of those that have any.
    pub wetted: f64,
    /// Number of those samples.
    pub n_wetted: f64,
}

/// Disordered fluid spreads the number of neighbors by this part of it (measured, 0.04 to 0.06).
const SPREAD: f64 = 0.05;

impl Rows {
    pub(super) fn of<const D: usize>(scene: &Scene, eta: f64) -> Self {
        let walls: Vec<_> =
            scene.wall.iter().filter_map(|wall| Some((wall, wall.shape.resolve("").ok()?))).collect();
        let (mut rows, mut all, mut pairs) = (Self::default(), 0.0, 0.0);
        for body in &scene.fluid {
            let Ok(region) = body.shape.resolve::<D>("") else { continue };
            let Some((min, max)) = region.bounds() else { continue };
            let n: [f64; D] = std::array::from_fn(|a| (max[a] - min[a]) / scene.spacing);
            let weight = region.volume().unwrap_or(0.0);
            let behind = |a: usize, high: bool| {
                let covers = walls.iter().find(|(wall, region)| {
                    let has = |face| wall.faces.as_ref().is_none_or(|faces| faces.contains(&face));
                    wall.side == Side::Inside && touches(region, &min, &max, a, high, scene.spacing, has)
                });
                covers.map(|(wall, _)| wall.offset - 0.5)
            };
            let covered: [[Option<f64>; 2]; D] = std::array::from_fn(|a| [behind(a, false), behind(a, true)]);
            let periodic = |a: usize| {
                scene.domain.as_ref().is_some_and(|d| d.periodic.iter().any(|axis| axis.index() == a))
            };
            let found = Sites { n, covered, periodic: std::array::from_fn(periodic), eta }.mean();
            rows.fluid += weight * found.padded;
            rows.walls += weight * found.padded_walls;
            let sites: f64 = weight / scene.spacing.powi(D as i32);
            pairs += sites * found.walls;
            for a in 0..D {
                let faces = covered[a].iter().flatten().count() as f64;
                rows.n_wetted += faces * eta.floor() * sites / n[a];
            }
            all += weight;
        }
        if all > 0.0 {
            (rows.fluid, rows.walls) = (rows.fluid / all, rows.walls / all);
        }
        if rows.n_wetted > 0.0 {
            rows.wetted = pairs / rows.n_wetted + 0.5 * PAD as f64;
        }
        rows
    }
}

/// Whether a face of a body lies on a face of a wall.
fn touches<const D: usize>(
    wall: &Region<D>,
    min: &[f64; D],
    max: &[f64; D],
    a: usize,
    high: bool,
    spacing: f64,
    has: impl Fn(Face) -> bool,
) -> bool {
    const FACES: [[Face; 2]; 3] =
        [[Face::XMin, Face::XMax], [Face::YMin, Face::YMax], [Face::ZMin, Face::ZMax]];
    let Some((low, top)) = wall.bounds() else { return false };
    let gap = if high { top[a] - max[a] } else { min[a] - low[a] };
    let named = !matches!(wall, Region::Block { .. }) || has(FACES[a][usize::from(high)]);
    named && gap.abs() < 1.5 * spacing
}

/// A block of lattice sites.
struct Sites<const D: usize> {
    /// Sites along each axis.
    n: [f64; D],
    /// Which faces have walls, and how much farther away their samples are than sites would be.
    covered: [[Option<f64>; 2]; D],
    periodic: [bool; D],
    eta: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    padded: f64,
    walls: f64,
    padded_walls: f64,
}

impl<const D: usize> Sites<D> {
    /// Mean over all sites: those with equal distances to the faces are alike.
    fn mean(&self) -> Mean {
        let offsets = self.offsets();
        let full: f64 = offsets.iter().map(|(_, weight)| weight).sum();
        // What is disordered fills the ball evenly. A lattice of few neighbors keeps its shells apart.
        let ball = ball::<D>() * self.eta.powi(D as i32) - 1.0;
        let scale = if self.eta > 2.25 { ball / full.max(1.0) } else { 1.0 };
        let axes: [Vec<(Option<i64>, f64)>; D] = std::array::from_fn(|a| self.layers(a));
        let mut mean = Mean::default();
        let classes: usize = axes.iter().map(Vec::len).product();
        for class in 0..classes {
            let (mut rest, mut share) = (class, 1.0);
            let layer: [Option<i64>; D] = std::array::from_fn(|a| {
                let (layer, part) = axes[a][rest % axes[a].len()];
                rest /= axes[a].len();
                share *= part;
                layer
            });
            let (mut fluid, mut walls) = (0.0, 0.0);
            for (offset, weight) in &offsets {
                match self.meets(&layer, offset) {
                    Met::Fluid => fluid += scale * weight,
                    Met::Wall => walls += scale * weight,
                    Met::Nothing => {}
                }
            }
            mean.padded += share * padded(fluid);
            mean.walls += share * walls;
            mean.padded_walls += share * if walls > 0.0 { padded(walls) } else { 0.0 };
        }
        mean
    }

    /// Sites within the support, and how much they count: those at its very edge by half.
    fn offsets(&self) -> Vec<([i64; D], f64)> {
        let reach = self.eta.floor() as i64;
        let width = 2 * reach + 1;
        let mut offsets = Vec::new();
        for k in 0..width.pow(D as u32) {
            let mut rest = k;
            let offset: [i64; D] = std::array::from_fn(|_| {
                let o = rest % width - reach;
                rest /= width;
                o
            });
            let r = (offset.iter().map(|o| o * o).sum::<i64>() as f64).sqrt();
            if r > 0.0 && r <= self.eta + 1e-9 {
                offsets.push((offset, if r < self.eta - 1e-9 { 1.0 } else { 0.5 }));
            }
        }
        offsets
    }

    /// The layers along an axis, with their share of the sites: from the low face `0, 1, …`, from the high one
    /// `-1, -2, …`, and all between as `None`.
    fn layers(&self, a: usize) -> Vec<(Option<i64>, f64)> {
        let reach = self.eta.floor() as i64;
        if self.periodic[a] {
            return vec![(None, 1.0)];
        }
        let n = self.n[a].round().max(1.0);
        if n <= (2 * reach) as f64 {
            return (0..n as i64).map(|k| (Some(k), 1.0 / n)).collect();
        }
        let near = (0..reach).flat_map(|k| [k, -1 - k]).map(|k| (Some(k), 1.0 / n));
        near.chain([(None, 1.0 - (2 * reach) as f64 / n)]).collect()
    }

    /// What stands at an offset from a site of these layers.
    fn meets(&self, layer: &[Option<i64>; D], offset: &[i64; D]) -> Met {
        let (mut met, mut r2) = (Met::Fluid, 0.0);
        for a in 0..D {
            let mut distance = offset[a].abs() as f64;
            if let Some(side) = self.beyond(a, layer[a], offset[a]) {
                let Some(farther) = self.covered[a][side] else { return Met::Nothing };
                (met, distance) = (Met::Wall, distance + farther);
            }
            r2 += distance * distance;
        }
        if r2.sqrt() > self.eta + 1e-9 { Met::Nothing } else { met }
    }

    /// The face behind which an offset from a layer leads, 0 for the low one.
    fn beyond(&self, a: usize, layer: Option<i64>, offset: i64) -> Option<usize> {
        let (layer, n) = (layer?, self.n[a].round().max(1.0) as i64);
        let at = if layer < 0 { n + layer } else { layer } + offset;
        if at < 0 { Some(0) } else { (at >= n).then_some(1) }
    }
}

enum Met {
    Fluid,
    Wall,
    Nothing,
}

/// Volume of the unit ball.
fn ball<const D: usize>() -> f64 {
    if D == 2 { std::f64::consts::PI } else { 4.0 / 3.0 * std::f64::consts::PI }
}

/// Mean length of rows of about `n` neighbors, each padded to a multiple of [`PAD`].
fn padded(n: f64) -> f64 {
    let pad = PAD as f64;
    // Three equal parts of a normal distribution stand for it.
    let ends = [-1.2, 0.0, 1.2].map(|s| ((n * (1.0 + s * SPREAD)) / pad).ceil() * pad);
    ends.iter().sum::<f64>() / 3.0
}
