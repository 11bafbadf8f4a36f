//! The path of a particle out of the domain, integrated backward in time.

use super::enclosure;
use crate::{
    method::{failure::Culprit, state::State},
    numerics::{lane::each, vector::norm2},
};

/// Path of a particle out of the domain.
pub struct EscapePath {
    /// Thickness of the last wall that it came through, if it came through one, `[m]`.
    pub thickness: Option<f64>,
    /// How far it is outside, `[m]`.
    pub beyond: f64,
    /// True where the domain ends near the walls, or where there are none: a larger one might have held it.
    pub leaves_tight_domain: bool,
    /// True where it ends beyond a side of a tank that has no wall.
    pub is_open: bool,
    /// True where it ends behind a tank that has walls on all sides.
    pub is_outside_of_closed: bool,
}

/// A domain that ends within this many spacings of the walls is tight; that of a scene without one has 50.
const TIGHT: f64 = 10.0;
/// Points of the path are this many spacings apart.
const STRIDE: f64 = 0.25;
/// A gap of this many spacings ends a wall.
const GAP: f64 = 1.5;
/// Within this many spacings of a wall the particle was beside it ...
const BESIDE: f64 = 1.5;
/// ... and slid along it if it stayed there for so many without coming through.
const SLID: f64 = 2.0;
/// The path is integrated back over this many points at most.
const MAX_POINTS: usize = 4000;

impl EscapePath {
    /// Integrates the path backward as free fall: collisions on the path are not known.
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
        let end = each(|a| culprit.x[a]);
        Self {
            thickness: thickness(culprit, state),
            beyond,
            leaves_tight_domain,
            is_open: enclosure::is_beyond_open(&end, state),
            is_outside_of_closed: enclosure::is_outside_of_closed(&end, state),
        }
    }
}

/// The box of the walls, `[m]`.
fn bounds<const D: usize>(state: &State<D>) -> [(f64, f64); D] {
    each(|a| {
        let walls = state.walls.x[a].iter().map(|&x| f64::from(x));
        walls.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
    })
}

/// Length of the last part of the path inside of a layer of wall samples. The path ends where the particle slid along a
/// wall, or has come past the middle of all walls: those behind are not on the path.
fn thickness<const D: usize>(culprit: &Culprit, state: &State<D>) -> Option<f64> {
    let spacing = f64::from(state.rest.spacing);
    // The farthest that a path through a layer of samples can keep from all of them, and a little more.
    let reach = spacing * (0.5 * (D as f64 - 1.0).sqrt() + 0.05);
    let start: [f64; D] = each(|a| culprit.x[a]);
    let bounds = bounds(state);
    let inward: [f64; D] = each(|a| 0.5 * (bounds[a].0 + bounds[a].1) - start[a]);
    let (mut first, mut last, mut length, mut beside) = (None, 0.0, 0.0, 0.0);
    let (mut x, mut v) = (start, each::<f64, D>(|a| culprit.v[a]));
    for _ in 0..MAX_POINTS {
        let speed = norm2(v).sqrt();
        let done: f64 = (0..D).map(|a| (x[a] - start[a]) * inward[a]).sum();
        let through = first.is_some() && length - last > GAP * spacing;
        let lost = first.is_none() && (beside > SLID * spacing || done > norm2(inward));
        if speed <= 0.0 || through || lost {
            break;
        }
        let near =
            (0..D).all(|a| x[a] > bounds[a].0 - BESIDE * spacing && x[a] < bounds[a].1 + BESIDE * spacing);
        let distance = if near { distance(&x, state) } else { f64::INFINITY };
        if distance < reach {
            first.get_or_insert(length);
            last = length;
        }
        if distance < BESIDE * spacing {
            beside += STRIDE * spacing;
        }
        let dt = STRIDE * spacing / speed;
        for a in 0..D {
            x[a] -= dt * v[a];
            v[a] -= dt * f64::from(state.forces.gravity[a]);
        }
        length += STRIDE * spacing;
    }
    // The samples reach out at both ends, and each stands for a spacing.
    first.map(|first| (last - first + spacing - 2.0 * reach).max(spacing))
}

/// Distance of the nearest wall sample, `[m]`.
fn distance<const D: usize>(x: &[f64; D], state: &State<D>) -> f64 {
    let walls = &state.walls;
    let squares = (0..walls.len()).map(|b| norm2::<f64, D>(each(|a| x[a] - f64::from(walls.x[a][b]))));
    squares.fold(f64::INFINITY, f64::min).sqrt()
}
