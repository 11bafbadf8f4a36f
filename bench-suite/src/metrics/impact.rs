//! Pressure of a surge on the wall that it meets (Buchner 2002).

use super::Curve;
use crate::{
    metrics::Outcome,
    result::{Band, Score, SeriesGroup, series_name},
};
use std::ops::RangeInclusive;

/// What the experiment says; times over √(H/g), pressures over ρgH.
#[derive(Clone, Debug)]
pub struct Expected {
    /// When the surge arrives, and how far from it is accepted.
    pub arrival: (f64, f64),
    /// When the pressure is nearly steady.
    pub plateau: RangeInclusive<f64>,
    /// What it is then.
    pub pressure: f64,
    /// When the water that comes down makes it rise again.
    pub second_rise: f64,
    /// Time and height of the peak after it.
    pub peak: (f64, f64),
    /// Citation.
    pub source: &'static str,
}

/// The surge has arrived when p* is above this: the sensor at rest was read to ±0.1 or so.
const ARRIVED: f64 = 0.1;
/// The second rise begins where p* leaves the plateau for this.
const RISEN: f64 = 0.6;
/// What moves faster than this in t* is noise.
const WINDOW: f64 = 0.1;
/// Interval of looks in t*: twenty in such a window.
pub const INTERVAL: f64 = 0.005;

/// The record of a sensor in a tank whose column collapses.
pub struct Impact {
    /// What the experiment says.
    pub expected: Expected,
    /// Pressure on the sensor over that below the column at rest, against scaled time.
    pub curve: Curve,
    /// The same at one point, as papers on particle methods often read it.
    pub point: Curve,
}

impl Impact {
    /// When a curve first goes above `level` from `from` on.
    fn first_above(curve: &Curve, level: f64, from: f64) -> f64 {
        let above = |(x, y): &(&f64, &f64)| **x >= from && **y > level;
        curve.x.iter().zip(&curve.y).find(above).map_or(f64::NAN, |(x, _)| *x)
    }

    /// Standard deviation about the running mean on the plateau.
    fn noise(&self, smooth: &Curve) -> f64 {
        let off = self.curve.y.iter().zip(&smooth.y).map(|(y, mean)| (y - mean).powi(2)).collect();
        Curve { x: self.curve.x.clone(), y: off }.mean(self.expected.plateau.clone()).sqrt()
    }

    /// The record against the experiment.
    pub fn scores(&self) -> Vec<Score> {
        let Expected { arrival: (arrival, off), plateau, pressure, second_rise, peak, source } =
            &self.expected;
        let smooth = self.curve.running_mean(WINDOW);
        // A run that ends before the plateau does has none.
        let reached = self.curve.x.last().is_some_and(|&end| end >= *plateau.end());
        let or_nan = |value: f64| if reached { value } else { f64::NAN };
        let later = || smooth.x.iter().zip(&smooth.y).filter(|(t, _)| **t > *plateau.end());
        let top = later().max_by(|a, b| a.1.total_cmp(b.1)).map_or((f64::NAN, f64::NAN), |(t, p)| (*t, *p));
        let range = format!("t* from {} to {}", plateau.start(), plateau.end());
        let scores = [
            Score::new("plateau of the pressure p*", "-", or_nan(self.curve.mean(plateau.clone())))
                .against(*pressure)
                .within(Band::error_at_most(0.15))
                .with_note(&format!("mean over {range}; p* = p/(ρgH), t* = t √(g/H)"))
                .as_headline(),
            Score::new("arrival t*", "-", Self::first_above(&self.curve, ARRIVED, 0.0))
                .against(*arrival)
                .within(Band::between(arrival - off, arrival + off))
                .with_note(&format!("first p* above {ARRIVED}")),
            Score::new("noise of the pressure p*", "-", or_nan(self.noise(&smooth)))
                .within(Band::at_most(0.05))
                .with_note(&format!("standard deviation about the mean over {WINDOW} in t*, {range}")),
            Score::new(
                "plateau of the pressure p* at z/H = 0.2",
                "-",
                or_nan(self.point.mean(plateau.clone())),
            )
            .against(*pressure)
            .with_note("where many papers read it; the sensor reaches from 0.19 to 0.34"),
            Score::new("second rise t*", "-", Self::first_above(&smooth, RISEN, *plateau.end()))
                .against(*second_rise)
                .with_note(&format!(
                    "first p* above {RISEN} after the plateau, smoothed over {WINDOW} in t*"
                )),
            Score::new("second peak p*", "-", top.1).against(peak.1).with_note("smoothed in the same way"),
            Score::new("second peak t*", "-", top.0).against(peak.0),
        ];
        scores.map(|score| score.from_source(source)).into()
    }

    /// Scores and curves.
    pub fn outcome(&self) -> Outcome {
        let axes = (("t* = t √(g/H)", "-"), ("p* = p/(ρgH)", "-"));
        let draw = |curve: &Curve, name| curve.series(name, SeriesGroup::Result, axes.0, axes.1);
        let series = vec![
            draw(&self.curve.running_mean(WINDOW), series_name::WALL_PRESSURE),
            draw(&self.curve, "pressure on the wall as it is read"),
        ];
        Outcome { scores: self.scores(), series, ..Outcome::default() }
    }
}
