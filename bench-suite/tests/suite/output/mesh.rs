//! Is the surface of a ball of particles closed, and does it hold the ball's volume?
#![cfg(feature = "mesh")]
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "helpers of tests")]

use super::python;

use bench_suite::output::{
    FrameData, encode_mesh,
    mesh::{Options, Surface, surface},
};
use sph_core::Real;
use std::{collections::HashMap, fs, path::Path};

const SPACING: f64 = 0.05;
const RADIUS: f64 = 0.5;

/// A ball of particles on a lattice.
fn ball() -> FrameData<3> {
    let mut frame = FrameData { step: 7, t: 0.25, spacing: SPACING, ..FrameData::default() };
    let n = (RADIUS / SPACING) as i32 + 1;
    let axis = |i: i32| (f64::from(i) + 0.5) * SPACING;
    for (i, j, k) in (-n..n).flat_map(|i| (-n..n).flat_map(move |j| (-n..n).map(move |k| (i, j, k)))) {
        let x = [axis(i), axis(j), axis(k)];
        if x.iter().map(|x| x * x).sum::<f64>() < RADIUS * RADIUS {
            frame.id.push(frame.id.len() as u64);
            (0..3).for_each(|d| frame.x[d].push(x[d] as Real));
        }
    }
    frame
}

/// `Σ a · (b × c) / 6` over the triangles `[m³]`.
fn volume(surface: &Surface) -> f64 {
    let corner = |i: u32| surface.corners[i as usize].map(f64::from);
    let sixfold = surface.triangles.iter().map(|t| {
        let [a, b, c] = t.map(corner);
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    });
    sixfold.sum::<f64>() / 6.0
}

#[test]
fn the_surface_of_a_ball_is_closed_and_holds_its_volume() {
    let frame = ball();
    let surface = surface(&frame, &Options::default()).unwrap();
    let mut edges = HashMap::new();
    for t in &surface.triangles {
        for k in 0..3 {
            *edges.entry((t[k], t[(k + 1) % 3])).or_insert(0) += 1;
        }
    }
    // Every edge is walked once in either direction: no hole, no fold, one outside.
    assert!(edges.iter().all(|(&(a, b), &n)| n == 1 && edges.get(&(b, a)) == Some(&1)));
    let ratio = volume(&surface) / (frame.id.len() as f64 * SPACING.powi(3));
    println!("{} triangles, volume {ratio:.4} of the particles'", surface.triangles.len());
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mesh-ball");
    fs::create_dir_all(&folder).unwrap();
    let bytes = encode_mesh(&frame, &surface.corners, &surface.triangles);
    fs::write(folder.join("ball.ply"), bytes).unwrap();
    fs::write(folder.join("volume.txt"), volume(&surface).to_string()).unwrap();
    python::run("read_mesh.py", &folder);
}

#[test]
fn what_has_no_surface_is_refused() {
    let refused = |frame: &FrameData<3>, options: &Options| surface(frame, options).unwrap_err().to_string();
    let (good, frame) = (Options::default(), ball());
    assert!(refused(&FrameData { spacing: 0.1, ..FrameData::default() }, &good).contains("needs particles"));
    assert!(refused(&FrameData { spacing: 0.0, ..frame.clone() }, &good).contains("spacing is 0"));
    assert!(refused(&frame, &Options { cube: -1.0, ..good }).contains("cube = -1"));
    assert!(refused(&frame, &Options { iso: f64::NAN, ..good }).contains("iso = NaN"));
}
