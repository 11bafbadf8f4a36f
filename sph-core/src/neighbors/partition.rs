//! A cut of space into boxes of whole cells, one for each rank: recursive bisection by the number of particles.

use super::frame::CellFrame;
use crate::compiled_here;

/// Which rank owns which cell. Every rank holds the same one.
#[derive(Clone, Debug, PartialEq)]
pub struct Partition<const D: usize> {
    /// The cells.
    pub frame: CellFrame<D>,
    /// The root stands first.
    nodes: Vec<Node>,
    size: usize,
}

/// The cells of one rank, and those of the ranks beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Share<const D: usize> {
    /// Those of all.
    pub partition: Partition<D>,
    /// Which rank.
    pub rank: usize,
    /// The ranks with cells beside its own, ascending.
    pub beside: Vec<usize>,
    bounds: CellBounds<D>,
    bounds_beside: Vec<CellBounds<D>>,
}

impl<const D: usize> Share<D> {
    /// That of `rank`.
    pub fn new(partition: Partition<D>, rank: usize) -> Self {
        let all = partition.bounds();
        let bounds = all[rank];
        let is_beside = |other: &usize| *other != rank && partition.are_beside(&bounds, &all[*other]);
        let beside: Vec<usize> = (0..all.len()).filter(is_beside).collect();
        let bounds_beside = beside.iter().map(|&other| all[other]).collect();
        Self { partition, rank, beside, bounds, bounds_beside }
    }

    /// True for a cell of this rank.
    #[inline]
    pub fn owns(&self, cell: [i32; D]) -> bool {
        (0..D).all(|a| cell[a] >= self.bounds[a].0 && cell[a] < self.bounds[a].1)
    }

    /// True for a cell that is this rank's, or beside one of its cells.
    #[inline]
    pub fn reaches(&self, cell: [i32; D]) -> bool {
        self.partition.touches(&self.bounds, cell)
    }

    /// True where the rank at place `k` of those beside owns `cell` or one beside it.
    #[inline]
    pub fn reaches_beside(&self, k: usize, cell: [i32; D]) -> bool {
        self.partition.touches(&self.bounds_beside[k], cell)
    }

    /// A box that holds inner cells alone, and nearly all of their space: lower and upper ends on each axis, `[m]`.
    pub fn inner_box(&self) -> [(f64, f64); D] {
        let frame = &self.partition.frame;
        std::array::from_fn(|a| {
            let (low, high) = self.bounds[a];
            let is_whole = (low, high) == (0, frame.turn[a]);
            // Of the roundings in the place of a cell.
            let margin = 1e-6 * (frame.begin(a, 1) - frame.begin(a, 0));
            let first = if is_whole || low == i32::MIN { f64::NEG_INFINITY } else { frame.begin(a, low + 1) };
            let last = if is_whole || high == i32::MAX { f64::INFINITY } else { frame.begin(a, high - 1) };
            (first + margin, last - margin)
        })
    }

    /// True for a cell of this rank with none of another rank around it; some such cells are not found.
    #[inline]
    pub fn is_inner(&self, cell: [i32; D]) -> bool {
        (0..D).all(|a| {
            let ((low, high), c) = (self.bounds[a], cell[a]);
            let is_whole = (low, high) == (0, self.partition.frame.turn[a]);
            is_whole || c > low && c + 1 < high
        })
    }
}

/// A part of space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    /// Cells below `at` on an axis lie in `low`, the others in `high`.
    Cut { axis: u32, at: i32, low: u32, high: u32 },
    /// All of it belongs to a rank.
    Leaf(u32),
}

/// A block of cells that holds points, and how many.
pub type Block<const D: usize> = ([i32; D], u32);

/// The blocks of `edge` cells an axis that hold points, by the cell of each point, ascending.
pub fn count_blocks<const D: usize>(cells: impl Iterator<Item = [i32; D]>, edge: i32) -> Vec<Block<D>> {
    let mut runs: Vec<Block<D>> = Vec::new();
    for at in cells.map(|at| at.map(|x| x.div_euclid(edge))) {
        match runs.last_mut() {
            Some(last) if last.0 == at => last.1 += 1,
            _ => runs.push((at, 1)),
        }
    }
    joined(runs)
}

/// Each block once, ascending, with the sum of its points.
fn joined<const D: usize>(mut blocks: Vec<Block<D>>) -> Vec<Block<D>> {
    // As one number each: arrays are compared by calls that may not be inlined.
    let key = |at: [i32; D]| at.iter().fold(0, |key, &x| (key << 32) | u128::from(x.abs_diff(i32::MIN)));
    blocks.sort_unstable_by_key(|block| key(block.0));
    blocks.dedup_by(|later, kept| {
        let is_same = later.0 == kept.0;
        kept.1 += if is_same { later.1 } else { 0 };
        is_same
    });
    blocks
}

/// Lower and upper end of a box of cells on each axis, the upper one outside.
pub type CellBounds<const D: usize> = [(i32, i32); D];

/// The cells with particles are too few, or lie so that planes do not give each rank one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{ranks} ranks for {blocks} {} that hold particles: each rank owns a box of whole ones", what(*.edge))]
pub struct TooManyRanks {
    /// Ranks.
    pub ranks: usize,
    /// Blocks that hold particles.
    pub blocks: usize,
    /// Cells of a block along an axis.
    pub edge: i32,
}

/// What ranks own whole ones of.
fn what(edge: i32) -> String {
    match edge {
        1 => "cells of the neighbor search".to_owned(),
        _ => format!("blocks of {edge} cells of the neighbor search along each axis"),
    }
}

impl<const D: usize> Partition<D> {
    /// Cuts the cells that hold points, one entry a point, into `size` parts of about as many points, along the longest axis
    /// first, at multiples of `edge`.
    ///
    /// # Errors
    /// When there are fewer blocks of `edge` cells an axis than parts, or they lie so that planes do not give each part one.
    pub fn of(
        frame: CellFrame<D>,
        cells: impl Iterator<Item = [i32; D]>,
        size: usize,
        edge: i32,
    ) -> Result<Self, TooManyRanks> {
        Self::of_blocks(frame, count_blocks(cells, edge), size, edge)
    }

    /// The same of [counts](count_blocks), which may come from several ranks.
    ///
    /// # Errors
    /// As [`Partition::of`].
    pub fn of_blocks(
        frame: CellFrame<D>,
        blocks: Vec<Block<D>>,
        size: usize,
        edge: i32,
    ) -> Result<Self, TooManyRanks> {
        type Cut<const D: usize> =
            fn(CellFrame<D>, Vec<Block<D>>, usize, i32) -> Result<Partition<D>, TooManyRanks>;
        compiled_here!(D, Partition::cut_blocks as Cut<D>)(frame, blocks, size, edge)
    }

    fn cut_blocks(
        frame: CellFrame<D>,
        blocks: Vec<Block<D>>,
        size: usize,
        edge: i32,
    ) -> Result<Self, TooManyRanks> {
        let mut blocks = joined(blocks);
        let mut partition = Self { frame, nodes: Vec::new(), size };
        let too_many = TooManyRanks { ranks: size, blocks: blocks.len(), edge };
        partition.cut(&mut blocks, 0, size).filter(|_| size <= too_many.blocks).ok_or(too_many)?;
        for node in &mut partition.nodes {
            if let Node::Cut { at, .. } = node {
                *at *= edge;
            }
        }
        Ok(partition)
    }

    /// Adds the node of `cells`, which `ranks` ranks from `first` on share. Returns its place, `None` when no cut gives each
    /// of them a cell.
    fn cut(&mut self, cells: &mut [Block<D>], first: usize, ranks: usize) -> Option<u32> {
        let place = self.nodes.len();
        self.nodes.push(Node::Leaf(first as u32));
        if ranks > 1 {
            let low_ranks = ranks / 2;
            let (axis, at) = best_cut(cells, low_ranks, ranks)?;
            cells.sort_unstable_by_key(|cell| cell.0[axis]);
            let (below, above) = cells.split_at_mut(cells.partition_point(|cell| cell.0[axis] < at));
            let low = self.cut(below, first, low_ranks)?;
            let high = self.cut(above, first + low_ranks, ranks - low_ranks)?;
            self.nodes[place] = Node::Cut { axis: axis as u32, at, low, high };
        }
        Some(place as u32)
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The rank that owns a cell.
    #[inline]
    pub fn owner(&self, cell: [i32; D]) -> usize {
        let mut node = self.nodes[0];
        loop {
            match node {
                Node::Leaf(rank) => return rank as usize,
                Node::Cut { axis, at, low, high } => {
                    node = self.nodes[if cell[axis as usize] < at { low } else { high } as usize];
                }
            }
        }
    }

    /// The cells of each rank; ends without a cut are those of the period, or of `i32`.
    pub fn bounds(&self) -> Vec<CellBounds<D>> {
        compiled_here!(D, Partition::cells_of_ranks as fn(&Partition<D>) -> Vec<CellBounds<D>>)(self)
    }

    fn cells_of_ranks(&self) -> Vec<CellBounds<D>> {
        let whole = self.frame.turn.map(|turn| if turn > 0 { (0, turn) } else { (i32::MIN, i32::MAX) });
        let mut all = vec![whole; self.size];
        let mut open = vec![(0_u32, whole)];
        while let Some((place, bounds)) = open.pop() {
            match self.nodes[place as usize] {
                Node::Leaf(rank) => all[rank as usize] = bounds,
                Node::Cut { axis, at, low, high } => {
                    let (mut below, mut above) = (bounds, bounds);
                    (below[axis as usize].1, above[axis as usize].0) = (at, at);
                    open.extend([(low, below), (high, above)]);
                }
            }
        }
        all
    }

    /// True where cells of two boxes may lie beside each other.
    fn are_beside(&self, one: &CellBounds<D>, other: &CellBounds<D>) -> bool {
        (0..D).all(|a| {
            let (one, other, turn) = (one[a], other[a], self.frame.turn[a]);
            let ends = |one: (i32, i32), other: (i32, i32)| one.0 == 0 && other.1 == turn;
            one.0 <= other.1 && other.0 <= one.1 || turn > 0 && (ends(one, other) || ends(other, one))
        })
    }

    /// True where a box of cells holds `cell` or one beside it.
    #[inline]
    fn touches(&self, bounds: &CellBounds<D>, cell: [i32; D]) -> bool {
        (0..D).all(|a| {
            let (low, high) = (bounds[a].0.saturating_sub(1), bounds[a].1.saturating_add(1));
            let holds = |c: i32| c >= low && c < high;
            let turn = self.frame.turn[a];
            holds(cell[a]) || turn > 0 && (holds(cell[a] - turn) || holds(cell[a] + turn))
        })
    }

    /// As numbers, to be sent.
    pub fn to_words(&self) -> Vec<i32> {
        self.nodes
            .iter()
            .flat_map(|node| match *node {
                Node::Leaf(rank) => [-1, 0, rank as i32, 0],
                Node::Cut { axis, at, low, high } => [axis as i32, at, low as i32, high as i32],
            })
            .collect()
    }

    /// What [`Partition::to_words`] has made of one, with the same cells.
    pub fn of_words(frame: CellFrame<D>, words: &[i32], size: usize) -> Self {
        let node = |words: &[i32]| match words[0] {
            -1 => Node::Leaf(words[2] as u32),
            axis => {
                Node::Cut { axis: axis as u32, at: words[1], low: words[2] as u32, high: words[3] as u32 }
            }
        };
        Self { frame, nodes: words.chunks_exact(4).map(node).collect(), size }
    }
}

/// Where to cut `cells` for `ranks` ranks, of which `low_ranks` lie below: the axis with the most cells on which every rank
/// can get one, at the cell that divides the particles best. `None` where no plane leaves enough cells on both sides.
fn best_cut<const D: usize>(cells: &mut [Block<D>], low_ranks: usize, ranks: usize) -> Option<(usize, i32)> {
    let extents: [i32; D] = std::array::from_fn(|a| {
        let of = |fold: fn(i32, i32) -> i32| cells.iter().map(|cell| cell.0[a]).reduce(fold).unwrap_or(0);
        of(i32::max) - of(i32::min)
    });
    let mut axes: [usize; D] = std::array::from_fn(|a| a);
    axes.sort_by_key(|&a| std::cmp::Reverse(extents[a]));
    let total: f64 = cells.iter().map(|cell| f64::from(cell.1)).sum();
    let wanted = total * low_ranks as f64 / ranks as f64;
    let mut best: Option<(f64, usize, i32)> = None;
    for axis in axes {
        cells.sort_unstable_by_key(|cell| cell.0[axis]);
        let mut below = 0.0;
        for k in 1..cells.len() {
            below += f64::from(cells[k - 1].1);
            let is_cut = cells[k].0[axis] > cells[k - 1].0[axis];
            if is_cut && k >= low_ranks && cells.len() - k >= ranks - low_ranks {
                let miss = (below - wanted).abs();
                if best.is_none_or(|(least, ..)| miss < least) {
                    best = Some((miss, axis, cells[k].0[axis]));
                }
            }
        }
        // A shorter axis only where the longer one leaves a rank a fifth too much or too little.
        if best.is_some_and(|(miss, ..)| miss <= 0.2 * wanted) {
            break;
        }
    }
    best.map(|(_, axis, at)| (axis, at))
}
