//! Fields follow their particles.

use crate::{ORDERS, noise};
use cuda_kernels::{
    common::numerics::fields::{self, Packed},
    device::executor::Field,
};
use sph_core::Real;

fn shuffled(n: usize) -> Field<u32> {
    let keys = noise(n, 3);
    let mut order: Field<u32> = (0..n as u32).collect();
    order.sort_by(|&a, &b| keys[a as usize].total_cmp(&keys[b as usize]));
    order
}

#[test]
fn more_fields_than_one_launch_takes_are_permuted() {
    for n in [0, 1, 127, 128, 129, 1000] {
        let order = shuffled(n);
        let from: Vec<Field<Real>> = (0..11).map(|f| noise(n, f + 1)).collect();
        for executor in &ORDERS {
            let mut to = vec![field![-1.0; n]; 11];
            let mut pairs: Vec<_> = from.iter().zip(&mut to).collect();
            fields::permute_fields::<2>(executor, &order, n, &mut pairs).unwrap();
            for (from, to) in from.iter().zip(&to) {
                assert!((0..n).all(|k| to[k] == from[order[k] as usize]));
            }
        }
    }
}

#[test]
fn names_and_bodies_are_permuted() {
    let n = 300;
    let order = shuffled(n);
    let ids: Field<u64> = (0..n as u64).map(|k| k << 33).collect();
    let bodies: Field<u16> = (0..n as u16).map(|k| k * 3).collect();
    for executor in &ORDERS {
        let (mut to_ids, mut to_bodies) = (field![0; n], field![0; n]);
        fields::permute_ids::<3>(executor, &ids, &mut to_ids, &order, n).unwrap();
        fields::permute_bodies::<3>(executor, &bodies, &mut to_bodies, &order, n).unwrap();
        assert!((0..n).all(|k| to_ids[k] == ids[order[k] as usize]));
        assert!((0..n).all(|k| to_bodies[k] == bodies[order[k] as usize]));
    }
}

#[test]
fn records_hold_positions_and_zeros() {
    let n = 131;
    let x: [Field<Real>; 3] = std::array::from_fn(|a| noise(n, a as u64 + 1));
    let flat = [x[0].clone(), x[1].clone()];
    for executor in &ORDERS {
        let mut records = field![Packed([-1.0; 4]); n];
        fields::pack_positions(executor, &x, n, &mut records).unwrap();
        assert!((0..n).all(|i| records[i].0 == [x[0][i], x[1][i], x[2][i], 0.0]));
        fields::pack_positions(executor, &flat, n, &mut records).unwrap();
        assert!((0..n).all(|i| records[i].0 == [x[0][i], x[1][i], 0.0, 0.0]));
    }
}

#[test]
fn short_fields_are_refused() {
    let (from, mut to) = (field![0.0; 4], field![0.0; 3]);
    let mut pairs = [(&from, &mut to)];
    let error = fields::permute_fields::<2>(&ORDERS[0], &field![0; 4], 4, &mut pairs).unwrap_err();
    assert_eq!(error.to_string(), "kernel permute_reals needs 4 items of to, which has 3");
}
