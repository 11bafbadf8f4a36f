//! A column of water at rest: hydrostatic pressure, level and kinetic energy.

use super::{fluid, pbf, projection, tank, viscoelastic};
use crate::{
    cases::Case,
    metrics::{Metric, conservation::Conservation, pressure::Resting},
    result::{CurveStyle, ReferenceCurve},
    scenes::methods::Method,
};
use sph_core::{
    geometry::sampling::Face,
    scene::{Damping, Hydrostatic, MassMode, PressureField, PsiMode, Scene, Slip},
};

/// A tank of 1 × 1 m (× 0.5 m in 3D).
pub struct Column {
    /// Dimension.
    pub dim: u8,
}

/// Depth, `[m]`.
const H: f64 = 1.0;

impl Case for Column {
    fn name(&self) -> &'static str {
        if self.dim == 2 { "column" } else { "column_3d" }
    }

    fn about(&self) -> &'static str {
        if self.dim == 2 { "2D column at rest: pressure, level, kinetic energy" } else { "3D column at rest" }
    }

    fn source(&self) -> &'static str {
        "hydrostatics, p = ρg(H − z)"
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn resolution(&self) -> usize {
        if self.dim == 2 { 30 } else { 20 }
    }

    /// `n` particles across the depth.
    fn scene(&self, n: usize) -> Scene {
        let mut scene = Scene::new(self.dim, H / n as f64, 2.5);
        scene.title = format!("Column at rest, {}D", self.dim);
        scene.mass_mode = MassMode::Volume;
        let (max, top): (&[f64], &[f64]) =
            if self.dim == 2 { (&[1.0, H], &[1.0, 1.5]) } else { (&[1.0, H, 0.5], &[1.0, 1.5, 0.5]) };
        let min = &[0.0; 3][..max.len()];
        let mut body = fluid(min, max);
        body.pressure = PressureField::Hydrostatic(Hydrostatic { surface: H });
        scene.fluid = vec![body];
        let faces = [Face::XMin, Face::XMax, Face::YMin, Face::ZMin, Face::ZMax];
        scene.wall = vec![tank(min, top, &faces[..if self.dim == 2 { 3 } else { 5 }], Slip::FreeSlip, 3)];
        // The first acoustic waves would ring for seconds: half the fundamental rate damps them.
        scene.damping = Some(Damping { rate: 22.0, until: 1.0 });
        scene.solver.set("name", "wcsph");
        scene.solver.set("artificial_viscosity_alpha", 0.1);
        scene
    }

    fn suit(&self, scene: &mut Scene, method: Method) -> bool {
        match method {
            Method::Wcsph => return true,
            Method::Pbf => pbf(scene, [("preset", "accurate".into())]),
            Method::Viscoelastic => viscoelastic(scene),
            Method::Projection => projection(scene, [("xsph_viscosity", 0.3.into())]),
        }
        // Two layers go on with the lattice; pseudo-masses of Akinci are larger, and a solver that meets the density
        // turns the surplus along the walls into a jump at the start.
        scene.boundary.psi_mode = PsiMode::FluidMass;
        true
    }

    fn metrics(&self, _scene: &Scene) -> Vec<Box<dyn Metric>> {
        let area = if self.dim == 2 { 1.0 } else { 0.5 };
        vec![Box::new(Conservation::every(0.05)), Box::new(Resting::new(H, area, 0.05, 0.5))]
    }

    fn references(&self) -> Vec<ReferenceCurve> {
        vec![ReferenceCurve {
            case: self.name().into(),
            series: "pressure profile".into(),
            label: "hydrostatic".into(),
            citation: self.source().into(),
            style: CurveStyle::Line,
            x: vec![0.0, 1.0],
            y: vec![1.0, 0.0],
        }]
    }

    fn pictures(&self) -> Vec<f64> {
        vec![2.5]
    }
}
