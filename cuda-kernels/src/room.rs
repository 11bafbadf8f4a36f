//! The box of cells of a run: around all that moves, with room to move.

use crate::{cells::CellGrid, error::CudaError};
use sph_core::{Real, lane::each, neighbors::Periodic, state::State};

/// Lower and upper ends of a box, `[m]`.
pub type Ends<const D: usize> = ([Real; D], [Real; D]);

/// How much wider than its content a box may become on each side, in sizes of the content; the first that has few
/// enough cells is taken.
const ROOM: [Real; 5] = [1.0, 0.5, 0.25, 0.125, 0.0];
/// So many cells cost nothing, however few the particles.
const FEW_CELLS: usize = 1 << 16;

/// Cells of edge `radius` `[m]` for a state; see [`cells_around`].
///
/// # Errors
/// When there are too many cells for so few particles, or a periodic axis holds less than three.
pub fn cells_of<const D: usize>(radius: Real, state: &State<D>) -> Result<CellGrid<D>, CudaError> {
    let ends = |x: &[Vec<Real>; D], pick: fn(Real, Real) -> Real, start: Real| -> [Real; D] {
        each(|a| x[a].iter().copied().fold(start, pick))
    };
    let around = |pick: fn(Real, Real) -> Real, start: Real| -> [Real; D] {
        let (fluid, walls) = (ends(&state.fluid.x, pick, start), ends(&state.walls.x, pick, start));
        each(|a| pick(fluid[a], walls[a]))
    };
    let content = (around(Real::min, Real::INFINITY), around(Real::max, Real::NEG_INFINITY));
    let (domain, n) = (&state.domain, state.fluid.len() + state.walls.len());
    cells_around(radius, &domain.periodic, content, (domain.low, domain.high), n)
}

/// Cells of edge `radius` `[m]` for `n` particles and wall samples in the box `content`, in a domain that reaches from
/// one end to the other. The box of cells is wider than its content, as far as the domain reaches, by the largest
/// share that leaves at most one cell a particle. What leaves it counts to the cells at its surface, which costs time
/// and changes no neighbor.
///
/// # Errors
/// When there are too many cells for so few particles, or a periodic axis holds less than three.
pub fn cells_around<const D: usize>(
    radius: Real,
    periodic: &Periodic<D>,
    (low, high): Ends<D>,
    domain: Ends<D>,
    n: usize,
) -> Result<CellGrid<D>, CudaError> {
    let wider = |a: usize, share: Real| {
        let room = share * (high[a] - low[a]).max(0.0);
        (low[a].min((low[a] - room).max(domain.0[a])), high[a].max((high[a] + room).min(domain.1[a])))
    };
    let cells =
        |share| CellGrid::new(radius, periodic, each(|a| wider(a, share).0), each(|a| wider(a, share).1), n);
    let few = |cells: &Result<CellGrid<D>, CudaError>| {
        cells.as_ref().is_ok_and(|cells| cells.n_cells() <= n.max(FEW_CELLS))
    };
    ROOM.into_iter().map(cells).find(few).unwrap_or_else(|| cells(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYWHERE: Ends<3> = ([Real::NEG_INFINITY; 3], [Real::INFINITY; 3]);
    const BLOCK: Ends<3> = ([0.0; 3], [1.0; 3]);

    fn n_cells(radius: f64, domain: Ends<3>, n: usize) -> usize {
        cells_around(radius as Real, &Periodic::NONE, BLOCK, domain, n).unwrap().n_cells()
    }

    #[test]
    fn cells_outnumber_neither_particles_nor_few() {
        // A full block has about 30 particles a cell at this radius.
        for n in [1_000, 1_000_000, 16_000_000_usize] {
            let edge = 3.0 * (1.0 / n as f64).cbrt();
            let within = (1.0 / edge).ceil().powi(3) as usize;
            let cells = n_cells(edge, EVERYWHERE, n);
            assert!(cells > within && cells <= n.max(FEW_CELLS), "{n} particles, {cells} cells");
        }
    }

    #[test]
    fn a_tight_domain_leaves_no_room() {
        assert_eq!(n_cells(0.3, BLOCK, 1000), 4 * 4 * 4);
    }

    #[test]
    fn sparse_content_has_its_own_box() {
        // 10^6 cells of content alone: no room, and no refusal.
        assert_eq!(n_cells(0.01, EVERYWHERE, 40_000), 100 * 100 * 100);
    }
}
