//! Cuts of space among ranks, and sums that do not know of them.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failure is that of the test")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast))]
use proptest::{collection::vec, prelude::*};
use sph_core::{
    Real,
    neighbors::{CellFrame, Partition, Periodic, Share, count_blocks},
    numerics::parallel::{self, Exact, Merge as _},
};
use std::iter::repeat_n;

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
    /// Every block of cells has one owner, who has it within its bounds; ranks know who owns a cell beside another, and no rank is
    /// left without particles.
    #[test]
    fn each_cell_has_one_owner(
        cells in vec(((0..24i32, -8..8i32), 1..20usize), 1..120),
        size in 1..9usize,
        edge in 1..3i32,
        turn in prop_oneof![Just(0u8), Just(3), Just(24)],
    ) {
        let frame = frame(turn);
        prop_assert_eq!(frame.turn[0], i32::from(turn));
        let fits = |x: i32| if turn > 0 { x % i32::from(turn) } else { x };
        let points = cells.into_iter().flat_map(|((x, y), n)| repeat_n([fits(x), y], n));
        let cells: Vec<[i32; 2]> = points.collect();
        let Ok(partition) = Partition::of(frame, cells.iter().copied(), size, edge) else {
            return Ok(());
        };
        let groups = cells.chunks(cells.len().div_ceil(3)).rev();
        let counted = groups.flat_map(|group| count_blocks(group.iter().copied(), edge)).collect();
        let of_ranks = Partition::of_blocks(frame, counted, size, edge);
        prop_assert_eq!(of_ranks.as_ref(), Ok(&partition));
        let again = Partition::of_words(frame, &partition.to_words(), size);
        prop_assert_eq!(&again, &partition);
        let shares: Vec<_> = (0..size).map(|rank| Share::new(partition.clone(), rank)).collect();
        for share in &shares {
            prop_assert!(cells.iter().any(|&cell| share.owns(cell)), "rank {} has nothing", share.rank);
        }
        let turn = i32::from(turn);
        let all = (-2..26).flat_map(|x| (-10..10).map(move |y| [x, y])).filter(|at| turn == 0 || (0..turn).contains(&at[0]));
        for at in all {
            let owner = partition.owner(at);
            prop_assert_eq!(owner, partition.owner(at.map(|x| x - x.rem_euclid(edge))), "a block of two ranks");
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

    /// The sum has the same bits in any order and grouping, whatever the sizes of its terms, and is off by 2⁻⁴⁰ of the largest a
    /// term at most.
    #[test]
    fn exact_sums_know_no_order(
        terms in vec((-1.0..1.0f64, -1100..300i32), 0..6000),
        spread in prop_oneof![Just(0), Just(1), Just(40)],
        cut in 0..6000usize,
        seed: u64,
    ) {
        let terms: Vec<f64> = terms.iter().map(|&(x, e)| x * 2.0_f64.powi(e.max(-1000) * spread / 40)).collect();
        let sum_of = |terms: &[f64]| parallel::blocks(terms.len(), (), |range, ()| Exact::of(range, |i| terms[i]));
        let whole = sum_of(&terms);
        let (low, high) = terms.split_at(cut.min(terms.len()));
        prop_assert_eq!(sum_of(high).merge(sum_of(low)), whole);
        prop_assert_eq!(Exact::of_words(whole.to_words()), whole);
        let mut shuffled = terms.clone();
        let mut random = seed;
        for k in (1..shuffled.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.swap(k, (random >> 33) as usize % (k + 1));
        }
        prop_assert_eq!(sum_of(&shuffled), whole);
        // One by one, in ascending order: each may be the largest so far.
        shuffled.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let one_by_one = shuffled.iter().map(|&x| Exact::of(0..1, |_| x));
        prop_assert_eq!(one_by_one.fold(Exact::default(), |sum, x| sum.merge(x)), whole);
        let (sum, largest) = (terms.iter().sum::<f64>(), terms.iter().fold(0.0, |most: f64, x| most.max(x.abs())));
        let bound = terms.len() as f64 * largest * (0.5_f64.powi(40) + terms.len() as f64 * f64::EPSILON);
        prop_assert!((whole.value() - sum).abs() <= bound, "{} {}", whole.value(), sum);
    }
}

/// What is not finite, or larger than a sum can hold, makes it no number; zeros and the least numbers are no harm.
#[test]
fn exact_sums_of_odd_numbers() {
    let sum = |terms: &[f64]| Exact::of(0..terms.len(), |i| terms[i]).value();
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
        assert!(sum(&[1.0, odd, 2.0]).is_nan(), "{odd}");
        let later = Exact::of(0..1, |_| odd).merge(Exact::of(0..1, |_| 1.0));
        assert!(later.value().is_nan(), "{odd}");
    }
    assert_eq!(sum(&[]), 0.0);
    assert_eq!(sum(&[0.0, -0.0, 5e-324]), 0.0);
    assert_eq!(sum(&[1e300, -1e300, 1.0]), 0.0);
    assert_eq!(sum(&[0.1, 0.2]), 0.1 + 0.2);
}

/// More ranks than blocks of cells are refused, with both numbers.
#[test]
fn more_ranks_than_blocks_are_refused() {
    let cells = [[0, 0], [1, 0], [2, 0]];
    let refused = |size, edge| {
        Partition::of(frame(0), cells.into_iter(), size, edge).expect_err("too many ranks").to_string()
    };
    assert!(refused(4, 1).starts_with("4 ranks for 3 cells of the"), "{}", refused(4, 1));
    assert!(refused(3, 2).starts_with("3 ranks for 2 blocks of 2 cells of the"), "{}", refused(3, 2));
}

/// Even particles are cut evenly: no rank of a full grid has a tenth more than its part.
#[test]
fn even_particles_are_cut_evenly() {
    for size in [2, 3, 5, 8, 16] {
        let cells = || (0..120).flat_map(|x| (0..80).flat_map(move |y| repeat_n([x, y], 4)));
        let partition = Partition::of(frame(0), cells(), size, 1).unwrap();
        let mut counts = vec![0_u32; size];
        cells().for_each(|at| counts[partition.owner(at)] += 1);
        let part = 120.0 * 80.0 * 4.0 / size as f64;
        let most = counts.iter().max().copied().unwrap_or(0);
        assert!(f64::from(most) < 1.1 * part, "{counts:?}");
    }
}
