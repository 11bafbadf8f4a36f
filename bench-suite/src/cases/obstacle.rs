//! Dam break against a box in a tank (SPHERIC test 2; Kleefsman et al. 2005).

use super::{block, fluid, tank};
use crate::{
    cases::Case,
    metrics::{
        Curve, Metric,
        conservation::Conservation,
        gauges::{Gauge, Gauges, Kind},
    },
    reference::{self, ReferenceError},
    result::{CurveStyle, ReferenceCurve},
};
use sph_core::{
    geometry::sampling::{Face, Side},
    scene::{MassMode, Scene, Slip, Wall},
};

/// The MARIN tank, y up, z across, and x from the wall behind the water, so that the fluid's lattice and the walls'
/// begin together: a tank whose length is not a multiple of the spacing lets particles through where they part.
pub struct Obstacle;

/// Length, height and width of the tank, `[m]`.
const TANK: [f64; 3] = [3.22, 1.0, 1.0];
/// Depth of the water, `[m]`.
const DEPTH: f64 = 0.55;
/// Length of the water, `[m]`.
const WATER: f64 = 3.22 - 1.992;
/// Gauges: name, what, place in the coordinates of the paper, `[m]`.
const GAUGES: [(&str, Kind, [f64; 3]); 4] = [
    ("P1", Kind::Pressure, [0.8245, 0.021, 0.471]),
    ("P3", Kind::Pressure, [0.8245, 0.101, 0.471]),
    ("H2", Kind::Height, [0.992, 0.0, 0.5]),
    ("H4", Kind::Height, [2.638, 0.0, 0.5]),
];
/// Citation.
const SOURCE: &str = "Kleefsman et al. 2005, J. Comput. Phys. 206, 363-393 (SPHERIC test 2)";

impl Obstacle {
    fn gauges() -> Result<Vec<Gauge>, ReferenceError> {
        let table = reference::table("spheric2_dambreak3d")?;
        let t = &table.column("t")?.values;
        let gauge = |&(name, kind, at): &(&'static str, Kind, [f64; 3])| {
            let measured = Curve { x: t.clone(), y: table.column(name)?.values.clone() };
            Ok(Gauge { name, kind, at: [TANK[0] - at[0], at[1], at[2]], measured })
        };
        GAUGES.iter().map(gauge).collect()
    }
}

impl Case for Obstacle {
    fn name(&self) -> &'static str {
        "dam_break_obstacle"
    }

    fn about(&self) -> &'static str {
        "3D dam break against a box: pressure and height gauges, reported, not judged"
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn resolution(&self) -> usize {
        11
    }

    /// `n` particles across the depth; multiples of 11 fit the width of the tank.
    fn scene(&self, n: usize) -> Scene {
        let dx = DEPTH / n as f64;
        let mut scene = Scene::new(3, dx, 2.0);
        scene.title = "Dam break against a box (SPHERIC test 2)".into();
        scene.mass_mode = MassMode::Volume;
        // The far wall, which matters last, stands up to one spacing farther.
        let end = [(TANK[0] / dx - 1e-6).ceil() * dx, TANK[1], TANK[2]];
        let faces = [Face::XMin, Face::XMax, Face::YMin, Face::ZMin, Face::ZMax];
        let obstacle = block(&[TANK[0] - 0.8245, 0.0, 0.2955], &[TANK[0] - 0.6635, 0.161, 0.6985]);
        scene.fluid = vec![fluid(&[0.0; 3], &[WATER, DEPTH, TANK[2]])];
        scene.wall = vec![
            tank(&[0.0; 3], &end, &faces, Slip::FreeSlip, 3),
            Wall { slip: Slip::FreeSlip, layers: 3, ..Wall::new(obstacle, Side::Outside) },
        ];
        scene.solver.set("name", "wcsph");
        scene
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let mut metrics: Vec<Box<dyn Metric>> = vec![Box::new(Conservation::every(0.01))];
        if let Ok(gauges) = Self::gauges() {
            metrics.push(Box::new(Gauges::new(gauges, 0.005, SOURCE)));
        }
        metrics
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let curve = |gauge: Gauge| {
            // The tank was watched longer than it is computed.
            let n = gauge.measured.x.partition_point(|&t| t <= 2.0);
            ReferenceCurve {
                case: self.name().into(),
                series: format!("gauge {}", gauge.name),
                label: "measured".into(),
                citation: SOURCE.into(),
                style: CurveStyle::Line,
                x: gauge.measured.x[..n].to_vec(),
                y: gauge.measured.y[..n].to_vec(),
            }
        };
        Self::gauges().unwrap_or_default().into_iter().map(curve).collect()
    }

    fn pictures(&self) -> Vec<f64> {
        vec![0.6, 1.2, 2.0]
    }
}
