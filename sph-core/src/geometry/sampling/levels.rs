//! Layers at equal distances from a hull.
use std::array::from_fn;
use std::collections::HashMap;

use super::layers::{Layers, Side, WallSample};
use crate::{compiled_here, geometry::shape::Hull};

/// Points of a layer are no nearer than this to each other, in spacings: what remains between them is too narrow for
/// another one.
const APART: f64 = 0.9;
/// Candidates along each edge of a cell of the lattice. An odd number has one in its middle.
const CANDIDATES: i64 = 3;
/// Candidates come so near to the level of their layer, in spacings.
const ON_LEVEL: f64 = 1e-3;
/// A body less deep than its first layer has that at this part of its depth.
const DEEPEST: f64 = 0.9;

/// The layers of a hull: points on the levels of its signed distance, as evenly as they come.
///
/// Where sites of the lattice that fills the hull lie on a level these are its points; what they leave is filled with
/// sites of a finer lattice that are moved onto the level, from the first to the last where there is room.
pub(super) fn hull_layers<const D: usize>(hull: &Hull<D>, spacing: f64, how: &Layers) -> Vec<WallSample<D>> {
    compiled_here!(D, spread as fn(&Hull<D>, f64, &Layers) -> Vec<WallSample<D>>)(hull, spacing, how)
}

fn spread<const D: usize>(hull: &Hull<D>, spacing: f64, how: &Layers) -> Vec<WallSample<D>> {
    let levels = levels(hull, spacing, how);
    let Some(farthest) = levels.iter().copied().reduce(|a, b| if b.abs() > a.abs() { b } else { a }) else {
        return Vec::new();
    };
    let (low, high) = hull.bounds();
    let around = farthest.max(0.0);
    let ends: [[i64; 2]; D] = from_fn(|k| {
        let cell = |x: f64| ((x - low[k]) / spacing).floor() as i64;
        [cell(low[k] - around) - 1, cell(high[k] + around) + 1]
    });
    let site = |cell: &[i64; D], part: &[f64; D]| from_fn(|k| low[k] + (cell[k] as f64 + part[k]) * spacing);
    let (mut near, mut samples) = (Vec::new(), Vec::new());
    let mut chosen: Vec<Spread<D>> = levels.iter().map(|_| Spread::new(APART * spacing)).collect();
    let reach = (0.5 * (D as f64).sqrt() + ON_LEVEL) * spacing;
    each_cell(&ends, |cell| {
        let x = site(&cell, &[0.5; D]);
        let phi = hull.phi(&x);
        for (layer, level) in levels.iter().enumerate() {
            let away = (phi - level).abs();
            if away <= ON_LEVEL * spacing && chosen[layer].take(&x) {
                samples.push(WallSample { x, layer, face: None });
            }
            if away <= reach && near.last() != Some(&cell) {
                near.push(cell);
            }
        }
    });
    for cell in &near {
        each_cell(&[[0, CANDIDATES - 1]; D], |part| {
            let part = part.map(|k| (k as f64 + 0.5) / CANDIDATES as f64);
            let x = site(cell, &part);
            let phi = hull.phi(&x);
            for (layer, level) in levels.iter().enumerate() {
                if (phi - level).abs() > 0.5 * spacing {
                    continue;
                }
                let n = hull.normal(&x);
                let x = from_fn(|k| x[k] + (level - phi) * n[k]);
                if (hull.phi(&x) - level).abs() <= ON_LEVEL * spacing && chosen[layer].take(&x) {
                    samples.push(WallSample { x, layer, face: None });
                }
            }
        });
    }
    samples
}

/// Signed distances of the layers, from the fluid on `[m]`.
fn levels<const D: usize>(hull: &Hull<D>, spacing: f64, how: &Layers) -> Vec<f64> {
    let distance = |layer: usize| (how.offset + layer as f64) * spacing;
    match how.side {
        Side::Inside => (0..how.count).map(distance).collect(),
        Side::Outside => {
            let deepest = DEEPEST * hull.depth();
            let first = distance(0).min(deepest);
            let others = (1..how.count).map(distance).filter(|depth| *depth <= deepest);
            std::iter::once(first).chain(others).map(|depth| -depth).collect()
        }
    }
}

/// Calls `visit` with every cell between two, both included, x fastest.
fn each_cell<const D: usize>(ends: &[[i64; 2]; D], mut visit: impl FnMut([i64; D])) {
    let mut cell: [i64; D] = from_fn(|k| ends[k][0]);
    loop {
        visit(cell);
        let Some(k) = (0..D).find(|k| cell[*k] < ends[*k][1]) else { return };
        cell[k] += 1;
        for k in 0..k {
            cell[k] = ends[k][0];
        }
    }
}

/// Points that keep a distance from each other.
struct Spread<const D: usize> {
    apart: f64,
    cells: HashMap<[i64; D], Vec<[f64; D]>>,
}

impl<const D: usize> Spread<D> {
    fn new(apart: f64) -> Self {
        Self { apart, cells: HashMap::new() }
    }

    /// Adds a point if there is room for it.
    fn take(&mut self, x: &[f64; D]) -> bool {
        let cell: [i64; D] = from_fn(|k| (x[k] / self.apart).floor() as i64);
        let mut free = true;
        each_cell(&cell.map(|c| [c - 1, c + 1]), |cell| {
            let there = self.cells.get(&cell).into_iter().flatten();
            let near =
                |y: &[f64; D]| (0..D).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>() < self.apart * self.apart;
            free &= !there.into_iter().any(near);
        });
        if free {
            self.cells.entry(cell).or_default().push(*x);
        }
        free
    }
}
