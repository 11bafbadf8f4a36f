//! Solids below a surface that a file has at the nodes of a grid.
use std::{path::Path, sync::Arc};

use super::{
    Flaw, Hull, Region,
    mesh::{few, in_space},
};
use crate::{
    error::Error,
    geometry::grid::{Grid, Quantity},
    keys::join,
    parameters,
};

parameters! {
    /// The solid between a level and the surface above that a file has at the nodes of a rectilinear grid, as a bed. Each cell
    /// of the surface is two triangles, cut along the diagonal whose ends differ less in height, at a tie along that from its
    /// smallest x and y.
    pub struct Heightfield {
        /// The file, whose name ends in `.csv` or `.npz`; from the folder of the scene on. A CSV file has columns `x [m]`,
        /// `y [m]` and `z [m]`, an NPZ file an array `x` of three columns; others are not read.
        pub file: String;
        /// Height of the flat underside, below all of the surface.
        pub bottom: f64, "m", "(-inf, inf)";
        /// Checksum of the file, CRC-32: another file is refused. Written into the scenes of results.
        pub checksum: Option<u32> = None, "-", "[0, 4294967295]";
        hidden hull: Option<Arc<Hull<3>>>;
    }
}

/// Corners, by number, and their places `[m]`.
type Surface = (Vec<[f64; 3]>, Vec<[u32; 3]>);

impl Heightfield {
    /// Reads the file, and keeps where it lies and its checksum.
    pub(super) fn load(&mut self, folder: &Path, key: &str) -> Result<(), Error> {
        let place = Quantity { name: "x", unit: "m", components: 3 };
        let file = (&mut self.file, &mut self.checksum);
        let grid = Grid::read(folder, file, 2, &[place], key)?;
        let lowest = grid.values(0).iter().copied().fold(f64::INFINITY, f64::min);
        if self.bottom >= lowest {
            let message = format!("must be below the surface, whose lowest point is at z = {lowest} m");
            return Err(Error::invalid(join(key, "bottom"), message).value(self.bottom));
        }
        let refused = |message| Error::invalid(join(key, "file"), message).value(format!("{:?}", self.file));
        let (nx, ny) = (grid.axis(0).len() - 1, grid.axis(1).len() - 1);
        // Two above and two below for each cell, two for each side.
        few(4 * (nx * ny + nx + ny)).map_err(refused)?;
        let (vertices, facets) = surface(&grid, self.bottom);
        let hull = Hull::new(vertices, facets)
            .map_err(|Flaw { what, .. }| refused(format!("bounds no solid: one of its triangles {what}")))?;
        self.hull = Some(Arc::new(hull));
        Ok(())
    }

    pub(super) fn resolve<const D: usize>(&self, key: &str) -> Result<Region<D>, Error> {
        let Some(hull) = &self.hull else {
            let mut loaded = self.clone();
            loaded.load(Path::new(""), key)?;
            return loaded.resolve(key);
        };
        in_space(hull.clone(), "heightfield", key)
    }
}

/// The closed surface, counterclockwise from outside.
fn surface(grid: &Grid, bottom: f64) -> Surface {
    let (x, y, z) = (grid.axis(0), grid.axis(1), grid.values(0));
    let (nx, ny) = (x.len(), y.len());
    let mut vertices: Vec<[f64; 3]> = (0..nx * ny).map(|k| [x[k % nx], y[k / nx], z[k]]).collect();
    vertices.extend((0..nx * ny).map(|k| [x[k % nx], y[k / nx], bottom]));
    let node = |i: usize, j: usize| (i + nx * j) as u32;
    let below = |k: u32| k + (nx * ny) as u32;
    let mut facets = Vec::new();
    for (i, j) in (0..ny - 1).flat_map(|j| (0..nx - 1).map(move |i| (i, j))) {
        let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
        let rise = |from: u32, to: u32| (z[to as usize] - z[from as usize]).abs();
        let halves = if rise(a, c) <= rise(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        facets.extend(halves);
        facets.extend(halves.map(|[a, b, c]| [a, c, b].map(below)));
    }
    let (right, back) = ((1..nx).map(|i| node(i, 0)), (1..ny).map(|j| node(nx - 1, j)));
    let (left, front) = ((0..nx - 1).rev().map(|i| node(i, ny - 1)), (0..ny - 1).rev().map(|j| node(0, j)));
    let mut a = 0;
    for b in right.chain(back).chain(left).chain(front) {
        facets.extend([[below(a), below(b), b], [below(a), b, a]]);
        a = b;
    }
    (vertices, facets)
}
