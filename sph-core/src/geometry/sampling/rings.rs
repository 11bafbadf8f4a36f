//! Circles, spheres and cylinders as points at about equal distances.
use std::array::from_fn;
use std::f64::consts::{PI, TAU};

use super::layers::{Face, Layers, Side, WallSample, merge, stations};
use crate::geometry::shape::{Region, perpendicular};

/// Radii of the layers along a curved surface, from the fluid on.
pub(super) fn radii(radius: f64, spacing: f64, how: &Layers) -> Vec<(f64, usize)> {
    let distance = |layer: usize| (how.offset + layer as f64) * spacing;
    match how.side {
        Side::Inside => (0..how.count).map(|l| (radius + distance(l), l)).collect(),
        Side::Outside => {
            let inner = (0..how.count).map(|l| (radius - distance(l), l)).filter(|(r, _)| *r > 0.0);
            let inner: Vec<_> = inner.collect();
            // A body thinner than its first layer is still a body.
            if inner.is_empty() { vec![(0.0, 0)] } else { inner }
        }
    }
}

/// Number of points on a circle.
fn around(radius: f64, spacing: f64) -> usize {
    (TAU * radius / spacing).round().max(1.0) as usize
}

/// Cosine and sine of the `k`-th of `n` equal parts of a circle; the middle of an odd ring's gap lies on
/// the first axis, so that the ring is symmetric about it.
fn part(k: usize, n: usize) -> (f64, f64) {
    let (sin, cos) = (TAU * (k as f64 + 0.5) / n as f64).sin_cos();
    (cos, sin)
}

/// The points of a circle (2D) or of a sphere (3D).
///
/// On the sphere they follow a spiral from pole to pole with the golden angle between them, one point for
/// equal areas.
pub(super) fn sphere<const D: usize>(
    center: &[f64; D],
    radius: f64,
    spacing: f64,
    mut put: impl FnMut([f64; D]),
) {
    if D == 2 {
        let n = around(radius, spacing);
        for k in 0..n {
            let (cos, sin) = part(k, n);
            let e = [cos, sin];
            // A ring of one point is its center.
            let r = if n == 1 { 0.0 } else { radius };
            put(from_fn(|a| center[a] + r * e[a]));
        }
        return;
    }
    let n = (4.0 * PI * (radius / spacing).powi(2)).round().max(1.0) as usize;
    let golden_angle = PI * (3.0 - 5.0_f64.sqrt());
    for k in 0..n {
        let z = 1.0 - (2 * k + 1) as f64 / n as f64;
        let across = (1.0 - z * z).max(0.0).sqrt();
        let (sin, cos) = (golden_angle * k as f64).sin_cos();
        let e = [across * cos, across * sin, z];
        let r = if n == 1 { 0.0 } else { radius };
        put(from_fn(|a| center[a] + r * e[a]));
    }
}

/// A radius of the sampling of a cylinder, and its layer if it belongs to the curved face.
type Ring = (f64, Option<(Face, usize)>);

/// All radii from the axis to the last layer.
fn cylinder_rings(radius: f64, spacing: f64, how: &Layers) -> Vec<Ring> {
    let side = how.faces.as_ref().is_none_or(|faces| faces.contains(&Face::Side));
    let mut rings: Vec<Ring> = Vec::new();
    let first = match how.side {
        Side::Inside => radius - 0.5 * spacing,
        Side::Outside => radius - how.offset * spacing,
    };
    let mut r = first;
    while r > 0.0 {
        let depth = rings.len();
        let in_wall = side && how.side == Side::Outside && depth < how.count;
        rings.push((r, in_wall.then_some((Face::Side, depth))));
        r = first - (depth + 1) as f64 * spacing;
    }
    if rings.last().is_none_or(|(r, _)| *r > 0.75 * spacing) {
        // The hole that the innermost ring leaves is as large as a particle.
        let depth = rings.len();
        let in_wall = side && how.side == Side::Outside && depth < how.count;
        rings.push((0.0, in_wall.then_some((Face::Side, depth))));
    }
    rings.reverse();
    if side && how.side == Side::Inside {
        rings.extend(radii(radius, spacing, how).into_iter().map(|(r, l)| (r, Some((Face::Side, l)))));
    }
    rings
}

/// Layers behind the side and the caps of a cylinder, or within them.
pub(super) fn cylinder_layers<const D: usize>(
    region: &Region<D>,
    spacing: f64,
    how: &Layers,
) -> Vec<WallSample<D>> {
    let Region::Cylinder { center, axis, radius, half_length } = region else { return Vec::new() };
    let e1 = perpendicular(axis);
    let e2 = cross(axis, &e1);
    let rings = cylinder_rings(*radius, spacing, how);
    let mut samples = Vec::new();
    for station in stations(-half_length, *half_length, (Face::CapMin, Face::CapMax), spacing, how) {
        for (r, side) in &rings {
            let Some((face, layer)) = merge(&[*side, station.wall], how.side) else { continue };
            let n = around(*r, spacing);
            for k in 0..n {
                let (cos, sin) = part(k, n);
                let r = if n == 1 { 0.0 } else { *r };
                let x = from_fn(|a| center[a] + station.x * axis[a] + r * (cos * e1[a] + sin * e2[a]));
                samples.push(WallSample { x, layer, face });
            }
        }
    }
    samples
}

/// Cross product in three dimensions; nothing else has cylinders.
fn cross<const D: usize>(a: &[f64; D], b: &[f64; D]) -> [f64; D] {
    from_fn(|k| {
        let (i, j) = ((k + 1) % D, (k + 2) % D);
        a[i] * b[j] - a[j] * b[i]
    })
}
