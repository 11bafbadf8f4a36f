//! Points from files, and values at the nodes of rectilinear grids.
use std::{io::Cursor, path::Path};

use crate::{
    error::Error,
    keys::{
        csv::{Others, Table},
        file::{self, Found},
        join, npz,
    },
};

/// What a file has of each of its points: an array of shape `(n, components)`, `(n)` where there is one, or as many columns.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Name of the array: `x` for the place.
    pub name: &'static str,
    /// SI unit.
    pub unit: &'static str,
    /// Number of components.
    pub components: usize,
}

/// Names of axes.
const AXES: [&str; 3] = ["x", "y", "z"];
/// Larger files, and larger arrays in them, are no tables of a scene, `[B]`.
const LARGEST_FILE: u64 = 128 << 20;
/// Coordinates nearer to each other than this part of the grid are one, and places so near to it are in it, `[-]`: files
/// have few digits.
const SAME: f64 = 1e-6;

impl Quantity {
    /// The columns of a table, as `velocity_x [m/s]`.
    fn columns(&self) -> impl Iterator<Item = String> {
        let Self { name, unit, components } = *self;
        AXES.into_iter().take(components).map(move |axis| match (name, components) {
            ("x", _) => format!("{axis} [{unit}]"),
            (_, 1) => format!("{name} [{unit}]"),
            _ => format!("{name}_{axis} [{unit}]"),
        })
    }
}

/// Points of a file, in its order.
pub struct Points {
    /// Numbers of all points, a column for each component of each quantity; all finite, and at least one.
    pub columns: Vec<Vec<f64>>,
    /// Lines of the points in a text.
    lines: Vec<usize>,
}

impl Points {
    /// Reads points from the `file` that `key` has, from a folder on, and keeps where it lies and its checksum.
    ///
    /// # Errors
    ///
    /// With the line, or the row of arrays: a file that cannot be read, lacks a quantity, or has other numbers than finite ones.
    pub fn read(
        folder: &Path,
        (file, checksum): (&mut String, &mut Option<u32>),
        quantities: &[Quantity],
        key: &str,
    ) -> Result<Self, Error> {
        let named = join(key, "file");
        let value = format!("{file:?}");
        let refused = |message: String| Error::invalid(&named, message).value(&value);
        let ending = Path::new(file).extension().map(|ending| ending.to_ascii_lowercase());
        let is = |kind: &str| ending.as_ref().is_some_and(|ending| ending == kind);
        if !is("csv") && !is("npz") {
            return Err(refused("must end in .csv or .npz".to_owned()));
        }
        let found = file::read(folder, file, LARGEST_FILE, &named)?;
        found.check(checksum, &join(key, "checksum"))?;
        let points = match is("csv") {
            true => Self::of_table(&found, quantities, &named)?,
            false => Self::of_arrays(&found.bytes, quantities).map_err(refused)?,
        };
        *file = found.path;
        Ok(points)
    }

    fn of_table(found: &Found, quantities: &[Quantity], key: &str) -> Result<Self, Error> {
        let names: Vec<String> = quantities.iter().flat_map(Quantity::columns).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let table = Table::parse(found, &names, Others::Ignored, key)?;
        let refused = |message: String| {
            let error = Error::invalid(key, message).value(format!("{:?}", found.path));
            Err(error.hint(format!("name columns {}", names.join(", "))))
        };
        let mut columns = Vec::new();
        for (k, name) in names.iter().enumerate() {
            let Some(place) = table.columns.iter().position(|column| *column == k) else {
                return refused(format!("has no column `{name}`"));
            };
            columns.push(table.rows.iter().map(|row| row[place]).collect());
        }
        if table.rows.is_empty() {
            return refused("has no row of numbers".to_owned());
        }
        Ok(Self { columns, lines: table.lines })
    }

    fn of_arrays(bytes: &[u8], quantities: &[Quantity]) -> Result<Self, String> {
        let names: Vec<&str> = quantities.iter().map(|quantity| quantity.name).collect();
        let arrays = npz::read(Cursor::new(bytes), &names, LARGEST_FILE)?;
        let mut points = Self { columns: Vec::new(), lines: Vec::new() };
        for (Quantity { name, components, .. }, array) in quantities.iter().zip(arrays) {
            let array = array.ok_or_else(|| format!("has no array `{name}`"))?;
            if array.len() != *components {
                let found = array.len();
                return Err(format!(
                    "has {found} components of `{name}` at each point, must have {components}"
                ));
            }
            for column in array {
                let (n, first) = (column.len(), points.columns.first().map_or(column.len(), Vec::len));
                if n != first {
                    return Err(format!("has {n} points in `{name}` and {first} in `x`"));
                }
                if let Some(row) = column.iter().position(|x| !x.is_finite()) {
                    return Err(format!("row {row} from 0: `{name}` has {}", column[row]));
                }
                points.columns.push(column);
            }
        }
        Ok(points)
    }

    /// Where the file has a point.
    fn place(&self, row: usize) -> String {
        self.lines.get(row).map_or_else(|| format!("row {row} from 0"), |line| format!("line {line}"))
    }
}

/// Values at all nodes of a rectilinear grid, between which they are multilinear.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Ascending coordinates along each axis, two or more `[m]`.
    axes: Vec<Vec<f64>>,
    /// Values of each component; the node that is next along the first axis comes next.
    values: Vec<Vec<f64>>,
}

impl Grid {
    /// Reads the grid from a file as [`Points::read`] does. The first numbers of a point, one for each of the `axes`, are its
    /// place, all others values.
    ///
    /// # Errors
    ///
    /// With the line, or the row of arrays: a file that cannot be read, and points that are no full grid.
    pub fn read(
        folder: &Path,
        (file, checksum): (&mut String, &mut Option<u32>),
        axes: usize,
        quantities: &[Quantity],
        key: &str,
    ) -> Result<Self, Error> {
        let value = format!("{file:?}");
        let points = Points::read(folder, (file, checksum), quantities, key)?;
        Self::new(&points, axes).map_err(|message| {
            let error = Error::invalid(join(key, "file"), message).value(value);
            error.hint("give every place of a rectilinear grid once, in any order")
        })
    }

    fn new(points: &Points, axes: usize) -> Result<Self, String> {
        let (places, values) = points.columns.split_at(axes);
        let mut grid = Self { axes: Vec::new(), values: Vec::new() };
        let mut nodes: Vec<(u128, usize)> = (0..places[0].len()).map(|row| (0, row)).collect();
        let mut count = 1;
        for (column, name) in places.iter().zip(AXES) {
            let coordinates = distinct(column);
            if let [only] = coordinates[..] {
                return Err(format!("has all points at {name} = {only} m, needs two places along each axis"));
            }
            for (node, row) in &mut nodes {
                let k = coordinates.partition_point(|x| *x <= column[*row]) - 1;
                *node += count * k as u128;
            }
            count *= coordinates.len() as u128;
            grid.axes.push(coordinates);
        }
        nodes.sort_unstable();
        let at = |row: usize| places.iter().map(|column| column[row]).collect::<Vec<_>>();
        if let Some(twice) = nodes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let [first, again] = [twice[0].1, twice[1].1];
            let place = points.place(first);
            return Err(format!("{}: has the point {:?} m of {place} again", points.place(again), at(again)));
        }
        if nodes.len() as u128 != count {
            let hole = (0_u128..)
                .zip(&nodes)
                .find(|(k, (node, _))| k != node)
                .map_or(nodes.len() as u128, |(k, _)| k);
            let sizes: Vec<String> = grid.axes.iter().map(|axis| axis.len().to_string()).collect();
            let (n, sizes) = (nodes.len(), sizes.join(" x "));
            return Err(format!(
                "has no point at {:?} m: {n} points are no grid of {sizes}",
                grid.place(hole)
            ));
        }
        grid.values =
            values.iter().map(|column| nodes.iter().map(|(_, row)| column[*row]).collect()).collect();
        Ok(grid)
    }

    /// Place of a node.
    fn place(&self, mut node: u128) -> Vec<f64> {
        let along = |axis: &Vec<f64>| {
            let n = axis.len() as u128;
            let x = axis[(node % n) as usize];
            node /= n;
            x
        };
        self.axes.iter().map(along).collect()
    }

    /// Ascending coordinates along an axis `[m]`.
    pub fn axis(&self, axis: usize) -> &[f64] {
        &self.axes[axis]
    }

    /// Values of a component; the node that is next along the first axis comes next.
    pub fn values(&self, component: usize) -> &[f64] {
        &self.values[component]
    }

    /// Smallest and largest coordinates `[m]`.
    fn ends(&self) -> impl Iterator<Item = (f64, f64)> {
        self.axes.iter().map(|axis| (axis[0], axis[axis.len() - 1]))
    }

    /// Refuses places outside of the grid of the file that `key` has.
    ///
    /// # Errors
    ///
    /// With the first such place, and how far the grid reaches.
    pub fn check_holds<const D: usize>(&self, places: &[[f64; D]], key: &str) -> Result<(), Error> {
        let holds = |(x, (low, high)): (&f64, (f64, f64))| {
            let slack = SAME * (high - low);
            (low - slack..=high + slack).contains(x)
        };
        let Some(x) = places.iter().find(|x| !x.iter().zip(self.ends()).all(holds)) else { return Ok(()) };
        let (low, high): (Vec<f64>, Vec<f64>) = self.ends().unzip();
        let message =
            format!("has no value for the particle at {x:?} m: its grid goes from {low:?} to {high:?} m");
        Err(Error::invalid(key, message).hint("enlarge the grid, or fill less"))
    }

    /// Value of a component at a place; beyond the ends that at the ends.
    pub fn at(&self, x: &[f64], component: usize) -> f64 {
        let (mut first, mut stride) = (0, 1);
        // For each axis how far the next node is in the list, and the weight of it.
        let mut steps = [(0, 0.0); AXES.len()];
        for ((axis, x), step) in self.axes.iter().zip(x).zip(&mut steps) {
            let k = axis.partition_point(|node| node <= x).clamp(1, axis.len() - 1) - 1;
            *step = (stride, ((x - axis[k]) / (axis[k + 1] - axis[k])).clamp(0.0, 1.0));
            first += k * stride;
            stride *= axis.len();
        }
        let steps = &steps[..self.axes.len()];
        let corner = |corner: usize| {
            let mut node = (first, 1.0);
            for (axis, (stride, part)) in steps.iter().enumerate() {
                let is_next = corner >> axis & 1 == 1;
                node.0 += if is_next { *stride } else { 0 };
                node.1 *= if is_next { *part } else { 1.0 - part };
            }
            node.1 * self.values[component][node.0]
        };
        (0..1 << steps.len()).map(corner).sum()
    }
}

/// The coordinates of nodes along an axis: the smallest of those that are one.
fn distinct(column: &[f64]) -> Vec<f64> {
    let mut sorted = column.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let tolerance = SAME * (sorted[sorted.len() - 1] - sorted[0]);
    let mut nodes: Vec<f64> = Vec::new();
    for x in sorted {
        if nodes.last().is_none_or(|last| x - last > tolerance) {
            nodes.push(x);
        }
    }
    nodes
}
