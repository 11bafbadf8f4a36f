//! The generators of the property tests.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sph_core::{Real, fluid::strategies::*};

proptest! {
    #[test]
    fn blocks_stay_within_their_jitter(x in jittered_block::<3>(1..=4, 0.1, 0.25)) {
        prop_assert!((1..=64).contains(&x.len()));
        for c in x.iter().flatten() {
            let site = c / 0.1 - 0.5;
            prop_assert!((site - site.round()).abs() <= 0.2501, "{c}");
        }
    }

    #[test]
    fn points_move_no_faster_than_asked(points in moving(cloud::<2>(20, 1.0), 3.0)) {
        for (x, v) in points {
            prop_assert!(x.iter().all(|x| x.abs() <= 1.0) && v.iter().all(|v| v.abs() <= 3.0));
        }
    }
}

#[test]
fn clouds_hold_coincident_points() {
    let mut runner = TestRunner::deterministic();
    let holds_a_pair = |x: &Vec<[Real; 3]>| (1..x.len()).any(|k| x[..k].contains(&x[k]));
    let clouds: Vec<_> =
        (0..50).map(|_| cloud::<3>(30, 1.0).new_tree(&mut runner).unwrap().current()).collect();
    assert!(clouds.iter().filter(|x| holds_a_pair(x)).count() > 25);
}

#[test]
fn blocks_are_lattices_with_x_fastest() {
    let counts = [3, 2];
    let sites: Vec<[usize; 2]> = (0..6).map(|site| coordinates(site, &counts)).collect();
    assert_eq!(sites, [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]);
}
