//! Bodies with a signed distance: what fluid fills, what walls bound, what containers keep inside.
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    compiled_here,
    error::Error,
    keys::{Validate, join},
    numerics::vector::{cross, dot},
    parameters,
};

mod enclosure;
mod heightfield;
mod hull;
mod mesh;
mod region;

pub use enclosure::Enclosure;
pub use heightfield::Heightfield;
pub use hull::{Facet, FacetBox, Flaw, Hull};
pub use mesh::Mesh;
pub use region::Region;
pub(crate) use region::{in_frame, out_of_frame, perpendicular};

parameters! {
    /// An axis-aligned block.
    pub struct Block {
        /// Corner with the smallest coordinates.
        pub min: Vec<f64>, "m", "(-inf, inf)";
        /// Corner with the largest coordinates.
        pub max: Vec<f64>, "m", "(-inf, inf)";
    }
}

parameters! {
    /// A ball; in two dimensions a disc.
    pub struct Ball {
        /// Center.
        pub center: Vec<f64>, "m", "(-inf, inf)";
        /// Radius.
        pub radius: f64, "m", "(0, inf)";
    }
}

parameters! {
    /// A circular cylinder with flat caps, in three dimensions.
    pub struct Cylinder {
        /// Middle of the axis.
        pub center: Vec<f64>, "m", "(-inf, inf)";
        /// Direction of the axis, of any length.
        pub axis: Vec<f64> = vec![0.0, 0.0, 1.0], "-", "(-inf, inf)";
        /// Radius.
        pub radius: f64, "m", "(0, inf)";
        /// Distance of the caps.
        pub length: f64, "m", "(0, inf)";
    }
}

parameters! {
    /// All points behind a plane.
    pub struct HalfSpace {
        /// A point of the plane.
        pub point: Vec<f64>, "m", "(-inf, inf)";
        /// Direction out of the half space, of any length.
        pub normal: Vec<f64>, "-", "(-inf, inf)";
    }
}

parameters! {
    /// A polygon, in two dimensions.
    pub struct Polygon {
        /// Its corners in turn, in either sense; the last is beside the first.
        pub points: Vec<[f64; 2]>, "m", "(-inf, inf)";
    }
}

parameters! {
    /// Another shape, turned about a point.
    pub struct Rotated {
        /// What is turned; the faces of a block keep their names.
        pub shape: Box<Shape>, validate;
        /// The point that stays where it is.
        pub center: Vec<f64>, "m", "(-inf, inf)";
        /// By how much, counterclockwise.
        pub angle: f64, "rad", "(-inf, inf)";
        /// Direction of the axis, of any length; used in three dimensions only [convention].
        pub axis: Vec<f64> = vec![0.0, 0.0, 1.0], "-", "(-inf, inf)";
    }
}

/// A body as a scene names it, `shape.ball = { center = [0, 0], radius = 1 }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// An axis-aligned block.
    Block(Block),
    /// A ball, or a disc in two dimensions.
    Ball(Ball),
    /// A ball in two dimensions, by its usual name.
    Disc(Ball),
    /// A circular cylinder (3D).
    Cylinder(Cylinder),
    /// All points behind a plane.
    HalfSpace(HalfSpace),
    /// A closed polygon (2D).
    Polygon(Polygon),
    /// A closed mesh of triangles from a file (3D).
    Mesh(Mesh),
    /// The solid below a surface from a file (3D).
    Heightfield(Heightfield),
    /// Another shape at an angle.
    Rotated(Rotated),
    /// All points outside of another shape.
    Outside(Box<Shape>),
}

impl Validate for Shape {
    fn validate(&self, prefix: &str) -> Result<(), Error> {
        let key = join(prefix, self.name());
        match self {
            Self::Block(shape) => shape.validate(&key),
            Self::Ball(shape) | Self::Disc(shape) => shape.validate(&key),
            Self::Cylinder(shape) => shape.validate(&key),
            Self::HalfSpace(shape) => shape.validate(&key),
            Self::Polygon(shape) => shape.validate(&key),
            Self::Mesh(shape) => shape.validate(&key),
            Self::Heightfield(shape) => shape.validate(&key),
            Self::Rotated(shape) => shape.validate(&key),
            Self::Outside(shape) => shape.validate(&key),
        }
    }
}

impl Shape {
    /// Name in the scene file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Block(_) => "block",
            Self::Ball(_) => "ball",
            Self::Disc(_) => "disc",
            Self::Cylinder(_) => "cylinder",
            Self::HalfSpace(_) => "half_space",
            Self::Polygon(_) => "polygon",
            Self::Mesh(_) => "mesh",
            Self::Heightfield(_) => "heightfield",
            Self::Rotated(_) => "rotated",
            Self::Outside(_) => "outside",
        }
    }

    /// Reads the files that it names, which paths that are not absolute name from `folder` on. Keys in errors begin with
    /// `key`.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or is none of this shape.
    pub fn load(&mut self, folder: &Path, key: &str) -> Result<(), Error> {
        let key = join(key, self.name());
        match self {
            Self::Mesh(mesh) => mesh.load(folder, &key),
            Self::Heightfield(field) => field.load(folder, &key),
            Self::Rotated(rotated) => rotated.shape.load(folder, &join(&key, "shape")),
            Self::Outside(shape) => shape.load(folder, &key),
            _ => Ok(()),
        }
    }

    /// The shape in a fixed dimension; keys in errors begin with `key`.
    ///
    /// # Errors
    ///
    /// If a vector has not `D` entries, a direction has no length, a block is empty, or the shape does not
    /// exist in this dimension.
    pub fn resolve<const D: usize>(&self, key: &str) -> Result<Region<D>, Error> {
        compiled_here!(D, Shape::region as fn(&Shape, &str) -> Result<Region<D>, Error>)(self, key)
    }

    fn region<const D: usize>(&self, key: &str) -> Result<Region<D>, Error> {
        self.validate(key)?;
        let key = join(key, self.name());
        match self {
            Self::Block(block) => resolve_block(block, &key),
            Self::Ball(ball) | Self::Disc(ball) => {
                if matches!(self, Self::Disc(_)) && D == 3 {
                    let message = "a disc exists in two dimensions only";
                    return Err(Error::invalid(key, message).hint("use ball or cylinder"));
                }
                let center = vector(&join(&key, "center"), &ball.center)?;
                Ok(Region::Ball { center, radius: ball.radius })
            }
            Self::Cylinder(cylinder) => resolve_cylinder(cylinder, &key),
            Self::HalfSpace(half) => {
                let point = vector(&join(&key, "point"), &half.point)?;
                Ok(Region::HalfSpace { point, normal: direction(&join(&key, "normal"), &half.normal)? })
            }
            Self::Polygon(polygon) => resolve_polygon(polygon, &key),
            Self::Mesh(mesh) => mesh.resolve(&key),
            Self::Heightfield(field) => field.resolve(&key),
            Self::Rotated(rotated) => resolve_rotated(rotated, &key),
            Self::Outside(shape) => Ok(Region::Outside(Box::new(shape.resolve(&key)?))),
        }
    }
}

fn resolve_block<const D: usize>(block: &Block, key: &str) -> Result<Region<D>, Error> {
    let min: [f64; D] = vector(&join(key, "min"), &block.min)?;
    let max: [f64; D] = vector(&join(key, "max"), &block.max)?;
    ordered(&min, &max, key)?;
    Ok(Region::Block { min, max })
}

fn resolve_cylinder<const D: usize>(cylinder: &Cylinder, key: &str) -> Result<Region<D>, Error> {
    if D != 3 {
        let message = "a cylinder exists in three dimensions only";
        return Err(Error::invalid(key, message).hint("use disc"));
    }
    Ok(Region::Cylinder {
        center: vector(&join(key, "center"), &cylinder.center)?,
        axis: direction(&join(key, "axis"), &cylinder.axis)?,
        radius: cylinder.radius,
        half_length: 0.5 * cylinder.length,
    })
}

fn resolve_polygon<const D: usize>(polygon: &Polygon, key: &str) -> Result<Region<D>, Error> {
    if D != 2 {
        let message = "a polygon exists in two dimensions only";
        return Err(Error::invalid(key, message).hint("use mesh"));
    }
    let key = join(key, "points");
    let n = polygon.points.len();
    if !(3..=MOST_CORNERS).contains(&n) {
        let error = Error::invalid(key, format!("has {n} points"));
        return Err(error.hint(format!("give 3 to {MOST_CORNERS} points")));
    }
    let points: Vec<[f64; D]> = polygon.points.iter().map(|x| std::array::from_fn(|k| x[k])).collect();
    let next = |k: usize| ((k + 1) % n) as u32;
    let edges =
        (0..n).map(|k| std::array::from_fn(|end| if end == 0 { k as u32 } else { next(k) })).collect();
    let hull = Hull::new(points, edges).map_err(|Flaw { facet, what }| {
        let point = polygon.points.get(facet).copied().unwrap_or_default();
        let error =
            Error::invalid(format!("{key}[{facet}]"), format!("the side from here to the next point {what}"));
        error.value(format!("{point:?}"))
    })?;
    Ok(Region::Hull(Arc::new(hull)))
}

/// More corners are no polygon of a scene, which is read as text.
const MOST_CORNERS: usize = 10_000;

fn resolve_rotated<const D: usize>(rotated: &Rotated, key: &str) -> Result<Region<D>, Error> {
    let center = vector(&join(key, "center"), &rotated.center)?;
    let axis = if D == 3 { direction::<3>(&join(key, "axis"), &rotated.axis)? } else { [0.0, 0.0, 1.0] };
    let (sin, cos) = rotated.angle.sin_cos();
    // Rodrigues' formula, of each axis.
    let columns = std::array::from_fn(|k| {
        let e: [f64; 3] = std::array::from_fn(|a| if a == k { 1.0 } else { 0.0 });
        let (across, along) = (cross(axis, e), dot(axis, e));
        std::array::from_fn(|a| cos * e[a] + sin * across[a] + (1.0 - cos) * along * axis[a])
    });
    let region: Region<D> = rotated.shape.resolve(&join(key, "shape"))?;
    Ok(region.turned(&center, &columns))
}

/// Refuses a box whose corners are not in order; the error names the first wrong entry of `max`.
pub(crate) fn ordered<const D: usize>(min: &[f64; D], max: &[f64; D], key: &str) -> Result<(), Error> {
    for axis in 0..D {
        if max[axis] <= min[axis] {
            let message = format!("must be larger than the same entry of min, {}", min[axis]);
            return Err(Error::invalid(format!("{key}.max[{axis}]"), message).value(max[axis]));
        }
    }
    Ok(())
}

/// A list of numbers as a vector of the scene's dimension.
///
/// # Errors
///
/// If it has not `D` entries.
pub fn vector<const D: usize>(key: &str, values: &[f64]) -> Result<[f64; D], Error> {
    values.try_into().map_err(|_| {
        let message = format!("has {} entries, but the scene has dim = {D}", values.len());
        Error::invalid(key, message).value(format!("{values:?}")).hint(format!("give {D} numbers"))
    })
}

/// A list of numbers as a direction of length 1.
///
/// # Errors
///
/// If it has not `D` entries, or no length.
pub fn direction<const D: usize>(key: &str, values: &[f64]) -> Result<[f64; D], Error> {
    let vector: [f64; D] = vector(key, values)?;
    // Scaled first, so that neither tiny nor huge entries lose their squares.
    let scale = vector.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if scale == 0.0 || !scale.is_finite() {
        let error = Error::invalid(key, "must have a direction, not all entries may be 0");
        return Err(error.value(format!("{values:?}")));
    }
    let scaled = vector.map(|x| x / scale);
    let norm = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
    Ok(scaled.map(|x| x / norm))
}
