//! Position, velocity and load of a rigid body, and the load on a wall or a container, as named numbers.

use super::{
    Column, Reader, column,
    interpolate::Interpolation,
    near::{Near, Zone},
    seen::Seen,
};
use crate::{
    error::Error,
    geometry::shape::vector,
    keys::join,
    method::state::State,
    numerics::{lane::each, vector::cross},
    rigid::{Rigid, Wrench, spatial},
    scene::{Container, ForceOn},
};

const AXES: [[&str; 3]; 5] = [
    ["x", "y", "z"],
    ["velocity_x", "velocity_y", "velocity_z"],
    ["angular_velocity_x", "angular_velocity_y", "angular_velocity_z"],
    ["force_x", "force_y", "force_z"],
    ["torque_x", "torque_y", "torque_z"],
];

/// The first axis of rotation in `dim` dimensions: in 2D there is one, about the normal.
fn turns(dim: usize) -> usize {
    if dim == 2 { 2 } else { 0 }
}

/// Center of mass, orientation (an angle in 2D, a quaternion in 3D), velocities, and force and torque of the fluid: each with
/// its unit.
pub fn numbers<const D: usize>(body: &Rigid<D>) -> Vec<(&'static str, &'static str, f64)> {
    let [place, velocity, turning, force, torque] = AXES;
    let turns = turns(D);
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

    fn read(&mut self, _: &Near<D>, _: &Interpolation<D>, seen: &Seen<'_, D>, row: &mut Vec<f64>) {
        row.extend(numbers(&seen.view.state.bodies.list[self.0]).into_iter().map(|(_, _, value)| value));
    }
}

/// Force and torque on a wall, a container or a body.
#[derive(Debug)]
pub(super) struct Force<const D: usize> {
    on: Loaded,
    /// The point of the torque.
    about: Option<[f64; D]>,
}

/// What carries a load, by its place in its list.
#[derive(Clone, Copy, Debug)]
enum Loaded {
    Wall(usize),
    Container(usize),
    Body(usize),
}

impl<const D: usize> Force<D> {
    pub fn of(force: &ForceOn, key: &str, state: &State<D>) -> Result<Self, Error> {
        let bodies = &state.bodies;
        let wall = bodies.loads.iter().position(|load| load.wall == force.on).map(Loaded::Wall);
        let body = || bodies.list.iter().position(|body| body.form.name == force.on).map(Loaded::Body);
        let name = format!("{:?}", force.on);
        let container = || {
            let loads = &bodies.container_loads;
            loads.iter().position(|load| Container::called(load.container) == force.on).map(Loaded::Container)
        };
        let on = wall.or_else(container).or_else(body);
        let message = "is no wall, container or body";
        let on = on.ok_or_else(|| Error::invalid(join(key, "on"), message).value(name))?;
        let about = force.about.as_ref().map(|about| vector(&join(key, "about"), about));
        Ok(Self { on, about: about.transpose()? })
    }

    pub fn columns() -> Vec<Column> {
        let force = AXES[3][..D].iter().map(|name| column(name, "N"));
        force.chain(AXES[4][turns(D)..].iter().map(|name| column(name, "N m"))).collect()
    }

    /// Force, torque, and the point of that torque.
    fn load(&self, state: &State<D>) -> (Wrench<D>, [f64; D]) {
        match self.on {
            Loaded::Wall(k) => (state.bodies.loads[k].wrench, [0.0; D]),
            Loaded::Container(k) => (state.bodies.container_loads[k].wrench, [0.0; D]),
            Loaded::Body(k) => (state.bodies.list[k].wrench, state.bodies.list[k].x),
        }
    }
}

impl<const D: usize> Reader<D> for Force<D> {
    fn zone(&self) -> Option<Zone<D>> {
        None
    }

    fn reads_loads(&self) -> bool {
        true
    }

    fn read(&mut self, _: &Near<D>, _: &Interpolation<D>, seen: &Seen<'_, D>, row: &mut Vec<f64>) {
        let (Wrench { force, mut torque }, at) = self.load(seen.view.state);
        let about = self.about.unwrap_or(at);
        let shift = cross(spatial::<D>(&each(|a| at[a] - about[a])), spatial(&force));
        (0..3).for_each(|a| torque[a] += shift[a]);
        // No step has found a force yet.
        let known = if seen.view.state.step == 0 { f64::NAN } else { 1.0 };
        row.extend(force.iter().chain(&torque[turns(D)..]).map(|number| known * number));
    }
}
