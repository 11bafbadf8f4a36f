//! Cells by color: no two cells of one color have neighbors in common, so that all of a color may be swept at once.
//!
//! Cells lie in a box on a GPU, so those of a color are a lattice in it, three apart: no list is made, and no step waits
//! for a count. Colors and their order are those of `solver-viscoelastic/src/cpu/colors.rs`.

use crate::{common::search::cells::CellSort, device::executor::Executor};
use std::array::from_fn;

/// Colors of an axis: three, and those of the cells that close a periodic one.
const OF_AXIS: u32 = 5;

crate::device::launch::generated!("common_search_colors.rs");

impl<const D: usize> Color<D> {
    /// Number of its cells.
    pub fn n_cells(&self) -> usize {
        self.n.iter().map(|&n| n as usize).product()
    }
}

/// First cell of a color on an axis of a box, and how many there are, three apart. `low` is the number of the first cell
/// of the box, `turn` that of the cells of a periodic axis, or 0.
fn of_axis(color: u32, low: i32, extent: u32, turn: u32) -> (u32, u32) {
    let closing = turn % 3;
    match color {
        0..3 => {
            let first = (color as i32 - low).rem_euclid(3) as u32;
            let end = if turn > 0 { turn - closing } else { extent };
            (first, end.saturating_sub(first).div_ceil(3))
        }
        _ => (turn - closing + color - 3, u32::from(color - 3 < closing)),
    }
}

/// The colors of the cells of a sort that hold any, in the order in which they are swept. `reverse` turns the order of
/// colors, and of particles in a cell, around.
pub fn colors<const D: usize>(executor: &dyn Executor, cells: &CellSort<D>, reverse: bool) -> Vec<Color<D>> {
    let (low, extent, turn) = cells.grid().bounds();
    let any = Color {
        first: [0; D],
        n: [1; D],
        extent,
        start: executor.input(&cells.start),
        reverse: reverse.into(),
    };
    let of = |color: u32| {
        let axes: [(u32, u32); D] = from_fn(|a| {
            let on_axis = color / OF_AXIS.pow(a as u32) % OF_AXIS;
            of_axis(on_axis, low[a], extent[a], turn[a])
        });
        Color { first: axes.map(|(first, _)| first), n: axes.map(|(_, n)| n), ..any }
    };
    let mut all: Vec<_> = (0..OF_AXIS.pow(D as u32)).map(of).filter(|color| color.n_cells() > 0).collect();
    if reverse {
        all.reverse();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The color of a cell, as the processor has it.
    fn color_of(c: i32, turn: i32) -> u32 {
        let whole = turn - turn % 3;
        if turn > 0 && c >= whole { (3 + c - whole) as u32 } else { c.rem_euclid(3) as u32 }
    }

    fn check(low: i32, extent: u32, turn: u32) {
        let mut met = vec![0; extent as usize];
        for color in 0..OF_AXIS {
            let (first, n) = of_axis(color, low, extent, turn);
            for k in 0..n {
                let c = first + 3 * k;
                met[c as usize] += 1;
                assert_eq!(color_of(low + c as i32, turn as i32), color, "{low} {extent} {turn}");
            }
        }
        assert!(met.iter().all(|&times| times == 1), "{low} {extent} {turn}: {met:?}");
    }

    #[test]
    fn every_cell_has_the_color_that_it_has_on_the_processor() {
        for extent in 1..14 {
            (-7..7).for_each(|low| check(low, extent, 0));
        }
        (3..14).for_each(|turn| check(0, turn, turn));
    }
}
