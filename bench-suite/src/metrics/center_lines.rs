//! Velocities on the center lines of a cavity, averaged over time, against a table.

use super::{Curve, sample};
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, Score, SeriesGroup, series_name},
};

/// A published profile along a center line.
pub struct Line {
    /// Name of the velocity, `u` or `v`.
    pub name: &'static str,
    /// Axis along which the line runs.
    pub along: usize,
    /// Axis of the velocity.
    pub of: usize,
    /// Places along it, in sides of the cavity.
    pub positions: Vec<f64>,
    /// Published velocities, in lid speeds.
    pub values: Vec<f64>,
}

/// Points of the drawn curves.
const DRAWN: usize = 49;

/// Place `k` of the drawn curve: those on the walls are left out.
fn drawn(k: usize) -> f64 {
    (k + 1) as f64 / (DRAWN + 1) as f64
}

/// Follows the center lines of the unit cavity whose lid moves with speed 1.
pub struct CenterLines {
    lines: [Line; 2],
    interval: f64,
    from: f64,
    source: &'static str,
    /// Sums over samples, at the positions of the table and then at those of the drawn curve.
    sums: [Vec<f64>; 2],
    /// RMS error with time, of the field of that moment.
    rms: [Curve; 2],
    n: usize,
}

impl CenterLines {
    /// Averages from time `from` on, `[s]`, looking every `interval`, `[s]`.
    pub fn new(lines: [Line; 2], interval: f64, from: f64, source: &'static str) -> Self {
        let sums = lines.each_ref().map(|line| vec![0.0; line.positions.len() + DRAWN]);
        Self { lines, interval, from, source, sums, rms: Default::default(), n: 0 }
    }

    /// RMS difference over the points that are not on a wall.
    fn error(line: &Line, values: &[f64]) -> f64 {
        let inner = |place: f64| place > 0.0 && place < 1.0;
        let rows =
            line.positions.iter().zip(&line.values).zip(values).filter(|((place, _), _)| inner(**place));
        let squares: Vec<f64> = rows.map(|((_, reference), ours)| (ours - reference).powi(2)).collect();
        (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
    }

    fn sampled(view: &HostView<'_>, line: &Line) -> Vec<f64> {
        let at = |place: f64| {
            let mut at = [0.5; 2];
            at[line.along] = place;
            sample::plane_fit(view, at, |i| view.velocity(i)[line.of]).unwrap_or(f64::NAN)
        };
        line.positions.iter().copied().chain((0..DRAWN).map(drawn)).map(at).collect()
    }
}

impl Metric for CenterLines {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        let averaged = view.t >= self.from * (1.0 - 1e-9);
        for ((line, sums), rms) in self.lines.iter().zip(&mut self.sums).zip(&mut self.rms) {
            let values = Self::sampled(view, line);
            rms.push(view.t, Self::error(line, &values));
            if averaged {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
        }
        self.n += usize::from(averaged);
    }

    fn finish(&self) -> Outcome {
        let mut out = Outcome::default();
        for ((line, sums), rms) in self.lines.iter().zip(&self.sums).zip(&self.rms) {
            let mean: Vec<f64> = sums.iter().map(|sum| sum / self.n as f64).collect();
            let error = Self::error(line, &mean);
            let score = Score::new(&format!("{} on the center line, RMS error", line.name), "-", error);
            let note = format!(
                "inner points of the table, mean over t ≥ {} ({} samples); {:.4} at the last moment",
                self.from,
                self.n,
                rms.last()
            );
            let score =
                score.with_error(error).within(Band::at_most(0.02)).from_source(self.source).with_note(&note);
            out.scores.push(if line.of == 0 { score.as_headline() } else { score });
            let profile =
                Curve { x: (0..DRAWN).map(drawn).collect(), y: mean[line.positions.len()..].to_vec() };
            let name = if line.of == 0 { series_name::CENTER_U } else { series_name::CENTER_V };
            let (x, y) = (
                format!("{} over the side", ["x", "y"][line.along]),
                format!("{} over the lid's speed", line.name),
            );
            out.series.push(profile.series(name, SeriesGroup::Result, (&x, "-"), (&y, "-")));
        }
        let t = ("time", "s");
        for (line, rms) in self.lines.iter().zip(&self.rms) {
            let name = format!("RMS error of {}", line.name);
            out.series.push(rms.series(&name, SeriesGroup::Result, t, ("RMS error", "-")));
        }
        out
    }
}
