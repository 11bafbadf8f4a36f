//! A drop that oscillates under a central force (Monaghan & Rafiee 2013).

use super::{disc, pbf, projection, set};
use crate::{
    cases::Case,
    metrics::{
        Curve, Metric,
        conservation::Conservation,
        ellipse::{Drop, Ellipse},
    },
    reference::{self, CurvePlace},
    result::{Band, CurveStyle, ReferenceCurve, Score, series_name},
    scenes::methods::Method,
};
use sph_core::scene::{
    CentralForce, Forces, LinearVelocity, MassMode, PressureField, Scene, StrainedDrop, VelocityField,
};

/// A disc of radius 1 m, strain rate and force both 1/s.
pub struct OscillatingDrop;

/// Period, from the exact solution, `[s]`.
pub const PERIOD: f64 = 4.8273;
/// Periods that are followed.
const PERIODS: usize = 3;
/// Name of the file with the exact solution.
pub const TABLE: &str = "oscillating_drop_central_force";
/// Citation.
const SOURCE: &str = "Monaghan & Rafiee 2013, Int. J. Numer. Meth. Fluids 71, 537-561";

/// Largest semi-axis: there `a² + 1/a² = 4`, by the energy.
pub fn a_max() -> f64 {
    (2.0 + 3.0_f64.sqrt()).sqrt()
}

/// The part of the oscillation that is lost with a largest semi-axis of `a`, of which 1 is that of the drop at rest.
pub fn lost(a: f64) -> f64 {
    1.0 - (a - 1.0) / (a_max() - 1.0)
}

/// The largest semi-axis of each period.
fn peaks(curve: &Curve) -> Vec<f64> {
    let of = |k: usize| {
        let within = |t: f64| (t / PERIOD).floor() as usize == k;
        let points = curve.x.iter().zip(&curve.y).filter(|(t, _)| within(**t));
        points.map(|(_, a)| *a).fold(f64::NAN, f64::max)
    };
    (0..PERIODS).map(of).collect()
}

/// The exact semi-axis a over R at a time `[s]`; NaN beyond the table.
fn exact(t: f64) -> f64 {
    let read = |table: &reference::Table| {
        let (times, axis) = (table.column("B t")?, table.column("a/R")?);
        Ok(reference::interpolate(&times.values, &axis.values, t).unwrap_or(f64::NAN))
    };
    reference::table(TABLE).and_then(|table| read(&table)).unwrap_or(f64::NAN)
}

impl OscillatingDrop {
    fn judge(e: &Ellipse) -> Vec<Score> {
        let [a, b] = &e.moments;
        let difference = Curve { x: a.x.clone(), y: a.y.iter().zip(&b.y).map(|(a, b)| a - b).collect() };
        let mut ends = vec![0.0];
        ends.extend(difference.rises());
        let periods: Vec<f64> = ends.windows(2).take(PERIODS).map(|pair| pair[1] - pair[0]).collect();
        let complete = periods.len() == PERIODS;
        let mean = if complete { periods.iter().sum::<f64>() / PERIODS as f64 } else { f64::NAN };
        let (extent, moment) = (peaks(&e.a), peaks(a));
        let listed = |values: &[f64]| values.iter().map(|v| format!("{v:.4}")).collect::<Vec<_>>().join(", ");
        let last = extent.last().copied().unwrap_or(f64::NAN);
        let loss = lost(last);
        let rms = a.rms(PERIODS as f64 * PERIOD, exact) / (a_max() - 1.0);
        vec![
            Score::new("semi-axis a with time, RMS error over three periods", "-", rms)
                .with_error(rms)
                .from_source(SOURCE)
                .with_note("by second moments, over the amplitude")
                .as_headline(),
            Score::new("period, mean of three", "s", mean)
                .against(PERIOD)
                .within(Band::error_at_most(0.01))
                .from_source(SOURCE)
                .with_note(&format!("{} s; from a = b to a = b, by second moments", listed(&periods))),
            Score::new("loss of amplitude over three periods", "-", loss)
                .with_error(loss.abs())
                .within(Band::error_at_most(0.05))
                .from_source(SOURCE)
                .with_note(&format!(
                    "largest a of the third period against {:.4} m; of each {}, by second moments {}",
                    a_max(),
                    listed(&extent),
                    listed(&moment)
                )),
            Score::new("loss of total energy", "-", e.energy_loss()).with_error(e.energy_loss().abs()),
        ]
    }
}

impl Case for OscillatingDrop {
    fn name(&self) -> &'static str {
        "oscillating_drop"
    }

    fn about(&self) -> &'static str {
        "drop oscillating under a central force: period and amplitude over three periods"
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn resolution(&self) -> usize {
        25
    }

    /// `n` particles across the radius.
    fn scene(&self, n: usize) -> Scene {
        let mut scene = Scene::new(2, 1.0 / n as f64, (PERIODS as f64 + 0.05) * PERIOD);
        scene.title = "Oscillating drop of Monaghan & Rafiee".into();
        scene.rest_density = 1.0;
        scene.gravity = Some(vec![0.0, 0.0]);
        scene.mass_mode = MassMode::Volume;
        let center = vec![0.0, 0.0];
        let mut body = disc(1.0);
        let matrix = vec![vec![1.0, 0.0], vec![0.0, -1.0]];
        body.velocity = VelocityField::Linear(LinearVelocity { matrix, center: center.clone() });
        body.pressure = PressureField::StrainedDrop(StrainedDrop {
            center: center.clone(),
            radius: 1.0,
            rate: 1.0,
            strength: 1.0,
        });
        scene.fluid = vec![body];
        let central = Some(CentralForce { center, strength: 1.0 });
        scene.forces = Forces { central, ..Forces::default() };
        set(
            &mut scene,
            [
                ("name", "wcsph".into()),
                ("sound_speed", 15.0.into()),
                ("artificial_viscosity_alpha", 0.0.into()),
            ],
        );
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        if method == Method::Viscoelastic {
            return false;
        }
        if method == Method::Projection {
            // With a shorter support rows of particles that are drawn apart open.
            projection(scene, [("preset", "closed".into()), ("support_ratio", 3.0.into())]);
        }
        if method == Method::Pbf {
            pbf(
                scene,
                [
                    ("scorr_k", 0.0.into()),
                    ("cohesion", 0.0.into()),
                    ("xsph_viscosity", 0.0.into()),
                    ("velocity_update", "second_order".into()),
                ],
            );
        }
        true
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let drop = Drop::new(Ellipse::new(1.0, 0.01), 1.0, Self::judge);
        vec![Box::new(Conservation::every(0.02)), Box::new(drop)]
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let curve = |value: &str, series| {
            let at = CurvePlace { case: self.name(), series, label: "exact", style: CurveStyle::Line };
            reference::table(TABLE)?.curve("B t", value, &at)
        };
        let curves = [
            curve("a/R", series_name::SEMI_AXIS_A),
            curve("b/R", series_name::SEMI_AXIS_B),
            curve("p_centre/(rho B^2 R^2)", series_name::CENTER_PRESSURE),
        ];
        curves.into_iter().flatten().collect()
    }

    fn pictures(&self) -> Vec<f64> {
        vec![1.2, 3.0 * PERIOD]
    }
}
