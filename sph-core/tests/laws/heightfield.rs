//! Solids below a surface from a file.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use crate::fields::{csv, file, grid, npz};
use proptest::prelude::*;
use sph_core::{
    geometry::{
        sampling::{Lattice, Layers, Side, fill, layers},
        shape::{Region, Shape},
    },
    scene::Scene,
};
use std::path::Path;

const NAMES: &str = "x [m], y [m], z [m]";

fn shape(path: &Path, bottom: f64) -> Shape {
    toml::from_str(&format!("heightfield = {{ file = {path:?}, bottom = {bottom:?} }}")).unwrap()
}

/// The solid below a surface over these coordinates.
fn solid(name: &str, axes: [&[f64]; 2], bottom: f64, height: impl Fn(&[f64; 2]) -> f64) -> Region<3> {
    let rows = grid(axes, |x| vec![height(x)]);
    shape(&file(name, csv(NAMES, &rows)), bottom).resolve("shape").unwrap()
}

fn even(n: u32, low: f64, high: f64) -> Vec<f64> {
    (0..=n).map(|k| low + (high - low) * f64::from(k) / f64::from(n)).collect()
}

/// Below a plane: the prism has the area times the height in its middle, and near the middle the distance of a half space.
#[test]
fn a_plane_is_a_half_space_near_its_middle_and_a_prism() {
    let (x, y) = ([-1.0, -0.3, 0.1, 0.7, 1.0], even(6, 0.0, 3.0));
    let height = |x: &[f64; 2]| 0.2 * x[0] - 0.3 * (x[1] - 1.5) + 1.0;
    let rows = grid([&x, &y], |x| vec![height(x)]);
    let files = [file("plane.csv", csv(NAMES, &rows)), file("plane.npz", npz(&[("x", 3)], &rows))];
    let (slope, length) = ([-0.2, 0.3, 1.0], 1.13_f64.sqrt());
    let half: Region<3> = Region::HalfSpace { point: [0.0, 1.5, 1.0], normal: slope.map(|n| n / length) };
    for path in files {
        let solid: Region<3> = shape(&path, -2.0).resolve("shape").unwrap();
        assert!((solid.volume().unwrap() - 2.0 * 3.0 * 3.0).abs() < 1e-13);
        assert_eq!(solid.bounds().unwrap().0, [-1.0, 0.0, -2.0]);
        for k in 0..300 {
            let k = f64::from(k);
            let x = [0.3 * (2.0 * k).sin(), 1.5 + 0.3 * (0.7 * k).cos(), 1.0 + 0.6 * (0.31 * k).sin()];
            assert!((solid.phi(&x) - half.phi(&x)).abs() < 1e-13, "{x:?}");
            let (n, expected) = (solid.normal(&x), half.normal(&x));
            assert!((0..3).all(|a| (n[a] - expected[a]).abs() < 1e-9), "{x:?} {n:?}");
        }
    }
}

const AXES: [&[f64]; 2] = [&[0.25, 0.5, 1.0], &[-0.5, -0.25, 0.0, 0.5]];

fn block() -> Region<3> {
    Region::Block { min: [0.25, -0.5, 1.0], max: [1.0, 0.5, 1.5] }
}

/// Fluid and walls on either side are those of the block that a level surface bounds.
#[test]
fn a_level_surface_bounds_a_block() {
    let solid = solid("level.csv", AXES, 1.0, |_| 1.5);
    assert_eq!(solid.bounds(), block().bounds());
    assert!((solid.volume().unwrap() - 0.375).abs() < 1e-15);
    assert_eq!(fill(&solid, Lattice::Cartesian, 0.05, None), fill(&block(), Lattice::Cartesian, 0.05, None));
    for (side, sign) in [(Side::Inside, 1.0), (Side::Outside, -1.0)] {
        let how = Layers { side, faces: None, count: 2, offset: 0.5 };
        let samples = layers(&solid, 0.05, &how);
        assert!(samples.len() > 500);
        for sample in samples {
            let depth = sign * 0.05 * (sample.layer as f64 + 0.5);
            assert!((block().phi(&sample.x) - depth).abs() < 1e-4, "{side:?} {sample:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn distance_and_normal_of_a_level_surface_are_those_of_a_block(x in prop::array::uniform3(-1.0..2.5_f64)) {
        static SOLID: std::sync::OnceLock<Region<3>> = std::sync::OnceLock::new();
        let solid = SOLID.get_or_init(|| solid("prop_level.csv", AXES, 1.0, |_| 1.5));
        prop_assert!((solid.phi(&x) - block().phi(&x)).abs() < 1e-13);
        // Outward: one step along it is as much farther out.
        let n = solid.normal(&x);
        let out: [f64; 3] = std::array::from_fn(|a| x[a] + 1e-6 * n[a]);
        prop_assert!((block().phi(&out) - block().phi(&x) - 1e-6).abs() < 1e-9);
    }
}

/// `∫ (2 - x² - y²) dA` over `[-1, 1]²` is 16/3, and 4 stand below z = 0; flat triangles between nodes h apart miss it as h².
#[test]
fn the_volume_under_a_paraboloid_converges() {
    let miss = |n: u32| {
        let axis = even(n, -1.0, 1.0);
        let solid = solid("bowl.csv", [&axis, &axis], -1.0, |x| 2.0 - x[0] * x[0] - x[1] * x[1]);
        solid.volume().unwrap() - 4.0 - 16.0 / 3.0
    };
    let [coarse, middle, fine] = [8, 16, 32].map(miss);
    assert!(fine.abs() < 1e-2 && (coarse / middle - 4.0).abs() < 0.2 && (middle / fine - 4.0).abs() < 0.1);
}

/// One cell, cut along the diagonal whose ends differ less: a third or a sixth of a prism stands on it.
#[test]
fn a_cell_is_cut_along_the_more_level_diagonal() {
    let unit = [0.0, 1.0];
    for (corners, above) in [
        // Heights at (0, 0), (0, 1), (1, 0), (1, 1).
        ([0.0, 0.0, 0.0, 1.0], 1.0 / 6.0),
        ([1.0, 0.0, 0.0, 0.0], 1.0 / 6.0),
        ([0.0, 1.0, 0.0, 0.0], 1.0 / 6.0),
        ([1.0, 0.0, 1.0, 1.0], 5.0 / 6.0),
        // A tie: along that from the smallest coordinates.
        ([0.0, 1.0, 1.0, 0.0], 1.0 / 3.0),
        ([1.0, 0.0, 0.0, 1.0], 2.0 / 3.0),
    ] {
        let at = |x: &[f64; 2]| corners[2 * x[0] as usize + x[1] as usize];
        let solid = solid("cell.csv", [&unit, &unit], -1.0, at);
        assert!((solid.volume().unwrap() - 1.0 - above).abs() < 1e-14, "{corners:?} {:?}", solid.volume());
    }
}

#[test]
fn what_is_no_surface_is_refused() {
    let scene = |dim: u8, name: &str, bottom: &str| {
        let text = format!(
            "dim = {dim}\nspacing = 0.1\nrun.end_time = 1\n[[fluid]]\n\
             shape.heightfield = {{ file = \"{name}\", bottom = {bottom} }}\n"
        );
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bed.toml");
        Scene::parse(&place.display().to_string(), &text).unwrap_err().to_string()
    };
    let square = "x [m],y [m],z [m]\n0,0,1\n1,0,1\n0,1,0.5\n";
    file("bed.csv", format!("{square}1,1,1\n"));
    let error = scene(3, "bed.csv", "0.5");
    let message = "bed.toml:5:50: fluid[0].shape.heightfield.bottom = 0.5: must be below the surface, whose lowest point \
                   is at z = 0.5 m";
    assert!(error.ends_with(message), "{error}");
    assert!(scene(3, "bed.csv", "nan").contains("fluid[0].shape.heightfield.bottom = NaN"));
    assert!(scene(2, "bed.csv", "0").contains("a heightfield exists in three dimensions only; use polygon"));
    for (text, expected) in [
        (square.to_owned(), "has no point at [1.0, 1.0] m: 3 points are no grid of 2 x 2"),
        (format!("{square}1,1,NaN\n"), "line 5: has \"NaN\", which is no finite number"),
        ("x [m],y [m],z [m]\n0,0,1\n1,0,1\n".to_owned(), "has all points at y = 0 m"),
        (square.replace("z [m]", "height [m]"), "has no column `z [m]`"),
    ] {
        file("none_bed.csv", &text);
        let error = scene(3, "none_bed.csv", "0");
        assert!(error.contains("fluid[0].shape.heightfield.file = ") && error.contains(expected), "{error}");
    }
    let axis = even(500, 0.0, 1.0);
    file("large_bed.npz", npz(&[("x", 3)], &grid([&axis, &axis], |_| vec![1.0])));
    assert!(scene(3, "large_bed.npz", "0").contains("has more than 1000000 triangles"));
}
