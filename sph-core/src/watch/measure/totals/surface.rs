//! Area of the free surface.

use super::super::interpolate::{LEAST_SPACE, kernel_points, wendland, wendland_factor};
use crate::{
    fluid::sorted::Sorted,
    method::{solids::Solids, state::State},
    numerics::{
        lane::each,
        parallel::{self, Sum},
        vector::{cross, norm},
    },
    rigid::spatial,
};
use rayon::prelude::*;

/// The surface lies where this part of the space beside the walls is filled, as the level of a gauge, `[-]`.
const SURFACE: f64 = 0.5;
/// Radius of the kernel at least, in spacings: steps of a lattice are smooth then `[convention]`.
const LEAST_RADIUS: f64 = 3.0;
/// Cells are counted no farther than this from the middle.
const FARTHEST: f64 = 1e15;

/// A grid of cells about one spacing wide.
#[derive(Clone, Copy)]
struct Grid<const D: usize> {
    origin: [f64; D],
    /// Edges, `[m]`.
    edge: [f64; D],
    /// Cells of a periodic axis, 0 of the others.
    turn: [i64; D],
}

/// A corner of a cell.
#[derive(Clone, Copy)]
struct Corner<const D: usize> {
    x: [f64; D],
    /// Filled part of the space beside the walls, `[-]`.
    filled: f64,
}

/// A cell in which the surface may be: its lower corner, `[m]`, and the places of all corners in the list.
type Cell<const D: usize> = ([f64; D], [usize; 8]);

/// What is filled where.
struct Filled<'a, const D: usize> {
    grid: Grid<D>,
    sorted: Sorted<D>,
    solids: Solids<'a, D>,
    /// Points of the unit ball with the weights of the kernel.
    points: Vec<([f64; D], f64)>,
    h: f64,
    /// `V W` where the kernel is 1.
    unit: f64,
    /// Orders of the axes, each of a simplex of a cell.
    cuts: Vec<[usize; D]>,
}

/// Area of the free surface, in 2D of a slab of 1 m depth, `[m²]`: of the surface where the part of the space that fluid fills,
/// `Σ V W / (1 − s)` with `V = Δx^D`, Wendland's C2 kernel of the radius `h` `[m]`, or of 3 spacings if that is more, and the part
/// s of it that solids take, falls through one half. It is linear in the simplices that cells of one spacing are cut into (Kuhn
/// 1960); what of it lies in solids does not count.
pub(super) fn area<const D: usize>(state: &State<D>, h: f64) -> f64 {
    let poses: Vec<_> = state.walls.surfaces.iter().map(|surface| state.walls.pose(surface)).collect();
    // Three cells of the search must fit into a period.
    let periods = state.domain.periodic.length.iter().filter(|length| **length > 0.0);
    let most = periods.fold(f64::INFINITY, |most, &length| most.min(f64::from(length) / 3.001));
    let h = h.max(most.min(LEAST_RADIUS * f64::from(state.rest.spacing)));
    let grid = Grid::of(state);
    let cells = grid.cells(state);
    let corners = grid.widened(cells.clone(), 0, 2);
    let filled = Filled::of(state, grid, Solids::of(state, &poses, h), h);
    let mut part = filled.by_fluid(&corners);
    let cells = filled.near_surface(&cells, &corners, &part);
    filled.beside_solids(&cells, &corners, &mut part);
    let Sum(area) = parallel::blocks(cells.len(), (), |range, ()| {
        Sum(cells[range].iter().fold(0.0, |sum, cell| sum + filled.area_in(cell, &part)))
    });
    area
}

impl<const D: usize> Grid<D> {
    fn of(state: &State<D>) -> Self {
        let (spacing, periodic) = (f64::from(state.rest.spacing), &state.domain.periodic);
        let turn = periodic.length.map(|length| (f64::from(length) / spacing).round() as i64);
        let edge = |a: usize| {
            if turn[a] > 0 { f64::from(periodic.length[a]) / turn[a] as f64 } else { spacing }
        };
        let origin = each(|a| if turn[a] > 0 { f64::from(periodic.low[a]) } else { 0.0 });
        Self { origin, edge: each(edge), turn }
    }

    /// The cells of particles and those around them, ascending.
    fn cells(&self, state: &State<D>) -> Vec<[i64; D]> {
        let place =
            |x: f64, a: usize| ((x - self.origin[a]) / self.edge[a]).floor().clamp(-FARTHEST, FARTHEST);
        let own = (0..state.fluid.len()).map(|i| {
            let x = state.fluid.position(i).map(f64::from);
            each(|a| place(x[a], a) as i64)
        });
        self.widened(own.collect(), -1, 3)
    }

    /// Each of these cells or corners with those beside it, `count` along each axis from `first` on, ascending.
    fn widened(&self, mut list: Vec<[i64; D]>, first: i64, count: i64) -> Vec<[i64; D]> {
        for a in 0..D {
            let beside = |at: &[i64; D]| {
                let at = *at;
                (first..first + count).map(move |k| each(|b| if a == b { at[b] + k } else { at[b] }))
            };
            list = list.iter().flat_map(beside).map(|at| self.wrap(at)).collect();
            list.par_sort_unstable();
            list.dedup();
        }
        list
    }

    /// Where a periodic axis begins again.
    fn wrap(&self, cell: [i64; D]) -> [i64; D] {
        each(|a| if self.turn[a] > 0 { cell[a].rem_euclid(self.turn[a]) } else { cell[a] })
    }

    /// Lower corner of a cell, `[m]`.
    fn position(&self, cell: &[i64; D]) -> [f64; D] {
        each(|a| self.origin[a] + cell[a] as f64 * self.edge[a])
    }
}

impl<'a, const D: usize> Filled<'a, D> {
    fn of(state: &State<D>, grid: Grid<D>, solids: Solids<'a, D>, h: f64) -> Self {
        let sorted = Sorted::of(&state.fluid, h, state.domain.periodic);
        let unit = f64::from(state.rest.spacing).powi(D as i32) * wendland_factor::<D>(h);
        Self { grid, sorted, solids, points: kernel_points(), h, unit, cuts: permutations() }
    }

    /// Part of the kernel that fluid takes at each corner, at the wall for those in solids, `[-]`.
    fn by_fluid(&self, corners: &[[i64; D]]) -> Vec<f64> {
        let mut part = vec![0.0; corners.len()];
        parallel::blocks(part.len(), &mut part[..], |range, part| {
            let mut runs = Vec::new();
            for (part, corner) in part.iter_mut().zip(&corners[range]) {
                let x = self.solids.leave(&self.grid.position(corner));
                self.sorted.around(&x, &mut runs, |_, r2| *part += self.unit * wendland(r2.sqrt() / self.h));
            }
        });
        part
    }

    /// The cells in which the surface may be. Solids fill nothing, and leave at least a part of the space: others are full, or
    /// empty, whatever solids take.
    fn near_surface(&self, cells: &[[i64; D]], corners: &[[i64; D]], part: &[f64]) -> Vec<Cell<D>> {
        let corner =
            |cell: &[i64; D], bits: usize| self.grid.wrap(each(|a| cell[a] + (bits >> a & 1) as i64));
        let of = |cell: &[i64; D]| {
            // The list holds the corners of all cells. In 2D the last four places stand for the first four.
            let place = |k: usize| corners.binary_search(&corner(cell, k)).unwrap_or(0);
            let places: [usize; 8] = std::array::from_fn(|k| place(k % (1 << D)));
            let is_full = places.iter().all(|&k| part[k] >= SURFACE);
            let is_empty = places.iter().all(|&k| part[k] < SURFACE * LEAST_SPACE);
            (!is_full && !is_empty).then(|| (self.grid.position(cell), places))
        };
        cells.par_iter().filter_map(of).collect()
    }

    /// Makes of the part of the kernel that of the space beside solids, at the corners of these cells, `[-]`.
    fn beside_solids(&self, cells: &[Cell<D>], corners: &[[i64; D]], part: &mut [f64]) {
        let mut is_asked = vec![false; part.len()];
        cells.iter().flat_map(|(_, places)| places).for_each(|&k| is_asked[k] = true);
        let position = |k: usize| self.solids.leave(&self.grid.position(&corners[k]));
        parallel::blocks(part.len(), part, |range, part| {
            for (part, k) in part.iter_mut().zip(range).filter(|(_, k)| is_asked[*k]) {
                *part /= self.space(&position(k));
            }
        });
    }

    /// Area of the surface in a cell, `[m²]`.
    fn area_in(&self, (low, places): &Cell<D>, part: &[f64]) -> f64 {
        let corner = |bits: usize| {
            let x = each(|a| low[a] + (bits >> a & 1) as f64 * self.grid.edge[a]);
            Corner { x, filled: part[places[bits]] }
        };
        let mut area = 0.0;
        for cut in &self.cuts {
            // From the lowest corner to the highest along the axes in the order of the cut.
            let bits = |steps: usize| cut[..steps].iter().map(|a| 1 << a).sum::<usize>();
            let simplex: Vec<Corner<D>> = (0..=D).map(|steps| corner(bits(steps))).collect();
            surface_in(&simplex, |piece| area += size(piece) * self.free_part(piece));
        }
        area
    }

    /// The part of the kernel around a point that solids leave, `[-]`.
    fn space(&self, x: &[f64; D]) -> f64 {
        if !self.solids.is_near(x) {
            return 1.0;
        }
        (1.0 - self.solids.part(x, &self.points)).max(LEAST_SPACE)
    }

    /// How much of a piece of the surface lies out of solids, `[-]`.
    fn free_part(&self, piece: &[[f64; D]; D]) -> f64 {
        let middle: [f64; D] = each(|a| piece.iter().map(|x| x[a]).sum::<f64>() / D as f64);
        if !self.solids.is_near(&middle) {
            return 1.0;
        }
        let halfway = |x: &[f64; D]| each(|a| 0.5 * (x[a] + middle[a]));
        piece.iter().filter(|x| !self.solids.holds(&halfway(x), 0.0)).count() as f64 / D as f64
    }
}

/// All orders of the axes.
fn permutations<const D: usize>() -> Vec<[usize; D]> {
    let all = (0..D.pow(D as u32)).map(|k| each(|a| k / D.pow(a as u32) % D));
    all.filter(|order: &[usize; D]| (0..D).all(|axis| order.contains(&axis))).collect()
}

/// Shows `visit` the flat pieces, each by its corners, of the surface in a simplex.
fn surface_in<const D: usize>(simplex: &[Corner<D>], mut visit: impl FnMut(&[[f64; D]; D])) {
    let (wet, dry): (Vec<_>, Vec<_>) = simplex.iter().partition(|corner| corner.filled >= SURFACE);
    let between = |wet: &Corner<D>, dry: &Corner<D>| {
        let part = (wet.filled - SURFACE) / (wet.filled - dry.filled);
        each(|a| wet.x[a] + part * (dry.x[a] - wet.x[a]))
    };
    match (&wet[..], &dry[..]) {
        ([], _) | (_, []) => {}
        ([wet], dry) => visit(&each(|k| between(wet, &dry[k]))),
        (wet, [dry]) => visit(&each(|k| between(&wet[k], dry))),
        // Two and two corners of a tetrahedron: a quadrangle.
        ([a, b, ..], [c, d, ..]) => {
            let around = [between(a, c), between(a, d), between(b, d), between(b, c)];
            visit(&each(|k| around[k]));
            visit(&each(|k| around[[0, 2, 3][k]]));
        }
    }
}

/// Length of a line, which stands for a strip of 1 m depth, or area of a triangle, `[m²]`.
fn size<const D: usize>(piece: &[[f64; D]; D]) -> f64 {
    let edge = |k: usize| spatial::<D>(&each(|a| piece[k][a] - piece[0][a]));
    if D == 2 { norm(edge(1)) } else { 0.5 * norm(cross(edge(1), edge(2))) }
}
