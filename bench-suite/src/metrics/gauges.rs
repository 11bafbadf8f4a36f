//! Pressure and height gauges in a tank whose bed is `y = 0`, against measured series.

use super::Curve;
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Score, SeriesGroup},
};

/// What a gauge measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pressure at a point, `[Pa]`.
    Pressure,
    /// Height of the water over a point of the bed, `[m]`.
    Height,
}

/// A gauge, and what the experiment read there.
pub struct Gauge {
    /// Name, as in the table.
    pub name: &'static str,
    /// What it measures.
    pub kind: Kind,
    /// Its position, `[m]`.
    pub at: [f64; 3],
    /// Measured curve.
    pub measured: Curve,
}

/// Reads all gauges.
pub struct Gauges {
    gauges: Vec<Gauge>,
    curves: Vec<Curve>,
    interval: f64,
    source: &'static str,
    /// Part of the water below the bed.
    passed: f64,
}

impl Gauges {
    /// Looks every `interval`, `[s]`.
    pub fn new(gauges: Vec<Gauge>, interval: f64, source: &'static str) -> Self {
        let curves = gauges.iter().map(|_| Curve::default()).collect();
        Self { gauges, curves, interval, source, passed: 0.0 }
    }

    fn score(&self, gauge: &Gauge, curve: &Curve) -> Vec<Score> {
        let end = curve.x.last().copied().unwrap_or(f64::NAN);
        let peak = |c: &Curve| {
            let rows = c.x.iter().zip(&c.y).filter(|(t, _)| **t <= end);
            rows.map(|(_, y)| *y).fold(f64::NAN, f64::max)
        };
        let first = |c: &Curve, level: f64| {
            c.x.iter().zip(&c.y).find(|(_, y)| **y > level).map_or(f64::NAN, |(t, _)| *t)
        };
        let (ours, theirs) = (peak(curve), peak(&gauge.measured));
        let scored = |name: &str, unit: &str, ours: f64, theirs: f64| {
            Score::new(&format!("{}, {name}", gauge.name), unit, ours)
                .against(theirs)
                .from_source(self.source)
        };
        match gauge.kind {
            Kind::Pressure => vec![
                scored("largest pressure", "Pa", ours, theirs),
                scored("time of 1 kPa", "s", first(curve, 1e3), first(&gauge.measured, 1e3)),
            ],
            Kind::Height => {
                let off = curve.x.iter().zip(&curve.y).map(|(&t, y)| (y - gauge.measured.at(t)).abs());
                let mean = off.sum::<f64>() / curve.x.len() as f64 / theirs;
                let score = Score::new(&format!("{}, mean |dH| over its peak", gauge.name), "-", mean);
                vec![score.with_error(mean).from_source(self.source)]
            }
        }
    }
}

/// Mean pressure of the particles in reach, weighted by distance; 0 where there are none, `[Pa]`.
fn pressure(view: &HostView<'_>, at: [f64; 3]) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for i in 0..view.p.len() {
        let x = view.position(i);
        let r = (0..3).map(|a| (x[a] - at[a]).powi(2)).sum::<f64>().sqrt();
        let w = super::sample::wendland(r / view.support);
        sum += w * f64::from(view.p[i]);
        weights += w;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

/// Volume of the water over the bed around a point, per area and weighted by distance from the gauge, `[m]`.
fn height(view: &HostView<'_>, at: [f64; 3]) -> f64 {
    let h = view.support;
    let weight = |x: [f64; 3]| super::sample::wendland((x[0] - at[0]).hypot(x[2] - at[2]) / h);
    let sum: f64 = (0..view.n()).map(|i| weight(view.position(i))).sum();
    view.volume() * 7.0 / (std::f64::consts::PI * h * h) * sum
}

impl Metric for Gauges {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        for (gauge, curve) in self.gauges.iter().zip(&mut self.curves) {
            let value = match gauge.kind {
                Kind::Pressure => pressure(view, gauge.at),
                Kind::Height => height(view, gauge.at),
            };
            curve.push(view.t, value);
        }
        let below = (0..view.n()).filter(|&i| view.position(i)[1] < -view.spacing).count();
        self.passed = below as f64 / view.n() as f64;
    }

    fn finish(&self) -> Outcome {
        let mut out = Outcome::default();
        for (gauge, curve) in self.gauges.iter().zip(&self.curves) {
            out.scores.extend(self.score(gauge, curve));
            let y = if gauge.kind == Kind::Pressure { ("pressure", "Pa") } else { ("height", "m") };
            let name = format!("gauge {}", gauge.name);
            out.series.push(curve.series(&name, SeriesGroup::Result, ("time", "s"), y));
        }
        out.scores.push(Score::new("water that passed the bed", "-", self.passed).with_error(self.passed));
        if let Some(first) = out.scores.iter_mut().find(|s| s.name.contains("dH")) {
            first.headline = true;
        }
        out
    }
}
