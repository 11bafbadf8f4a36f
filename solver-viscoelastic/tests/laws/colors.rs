//! Colors of multicolor Gauss-Seidel.

use solver_viscoelastic::of_axis;

#[test]
fn cells_of_one_color_are_three_apart_also_around_a_period() {
    for turn in 3..20_i32 {
        for a in 0..turn {
            for b in 0..turn {
                let apart = (a - b).rem_euclid(turn).min((b - a).rem_euclid(turn));
                assert!(a == b || of_axis(a, turn) != of_axis(b, turn) || apart >= 3, "{a} {b} of {turn}");
            }
        }
    }
    assert_eq!([-4, -3, -2, -1, 0, 1].map(|c| of_axis(c, 0)), [2, 0, 1, 2, 0, 1]);
}
