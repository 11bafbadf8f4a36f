//! Conservation of volume: ten seconds of rest, and ten seconds after a collapse.

use super::{column::Column, fluid, pbf, projection, tank, viscoelastic};
use crate::{
    cases::Case,
    metrics::{Metric, conservation::Conservation, volume::Volume},
    scenes::methods::Method,
};
use sph_core::{
    geometry::sampling::Face,
    scene::{MassMode, PsiMode, Scene, Slip},
};

/// A square metre of water that is followed over ten seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// The column at rest.
    AtRest,
    /// The same column, which collapses in a closed tank twice as wide.
    AfterCollapse,
}

/// Height and width of the column, `[m]`.
const H: f64 = 1.0;
/// End, `[s]`.
const END: f64 = 10.0;

impl Lasting {
    /// Depth at rest, `[m]`.
    fn depth(self) -> f64 {
        if self == Self::AtRest { H } else { 0.5 * H }
    }
}

impl Case for Lasting {
    fn name(&self) -> &'static str {
        if *self == Self::AtRest { "volume_at_rest" } else { "volume_after_collapse" }
    }

    fn about(&self) -> &'static str {
        if *self == Self::AtRest {
            "2D column at rest over ten seconds: drift of its volume"
        } else {
            "2D column that collapses and sloshes for ten seconds: drift of its volume"
        }
    }

    fn source(&self) -> &'static str {
        "a liquid keeps its volume"
    }

    fn resolution(&self) -> usize {
        30
    }

    /// `n` particles across the height of the column.
    fn scene(&self, n: usize) -> Scene {
        if *self == Self::AtRest {
            let mut scene = Column { dim: 2 }.scene(n);
            scene.run.end_time = END;
            return scene;
        }
        let mut scene = Scene::new(2, H / n as f64, END);
        scene.title = "Column that collapses and comes to rest".into();
        scene.mass_mode = MassMode::Volume;
        scene.fluid = vec![fluid(&[0.0, 0.0], &[H, H])];
        // Closed: a single drop flies over walls of four times the height.
        let faces = [Face::XMin, Face::XMax, Face::YMin, Face::YMax];
        scene.wall = vec![tank(&[0.0, 0.0], &[2.0 * H, 2.0 * H], &faces, Slip::FreeSlip, 3)];
        scene.solver.set("name", "wcsph");
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        if *self == Self::AtRest {
            return Column { dim: 2 }.suit(scene, method);
        }
        match method {
            Method::Wcsph => return true,
            Method::Pbf => pbf(scene, [("preset", "accurate".into())]),
            Method::Viscoelastic => viscoelastic(scene),
            Method::Projection => projection(scene, []),
        }
        // As of the column at rest: two layers go on with the lattice.
        scene.boundary.psi_mode = PsiMode::FluidMass;
        true
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        vec![Box::new(Conservation::every(0.1)), Box::new(Volume::new(self.depth(), 0.02, 2.0))]
    }

    fn pictures(&self) -> Vec<f64> {
        if *self == Self::AtRest { vec![END] } else { vec![0.8, END] }
    }
}
