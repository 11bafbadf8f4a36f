//! Particles as NumPy arrays: an uncompressed `.npz`, which needs no pickle to be read.
//!
//! `id (n,)`, `x (n, D)`, each field `(n,)` or `(n, D)`, the scalars `t`, `step` and `spacing`, and `units`, a
//! string of JSON that names the unit of each array. (An array's header is one line of text; the libraries
//! that write it bring a parser of Python along.)

use super::{
    FrameData, OutputError, Values,
    vtu::{bytes, vector_bytes},
};
use sph_core::{Real, watch::measure::Series};
use std::{
    collections::BTreeMap,
    io::{Cursor, Write as _},
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// How `Real` is called.
const REAL: &str = if size_of::<Real>() == 8 { "<f8" } else { "<f4" };

/// The bytes of an archive.
pub(super) fn encode<const D: usize>(frame: &FrameData<D>) -> Result<Vec<u8>, OutputError> {
    let n = frame.id.len();
    let mut archive = Archive::new();
    archive.add("id", "-", "<u8", &[n], &bytes(&frame.id, u64::to_le_bytes))?;
    archive.add("x", "m", REAL, &[n, D], &vector_bytes(&frame.x, D))?;
    for field in &frame.fields {
        let (name, unit) = (&*field.name, &*field.unit);
        match &field.values {
            Values::Scalar(values) => archive.add(name, unit, REAL, &[n], &bytes(values, Real::to_le_bytes)),
            Values::Count(values) => archive.add(name, unit, "<u4", &[n], &bytes(values, u32::to_le_bytes)),
            Values::Vector(axes) => archive.add(name, unit, REAL, &[n, D], &vector_bytes(axes, D)),
        }?;
    }
    archive.add("t", "s", "<f8", &[], &frame.t.to_le_bytes())?;
    archive.add("step", "-", "<u8", &[], &frame.step.to_le_bytes())?;
    archive.add("spacing", "m", "<f8", &[], &frame.spacing.to_le_bytes())?;
    archive.finish()
}

/// The bytes of an archive of a measure: `t (n,)` and each column `(n,)`; of a profile `along (m,)` and columns `(n, m)`.
pub fn encode_series(series: &Series) -> Result<Vec<u8>, OutputError> {
    let (n, points) = (series.t.len(), series.along.len());
    let mut archive = Archive::new();
    archive.add("t", "s", "<f8", &[n], &bytes(&series.t, f64::to_le_bytes))?;
    let shape = if points == 0 { vec![n] } else { vec![n, points] };
    if points > 0 {
        archive.add("along", "m", "<f8", &[points], &bytes(&series.along, f64::to_le_bytes))?;
    }
    for (k, column) in series.columns.iter().enumerate() {
        let values: Vec<f64> = series.values.iter().skip(k).step_by(series.columns.len()).copied().collect();
        archive.add(&column.name, &column.unit, "<f8", &shape, &bytes(&values, f64::to_le_bytes))?;
    }
    archive.finish()
}

struct Archive {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    units: BTreeMap<String, String>,
}

impl Archive {
    fn new() -> Self {
        Self { zip: ZipWriter::new(Cursor::new(Vec::new())), units: BTreeMap::new() }
    }

    fn add(
        &mut self,
        name: &str,
        unit: &str,
        kind: &str,
        shape: &[usize],
        data: &[u8],
    ) -> Result<(), OutputError> {
        self.units.insert(name.into(), unit.into());
        let stored =
            SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
        self.zip.start_file(format!("{name}.npy"), stored)?;
        let written = self.zip.write_all(&header(kind, shape)).and_then(|()| self.zip.write_all(data));
        Ok(written.map_err(zip::result::ZipError::from)?)
    }

    /// Adds the units and closes the archive.
    fn finish(mut self) -> Result<Vec<u8>, OutputError> {
        let units = serde_json::json!(self.units).to_string();
        let letters: Vec<u8> = units.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        self.add("units", "-", &format!("<U{}", letters.len() / 4), &[], &letters)?;
        Ok(self.zip.finish()?.into_inner())
    }
}

/// The head of an array in NumPy's format 1.0: magic, version, length, and a Python dictionary padded with
/// blanks so that the data begin at a multiple of 64.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let shape: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    const FIRST: usize = 10;
    let length = (FIRST + text.len() + 1).next_multiple_of(64) - FIRST;
    text = format!("{text:<width$}\n", width = length - 1);
    [b"\x93NUMPY\x01\x00", &(length as u16).to_le_bytes()[..], text.as_bytes()].concat()
}
