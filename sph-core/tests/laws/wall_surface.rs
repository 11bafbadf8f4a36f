//! Surfaces that particles touch: their faces, and how far away these are.
#![allow(clippy::expect_used, reason = "a failure is that of the test")]

use proptest::prelude::*;
use sph_core::{
    fluid::wall_surface::{Place, WallCondition, WallSurface},
    geometry::{
        sampling::{Face, Layers, Side},
        shape::Region,
    },
};

const SPACING: f64 = 0.1;

fn regions() -> Vec<Region<3>> {
    vec![
        Region::Block { min: [-1.0, -0.7, -0.5], max: [1.0, 0.7, 0.5] },
        Region::Ball { center: [0.1, 0.0, -0.2], radius: 0.9 },
        Region::Cylinder { center: [0.1, 0.0, 0.0], axis: [0.6, 0.0, 0.8], radius: 0.6, half_length: 0.8 },
        Region::HalfSpace { point: [0.0, 0.3, 0.0], normal: [0.0, 0.6, 0.8] },
    ]
}

fn surface(region: &Region<3>, side: Side, faces: Option<Vec<Face>>) -> WallSurface<3> {
    let layers = Layers { side, faces, count: 3, offset: 0.5 };
    WallSurface::of_wall("wall", region.clone(), &layers, SPACING, &[], WallCondition::new(true))
}

fn touched(surface: &WallSurface<3>, x: &[f64; 3], reach: f64) -> Vec<(usize, f64, [f64; 3])> {
    let mut found = Vec::new();
    surface.near(x, reach, |face, d, n| found.push((face, d, n)));
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// A step along the normal of a face leads as far away from it.
    #[test]
    fn normals_of_faces_are_their_gradients(x in prop::array::uniform3(-1.5..1.5_f64)) {
        for region in regions() {
            let (over, n_faces) = region.face_distances(&x);
            for face in 0..n_faces {
                let n = region.face_normal(face, &x);
                let next = std::array::from_fn(|k| x[k] + 1e-3 * n[k]);
                prop_assert!((region.face_distances(&next).0[face] - over[face] - 1e-3).abs() < 1e-9, "{region:?} {face}");
            }
        }
    }

    /// The least distance of a point on the fluid's side is that of the shape, and a point behind is touched down to
    /// the last layer.
    #[test]
    fn what_is_near_is_at_the_distance_of_the_shape(x in prop::array::uniform3(-1.5..1.5_f64)) {
        for region in regions() {
            for side in [Side::Inside, Side::Outside] {
                let (surface, phi) = (surface(&region, side, None), region.phi(&x));
                let found = touched(&surface, &x, 0.2);
                let d = if side == Side::Inside { -phi } else { phi };
                match surface.locate(&x) {
                    Place::Free if d < 0.2 => {
                        let nearest = found.iter().map(|touch| touch.1).fold(f64::INFINITY, f64::min);
                        prop_assert!((nearest - d).abs() < 1e-12, "{region:?} {side:?}: {found:?} {d}");
                    }
                    Place::Free => prop_assert!(found.is_empty()),
                    Place::Behind(depth) if depth < surface.last_layer => prop_assert!(found.iter().any(|t| t.1 < 0.0)),
                    Place::Behind(depth) if depth > 2.0 * surface.last_layer => prop_assert!(found.is_empty()),
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn an_open_face_is_not_there() {
    let block = &regions()[0];
    let tank = surface(block, Side::Inside, Some(vec![Face::XMin, Face::XMax, Face::YMin]));
    assert!(touched(&tank, &[0.0, 0.69, 0.0], 0.2).is_empty(), "before the open face");
    assert!(touched(&tank, &[-0.99, 0.71, 0.0], 0.2).is_empty(), "over the rim");
    assert_eq!(touched(&tank, &[-0.95, -0.6, 0.0], 0.2).len(), 2, "a corner");
    assert!(touched(&tank, &[-1.5, -0.7, 0.0], 0.2).is_empty(), "beside the floor, outside");
    let obstacle = surface(block, Side::Outside, Some(vec![Face::XMax]));
    assert!(touched(&obstacle, &[0.0, 0.75, 0.0], 0.2).is_empty());
    assert_eq!(touched(&obstacle, &[1.05, 0.0, 0.0], 0.2).len(), 1);
}
