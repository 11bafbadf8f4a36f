//! Prefix sums.

use crate::ORDERS;
use cuda_kernels::{
    common::numerics::scan::Scan,
    device::{error::CudaError, executor::Field},
};

fn check(n: usize, n_orders: usize) {
    let values: Field<u32> = (0..n as u32 + 3).map(|k| k.wrapping_mul(2_654_435_761) % 7).collect();
    for executor in &ORDERS[..n_orders] {
        let mut out = values.clone();
        Scan::new(executor, n).unwrap().exclusive::<3>(executor, &mut out, n).unwrap();
        let mut sum = 0;
        for k in 0..n {
            assert_eq!(out[k], sum, "place {k} of {n}");
            sum += values[k];
        }
        assert_eq!(out[n..], values[n..], "what lies behind stays");
    }
}

#[test]
fn sums_are_exact_at_every_raggedness() {
    for n in [0, 1, 2, 7, 8, 9, 255, 256, 2047, 2048, 2049, 4096, 100_003] {
        check(n, ORDERS.len());
    }
}

#[test]
fn sums_of_sums_of_sums_are_exact() {
    check(2048 * 2048 + 17, 1);
}

#[test]
fn too_little_room_is_refused() {
    let executor = &ORDERS[0];
    let mut scan = Scan::new(executor, 2048).unwrap();
    let error = scan.exclusive::<2>(executor, &mut field![0; 2049], 2049).unwrap_err();
    let expected = CudaError::TooShort { kernel: "scan_tiles", field: "totals", len: 1, needed: 2 };
    assert_eq!(error, expected);
    let error = scan.exclusive::<2>(executor, &mut field![0; 10], 11).unwrap_err();
    assert!(error.to_string().contains("needs 11 items of values, which has 10"), "{error}");
}
