//! Solids must not stand in the same place: one rule for bodies, obstacles, tanks and containers.

use crate::{
    error::Error,
    fluid::{
        boundary::Boundary,
        wall_surface::{Place, WallSurface},
    },
    geometry::{motion::Motion, sampling::SURFACE_TOLERANCE, sampling::Side},
    numerics::lane::each,
    rigid::{Bodies, Rigid},
    scene::Scene,
};
use std::ops::Range;

/// How far solids may reach into each other, in spacings.
const OVERLAP: f64 = 0.5;

/// Something that no other solid may enter.
struct Solid<'a, const D: usize> {
    /// Its key in the scene.
    key: String,
    surface: &'a WallSurface<D>,
    /// The body that it is.
    body: Option<&'a Rigid<D>>,
    /// The prescribed motion of a wall.
    motion: Option<&'a Motion>,
    /// Its wall samples; none of a container.
    samples: Range<usize>,
}

/// Refuses bodies, and obstacles of different motion, that reach more than half a spacing into another solid, and walls
/// that lie wholly in another wall.
///
/// Prescribed walls may cross where nothing happens between them: an obstacle and the tank that it stands in, and parts of
/// one obstacle, as the paddles of a stirrer.
pub(super) fn check<const D: usize>(
    scene: &Scene,
    walls: &Boundary<D>,
    bodies: &Bodies<D>,
) -> Result<(), Error> {
    let solids = solids(scene, walls, bodies);
    // The later of two equal walls is the one too many.
    for (k, solid) in solids.iter().enumerate().rev() {
        let points = solid.points(walls, scene.spacing);
        for (_, other) in solids.iter().enumerate().filter(|(j, _)| *j != k) {
            if solid.may_cross(other) {
                solid.check_beside(other, walls, scene.spacing)?;
            } else {
                solid.check_apart(other, &points, scene.spacing)?;
            }
        }
    }
    Ok(())
}

fn solids<'a, const D: usize>(
    scene: &'a Scene,
    walls: &'a Boundary<D>,
    bodies: &'a Bodies<D>,
) -> Vec<Solid<'a, D>> {
    let n_walls = scene.wall.len();
    let mut first = 0;
    let mut solids: Vec<Solid<'a, D>> = Vec::with_capacity(walls.surfaces.len());
    for (k, surface) in walls.surfaces.iter().enumerate() {
        // The samples stand as they were added, surface by surface.
        let end = walls.body.partition_point(|body| walls.surface_of_body[usize::from(*body)] <= Some(k));
        let (motion, body) =
            (scene.wall.get(k).map(|wall| &wall.motion), bodies.list.get(k.wrapping_sub(n_walls)));
        let key =
            if body.is_some() { format!("body[{}].shape", k - n_walls) } else { format!("wall[{k}].shape") };
        solids.push(Solid { key, surface, body, motion, samples: first..end });
        first = end;
    }
    let container = |(k, surface)| Solid {
        key: format!("container[{k}].shape"),
        surface,
        body: None,
        motion: None,
        samples: 0..0,
    };
    solids.extend(bodies.containers.iter().enumerate().map(container));
    solids
}

impl<const D: usize> Solid<'_, D> {
    fn is_tank(&self) -> bool {
        self.surface.side == Side::Inside
    }

    /// True for two prescribed walls between which nothing can jam: a tank and what stands in it, and parts of one
    /// obstacle.
    fn may_cross(&self, other: &Self) -> bool {
        let prescribed = self.body.is_none() && other.body.is_none();
        prescribed && (self.is_tank() || other.is_tank() || self.motion == other.motion)
    }

    /// How deep a point is in it, 0 outside, `[m]`.
    fn depth(&self, x: &[f64; D]) -> f64 {
        match self.surface.locate(&self.body.map_or(*x, |body| body.inverse_transform(x))) {
            Place::Behind(depth) => depth,
            Place::Free | Place::Open => 0.0,
        }
    }

    /// Points of its nominal surface, before the samples of the first layer and at its corners, and its middle. Of a
    /// tank none: what reaches into it does so with its own surface.
    fn points(&self, walls: &Boundary<D>, spacing: f64) -> Vec<[f64; D]> {
        if self.is_tank() {
            return Vec::new();
        }
        let region = &self.surface.region;
        let first_layer = -1.5 * self.surface.first_layer.max(0.5 * spacing);
        let drawn = self.samples.clone().map(|b| each(|a| f64::from(walls.x_0[a][b])));
        let mut points: Vec<[f64; D]> = drawn
            .filter(|x| region.phi(x) > first_layer)
            .map(|x: [f64; D]| {
                let (n, phi) = (region.normal(&x), region.phi(&x));
                each(|a| x[a] - phi * n[a])
            })
            .collect();
        points.extend(region.corners());
        let middle = region.bounds().map(|(min, max)| each(|a| 0.5 * (min[a] + max[a])));
        points.extend(middle.filter(|x| region.phi(x) < 0.0));
        points.iter().map(|x| self.body.map_or(*x, |body| body.transform(x))).collect()
    }

    /// Refuses to reach into another solid. The depth at a point is that in both: on the surface of one it is the depth
    /// in the other, and in the middle of two that coincide it is their thickness.
    fn check_apart(&self, other: &Self, points: &[[f64; D]], spacing: f64) -> Result<(), Error> {
        let depth = |x: &[f64; D]| match other.depth(x) {
            0.0 => 0.0,
            depth => depth + self.depth(x),
        };
        let deepest = points.iter().map(|x| (depth(x), x)).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((depth, x)) =
            deepest.filter(|(depth, _)| *depth > OVERLAP * spacing * (1.0 + SURFACE_TOLERANCE))
        else {
            return Ok(());
        };
        let kind = if other.body.is_some() { "body" } else { "wall" };
        let message = format!(
            "reaches into the {kind} `{}` ({}), {depth:.4} m deep at {x:.4?} m; half a spacing is allowed",
            other.surface.name, other.key
        );
        Err(Error::invalid(&self.key, message).hint("move one of them, or leave one out"))
    }

    /// Refuses a wall all samples of which lie in another: it could hold no fluid, and doubles the samples there.
    fn check_beside(&self, other: &Self, walls: &Boundary<D>, spacing: f64) -> Result<(), Error> {
        // Samples in the corner of a tank are as deep as its last layer along each axis.
        let limit = (D as f64).sqrt() * other.surface.last_layer + OVERLAP * spacing;
        let inside = |b: usize| {
            let x = each(|a| f64::from(walls.x_0[a][b]));
            match other.surface.locate(&x) {
                Place::Behind(depth) => depth <= limit,
                // A layer without offset lies on the surface itself, up to rounding.
                Place::Free => other.surface.region.phi(&x).abs() <= 0.01 * spacing,
                Place::Open => false,
            }
        };
        let mut samples = self.samples.clone();
        if samples.is_empty() || other.samples.is_empty() || !samples.all(inside) {
            return Ok(());
        }
        let message = format!("lies wholly in the wall `{}` ({})", other.surface.name, other.key);
        Err(Error::invalid(&self.key, message).hint("leave one of them out, or move it"))
    }
}
