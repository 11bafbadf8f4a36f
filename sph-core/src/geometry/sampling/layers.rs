//! Layers of points along the surface of a body, outside of it or inside.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SURFACE_TOLERANCE, levels, rings};
use crate::geometry::shape::{Region, out_of_frame};

/// A face of a block, turned or not, or of a cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    /// Face of a block at its smallest x.
    XMin,
    /// Face of a block at its largest x.
    XMax,
    /// Face of a block at its smallest y.
    YMin,
    /// Face of a block at its largest y.
    YMax,
    /// Face of a block at its smallest z.
    ZMin,
    /// Face of a block at its largest z.
    ZMax,
    /// Curved face of a cylinder.
    Side,
    /// Flat face of a cylinder behind which the axis begins.
    CapMin,
    /// Flat face of a cylinder to which the axis points.
    CapMax,
}

impl Face {
    const BLOCK: [Self; 6] = [Self::XMin, Self::XMax, Self::YMin, Self::YMax, Self::ZMin, Self::ZMax];

    /// The faces that a region has; a ball has one surface without name.
    pub fn of<const D: usize>(region: &Region<D>) -> &'static [Self] {
        const CYLINDER: [Face; 3] = [Face::Side, Face::CapMin, Face::CapMax];
        const BLOCK: [Face; 6] = Face::BLOCK;
        match region {
            Region::Block { .. } | Region::TurnedBlock { .. } => BLOCK.get(..2 * D).unwrap_or(&[]),
            Region::Cylinder { .. } => &CYLINDER,
            _ => &[],
        }
    }
}

/// Where the fluid is, seen from a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The shape holds the fluid, as a tank; layers lie outside of it.
    #[default]
    Inside,
    /// The fluid surrounds the shape, as an obstacle; layers lie inside of it.
    Outside,
}

/// How a surface is sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// Where the fluid is.
    pub side: Side,
    /// The faces that are walls; no other gets a sample. Nothing for all faces.
    pub faces: Option<Vec<Face>>,
    /// Number of layers.
    pub count: usize,
    /// Distance of the first layer from the surface, in spacings.
    pub offset: f64,
}

impl Layers {
    fn has(&self, face: Face) -> bool {
        self.faces.as_ref().is_none_or(|faces| faces.contains(&face))
    }
}

/// A point of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallSample<const D: usize> {
    /// Place `[m]`.
    pub x: [f64; D],
    /// Layer, counted from the fluid.
    pub layer: usize,
    /// The face behind which it lies; none in a corner, on a ball and on a hull.
    pub face: Option<Face>,
}

/// The layers of a bounded surface, in fixed order, at distances `(offset + l) spacing` from it.
///
/// A tank made of a block continues the cartesian lattice that fills it, corners included for all layers.
/// An obstacle's layers are spaced evenly between its faces, by about one spacing. Circles and spheres are
/// sampled with about one point per `spacing^(D-1)`, as are the surfaces at equal distances from a hull. Returns nothing for an unbounded region.
pub fn layers<const D: usize>(region: &Region<D>, spacing: f64, how: &Layers) -> Vec<WallSample<D>> {
    match region {
        Region::Block { min, max } => block_layers(min, max, spacing, how),
        Region::Ball { center, radius } => {
            let mut samples = Vec::new();
            for (radius, layer) in rings::radii(*radius, spacing, how) {
                rings::sphere(center, radius, spacing, |x| samples.push(WallSample { x, layer, face: None }));
            }
            samples
        }
        Region::TurnedBlock { center, axes, half } => {
            let mut samples = block_layers(&half.map(|h| -h), half, spacing, how);
            samples.iter_mut().for_each(|sample| sample.x = out_of_frame(center, axes, &sample.x));
            samples
        }
        Region::Hull(hull) => levels::hull_layers(hull, spacing, how),
        Region::Cylinder { .. } => rings::cylinder_layers(region, spacing, how),
        Region::HalfSpace { .. } | Region::Outside(_) => Vec::new(),
    }
}

/// A coordinate of the sampling along one axis, and what it belongs to if that is a wall.
#[derive(Clone, Copy)]
pub(super) struct Station {
    pub(super) x: f64,
    pub(super) wall: Option<(Face, usize)>,
}

/// Coordinates along an axis between two faces, ascending.
pub(super) fn stations(low: f64, high: f64, faces: (Face, Face), spacing: f64, how: &Layers) -> Vec<Station> {
    match how.side {
        Side::Inside => tank_stations(low, high, faces, spacing, how),
        Side::Outside => obstacle_stations(low, high, faces, spacing, how),
    }
}

/// The fluid lattice from the low face on, and the layers behind the faces that are walls.
fn tank_stations(low: f64, high: f64, faces: (Face, Face), spacing: f64, how: &Layers) -> Vec<Station> {
    let distance = |layer: usize| (how.offset + layer as f64) * spacing;
    let mut stations = Vec::new();
    if how.has(faces.0) {
        let behind = |l| Station { x: low - distance(l), wall: Some((faces.0, l)) };
        stations.extend((0..how.count).rev().map(behind));
    }
    let pitch = if how.has(faces.1) { even_pitch(high - low, spacing) } else { spacing };
    let between = (0..).map(|k| low + (f64::from(k) + 0.5) * pitch);
    let between = between.take_while(|x| *x < high - SURFACE_TOLERANCE * spacing);
    stations.extend(between.map(|x| Station { x, wall: None }));
    if how.has(faces.1) {
        stations.extend((0..how.count).map(|l| Station { x: high + distance(l), wall: Some((faces.1, l)) }));
    }
    stations
}

/// The pitch nearest to the spacing that divides a length: a tank that is no multiple of the spacing would else
/// have a gap before its far face, through which it leaks. The spacing itself where it does divide.
fn even_pitch(length: f64, spacing: f64) -> f64 {
    let n = (length / spacing).round().max(1.0);
    if (n * spacing - length).abs() < SURFACE_TOLERANCE * spacing { spacing } else { length / n }
}

/// Evenly spaced coordinates between the first layers of both faces.
fn obstacle_stations(low: f64, high: f64, faces: (Face, Face), spacing: f64, how: &Layers) -> Vec<Station> {
    let (first, last) = (low + how.offset * spacing, high - how.offset * spacing);
    if last <= first {
        let face = if how.has(faces.0) { Some(faces.0) } else { how.has(faces.1).then_some(faces.1) };
        return vec![Station { x: 0.5 * (low + high), wall: face.map(|face| (face, 0)) }];
    }
    let n = ((last - first) / spacing).round().max(1.0) as usize;
    let step = (last - first) / n as f64;
    let station = |k: usize| {
        let from_low = (how.has(faces.0) && k < how.count).then_some((faces.0, k));
        let from_high = (how.has(faces.1) && n - k < how.count).then_some((faces.1, n - k));
        let wall = match (from_low, from_high) {
            (Some(a), Some(b)) => Some(if a.1 <= b.1 { a } else { b }),
            (a, b) => a.or(b),
        };
        Station { x: if k == n { last } else { first + k as f64 * step }, wall }
    };
    (0..=n).map(station).collect()
}

/// Face and layer of a point from those of its coordinates; none if no coordinate is in a wall.
pub(super) fn merge(walls: &[Option<(Face, usize)>], side: Side) -> Option<(Option<Face>, usize)> {
    let given = || walls.iter().flatten();
    match side {
        Side::Inside => {
            let layer = given().map(|wall| wall.1).max()?;
            let face = given().next().filter(|_| given().count() == 1).map(|wall| wall.0);
            Some((face, layer))
        }
        Side::Outside => {
            let layer = given().map(|wall| wall.1).min()?;
            let nearest = || given().filter(|wall| wall.1 == layer);
            let face = nearest().next().filter(|_| nearest().count() == 1).map(|wall| wall.0);
            Some((face, layer))
        }
    }
}

fn block_layers<const D: usize>(
    min: &[f64; D],
    max: &[f64; D],
    spacing: f64,
    how: &Layers,
) -> Vec<WallSample<D>> {
    let axis = |k: usize| {
        if k < D {
            stations(min[k], max[k], (Face::BLOCK[2 * k], Face::BLOCK[2 * k + 1]), spacing, how)
        } else {
            vec![Station { x: 0.0, wall: None }]
        }
    };
    let (xs, ys, zs) = (axis(0), axis(1), axis(2));
    // Most rows of a large tank meet walls at their ends only; the fluid between is not walked through.
    let ends: Vec<Station> = xs.iter().filter(|x| x.wall.is_some()).copied().collect();
    let mut samples = Vec::new();
    for z in &zs {
        for y in &ys {
            let row = if z.wall.is_some() || y.wall.is_some() { &xs } else { &ends };
            for x in row {
                let at = [x.x, y.x, z.x];
                if let Some((face, layer)) = merge(&[x.wall, y.wall, z.wall], how.side) {
                    samples.push(WallSample { x: std::array::from_fn(|k| at[k]), layer, face });
                }
            }
        }
    }
    samples
}
