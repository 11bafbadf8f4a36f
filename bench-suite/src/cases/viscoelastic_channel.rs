//! Start-up of plane Poiseuille flow of a fluid whose springs flow (after Waters & King 1970).

use super::{fluid, set, tank};
use crate::{
    cases::Case,
    metrics::{
        Metric,
        conservation::Conservation,
        oldroyd::Start,
        start_up::{Flow, PROFILE, StartUp},
    },
    result::{CurveStyle, ReferenceCurve},
    scenes::methods::Method,
};
use sph_core::{
    geometry::sampling::Face,
    scene::{Axis, Domain, Scene, Slip},
};

/// A channel, periodic along x, between two plates.
pub struct ViscoelasticChannel;

/// Half of the width, `[m]`.
const H: f64 = 0.5;
/// Length of the period, `[m]`.
const LENGTH: f64 = 2.0;
/// Body force, `[m/s²]`.
const F: f64 = 0.5;
/// End, `[s]`.
const END: f64 = 6.0;
/// Spring stiffness times spacing squared, `[m²/s²]`.
const SPRINGS: f64 = 2.6;
/// Plasticity: the rate at which springs forget, `[1/s]`.
const PLASTICITY: f64 = 2.0;
/// Stiffness k times spacing: soft, since the lattice of a stiff fluid has a yield stress of its own, `[m²/s²]`.
const STIFFNESS: f64 = 1.0;
/// Linear viscosity σ times spacing squared, `[m²/s]`.
const VISCOSITY: f64 = 0.05;
/// Citation.
const SOURCE: &str = "Waters & King 1970, Rheol. Acta 9, 345-355: exact series of an Oldroyd-B fluid";

/// Name of the case.
const NAME: &str = "viscoelastic_channel";

impl Case for ViscoelasticChannel {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "start-up of a channel flow with springs: the Oldroyd-B fluid that it is most like; reported"
    }

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn resolution(&self) -> usize {
        20
    }

    /// `n` spacings across the width. A wall without slip holds the first layer of particles, so that the fluid stands
    /// still in the middle of this layer: walls stand half a spacing behind.
    fn scene(&self, n: usize) -> Scene {
        let dx = 2.0 * H / n as f64;
        let (min, max) = ([0.0, -0.5 * dx], [LENGTH, 2.0 * H + 0.5 * dx]);
        let mut scene = Scene::new(2, dx, END);
        scene.title = "Start-up of a viscoelastic channel".into();
        scene.gravity = Some(vec![F, 0.0]);
        scene.domain = Some(Domain { min: min.to_vec(), max: max.to_vec(), periodic: vec![Axis::X] });
        scene.fluid = vec![fluid(&min, &max)];
        scene.wall = vec![tank(&min, &max, &[Face::YMin, Face::YMax], Slip::NoSlip, 3)];
        scene.solver.set("name", "viscoelastic");
        set(
            &mut scene,
            [
                ("stiffness", (STIFFNESS / dx).into()),
                ("viscosity_linear", (VISCOSITY / (dx * dx)).into()),
                ("spring_stiffness", (SPRINGS / (dx * dx)).into()),
                ("plasticity", PLASTICITY.into()),
                ("yield_ratio", 0.0.into()),
            ],
        );
        scene
    }

    fn suit(&self, _scene: &mut Scene, method: Method) -> bool {
        method == Method::Viscoelastic
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let start = Start { half_width: H, force: F };
        let flow = Flow { start, end: END, relaxation: 1.0 / PLASTICITY, case: NAME, source: SOURCE };
        let interval = END / 200.0;
        vec![Box::new(Conservation::every(interval).driven()), Box::new(StartUp::new(flow, interval))]
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        let x: Vec<f64> = (0..=40).map(|k| 0.05 * f64::from(k)).collect();
        vec![ReferenceCurve {
            case: self.name().into(),
            series: PROFILE.into(),
            label: "parabola".into(),
            citation: SOURCE.into(),
            style: CurveStyle::Line,
            y: x.iter().map(|y| y * (2.0 - y)).collect(),
            x,
        }]
    }

    fn pictures(&self) -> Vec<f64> {
        vec![END]
    }
}
