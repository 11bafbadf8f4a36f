//! Points that are too close.

use sph_core::{
    Real,
    geometry::sampling::splitmix64,
    neighbors::Periodic,
    numerics::vector::norm2,
    scene::setup::{Near, check_clearance, too_close},
};

fn soa<const D: usize>(points: &[[Real; D]]) -> [Vec<Real>; D] {
    std::array::from_fn(|a| points.iter().map(|x| x[a]).collect())
}

fn grid(n: usize, spacing: f64, shift: f64) -> Vec<[Real; 2]> {
    let place = |k: usize| ((k as f64 + 0.5) * spacing + shift) as Real;
    (0..n * n).map(|k| [place(k % n), place(k / n)]).collect()
}

#[test]
fn half_a_spacing_is_far_enough_and_less_is_not() {
    let none = soa::<2>(&[]);
    for spacing in [0.1, 0.003, 7.0] {
        let mut points = grid(40, spacing, 3.0 * spacing);
        for (distance, fits) in [(0.5, true), (0.499, false), (0.0, false)] {
            let [x, y] = points[321];
            points.push([x + (distance * spacing) as Real, y]);
            let found = check_clearance(&soa(&points), &none, &none, spacing as Real, &Periodic::NONE);
            assert_eq!(found.is_ok(), fits, "{distance} of {spacing}");
            if let Err(overlap) = found {
                assert_eq!((overlap.point, overlap.near), (1600, Near::Point(321)));
                assert!((overlap.distance - distance).abs() < 1e-3);
            }
            points.pop();
        }
    }
}

#[test]
fn agrees_with_testing_every_pair() {
    for seed in 0..40 {
        let periodic = [Periodic::NONE, Periodic::new([0.0; 3], [4.0, 0.0, 5.5])][seed as usize % 2];
        let mut points = Vec::new();
        let mut hash = seed;
        for _ in 0..60 {
            points.push(std::array::from_fn(|_| {
                hash = splitmix64(hash);
                (hash >> 40) as Real / (1 << 24) as Real * 4.0
            }));
        }
        let (points, others) = points.split_at(40);
        let near = |x: &[Real; 3], y: &[Real; 3]| {
            let d: [Real; 3] = std::array::from_fn(|a| x[a] - y[a]);
            norm2(periodic.nearest(d)).sqrt() < 0.5
        };
        let first = (0..40).find_map(|i| (0..i).find(|&j| near(&points[i], &points[j])).map(|_| i));
        let (points, walls, none) = (soa(points), soa(others), soa(&[]));
        let found = check_clearance(&points, &none, &none, 1.0, &periodic).err();
        assert_eq!(found.map(|overlap| overlap.point), first, "{seed}");
        let single = std::array::from_fn(|a| vec![points[a][0]]);
        let at = |x: &[Vec<Real>; 3], i: usize| std::array::from_fn(|a| x[a][i]);
        let first = (0..20).find(|&b| near(&at(&points, 0), &at(&walls, b)));
        let found = check_clearance(&single, &none, &walls, 1.0, &periodic).err();
        assert_eq!(found.map(|overlap| overlap.near), first.map(Near::Wall), "{seed}");
    }
}

#[test]
fn a_period_brings_both_ends_together() {
    let periodic = Periodic::new([0.0, 0.0], [10.0, 0.0]);
    let (points, none) = (soa(&[[0.1, 1.0], [9.8, 1.0]]), soa(&[]));
    let overlap = check_clearance(&points, &none, &none, 1.0, &periodic).unwrap_err();
    assert_eq!((overlap.point, overlap.near), (1, Near::Point(0)));
    assert!((overlap.distance - 0.3).abs() < 1e-5);
    assert!(check_clearance(&points, &none, &none, 1.0, &Periodic::NONE).is_ok());
}

#[test]
fn too_close_points_are_those_that_alone_would_be_refused() {
    let periodic = Periodic::new([0.0, 0.0], [1.0, 0.0]);
    let points = [[0.02, 0.5], [0.5, 0.02], [0.3, 0.3], [0.3, 0.9]];
    let others = soa(&[[0.96, 0.5], [0.5, 0.97], [0.28, 0.3], [0.32, 0.3]]);
    let found = too_close(&soa(&points), &others, 0.2, &periodic);
    assert_eq!(found, [true, false, true, false], "x is periodic, y is not");
    for (point, too_close) in points.iter().zip(found) {
        let alone = check_clearance(&soa(&[*point]), &others, &soa(&[]), 0.2, &periodic);
        assert_eq!(alone.is_err(), too_close, "{point:?}");
    }
}

#[test]
fn a_heap_of_equal_points_is_found_at_once() {
    let (points, none) = (soa(&vec![[1.0, 2.0, 3.0]; 1_000_000]), soa(&[]));
    // A search that went on through all pairs would look at 10¹² of them.
    let overlap = check_clearance(&points, &none, &none, 0.1, &Periodic::NONE).unwrap_err();
    assert_eq!((overlap.point, overlap.near, overlap.distance), (1, Near::Point(0), 0.0));
}
