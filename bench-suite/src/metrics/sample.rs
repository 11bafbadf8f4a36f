//! Values between particles: what a probe at a point would read.

use crate::metrics::HostView;
use sph_core::watch::measure::wendland;
use std::collections::HashMap;

/// The part of the space around a point that fluid fills, `Σ V W` (2D), with the particles mirrored at the walls
/// `x = 0` and `y = 0`: 1 inside, ½ on a surface, also in the corner of a tank.
fn filled(view: &HostView<'_>, near: &[[f64; 2]], at: [f64; 2]) -> f64 {
    let (h, volume) = (view.support, view.volume());
    let factor = volume * 7.0 / (std::f64::consts::PI * h * h);
    let mut sum = 0.0;
    for [x, y] in near {
        for (x, y) in [(*x, *y), (-x, *y), (*x, -y), (-x, -y)] {
            sum += wendland((x - at[0]).hypot(y - at[1]) / h);
        }
    }
    factor * sum
}

/// Level of the fluid at the wall `x = 0`, over the bed `y = 0` (2D): the top of the thickest stretch of the wall on
/// which the filled part is at least one half. A wave gauge, the usual one of particle methods: it moves smoothly with
/// the particles, and a flat surface is met exactly. A void that is shorter than the water over it, as one in the
/// corner of the bed, is passed over. What hangs higher over the bed than it is thick does not count, nor does a single
/// drop (filled part 0.495 at a support of three spacings); 0 where nothing else is left.
pub fn level_at_wall(view: &HostView<'_>) -> f64 {
    let near: Vec<[f64; 2]> = (0..view.n())
        .map(|i| view.position(i))
        .filter(|x| x[0] < view.support)
        .map(|x| [x[0], x[1]])
        .collect();
    let top = near.iter().map(|x| x[1]).fold(0.0, f64::max);
    let step = 0.25 * view.spacing;
    let (mut low, mut inside) = (0.0, filled(view, &near, [0.0; 2]));
    let (mut level, mut thickest, mut bottom) = (0.0, 0.0, 0.0);
    while low <= top + view.support {
        let above = filled(view, &near, [0.0, low + step]);
        if (inside < 0.5) != (above < 0.5) {
            let surface = low + step * (inside - 0.5) / (inside - above);
            if above >= 0.5 {
                bottom = surface;
            } else if surface - bottom > bottom.max(thickest) {
                (level, thickest) = (surface, surface - bottom);
            }
        }
        (low, inside) = (low + step, above);
    }
    level
}

/// Area that fluid covers (2D), `[m²]`: where `Σ V W`, the part of the space around a point that it fills, is at least one
/// half. That is inside of a surface, whatever its length; particles that have flown apart cover nothing.
pub fn covered_area(view: &HostView<'_>) -> f64 {
    let (cell, reach) = (0.5 * view.spacing, view.support);
    let factor = view.volume() * 7.0 / (std::f64::consts::PI * reach * reach);
    let mut filled: HashMap<[i64; 2], f64> = HashMap::new();
    for i in 0..view.n() {
        let [x, y, _] = view.position(i);
        let ends = |x: f64| (((x - reach) / cell).floor() as i64, ((x + reach) / cell).ceil() as i64);
        // At the middle of cells: on their corners the surface of a lattice would stand.
        let middle = |k: i64| (k as f64 + 0.5) * cell;
        let (columns, rows) = (ends(x), ends(y));
        for a in columns.0..=columns.1 {
            for b in rows.0..=rows.1 {
                let r = (middle(a) - x).hypot(middle(b) - y);
                if r < reach {
                    *filled.entry([a, b]).or_default() += factor * wendland(r / reach);
                }
            }
        }
    }
    filled.values().filter(|&&part| part >= 0.5).count() as f64 * cell * cell
}
