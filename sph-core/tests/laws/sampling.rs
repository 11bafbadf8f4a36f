//! Laws of shapes and of the points that represent them.
#![allow(clippy::unwrap_used, clippy::expect_used)] // Helpers of tests may panic as tests do.
use proptest::prelude::*;
use sph_core::{
    Real,
    geometry::{
        sampling::{Face, Jitter, Lattice, Layers, Side, WallSample, fill, layers},
        shape::{Ball, Block, Cylinder, Enclosure, HalfSpace, Polygon, Region, Rotated, Shape},
    },
};

fn distance<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    (0..D).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// Smallest distance of two points.
fn nearest<const D: usize>(points: &[[f64; D]]) -> f64 {
    let mut least = f64::INFINITY;
    for (i, a) in points.iter().enumerate() {
        for b in &points[..i] {
            least = least.min(distance(a, b));
        }
    }
    least
}

fn block<const D: usize>(min: [f64; D], max: [f64; D]) -> Region<D> {
    Region::Block { min, max }
}

/// One of each kind, all with a width of order 1.
fn regions<const D: usize>() -> Vec<Region<D>> {
    let v = |x: f64, y: f64, z: f64| [x, y, z][..D].to_vec();
    let mut shapes = vec![
        Shape::Block(Block { min: v(-1.0, -0.5, -0.7), max: v(0.8, 0.9, 1.1) }),
        Shape::Ball(Ball { center: v(0.1, 0.2, 0.3), radius: 0.9 }),
        Shape::HalfSpace(HalfSpace { point: v(0.1, 0.0, 0.0), normal: v(1.0, -2.0, 0.5) }),
    ];
    if D == 3 {
        let (center, axis) = (v(0.1, -0.2, 0.0), v(1.0, 1.0, 3.0));
        shapes.push(Shape::Cylinder(Cylinder { center, axis, radius: 0.8, length: 1.5 }));
    }
    let shape = Box::new(shapes[0].clone());
    shapes.push(Shape::Rotated(Rotated {
        shape,
        center: v(0.3, 0.1, 0.2),
        angle: 0.7,
        axis: vec![1.0, 2.0, 2.0],
    }));
    if D == 2 {
        let points = vec![[-1.0, -0.8], [1.0, -0.6], [0.9, 0.8], [0.1, 0.9], [0.2, 0.1], [-0.9, 0.2]];
        shapes.push(Shape::Polygon(Polygon { points }));
    }
    let outside: Vec<Shape> = shapes.iter().map(|shape| Shape::Outside(Box::new(shape.clone()))).collect();
    shapes.extend(outside);
    shapes.iter().map(|shape| shape.resolve("shape").unwrap()).collect()
}

/// Gradient of the signed distance by central differences.
fn slope<const D: usize>(region: &Region<D>, x: &[f64; D], step: f64) -> [f64; D] {
    std::array::from_fn(|k| {
        let moved = |by: f64| {
            let mut x = *x;
            x[k] += by;
            region.phi(&x)
        };
        (moved(step) - moved(-step)) / (2.0 * step)
    })
}

fn check_distance<const D: usize>(x: [f64; D]) {
    for region in regions::<D>() {
        let step = 1e-6;
        let normal = region.normal(&x);
        let length = distance(&normal, &[0.0; D]);
        assert!((length - 1.0).abs() < 1e-12, "{region:?} {normal:?}");
        // The nearest surface point lies on the surface, exactly as far as phi says; this holds on creases
        // too, where either limit of the normal will do.
        let phi = region.phi(&x);
        let foot: [f64; D] = std::array::from_fn(|k| x[k] - phi * normal[k]);
        assert!(region.phi(&foot).abs() < 1e-12, "{region:?} at {x:?}");
        // Away from creases the normal is the gradient; near one, differences straddle it.
        let smooth = distance(&region.normal(&x.map(|x| x + 2.0 * step)), &normal) < 1e-3
            && distance(&region.normal(&x.map(|x| x - 2.0 * step)), &normal) < 1e-3;
        let gradient = slope(&region, &x, step);
        let error = distance(&gradient, &normal);
        // Differences of order step² / radius of curvature² and round-off / step; a crease that the diagonal
        // probe misses may still lie within one step of the point.
        let crease = (distance(&gradient, &[0.0; D]) - 1.0).abs() > 1e-4;
        assert!(!smooth || crease || error < 1e-4, "{region:?} {x:?} {gradient:?} {normal:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normal_is_the_gradient_of_the_distance(x in prop::array::uniform3(-2.0..2.0_f64)) {
        check_distance::<3>(x);
        check_distance::<2>([x[0], x[1]]);
    }

    #[test]
    fn clamp_puts_points_inside(x in prop::array::uniform3(-2.0..2.0_f64), margin in 0.0..0.3_f64) {
        for region in regions::<3>() {
            let mut moved = x;
            region.clamp(&mut moved, margin, |_| ());
            prop_assert!(region.phi(&moved) <= -margin + 1e-12, "{:?} {:?}", region, moved);
            if region.phi(&x) <= -margin {
                prop_assert_eq!(moved, x);
            }
        }
    }

    #[test]
    fn no_site_lies_outside_and_none_twice(
        spacing in 0.05..0.2_f64, x in -1.0..1.0_f64, y in -1.0..1.0_f64, width in 0.2..1.0_f64
    ) {
        let region = block([x, y], [x + width, y + 0.7 * width]);
        for lattice in [Lattice::Cartesian, Lattice::Hexagonal] {
            let points = fill(&region, lattice, spacing, None);
            prop_assert!(points.iter().all(|x| region.phi(x) < 0.0));
            prop_assert!(nearest(&points) > 0.999 * spacing);
        }
    }
}

#[test]
fn signs_and_distances_at_known_points() {
    let unit = block([0.0, 0.0], [1.0, 2.0]);
    assert_eq!(unit.phi(&[0.5, 1.0]), -0.5);
    assert_eq!(unit.phi(&[4.0, 6.0]), 5.0);
    assert_eq!(unit.normal(&[0.9, 1.0]), [1.0, 0.0]);
    assert_eq!(unit.normal(&[4.0, 6.0]), [0.6, 0.8]);
    let plane = Region::HalfSpace { point: [0.0, 1.0], normal: [0.0, 1.0] };
    assert_eq!(plane.phi(&[7.0, 3.0]), 2.0);
    assert_eq!(Region::Outside(Box::new(plane)).phi(&[7.0, 3.0]), -2.0);
    let tube = Shape::Cylinder(Cylinder {
        center: vec![0.0; 3],
        axis: vec![0.0, 0.0, 2.0],
        radius: 1.0,
        length: 4.0,
    });
    let tube: Region<3> = tube.resolve("shape").unwrap();
    assert_eq!(tube.phi(&[0.0, 4.0, 6.0]), 5.0);
    assert_eq!(tube.phi(&[0.5, 0.0, 0.0]), -0.5);
    assert_eq!(tube.phi(&[0.0, 0.0, 1.75]), -0.25);
}

#[test]
fn a_collision_turns_back_what_leaves_and_only_that() {
    let container = Enclosure {
        region: block([0.0, 0.0], [1.0, 1.0]),
        restitution: 0.5,
        friction: 0.25,
        collision_radius: 0.125,
    };
    let (mut x, mut v): ([Real; 2], [Real; 2]) = ([1.5, 0.5], [4.0, 8.0]);
    assert!(container.collide(&mut x, &mut v));
    assert_eq!((x, v), ([0.875, 0.5], [-2.0, 6.0]));
    // Already coming back: the place is mended, the velocity left alone.
    let (mut x, mut v): ([Real; 2], [Real; 2]) = ([0.9375, 0.5], [-1.0, 3.0]);
    assert!(container.collide(&mut x, &mut v));
    assert_eq!((x, v), ([0.875, 0.5], [-1.0, 3.0]));
    let (mut x, mut v): ([Real; 2], [Real; 2]) = ([0.5, 0.5], [9.0, 9.0]);
    assert!(!container.collide(&mut x, &mut v));
    assert_eq!((x, v), ([0.5, 0.5], [9.0, 9.0]));
}

#[test]
fn a_block_is_filled_from_half_a_spacing_on_x_fastest() {
    let points = fill(&block([1.0, 2.0], [1.5, 2.3]), Lattice::Cartesian, 0.1, None);
    assert_eq!(points.len(), 5 * 3);
    assert!(distance(&points[0], &[1.05, 2.05]) < 1e-12);
    assert!(distance(&points[1], &[1.15, 2.05]) < 1e-12);
    assert!(distance(&points[5], &[1.05, 2.15]) < 1e-12);
    let points = fill(&block([0.0; 3], [1.0, 0.5, 0.75]), Lattice::Cartesian, 0.25, None);
    assert_eq!(points.len(), 4 * 2 * 3);
    assert_eq!(points[8], [0.125, 0.125, 0.375]);
}

#[test]
fn a_lattice_can_be_aligned_with_a_tank() {
    let column = block([1.992, 0.0], [3.22, 0.55]);
    let points = fill(&column, Lattice::Cartesian, 0.02, Some([0.0, 0.0]));
    let last = points.iter().map(|x| x[0]).fold(0.0, f64::max);
    assert!((last - 3.21).abs() < 1e-9, "{last}");
}

#[test]
fn lattices_have_their_nearest_distance_and_the_same_density() {
    let flat = |lattice| fill(&block([0.0, 0.0], [2.0, 2.0]), lattice, 0.05, None);
    let solid = |lattice| fill(&block([0.0; 3], [1.0; 3]), lattice, 0.08, None);
    for (lattice, ratio) in [(Lattice::Cartesian, 1.0), (Lattice::Hexagonal, (2.0 / 3.0_f64.sqrt()).sqrt())] {
        let points = flat(lattice);
        assert!((nearest(&points) - ratio * 0.05).abs() < 1e-9, "{lattice:?}");
        // Sites along the surface may miss by half a row on each side: perimeter × spacing / 2.
        let volume = points.len() as f64 * 0.05 * 0.05;
        assert!((volume - 4.0).abs() <= 0.5 * 8.0 * 0.05, "{lattice:?} {volume}");
    }
    let ratios = [
        (Lattice::Cartesian, 1.0),
        (Lattice::Fcc, 2.0_f64.powf(1.0 / 6.0)),
        (Lattice::Bcc, 0.75_f64.sqrt() * 2.0_f64.cbrt()),
    ];
    for (lattice, ratio) in ratios {
        let points = solid(lattice);
        assert!((nearest(&points) - ratio * 0.08).abs() < 1e-9, "{lattice:?}");
        let volume = points.len() as f64 * 0.08_f64.powi(3);
        assert!((volume - 1.0).abs() <= 0.5 * 6.0 * 0.08, "{lattice:?} {volume}");
    }
}

#[test]
fn sampled_balls_and_cylinders_have_their_volume() {
    let spacing: f64 = 0.05;
    let disc = Region::Ball { center: [0.3, 0.1], radius: 1.0 };
    let ball = Region::Ball { center: [0.3, 0.1, -2.0], radius: 0.7 };
    let tube: Region<3> =
        Region::Cylinder { center: [0.0; 3], axis: [0.0, 0.6, 0.8], radius: 0.6, half_length: 0.5 };
    let check = |count: usize, dim: i32, volume: f64| {
        let sampled = count as f64 * spacing.powi(dim);
        // The error of a lattice count is far below surface × spacing, here 10 to 20 %.
        assert!((sampled / volume - 1.0).abs() < 0.01, "{sampled} {volume}");
    };
    check(fill(&disc, Lattice::Cartesian, spacing, None).len(), 2, disc.volume().unwrap());
    check(fill(&disc, Lattice::Hexagonal, spacing, None).len(), 2, disc.volume().unwrap());
    check(fill(&ball, Lattice::Cartesian, spacing, None).len(), 3, ball.volume().unwrap());
    check(fill(&ball, Lattice::Fcc, spacing, None).len(), 3, ball.volume().unwrap());
    check(fill(&tube, Lattice::Cartesian, spacing, None).len(), 3, tube.volume().unwrap());
}

#[test]
fn a_filled_disc_is_symmetric() {
    let disc = Region::Ball { center: [0.0, 0.0], radius: 1.0 };
    let points = fill(&disc, Lattice::Cartesian, 0.1, None);
    for x in &points {
        let mirrored = [-x[0], x[1]];
        assert!(points.iter().any(|y| distance(y, &mirrored) < 1e-9), "{x:?}");
    }
}

#[test]
fn jitter_is_bounded_and_reproducible() {
    let regular = fill(&block([0.0; 3], [1.0; 3]), Lattice::Cartesian, 0.1, None);
    let jittered = |seed| {
        let mut points = regular.clone();
        Jitter { amplitude: 0.02, seed }.apply(&mut points);
        points
    };
    let (first, again, other) = (jittered(1), jittered(1), jittered(2));
    assert_eq!(first, again);
    assert_ne!(first, other);
    let shifts: Vec<f64> =
        first.iter().zip(&regular).flat_map(|(a, b)| (0..3).map(|k| a[k] - b[k])).collect();
    assert!(shifts.iter().all(|shift| shift.abs() <= 0.02 + 1e-15));
    assert!(shifts.iter().any(|shift| *shift > 0.0199) && shifts.iter().any(|shift| *shift < -0.0199));
    // The bits of one displacement, worked out apart from this code; the same on every machine.
    assert_eq!(Jitter { amplitude: 1.0, seed: 1 }.uniform(0, 0).to_bits(), 0x3fd8_c501_7a36_c6c0);
}

fn tank(faces: Option<Vec<Face>>) -> Layers {
    Layers { side: Side::Inside, faces, count: 2, offset: 0.5 }
}

fn places<const D: usize>(samples: &[WallSample<D>]) -> Vec<[f64; D]> {
    samples.iter().map(|sample| sample.x).collect()
}

#[test]
fn a_tank_continues_the_lattice_of_its_fluid() {
    let region = block([0.0, 1.0], [1.0, 1.6]);
    let fluid = fill(&region, Lattice::Cartesian, 0.1, None);
    let walls = layers(&region, 0.1, &tank(None));
    // All sites of a lattice two cells larger on each side, without those of the fluid.
    assert_eq!(walls.len(), (10 + 4) * (6 + 4) - fluid.len());
    let mut all = places(&walls);
    all.extend(&fluid);
    assert!((nearest(&all) - 0.1).abs() < 1e-9);
    let larger = fill(&block([-0.2, 0.8], [1.2, 1.8]), Lattice::Cartesian, 0.1, None);
    assert_eq!(larger.len(), all.len());
    for x in &larger {
        assert!(all.iter().any(|y| distance(x, y) < 1e-9), "{x:?}");
    }
}

#[test]
fn an_open_tank_has_only_its_faces_and_their_corners() {
    let region = block([0.0; 3], [0.5, 0.4, 0.3]);
    let faces = vec![Face::XMin, Face::XMax, Face::YMin, Face::ZMin];
    let walls = layers(&region, 0.1, &tank(Some(faces.clone())));
    assert_eq!(walls.len(), (5 + 4) * (4 + 2) * (3 + 2) - 5 * 4 * 3);
    assert!((nearest(&places(&walls)) - 0.1).abs() < 1e-9);
    for wall in &walls {
        assert!(wall.x[1] < 0.4 && wall.x[2] < 0.3, "{wall:?}");
        let behind = [wall.x[0] < 0.0, wall.x[0] > 0.5, wall.x[1] < 0.0, wall.x[2] < 0.0];
        let count = behind.iter().filter(|behind| **behind).count();
        let face = (0..4).find(|k| behind[*k]).filter(|_| count == 1).map(|k| faces[k]);
        assert_eq!(wall.face, face, "{wall:?}");
    }
    let flat = walls.iter().filter(|wall| wall.face == Some(Face::ZMin));
    assert!(flat.clone().all(|wall| (wall.x[2] + 0.05 + 0.1 * wall.layer as f64).abs() < 1e-12));
    assert_eq!(flat.count(), 2 * 5 * 4);
}

#[test]
fn obstacles_are_sampled_within_and_evenly_between_their_faces() {
    let how = Layers { side: Side::Outside, faces: None, count: 2, offset: 0.5 };
    // 1.61 spacings do not divide: the step adapts, the faces stay where they are.
    let region = block([0.0, 0.0, 0.0], [0.161, 0.403, 0.161]);
    let walls = layers(&region, 0.02, &how);
    assert!(walls.iter().all(|wall| region.phi(&wall.x) <= -0.0099));
    for k in 0..3 {
        let high = [0.161, 0.403, 0.161][k];
        let least = walls.iter().map(|wall| wall.x[k]).fold(f64::INFINITY, f64::min);
        let most = walls.iter().map(|wall| wall.x[k]).fold(0.0, f64::max);
        assert!((least - 0.01).abs() < 1e-12 && (most - (high - 0.01)).abs() < 1e-12);
    }
    assert_eq!(walls.len(), 8 * 20 * 8 - 4 * 16 * 4);
    let spacing = nearest(&places(&walls));
    assert!((0.0195..=0.0205).contains(&spacing), "{spacing}");
    assert!(walls.iter().all(|wall| wall.layer < 2));
    // Thinner than the first layers: still one sheet.
    assert_eq!(layers(&block([0.0, 0.0], [1.0, 0.01]), 0.1, &how).len(), 10);
}

#[test]
fn rings_and_spheres_have_their_radii_and_about_one_point_per_cell() {
    let disc = Region::Ball { center: [1.0, 2.0], radius: 0.5 };
    for (side, radii) in [(Side::Inside, [0.525, 0.575]), (Side::Outside, [0.475, 0.425])] {
        let walls = layers(&disc, 0.05, &Layers { side, faces: None, count: 2, offset: 0.5 });
        for wall in &walls {
            assert!((distance(&wall.x, &[1.0, 2.0]) - radii[wall.layer]).abs() < 1e-12);
        }
        let expected = radii.iter().map(|r| std::f64::consts::TAU * r / 0.05).sum::<f64>();
        assert!((walls.len() as f64 - expected).abs() <= 1.0);
        // The two rings do not face each other point by point, so their distance is at least that of rings.
        assert!(nearest(&places(&walls)) > 0.97 * 0.05);
    }
    let ball = Region::Ball { center: [0.0; 3], radius: 0.5 };
    let walls = layers(&ball, 0.05, &Layers { side: Side::Inside, faces: None, count: 1, offset: 0.5 });
    assert!(walls.iter().all(|wall| (distance(&wall.x, &[0.0; 3]) - 0.525).abs() < 1e-12));
    let expected = 4.0 * std::f64::consts::PI * (0.525_f64 / 0.05).powi(2);
    assert!((walls.len() as f64 - expected).abs() <= 0.5);
    // Measured: 0.87 spacings, of a spiral lattice of this density.
    assert!(nearest(&places(&walls)) > 0.85 * 0.05);
}

fn pipe() -> Region<3> {
    Region::Cylinder { center: [0.0; 3], axis: [1.0, 0.0, 0.0], radius: 0.5, half_length: 1.0 }
}

#[test]
fn a_pipe_has_a_side_and_caps_as_asked() {
    let side = layers(&pipe(), 0.1, &tank(Some(vec![Face::Side])));
    // 20 stations, rings of radius 0.55 and 0.65.
    assert_eq!(side.len(), 20 * (35 + 41));
    assert!(side.iter().all(|wall| wall.x[0].abs() < 1.0 && wall.face == Some(Face::Side)));
    let first = side.iter().map(|wall| wall.x[0]).fold(f64::INFINITY, f64::min);
    assert!((first + 0.95).abs() < 1e-12, "{first}");
    let closed = layers(&pipe(), 0.1, &tank(None));
    assert!(closed.iter().all(|wall| pipe().phi(&wall.x) > 0.049));
    let caps = closed.iter().filter(|wall| wall.face == Some(Face::CapMin)).count();
    // Rings of 0.05 to 0.45 in two layers.
    assert_eq!(caps, 2 * (3 + 9 + 16 + 22 + 28));
    // The innermost ring is a triangle of side 0.866 spacings.
    assert!(nearest(&places(&closed)) > 0.86 * 0.1);
}

#[test]
fn the_fluid_of_a_pipe_closes_its_period_and_faces_its_wall() {
    // An odd number of spacings.
    let pipe = Region::Cylinder { center: [0.0; 3], axis: [1.0, 0.0, 0.0], radius: 0.5, half_length: 0.35 };
    let fluid = fill(&pipe, Lattice::Cartesian, 0.1, None);
    let wall = layers(&pipe, 0.1, &tank(Some(vec![Face::Side])));
    let along = |mut x: Vec<f64>| {
        x.sort_by(f64::total_cmp);
        x.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        x
    };
    let fluid = along(fluid.iter().map(|x| x[0]).collect());
    let wall = along(wall.iter().map(|wall| wall.x[0]).collect());
    assert_eq!(fluid.len(), 7);
    assert!((fluid[0] + 0.3).abs() < 1e-12);
    assert!(fluid.iter().zip(&wall).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn a_solid_cylinder_is_sampled_within() {
    let how = Layers { side: Side::Outside, faces: None, count: 2, offset: 0.5 };
    let walls = layers(&pipe(), 0.1, &how);
    assert!(walls.iter().all(|wall| (-0.16..-0.04).contains(&pipe().phi(&wall.x))));
    assert!(nearest(&places(&walls)) > 0.86 * 0.1);
}

#[test]
fn the_bed_of_a_tank_has_no_gap_whatever_its_length() {
    for length in [1.0, 1.01, 1.04, 1.049, 1.051, 1.099] {
        let tank = block([0.0, 0.0], [length, 1.0]);
        let how = Layers { side: Side::Inside, faces: None, count: 2, offset: 0.5 };
        let samples = layers(&tank, 0.1, &how);
        // The first layer of the bed, corners included, from left to right.
        let mut x: Vec<f64> =
            samples.iter().filter(|s| (s.x[1] + 0.05).abs() < 1e-9).map(|s| s.x[0]).collect();
        x.sort_by(f64::total_cmp);
        let widest = x.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max);
        assert!(widest < 0.106, "length {length}: a gap of {widest} m at a spacing of 0.1 m");
    }
}
