//! Particles as ParaView files: one `.vtu` a time (raw, appended, little-endian), and a `.pvd` that lists them.
//!
//! Field names are plain (`density`); a field's unit travels as VTK's own `UNITS_LABEL`, which ParaView keeps
//! and readers that do not know it pass over. Written here because the libraries for it take a hundred times
//! as long.

use super::{FrameData, Values};
use sph_core::Real;
use std::fmt::Write as _;

/// How `Real` is called.
pub(super) const REAL: &str = if size_of::<Real>() == 8 { "Float64" } else { "Float32" };

/// The text of the list of a series: time `[s]` and file, relative to the list, of each member.
pub(super) fn pvd<'a>(members: impl IntoIterator<Item = (f64, &'a str)>) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
         <Collection>\n",
    );
    for (t, file) in members {
        // writing to a string cannot fail
        let _ = writeln!(text, "<DataSet timestep=\"{t}\" group=\"\" part=\"0\" file=\"{}\"/>", escape(file));
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    text
}

/// The bytes of a `.vtu` file. Points and vectors of the plane get a third component of zero.
pub fn encode<const D: usize>(frame: &FrameData<D>) -> Vec<u8> {
    let n = frame.id.len();
    let mut blocks = Blocks::default();
    // One byte first: meshio 5.3 renumbers the offsets of raw data to multiples of 4 while it looks up the old
    // ones, and takes one array for another when an old offset is a multiple of 4 too.
    const ONE: &str = " NumberOfTuples=\"1\"";
    blocks.add("dimension", "", "UInt8", ONE, &[D as u8]);
    blocks.add("TimeValue", "s", "Float64", ONE, &frame.t.to_le_bytes());
    blocks.add("step", "", "UInt64", ONE, &frame.step.to_le_bytes());
    blocks.add("spacing", "m", "Float64", ONE, &frame.spacing.to_le_bytes());
    let time = std::mem::take(&mut blocks.xml);
    blocks.add_vector("Points", "m", &frame.x);
    let points = std::mem::take(&mut blocks.xml);
    blocks.add("id", "", "UInt64", "", &bytes(&frame.id, u64::to_le_bytes));
    for field in &frame.fields {
        let (name, unit) = (&*field.name, &*field.unit);
        match &field.values {
            Values::Scalar(values) => blocks.add(name, unit, REAL, "", &bytes(values, Real::to_le_bytes)),
            Values::Count(values) => blocks.add(name, unit, "UInt32", "", &bytes(values, u32::to_le_bytes)),
            Values::Vector(axes) => blocks.add_vector(name, unit, axes),
        }
    }
    let fields = std::mem::take(&mut blocks.xml);
    let index: Vec<u64> = (0..=n as u64).collect();
    blocks.add("connectivity", "", "Int64", "", &bytes(&index[..n], u64::to_le_bytes));
    blocks.add("offsets", "", "Int64", "", &bytes(&index[1..], u64::to_le_bytes));
    blocks.add("types", "", "UInt8", "", &vec![1; n]); // a vertex
    let cells = std::mem::take(&mut blocks.xml);
    let head = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n{time}</FieldData>\n\
         <Piece NumberOfPoints=\"{n}\" NumberOfCells=\"{n}\">\n<Points>\n{points}</Points>\n\
         <PointData>\n{fields}</PointData>\n<Cells>\n{cells}</Cells>\n</Piece>\n</UnstructuredGrid>\n{RAW}"
    );
    [head.as_bytes(), &blocks.data, b"\n</AppendedData>\n</VTKFile>\n"].concat()
}

/// What stands between header and data.
pub(super) const RAW: &str = "<AppendedData encoding=\"raw\">\n_";

/// The bytes of all values.
pub(super) fn bytes<T: Copy, const N: usize>(values: &[T], of: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    let mut out = Vec::with_capacity(N * values.len());
    values.iter().for_each(|&value| out.extend_from_slice(&of(value)));
    out
}

/// The bytes of vectors, particle by particle; axes beyond `D`, up to `components`, are zero.
pub(super) fn vector_bytes<const D: usize>(axes: &[Vec<Real>; D], components: usize) -> Vec<u8> {
    let n = axes[0].len();
    let mut out = Vec::with_capacity(size_of::<Real>() * components * n);
    for i in 0..n {
        axes.iter().for_each(|axis| out.extend_from_slice(&axis[i].to_le_bytes()));
        (D..components).for_each(|_| out.extend_from_slice(&Real::to_le_bytes(0.0)));
    }
    out
}

/// The header's lines, and the bytes they point to.
#[derive(Default)]
struct Blocks {
    xml: String,
    data: Vec<u8>,
}

impl Blocks {
    fn add_vector<const D: usize>(&mut self, name: &str, unit: &str, axes: &[Vec<Real>; D]) {
        self.add(name, unit, REAL, " NumberOfComponents=\"3\"", &vector_bytes(axes, 3));
    }

    fn add(&mut self, name: &str, unit: &str, kind: &str, shape: &str, bytes: &[u8]) {
        let (offset, name) = (self.data.len(), escape(name));
        let array = format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\"{shape} format=\"appended\" offset=\"{offset}\""
        );
        self.xml += &if unit.is_empty() || unit == "-" {
            format!("{array}/>\n")
        } else {
            format!(
                "{array}>\n<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{}</InformationKey>\n\
                 </DataArray>\n",
                escape(unit)
            )
        };
        self.data.extend((bytes.len() as u64).to_le_bytes());
        self.data.extend_from_slice(bytes);
    }
}

/// A text as XML, for content and attributes.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
