//! Frames as tables: a line of names with units, and a line for each particle.

use super::{FIELDS, of_arrays};
use crate::{
    output::{AXES, FrameData},
    reference::{Column, Table},
};
use std::{fs, path::Path};

/// The frame of a table with the columns `t [s]`, `x [m]`, `y [m]`, in space `z [m]`, `velocity_x [m/s]` and so on, and
/// `density [kg/m^3]` and `pressure [Pa]` where there are such.
pub fn frame<const D: usize>(path: &Path) -> Result<FrameData<D>, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let table = Table::parse("frame", &text).map_err(|error| error.to_string())?;
    let t = values(&table, "t", "s")?.ok_or("lacks the column \"t [s]\"")?;
    let time = t.first().copied().unwrap_or(f64::NAN);
    if let Some(row) = t.iter().position(|other| *other != time) {
        return Err(format!(
            "row {}: t is {}, and {time} in the first: a file holds one moment",
            row + 1,
            t[row]
        ));
    }
    let mut arrays = Vec::new();
    for (name, unit) in FIELDS.into_iter().skip(1) {
        let columns: Vec<String> = match name {
            "x" => AXES[..D].iter().map(|axis| (*axis).to_owned()).collect(),
            "velocity" => AXES[..D].iter().map(|axis| format!("{name}_{axis}")).collect(),
            _ => vec![name.to_owned()],
        };
        let found = columns.iter().map(|column| values(&table, column, unit));
        match found.collect::<Result<Option<Vec<_>>, String>>()? {
            Some(components) => arrays.push((name, components)),
            None if name == "x" => return Err(format!("lacks a column of {}", columns.join(", "))),
            None => {}
        }
    }
    of_arrays(time, arrays)
}

/// A column, if there is one.
fn values(table: &Table, name: &str, unit: &str) -> Result<Option<Vec<f64>>, String> {
    let Some(Column { unit: found, values, .. }) = table.columns.iter().find(|column| column.name == name)
    else {
        return Ok(None);
    };
    if !found.is_empty() && found != unit {
        return Err(format!("the column {name:?} is in {found}, must be in {unit}"));
    }
    Ok(Some(values.clone()))
}
