//! Types and conversions of rapier in 2D.

use super::pieces::Piece;
use crate::{
    fluid::wall_surface::Pose,
    geometry::shape::Region,
    rigid::{Form, Rotation},
};
pub use rapier2d_f64::prelude as rapier;
use std::sync::Arc;

#[path = "world.rs"]
mod world;
pub use world::World;

const D: usize = 2;

fn vector(x: &[f64; D]) -> rapier::Vector {
    rapier::Vector::new(x[0], x[1])
}

fn turn(rotation: &Rotation) -> rapier::Rotation {
    rapier::Rotation::new(rotation.angle())
}

fn turned(rotation: &rapier::Rotation) -> Rotation {
    Rotation::by(&[0.0, 0.0, rotation.angle()])
}

fn turning(omega: &[f64; 3]) -> rapier::AngVector {
    omega[2]
}

fn angular_velocity(body: &rapier::RigidBody) -> [f64; 3] {
    [0.0, 0.0, body.angvel()]
}

fn pose(pose: &Pose<D>) -> rapier::Pose {
    let [x, _] = pose.columns();
    rapier::Pose::from_parts(vector(pose.shift()), rapier::Rotation::new(x[1].atan2(x[0])))
}

fn mass(form: &Form<D>) -> rapier::MassProperties {
    rapier::MassProperties::new(rapier::Vector::ZERO, form.mass, form.inertia(&[0.0, 0.0, 1.0])[2])
}

fn free_axes(form: &Form<D>) -> rapier::LockedAxes {
    let mut locked = rapier::LockedAxes::empty();
    locked.set(rapier::LockedAxes::TRANSLATION_LOCKED_X, form.held[0]);
    locked.set(rapier::LockedAxes::TRANSLATION_LOCKED_Y, form.held[1]);
    locked.set(rapier::LockedAxes::ROTATION_LOCKED, form.held_rotation);
    locked
}

/// A piece as a shape, and where that lies; `None` for what is no convex piece.
fn shape(piece: &Piece<D>) -> Option<(rapier::SharedShape, rapier::Pose)> {
    let at = |x: &[f64; D]| rapier::Pose::from_translation(vector(x));
    Some(match piece {
        Piece::Solid(Region::Block { min, max }) => {
            let (half, center) =
                ([0, 1].map(|a| 0.5 * (max[a] - min[a])), [0, 1].map(|a| 0.5 * (max[a] + min[a])));
            (rapier::SharedShape::cuboid(half[0], half[1]), at(&center))
        }
        Piece::Solid(Region::Ball { center, radius }) => (rapier::SharedShape::ball(*radius), at(center)),
        Piece::Solid(Region::TurnedBlock { center, axes: [x, _], half }) => {
            let pose = rapier::Pose::from_parts(vector(center), rapier::Rotation::new(x[1].atan2(x[0])));
            (rapier::SharedShape::cuboid(half[0], half[1]), pose)
        }
        // Cut into triangles, which fill it.
        Piece::Solid(Region::Hull(hull)) => {
            let points =
                hull.facets().iter().map(|facet| vector(&hull.vertices()[facet[0] as usize])).collect();
            let mesh = rapier::TriMesh::from_polygon(points)?;
            (rapier::SharedShape(Arc::new(mesh)), rapier::Pose::default())
        }
        Piece::Solid(_) => return None,
        Piece::Hollow(hull) => {
            let points = hull.vertices().iter().map(vector).collect();
            (rapier::SharedShape::polyline(points, Some(hull.facets().to_vec())), rapier::Pose::default())
        }
        Piece::Behind { point, normal } => (rapier::SharedShape::halfspace(vector(normal)), at(point)),
    })
}
