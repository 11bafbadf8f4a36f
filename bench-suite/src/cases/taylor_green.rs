//! The decaying Taylor-Green vortex in two dimensions, an exact solution of the Navier-Stokes equations.

use super::{periodic, projection, set};
use crate::{
    cases::Case,
    metrics::{
        Metric,
        conservation::Conservation,
        decay::{Decay, Vortex},
    },
    result::{CurveStyle, ReferenceCurve, series_name},
    scenes::methods::Method,
};
use sph_core::scene::{MassMode, PressureField, Scene, TaylorGreen, VelocityField};
use std::f64::consts::{PI, TAU};

/// A periodic square of side 1 at Reynolds number 100.
pub struct Decaying {
    /// True when particles start in disorder, not on a lattice.
    pub jittered: bool,
}

/// Kinematic viscosity, [m²/s]: speed 1, side 1, Re 100.
const NU: f64 = 0.01;
/// Rate of decay, `[1/s]`.
const RATE: f64 = -8.0 * PI * PI * NU;
/// Citation.
const SOURCE: &str = "Taylor & Green 1937, Proc. R. Soc. A 158, 499-521: exact solution exp(-8 pi^2 t/Re)";

/// The velocity at first, over U.
pub fn velocity(x: &[f64; 3]) -> [f64; 3] {
    let ((sin_x, cos_x), (sin_y, cos_y)) = ((TAU * x[0]).sin_cos(), (TAU * x[1]).sin_cos());
    [-cos_x * sin_y, sin_x * cos_y, 0.0]
}

impl Case for Decaying {
    fn name(&self) -> &'static str {
        if self.jittered { "taylor_green_jittered" } else { "taylor_green" }
    }

    fn about(&self) -> &'static str {
        if self.jittered {
            "Taylor-Green vortex, Re 100, particles displaced by up to 0.2 spacings at the start"
        } else {
            "Taylor-Green vortex, Re 100, from a lattice: decay rate and velocity error"
        }
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn resolution(&self) -> usize {
        50
    }

    /// `n` particles across the side.
    fn scene(&self, n: usize) -> Scene {
        let mut scene = Scene::new(2, 1.0 / n as f64, 2.0);
        scene.title = "Taylor-Green vortex, Re 100".into();
        scene.rest_density = 1.0;
        scene.gravity = Some(vec![0.0, 0.0]);
        scene.mass_mode = MassMode::Volume;
        scene.domain = Some(periodic(&[1.0, 1.0], 2));
        let vortex = TaylorGreen { speed: 1.0, length: 1.0 };
        let mut body = super::fluid(&[0.0, 0.0], &[1.0, 1.0]);
        body.velocity = VelocityField::TaylorGreen(vortex.clone());
        body.pressure = PressureField::TaylorGreen(vortex);
        if self.jittered {
            body.jitter = 0.2;
        }
        scene.fluid = vec![body];
        set(
            &mut scene,
            [
                ("name", "wcsph".into()),
                ("sound_speed", 10.0.into()),
                ("dynamic_viscosity", NU.into()),
                // Without it the lattice is squeezed into strings at the stagnation points.
                ("regularization", "shifting".into()),
            ],
        );
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        if method == Method::Projection {
            projection(scene, [("dynamic_viscosity", NU.into())]);
        }
        matches!(method, Method::Wcsph | Method::Projection)
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let vortex = Vortex {
            speed: 1.0,
            rate: RATE,
            velocity,
            range: 0.2..=2.0,
            times: [0.5, 1.0, 2.0],
            judged: 1,
            source: SOURCE,
        };
        vec![Box::new(Conservation::every(0.02).driven()), Box::new(Decay::new(vortex, 0.01))]
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let x: Vec<f64> = (0..=100).map(|k| 0.02 * f64::from(k)).collect();
        vec![ReferenceCurve {
            case: self.name().into(),
            series: series_name::LARGEST_SPEED.into(),
            label: "exact".into(),
            citation: SOURCE.into(),
            style: CurveStyle::Line,
            y: x.iter().map(|t| (RATE * t).exp()).collect(),
            x,
        }]
    }

    fn pictures(&self) -> Vec<f64> {
        vec![0.5, 2.0]
    }
}
