//! Particles and surfaces as binary PLY, the format of point clouds and renderers.
//!
//! PLY has no place for time and units, so they stand in comments: `comment unit velocity m/s`.

use super::{AXES, FrameData, OutputError, Values};
use sph_core::Real;
use std::fmt::Write as _;

/// How `Real` is called.
const REAL: &str = if size_of::<Real>() == 8 { "double" } else { "float" };

/// The bytes of a file of points. Points and vectors of the plane get a third component of zero.
pub(super) fn encode<const D: usize>(frame: &FrameData<D>) -> Result<Vec<u8>, OutputError> {
    if let Some(&id) = frame.id.iter().find(|&&id| id > u32::MAX.into()) {
        return Err(OutputError::LargeId(id));
    }
    let n = frame.id.len();
    let mut head = head(frame.t, frame.step, frame.spacing);
    let mut properties = properties("", REAL) + "property uint id\n";
    for field in &frame.fields {
        if let Some(unit) = field.unit_if_any() {
            let _ = writeln!(head, "comment unit {} {unit}", field.name);
        }
        properties += &match &field.values {
            Values::Scalar(_) => format!("property {REAL} {}\n", field.name),
            Values::Count(_) => format!("property uint {}\n", field.name),
            Values::Vector(_) => self::properties(&format!("{}_", field.name), REAL),
        };
    }
    let _ = write!(head, "element vertex {n}\n{properties}end_header\n");
    let mut out = head.into_bytes();
    for i in 0..n {
        push(&mut out, &frame.x, i);
        out.extend((frame.id[i] as u32).to_le_bytes());
        for field in &frame.fields {
            match &field.values {
                Values::Scalar(values) => out.extend(values[i].to_le_bytes()),
                Values::Count(values) => out.extend(values[i].to_le_bytes()),
                Values::Vector(axes) => push(&mut out, axes, i),
            }
        }
    }
    Ok(out)
}

/// The bytes of a file of triangles: corners `[m]`, and for each triangle three numbers of corners,
/// counter-clockwise seen from outside.
#[must_use]
pub fn encode_mesh(frame: &FrameData<3>, corners: &[[Real; 3]], triangles: &[[u32; 3]]) -> Vec<u8> {
    let mut head = head(frame.t, frame.step, frame.spacing);
    let _ = write!(
        head,
        "element vertex {}\n{}element face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        corners.len(),
        properties("", REAL),
        triangles.len()
    );
    let mut out = head.into_bytes();
    out.extend(corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    for triangle in triangles {
        out.push(3);
        out.extend(triangle.iter().flat_map(|corner| corner.to_le_bytes()));
    }
    out
}

fn head(t: f64, step: u64, spacing: f64) -> String {
    format!(
        "ply\nformat binary_little_endian 1.0\ncomment time {t} s\ncomment step {step}\n\
         comment spacing {spacing} m\ncomment unit position m\n"
    )
}

fn properties(prefix: &str, kind: &str) -> String {
    AXES.iter().map(|axis| format!("property {kind} {prefix}{axis}\n")).collect()
}

fn push<const D: usize>(out: &mut Vec<u8>, axes: &[Vec<Real>; D], i: usize) {
    for d in 0..3 {
        out.extend(axes.get(d).map_or(0.0, |axis| axis[i]).to_le_bytes());
    }
}
