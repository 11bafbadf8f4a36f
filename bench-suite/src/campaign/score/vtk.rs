//! Frames of any program that writes VTK's XML files.

use super::of_arrays;
use crate::output::{
    FrameData,
    read::vtk_xml::{Array, Arrays},
};
use std::{fs, path::Path};

/// How programs call the time of a frame, and the fields, each with its number of components: in small letters, ours first.
const TIMES: [&str; 3] = ["timevalue", "time", "t"];
const NAMES: [(&[&str], usize); 3] =
    [(&["velocity", "vel", "v"], 3), (&["density", "rho", "rhop"], 1), (&["pressure", "press", "p"], 1)];

/// The frame of a file: positions and every field of one or three components, those of [`NAMES`] by the first of their names.
///
/// Its time `[s]` is the number `TimeValue`, `time` or `t` of its `FieldData`, else that of a `.pvd` beside it. In 2D
/// z is constant, or else y, and left out.
pub fn frame<const D: usize>(path: &Path) -> Result<FrameData<D>, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let file = Arrays::parse(&bytes)?;
    let inside = file.whole.iter().find(|array| TIMES.contains(&&*array.name.to_lowercase()));
    let time = match inside {
        Some(time) => time.numbers()?.first().copied(),
        None => listed(path),
    };
    let missing = "has no time: neither TimeValue in its FieldData nor a .pvd beside it that lists it";
    let places = axes(&file.points)?;
    let chosen = chosen::<D>(&places)?;
    let mut arrays = vec![("x".to_owned(), chosen.map(|axis| places[axis].clone()).to_vec())];
    for (k, array) in file.fields.iter().enumerate() {
        let components = match array.components {
            1 => vec![array.numbers()?],
            3 => axes(array).map(|all| chosen.map(|axis| all[axis].clone()).to_vec())?,
            _ => continue,
        };
        if let Some(name) = name_of(k, &file.fields) {
            arrays.push((name.to_owned(), components));
        }
    }
    of_arrays(time.ok_or(missing)?, arrays)
}

/// What the array `k` is called here: by [`NAMES`] if of those with the right number of components it is the first; else by its own
/// name, unless that means another one here.
fn name_of<'a>(k: usize, arrays: &'a [Array<'_>]) -> Option<&'a str> {
    let is =
        |array: &Array<'_>, name: &str, n: usize| array.components == n && array.name.to_lowercase() == name;
    let first = |(names, n): &(&[&str], usize)| {
        names.iter().find_map(|name| arrays.iter().position(|array| is(array, name, *n)))
    };
    let ours = NAMES.iter().find(|names| first(names) == Some(k)).map(|(names, _)| names[0]);
    let is_taken = |name: &str| name == "x" || NAMES.iter().any(|(names, _)| names[0] == name);
    ours.or_else(|| Some(&*arrays[k].name).filter(|name| !is_taken(name)))
}

/// The components of vectors.
fn axes(array: &Array<'_>) -> Result<[Vec<f64>; 3], String> {
    if array.components != 3 {
        return Err(format!("{:?} has {} components, must have three", array.name, array.components));
    }
    let all = array.numbers()?;
    Ok(std::array::from_fn(|axis| all.chunks_exact(3).map(|x| x[axis]).collect()))
}

/// The axes that count.
fn chosen<const D: usize>(places: &[Vec<f64>; 3]) -> Result<[usize; D], String> {
    let is_flat = |axis: usize| places[axis].windows(2).all(|pair| pair[0] == pair[1]);
    match D {
        3 => Ok(std::array::from_fn(|axis| axis)),
        _ if is_flat(2) => Ok(std::array::from_fn(|axis| axis)),
        _ if is_flat(1) => Ok(std::array::from_fn(|axis| 2 * axis)),
        _ => Err("has neither a constant z nor a constant y, and the case is 2D".into()),
    }
}

/// The time that a collection in the same folder gives for a file.
fn listed(path: &Path) -> Option<f64> {
    let name = path.file_name()?.to_str()?;
    let beside = fs::read_dir(path.parent()?).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut texts = beside
        .filter(|other| other.extension().is_some_and(|end| end == "pvd"))
        .filter_map(|other| fs::read_to_string(other).ok());
    texts.find_map(|text| {
        let document = roxmltree::Document::parse(&text).ok()?;
        let is_it = |node: &roxmltree::Node<'_, '_>| {
            node.attribute("file").is_some_and(|file| file.rsplit(['/', '\\']).next() == Some(name))
        };
        document.descendants().find(is_it)?.attribute("timestep")?.parse().ok()
    })
}
