//! The pieces that walls are made of for contacts of bodies.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use sph_core::{
    geometry::{
        sampling::{Side, splitmix64},
        shape::Region,
    },
    rigid::pieces::{Piece, fill},
};
use std::array::from_fn;

/// Signed distance to a piece, negative inside.
fn phi<const D: usize>(piece: &Piece<D>, x: &[f64; D]) -> f64 {
    match piece {
        Piece::Solid(region) => region.phi(x),
        Piece::Behind { point, normal } => (0..D).map(|a| (x[a] - point[a]) * normal[a]).sum(),
        Piece::Hollow(hull) => -hull.phi(x),
    }
}

/// Just inside a region no piece is; just outside there is one.
fn closes<const D: usize>(region: Region<D>, sagitta: f64) {
    let mut pieces = Vec::new();
    fill(&region, Side::Inside, &[false; 6], &mut pieces);
    let mut hash = 1;
    for _ in 0..2000 {
        let (low, high) = region.bounds().unwrap();
        let x: [f64; D] = from_fn(|a| {
            hash = splitmix64(hash);
            low[a] - 0.2 + (hash >> 11) as f64 / (1_u64 << 53) as f64 * (high[a] - low[a] + 0.4)
        });
        let covered = pieces.iter().map(|piece| phi(piece, &x)).fold(f64::INFINITY, f64::min);
        match region.phi(&x) {
            inside if inside < -1e-12 => assert!(covered > 0.0, "{region:?} {x:?} {covered}"),
            outside if outside > sagitta => assert!(covered < 0.0, "{region:?} {x:?} {covered}"),
            _ => {}
        }
    }
}

#[test]
fn hollow_shapes_are_closed() {
    closes(Region::Block { min: [0.0, 1.0], max: [2.0, 1.7] }, 0.0);
    closes(Region::Block { min: [0.0, 1.0, 0.0], max: [2.0, 1.7, 0.3] }, 0.0);
    let (center, axes) = ([0.3, 0.1], [[0.6, 0.8], [-0.8, 0.6]]);
    closes(Region::TurnedBlock { center, axes, half: [0.7, 0.4] }, 0.0);
    closes(Region::Ball { center: [0.3, 0.1], radius: 0.7 }, 0.0012 * 0.7);
    closes(Region::Ball { center: [0.3, 0.1, -0.2], radius: 0.7 }, 0.01 * 0.7);
    for axis in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.6, 0.0, -0.8], [0.0, 1.0, 0.0]] {
        let center = [0.1, 0.2, 0.3];
        closes(Region::Cylinder { center, axis, radius: 0.5, half_length: 0.4 }, 0.0012 * 0.5);
    }
}

#[test]
fn an_open_face_has_no_wall_above_its_rim() {
    let tank = Region::Block { min: [0.0, 0.0], max: [1.0, 1.0] };
    let mut pieces = Vec::new();
    fill(&tank, Side::Inside, &[false, false, false, true, false, false], &mut pieces);
    assert!(pieces.iter().all(|piece| phi(piece, &[0.5, 1.1]) > 0.0 && phi(piece, &[-0.1, 1.01]) > 0.0));
    assert!(pieces.iter().any(|piece| phi(piece, &[-0.1, 0.9]) < 0.0));
    assert!(pieces.iter().any(|piece| phi(piece, &[-0.1, -0.1]) < 0.0), "the corner is closed");
}

#[test]
fn what_lies_outside_of_a_shape_is_its_hollow() {
    let half = Region::HalfSpace { point: [0.0, 0.0], normal: [0.0, -1.0] };
    let mut pieces = Vec::new();
    fill(&half, Side::Inside, &[false; 6], &mut pieces);
    assert!(phi(&pieces[0], &[0.0, 1.0]) > 0.0 && phi(&pieces[0], &[0.0, -1.0]) < 0.0);
    let mut pieces = Vec::new();
    let ball = Region::Ball { center: [0.0, 0.0], radius: 1.0 };
    fill(&Region::Outside(Box::new(ball.clone())), Side::Inside, &[false; 6], &mut pieces);
    assert_eq!(pieces, [Piece::Solid(ball)]);
}
