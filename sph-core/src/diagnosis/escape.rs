//! The way a particle took out of the domain, followed backwards.

use super::Culprit;
use crate::{lane::each, neighbors::norm2, state::State};

/// How a particle got out.
pub struct Way {
    /// Thickness of the last wall that it came through, if it came through one, `[m]`.
    pub thickness: Option<f64>,
    /// How far it is outside, `[m]`.
    pub beyond: f64,
    /// True where the domain ends near the walls, or where there are none: a larger one might have held it.
    pub leaves_tight_domain: bool,
}

/// A domain that ends within this many spacings of the walls is tight; that of a scene without one has 50.
const TIGHT: f64 = 10.0;
/// A wall sample within this many spacings of the way stood in it.
const IN_THE_WAY: f64 = 0.75;
/// The way is looked at in points this many spacings apart.
const STRIDE: f64 = 0.25;
/// A gap of this many spacings ends a wall.
const GAP: f64 = 1.5;
/// The way is followed back over this many points at most.
const MAX_POINTS: usize = 4000;

impl Way {
    /// Follows the way back as a fall under gravity: what hit the particle on its way is not known.
    pub fn of<const D: usize>(culprit: &Culprit, state: &State<D>) -> Self {
        let domain = &state.domain;
        let (mut beyond, mut leaves_tight_domain) = (0.0_f64, state.walls.is_empty());
        let bounds = bounds(state);
        let tight = TIGHT * f64::from(state.rest.spacing);
        for a in 0..D {
            let (low, high) = bounds[a];
            let under = f64::from(domain.low[a]) - culprit.x[a];
            let over = culprit.x[a] - f64::from(domain.high[a]);
            if under > 0.0 {
                leaves_tight_domain |= low - f64::from(domain.low[a]) < tight;
            }
            if over > 0.0 {
                leaves_tight_domain |= f64::from(domain.high[a]) - high < tight;
            }
            beyond = beyond.max(under).max(over);
        }
        Self { thickness: thickness(culprit, state), beyond, leaves_tight_domain }
    }
}

/// The box of the walls, `[m]`.
fn bounds<const D: usize>(state: &State<D>) -> [(f64, f64); D] {
    each(|a| {
        let walls = state.walls.x[a].iter().map(|&x| f64::from(x));
        walls.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
    })
}

/// Length of the last stretch of the way that wall samples line.
fn thickness<const D: usize>(culprit: &Culprit, state: &State<D>) -> Option<f64> {
    let spacing = f64::from(state.rest.spacing);
    let reach = IN_THE_WAY * spacing;
    let bounds = bounds(state);
    let (mut first, mut last, mut length) = (None, 0.0, 0.0);
    let mut x: [f64; D] = each(|a| culprit.x[a]);
    let mut v: [f64; D] = each(|a| culprit.v[a]);
    for _ in 0..MAX_POINTS {
        let speed = norm2(v).sqrt();
        if speed <= 0.0 || first.is_some() && length - last > GAP * spacing {
            break;
        }
        let near = (0..D).all(|a| x[a] > bounds[a].0 - reach && x[a] < bounds[a].1 + reach);
        if near && is_lined(&x, state, reach) {
            first.get_or_insert(length);
            last = length;
        }
        let dt = STRIDE * spacing / speed;
        for a in 0..D {
            x[a] -= dt * v[a];
            v[a] -= dt * f64::from(state.forces.gravity[a]);
        }
        length += STRIDE * spacing;
    }
    // The samples reach out by `IN_THE_WAY` at both ends, and each stands for a spacing.
    first.map(|first| (last - first + (1.0 - 2.0 * IN_THE_WAY) * spacing).max(spacing))
}

fn is_lined<const D: usize>(x: &[f64; D], state: &State<D>, reach: f64) -> bool {
    let walls = &state.walls;
    (0..walls.len()).any(|b| {
        let d: [f64; D] = each(|a| x[a] - f64::from(walls.x[a][b]));
        norm2(d) < reach * reach
    })
}
