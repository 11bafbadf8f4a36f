//! A free drop that is strained into an ellipse (Monaghan 1994).

use super::{disc, pbf, set, strained};
use crate::{
    cases::Case,
    metrics::{
        Metric,
        conservation::Conservation,
        ellipse::{Drop, Ellipse},
    },
    reference::{self, CurvePlace, ReferenceError},
    result::{Band, CurveStyle, ReferenceCurve, Score, series_name},
    scenes::methods::Method,
};
use sph_core::scene::{LinearVelocity, MassMode, PressureField, Scene, StrainedDrop, VelocityField};

/// A disc of radius 1 m that flows towards the x axis.
pub struct EllipticalDrop;

/// Strain rate, `[1/s]`.
const RATE: f64 = 100.0;
/// End, `[s]`.
const END: f64 = 0.0076;
/// Exact pressure at the center at time 0, `ρ A² R²/2`, `[Pa]`.
const PRESSURE: f64 = 5e6;
/// Name of the file with the exact solution.
const TABLE: &str = "elliptical_drop_monaghan1994";
/// Citation.
const SOURCE: &str = "Monaghan 1994, J. Comput. Phys. 110, 399-406";

impl EllipticalDrop {
    fn exact(column: &str, at: f64) -> Result<f64, ReferenceError> {
        let table = reference::table(TABLE)?;
        let (t, y) = (table.column("t")?, table.column(column)?);
        // Round-off must not put the last row out of range.
        let last = t.values.last().copied().unwrap_or(at);
        Ok(reference::interpolate(&t.values, &y.values, at.min(last)).unwrap_or(f64::NAN))
    }

    fn judge(e: &Ellipse) -> Vec<Score> {
        let end = e.b.x.last().copied().unwrap_or(END);
        let b = Self::exact("b (y semi-axis)", end).unwrap_or(f64::NAN);
        let p = Self::exact("p_centre/rho", end).unwrap_or(f64::NAN) * 1000.0 / PRESSURE;
        let area = e.moments[0].last() * e.moments[1].last();
        let axis = Score::new("semi-axis b(0.0076 s)", "m", e.b.last())
            .against(b)
            .within(Band::error_at_most(0.02))
            .from_source(SOURCE)
            .with_note(&format!(
                "farthest particle and half a spacing; {:.4} by second moments",
                e.moments[1].last()
            ));
        let energy = Score::new("loss of total energy", "-", e.energy_loss())
            .with_error(e.energy_loss().abs())
            .within(Band::error_at_most(0.03))
            .from_source(SOURCE)
            .with_note("kinetic and internal energy, end over start")
            .only_with(&axis);
        let exact = |column| move |t| Self::exact(column, t).unwrap_or(f64::NAN);
        let of = [("a (x semi-axis)", &e.moments[0]), ("b (y semi-axis)", &e.moments[1])];
        let rms = of.map(|(column, curve)| curve.rms(end, exact(column)));
        let rms = (0.5 * (rms[0].powi(2) + rms[1].powi(2))).sqrt();
        let mut scores = vec![
            Score::new("semi-axes with time, RMS error", "-", rms)
                .with_error(rms)
                .from_source(SOURCE)
                .with_note("by second moments, over R")
                .as_headline(),
            axis,
            energy,
            Score::new("semi-axis a(0.0076 s)", "m", e.a.last()).against(1.0 / b).from_source(SOURCE),
            Score::new("product of the semi-axes by second moments", "m^2", area)
                .against(1.0)
                .with_note("voids make it larger than 1"),
        ];
        // Of a method that has one.
        if e.pressure.last().is_finite() {
            scores.push(
                Score::new("center pressure over its first value", "-", e.pressure.last() / PRESSURE)
                    .against(p)
                    .from_source(SOURCE)
                    .with_note("reported, not judged: the pressure rings after the start"),
            );
        }
        scores
    }
}

impl Case for EllipticalDrop {
    fn name(&self) -> &'static str {
        "elliptical_drop"
    }

    fn about(&self) -> &'static str {
        "free drop strained into an ellipse: semi-axis and energy"
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn resolution(&self) -> usize {
        40
    }

    /// `n` particles across the radius.
    fn scene(&self, n: usize) -> Scene {
        let mut scene = Scene::new(2, 1.0 / n as f64, END);
        scene.title = "Elliptical drop of Monaghan".into();
        scene.gravity = Some(vec![0.0, 0.0]);
        scene.mass_mode = MassMode::Volume;
        let center = vec![0.0, 0.0];
        let mut body = disc(1.0);
        let matrix = vec![vec![-RATE, 0.0], vec![0.0, RATE]];
        body.velocity = VelocityField::Linear(LinearVelocity { matrix, center: center.clone() });
        body.pressure =
            PressureField::StrainedDrop(StrainedDrop { center, radius: 1.0, rate: RATE, strength: 0.0 });
        scene.fluid = vec![body];
        set(
            &mut scene,
            [
                ("name", "wcsph".into()),
                ("sound_speed", 1400.0.into()),
                ("artificial_viscosity_alpha", 0.02.into()),
            ],
        );
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        if method == Method::Viscoelastic {
            return false;
        }
        if method == Method::Projection {
            strained(scene);
        }
        if method == Method::Pbf {
            pbf(
                scene,
                [
                    ("scorr_k", 0.0.into()),
                    ("cohesion", 0.0.into()),
                    ("xsph_viscosity", 0.0.into()),
                    ("dt_max", 1e-4.into()),
                ],
            );
        }
        true
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let interval = END / 200.0;
        let drop = Drop::new(Ellipse::new(1.0, interval), PRESSURE, Self::judge);
        vec![Box::new(Conservation::every(interval)), Box::new(drop)]
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let curve = |value: &str, series, scale: f64| -> Result<ReferenceCurve, ReferenceError> {
            let at = CurvePlace { case: self.name(), series, label: "exact", style: CurveStyle::Line };
            let mut curve = reference::table(TABLE)?.curve("t", value, &at)?;
            curve.y.iter_mut().for_each(|y| *y *= scale);
            Ok(curve)
        };
        let curves = [
            curve("a (x semi-axis)", series_name::SEMI_AXIS_A, 1.0),
            curve("b (y semi-axis)", series_name::SEMI_AXIS_B, 1.0),
            curve("p_centre/rho", series_name::CENTER_PRESSURE, 1000.0 / PRESSURE),
        ];
        curves.into_iter().flatten().collect()
    }

    fn pictures(&self) -> Vec<f64> {
        vec![0.0038, END]
    }
}
