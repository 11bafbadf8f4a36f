//! 3D particles as lit spheres, seen without perspective by a camera far away.

use super::canvas::Canvas;
use super::{Cloud, Rgb, Style, wide};

type Vector = [f64; 3];

/// Walls fill much of a 3D picture, so they are lighter there than in 2D.
const WALL: Rgb = [204, 207, 211];
/// Share of light that comes from everywhere.
const AMBIENT: f64 = 0.42;
/// Share of light that comes from the lamp.
const DIFFUSE: f64 = 0.62;
/// Strength and sharpness of the gloss.
const SPECULAR: (f64, i32) = (0.22, 40);
/// Direction to the lamp: right, up, toward the camera.
const LAMP: Vector = [-0.38, 0.66, 0.65];
/// Walls this near to a face that the camera looks through are left out; in spacings.
const OPEN: f64 = 3.5;

/// Draws walls and fluid; the nearest particle hides those behind it. Walls between camera and fluid are left
/// out, so that a tank is open to the camera.
pub(super) fn draw<const D: usize>(canvas: &mut Canvas, cloud: &Cloud<'_, D>, style: &Style<'_>) {
    let (low, high) = cloud.bounds();
    let camera = Camera::new(style);
    let corners = (0..8).map(|i| {
        let corner: Vector = std::array::from_fn(|d| if i >> d & 1 == 1 { high[d] } else { low[d] });
        (dot(camera.right, corner), dot(camera.up, corner))
    });
    let none = ((f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    let (from, to) = corners.fold(none, |(low, high), at| {
        ((low.0.min(at.0), low.1.min(at.1)), (high.0.max(at.0), high.1.max(at.1)))
    });
    let fit = canvas.fit(from, to);
    let radius = 0.5 * style.size * cloud.spacing;
    let mut spheres = Vec::with_capacity(cloud.walls[0].len() + cloud.values.len());
    let mut sphere = |x: Vector, color: Rgb| spheres.push((dot(camera.toward, x), x, color));
    let (wall_low, wall_high) = wall_bounds(cloud);
    for i in 0..cloud.walls[0].len() {
        let x = three(Cloud::position(&cloud.walls, i));
        let hides = |d: usize| {
            let open = OPEN * cloud.spacing;
            let toward = camera.toward[d];
            (toward > 0.05 && x[d] > wall_high[d] - open) || (toward < -0.05 && x[d] < wall_low[d] + open)
        };
        if !(0..3).any(hides) {
            sphere(x, WALL);
        }
    }
    for (i, value) in cloud.values.iter().enumerate() {
        sphere(three(Cloud::position(&cloud.fluid, i)), style.scale.color(wide(*value)));
    }
    // The nearest first: what they hide needs no light.
    spheres.sort_by(|a, b| b.0.total_cmp(&a.0));
    let light = Light::new();
    for (depth, x, color) in spheres {
        let at = fit.at((dot(camera.right, x), dot(camera.up, x)));
        let w = |u: f64, v: f64| (1.0 - u * u - v * v).max(0.0).sqrt();
        canvas.round(
            at,
            radius * fit.scale,
            |u, v| (depth + radius * w(u, v)) as f32,
            |u, v| light.on(color, [u, v, w(u, v)]),
        );
    }
}

/// The box around the walls.
fn wall_bounds<const D: usize>(cloud: &Cloud<'_, D>) -> (Vector, Vector) {
    let end = |d: usize, start: f64, pick: fn(f64, f64) -> f64| {
        cloud.walls[d].iter().map(|x| wide(*x)).filter(|x| x.is_finite()).fold(start, pick)
    };
    (
        std::array::from_fn(|d| end(d, f64::INFINITY, f64::min)),
        std::array::from_fn(|d| end(d, f64::NEG_INFINITY, f64::max)),
    )
}

/// Blinn and Phong's light.
struct Light {
    /// Direction to the lamp.
    lamp: Vector,
    /// Between lamp and camera.
    half: Vector,
}

impl Light {
    fn new() -> Self {
        let lamp = unit(LAMP);
        Self { lamp, half: unit([lamp[0], lamp[1], lamp[2] + 1.0]) }
    }

    /// On a surface with this normal, seen along the third axis.
    fn on(&self, color: Rgb, normal: Vector) -> Rgb {
        let shade = AMBIENT + DIFFUSE * dot(normal, self.lamp).max(0.0);
        let gloss = 255.0 * SPECULAR.0 * dot(normal, self.half).max(0.0).powi(SPECULAR.1);
        color.map(|part| (f64::from(part) * shade + gloss).min(255.0) as u8)
    }
}

struct Camera {
    right: Vector,
    up: Vector,
    toward: Vector,
}

impl Camera {
    fn new(style: &Style<'_>) -> Self {
        let axis = |d: usize| -> Vector { std::array::from_fn(|i| f64::from(u8::from(i == d))) };
        let up = axis(style.up.min(2));
        let side = axis(usize::from(style.up == 0));
        let back = cross(up, side);
        let ((sin_a, cos_a), (sin_e, cos_e)) = (style.azimuth.sin_cos(), style.elevation.sin_cos());
        let right = std::array::from_fn(|d| cos_a * side[d] + sin_a * back[d]);
        let toward = std::array::from_fn(|d| cos_e * (sin_a * side[d] - cos_a * back[d]) + sin_e * up[d]);
        Self { right, up: cross(toward, right), toward }
    }
}

/// A position of space; only called for three dimensions.
fn three<const D: usize>(x: [f64; D]) -> Vector {
    std::array::from_fn(|d| x.get(d).copied().unwrap_or(0.0))
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|part| part / length)
}
