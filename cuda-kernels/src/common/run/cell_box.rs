//! The box of cells of a run: around all that moves, wider than its content, and fitted anew when too much has left it.
//!
//! **Why it moves.** What is outside of the box counts to the cells at its surface, which changes no neighbor but costs
//! time: k points in one cell are k² tests. A sort counts them, and the summary of a step, which the host waits for
//! anyway, brings the number to it. The host then asks for the ends of the content, which it does for no other step.
//!
//! **What a restart keeps.** Points outside of the box are not in the order in which they would be inside, so the order
//! of all sums depends on the box, and the box on the past. So a [`CellBox`] is part of the memory of every method, on
//! the processor too, which does not use it: checkpoints of both are alike. Whatever changes particles or walls in a
//! step's place empties it, and the next upload fits it from the state.

use crate::{
    common::{
        numerics::reduce::{Bounds, NONE, Reduce},
        run::{
            resident::{Axes, Fluid, Samples},
            summary::Summary,
        },
        search::cells::{self, CellGrid, Slices, count_slices},
    },
    device::{error::CudaError, executor::Executor},
};
use sph_core::{
    Real, compiled_here, fluid::material::Domain, method::state::State, neighbors::Periodic,
    numerics::lane::each, run::method::CellBox,
};

/// Slices of an axis.
const SLICES: usize = cells::SLICES as usize;

/// Lower and upper ends of a box, `[m]`.
pub type Ends<const D: usize> = ([Real; D], [Real; D]);

/// How much wider than its content a box may become on each side, in sizes of the content; the first that has few
/// enough cells is taken.
const MARGINS: [Real; 5] = [1.0, 0.5, 0.25, 0.125, 0.0];
/// So many cells cost nothing, however few the particles.
const FEW_CELLS: usize = 1 << 16;
/// The box is fitted anew when more than one in so many points has left it: in one cell, of ten million points these
/// are 1.5 · 10⁹ tests, where a search makes 10¹⁰.
const SHARE: u64 = 256;
/// So many points outside cost nothing, however few there are in all: four full cells.
const FEW_POINTS: u64 = 128;
/// More often than this no box is cut: each time makes its widest axis [`SLICES`] times as short.
const MOST_CUTS: usize = 64;

/// What a box of cells depends on beside its content.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a, const D: usize> {
    /// Edge of a cell, `[m]`.
    pub radius: Real,
    /// The space that may be used.
    pub domain: &'a Domain<D>,
}

/// How many cells there may be for so many points.
#[derive(Clone, Copy, Debug)]
struct Limits {
    n: usize,
    /// Of a box that is wider than its content.
    few: usize,
    /// Of any, beside the limit of [`CellGrid::new`].
    most: usize,
}

/// What lies in a box of cells.
#[derive(Debug)]
pub struct Content<'a, const D: usize> {
    /// The fluid.
    pub fluid: &'a mut Fluid<D>,
    /// The samples of walls and bodies.
    pub walls: &'a mut Samples<D>,
    /// Reductions over both.
    pub reduce: &'a mut Reduce<D>,
}

/// Fits the box of cells of a run to its content.
#[derive(Debug)]
pub struct CellBoxFit<'a, const D: usize>(pub &'a mut CellBox<D>);

impl<const D: usize> CellBoxFit<'_, D> {
    /// The cells of a state that is taken to a GPU: those of the run, or a fit where it has none.
    ///
    /// # Errors
    /// When a periodic axis holds less than three.
    pub fn grid(&mut self, radius: Real, state: &State<D>) -> Result<CellGrid<D>, CudaError> {
        compiled_here!(
            D,
            first_grid as fn(&mut CellBoxFit<'_, D>, Real, &State<D>) -> Result<CellGrid<D>, CudaError>
        )(self, radius, state)
    }

    /// Fits the box after a step, if its summary asks for that. Returns whether it did: the cells of both are others
    /// then, samples are in their order, and the fluid is to be sorted.
    ///
    /// # Errors
    /// When there is no memory left, a launch or a copy fails.
    pub fn follow(
        &mut self,
        executor: &dyn Executor,
        frame: Frame<'_, D>,
        content: Content<'_, D>,
        summary: &Summary,
    ) -> Result<bool, CudaError> {
        compiled_here!(
            D,
            fit_again
                as fn(
                    &mut CellBoxFit<'_, D>,
                    &dyn Executor,
                    Frame<'_, D>,
                    Content<'_, D>,
                    &Summary,
                ) -> Result<bool, CudaError>
        )(self, executor, frame, content, summary)
    }

    /// True when too many of `n` points have left the box that it could cover.
    fn is_due(&mut self, outside: u64, n: usize) -> bool {
        // What came back may leave again.
        self.0.outside = self.0.outside.min(outside as f64);
        outside > self.0.outside as u64 + FEW_POINTS.max(n as u64 / SHARE)
    }

    /// Cells around `content` within the limits, of which `count` counts the points in slices. Where the content alone
    /// has too many cells, the slices with the fewest points are left outside.
    fn fit(
        &mut self,
        frame: Frame<'_, D>,
        content: Ends<D>,
        limits: Limits,
        mut count: impl FnMut(Slices<D>) -> Result<Vec<u32>, CudaError>,
    ) -> Result<CellGrid<D>, CudaError> {
        let Domain { low, high, periodic } = *frame.domain;
        let cells = |ends: &Ends<D>| CellGrid::new(frame.radius, &periodic, ends.0, ends.1, limits.n);
        let fits = |ends: &Ends<D>| cells(ends).is_ok_and(|grid| grid.n_cells() <= limits.most);
        let few = |ends: &Ends<D>| cells(ends).is_ok_and(|grid| grid.n_cells() <= limits.few);
        let (mut ends, mut left) = (widest(content, (low, high), few).unwrap_or(content), 0);
        for _ in 0..MOST_CUTS {
            if fits(&ends) || matches!(cells(&ends), Err(CudaError::PeriodTooShort { .. })) {
                break;
            }
            let (within, lost) = cut(ends, &count(Slices::of(ends))?, &periodic, fits);
            (ends, left) = (within, left + lost);
        }
        let grid = cells(&ends)?;
        (self.0.low, self.0.high, self.0.outside) =
            (ends.0.map(f64::from), ends.1.map(f64::from), left as f64);
        Ok(grid)
    }
}

fn first_grid<const D: usize>(
    cells: &mut CellBoxFit<'_, D>,
    radius: Real,
    state: &State<D>,
) -> Result<CellGrid<D>, CudaError> {
    let n = state.fluid.len() + state.walls.len();
    let ends = (cells.0.low.map(|x| x as Real), cells.0.high.map(|x| x as Real));
    if (0..D).all(|a| ends.0[a] <= ends.1[a])
        && let Ok(grid) = CellGrid::new(radius, &state.domain.periodic, ends.0, ends.1, n)
    {
        return Ok(grid);
    }
    let fields = [&state.fluid.x, &state.walls.x];
    let fold = |a: usize, pick: fn(Real, Real) -> Real, start: Real| {
        fields.iter().flat_map(|x| &x[a]).copied().filter(|x| x.is_finite()).fold(start, pick)
    };
    let content =
        (each(|a| fold(a, Real::min, Real::INFINITY)), each(|a| fold(a, Real::max, Real::NEG_INFINITY)));
    let frame = Frame { radius, domain: &state.domain };
    cells.fit(frame, content, Limits { n, few: n.max(FEW_CELLS), most: usize::MAX }, |slices| {
        let mut count = vec![0; D * SLICES];
        fields.iter().for_each(|x| slices.count_here(x, &mut count));
        Ok(count)
    })
}

fn fit_again<const D: usize>(
    cells: &mut CellBoxFit<'_, D>,
    executor: &dyn Executor,
    frame: Frame<'_, D>,
    content: Content<'_, D>,
    summary: &Summary,
) -> Result<bool, CudaError> {
    let Content { fluid, walls, reduce } = content;
    let (n, is_well) = (fluid.n + walls.n, summary.bad.min(summary.lost) == u64::from(NONE));
    if !is_well || !cells.is_due(summary.outside, n) {
        return Ok(false);
    }
    let of = [(&fluid.x, fluid.n), (&walls.x, walls.n)];
    let ends = enclose(executor, reduce, of)?;
    let few = n.max(FEW_CELLS).max(fluid.cells.grid().n_cells());
    let grid = cells.fit(frame, ends, Limits { n, few, most: few }, |slices| {
        let mut count = executor.zeros(D * SLICES)?;
        of.into_iter().try_for_each(|(x, n)| count_slices(executor, slices, x, n, &mut count))?;
        executor.download(&count)
    })?;
    fluid.cells.refit(executor, grid)?;
    walls.cells.refit(executor, grid)?;
    walls.sort(executor)?;
    Ok(true)
}

/// The ends of fluid and walls on a GPU.
fn enclose<const D: usize>(
    executor: &dyn Executor,
    reduce: &mut Reduce<D>,
    of: [(&Axes<D>, usize); 2],
) -> Result<Ends<D>, CudaError> {
    let (mut result, mut ends) = (executor.zeros(1)?, ([Real::INFINITY; D], [Real::NEG_INFINITY; D]));
    for (x, n) in of {
        let mut found = [Bounds::<D>::default()];
        reduce.enclose(executor, x, n, &mut result)?;
        executor.read(&result, &mut found)?;
        let [Bounds { low, high }] = found;
        ends = (each(|a| ends.0[a].min(low[a] as Real)), each(|a| ends.1[a].max(high[a] as Real)));
    }
    Ok(ends)
}

/// The content with the largest share of [`MARGINS`] around it, as far as the domain reaches, that has few enough
/// cells.
fn widest<const D: usize>(
    (low, high): Ends<D>,
    domain: Ends<D>,
    few: impl Fn(&Ends<D>) -> bool,
) -> Option<Ends<D>> {
    let wider = |share: Real| -> Ends<D> {
        let margin = |a: usize| share * (high[a] - low[a]).max(0.0);
        let below = each(|a| low[a].min((low[a] - margin(a)).max(domain.0[a])));
        (below, each(|a| high[a].max((high[a] + margin(a)).min(domain.1[a]))))
    };
    MARGINS.into_iter().map(wider).find(few)
}

/// A box without slices at its ends, one after the other that with the fewest points for its part of the box, until it
/// fits. Returns how many points it has lost, at most.
fn cut<const D: usize>(
    ends: Ends<D>,
    count: &[u32],
    periodic: &Periodic<D>,
    fits: impl Fn(&Ends<D>) -> bool,
) -> (Ends<D>, u64) {
    let (mut kept, mut lost) = ([(0, SLICES); D], 0);
    let end = |a: usize, k: usize| -> Real {
        let (low, high) = (f64::from(ends.0[a]), f64::from(ends.1[a]));
        if k == SLICES { ends.1[a] } else { (low + (high - low) * (k as f64 / SLICES as f64)) as Real }
    };
    let within = |kept: &[(usize, usize); D]| (each(|a| end(a, kept[a].0)), each(|a| end(a, kept[a].1)));
    while !fits(&within(&kept)) {
        let points = |a: usize, k: usize| u64::from(count[a * SLICES + k]);
        let can = |&a: &usize| !periodic.is_periodic(a) && kept[a].1 > kept[a].0 + 1;
        let slices = (0..D).filter(can).flat_map(|a| [(a, kept[a].0, true), (a, kept[a].1 - 1, false)]);
        let fewest = slices.min_by_key(|&(a, k, _)| points(a, k) * (kept[a].1 - kept[a].0) as u64);
        let Some((a, k, is_low)) = fewest else { break };
        lost += points(a, k);
        if is_low { kept[a].0 += 1 } else { kept[a].1 -= 1 }
    }
    (within(&kept), lost)
}

/// Cells of edge `radius` `[m]` for `n` particles and wall samples in the box `content`, in a domain that reaches from
/// one end to the other. The box of cells is wider than its content, as far as the domain reaches, by the largest
/// share that leaves at most one cell a particle.
///
/// # Errors
/// When there are too many cells for so few particles, or a periodic axis holds less than three.
pub fn cells_around<const D: usize>(
    radius: Real,
    periodic: &Periodic<D>,
    content: Ends<D>,
    domain: Ends<D>,
    n: usize,
) -> Result<CellGrid<D>, CudaError> {
    let cells = |ends: &Ends<D>| CellGrid::new(radius, periodic, ends.0, ends.1, n);
    let few = |ends: &Ends<D>| cells(ends).is_ok_and(|cells| cells.n_cells() <= n.max(FEW_CELLS));
    cells(&widest(content, domain, few).unwrap_or(content))
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
    fn a_tight_domain_leaves_no_margin() {
        assert_eq!(n_cells(0.3, BLOCK, 1000), 4 * 4 * 4);
    }

    #[test]
    fn sparse_content_has_its_own_box() {
        // 10^6 cells of content alone: no margin, and no refusal.
        assert_eq!(n_cells(0.01, EVERYWHERE, 40_000), 100 * 100 * 100);
    }
}
