//! Start-up of plane Couette and Poiseuille flow (Morris, Fox & Zhu 1997).

use super::{periodic, projection, set, tank};
use crate::{
    cases::Case,
    metrics::{
        Metric,
        channel::{Exact, Profiles},
        conservation::Conservation,
    },
    result::{CurveStyle, ReferenceCurve, series_name},
    scenes::methods::Method,
};
use sph_core::{
    geometry::sampling::Face,
    scene::{FaceVelocity, MassMode, Scene, Slip},
};
use std::f64::consts::PI;

/// What drives the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The upper wall.
    Couette,
    /// A body force.
    Poiseuille,
}

/// Width, `[m]`.
const L: f64 = 1e-3;
/// Kinematic viscosity, `[m²/s]`.
const NU: f64 = 1e-6;
/// Speed of the wall, and the steady peak under the force, `[m/s]`.
pub const V_0: f64 = 1.25e-5;
/// Body force, `[m/s²]`.
const F: f64 = 1e-4;
/// Times of the paper; at the last the exact solution is steady to 1e-5, `[s]`.
pub const TIMES: [f64; 5] = [0.0225, 0.045, 0.1125, 0.225, 1.2];
/// Citation.
const SOURCE: &str = "Morris, Fox & Zhu 1997, J. Comput. Phys. 136, 214-226: parameters and exact series";

/// `V₀ y/L + Σ 2 V₀/(n π) (−1)ⁿ sin(n π y/L) exp(−ν n² π² t/L²)`.
pub fn couette(y: f64, t: f64) -> f64 {
    let term = |n: i32| {
        let k = f64::from(n) * PI / L;
        2.0 * V_0 / (k * L) * f64::from(1 - 2 * (n % 2)) * (k * y).sin() * (-NU * k * k * t).exp()
    };
    V_0 * y / L + (1..100).map(term).sum::<f64>()
}

/// `F/(2ν) y (L − y) − Σ 4 F L²/(ν π³ (2n+1)³) sin((2n+1) π y/L) exp(−(2n+1)² π² ν t/L²)`.
pub fn poiseuille(y: f64, t: f64) -> f64 {
    let term = |n: i32| {
        let k = f64::from(2 * n + 1) * PI / L;
        4.0 * F / (NU * L * k.powi(3)) * (k * y).sin() * (-NU * k * k * t).exp()
    };
    F / (2.0 * NU) * y * (L - y) - (0..100).map(term).sum::<f64>()
}

impl Channel {
    fn exact(self) -> Exact {
        let velocity = if self == Channel::Couette { couette } else { poiseuille };
        Exact { velocity, width: L, scale: V_0, source: SOURCE }
    }
}

impl Case for Channel {
    fn name(&self) -> &'static str {
        if *self == Channel::Couette { "couette" } else { "poiseuille" }
    }

    fn about(&self) -> &'static str {
        if *self == Channel::Couette {
            "plane Couette flow from rest: profiles at four times and steady"
        } else {
            "plane Poiseuille flow from rest: profiles at four times and steady"
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

    /// `n` particles across the channel, twelve along it: four supports.
    fn scene(&self, n: usize) -> Scene {
        let dx = L / n as f64;
        let max = [12.0 * dx, L];
        let mut scene = Scene::new(2, dx, TIMES[4]);
        scene.title = format!("Start-up of plane {self:?} flow");
        scene.mass_mode = MassMode::Volume;
        scene.domain = Some(periodic(&max, 1));
        scene.fluid = vec![super::fluid(&[0.0, 0.0], &max)];
        let mut walls = tank(&[0.0, 0.0], &max, &[Face::YMin, Face::YMax], Slip::NoSlip, 3);
        if *self == Channel::Couette {
            walls.surface_velocity = vec![FaceVelocity { face: Some(Face::YMax), velocity: vec![V_0, 0.0] }];
            scene.gravity = Some(vec![0.0, 0.0]);
        } else {
            scene.gravity = Some(vec![F, 0.0]);
        }
        scene.wall = vec![walls];
        set(
            &mut scene,
            [
                ("name", "wcsph".into()),
                ("sound_speed", (10.0 * V_0).into()),
                ("dynamic_viscosity", (1000.0 * NU).into()),
                ("clamp_wall_pressure", false.into()),
            ],
        );
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        if method == Method::Projection {
            let keys = [
                ("dynamic_viscosity", (1000.0 * NU).into()),
                // The first profile is that of t = 0.0225 s, and viscosity is of first order in time.
                ("dt_max", 1e-3.into()),
            ];
            projection(scene, keys);
        }
        matches!(method, Method::Wcsph | Method::Projection)
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        // All times of the paper are multiples of the interval.
        vec![
            Box::new(Conservation::every(0.01).driven()),
            Box::new(Profiles::new(self.exact(), TIMES.to_vec(), 0.0025)),
        ]
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let (x, y) = self.exact().profiles(&TIMES);
        vec![ReferenceCurve {
            case: self.name().into(),
            series: series_name::PROFILES.into(),
            label: "exact, t = 0.0225, 0.045, 0.1125, 0.225, 1.2 s".into(),
            citation: SOURCE.into(),
            style: CurveStyle::Line,
            x,
            y,
        }]
    }
}
