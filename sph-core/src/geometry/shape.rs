//! Bodies with a signed distance: what fluid fills, what walls bound, what containers keep inside.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    keys::{Validate, join},
    parameters,
};

mod enclosure;
mod region;

pub use enclosure::Enclosure;
pub use region::Region;
pub(crate) use region::perpendicular;

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
            Self::Outside(_) => "outside",
        }
    }

    /// The shape in a fixed dimension; keys in errors begin with `key`.
    ///
    /// # Errors
    ///
    /// If a vector has not `D` entries, a direction has no length, a block is empty, or the shape does not
    /// exist in this dimension.
    pub fn resolve<const D: usize>(&self, key: &str) -> Result<Region<D>, Error> {
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
