//! Points that represent bodies: lattices that fill them, layers along their surfaces, jitter.
//!
//! All in `f64` and in a fixed order, x fastest, so that a scene names the same particles everywhere.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::geometry::shape::{Region, in_frame, out_of_frame};

mod jitter;
mod layers;
mod levels;
mod rings;

pub use jitter::{Jitter, splitmix64};
pub use layers::{Face, Layers, Side, WallSample, layers};

/// Arrangement of the particles in a filled body. Each has the volume `spacing^D` per particle, so that
/// all give the same mass; the distance of nearest neighbors is therefore larger than on a square lattice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lattice {
    /// Squares or cubes, nearest distance 1 spacing.
    #[default]
    Cartesian,
    /// Triangles, nearest distance 1.0746 spacings (2D).
    Hexagonal,
    /// Face-centered cubes, nearest distance 1.1225 spacings (3D).
    Fcc,
    /// Body-centered cubes, nearest distance 1.0911 spacings (3D).
    Bcc,
}

impl Lattice {
    /// Whether it exists in this dimension.
    pub fn fits(self, dim: usize) -> bool {
        match self {
            Self::Cartesian => true,
            Self::Hexagonal => dim == 2,
            Self::Fcc | Self::Bcc => dim == 3,
        }
    }

    /// Distance of neighbors in a row, of rows in a plane, and of planes, in spacings.
    fn pitch(self) -> [f64; 3] {
        match self {
            Self::Cartesian => [1.0; 3],
            Self::Hexagonal => {
                let a = (2.0 / 3.0_f64.sqrt()).sqrt();
                [a, a * 0.75_f64.sqrt(), 1.0]
            }
            Self::Fcc => {
                let cell = 4.0_f64.cbrt();
                [cell, 0.5 * cell, 0.5 * cell]
            }
            Self::Bcc => {
                let cell = 2.0_f64.cbrt();
                [cell, cell, 0.5 * cell]
            }
        }
    }

    /// Place in its cell, in pitches, of the points of row `j` in plane `k`.
    fn shift(self, j: i64, k: i64) -> [f64; 3] {
        let quarter = |odd: bool| if odd { 0.75 } else { 0.25 };
        match self {
            Self::Cartesian => [0.5; 3],
            Self::Hexagonal => [quarter(j.rem_euclid(2) == 1), 0.5, 0.5],
            Self::Fcc => [quarter((j + k).rem_euclid(2) == 1), 0.5, 0.5],
            Self::Bcc => [quarter(k.rem_euclid(2) == 1), quarter(k.rem_euclid(2) == 1), 0.5],
        }
    }
}

/// A site exactly on the surface, up to round-off, is outside: a length of 2.5 spacings holds two sites.
pub(crate) const SURFACE_TOLERANCE: f64 = 1e-6;

/// The lattice sites inside a bounded region, x fastest, then y, then z `[m]`.
///
/// The cells of the lattice start at `origin`, by default the smallest corner of a block, the center of all
/// else, and along the axis of a cylinder its beginning: the first cartesian site of a block is
/// `min + spacing/2`, as is that of a hull in the box around it. A turned block has the lattice of the block, turned with
/// it. Returns nothing for an unbounded region.
///
/// # Panics
///
/// If the lattice does not exist in `D` dimensions.
pub fn fill<const D: usize>(
    region: &Region<D>,
    lattice: Lattice,
    spacing: f64,
    origin: Option<[f64; D]>,
) -> Vec<[f64; D]> {
    fill_where(region, lattice, spacing, origin, |phi, _| phi < -SURFACE_TOLERANCE * spacing)
}

/// As [`fill`], with the sites that `keep` accepts by their signed distance and position; `keep` must refuse
/// sites outside of the region's bounds.
///
/// # Panics
///
/// If the lattice does not exist in `D` dimensions.
pub fn fill_where<const D: usize>(
    region: &Region<D>,
    lattice: Lattice,
    spacing: f64,
    origin: Option<[f64; D]>,
    mut keep: impl FnMut(f64, &[f64; D]) -> bool,
) -> Vec<[f64; D]> {
    assert!(lattice.fits(D), "{lattice:?} does not exist in {D} dimensions");
    let Some((mut min, mut max)) = region.bounds() else { return Vec::new() };
    let mut origin = origin.unwrap_or_else(|| default_origin(region, &min, &max));
    let turned = match region {
        Region::TurnedBlock { center, axes, half } => Some((center, axes, half)),
        _ => None,
    };
    if let Some((center, axes, half)) = turned {
        (min, max) = (half.map(|h| -h), *half);
        origin = in_frame(center, axes, &origin);
    }
    let pitch = lattice.pitch().map(|p| p * spacing);
    let cells = |axis: usize| -> (i64, i64) {
        if axis >= D {
            return (0, 0);
        }
        let cell = |x: f64| ((x - origin[axis]) / pitch[axis]).floor() as i64;
        (cell(min[axis]) - 1, cell(max[axis]) + 1)
    };
    let (x_cells, y_cells, z_cells) = (cells(0), cells(1), cells(2));
    let mut points = Vec::new();
    for k in z_cells.0..=z_cells.1 {
        for j in y_cells.0..=y_cells.1 {
            let shift = lattice.shift(j, k);
            for i in x_cells.0..=x_cells.1 {
                let cell = [i, j, k];
                let x: [f64; D] = std::array::from_fn(|a| origin[a] + (cell[a] as f64 + shift[a]) * pitch[a]);
                let x = turned.map_or(x, |(center, axes, _)| out_of_frame(center, axes, &x));
                if keep(region.phi(&x), &x) {
                    points.push(x);
                }
            }
        }
    }
    points
}

fn default_origin<const D: usize>(region: &Region<D>, min: &[f64; D], max: &[f64; D]) -> [f64; D] {
    match region {
        Region::Block { .. } | Region::Hull(_) => *min,
        Region::TurnedBlock { center, axes, half } => out_of_frame(center, axes, &half.map(|h| -h)),
        // Along its axis a cylinder is a block: one that closes a period must begin with half a spacing.
        Region::Cylinder { axis, .. } => {
            let middle = |k: usize| 0.5 * (min[k] + max[k]);
            std::array::from_fn(|k| if axis[k].abs() == 1.0 { min[k] } else { middle(k) })
        }
        _ => std::array::from_fn(|k| 0.5 * (min[k] + max[k])),
    }
}
