//! Arrays of numbers in archives of NumPy, stored or compressed, as `numpy.savez` writes them.
use std::io::{Read, Seek};

use zip::{ZipArchive, result::ZipError};

/// Bytes before the dictionary of an array of version 1.
const FIRST: usize = 10;

/// Columns of an array.
type Components = Vec<Vec<f64>>;

/// Numbers of an array, and its shape.
struct Array {
    shape: Vec<usize>,
    values: Vec<f64>,
    /// True where the first index runs fastest.
    by_columns: bool,
}

/// The arrays of these names, in their order: columns of an array of two dimensions, all numbers of another. None where
/// the archive has no such array. An array may have `largest` bytes, so that no file can take more memory.
///
/// # Errors
///
/// What is no archive, and what of its arrays is none of floating-point numbers of 32 or 64 bits in one or two dimensions.
pub fn read(file: impl Read + Seek, names: &[&str], largest: u64) -> Result<Vec<Option<Components>>, String> {
    let mut archive = ZipArchive::new(file).map_err(|error| format!("is no archive of NumPy: {error}"))?;
    let mut named = |name: &str| {
        let entry = match archive.by_name(&format!("{name}.npy")) {
            Err(ZipError::FileNotFound) => return Ok(None),
            entry => entry.map_err(|error| error.to_string())?,
        };
        let mut bytes = Vec::new();
        entry.take(largest + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() as u64 > largest {
            return Err(format!("has more than {largest} B"));
        }
        array(&bytes).map(|array| Some(components(array)))
    };
    names.iter().map(|name| named(name).map_err(|reason| format!("{name}: {reason}"))).collect()
}

/// The columns of an array of two dimensions, or the one of an array of one.
fn components(array: Array) -> Components {
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
    let head = str::from_utf8(head).map_err(|error| error.to_string())?;
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
    if values.is_empty() {
        return Err("holds no number".to_owned());
    }
    Ok(Array {
        shape,
        values,
        by_columns: after("fortran_order").is_some_and(|rest| rest.starts_with("True")),
    })
}
