//! Frames as NumPy arrays, stored or compressed, as `numpy.savez` writes them.

use super::{FIELDS, of_arrays};
use crate::output::FrameData;
use std::{fs::File, io::Read, path::Path};
use zip::{ZipArchive, result::ZipError};

/// Largest array of a frame, `[B]`: a file cannot make the program take more memory than that `[convention]`.
const LARGEST: u64 = 16 << 30;
/// Bytes before the dictionary of an array of version 1.
const FIRST: usize = 10;

/// Numbers of an array, and its shape.
struct Array {
    shape: Vec<usize>,
    values: Vec<f64>,
    /// True where the first index runs fastest.
    by_columns: bool,
}

/// The frame of an archive with `x (n, D)`, `velocity (n, D)`, the scalar `t`, and `density (n,)` and `pressure (n,)` where
/// there are such.
pub fn frame<const D: usize>(path: &Path) -> Result<FrameData<D>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut archive = ZipArchive::new(file).map_err(|error| error.to_string())?;
    let (mut time, mut arrays) = (None, Vec::new());
    for (name, _) in FIELDS {
        let entry = match archive.by_name(&format!("{name}.npy")) {
            Err(ZipError::FileNotFound) => continue,
            entry => entry.map_err(|error| format!("{name}: {error}"))?,
        };
        let mut bytes = Vec::new();
        entry.take(LARGEST).read_to_end(&mut bytes).map_err(|error| format!("{name}: {error}"))?;
        let array = array(&bytes).map_err(|reason| format!("{name}: {reason}"))?;
        match name {
            "t" => time = array.values.first().copied(),
            _ => arrays.push((name, components(array))),
        }
    }
    if arrays.first().is_none_or(|(name, _)| *name != "x") {
        return Err("lacks the array \"x\"".into());
    }
    of_arrays(time.ok_or("lacks the array \"t\"")?, arrays)
}

/// The columns of an array of two dimensions, or the one of an array of one.
fn components(array: Array) -> Vec<Vec<f64>> {
    let Array { shape, values, by_columns } = array;
    match shape[..] {
        [n, columns] if by_columns => (0..columns).map(|k| values[k * n..(k + 1) * n].to_vec()).collect(),
        [_, columns] => {
            (0..columns).map(|k| values.iter().skip(k).step_by(columns).copied().collect()).collect()
        }
        _ => vec![values],
    }
}

/// An array of floating-point numbers in NumPy's format.
fn array(bytes: &[u8]) -> Result<Array, String> {
    let no_array = || "is no array of NumPy".to_owned();
    let version = bytes.strip_prefix(b"\x93NUMPY").and_then(|rest| rest.first()).ok_or_else(no_array)?;
    let (length, first) = match (version, bytes.get(8..12)) {
        (1, Some(l)) => (usize::from(u16::from_le_bytes([l[0], l[1]])), FIRST),
        (_, Some(l)) => (u32::from_le_bytes([l[0], l[1], l[2], l[3]]) as usize, FIRST + 2),
        _ => return Err(no_array()),
    };
    let head = bytes.get(first..first + length).ok_or_else(no_array)?;
    let head = std::str::from_utf8(head).map_err(|error| error.to_string())?;
    let after = |key: &str| head.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
    let shape =
        after("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')')).ok_or_else(no_array)?.0;
    let shape = shape.split(',').map(str::trim).filter(|n| !n.is_empty()).map(str::parse::<usize>);
    let shape: Vec<usize> = shape.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let data = &bytes[first + length..];
    let kind =
        after("descr").and_then(|rest| rest.strip_prefix('\'')?.split_once('\'')).ok_or_else(no_array)?.0;
    let values: Vec<f64> = match kind {
        "<f8" => data.as_chunks().0.iter().map(|word| f64::from_le_bytes(*word)).collect(),
        "<f4" => data.as_chunks().0.iter().map(|word| f64::from(f32::from_le_bytes(*word))).collect(),
        other => return Err(format!("holds numbers of the kind {other:?}, must be '<f8' or '<f4'")),
    };
    if shape.len() > 2 || shape.iter().try_fold(1_usize, |n, k| n.checked_mul(*k)) != Some(values.len()) {
        return Err(format!("has the shape {shape:?} and {} numbers", values.len()));
    }
    Ok(Array {
        shape,
        values,
        by_columns: after("fortran_order").is_some_and(|rest| rest.starts_with("True")),
    })
}
