//! What a body of fluid that turns in empty space keeps.

use super::{Curve, conservation, sample};
use crate::{
    case::{HostView, Metric, Outcome},
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
    fn spin(view: &HostView<'_>) -> f64 {
        let of = |i: usize| {
            let (x, v) = (view.position(i), view.velocity(i));
            x[0] * v[1] - x[1] * v[0]
        };
        view.m * (0..view.n()).map(of).sum::<f64>()
    }

    /// Mean over the four quadrants of the distance of the farthest particle; a corner stands a half diagonal of a cell
    /// beyond its particle, `[m]`.
    fn corner(view: &HostView<'_>) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::testing::Cloud;
    use sph_core::Real;

    /// A unit square about the origin that turns with `omega`.
    fn square(omega: f64) -> Cloud {
        let mut cloud = Cloud::lattice(50, 50, 0.02);
        for i in 0..cloud.x[0].len() {
            let (x, y) = (cloud.x[0][i] - 0.5, cloud.x[1][i] - 0.5);
            (cloud.x[0][i], cloud.x[1][i]) = (x, y);
            (cloud.v[0][i], cloud.v[1][i]) = (-y * omega as Real, x * omega as Real);
        }
        cloud
    }

    #[test]
    fn a_rigid_square_has_the_momentum_of_its_moment_of_inertia() {
        let spin = square(3.0).with(Rotation::spin);
        assert!((spin - 3.0 / 6.0).abs() < 1e-3, "{spin}");
        let corner = square(3.0).with(Rotation::corner);
        assert!((corner - 0.5_f64.sqrt()).abs() < 1e-6, "{corner}");
    }

    #[test]
    fn a_square_that_slows_down_has_lost_energy_by_the_square() {
        let mut metric = Rotation::new(1.0, 0.1, "");
        square(2.0).with(|view| metric.observe(view));
        square(1.98).with_time(1.0, |view| metric.observe(view));
        let scores = metric.finish().scores;
        assert!((scores[1].value - (1.0 - 0.99 * 0.99)).abs() < 1e-5 && scores[1].passed == Some(true));
        assert!((scores[3].value - 0.01).abs() < 1e-5 && (scores[4].value - 1.0).abs() < 1e-6, "{scores:?}");
        assert_eq!((scores[0].value, scores[0].passed), (0.0, Some(true)));
    }

    /// All particles keep their velocities, and are twice as far apart.
    #[test]
    fn the_energy_of_a_square_that_flew_apart_has_no_merit() {
        let mut metric = Rotation::new(1.0, 0.1, "");
        square(2.0).with(|view| metric.observe(view));
        let mut apart = square(2.0);
        apart.x.iter_mut().flatten().for_each(|x| *x *= 2.0);
        apart.with_time(1.0, |view| metric.observe(view));
        let scores = metric.finish().scores;
        assert_eq!((scores[0].value, scores[0].passed), (1.0, Some(false)));
        assert_eq!((scores[1].value, scores[1].passed), (0.0, Some(false)), "{:?}", scores[1]);
    }
}
