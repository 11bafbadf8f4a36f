//! Convex pieces that fill what lies behind a surface.

use crate::{
    fluid::wall_surface::WallSurface,
    geometry::{
        sampling::Side,
        shape::{Hull, Region, out_of_frame},
    },
    rigid::Rotation,
};
use std::{array::from_fn, f64::consts::PI, sync::Arc};

/// A convex body that nothing may enter.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece<const D: usize> {
    /// A block, a ball, a cylinder, or a hull, which need not be convex.
    Solid(Region<D>),
    /// The surface of a hull that bodies are in.
    Hollow(Arc<Hull<D>>),
    /// All behind a plane.
    Behind {
        /// A point of the plane, `[m]`.
        point: [f64; D],
        /// Exit direction.
        normal: [f64; D],
    },
}

/// Flat pieces around a circle: their surface is nowhere farther outside than 0.12 % of the radius.
const AROUND: usize = 64;
/// Flat pieces around a sphere: their surface is nowhere farther outside than 1 % of the radius.
const ON_SPHERE: usize = 600;

/// The pieces behind a surface, as it was drawn.
pub fn behind<const D: usize>(surface: &WallSurface<D>) -> Vec<Piece<D>> {
    let mut pieces = Vec::new();
    fill(&surface.region, surface.side, surface.open(), &mut pieces);
    pieces
}

/// The pieces outside of a region, or inside of it, but for open faces.
pub fn fill<const D: usize>(region: &Region<D>, side: Side, open: &[bool; 6], pieces: &mut Vec<Piece<D>>) {
    match (side, region) {
        (Side::Inside, Region::Outside(inner)) => fill(inner, Side::Outside, open, pieces),
        (Side::Outside, Region::Outside(inner)) => fill(inner, Side::Inside, open, pieces),
        (Side::Inside, Region::HalfSpace { point, normal }) => {
            pieces.push(Piece::Behind { point: *point, normal: normal.map(|n| -n) });
        }
        (Side::Outside, Region::HalfSpace { point, normal }) => {
            pieces.push(Piece::Behind { point: *point, normal: *normal });
        }
        (Side::Outside, solid) => pieces.push(Piece::Solid(solid.clone())),
        (Side::Inside, Region::Block { min, max }) => block(min, max, open, pieces),
        (Side::Inside, Region::TurnedBlock { center, axes, half }) => {
            let first = pieces.len();
            block(&half.map(|h| -h), half, open, pieces);
            for piece in &mut pieces[first..] {
                if let Piece::Solid(Region::Block { min, max }) = piece {
                    let middle = from_fn(|a| 0.5 * (min[a] + max[a]));
                    let (center, half) =
                        (out_of_frame(center, axes, &middle), from_fn(|a| 0.5 * (max[a] - min[a])));
                    *piece = Piece::Solid(Region::TurnedBlock { center, axes: *axes, half });
                }
            }
        }
        (Side::Inside, Region::Hull(hull)) => pieces.push(Piece::Hollow(hull.clone())),
        (Side::Inside, Region::Ball { center, radius }) => ball(center, *radius, pieces),
        (Side::Inside, Region::Cylinder { center, axis, radius, half_length }) => {
            cylinder((center, axis), *radius, *half_length, open, pieces);
        }
    }
}

/// A block behind each face that is a wall, as thick as the tank is long.
fn block<const D: usize>(min: &[f64; D], max: &[f64; D], open: &[bool; 6], pieces: &mut Vec<Piece<D>>) {
    let thickness = (0..D).map(|a| max[a] - min[a]).fold(0.0, f64::max);
    let reach = |face: usize| if open[face] { 0.0 } else { thickness };
    for face in (0..2 * D).filter(|face| !open[*face]) {
        let mut low: [f64; D] = from_fn(|a| min[a] - reach(2 * a));
        let mut high: [f64; D] = from_fn(|a| max[a] + reach(2 * a + 1));
        let axis = face / 2;
        if face % 2 == 0 {
            high[axis] = min[axis];
        } else {
            low[axis] = max[axis];
        }
        pieces.push(Piece::Solid(Region::Block { min: low, max: high }));
    }
}

/// Pieces behind a curved surface reach from its radius to this many radii. Flat as they are, they touch it and may be
/// as wide as it takes to leave no gap between them at their far ends.
const FAR_END: f64 = 3.0;

/// Slabs around a hollow ball.
fn ball<const D: usize>(center: &[f64; D], radius: f64, pieces: &mut Vec<Piece<D>>) {
    let golden_angle = PI * (3.0 - 5.0_f64.sqrt());
    let n = if D == 2 { AROUND } else { ON_SPHERE };
    for k in 0..n {
        let rotation = if D == 2 {
            Rotation::by(&[0.0, 0.0, 2.0 * PI * k as f64 / n as f64])
        } else {
            let z = 1.0 - (2 * k + 1) as f64 / n as f64;
            let about_z = Rotation::by(&[0.0, 0.0, golden_angle * k as f64]);
            about_z.after(&Rotation::by(&[0.0, -z.asin(), 0.0]))
        };
        // On the sphere they are about the root of 4π/n apart.
        let apart = if D == 2 { 1.1 * (PI / n as f64).tan() } else { (4.0 * PI / n as f64).sqrt() };
        let half = from_fn(|a| if a == 0 { radius } else { FAR_END * apart * radius });
        pieces.push(slab(center, rotation, 2.0 * radius, half));
    }
}

/// Slabs around a hollow cylinder, and its caps.
fn cylinder<const D: usize>(
    (center, axis): (&[f64; D], &[f64; D]),
    radius: f64,
    half_length: f64,
    open: &[bool; 6],
    pieces: &mut Vec<Piece<D>>,
) {
    let [side, cap_min, cap_max] = [open[0], open[1], open[2]];
    let standing = from_z(&from_fn(|a| if a < D { axis[a] } else { 0.0 }));
    let width = 1.1 * FAR_END * radius * (PI / AROUND as f64).tan();
    for k in (0..AROUND).filter(|_| !side) {
        let about = Rotation::by(&[0.0, 0.0, 2.0 * PI * k as f64 / AROUND as f64]);
        let half = from_fn(|a| [radius, width, half_length][a]);
        pieces.push(slab(center, standing.after(&about), 2.0 * radius, half));
    }
    for (is_open, sign) in [(cap_min, -1.0), (cap_max, 1.0)] {
        if !is_open {
            let away = sign * (half_length + radius);
            let center = from_fn(|a| center[a] + away * axis[a]);
            let radius = if side { radius } else { 3.0 * radius };
            pieces.push(Piece::Solid(Region::Cylinder {
                center,
                axis: *axis,
                radius,
                half_length: away.abs() - half_length,
            }));
        }
    }
}

/// A slab whose center lies `distance` from `center` along its own first axis.
fn slab<const D: usize>(center: &[f64; D], rotation: Rotation, distance: f64, half: [f64; D]) -> Piece<D> {
    let out = rotation.rotate(&[distance, 0.0, 0.0]);
    let axis = |k: usize| rotation.rotate(&from_fn(|a| if a == k { 1.0 } else { 0.0 }));
    let axes = from_fn(|k| from_fn(|a| axis(k)[a]));
    Piece::Solid(Region::TurnedBlock { center: from_fn(|a| center[a] + out[a]), axes, half })
}

/// A rotation that turns the third axis into a direction of length 1.
fn from_z(to: &[f64; 3]) -> Rotation {
    let across = to[0].hypot(to[1]);
    let angle = across.atan2(to[2]);
    // About the axis at right angles to both; any for a half turn.
    let about = if across > 0.0 { [-to[1] / across, to[0] / across, 0.0] } else { [1.0, 0.0, 0.0] };
    Rotation::by(&about.map(|a| a * angle))
}
