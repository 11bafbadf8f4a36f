//! Reads the `.vtu` files that this program wrote.

use super::{Field, FrameData, Values, vtu};
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
    let raw = vtu::RAW.as_bytes();
    let end =
        bytes.windows(raw.len()).position(|part| part == raw).ok_or("is no .vtu file of this program")?;
    let head = std::str::from_utf8(&bytes[..end]).map_err(|error| error.to_string())?;
    let file = File { head, data: &bytes[end + raw.len()..] };
    match file.array("FieldData", "dimension")?.bytes {
        [2] => Ok(AnyFrame::Two(file.frame()?)),
        [3] => Ok(AnyFrame::Three(file.frame()?)),
        other => Err(format!("dimension {other:?}, must be 2 or 3")),
    }
}

struct File<'a> {
    head: &'a str,
    data: &'a [u8],
}

/// An array of the file.
struct Array<'a> {
    name: String,
    unit: String,
    kind: &'a str,
    is_vector: bool,
    bytes: &'a [u8],
}

impl<'a> File<'a> {
    fn frame<const D: usize>(&self) -> Result<FrameData<D>, String> {
        let id = self.array("PointData", "id")?.words("UInt64", u64::from_le_bytes)?;
        let fields = self.arrays("PointData")?.into_iter().filter(|array| array.name != "id");
        let fields: Result<_, String> = fields.map(|array| array.field()).collect();
        let frame = FrameData {
            step: self.number("step", "UInt64", u64::from_le_bytes)?,
            t: self.number("TimeValue", "Float64", f64::from_le_bytes)?,
            spacing: self.number("spacing", "Float64", f64::from_le_bytes)?,
            x: self.array("Points", "Points")?.vector()?,
            id,
            fields: fields?,
        };
        frame.check().map_err(|error| error.to_string())?;
        Ok(frame)
    }

    /// A number of the whole frame.
    fn number<T>(&self, name: &str, kind: &str, of: fn([u8; 8]) -> T) -> Result<T, String> {
        let words = self.array("FieldData", name)?.words(kind, of)?;
        words.into_iter().next().ok_or_else(|| format!("{name:?} is empty"))
    }

    fn array(&self, section: &str, name: &str) -> Result<Array<'a>, String> {
        let found = self.arrays(section)?.into_iter().find(|array| array.name == name);
        found.ok_or_else(|| format!("has no {name:?} in {section}"))
    }

    /// The arrays of a section of the header.
    fn arrays(&self, section: &str) -> Result<Vec<Array<'a>>, String> {
        let part = between(self.head, &format!("<{section}>"), &format!("</{section}>"));
        let part = part.ok_or_else(|| format!("has no {section}"))?;
        part.split("<DataArray ").skip(1).map(|tag| self.parse(tag)).collect()
    }

    fn parse(&self, tag: &'a str) -> Result<Array<'a>, String> {
        let attribute = |key: &str| {
            between(tag, &format!("{key}=\""), "\"").ok_or_else(|| format!("an array has no {key:?}"))
        };
        let name = unescape(attribute("Name")?);
        let data = attribute("offset")?.parse().ok().and_then(|offset: usize| self.data.get(offset..));
        let bytes = data.and_then(|data| {
            let (size, rest) = data.split_first_chunk()?;
            rest.get(..usize::try_from(u64::from_le_bytes(*size)).ok()?)
        });
        let bytes = bytes.ok_or_else(|| format!("array {name:?} is cut short"))?;
        let unit = between(tag, "location=\"vtkDataArray\">", "<").map_or("-".into(), unescape);
        let is_vector = attribute("NumberOfComponents").is_ok();
        Ok(Array { name, unit, kind: attribute("type")?, is_vector, bytes })
    }
}

impl Array<'_> {
    fn field<const D: usize>(self) -> Result<Field<D>, String> {
        let values = match self.kind {
            "UInt32" => Values::Count(self.words("UInt32", u32::from_le_bytes)?),
            _ if self.is_vector => Values::Vector(self.vector()?),
            _ => Values::Scalar(self.reals()?),
        };
        Ok(Field { name: self.name.into(), unit: self.unit.into(), values })
    }

    fn vector<const D: usize>(&self) -> Result<[Vec<Real>; D], String> {
        let all = self.reals()?;
        Ok(std::array::from_fn(|d| all.chunks_exact(3).map(|x| x[d]).collect()))
    }

    fn reals(&self) -> Result<Vec<Real>, String> {
        if self.kind == "Float64" {
            Ok(self.words("Float64", f64::from_le_bytes)?.into_iter().map(|x| x as Real).collect())
        } else {
            Ok(self.words("Float32", f32::from_le_bytes)?.into_iter().map(|x| x as Real).collect())
        }
    }

    fn words<T, const N: usize>(&self, kind: &str, of: fn([u8; N]) -> T) -> Result<Vec<T>, String> {
        let (words, rest) = self.bytes.as_chunks::<N>();
        if self.kind != kind || !rest.is_empty() {
            return Err(format!("array {:?} is no {kind}", self.name));
        }
        Ok(words.iter().map(|&word| of(word)).collect())
    }
}

/// What stands after `start` and before the next `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    text.split_once(start)?.1.split_once(end).map(|(part, _)| part)
}

fn unescape(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")
}
