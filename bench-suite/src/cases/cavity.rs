//! Lid-driven cavity at Reynolds number 100 (Ghia, Ghia & Shin 1982).

use super::{fluid, full, set, tank};
use crate::{
    cases::Case,
    metrics::{
        Metric,
        center_lines::{CenterLines, Line},
        conservation::Conservation,
    },
    reference::{self, CurvePlace, ReferenceError},
    result::{CurveStyle, ReferenceCurve, series_name},
    scenes::methods::Method,
};
use sph_core::{
    geometry::sampling::Face,
    scene::{FaceVelocity, MassMode, Scene, Slip},
};

/// The unit square under a lid of speed 1.
pub struct Cavity;

/// Kinematic viscosity, `[m²/s]`.
const NU: f64 = 0.01;
/// Steady from about t = 10 on (reference collection, case 4); averaged from here to the end, `[s]`.
const FROM: f64 = 10.0;
/// End, `[s]`.
const END: f64 = 12.0;
/// Citation.
const SOURCE: &str = "Ghia, Ghia & Shin 1982, J. Comput. Phys. 48, 387-411";

impl Cavity {
    fn lines() -> Result<[Line; 2], ReferenceError> {
        let (u, v) = (reference::table("ghia_cavity_u")?, reference::table("ghia_cavity_v")?);
        let values = |table: &reference::Table, name: &str| table.column(name).map(|c| c.values.clone());
        Ok([
            Line { name: "u", along: 1, of: 0, positions: values(&u, "y")?, values: values(&u, "u_Re100")? },
            Line { name: "v", along: 0, of: 1, positions: values(&v, "x")?, values: values(&v, "v_Re100")? },
        ])
    }
}

impl Case for Cavity {
    fn name(&self) -> &'static str {
        "cavity"
    }

    fn about(&self) -> &'static str {
        "lid-driven cavity, Re 100: velocities on the center lines"
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn resolution(&self) -> usize {
        50
    }

    /// `n` particles across the side.
    fn scene(&self, n: usize) -> Scene {
        let mut scene = Scene::new(2, 1.0 / n as f64, END);
        scene.title = "Lid-driven cavity, Re 100".into();
        scene.rest_density = 1.0;
        scene.gravity = Some(vec![0.0, 0.0]);
        scene.mass_mode = MassMode::Volume;
        scene.fluid = vec![fluid(&[0.0, 0.0], &[1.0, 1.0])];
        let faces = [Face::XMin, Face::XMax, Face::YMin, Face::YMax];
        let mut walls = tank(&[0.0, 0.0], &[1.0, 1.0], &faces, Slip::NoSlip, 3);
        walls.surface_velocity = vec![FaceVelocity { face: Some(Face::YMax), velocity: vec![1.0, 0.0] }];
        scene.wall = vec![walls];
        set(
            &mut scene,
            [
                ("name", "wcsph".into()),
                ("sound_speed", 10.0.into()),
                ("viscosity_model", "morris".into()),
                ("dynamic_viscosity", NU.into()),
                ("regularization", "shifting".into()),
                ("clamp_wall_pressure", false.into()),
            ],
        );
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        if method == Method::Projection {
            full(scene, NU);
            // Nothing parts from the walls of a full box.
            set(scene, [("separation", 1.0.into())]);
        }
        matches!(method, Method::Wcsph | Method::Projection)
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let mut metrics: Vec<Box<dyn Metric>> = vec![Box::new(Conservation::every(0.1).driven())];
        if let Ok(lines) = Self::lines() {
            metrics.push(Box::new(CenterLines::new(lines, 0.1, FROM, SOURCE)));
        }
        metrics
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let curve = |table: &str, place: &str, value: &str, series| {
            let label = "Ghia, Ghia & Shin 1982";
            let at = CurvePlace { case: self.name(), series, label, style: CurveStyle::Points };
            reference::table(table)?.curve(place, value, &at)
        };
        let curves = [
            curve("ghia_cavity_u", "y", "u_Re100", series_name::CENTER_U),
            curve("ghia_cavity_v", "x", "v_Re100", series_name::CENTER_V),
        ];
        curves.into_iter().flatten().collect()
    }

    fn pictures(&self) -> Vec<f64> {
        vec![END]
    }
}
