//! Frames as pictures: discs in 2D, lit spheres in 3D, colored by a field.

use super::{FrameData, OutputError, Values, frame::norm};
use crate::output::picture::{self, Cloud, Scale, Style};
use sph_core::{Real, error::Error};

/// Default width and height of a picture `[px]`.
pub const SIZE: (u32, u32) = (1280, 720);

/// How a frame is shown.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a, const D: usize> {
    /// Field that colors the particles; of a vector its length.
    pub color_by: &'a str,
    /// Width and height `[px]`.
    pub size: (u32, u32),
    /// Values at the ends of the color bar; those of the frame if left out.
    pub range: Option<(f64, f64)>,
    /// Corners of the box in view `[m]`; the box around all particles if left out.
    pub bounds: Option<([f64; D], [f64; D])>,
}

/// The values that color a frame, and their unit. `speed` is the length of `velocity` where it is not stored.
///
/// # Errors
/// When the frame has no such field; the error lists what it has.
pub fn colored<'a, const D: usize>(
    frame: &'a FrameData<D>,
    name: &str,
) -> Result<(Vec<Real>, &'a str), Error> {
    let velocity = || frame.field("velocity").filter(|_| name == "speed");
    let Some(field) = frame.field(name).or_else(velocity) else {
        let known: Vec<_> = frame.fields.iter().map(|field| &*field.name).collect();
        let error = Error::invalid("color", "is no field of the frame").value(format!("{name:?}"));
        return Err(error.hint(format!("it has {}", known.join(", "))));
    };
    let values = match &field.values {
        Values::Scalar(values) => values.clone(),
        Values::Count(values) => values.iter().map(|&count| count as Real).collect(),
        Values::Vector(axes) => {
            (0..axes[0].len()).map(|i| norm(axes.each_ref().map(|axis| axis[i]))).collect()
        }
    };
    Ok((values, &field.unit))
}

/// Ends of the color bar for these values. Speeds begin at rest and end at the largest; of other fields, whose
/// extremes may be single particles, it is the range without the lowest and highest hundredth. Infinite, from
/// above to below, where no value is a number.
#[must_use]
pub fn range(name: &str, values: &[Real]) -> (f64, f64) {
    let finite = values.iter().map(|&value| f64::from(value)).filter(|value| value.is_finite());
    if is_speed(name) {
        return (0.0, finite.fold(f64::NEG_INFINITY, f64::max));
    }
    let mut sorted: Vec<_> = finite.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let out = sorted.len() / 100;
    let ends = sorted.get(out).zip(sorted.iter().nth_back(out));
    ends.map_or((f64::INFINITY, f64::NEG_INFINITY), |(&low, &high)| (low, high))
}

fn is_speed(name: &str) -> bool {
    matches!(name, "speed" | "velocity")
}

/// Corners of the box around fluid and walls `[m]`.
#[must_use]
pub fn extent<const D: usize>(fluid: &FrameData<D>, walls: &FrameData<D>) -> ([f64; D], [f64; D]) {
    cloud(fluid, walls, &[], None).bounds()
}

fn cloud<'a, const D: usize>(
    fluid: &'a FrameData<D>,
    walls: &'a FrameData<D>,
    values: &'a [Real],
    bounds: Option<([f64; D], [f64; D])>,
) -> Cloud<'a, D> {
    Cloud {
        fluid: fluid.x.each_ref().map(Vec::as_slice),
        values,
        walls: walls.x.each_ref().map(Vec::as_slice),
        spacing: fluid.spacing,
        bounds,
    }
}

/// The bytes of a PNG file. A frame that lacks the field, as one before the first step may, is black.
pub(super) fn draw<const D: usize>(
    fluid: &FrameData<D>,
    walls: &FrameData<D>,
    look: &Look<'_, D>,
) -> Result<Vec<u8>, OutputError> {
    let (values, unit) =
        colored(fluid, look.color_by).unwrap_or_else(|_| (vec![Real::NAN; fluid.id.len()], ""));
    let (mut low, mut high) = look.range.unwrap_or_else(|| range(look.color_by, &values));
    if !high.is_finite() {
        (low, high) = (0.0, 1.0); // no value is a number, and none is shown
    } else if high <= low {
        high = low + 1e-6; // equal ends would leave nothing to tell apart
    }
    let scale = if is_speed(look.color_by) && low == 0.0 {
        Scale::speed(high)
    } else {
        Scale::linear(look.color_by, unit, low, high)
    };
    let title = format!("t = {:.3} s", fluid.t);
    let mut style = Style::new(look.size.0, look.size.1, &title, scale);
    style.up = 1; // gravity points along the second axis in both dimensions
    Ok(picture::draw(&cloud(fluid, walls, &values, look.bounds), &style)?)
}
