//! Laws of polygons and of shapes at an angle.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use proptest::prelude::*;
use sph_core::{
    geometry::{
        sampling::{Face, Lattice, Layers, Side, fill, layers},
        shape::{Ball, Block, Polygon, Region, Rotated, Shape},
    },
    rigid::Form,
};
use std::f64::consts::{PI, TAU};

fn polygon(points: &[[f64; 2]]) -> Region<2> {
    Shape::Polygon(Polygon { points: points.to_vec() }).resolve("shape").unwrap()
}

fn rotated<const D: usize>(shape: Shape, center: [f64; D], angle: f64, axis: [f64; 3]) -> Region<D> {
    let (shape, center, axis) = (Box::new(shape), center.to_vec(), axis.to_vec());
    Shape::Rotated(Rotated { shape, center, angle, axis }).resolve("shape").unwrap()
}

fn distance<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    (0..D).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// Points on rays of ascending angle: no two sides cross.
fn star(radii: &[f64]) -> Vec<[f64; 2]> {
    let n = radii.len() as f64;
    let at = |(k, r): (usize, &f64)| [r * (TAU * k as f64 / n).cos(), r * (TAU * k as f64 / n).sin()];
    radii.iter().enumerate().map(at).collect()
}

/// Distance from all sides, with the sign that the number of sides on the right has.
fn slow_phi(points: &[[f64; 2]], x: &[f64; 2]) -> f64 {
    let (mut least, mut inside) = (f64::INFINITY, false);
    for (k, a) in points.iter().enumerate() {
        let b = points[(k + 1) % points.len()];
        let t = ((x[0] - a[0]) * (b[0] - a[0]) + (x[1] - a[1]) * (b[1] - a[1])) / distance(a, &b).powi(2);
        let t = t.clamp(0.0, 1.0);
        least = least.min(distance(x, &[a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]));
        let crosses = (a[1] > x[1]) != (b[1] > x[1]);
        inside ^= crosses && x[0] < a[0] + (x[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
    }
    if inside { -least } else { least }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn distance_from_a_polygon_is_that_from_its_nearest_side(
        radii in prop::collection::vec(0.2..1.0_f64, 5..40),
        places in prop::collection::vec(prop::array::uniform2(-1.5..1.5_f64), 50),
        is_reversed in any::<bool>(),
    ) {
        let mut points = star(&radii);
        let area = 0.5 * points.iter().zip(points.iter().cycle().skip(1))
            .map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum::<f64>();
        if is_reversed {
            points.reverse();
        }
        let region = polygon(&points);
        for x in places {
            prop_assert!((region.phi(&x) - slow_phi(&points, &x)).abs() < 1e-12, "{:?}", x);
        }
        prop_assert!((region.volume().unwrap() - area).abs() < 1e-12);
    }

    #[test]
    fn a_turned_shape_is_the_shape_seen_from_a_turned_place(
        x in prop::array::uniform3(-2.0..2.0_f64), angle in -4.0..4.0_f64,
    ) {
        let (center, axis) = ([0.3, -0.2, 0.5], [0.36, 0.48, 0.8]);
        let shape = Shape::Block(Block { min: vec![-1.0, -0.5, -0.7], max: vec![0.8, 0.9, 1.1] });
        let drawn: Region<3> = shape.resolve("shape").unwrap();
        let turned = rotated(shape, center, angle, axis);
        // The place goes the other way about the same axis.
        let back = Shape::Rotated(Rotated {
            shape: Box::new(Shape::Ball(Ball { center: x.to_vec(), radius: 1.0 })),
            center: center.to_vec(),
            angle: -angle,
            axis: axis.to_vec(),
        });
        let Region::Ball { center: seen, .. } = back.resolve::<3>("back").unwrap() else { unreachable!() };
        prop_assert!((turned.phi(&x) - drawn.phi(&seen)).abs() < 1e-12);
        let (over, n) = turned.face_distances(&x);
        let (expected, _) = drawn.face_distances(&seen);
        prop_assert!((0..n).all(|k| (over[k] - expected[k]).abs() < 1e-12), "{over:?} {expected:?}");
    }
}

#[test]
fn a_rectangle_is_a_block() {
    let points = [[1.0, 2.0], [1.0, 2.6], [2.0, 2.6], [2.0, 2.0]];
    let (hull, block) = (polygon(&points), Region::Block { min: [1.0, 2.0], max: [2.0, 2.6] });
    assert_eq!(fill(&hull, Lattice::Cartesian, 0.1, None), fill(&block, Lattice::Cartesian, 0.1, None));
    assert_eq!(hull.bounds(), block.bounds());
    assert!((hull.thickness().unwrap() - 0.6).abs() < 1e-12);
    let (a, center) = Form::new(String::new(), &hull, 3.0).unwrap();
    let (b, expected) = Form::new(String::new(), &block, 3.0).unwrap();
    assert!(distance(&center, &expected) < 1e-14);
    let spin = [0.0, 0.0, 1.0];
    assert!((a.inertia(&spin)[2] - b.inertia(&spin)[2]).abs() < 1e-14);
    assert!((a.reach - b.reach).abs() < 1e-14);
}

/// The mass and the moment of inertia of a polygon are those about its center of mass.
/// An L of two rectangles of 2 m², whose corners have another middle than it: Steiner's law.
#[test]
fn mass_of_a_polygon_is_about_its_center() {
    let hull = polygon(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]]);
    let (form, center) = Form::new(String::new(), &hull, 4.0).unwrap();
    assert!(distance(&center, &[0.75, 1.25]) < 1e-14, "{center:?}");
    let each = 2.0 * ((1.0 + 4.0) / 12.0 + 0.25_f64.powi(2) + 0.75_f64.powi(2));
    assert!(
        (form.mass - 4.0).abs() < 1e-14 && (form.inertia(&[0.0, 0.0, 1.0])[2] - 2.0 * each).abs() < 1e-13
    );
}

#[test]
fn fluid_in_a_polygon_has_its_area() {
    let points = [[0.0, 0.0], [2.0, 0.3], [1.7, 1.5], [1.0, 0.8], [0.2, 1.1]];
    let region = polygon(&points);
    let (area, spacing) = (region.volume().unwrap(), 0.005);
    let sites = fill(&region, Lattice::Cartesian, spacing, None).len() as f64;
    assert!((sites * spacing * spacing - area).abs() < 2e-3 * area, "{sites} {area}");
}

#[test]
fn a_turned_block_is_filled_and_lined_as_the_block() {
    let shape = Shape::Block(Block { min: vec![0.0, 0.0], max: vec![1.0, 0.6] });
    let drawn: Region<2> = shape.resolve("shape").unwrap();
    let turned = rotated(shape, [0.4, 0.1], 0.5, [0.0, 0.0, 1.0]);
    let (sin, cos) = 0.5_f64.sin_cos();
    let turn = |x: &[f64; 2]| {
        let d = [x[0] - 0.4, x[1] - 0.1];
        [0.4 + cos * d[0] - sin * d[1], 0.1 + sin * d[0] + cos * d[1]]
    };
    let (a, b) = (fill(&drawn, Lattice::Cartesian, 0.1, None), fill(&turned, Lattice::Cartesian, 0.1, None));
    assert_eq!(a.len(), 60);
    assert!(a.iter().zip(&b).all(|(a, b)| distance(&turn(a), b) < 1e-12) && a.len() == b.len());
    for side in [Side::Inside, Side::Outside] {
        let how = Layers { side, faces: Some(vec![Face::XMin, Face::YMin]), count: 2, offset: 0.5 };
        let (a, b) = (layers(&drawn, 0.1, &how), layers(&turned, 0.1, &how));
        let same = a.iter().zip(&b).all(|(a, b)| distance(&turn(&a.x), &b.x) < 1e-12 && a.face == b.face);
        assert!(same && a.len() == b.len() && a.len() > 20, "{side:?} {} {}", a.len(), b.len());
    }
}

#[test]
fn layers_of_a_polygon_follow_its_sides() {
    let points = [[0.0, 0.0], [2.0, 0.3], [1.7, 1.5], [1.0, 0.8], [0.2, 1.1]];
    let (region, spacing) = (polygon(&points), 0.05);
    for (side, sign) in [(Side::Inside, 1.0), (Side::Outside, -1.0)] {
        let samples = layers(&region, spacing, &Layers { side, faces: None, count: 3, offset: 0.5 });
        for (k, sample) in samples.iter().enumerate() {
            let level = sign * (sample.layer as f64 + 0.5) * spacing;
            assert!((region.phi(&sample.x) - level).abs() < 1e-3 * spacing);
            let mut others = samples[..k].iter().filter(|other| other.layer == sample.layer);
            assert!(others.all(|other| distance(&other.x, &sample.x) > 0.9 * spacing * (1.0 - 1e-9)));
        }
        // Every point of a level has a sample of its layer nearby.
        for k in 0..4000 {
            let (t, n) = (f64::from(k) / 4000.0 * 5.0, 5);
            let (a, b) = (points[t as usize], points[(t as usize + 1) % n]);
            let x = [a[0] + t.fract() * (b[0] - a[0]), a[1] + t.fract() * (b[1] - a[1])];
            let normal = region.normal(&x);
            let x: [f64; 2] = std::array::from_fn(|k| x[k] + sign * 0.5 * spacing * normal[k]);
            if (region.phi(&x) - sign * 0.5 * spacing).abs() < 1e-9 {
                let near = samples.iter().filter(|sample| sample.layer == 0);
                let least = near.map(|sample| distance(&sample.x, &x)).fold(f64::INFINITY, f64::min);
                assert!(least < 0.95 * spacing, "{side:?} {x:?} {least}");
            }
        }
    }
}

#[test]
fn what_is_no_polygon_is_refused() {
    let flaw = |points: &[[f64; 2]]| {
        let shape = Shape::Polygon(Polygon { points: points.to_vec() });
        shape.resolve::<2>("shape").unwrap_err().to_string()
    };
    assert!(flaw(&[[0.0, 0.0], [1.0, 0.0]]).contains("points: has 2 points"));
    assert!(flaw(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.9]]).contains("crosses"));
    assert!(flaw(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]).contains("points[0]"));
    assert!(flaw(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).contains("has no length"));
    assert!(flaw(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]).contains("crosses"), "a side on another");
    assert!(flaw(&[[0.0, 0.0], [f64::NAN, 0.0], [1.0, 1.0]]).contains("points[1][0]"));
    let shape = Shape::Polygon(Polygon { points: vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]] });
    assert!(shape.resolve::<3>("shape").unwrap_err().to_string().contains("two dimensions only"));
}

#[test]
fn shapes_turn_about_their_point() {
    let ball = Shape::Ball(Ball { center: vec![2.0, 1.0], radius: 0.5 });
    let quarter = rotated(ball, [1.0, 1.0], 0.5 * PI, [0.0, 0.0, 1.0]);
    let Region::Ball { center, radius } = quarter else { unreachable!() };
    assert!(distance(&center, &[1.0, 2.0]) < 1e-15 && radius == 0.5);
    let triangle = Shape::Polygon(Polygon { points: vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]] });
    let turned = rotated(triangle.clone(), [0.0, 0.0], 0.3, [0.0, 0.0, 1.0]);
    let drawn: Region<2> = triangle.resolve("shape").unwrap();
    let (sin, cos) = 0.3_f64.sin_cos();
    for x in [[0.2, 0.3], [0.4, -0.2], [1.0, 1.0]] {
        let seen = [cos * x[0] + sin * x[1], cos * x[1] - sin * x[0]];
        assert!((turned.phi(&x) - drawn.phi(&seen)).abs() < 1e-14);
    }
    assert!((turned.volume().unwrap() - 0.5).abs() < 1e-15);
}
