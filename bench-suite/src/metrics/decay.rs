//! Decay of a vortex whose exact solution is known.

use super::Curve;
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, Score, SeriesGroup, series_name},
};
use std::ops::RangeInclusive;

/// The exact solution.
pub struct Vortex {
    /// Largest speed at time 0, `[m/s]`.
    pub speed: f64,
    /// Rate of decay, negative, `[1/s]`.
    pub rate: f64,
    /// Velocity at time 0, `[m/s]`.
    pub velocity: fn(&[f64; 3]) -> [f64; 3],
    /// Range of time in which the rate is taken, `[s]`.
    pub range: RangeInclusive<f64>,
    /// Times at which the velocity error is reported, `[s]`.
    pub times: [f64; 3],
    /// Which of them is judged.
    pub judged: usize,
    /// Source.
    pub source: &'static str,
}

/// Follows a decaying vortex.
pub struct Decay {
    vortex: Vortex,
    speed: Curve,
    log_speed: Curve,
    log_energy: Curve,
    l1: Curve,
    interval: f64,
}

impl Decay {
    /// Looks every `interval`, `[s]`.
    pub fn new(vortex: Vortex, interval: f64) -> Self {
        let curve = Curve::default;
        Self { vortex, speed: curve(), log_speed: curve(), log_energy: curve(), l1: curve(), interval }
    }

    fn rate_score(&self, name: &str, rate: f64) -> Score {
        Score::new(name, "1/s", rate).against(self.vortex.rate).from_source(self.vortex.source)
    }
}

impl Metric for Decay {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        let decayed = (self.vortex.rate * view.t).exp();
        let (mut fastest, mut energy, mut error) = (0.0_f64, 0.0, 0.0);
        for i in 0..view.n() {
            let (v, exact) = (view.velocity(i), (self.vortex.velocity)(&view.position(i)));
            let v2 = v.iter().map(|v| v * v).sum::<f64>();
            fastest = fastest.max(v2.sqrt());
            energy += v2;
            error += (0..3).map(|a| (v[a] - exact[a] * decayed).powi(2)).sum::<f64>().sqrt();
        }
        self.speed.push(view.t, fastest / self.vortex.speed);
        self.log_speed.push(view.t, fastest.ln());
        self.log_energy.push(view.t, 0.5 * energy.ln());
        self.l1.push(view.t, error / view.n() as f64 / (self.vortex.speed * decayed));
    }

    fn finish(&self) -> Outcome {
        let Vortex { range, times, judged, source, .. } = &self.vortex;
        let rate = self.log_speed.slope(range.clone());
        let range_text = format!("fit on t from {} to {}", range.start(), range.end());
        let mut scores = vec![
            self.rate_score("decay rate of the largest speed", rate)
                .within(Band::error_at_most(0.02))
                .with_note(&range_text),
            self.rate_score(
                "decay rate of the root of the kinetic energy",
                self.log_energy.slope(range.clone()),
            )
            .with_note(&range_text),
        ];
        for (k, &t) in times.iter().enumerate() {
            let l1 = self.l1.at(t);
            let score = Score::new(&format!("L1 velocity error at t = {t}"), "-", l1)
                .with_error(l1)
                .from_source(source);
            let score = score.with_note("mean |v - v_exact| over the exact largest speed of that time");
            scores.push(if k == *judged { score.within(Band::at_most(0.03)).as_headline() } else { score });
        }
        let t = ("time", "s");
        Outcome {
            scores,
            series: vec![
                self.speed.series(
                    series_name::LARGEST_SPEED,
                    SeriesGroup::Result,
                    t,
                    ("largest speed over U", "-"),
                ),
                self.l1.series("L1 velocity error", SeriesGroup::Result, t, ("L1 velocity error", "-")),
            ],
            ..Outcome::default()
        }
    }
}
