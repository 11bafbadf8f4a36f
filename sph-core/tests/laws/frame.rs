//! Periodic axes.

use sph_core::{Real, neighbors::Periodic};

#[test]
fn a_wrapped_position_lies_in_the_box_whatever_the_rounding() {
    for k in 1..2000 {
        let (low, length) = (1e-3 * Real::from(k as i16 % 7), 2.4e-4 * Real::from(k as i16) / 7.0);
        let periodic = Periodic::<2>::new([low, 0.0], [length, 0.0]);
        let end = low + length;
        for x in [low, end, end.next_down(), end.next_up(), low.next_down(), low + 2.0 * length] {
            let [wrapped, _] = periodic.wrap([x, 0.0]);
            assert!(wrapped >= low && wrapped < end, "{x} -> {wrapped} outside of [{low}, {end})");
        }
        assert!(periodic.wrap([Real::NAN, 0.0])[0].is_nan());
    }
}
