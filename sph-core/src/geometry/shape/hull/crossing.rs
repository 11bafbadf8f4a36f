//! What makes facets no hull: edges without a second facet, and facets that cross.
use std::array::from_fn;
use std::collections::HashMap;

use super::{Flaw, Hull, across, corners, extent, sub};
use crate::numerics::vector::{dot, norm2};

/// Facets that cross by less than this part of the size of the hull touch within round-off, `[-]`.
const TOUCH: f64 = 1e-10;
/// Cosine of the angle between the normals of two facets that fold back onto each other, `[-]`.
const FOLD: f64 = -1.0 + 1e-12;

/// The facets beside each: of a segment at its two ends, of a triangle behind its edges from corner `k` to the next.
///
/// # Errors
///
/// The first facet that has no neighbor, or more than one, or one of the other orientation.
pub(super) fn neighbors<const D: usize>(facets: &[[u32; D]]) -> Result<Vec<[u32; D]>, Flaw> {
    // What a facet leaves at its part `k`, another must enter: an end of a segment, an edge the other way around.
    let leaves = |facet: &[u32; D], k: usize| match D {
        2 => (k as u32, facet[k]),
        _ => (facet[k], facet[(k + 1) % D]),
    };
    let enters = |facet: &[u32; D], k: usize| match D {
        2 => (1 - k as u32, facet[k]),
        _ => (facet[(k + 1) % D], facet[k]),
    };
    let mut sides = HashMap::with_capacity(D * facets.len());
    for (n, facet) in facets.iter().enumerate() {
        for k in 0..D {
            if let Some(first) = sides.insert(leaves(facet, k), n as u32) {
                let other = first + 1;
                let what = format!(
                    "has an edge in the same sense as that of number {other}: turned around, or one too many"
                );
                return Err(Flaw { facet: n, what });
            }
        }
    }
    let beside = |n: usize, facet: &[u32; D]| {
        let mut found = [0; D];
        for k in 0..D {
            let open = || Flaw {
                facet: n,
                what: "has an edge without a second facet: the surface is open".to_owned(),
            };
            found[k] = *sides.get(&enters(facet, k)).ok_or_else(open)?;
        }
        Ok(found)
    };
    facets.iter().enumerate().map(|(n, facet)| beside(n, facet)).collect()
}

impl<const D: usize> Hull<D> {
    /// The first facet that crosses another or folds back onto it, and that.
    pub(super) fn crossing(&self, neighbors: &[[u32; D]]) -> Option<(usize, usize)> {
        let touch = TOUCH * extent(&self.vertices);
        (0..self.facets.len()).find_map(|n| {
            let folded = |other: &&u32| dot(self.normals[n], self.normals[**other as usize]) <= FOLD;
            if let Some(other) = neighbors[n].iter().find(folded) {
                return Some((n, *other as usize));
            }
            let x = corners(&self.vertices, &self.facets[n]);
            // An edge of a triangle is that of two: once is enough.
            let edges = (0..if D == 2 { 1 } else { D }).map(|k| (k, (k + 1) % D));
            let edges = edges.filter(|(k, l)| D == 2 || self.facets[n][*k] < self.facets[n][*l]);
            edges.into_iter().find_map(|(k, l)| {
                let (from, to) = (&x[k], &x[l]);
                let ends = [self.facets[n][k], self.facets[n][l]];
                let low = from_fn(|a| from[a].min(to[a]) - touch);
                let high = from_fn(|a| from[a].max(to[a]) + touch);
                let mut crossed = None;
                self.tree.any_in(&low, &high, &mut |other| {
                    let apart = self.facets[other].iter().all(|corner| !ends.contains(corner));
                    let crosses = apart && self.is_crossed(other, from, to, touch);
                    crossed = crossed.or(crosses.then_some(other));
                    crosses
                });
                crossed.map(|other| (n, other))
            })
        })
    }

    /// Whether a line between two points crosses a facet, by more than `touch` on both sides; in a plane touching is
    /// crossing, too.
    fn is_crossed(&self, facet: usize, from: &[f64; D], to: &[f64; D], touch: f64) -> bool {
        let x = corners(&self.vertices, &self.facets[facet]);
        let height = |p: &[f64; D]| dot(sub(p, &x[0]), self.normals[facet]);
        let (before, behind) = (height(from), height(to));
        if D == 2 {
            let near = |p: &[f64; D]| super::tree::foot(&x, p).0;
            let touches = |p: &[f64; D]| norm2(sub(p, &near(p))) <= touch * touch;
            let along = sub(to, from);
            let side = |p: &[f64; D]| along[0] * (p[1] - from[1]) - along[1] * (p[0] - from[0]);
            return touches(from) || touches(to) || before * behind < 0.0 && side(&x[0]) * side(&x[1]) < 0.0;
        }
        if before.abs() <= touch || behind.abs() <= touch || before * behind > 0.0 {
            return false;
        }
        let t = before / (before - behind);
        let at: [f64; D] = from_fn(|k| from[k] + t * (to[k] - from[k]));
        let normal = across(&self.vertices, &self.facets[facet]);
        // On the inner side of all three edges.
        (0..D).all(|k| {
            let triangle = [x[k], x[(k + 1) % D], at];
            let part = across(&triangle, &from_fn(|a| a as u32));
            dot(part, normal) >= 0.0
        })
    }
}
