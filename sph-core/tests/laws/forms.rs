//! Moments of bodies.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use sph_core::{
    geometry::{
        sampling::{Lattice, fill},
        shape::Region,
    },
    rigid::Form,
};
use std::array::from_fn;

/// The moments of a lattice that fills the region differ by the unevenness of its surface.
fn agrees_with_a_lattice(region: &Region<3>) {
    let (form, center) = Form::new(String::new(), region, 2.0).unwrap();
    let points = fill(region, Lattice::Cartesian, 0.02, None);
    let m = 2.0 / points.len() as f64;
    let found = form.inertia_matrix();
    for a in 0..3 {
        for b in 0..3 {
            let term = |x: &[f64; 3]| {
                let d: [f64; 3] = from_fn(|k| x[k] - center[k]);
                let r2: f64 = d.iter().map(|d| d * d).sum();
                m * (if a == b { r2 } else { 0.0 } - d[a] * d[b])
            };
            let summed: f64 = points.iter().map(term).sum();
            let scale = found[0][0].max(found[1][1]).max(found[2][2]);
            assert!((found[a][b] - summed).abs() < 0.02 * scale, "{region:?} {a}{b}: {found:?} {summed}");
        }
    }
    let x = [0.3, -0.7, 1.1];
    let back = form.inverse_inertia(&form.inertia(&x));
    assert!((0..3).all(|a| (back[a] - x[a]).abs() < 1e-14), "{back:?}");
    let distance = |x: &[f64; 3]| (0..3).map(|k| (x[k] - center[k]).powi(2)).sum::<f64>().sqrt();
    assert!(points.iter().all(|x| distance(x) < form.reach));
}

#[test]
fn moments_are_those_of_the_shape() {
    agrees_with_a_lattice(&Region::Block { min: [1.0, 0.0, 0.0], max: [1.4, 0.8, 1.2] });
    agrees_with_a_lattice(&Region::Ball { center: [0.3, 0.1, 0.0], radius: 0.5 });
    let (center, axis) = ([0.0, 1.0, 0.2], [0.6, 0.0, 0.8]);
    agrees_with_a_lattice(&Region::Cylinder { center, axis, radius: 0.3, half_length: 0.6 });
    let (x, y) = ([0.48, 0.6, 0.64], [-0.6 / 0.5904_f64.sqrt(), 0.48 / 0.5904_f64.sqrt(), 0.0]);
    let z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
    agrees_with_a_lattice(&Region::TurnedBlock { center, axes: [x, y, z], half: [0.2, 0.6, 0.4] });
}

#[test]
fn a_plane_turns_about_its_normal() {
    let block = Region::Block { min: [0.0, 0.0], max: [3.0, 1.0] };
    let (form, center) = Form::new(String::new(), &block, 6.0).unwrap();
    assert_eq!(center, [1.5, 0.5]);
    // m (a² + b²)/12.
    assert!((form.inertia(&[0.0, 0.0, 1.0])[2] - 5.0).abs() < 1e-14);
    let disc = Region::Ball { center: [0.0, 0.0], radius: 2.0 };
    let (form, _) = Form::new(String::new(), &disc, 3.0).unwrap();
    assert!((form.inertia(&[0.0, 0.0, 1.0])[2] - 6.0).abs() < 1e-14);
    assert!(Form::new(String::new(), &Region::Outside(Box::new(disc)), 1.0).is_none());
}
