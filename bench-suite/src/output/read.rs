//! Reads the `.vtu` files that this program wrote.

pub mod vtk_xml;

use self::vtk_xml::{Array, Arrays};
use super::{Field, FrameData, Values};
use crate::system::read::read;
use sph_core::Real;
use std::path::{Path, PathBuf};

/// A frame of either dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyFrame {
    /// Of the plane.
    Two(FrameData<2>),
    /// Of space.
    Three(FrameData<3>),
}

impl TryFrom<AnyFrame> for FrameData<2> {
    type Error = &'static str;

    fn try_from(frame: AnyFrame) -> Result<Self, Self::Error> {
        match frame {
            AnyFrame::Two(frame) => Ok(frame),
            AnyFrame::Three(_) => Err("has three dimensions, two are needed here"),
        }
    }
}

impl TryFrom<AnyFrame> for FrameData<3> {
    type Error = &'static str;

    fn try_from(frame: AnyFrame) -> Result<Self, Self::Error> {
        match frame {
            AnyFrame::Three(frame) => Ok(frame),
            AnyFrame::Two(_) => Err("has two dimensions, three are needed here"),
        }
    }
}

/// A frame could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads a frame, converting its numbers to the precision of this program.
///
/// # Errors
/// When the file cannot be read, or is no frame that this program wrote.
pub fn read_vtu(path: &Path) -> Result<AnyFrame, ReadError> {
    let failed = |reason| ReadError { path: path.to_owned(), reason };
    let bytes = read(path).map_err(|error| failed(error.to_string()))?;
    decode(&bytes).map_err(failed)
}

/// The frame in the bytes of a VTU file.
///
/// # Errors
/// When they are no frame that this program wrote.
pub fn decode(bytes: &[u8]) -> Result<AnyFrame, String> {
    let file = Arrays::parse(bytes)?;
    match *named(&file.whole, "dimension")?.bytes {
        [2] => Ok(AnyFrame::Two(frame(file)?)),
        [3] => Ok(AnyFrame::Three(frame(file)?)),
        ref other => Err(format!("dimension {other:?}, must be 2 or 3")),
    }
}

fn frame<const D: usize>(file: Arrays<'_>) -> Result<FrameData<D>, String> {
    let id = named(&file.fields, "id")?.words("UInt64", u64::from_le_bytes)?;
    let fields = file.fields.iter().filter(|array| array.name != "id");
    let frame = FrameData {
        step: first(&file, "step", "UInt64", u64::from_le_bytes)?,
        t: first(&file, "TimeValue", "Float64", f64::from_le_bytes)?,
        spacing: first(&file, "spacing", "Float64", f64::from_le_bytes)?,
        x: vector(&file.points)?,
        id,
        fields: fields.map(field).collect::<Result<_, String>>()?,
    };
    frame.check().map_err(|error| error.to_string())?;
    Ok(frame)
}

fn named<'a, 'b>(arrays: &'a [Array<'b>], name: &str) -> Result<&'a Array<'b>, String> {
    arrays.iter().find(|array| array.name == name).ok_or_else(|| format!("has no array {name:?}"))
}

/// A number of the whole frame.
fn first<T>(file: &Arrays<'_>, name: &str, kind: &str, of: fn([u8; 8]) -> T) -> Result<T, String> {
    let words = named(&file.whole, name)?.words(kind, of)?;
    words.into_iter().next().ok_or_else(|| format!("{name:?} is empty"))
}

/// A field of the particles.
fn field<const D: usize>(array: &Array<'_>) -> Result<Field<D>, String> {
    let values = match &*array.kind {
        "UInt32" => Values::Count(array.words("UInt32", u32::from_le_bytes)?),
        _ if array.components > 1 => Values::Vector(vector(array)?),
        _ => Values::Scalar(reals(array)?),
    };
    Ok(Field { name: array.name.clone().into(), unit: array.unit.clone().into(), values })
}

/// Vectors of three components; those beyond `D` are left out.
fn vector<const D: usize>(array: &Array<'_>) -> Result<[Vec<Real>; D], String> {
    let all = reals(array)?;
    Ok(std::array::from_fn(|d| all.chunks_exact(3).map(|x| x[d]).collect()))
}

fn reals(array: &Array<'_>) -> Result<Vec<Real>, String> {
    Ok(array.numbers()?.into_iter().map(|x| x as Real).collect())
}
