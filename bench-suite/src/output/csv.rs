//! Particles as a table: one line a particle, `step` and `t [s]` in every line, so that tables can be joined.
//! Numbers are written with as many digits as bring them back exactly.

use super::{AXES, FrameData, Values};
use std::fmt::Write as _;

/// The bytes of a table.
pub(super) fn encode<const D: usize>(frame: &FrameData<D>) -> Vec<u8> {
    let mut text = String::from("id,step,t [s]");
    for axis in &AXES[..D] {
        let _ = write!(text, ",{axis} [m]"); // writing to a string cannot fail
    }
    for field in &frame.fields {
        let unit = field.unit_if_any().map_or(String::new(), |unit| format!(" [{unit}]"));
        match &field.values {
            Values::Scalar(_) | Values::Count(_) => text += &format!(",{}{unit}", field.name),
            Values::Vector(_) => {
                AXES[..D].iter().for_each(|axis| text += &format!(",{}_{axis}{unit}", field.name));
            }
        }
    }
    text.push('\n');
    let when = format!(",{},{}", frame.step, frame.t);
    for (i, id) in frame.id.iter().enumerate() {
        let _ = write!(text, "{id}{when}");
        frame.x.iter().for_each(|axis| number(&mut text, axis[i]));
        for field in &frame.fields {
            match &field.values {
                Values::Scalar(values) => number(&mut text, values[i]),
                Values::Count(values) => number(&mut text, values[i]),
                Values::Vector(axes) => axes.iter().for_each(|axis| number(&mut text, axis[i])),
            }
        }
        text.push('\n');
    }
    text.into_bytes()
}

fn number(text: &mut String, value: impl std::fmt::Display) {
    let _ = write!(text, ",{value}");
}
