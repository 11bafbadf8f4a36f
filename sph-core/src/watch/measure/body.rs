//! Position, velocity and load of a rigid body as named numbers.

use super::{
    Reader,
    interpolate::Interpolation,
    near::{Near, Zone},
};
use crate::{method::observer::View, rigid::Rigid};

const AXES: [[&str; 3]; 5] = [
    ["x", "y", "z"],
    ["velocity_x", "velocity_y", "velocity_z"],
    ["angular_velocity_x", "angular_velocity_y", "angular_velocity_z"],
    ["force_x", "force_y", "force_z"],
    ["torque_x", "torque_y", "torque_z"],
];

/// Center of mass, orientation (an angle in 2D, a quaternion in 3D), velocities, and force and torque of the fluid: each with
/// its unit.
pub fn numbers<const D: usize>(body: &Rigid<D>) -> Vec<(&'static str, &'static str, f64)> {
    let [place, velocity, turning, force, torque] = AXES;
    // In 2D there is one rotation, about the normal.
    let turns = if D == 2 { 2 } else { 0 };
    let mut numbers = Vec::new();
    let mut add = |names: &[&'static str], unit: &'static str, values: &[f64]| {
        numbers.extend(names.iter().zip(values).map(|(&name, &value)| (name, unit, value)));
    };
    add(&place, "m", &body.x);
    if D == 2 {
        add(&["angle"], "rad", &[body.rotation.angle()]);
    } else {
        let [x, y, z] = body.rotation.v;
        let names = ["quaternion_w", "quaternion_x", "quaternion_y", "quaternion_z"];
        add(&names, "-", &[body.rotation.w, x, y, z]);
    }
    add(&velocity, "m/s", &body.velocity());
    add(&turning[turns..], "rad/s", &body.angular_velocity()[turns..]);
    add(&force, "N", &body.wrench.force);
    add(&torque[turns..], "N m", &body.wrench.torque[turns..]);
    numbers
}

/// A body, by its place in the list.
#[derive(Debug)]
pub(super) struct Body(pub usize);

impl<const D: usize> Reader<D> for Body {
    fn zone(&self) -> Option<Zone<D>> {
        None
    }

    fn read(&mut self, _: &Near<D>, _: &Interpolation<D>, view: &View<'_, D>, row: &mut Vec<f64>) {
        row.extend(numbers(&view.state.bodies.list[self.0]).into_iter().map(|(_, _, value)| value));
    }
}
