//! Energy and angular momentum of a rotating body of fluid.

use super::{Curve, conservation, sample};
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, Score, SeriesGroup},
};

/// Follows a square that turned as a rigid body at time 0 about the origin, its center.
pub struct Rotation {
    /// Length of its sides, `[m]`.
    side: f64,
    interval: f64,
    source: &'static str,
    /// Kinetic energy over its first value.
    kinetic: Curve,
    /// The same with the internal energy.
    total: Curve,
    /// Angular momentum over its first value.
    spin: Curve,
    /// Distance of the farthest particles from the center over that of the corners at first.
    corner: Curve,
    /// Area that the fluid covers over that at first.
    area: Curve,
    /// Kinetic energy `[J]`, angular momentum `[kg m²/s]` and area `[m²]` at first.
    first: Option<[f64; 3]>,
}

impl Rotation {
    /// Looks every `interval`, `[s]`.
    pub fn new(side: f64, interval: f64, source: &'static str) -> Self {
        let curve = Curve::default;
        let (kinetic, total, spin, corner, area) = (curve(), curve(), curve(), curve(), curve());
        Self { side, interval, source, kinetic, total, spin, corner, area, first: None }
    }

    /// Angular momentum about the origin, `[kg m²/s]`.
    pub fn spin(view: &HostView<'_>) -> f64 {
        let of = |i: usize| {
            let (x, v) = (view.position(i), view.velocity(i));
            x[0] * v[1] - x[1] * v[0]
        };
        view.m * (0..view.n()).map(of).sum::<f64>()
    }

    /// Mean over the four quadrants of the distance of the farthest particle; a corner stands a half diagonal of a cell
    /// beyond its particle, `[m]`.
    pub fn corner(view: &HostView<'_>) -> f64 {
        let mut far = [0.0_f64; 4];
        for i in 0..view.n() {
            let [x, y, _] = view.position(i);
            let quadrant = &mut far[usize::from(x > 0.0) + 2 * usize::from(y > 0.0)];
            *quadrant = quadrant.max(x.hypot(y));
        }
        0.25 * far.iter().sum::<f64>() + view.spacing * std::f64::consts::FRAC_1_SQRT_2
    }
}

impl Metric for Rotation {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        let (sums, spin) = (conservation::sums(view), Self::spin(view));
        let covered = sample::covered_area(view);
        let [energy, momentum, area] = *self.first.get_or_insert([sums.kinetic, spin, covered]);
        self.kinetic.push(view.t, sums.kinetic / energy);
        self.total.push(view.t, (sums.kinetic + sums.internal) / energy);
        self.spin.push(view.t, spin / momentum);
        self.area.push(view.t, covered / area);
        self.corner.push(view.t, Self::corner(view) * std::f64::consts::SQRT_2 / self.side);
    }

    fn finish(&self) -> Outcome {
        let loss = |name: &str, curve: &Curve| {
            let loss = 1.0 - curve.last();
            Score::new(name, "-", loss).with_error(loss.abs()).from_source(self.source)
        };
        let area = loss("loss of area", &self.area)
            .within(Band::error_at_most(0.03))
            .with_note("where fluid fills at least half of the space; the band is that of the volume at rest")
            .as_headline();
        let energy = loss("loss of energy", &self.total)
            .within(Band::error_at_most(0.03))
            .with_note("kinetic and internal; the band is that of the elliptical drop")
            // A cloud that flies apart keeps all its energy: that it is still a liquid comes first.
            .only_with(&area);
        let scores = vec![
            area,
            energy,
            loss("loss of kinetic energy", &self.kinetic),
            loss("loss of angular momentum", &self.spin),
            Score::new("distance of the corners over that at first", "-", self.corner.last())
                .with_note("farthest particle of each quadrant"),
        ];
        let (t, result) = (("time", "s"), SeriesGroup::Result);
        let series = vec![
            self.kinetic.series("kinetic energy over its first value", result, t, ("kinetic energy", "-")),
            self.spin.series("angular momentum over its first value", result, t, ("angular momentum", "-")),
            self.area.series("area over its first value", result, t, ("area", "-")),
            self.corner.series("distance of the corners", result, t, ("distance over that at first", "-")),
        ];
        Outcome { scores, series, ..Outcome::default() }
    }
}
