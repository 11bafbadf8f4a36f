//! The deepest point of a hull.
use std::array::from_fn;

use super::Hull;

/// No cell can be deeper than the deepest point so far times this: that is as exact as depths are wanted, `[-]`.
const ENOUGH: f64 = 1.25;
/// Cells are halved no more often.
const HALVINGS: i32 = 9;

impl<const D: usize> Hull<D> {
    /// Depth of the deepest point by halving cells, of which none can be deeper than its middle and half its diagonal
    /// `[m]`.
    pub(super) fn find_depth(&self) -> f64 {
        let (low, high) = self.bounds();
        let half: [f64; D] = from_fn(|k| 0.5 * (high[k] - low[k]));
        let mut best = 0.0_f64;
        let mut cells = vec![(from_fn(|k| low[k] + half[k]), 0)];
        while let Some((middle, halved)) = cells.pop() {
            let part = 0.5_f64.powi(halved);
            let reach = part * half.iter().map(|h| h * h).sum::<f64>().sqrt();
            let depth = -self.phi(&middle);
            best = best.max(depth);
            if depth + reach <= ENOUGH * best || halved >= HALVINGS {
                continue;
            }
            cells.extend((0..1_usize << D).map(|corner| {
                let side = |k: usize| if corner >> k & 1 == 0 { -0.5 } else { 0.5 };
                (from_fn(|k| middle[k] + side(k) * part * half[k]), halved + 1)
            }));
        }
        best
    }
}
