//! Barriers: nominal surfaces of walls and bodies as a card reads them, where they are now and how they move.
//!
//! What particles find near them is in `barriers.cuh`.

use crate::{containers::Enclosure, executor::Plain};
use sph_core::{
    fluid::barrier::Barrier,
    geometry::sampling::Side,
    numerics::lane::each,
    rigid::{Obstacle, Rigid},
};

/// A barrier, where it is and how it moves. Twin of `Surface` in barriers.cuh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Surface<const D: usize> {
    /// The shape as it was drawn, of a body in its own frame.
    region: Enclosure<D>,
    /// Depth of the last layer behind the surface, `[m]`.
    last_layer: f64,
    /// Velocities that its faces have beside its motion, `[m/s]`.
    drag: [[f64; D]; 6],
    /// Columns of the rotation from the drawing to where it is, `[-]`.
    columns: [[f64; D]; D],
    /// Translation after that, `[m]`.
    shift: [f64; D],
    /// A point of it; of a body the center of mass, `[m]`.
    point: [f64; D],
    /// Velocity there, `[m/s]`.
    velocity: [f64; D],
    /// Angular velocity, `[rad/s]`.
    angular: [f64; 3],
    /// Not 0 when the fluid is outside of the shape.
    outside: i32,
    /// Not 0 when the fluid sticks to it.
    no_slip: i32,
    /// 0 when it is where it was drawn.
    posed: i32,
    /// A bit for each face without wall.
    open: u32,
}

impl<const D: usize> Default for Surface<D> {
    fn default() -> Self {
        Self {
            region: Enclosure::default(),
            last_layer: 0.0,
            drag: [[0.0; D]; 6],
            columns: unit(),
            shift: [0.0; D],
            point: [0.0; D],
            velocity: [0.0; D],
            angular: [0.0; 3],
            outside: 0,
            no_slip: 0,
            posed: 0,
            open: 0,
        }
    }
}

// SAFETY: of `repr(C)`, of numbers alone, of which all may be zero.
unsafe impl<const D: usize> Plain for Surface<D> {}

/// The matrix that turns nothing.
fn unit<const D: usize>() -> [[f64; D]; D] {
    each(|k| each(|a| if a == k { 1.0 } else { 0.0 }))
}

impl<const D: usize> Surface<D> {
    /// Of a wall that has been moved to where it is now.
    pub fn of_wall(obstacle: &Obstacle<'_, D>) -> Self {
        let (columns, shift) =
            obstacle.pose.map_or((unit(), [0.0; D]), |pose| (*pose.columns(), *pose.shift()));
        Self {
            columns,
            shift,
            point: obstacle.point.0,
            velocity: obstacle.point.1,
            angular: obstacle.angular_velocity,
            posed: obstacle.pose.is_some().into(),
            ..Self::drawn(obstacle.barrier)
        }
    }

    /// Of a body: it is where `ahead` is, and moves as one with the center of mass at `center` `[m]`, with this
    /// velocity `[m/s]` and angular velocity `[rad/s]`. `barrier` is drawn in the frame of the body.
    pub fn of_body(
        barrier: &Barrier<D>,
        ahead: &Rigid<D>,
        center: [f64; D],
        velocity: [f64; D],
        angular: [f64; 3],
    ) -> Self {
        let axes: [[f64; 3]; D] = each(|k| ahead.rotation.turn(&each(|a| if a == k { 1.0 } else { 0.0 })));
        Self {
            columns: axes.map(|column| each(|a| column[a])),
            shift: ahead.x,
            point: center,
            velocity,
            angular,
            posed: 1,
            ..Self::drawn(barrier)
        }
    }

    /// At rest, where it was drawn.
    fn drawn(barrier: &Barrier<D>) -> Self {
        let bit = |(face, &open): (usize, &bool)| u32::from(open) << face;
        Self {
            region: Enclosure::of_region(&barrier.region),
            last_layer: barrier.last_layer,
            drag: barrier.grip.drag,
            outside: (barrier.side == Side::Outside).into(),
            no_slip: barrier.grip.no_slip.into(),
            open: barrier.open().iter().enumerate().map(bit).sum(),
            ..Self::default()
        }
    }
}
