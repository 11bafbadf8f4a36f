//! Reductions.

use crate::{ORDERS, axes, cloud, noise};
use cuda_kernels::{
    common::numerics::reduce::{Bounds, DensityErrors, NONE, Peak, Reduce},
    device::executor::{Executor, Field},
};
use sph_core::{Real, fluid::material::Domain, neighbors::Periodic, numerics::vector::norm2};

/// What every order of threads gives, which must be the same.
fn in_all_orders<R: PartialEq + std::fmt::Debug>(mut f: impl FnMut(&dyn Executor) -> R) -> R {
    let first = f(&ORDERS[0]);
    for executor in &ORDERS[1..] {
        assert_eq!(f(executor), first);
    }
    first
}

#[test]
fn sums_have_the_same_bits_in_all_orders_and_are_right() {
    for n in [0, 1, 255, 1000, 300_001] {
        let (x, y) = (noise(n, 1), noise(n, 2));
        let [sum, products] = in_all_orders(|executor| {
            let mut reduce = Reduce::<2>::new(executor).unwrap();
            let (mut sum, mut products) = (field![0.0], field![0.0]);
            reduce.sum(executor, &x, n, &mut sum).unwrap();
            reduce.sum_products(executor, &x, &y, n, &mut products).unwrap();
            [sum[0].to_bits(), products[0].to_bits()].map(f64::from_bits)
        });
        // Partial sums are at most n: each of n additions errs by half an ulp of that.
        let bound = n as f64 * n as f64 * f64::EPSILON;
        let exact: f64 = x.iter().map(|&x| f64::from(x)).sum();
        let exact_products: f64 = x.iter().zip(&y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
        assert!((sum - exact).abs() <= bound, "{sum} {exact}");
        assert!((products - exact_products).abs() <= bound, "{products} {exact_products}");
    }
}

#[test]
fn maxima_and_their_places_are_the_first() {
    for n in [1, 257, 200_000] {
        let mut x = noise(n, 4);
        let top = n / 3;
        for k in [top, n / 2, n - 1] {
            x[k] = 2.0;
        }
        x[0] = if top == 0 { 2.0 } else { Real::NAN };
        let (max, peak) = in_all_orders(|executor| {
            let mut reduce = Reduce::<3>::new(executor).unwrap();
            let (mut max, mut peak) = (field![0.0], field![Peak::default()]);
            reduce.max(executor, &x, n, &mut max).unwrap();
            reduce.max_place(executor, &x, n, &mut peak).unwrap();
            (max[0], peak[0])
        });
        assert_eq!((max, peak), (2.0, Peak { value: 2.0, place: top as u64 }));
    }
}

#[test]
fn the_largest_speed_has_the_bits_of_the_processor() {
    let v = cloud::<3>(100_000, 11);
    let want = v.iter().map(|&v| f64::from(norm2(v))).fold(f64::NEG_INFINITY, f64::max);
    let v = axes(&v);
    let found = in_all_orders(|executor| {
        let mut result = field![0.0];
        Reduce::<3>::new(executor).unwrap().max_norms2(executor, &v, 100_000, &mut result).unwrap();
        result[0].to_bits()
    });
    assert_eq!(found, want.to_bits());
}

#[test]
fn the_longest_row_is_found() {
    for place in [0, 4242, 131_071] {
        let mut counts = field![3; 131_072];
        counts[place] = 41;
        let found = in_all_orders(|executor| {
            let mut result = field![0];
            Reduce::<2>::new(executor).unwrap().max_counts(executor, &counts, 131_072, &mut result).unwrap();
            result[0]
        });
        assert_eq!(found, 41);
    }
}

#[test]
fn the_box_holds_all_points_and_no_nan() {
    let mut x = cloud::<2>(50_000, 12);
    (x[7], x[49_999], x[1]) = ([-3.0, 0.5], [0.5, 8.0], [Real::NAN, 0.25]);
    let want =
        |a: usize, start: f64, f: fn(f64, f64) -> f64| x.iter().map(|x| f64::from(x[a])).fold(start, f);
    let low = std::array::from_fn(|a| want(a, f64::INFINITY, f64::min));
    let high = std::array::from_fn(|a| want(a, f64::NEG_INFINITY, f64::max));
    let x = axes(&x);
    let found = in_all_orders(|executor| {
        let mut result = field![Bounds::default()];
        Reduce::<2>::new(executor).unwrap().enclose(executor, &x, 50_000, &mut result).unwrap();
        result[0]
    });
    assert_eq!(found, Bounds { low, high });
    assert_eq!((found.low[0], found.high[1]), (-3.0, 8.0));
}

/// The first lost particle of a cloud, after `change`.
fn first_lost<const D: usize>(
    periodic: Periodic<D>,
    change: impl Fn(&mut [[Real; D]], &mut [[Real; D]]),
) -> u32
where
    Bounds<D>: cuda_kernels::device::executor::Plain,
{
    let (mut x, mut v) = (cloud::<D>(3000, 13), cloud::<D>(3000, 14));
    change(&mut x, &mut v);
    let (x, v) = (axes(&x), axes(&v));
    let domain = Domain { low: [0.0; D], high: [1.0; D], periodic };
    in_all_orders(|executor| {
        let mut result = field![0];
        let mut reduce = Reduce::<D>::new(executor).unwrap();
        reduce.first_lost(executor, &x, &v, &domain, 3000, &mut result).unwrap();
        result[0]
    })
}

#[test]
fn lost_particles_are_found_whatever_happened_to_them() {
    assert_eq!(first_lost::<3>(Periodic::NONE, |_, _| {}), NONE);
    assert_eq!(first_lost::<2>(Periodic::NONE, |_, _| {}), NONE);
    for lost in [-0.001, 1.001, Real::NAN, Real::INFINITY, Real::NEG_INFINITY] {
        assert_eq!(first_lost::<3>(Periodic::NONE, |x, _| x[2999][2] = lost), 2999, "{lost}");
        assert_eq!(
            first_lost::<2>(Periodic::NONE, |x, _| (x[40][1], x[1500][0]) = (lost, lost)),
            40,
            "{lost}"
        );
    }
    for lost in [Real::NAN, Real::INFINITY, Real::NEG_INFINITY] {
        assert_eq!(first_lost::<3>(Periodic::NONE, |_, v| v[512][1] = lost), 512, "{lost}");
    }
    // The earlier of two, by position and by velocity.
    let both = |x: &mut [[Real; 2]], v: &mut [[Real; 2]]| (x[900][0], v[300][1]) = (-5.0, Real::NAN);
    assert_eq!(first_lost::<2>(Periodic::new([0.0; 2], [1.0; 2]), both), 300);
}

#[test]
fn numbers_that_are_not_finite_are_found() {
    let mut x = noise(70_000, 15);
    let mut found = |place: usize, value: Real| {
        x[place] = value;
        in_all_orders(|executor| {
            let mut result = field![0];
            let mut reduce = Reduce::<3>::new(executor).unwrap();
            reduce.first_not_finite(executor, &x, 70_000, &mut result).unwrap();
            result[0]
        })
    };
    assert_eq!(found(3, 1e30), NONE);
    assert_eq!(found(69_999, Real::NAN), 69_999);
    assert_eq!(found(65_536, Real::INFINITY), 65_536);
    assert_eq!(found(0, Real::NEG_INFINITY), 0);
}

#[test]
fn nothing_reduces_to_the_identity() {
    let executor = &ORDERS[0];
    let mut reduce = Reduce::<2>::new(executor).unwrap();
    let (mut number, mut count, mut place) = (field![1.0], field![1], field![1]);
    reduce.max(executor, &field![], 0, &mut number).unwrap();
    reduce.max_counts(executor, &field![], 0, &mut count).unwrap();
    reduce.first_not_finite(executor, &field![], 0, &mut place).unwrap();
    assert_eq!((number[0], count[0], place[0]), (f64::NEG_INFINITY, 0, NONE));
    let mut peak = field![Peak::default()];
    reduce.max_place(executor, &field![Real::NAN], 1, &mut peak).unwrap();
    assert_eq!(peak[0], Peak { value: f64::NEG_INFINITY, place: u64::from(NONE) });
    let mut bounds = field![Bounds::default()];
    reduce.enclose(executor, &[field![], field![]], 0, &mut bounds).unwrap();
    assert_eq!(bounds[0], Bounds { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] });
}

#[test]
fn short_fields_are_refused() {
    let executor = &ORDERS[0];
    let mut reduce = Reduce::<2>::new(executor).unwrap();
    assert!(reduce.sum(executor, &field![0.0; 4], 5, &mut field![0.0]).is_err());
    let error = reduce.sum(executor, &field![0.0; 4], 4, &mut field![]).unwrap_err();
    assert_eq!(error.to_string(), "kernel merge_sums needs 1 items of result, which has 0");
}

/// Mean and largest density error of `rho` over 1000, with `of_rho` beside.
fn errors(rho: &Field<Real>, of_rho: Option<&Field<Real>>) -> DensityErrors {
    let bits = in_all_orders(|executor| {
        let mut result = field![DensityErrors::default()];
        let mut reduce = Reduce::<2>::new(executor).unwrap();
        reduce.density_errors(executor, rho, of_rho, 1000.0, rho.len(), &mut result).unwrap();
        [result[0].mean.to_bits(), result[0].largest.to_bits()]
    });
    let [mean, largest] = bits.map(f64::from_bits);
    DensityErrors { mean, largest }
}

#[test]
fn density_errors_are_those_of_compression_and_tell_what_is_no_number() {
    assert_eq!(errors(&field![], None), DensityErrors { mean: 0.0, largest: 0.0 });
    for n in [1, 300, 200_001] {
        let mut rho: Field<Real> = noise(n, 6).iter().map(|u| 1000.0 * (0.6 + u)).collect();
        let all = rho.iter().map(|rho| rho / 1000.0 - 1.0);
        let largest = f64::from(all.clone().fold(Real::NEG_INFINITY, Real::max));
        let mean = all.map(|error| f64::from(error.max(0.0))).sum::<f64>() / n as f64;
        let lambda = field![0.5; n];
        for of_rho in [None, Some(&lambda)] {
            let found = errors(&rho, of_rho);
            assert_eq!(found.largest, largest);
            assert!((found.mean - mean).abs() <= n as f64 * f64::EPSILON, "{} {mean}", found.mean);
        }
        let mut bad = lambda.clone();
        bad[n - 1] = Real::INFINITY;
        assert!(errors(&rho, Some(&bad)).mean.is_nan());
        rho[n / 2] = Real::NAN;
        let found = errors(&rho, None);
        assert!(found.mean.is_nan() && (n == 1 || found.largest <= largest));
    }
}
