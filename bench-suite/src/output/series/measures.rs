//! Samples of measures as files and curves: of each measure a table, the same as arrays, and what a report draws.

use crate::{
    output::{OutputError, npz},
    result::{self, SeriesGroup},
    system::write::{WriteError, write_atomic},
};
use sph_core::watch::measure::{Column, Series};
use std::{fmt::Write as _, fs, path::Path};

/// Writes `NAME.csv` and `NAME.npz` of each series into a folder, which is made if there are any. Those of an earlier run are
/// removed.
///
/// # Errors
/// When a file cannot be written, or an old one not be removed.
pub fn write(all: &[&Series], folder: &Path) -> Result<(), OutputError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_one = path.extension().is_some_and(|ending| ending == "csv" || ending == "npz");
        if is_one && !all.iter().any(|series| path.file_stem().is_some_and(|name| *name == *series.name)) {
            fs::remove_file(&path).map_err(|source| WriteError { path, source })?;
        }
    }
    for series in all {
        let file = |ending: &str| folder.join(format!("{}.{ending}", series.name));
        write_atomic(&file("csv"), table(series).as_bytes())?;
        write_atomic(&file("npz"), &npz::encode_series(series)?)?;
    }
    Ok(())
}

/// A line a sample; of a profile a line a point, with its distance from the first.
fn table(series: &Series) -> String {
    let is_profile = !series.along.is_empty();
    let mut text = String::from(if is_profile { "t [s],along [m]" } else { "t [s]" });
    for column in &series.columns {
        let unit = if column.unit == "-" { String::new() } else { format!(" [{}]", column.unit) };
        let _ = write!(text, ",{}{unit}", column.name); // writing to a string cannot fail
    }
    text.push('\n');
    for (t, row) in series.rows() {
        for (point, values) in row.chunks(series.columns.len()).enumerate() {
            let _ = write!(text, "{t}");
            if is_profile {
                let _ = write!(text, ",{}", series.along[point]);
            }
            values.iter().for_each(|value| {
                let _ = write!(text, ",{value}");
            });
            text.push('\n');
        }
    }
    text
}

/// What reports call the curve of a column.
pub fn name(series: &Series, column: usize) -> String {
    match series.columns.get(column) {
        Some(column) if series.columns.len() > 1 => {
            format!("{}, {}", series.name, column.name.replace('_', " "))
        }
        _ => series.name.clone(),
    }
}

/// Points of a curve in reports at most; the files have all.
const MOST_POINTS: usize = 5000;

/// The curves of a series: each column against time, or of a profile its last sample against the distance.
pub fn curves(series: &Series) -> Vec<result::Series> {
    let n = series.columns.len();
    let of = |(k, column): (usize, &Column)| {
        let (x, y, x_name, x_unit): (Vec<f64>, Vec<f64>, _, _) = if series.along.is_empty() {
            let every = series.t.len().div_ceil(MOST_POINTS).max(1);
            let (x, y) = series.rows().step_by(every).map(|(t, row)| (t, row[k])).unzip();
            (x, y, "time", "s")
        } else {
            let last = series.rows().last();
            let y = last.iter().flat_map(|(_, row)| row.iter().skip(k).step_by(n)).copied().collect();
            (series.along.clone(), y, "distance, at the last sample", "m")
        };
        result::Series {
            name: name(series, k),
            group: SeriesGroup::Result,
            x_name: x_name.into(),
            x_unit: x_unit.into(),
            y_name: column.name.replace('_', " "),
            y_unit: column.unit.clone(),
            x,
            y,
        }
    };
    series.columns.iter().enumerate().map(of).collect()
}
