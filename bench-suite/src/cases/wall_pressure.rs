//! Pressure of a dam break on the wall that it runs against (Buchner 2002).

use super::{fluid, projection, tank};
use crate::{
    cases::Case,
    metrics::{
        Curve, Metric, Outcome,
        conservation::Conservation,
        impact::{Expected, INTERVAL, Impact},
    },
    reference::{self, CurvePlace, ReferenceError},
    result::{CurveStyle, ReferenceCurve, series_name},
    scenes::methods::Method,
};
use sph_core::{
    geometry::sampling::Face,
    scene::{GRAVITY, MassMode, Measure, Probe, Scene, Slip},
    watch::measure::Series,
};

/// A column of water, twice as long as high, in a tank with a sensor in its far wall.
pub struct WallPressure;

/// Height of the column, `[m]`.
pub const H: f64 = 0.6;
/// Length of the tank, `[m]`.
pub const TANK: f64 = 5.366 * H;
/// Height of the sensor's center and its diameter, `[m]`.
const SENSOR: (f64, f64) = (0.160, 0.090);
/// Height at which papers on particle methods often read the pressure in place of the disc, `[m]`.
const POINT: f64 = 0.2 * H;
/// End, in √(H/g): the second peak is at 5.83.
const END: f64 = 6.5;
/// Citation.
const SOURCE: &str = "Buchner 2002, Green Water on Ship-type Offshore Structures, PhD thesis, TU Delft";

/// Position of the far wall: a tank whose length is not a multiple of the spacing lets particles through where the
/// lattices of fluid and walls part, so it stands up to one spacing farther, `[m]`.
pub fn far_wall(dx: f64) -> f64 {
    (TANK / dx - 1e-6).ceil() * dx
}

/// A round sensor in the far wall, with its middle at a height. It reads means weighted by distance: at a wall half of the
/// support is empty, and where no fluid stands it reads 0, the pressure of the air.
fn sensor(name: &str, height: f64, diameter: f64, dx: f64) -> Measure {
    let probe = Probe {
        order: 0,
        diameter: Some(diameter),
        normal: Some(vec![1.0, 0.0]),
        ..Probe::at(vec![far_wall(dx), height], "pressure")
    };
    Measure { interval: Some(INTERVAL * (H / GRAVITY).sqrt()), probe: Some(probe), ..Measure::named(name) }
}

impl WallPressure {
    /// What the experiment found.
    pub fn expected() -> Expected {
        Expected {
            arrival: (2.5, 0.15),
            plateau: 3.3..=4.5,
            pressure: 0.55,
            second_rise: 5.5,
            peak: (5.83, 0.87),
            source: SOURCE,
        }
    }
}

impl Case for WallPressure {
    fn name(&self) -> &'static str {
        "dam_break_pressure"
    }

    fn about(&self) -> &'static str {
        "2D dam break against a wall: pressure on a sensor in it against the experiment"
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn resolution(&self) -> usize {
        40
    }

    /// `n` particles across the height of the column.
    fn scene(&self, n: usize) -> Scene {
        let dx = H / n as f64;
        let mut scene = Scene::new(2, dx, END * (H / GRAVITY).sqrt());
        scene.title = "Dam break of Buchner, pressure on the far wall".into();
        scene.mass_mode = MassMode::Volume;
        scene.fluid = vec![fluid(&[0.0, 0.0], &[2.0 * H, H])];
        let faces = [Face::XMin, Face::XMax, Face::YMin];
        // High enough for the jet that runs up the wall.
        scene.wall = vec![tank(&[0.0, 0.0], &[far_wall(dx), 4.0 * H], &faces, Slip::FreeSlip, 3)];
        let (center, diameter) = SENSOR;
        scene.measure = vec![sensor("sensor", center, diameter, dx), sensor("point", POINT, dx, dx)];
        scene.solver.set("name", "wcsph");
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        if method == Method::Projection {
            projection(scene, []);
        }
        matches!(method, Method::Wcsph | Method::Projection)
    }

    fn metrics(&self, scene: &Scene) -> Vec<Box<dyn Metric>> {
        vec![Box::new(Conservation::every(scene.run.end_time / 200.0))]
    }

    fn judge(&self, series: &[&Series]) -> Outcome {
        // In √(H/g) and ρgH.
        let scaled = |name: &str| {
            let rows = series.iter().filter(|series| series.name == name).flat_map(|series| series.rows());
            let (x, y) = rows.map(|(t, p)| (t * (GRAVITY / H).sqrt(), p[0] / (1000.0 * GRAVITY * H))).unzip();
            Curve { x, y }
        };
        Impact { expected: Self::expected(), curve: scaled("sensor"), point: scaled("point") }.outcome()
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let curve = |series: &str, label| -> Result<ReferenceCurve, ReferenceError> {
            let case = self.name();
            let place =
                CurvePlace { case, series: series_name::WALL_PRESSURE, label, style: CurveStyle::Points };
            let mut curve =
                reference::table("buchner_pressure")?.of_series(series)?.curve("t_star", "p_star", &place)?;
            // The wall was watched longer than it is computed.
            let shown = |x: &f64| *x <= END;
            curve.y = curve.x.iter().zip(&curve.y).filter(|(x, _)| shown(x)).map(|(_, y)| *y).collect();
            curve.x.retain(shown);
            Ok(curve)
        };
        let curves = [
            curve("pysph", "measured, digitized by PySPH"),
            curve("jaxsph", "measured, digitized by JAX-SPH"),
        ];
        curves.into_iter().flatten().collect()
    }

    fn pictures(&self) -> Vec<f64> {
        [2.5, 4.0, 5.8].map(|t| t * (H / GRAVITY).sqrt()).to_vec()
    }
}
