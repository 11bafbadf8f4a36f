//! Level of the fluid along a line.

use super::{
    Reader, inside,
    interpolate::{Interpolation, LEAST_SPACE, kernel_points, wendland, wendland_factor},
    near::{Near, Zone, images, split},
    seen::Seen,
};
use crate::{
    error::Error,
    fluid::wall_surface::Pose,
    keys::join,
    method::{sample::Wanted, solids::Solids, state::State},
    numerics::{lane::each, vector::norm},
    scene,
};

/// Points of the line in a spacing `[convention]`.
const POINTS: f64 = 4.0;
/// A point of the line farther behind a surface than this lies in the wall, in spacings: nearer ones may by rounding.
const ON_SURFACE: f64 = 0.1;

/// A line along which the level is read.
#[derive(Debug)]
pub(super) struct Gauge<const D: usize> {
    from: [f64; D],
    to: [f64; D],
    /// Part of the kernel around each point that walls take, `[-]`; empty before it was looked for.
    walls: Vec<f64>,
    /// Where the walls were then.
    poses: Vec<Option<Pose<D>>>,
}

/// What a gauge reads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Level {
    /// Distance of the surface from the lower end of the line, `[m]`.
    level: f64,
    /// Length of the line in fluid, `[m]`.
    wetted: f64,
}

impl<const D: usize> Gauge<D> {
    pub fn of(gauge: &scene::Gauge, key: &str, state: &State<D>) -> Result<Self, Error> {
        let from = inside(join(key, "from"), &gauge.from, state)?;
        let to = inside(join(key, "to"), &gauge.to, state)?;
        Ok(Self { from, to, walls: Vec::new(), poses: Vec::new() })
    }

    /// The points of the line: how many, their distance, and its direction.
    fn points(&self, spacing: f64) -> (usize, f64, [f64; D]) {
        let line: [f64; D] = each(|a| self.to[a] - self.from[a]);
        let length = norm(line);
        let n = (length / spacing * POINTS).ceil().max(1.0);
        (n as usize + 1, length / n, line.map(|d| d / length))
    }

    /// What fluid fills of the space beside walls at each point, `[-]`; NaN in walls.
    fn filled(&mut self, near: &Near<D>, state: &State<D>, h: f64) -> Vec<f64> {
        let spacing = f64::from(state.rest.spacing);
        let (n, step, along) = self.points(spacing);
        self.look_at_walls(state, h);
        let mut filled = vec![0.0; n];
        let unit = spacing.powi(D as i32) * wendland_factor::<D>(h);
        for x in &near.x {
            images(&state.domain.periodic, |shift| {
                let (s, off) = split(&each(|a| x[a] + shift[a] - self.from[a]), &along);
                let half = (h * h - off * off).max(0.0).sqrt();
                let (first, end) = (((s - half) / step).ceil().max(0.0), ((s + half) / step).floor() + 1.0);
                for k in first as usize..(end.max(0.0) as usize).min(n) {
                    filled[k] += unit * wendland(off.hypot(s - k as f64 * step) / h);
                }
            });
        }
        for (filled, walls) in filled.iter_mut().zip(&self.walls) {
            let space = 1.0 - walls;
            *filled = if space > LEAST_SPACE { *filled / space } else { f64::NAN };
        }
        filled
    }

    /// Finds how much of the kernel walls take, unless they have not moved since the last look.
    fn look_at_walls(&mut self, state: &State<D>, h: f64) {
        let poses: Vec<_> = state.walls.surfaces.iter().map(|surface| state.walls.pose(surface)).collect();
        if !self.walls.is_empty() && poses == self.poses && state.bodies.is_empty() {
            return;
        }
        self.poses = poses;
        let solids = Solids::of(state, &self.poses, h);
        let points = kernel_points::<D>();
        let (n, step, along) = self.points(f64::from(state.rest.spacing));
        let at = |k: usize| each(|a| self.from[a] + k as f64 * step * along[a]);
        let deep = ON_SURFACE * f64::from(state.rest.spacing);
        let part = |x: [f64; D]| if solids.holds(&x, deep) { 1.0 } else { solids.part(&x, &points) };
        self.walls = (0..n).map(|k| part(at(k))).collect();
    }
}

impl<const D: usize> Reader<D> for Gauge<D> {
    fn zone(&self) -> Option<Zone<D>> {
        Some(Zone::Line(self.from, self.to))
    }

    fn want(&self, wanted: &mut Wanted<D>) {
        wanted.walls = true;
    }

    fn read(&mut self, near: &Near<D>, how: &Interpolation<D>, seen: &Seen<'_, D>, row: &mut Vec<f64>) {
        let state = seen.view.state;
        let filled = self.filled(near, state, how.h);
        let Level { level, wetted } = level(&filled, self.points(f64::from(state.rest.spacing)).1);
        row.extend([level, wetted]);
    }
}

/// Top of the longest stretch that is at least half filled, and the length of all, from what is filled at points one `step`
/// apart; in walls it is NaN. A stretch that is shorter than the open space below it, down to fluid or wall, is spray and does not
/// count as level.
fn level(filled: &[f64], step: f64) -> Level {
    let (mut level, mut longest, mut wetted) = (0.0, 0.0, 0.0);
    let (mut bottom, mut gap) = (None, 0.0);
    for (k, pair) in filled.windows(2).enumerate() {
        let (here, above) = (k as f64 * step, (k + 1) as f64 * step);
        let crossing = here + step * ((pair[0] - 0.5) / (pair[0] - pair[1])).max(0.0);
        let (from, is_end) = match (bottom, pair[0] >= 0.5, pair[1] >= 0.5) {
            (None, false, false) => {
                // A wall between two spaces parts them.
                gap = if pair[1].is_nan() { 0.0 } else { gap + step };
                continue;
            }
            (None, true, goes_on) => (here, !goes_on),
            // Behind a wall the fluid begins at its surface.
            (None, false, true) => (if pair[0].is_nan() { above } else { crossing }, false),
            (Some(from), _, goes_on) => (from, !goes_on),
        };
        bottom = Some(from);
        if is_end || k + 2 == filled.len() {
            let top = if is_end { crossing } else { above };
            wetted += top - from;
            if top - from > gap.max(longest) {
                (level, longest) = (top, top - from);
            }
            (bottom, gap) = (None, 0.0);
        }
    }
    Level { level, wetted }
}
