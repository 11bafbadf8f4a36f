//! Scenes of closed facets: polygons in 2D, meshes and a heightfield in 3D.

use super::super::common;
use std::{fmt::Write as _, fs, path::Path};

/// A file of this test, with a text.
fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", common::NAME));
    // Other tests of the crate may read it: it is complete at once.
    let part = path.with_extension(format!("{:?}", std::thread::current().id()));
    fs::write(&part, text).unwrap();
    fs::rename(part, &path).unwrap();
    format!("file = {path:?}")
}

/// A polygon, in 3D the prism over it between two heights, a mesh. All corners are seen from their mean.
pub fn prism<const D: usize>(name: &str, points: &[[f64; 2]], [low, high]: [f64; 2]) -> String {
    if D == 2 {
        return format!("polygon = {{ points = {points:?} }}");
    }
    let n = points.len();
    let mean = [0, 1].map(|a| points.iter().map(|x| x[a]).sum::<f64>() / n as f64);
    let mut text = String::new();
    for (z, [x, y]) in [low, high].into_iter().flat_map(|z| points.iter().chain([&mean]).map(move |x| (z, x)))
    {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    // Numbers from 1 on: the corners of a side, then its middle, and the other side.
    for (a, b) in (1..=n).map(|a| (a, a % n + 1)) {
        let (m, above) = (n + 1, |k: usize| k + n + 1);
        for [p, q, r] in
            [[b, a, m], [above(a), above(b), above(m)], [a, b, above(b)], [a, above(b), above(a)]]
        {
            writeln!(text, "f {p} {q} {r}").unwrap();
        }
    }
    format!("mesh = {{ {} }}", file(&format!("{name}.obj"), &text))
}

/// A bed whose surface rises and falls around y = 0: the heightfield is turned, so that its z becomes y.
fn bed() -> String {
    let mut text = "x [m],y [m],z [m]\n".to_owned();
    for (i, j) in (0..12).flat_map(|j| (0..12).map(move |i| (i, j))) {
        let (x, y) = (-0.3 + 0.15 * f64::from(i), -1.0 + 0.15 * f64::from(j));
        writeln!(text, "{x},{y},{}", 0.02 * (7.0 * x).sin() * (5.0 * y).cos() - 0.02).unwrap();
    }
    format!(
        "rotated = {{ shape.heightfield = {{ {}, bottom = -0.5 }}, center = [0, 0, 0], axis = [1, 0, 0], angle = {:?} }}",
        file("bed.csv", &text),
        -std::f64::consts::FRAC_PI_2,
    )
}

/// A block of fluid that is thrown at an obstacle and onto a bed, in a container, below a plate that turns, and hit by a
/// body.
pub fn scene<const D: usize>(solver: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    let (none, deep) = (z(0.0), z(0.5));
    let prism = |name, points: &[[f64; 2]], z| prism::<D>(name, points, z);
    let obstacle = [[0.54, 0.1], [0.8, 0.05], [0.7, 0.2], [0.76, 0.4], [0.55, 0.35]];
    let plate = [[0.1, 0.64], [0.4, 0.64], [0.42, 0.72], [0.2, 0.76]];
    let body = [[0.56, 0.48], [0.8, 0.42], [0.8, 0.7], [0.6, 0.66]];
    let below = if D == 2 { -0.02 } else { -0.3 };
    let tank = [[-0.02, below], [1.0, below], [1.1, 0.6], [0.9, 1.4], [-0.1, 1.2], [-0.02, 0.7]];
    let ground = match D {
        2 => String::new(),
        _ => format!(
            "[[wall]]\nside = \"outside\"\nshape.{0}\n[[container]]\nshape.outside.{0}\ncollision_radius = 0.06\n",
            bed()
        ),
    };
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{none}], max = [0.5, 0.6{deep}] }}\n\
         velocity.uniform = [2.0, -2.0{none}]\n\
         [[wall]]\nside = \"outside\"\nshape.{}\n\
         [[wall]]\nside = \"outside\"\nshape.{}\n\
         motion.rotation = {{ center = [0.25, 0.7{none}], angular_velocity = 6.0 }}\n\
         [[body]]\nshape.{}\ndensity = 700.0\nvelocity = [-2.0, -1.0{none}]\n\
         [[container]]\nshape.{}\nrestitution = 0.3\nfriction = 0.1\n{ground}\
         [solver]\nname = \"{}\"\n{solver}\n",
        prism("obstacle", &obstacle, [0.02, 0.47]),
        prism("plate", &plate, [0.02, 0.47]),
        prism("body", &body, [0.05, 0.42]),
        prism("tank", &tank, [-0.01, 0.51]),
        common::NAME,
        spacing = if D == 2 { 0.05 } else { 0.1 },
    )
}
