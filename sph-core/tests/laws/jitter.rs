//! Random displacements.

use sph_core::geometry::sampling::{Jitter, splitmix64};

#[test]
fn splitmix64_gives_the_published_sequence() {
    // The first outputs of the generator seeded with 1234567, whose state grows by the odd constant.
    let state = |n: u64| 1_234_567_u64.wrapping_add(n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    assert_eq!(splitmix64(state(0)), 6_457_827_717_110_365_317);
    assert_eq!(splitmix64(state(1)), 3_203_168_211_198_807_973);
}

#[test]
fn uniform_has_the_moments_of_its_distribution() {
    let jitter = Jitter { amplitude: 1.0, seed: 7 };
    let n = 100_000;
    let values: Vec<f64> = (0..n).map(|i| jitter.uniform(i, 1)).collect();
    let mean = values.iter().sum::<f64>() / n as f64;
    let square = values.iter().map(|v| v * v).sum::<f64>() / n as f64;
    // Four standard deviations of both estimates.
    assert!(mean.abs() < 4.0 * (1.0 / 3.0_f64 / n as f64).sqrt(), "{mean}");
    assert!((square - 1.0 / 3.0).abs() < 4.0 * (4.0 / 45.0_f64 / n as f64).sqrt(), "{square}");
    assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
}
