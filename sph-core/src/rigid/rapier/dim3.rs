//! Types and conversions of rapier in 3D.

use super::pieces::Piece;
use crate::{
    fluid::wall_surface::Pose,
    geometry::shape::{Hull, Region},
    rigid::{Form, Rotation},
};
pub use rapier3d_f64::prelude as rapier;

#[path = "world.rs"]
#[allow(
    clippy::duplicate_mod,
    reason = "one source over two crates, which differ in the number of dimensions"
)]
mod world;
pub use world::World;

const D: usize = 3;

fn vector(x: &[f64; D]) -> rapier::Vector {
    rapier::Vector::new(x[0], x[1], x[2])
}

fn turn(rotation: &Rotation) -> rapier::Rotation {
    rapier::Rotation::from_xyzw(rotation.v[0], rotation.v[1], rotation.v[2], rotation.w)
}

fn turned(rotation: &rapier::Rotation) -> Rotation {
    Rotation { w: rotation.w, v: [rotation.x, rotation.y, rotation.z] }
}

fn turning(omega: &[f64; 3]) -> rapier::AngVector {
    vector(omega)
}

fn angular_velocity(body: &rapier::RigidBody) -> [f64; 3] {
    body.angvel().to_array()
}

fn pose(pose: &Pose<D>) -> rapier::Pose {
    let [x, y, z] = pose.columns().each_ref().map(vector);
    let rotation = rapier::Rotation::from_mat3(&rapier::Matrix::from_cols(x, y, z));
    rapier::Pose::from_parts(vector(pose.shift()), rotation)
}

fn mass(form: &Form<D>) -> rapier::MassProperties {
    let [x, y, z] = form.inertia_matrix().each_ref().map(vector);
    let inertia = rapier::Matrix::from_cols(x, y, z);
    rapier::MassProperties::with_inertia_matrix(rapier::Vector::ZERO, form.mass, inertia)
}

fn free_axes(form: &Form<D>) -> rapier::LockedAxes {
    let mut locked = rapier::LockedAxes::empty();
    locked.set(rapier::LockedAxes::TRANSLATION_LOCKED_X, form.held[0]);
    locked.set(rapier::LockedAxes::TRANSLATION_LOCKED_Y, form.held[1]);
    locked.set(rapier::LockedAxes::TRANSLATION_LOCKED_Z, form.held[2]);
    locked.set(rapier::LockedAxes::ROTATION_LOCKED, form.held_rotation);
    locked
}

/// A piece as a shape, and where that lies; `None` for what is no convex piece.
fn shape(piece: &Piece<D>) -> Option<(rapier::SharedShape, rapier::Pose)> {
    let at = |x: &[f64; D]| rapier::Pose::from_translation(vector(x));
    let cuboid = |half: &[f64; D]| rapier::SharedShape::cuboid(half[0], half[1], half[2]);
    Some(match piece {
        Piece::Solid(Region::Block { min, max }) => {
            let half = [0, 1, 2].map(|a| 0.5 * (max[a] - min[a]));
            (cuboid(&half), at(&[0, 1, 2].map(|a| 0.5 * (max[a] + min[a]))))
        }
        Piece::Solid(Region::Ball { center, radius }) => (rapier::SharedShape::ball(*radius), at(center)),
        Piece::Solid(Region::Cylinder { center, axis, radius, half_length }) => {
            let standing = rapier::Rotation::from_rotation_arc(rapier::Vector::Y, vector(axis));
            let pose = rapier::Pose::from_parts(vector(center), standing);
            (rapier::SharedShape::cylinder(*half_length, *radius), pose)
        }
        Piece::Solid(Region::TurnedBlock { center, axes, half }) => {
            let [x, y, z] = axes.each_ref().map(vector);
            let turned = rapier::Rotation::from_mat3(&rapier::Matrix::from_cols(x, y, z));
            (cuboid(half), rapier::Pose::from_parts(vector(center), turned))
        }
        Piece::Solid(Region::Hull(hull)) => {
            (mesh(hull, rapier::TriMeshFlags::ORIENTED)?, rapier::Pose::default())
        }
        Piece::Solid(_) => return None,
        Piece::Hollow(hull) => (mesh(hull, rapier::TriMeshFlags::empty())?, rapier::Pose::default()),
        Piece::Behind { point, normal } => (rapier::SharedShape::halfspace(vector(normal)), at(point)),
    })
}

fn mesh(hull: &Hull<D>, flags: rapier::TriMeshFlags) -> Option<rapier::SharedShape> {
    let points = hull.vertices().iter().map(vector).collect();
    rapier::SharedShape::trimesh_with_flags(points, hull.facets().to_vec(), flags).ok()
}
