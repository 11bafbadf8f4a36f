//! Particles as ParaView files: one `.vtu` a time (raw, appended, little-endian), and a `.pvd` that lists them.
//!
//! Field names are plain (`density`); a field's unit travels as VTK's own `UNITS_LABEL`, which ParaView keeps
//! and readers that do not know it pass over.

use std::fmt::Write as _;
use std::path::Path;

use sph_core::Real;

use crate::write::{WriteError, write_atomic};

/// The values of a field, one a particle.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a, const D: usize> {
    /// One number.
    Scalar(&'a [Real]),
    /// A vector, one array an axis.
    Vector([&'a [Real]; D]),
    /// An integer that names or counts something.
    Integer(&'a [u64]),
}

/// A named field.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a, const D: usize> {
    /// Name, such as `density`.
    pub name: &'a str,
    /// Unit, such as `kg/m3`; empty or `-` for a pure number.
    pub unit: &'a str,
    /// The values.
    pub values: Values<'a, D>,
}

/// Particles at one time.
#[derive(Clone, Copy, Debug)]
pub struct Particles<'a, const D: usize> {
    /// Simulated time `[s]`.
    pub t: f64,
    /// Positions, one array an axis `[m]`.
    pub x: [&'a [Real]; D],
    /// Names that stay with the particles; stored as `id`.
    pub id: &'a [u64],
    /// Any other fields.
    pub fields: &'a [Field<'a, D>],
}

/// Particles could not be written.
#[derive(Debug, thiserror::Error)]
pub enum VtuError {
    /// An array has another length than the positions.
    #[error("field {name:?} has {found} values, expected {expected}")]
    Length {
        /// Name of the field.
        name: String,
        /// Its length.
        found: usize,
        /// Number of particles.
        expected: usize,
    },
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Writes particles as a `.vtu` file. Points and vectors of the plane get a third component of zero.
///
/// # Errors
/// When arrays differ in length or the file cannot be written.
pub fn write_vtu<const D: usize>(particles: &Particles<'_, D>, path: &Path) -> Result<(), VtuError> {
    Ok(write_atomic(path, &encode(particles)?)?)
}

/// Writes the list of a series: time `[s]` and file, relative to the list, of each member.
///
/// # Errors
/// When the file cannot be written.
pub fn write_pvd(members: &[(f64, String)], path: &Path) -> Result<(), WriteError> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
         <Collection>\n",
    );
    for (t, file) in members {
        // writing to a string cannot fail
        let _ = writeln!(text, "<DataSet timestep=\"{t}\" group=\"\" part=\"0\" file=\"{}\"/>", escape(file));
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    write_atomic(path, text.as_bytes())
}

/// The bytes of a `.vtu` file.
///
/// # Errors
/// When arrays differ in length.
pub fn encode<const D: usize>(particles: &Particles<'_, D>) -> Result<Vec<u8>, VtuError> {
    check_lengths(particles)?;
    let n = particles.id.len();
    let mut blocks = Blocks::default();
    // One byte first: meshio 5.3 renumbers the offsets of raw data to multiples of 4 while it looks up the old
    // ones, and takes one array for another when an old offset is a multiple of 4 too.
    blocks.add("dimension", "", "UInt8", " NumberOfTuples=\"1\"", &[D as u8]);
    blocks.add("TimeValue", "s", "Float64", " NumberOfTuples=\"1\"", &particles.t.to_le_bytes());
    let time = std::mem::take(&mut blocks.xml);
    blocks.add_values("Points", "m", &Values::Vector(particles.x));
    let points = std::mem::take(&mut blocks.xml);
    blocks.add_values("id", "", &Values::<D>::Integer(particles.id));
    for field in particles.fields {
        blocks.add_values(field.name, field.unit, &field.values);
    }
    let fields = std::mem::take(&mut blocks.xml);
    let index = |first: u64| (first..first + n as u64).flat_map(u64::to_le_bytes).collect::<Vec<u8>>();
    blocks.add("connectivity", "", "Int64", "", &index(0));
    blocks.add("offsets", "", "Int64", "", &index(1));
    blocks.add("types", "", "UInt8", "", &vec![1; n]); // a vertex
    let cells = std::mem::take(&mut blocks.xml);
    let head = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n{time}</FieldData>\n\
         <Piece NumberOfPoints=\"{n}\" NumberOfCells=\"{n}\">\n<Points>\n{points}</Points>\n\
         <PointData>\n{fields}</PointData>\n<Cells>\n{cells}</Cells>\n</Piece>\n</UnstructuredGrid>\n\
         <AppendedData encoding=\"raw\">\n_"
    );
    Ok([head.as_bytes(), &blocks.data, b"\n</AppendedData>\n</VTKFile>\n"].concat())
}

fn check_lengths<const D: usize>(particles: &Particles<'_, D>) -> Result<(), VtuError> {
    let expected = particles.id.len();
    let check = |name: &str, found: usize| {
        let error = || VtuError::Length { name: name.into(), found, expected };
        if found == expected { Ok(()) } else { Err(error()) }
    };
    particles.x.iter().try_for_each(|axis| check("Points", axis.len()))?;
    particles.fields.iter().try_for_each(|field| match &field.values {
        Values::Scalar(values) => check(field.name, values.len()),
        Values::Integer(values) => check(field.name, values.len()),
        Values::Vector(axes) => axes.iter().try_for_each(|axis| check(field.name, axis.len())),
    })
}

/// The header's lines, and the bytes they point to.
#[derive(Default)]
struct Blocks {
    xml: String,
    data: Vec<u8>,
}

impl Blocks {
    fn add_values<const D: usize>(&mut self, name: &str, unit: &str, values: &Values<'_, D>) {
        let kind = if size_of::<Real>() == 8 { "Float64" } else { "Float32" };
        match values {
            Values::Scalar(values) => {
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                self.add(name, unit, kind, "", &bytes);
            }
            Values::Integer(values) => {
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                self.add(name, unit, "UInt64", "", &bytes);
            }
            Values::Vector(axes) => {
                let n = axes.first().map_or(0, |axis| axis.len());
                let component = |i: usize, d: usize| axes.get(d).map_or(0.0, |axis| axis[i]).to_le_bytes();
                let bytes: Vec<u8> = (0..n).flat_map(|i| (0..3).flat_map(move |d| component(i, d))).collect();
                self.add(name, unit, kind, " NumberOfComponents=\"3\"", &bytes);
            }
        }
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
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [Real; 3] = [0.5, 1.5, 2.5];
    const Y: [Real; 3] = [-1.0, -2.0, -3.0];
    const RHO: [Real; 3] = [998.0, 1000.0, 1002.0];

    fn file() -> Vec<u8> {
        let fields = [
            Field { name: "density", unit: "kg/m3", values: Values::Scalar(&RHO) },
            Field { name: "velocity", unit: "m/s", values: Values::Vector([&Y, &X]) },
            Field { name: "a<b", unit: "-", values: Values::Integer(&[1, 2, 3]) },
        ];
        encode(&Particles { t: 0.25, x: [&X, &Y], id: &[7, 1 << 40, 3], fields: &fields }).unwrap()
    }

    /// Type and bytes of the array `name`, by the header alone.
    fn block(file: &[u8], name: &str) -> (String, Vec<u8>) {
        let start = file.windows(15).position(|part| part == b"encoding=\"raw\">").unwrap() + 17;
        assert_eq!(file[start - 1], b'_');
        let head = std::str::from_utf8(&file[..start]).unwrap();
        let line = head.lines().find(|line| line.contains(&format!("Name=\"{name}\""))).unwrap();
        let attribute =
            |key: &str| line.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap();
        let offset: usize = attribute("offset").parse().unwrap();
        let at = start + offset;
        let size = u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
        (attribute("type").into(), file[at + 8..at + 8 + size].to_vec())
    }

    fn reals(bytes: &[u8]) -> Vec<Real> {
        bytes
            .chunks_exact(size_of::<Real>())
            .map(|part| Real::from_le_bytes(part.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn every_offset_finds_its_array() {
        let file = file();
        assert_eq!(reals(&block(&file, "Points").1), [0.5, -1.0, 0.0, 1.5, -2.0, 0.0, 2.5, -3.0, 0.0]);
        assert_eq!(reals(&block(&file, "density").1), RHO);
        assert_eq!(reals(&block(&file, "velocity").1)[..3], [-1.0, 0.5, 0.0]);
        let (kind, ids) = block(&file, "id");
        assert_eq!((kind.as_str(), u64::from_le_bytes(ids[8..16].try_into().unwrap())), ("UInt64", 1 << 40));
        assert_eq!(block(&file, "a&lt;b").1.len(), 24);
        assert_eq!(block(&file, "types"), ("UInt8".into(), vec![1, 1, 1]));
        assert_eq!(block(&file, "offsets").1[16..], 3u64.to_le_bytes());
        assert!(file.ends_with(b"\n</AppendedData>\n</VTKFile>\n"));
    }

    #[test]
    fn units_are_in_the_header() {
        assert!(
            String::from_utf8_lossy(&file()).contains("location=\"vtkDataArray\">kg/m3</InformationKey>")
        );
    }

    #[test]
    fn arrays_of_other_length_are_refused() {
        let fields = [Field { name: "density", unit: "kg/m3", values: Values::Scalar(&RHO[..2]) }];
        let particles = Particles { t: 0.0, x: [&X, &Y], id: &[1, 2, 3], fields: &fields };
        assert!(encode(&particles).unwrap_err().to_string().contains("\"density\" has 2 values, expected 3"));
        assert!(encode(&Particles { t: 0.0, x: [&X[..1], &Y], id: &[1, 2, 3], fields: &[] }).is_err());
    }

    #[test]
    fn other_readers_agree() {
        let folder = std::env::temp_dir().join(format!("sph-vtu-{}", std::process::id()));
        write_atomic(&folder.join("a.vtu"), &file()).unwrap();
        write_pvd(&[(0.25, "a.vtu".into())], &folder.join("a.pvd")).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_vtu.py");
        let python = std::env::var("SPH_PYTHON").unwrap_or_else(|_| "python3".into());
        match std::process::Command::new(python).arg(script).arg(folder.join("a.vtu")).output() {
            Err(error) => println!("skipped: no python ({error})"),
            Ok(out) => {
                println!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
                assert!(out.status.success());
            }
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
