//! Cuts of space among ranks, and sums that do not know of them.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failure is that of the test")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast))]
use proptest::{collection::vec, prelude::*};
use sph_core::{
    Real,
    neighbors::{CellFrame, Partition, Periodic, Share},
    numerics::parallel::{self, Exact, Merge as _},
};

/// Cells of edge 1 m; the first axis is a period of so many cells where that is not 0.
fn frame(turn: u8) -> CellFrame<2> {
    let periodic = match turn {
        0 => Periodic::NONE,
        n => Periodic::new([0.0; 2], [Real::from(n) * 1.01, 0.0]),
    };
    CellFrame::new(1.0, &periodic)
}

/// Cells around one, wrapped.
fn around(at: [i32; 2], turn: i32) -> impl Iterator<Item = [i32; 2]> {
    let wrap = move |x: i32| if turn > 0 { x.rem_euclid(turn) } else { x };
    (-1..=1).flat_map(move |dx| (-1..=1).map(move |dy| [wrap(at[0] + dx), at[1] + dy]))
}

proptest! {
    /// Every cell has one owner, who has it within its bounds; ranks know who owns a cell beside another, and no rank is
    /// left without particles.
    #[test]
    fn each_cell_has_one_owner(
        cells in vec(((0..24i32, -8..8i32), 1..20u32), 1..120),
        size in 1..9usize,
        turn in prop_oneof![Just(0u8), Just(3), Just(24)],
    ) {
        let frame = frame(turn);
        prop_assert_eq!(frame.turn[0], i32::from(turn));
        let fits = |x: i32| if turn > 0 { x % i32::from(turn) } else { x };
        let mut cells: Vec<_> = cells.into_iter().map(|((x, y), n)| ([fits(x), y], n)).collect();
        cells.sort_unstable();
        cells.dedup_by_key(|cell| cell.0);
        let Ok(partition) = Partition::of(frame, &mut cells.clone(), size) else {
            return Ok(());
        };
        let again = Partition::of_words(frame, &partition.to_words(), size);
        prop_assert_eq!(&again, &partition);
        let shares: Vec<_> = (0..size).map(|rank| Share::new(partition.clone(), rank)).collect();
        for share in &shares {
            prop_assert!(cells.iter().any(|cell| share.owns(cell.0)), "rank {} has nothing", share.rank);
        }
        let turn = i32::from(turn);
        let all = (-2..26).flat_map(|x| (-10..10).map(move |y| [x, y])).filter(|at| turn == 0 || (0..turn).contains(&at[0]));
        for at in all {
            let owner = partition.owner(at);
            let near: Vec<usize> = around(at, turn).map(|at| partition.owner(at)).collect();
            for share in &shares {
                prop_assert_eq!(share.owns(at), share.rank == owner);
                prop_assert_eq!(share.reaches(at), near.contains(&share.rank), "{:?} of {}", at, share.rank);
                let [(low, high), (below, above)] = share.inner_box();
                let middle = [frame.begin(0, at[0]) + 0.5, frame.begin(1, at[1]) + 0.5];
                let is_boxed = middle[0] > low && middle[0] < high
                    && middle[1] > below && middle[1] < above;
                prop_assert_eq!(is_boxed, share.is_inner(at), "{:?} of {}", at, share.rank);
                if share.is_inner(at) {
                    prop_assert!(near.iter().all(|&other| other == share.rank), "{:?}", at);
                }
                for (k, other) in share.beside.iter().enumerate() {
                    prop_assert_eq!(share.reaches_beside(k, at), near.contains(other));
                }
                if share.rank == owner {
                    let missing = near.iter().find(|other| **other != owner && !share.beside.contains(other));
                    prop_assert_eq!(missing, None, "{:?}", at);
                }
            }
        }
    }

    /// The sum has the same bits in any order and grouping, and is off by half a unit of 2⁻³² a term at most.
    #[test]
    fn exact_sums_know_no_order(terms in vec(-1000.0..1000.0f64, 0..9000), cut in 0..9000usize, seed: u64) {
        let block = |terms: &[f64]| {
            let n = terms.len();
            parallel::blocks(n, (), |range, ()| Exact::of(terms[range].iter().copied()))
        };
        let whole = block(&terms);
        let (low, high) = terms.split_at(cut.min(terms.len()));
        prop_assert_eq!(block(high).merge(block(low)), whole);
        let mut shuffled = terms.clone();
        let mut random = seed;
        for k in (1..shuffled.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.swap(k, (random >> 33) as usize % (k + 1));
        }
        prop_assert_eq!(block(&shuffled), whole);
        let sum: f64 = terms.iter().sum();
        let bound = terms.len() as f64 * (0.5_f64.powi(33) + 1000.0 * terms.len() as f64 * f64::EPSILON);
        prop_assert!((whole.value() - sum).abs() <= bound, "{} {}", whole.value(), sum);
    }
}

/// More ranks than cells are refused, with both numbers.
#[test]
fn more_ranks_than_cells_are_refused() {
    let mut cells = vec![([0, 0], 5), ([1, 0], 5)];
    let error = Partition::of(frame(0), &mut cells, 3).expect_err("two cells for three ranks");
    assert!(error.to_string().starts_with("3 ranks for 2 cells"), "{error}");
}

/// Even particles are cut evenly: no rank of a full grid has a tenth more than its part.
#[test]
fn even_particles_are_cut_evenly() {
    for size in [2, 3, 5, 8, 16] {
        let mut cells: Vec<_> = (0..120).flat_map(|x| (0..80).map(move |y| ([x, y], 4))).collect();
        let all = cells.clone();
        let partition = Partition::of(frame(0), &mut cells, size).unwrap();
        let mut counts = vec![0_u32; size];
        all.iter().for_each(|(at, n)| counts[partition.owner(*at)] += n);
        let part = 120.0 * 80.0 * 4.0 / size as f64;
        let most = counts.iter().max().copied().unwrap_or(0);
        assert!(f64::from(most) < 1.1 * part, "{counts:?}");
    }
}
