//! Loops whose result does not depend on the number of threads.

use sph_core::numerics::parallel::*;

#[test]
fn sums_do_not_depend_on_the_number_of_threads() {
    let x: Vec<f64> = (0..100_003).map(|k| (k as f64 * 0.37).sin() * 1e3).collect();
    let sum = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| blocks(x.len(), (), |r, ()| Sum(x[r].iter().sum())).0)
    };
    let one = sum(1);
    for threads in [2, 3, 7, 16] {
        assert_eq!(one.to_bits(), sum(threads).to_bits());
    }
}

#[test]
fn every_output_is_written_once_by_its_own_block() {
    for n in [0, 1, BLOCK, BLOCK + 1, 5 * BLOCK + 17] {
        let (mut a, mut b) = (vec![0; n], [vec![0; n], vec![0; n]]);
        let [b0, b1] = &mut b;
        blocks(n, (&mut a[..], [&mut b0[..], &mut b1[..]]), |r, (a, [b0, b1])| {
            for (k, i) in r.enumerate() {
                a[k] += i;
                b0[k] += 2 * i;
                b1[k] += 3 * i;
            }
        });
        assert!((0..n).all(|i| a[i] == i && b[0][i] == 2 * i && b[1][i] == 3 * i));
    }
}
