//! Dam break against a box in a tank (SPHERIC test 2; Kleefsman et al. 2005).

use super::{block, fluid, tank};
use crate::{
    cases::Case,
    metrics::{Curve, Metric, Outcome, conservation::Conservation},
    reference::{self, ReferenceError},
    result::{CurveStyle, ReferenceCurve, Score},
};
use sph_core::{
    geometry::sampling::{Face, Side},
    scene::{Gauge, MassMode, Measure, Probe, Scene, Slip, Wall},
    watch::measure::Series,
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
/// Pressure sensors on the box, and wires that tell by how much of them is wet how deep the water is: name, and place in the
/// coordinates of the paper, `[m]`.
const SENSORS: [(&str, [f64; 3]); 2] = [("P1", [0.8245, 0.021, 0.471]), ("P3", [0.8245, 0.101, 0.471])];
const WIRES: [(&str, [f64; 3]); 2] = [("H2", [0.992, 0.0, 0.5]), ("H4", [2.638, 0.0, 0.5])];
/// The column of a wire's measure that the experiment has.
const WETTED: usize = 1;
/// Time that is computed, `[s]`: the tank was watched longer.
const END: f64 = 2.0;
/// Citation.
const SOURCE: &str = "Kleefsman et al. 2005, J. Comput. Phys. 206, 363-393 (SPHERIC test 2)";

/// The place in the tank of one in the paper.
fn place(at: [f64; 3]) -> Vec<f64> {
    vec![TANK[0] - at[0], at[1], at[2]]
}

fn measures() -> Vec<Measure> {
    let named = |name: &str| Measure { interval: Some(0.005), ..Measure::named(name) };
    let sensor = |&(name, at): &(&str, [f64; 3])| {
        // As the experiment's, which reads the air where no water is.
        let probe = Probe { order: 0, ..Probe::at(place(at), "pressure") };
        Measure { probe: Some(probe), ..named(name) }
    };
    let wire = |&(name, at): &(&str, [f64; 3])| {
        let gauge = Gauge { from: place(at), to: place([at[0], TANK[1], at[2]]) };
        Measure { gauge: Some(gauge), ..named(name) }
    };
    SENSORS.iter().map(sensor).chain(WIRES.iter().map(wire)).collect()
}

/// What the experiment read, as long as it is computed.
fn measured(name: &str) -> Result<Curve, ReferenceError> {
    let table = reference::table("spheric2_dambreak3d")?;
    let rows = table.column("t")?.values.iter().zip(&table.column(name)?.values);
    let (x, y) = rows.filter(|(t, _)| **t <= END).map(|(t, y)| (*t, *y)).unzip();
    Ok(Curve { x, y })
}

/// The largest pressure, and when it first is above 1 kPa.
fn sensor(name: &str, ours: &Curve, theirs: &Curve) -> [Score; 2] {
    let peak = |c: &Curve| c.y.iter().copied().fold(f64::NAN, f64::max);
    let first = |c: &Curve| c.x.iter().zip(&c.y).find(|(_, p)| **p > 1e3).map_or(f64::NAN, |(t, _)| *t);
    [
        Score::new(&format!("{name}, largest pressure"), "Pa", peak(ours)).against(peak(theirs)),
        Score::new(&format!("{name}, time of 1 kPa"), "s", first(ours)).against(first(theirs)),
    ]
}

fn wire(name: &str, ours: &Curve, theirs: &Curve) -> Score {
    let off = ours.x.iter().zip(&ours.y).map(|(&t, y)| (y - theirs.at(t)).abs()).sum::<f64>();
    let peak = theirs.y.iter().copied().fold(f64::NAN, f64::max);
    let mean = off / ours.x.len() as f64 / peak;
    Score::new(&format!("{name}, mean |dH| over its peak"), "-", mean).with_error(mean)
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
        let mut scene = Scene::new(3, dx, END);
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
        scene.measure = measures();
        scene.solver.set("name", "wcsph");
        scene
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        vec![Box::new(Conservation::every(0.01))]
    }

    fn judge(&self, series: &[&Series]) -> Outcome {
        let pair = |name: &str, column: usize| {
            let rows = series.iter().filter(|series| series.name == name).flat_map(|series| series.rows());
            let (x, y) = rows.map(|(t, row)| (t, row[column])).unzip();
            Some((Curve { x, y }, measured(name).ok()?))
        };
        let mut scores = Vec::new();
        for (name, _) in SENSORS {
            scores.extend(pair(name, 0).iter().flat_map(|(ours, theirs)| sensor(name, ours, theirs)));
        }
        for (name, _) in WIRES {
            scores.extend(pair(name, WETTED).iter().map(|(ours, theirs)| wire(name, ours, theirs)));
        }
        let mut scores: Vec<Score> = scores.into_iter().map(|score| score.from_source(SOURCE)).collect();
        if let Some(first) = scores.iter_mut().find(|score| score.name.contains("dH")) {
            first.headline = true;
        }
        Outcome { scores, ..Outcome::default() }
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let curve = |name: &str, series: String| {
            let Curve { x, y } = measured(name).ok()?;
            let (case, citation, label) = (self.name().into(), SOURCE.into(), "measured".into());
            Some(ReferenceCurve { case, series, label, citation, style: CurveStyle::Line, x, y })
        };
        let sensors = SENSORS.iter().map(|(name, _)| curve(name, (*name).into()));
        let wires = WIRES.iter().map(|(name, _)| curve(name, format!("{name}, wetted length")));
        sensors.chain(wires).flatten().collect()
    }

    fn pictures(&self) -> Vec<f64> {
        vec![0.6, 1.2, 2.0]
    }
}
