//! A bar of springs that is stretched, held, and released.

use super::{fluid, set};
use crate::{
    cases::Case,
    metrics::{
        Metric,
        conservation::Conservation,
        stretch::{Bars, ELONGATION, Stretch},
    },
    result::{Band, CurveStyle, ReferenceCurve},
    scenes::methods::Method,
};
use sph_core::scene::{Command, Damping, LinearVelocity, Scene, Set, Setting, VelocityField};

/// A bar of 4 × 1 m without gravity, and the same bar above it, which is not stretched.
pub struct StretchedBar {
    /// Whether its springs flow.
    pub plastic: bool,
}

/// Length of the bars, `[m]`.
const LENGTH: f64 = 4.0;
/// Height of the second bar above the first, `[m]`.
const ABOVE: f64 = 2.5;
/// Elongation by which it is stretched; it becomes thinner so that its area stays, `[-]`.
const STRETCH: f64 = 0.2;
/// When it is released, and when it is at rest, `[s]`.
const RELEASE: f64 = 1.0;
const REST: f64 = 9.0;
/// End, `[s]`.
const END: f64 = 12.0;
/// Rate at which a damping ends the initial velocity, `[1/s]`.
const RATE: f64 = 20.0;
/// Yield ratio γ of the springs that flow, `[-]`, and their plasticity, `[1/s]`.
const YIELD: f64 = 0.05;
const PLASTICITY: f64 = 20.0;
/// Particles across the bar for which stiffnesses are stated.
const ACROSS: f64 = 8.0;

impl StretchedBar {
    /// What stays: springs that are held flow until they are stretched by the yield ratio alone.
    fn set(&self) -> f64 {
        if self.plastic { (1.0 + STRETCH) / (1.0 + YIELD) - 1.0 } else { 0.0 }
    }
}

/// A change of a parameter.
fn change(key: &str, value: f64) -> Command {
    let mut command = Command::default();
    command.set = Some(Set { key: key.into(), value: Setting(value.into()) });
    command
}

impl StretchedBar {
    /// Why so much of the elongation stays.
    fn reason(&self) -> &'static str {
        if self.plastic {
            "held springs flow until |r − L| = γL (Clavet et al. 2005, algorithm 4): L = r/(1 + γ)"
        } else {
            "an elastic body has no permanent set"
        }
    }
}

impl Case for StretchedBar {
    fn name(&self) -> &'static str {
        if self.plastic { "stretched_bar_plastic" } else { "stretched_bar" }
    }

    fn about(&self) -> &'static str {
        if self.plastic {
            "a bar whose springs flow, stretched by 20 % and released: what stays"
        } else {
            "an elastic bar, stretched by 20 % and released: it comes back"
        }
    }

    fn source(&self) -> &'static str {
        self.reason()
    }

    fn resolution(&self) -> usize {
        16
    }

    /// `n` particles across the bar. Springs are made in a first step too short to move anything. Then an initial
    /// velocity, linear in the position, and a damping stretch the bar evenly, without forces; at the release these set
    /// in.
    fn scene(&self, n: usize) -> Scene {
        let finer = n as f64 / ACROSS;
        let mut scene = Scene::new(2, 1.0 / n as f64, END);
        scene.title = "Stretched bar".into();
        scene.gravity = Some(vec![0.0, 0.0]);
        scene.damping = Some(Damping { rate: RATE, until: RELEASE });
        scene.run.time_step = Some(1e-7);
        let dt = 0.005 / finer;
        // What the velocity v moves until the damping has ended it, `v dt/(1 − exp(−rate dt))`, is the stretch.
        let rate = |strain: f64| strain * (1.0 - (-RATE * dt).exp()) / dt;
        let thinner = 1.0 - 1.0 / (1.0 + STRETCH);
        let matrix = vec![vec![rate(STRETCH), 0.0], vec![0.0, -rate(thinner)]];
        let bar = |y: f64| fluid(&[-0.5 * LENGTH, y - 0.5], &[0.5 * LENGTH, y + 0.5]);
        let mut stretched = bar(0.0);
        stretched.velocity = VelocityField::Linear(LinearVelocity { matrix, center: vec![0.0, 0.0] });
        scene.fluid = vec![stretched, bar(ABOVE)];
        let mut first = change("run.time_step", dt);
        first.step = Some(1);
        // A wave takes the same time along the bar at any resolution.
        let forces = [
            ("solver.spring_stiffness", 300.0 * finer * finer),
            ("solver.stiffness", 35.0 / ACROSS * finer),
            ("solver.viscosity_linear", 400.0 * finer * finer),
        ];
        let release = forces.map(|(key, value)| {
            let mut command = change(key, value);
            command.at = Some(RELEASE);
            command
        });
        scene.command = std::iter::once(first).chain(release).collect();
        scene.solver.set("name", "viscoelastic");
        set(
            &mut scene,
            [
                ("spring_creation", "at_start".into()),
                ("plasticity", if self.plastic { PLASTICITY } else { 0.0 }.into()),
                ("yield_ratio", YIELD.into()),
                // As good as none, but springs are there, and flow.
                ("spring_stiffness", 1e-6.into()),
                ("stiffness", 1e-6.into()),
            ],
        );
        scene
    }

    fn suit(&self, _scene: &mut Scene, method: Method) -> bool {
        method == Method::Viscoelastic
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let bars = Bars {
            between: 0.5 * ABOVE,
            stretch: STRETCH,
            release: RELEASE,
            rest: REST,
            set: self.set(),
            source: self.reason(),
            band: (!self.plastic).then(|| Band::between(-0.005, 0.005)),
        };
        vec![Box::new(Conservation::every(0.05).driven()), Box::new(Stretch::new(bars, 0.05))]
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        vec![ReferenceCurve {
            case: self.name().into(),
            series: ELONGATION.into(),
            label: if self.plastic { "springs at their yield ratio" } else { "no permanent set" }.into(),
            citation: self.source().into(),
            style: CurveStyle::Line,
            x: vec![RELEASE, END],
            y: vec![self.set(); 2],
        }]
    }

    fn pictures(&self) -> Vec<f64> {
        vec![0.9 * RELEASE, END]
    }
}
