//! Conserved quantities: energy, momentum, volume; and the density error.

use super::Curve;
use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Score, SeriesGroup, series_name},
};

/// Sums over all particles, with time.
#[derive(Debug, Default)]
pub struct Conservation {
    interval: f64,
    kinetic: Curve,
    potential: Curve,
    total: Curve,
    momentum: Curve,
    volume: Curve,
    density: Curve,
    /// Energy that drifts are measured in, `[J]`.
    scale: f64,
    /// True when walls, a force along a period or viscosity change the energy as they should.
    driven: bool,
}

impl Conservation {
    /// Looks every `interval`, `[s]`.
    pub fn every(interval: f64) -> Self {
        Self { interval, ..Self::default() }
    }

    /// For a flow that is driven or decays by viscosity: its potential and total energy are not shown.
    pub fn driven(self) -> Self {
        Self { driven: true, ..self }
    }
}

/// Sums of one moment.
#[derive(Debug, Default)]
pub struct Sums {
    /// Kinetic energy, `[J]`.
    pub kinetic: f64,
    /// Potential energy in gravity and the central force, `[J]`.
    pub potential: f64,
    /// Internal energy, `[J]`.
    pub internal: f64,
    /// Momentum along x, `[kg m/s]`.
    pub momentum_x: f64,
    /// Volume `Σ m/ρ`, `[m³]`.
    pub volume: f64,
}

/// Adds up a view.
pub fn sums(view: &HostView<'_>) -> Sums {
    let mut s = Sums::default();
    for i in 0..view.n() {
        let (x, v) = (view.position(i), view.velocity(i));
        s.kinetic += 0.5 * v.iter().map(|v| v * v).sum::<f64>();
        s.potential -= (0..view.dim).map(|a| view.gravity[a] * x[a]).sum::<f64>();
        if let Some((center, b)) = &view.central {
            s.potential += 0.5 * b * b * (0..view.dim).map(|a| (x[a] - center[a]).powi(2)).sum::<f64>();
        }
        let rho = f64::from(view.rho[i]);
        s.internal += (view.internal_energy)(rho);
        s.momentum_x += v[0];
        s.volume += 1.0 / rho;
    }
    for sum in [&mut s.kinetic, &mut s.potential, &mut s.internal, &mut s.momentum_x, &mut s.volume] {
        *sum *= view.m;
    }
    s
}

impl Metric for Conservation {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        let s = sums(view);
        self.kinetic.push(view.t, s.kinetic);
        self.potential.push(view.t, s.potential);
        self.total.push(view.t, s.kinetic + s.potential + s.internal);
        self.momentum.push(view.t, s.momentum_x);
        self.volume.push(view.t, s.volume);
        self.density.push(view.t, 100.0 * view.density_error);
        let moved = s.potential - self.potential.y[0];
        self.scale = self.scale.max(s.kinetic).max(moved.abs());
    }

    fn finish(&self) -> Outcome {
        let t = ("time", "s");
        let curve = |c: &Curve, name: &str, y: (&str, &str)| c.series(name, SeriesGroup::Conservation, t, y);
        let energy = |c, name| curve(c, name, ("energy", "J"));
        let drift = |c: &Curve| c.last() - c.y.first().copied().unwrap_or(f64::NAN);
        let volume_0 = self.volume.y.first().copied().unwrap_or(f64::NAN);
        let scale = self.scale.max(f64::MIN_POSITIVE);
        let mut out = Outcome {
            scores: vec![
                Score::new("volume drift", "-", drift(&self.volume) / volume_0)
                    .with_note("Σ m/ρ, end over start, minus 1"),
            ],
            series: vec![
                energy(&self.kinetic, series_name::KINETIC_ENERGY),
                curve(&self.momentum, series_name::MOMENTUM_X, ("momentum along x", "kg m/s")),
                curve(&self.volume, series_name::VOLUME, ("volume", "m^3")),
                curve(&self.density, series_name::DENSITY_ERROR, ("mean density error", "%")),
            ],
            ..Outcome::default()
        };
        if !self.driven {
            let score = Score::new("energy drift", "-", drift(&self.total) / scale);
            out.scores.insert(
                0,
                score.with_note("total energy, end minus start, over the largest energy in motion"),
            );
            out.series.insert(1, energy(&self.potential, series_name::POTENTIAL_ENERGY));
            out.series.insert(2, energy(&self.total, series_name::TOTAL_ENERGY));
        }
        out
    }
}
