//! The surface of a fluid as triangles: marching cubes through the density of its particles, by
//! [splashsurf](https://splashsurf.physics-simulation.org).

use crate::output::FrameData;
use sph_core::Real;
use splashsurf_lib::{Parameters, nalgebra::Vector3, reconstruct_surface};

/// How a surface is laid around particles. Lengths are in units of the particle spacing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Radius of a particle, which gives it the mass of its ball.
    pub radius: f64,
    /// Smoothing length: a particle is felt as far as twice this.
    pub smoothing: f64,
    /// Edge of the cubes that are marched through.
    pub cube: f64,
    /// Part of the rest density at which the surface lies `[-]`.
    pub iso: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { radius: 0.5, smoothing: 1.0, cube: 0.5, iso: 0.6 }
    }
}

/// A closed surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Corners `[m]`.
    pub corners: Vec<[Real; 3]>,
    /// Three corners a triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// A surface could not be found.
#[derive(Debug, thiserror::Error)]
pub enum MeshError {
    /// The frame has no particle, or one that is nowhere.
    #[error("a surface needs particles, all of them at finite positions")]
    Particles,
    /// An option is not a positive number.
    #[error("{name} = {value}: must lie in (0, inf)")]
    Option {
        /// Which one.
        name: &'static str,
        /// What it is.
        value: f64,
    },
    /// The frame does not say how far its particles are apart.
    #[error("the frame's spacing is {0} m, must be positive")]
    Spacing(f64),
    /// The surface has more corners than a file can number.
    #[error("the surface has {0} corners, too many; take larger cubes")]
    TooLarge(usize),
    /// The reconstruction failed.
    #[error("no surface: {0}")]
    Failed(String),
}

/// The surface of a frame's particles.
///
/// # Errors
/// When the frame or an option is unusable, or the cubes are too many.
pub fn surface(frame: &FrameData<3>, options: &Options) -> Result<Surface, MeshError> {
    let Options { radius, smoothing, cube, iso } = *options;
    for (name, value) in [("radius", radius), ("smoothing", smoothing), ("cube", cube), ("iso", iso)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(MeshError::Option { name, value });
        }
    }
    if !(frame.spacing > 0.0 && frame.spacing.is_finite()) {
        return Err(MeshError::Spacing(frame.spacing));
    }
    let [x, y, z] = &frame.x;
    let points: Vec<_> = x.iter().zip(y).zip(z).map(|((&x, &y), &z)| Vector3::new(x, y, z)).collect();
    if points.is_empty() || points.iter().flat_map(|x| x.iter()).any(|x| !x.is_finite()) {
        return Err(MeshError::Particles);
    }
    let length = |spacings: f64| (spacings * frame.spacing) as Real;
    let mut parameters = Parameters::new(length(radius), length(2.0 * smoothing), length(cube));
    parameters.iso_surface_threshold = iso as Real;
    let found = reconstruct_surface::<i64, Real>(&points, &parameters);
    let mesh = found.map_err(|error| MeshError::Failed(error.to_string()))?.mesh;
    if u32::try_from(mesh.vertices.len()).is_err() {
        return Err(MeshError::TooLarge(mesh.vertices.len()));
    }
    Ok(Surface {
        corners: mesh.vertices.iter().map(|corner| [corner.x, corner.y, corner.z]).collect(),
        triangles: mesh.triangles.iter().map(|corners| corners.map(|corner| corner as u32)).collect(),
    })
}
