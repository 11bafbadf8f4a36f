//! Collapse of a column of water on a dry bed (Martin & Moyce 1952).

use super::{fluid, pbf, projection, set, tank, viscoelastic};
use crate::{
    cases::Case,
    metrics::{
        Metric,
        conservation::Conservation,
        front::{Collapse, Experiment},
    },
    reference::{self, CurvePlace, ReferenceError},
    result::{CurveStyle, ReferenceCurve, series_name},
    scenes::methods::Method,
};
use sph_core::{
    geometry::sampling::Face,
    scene::{GRAVITY, MassMode, Scene, Slip},
};

/// A column of base `a` = 2.25 in and height `n² a`.
pub struct DamBreak {
    /// Aspect ratio n², 1 or 2.
    pub n2: u32,
    /// True when the bed brakes the fluid.
    pub friction: bool,
}

/// Base width, `[m]`.
const A: f64 = 0.05715;
/// Citation.
const SOURCE: &str = "Martin & Moyce 1952, Phil. Trans. R. Soc. A 244, 312-324";

impl DamBreak {
    fn experiment(&self) -> Result<Experiment, ReferenceError> {
        let name = format!("n2_{}", self.n2);
        Ok(Experiment {
            a: A,
            n2: f64::from(self.n2),
            front: reference::table("martin_moyce_front")?.of_series(&format!("{name}_table"))?,
            height: reference::table("martin_moyce_height")?.of_series(&name)?,
            slope_range: if self.n2 == 1 { 1.14..=3.21 } else { 1.43..=3.33 },
            judged: self.n2 == 2,
            source: SOURCE,
        })
    }
}

impl Case for DamBreak {
    fn name(&self) -> &'static str {
        match (self.n2, self.friction) {
            (2, false) => "dam_break",
            (2, true) => "dam_break_friction",
            (_, false) => "dam_break_square",
            (_, true) => "dam_break_square_friction",
        }
    }

    fn about(&self) -> &'static str {
        match (self.n2, self.friction) {
            (2, _) => "2D dam break, column twice as high as wide: front and height against the experiment",
            (_, false) => "2D dam break, square column, frictionless bed: reported, judged for lag only",
            (_, true) => "2D dam break, square column, bed with friction: reported, judged for lag only",
        }
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn resolution(&self) -> usize {
        40
    }

    /// `n` particles across the height of the column.
    fn scene(&self, n: usize) -> Scene {
        let height = f64::from(self.n2) * A;
        let dx = height / n as f64;
        // Long enough for Z = 5, the last row of the table, and a little more.
        let end = 3.6 / (f64::from(self.n2) * GRAVITY / A).sqrt();
        let mut scene = Scene::new(2, dx, end);
        scene.title = format!("Dam break of Martin & Moyce, n² = {}", self.n2);
        scene.mass_mode = MassMode::Volume;
        scene.fluid = vec![fluid(&[0.0, 0.0], &[A, height])];
        let faces = [Face::XMin, Face::XMax, Face::YMin];
        let slip = if self.friction { Slip::NoSlip } else { Slip::FreeSlip };
        scene.wall = vec![tank(&[0.0, 0.0], &[7.0 * A, 1.5 * height], &faces, slip, 3)];
        scene.solver.set("name", "wcsph");
        if self.friction {
            // Pseudo-mass walls whose friction is the fluid's own viscosity: a tuned input, and said so.
            set(&mut scene, [("wall_pressure", "symmetric".into())]);
        }
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        match method {
            Method::Wcsph => {}
            Method::Pbf => pbf(scene, [("preset", "accurate".into())]),
            Method::Viscoelastic => viscoelastic(scene),
            Method::Projection => projection(scene, []),
        }
        // A wall that brakes the fluid has a viscosity of the liquid behind it.
        method == Method::Wcsph || !self.friction
    }

    fn metrics(&self, scene: &Scene) -> Vec<Box<dyn Metric>> {
        let mut metrics: Vec<Box<dyn Metric>> =
            vec![Box::new(Conservation::every(scene.run.end_time / 200.0))];
        if let Ok(experiment) = self.experiment() {
            metrics.push(Box::new(Collapse::new(experiment, GRAVITY)));
        }
        metrics
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let curves = || -> Result<Vec<ReferenceCurve>, ReferenceError> {
            let e = self.experiment()?;
            let place = |series| CurvePlace {
                case: self.name(),
                series,
                label: "Martin & Moyce 1952",
                style: CurveStyle::Points,
            };
            Ok(vec![
                e.front.curve("T", "Z", &place(series_name::FRONT))?,
                e.height.curve("tau", "H", &place(series_name::HEIGHT))?,
            ])
        };
        curves().unwrap_or_default()
    }

    fn pictures(&self) -> Vec<f64> {
        let time = (A / (f64::from(self.n2) * GRAVITY)).sqrt();
        [1.0, 2.0, 3.0].map(|t| t * time).to_vec()
    }
}
