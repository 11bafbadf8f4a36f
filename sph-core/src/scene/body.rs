//! Rigid bodies that move freely.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::Slip;
use crate::{
    error::Error,
    geometry::{
        sampling::{Layers, Side},
        shape::{Region, Shape, direction, vector},
    },
    keys::join,
    parameters,
    rigid::{Form, Rigid, Rotation},
};

parameters! {
    /// A rigid body that the fluid moves, and that moves the fluid. Its surface is made of particles, as that of a wall.
    pub struct Body {
        /// Name, for results that are reported for this body.
        pub name: String = String::new();
        /// A block, a ball or a cylinder, where it is at time 0 before it is turned by `angle`.
        pub shape: Shape, validate;
        /// Angle by which it is turned about its center.
        pub angle: f64 = 0.0, "rad", "(-inf, inf)";
        /// Direction of the axis of `angle`, of any length; used in three dimensions only.
        pub axis: Vec<f64> = vec![0.0, 0.0, 1.0], "-", "(-inf, inf)";
        /// Density, the same everywhere in it; instead of `mass`.
        pub density: Option<f64> = None, "kg/m³", "(0, inf)";
        /// Mass, in two dimensions that of 1 m of depth; instead of `density`.
        pub mass: Option<f64> = None, "kg", "(0, inf)";
        /// Velocity of its center at time 0; at rest if left out.
        pub velocity: Option<Vec<f64>> = None, "m/s", "(-inf, inf)";
        /// Angular velocity at time 0: one number in 2D, counterclockwise if positive, three in 3D; zero
        /// if left out.
        pub angular_velocity: Option<Vec<f64>> = None, "rad/s", "(-inf, inf)";
        /// What it may not do: `["x", "y"]` leaves a wheel on its axle, `["rotation"]` keeps a float upright.
        pub fixed: Vec<Freedom> = Vec::new();
        /// Share of the normal velocity that comes back from a collision; of two bodies the larger counts.
        pub restitution: f64 = 0.0, "-", "[0, 1]";
        /// Coefficient of Coulomb friction in contacts with walls and bodies; of two bodies the larger counts
        /// `[convention]`.
        pub friction: f64 = 0.5, "-", "[0, 10]";
        /// Number of layers of particles, two against penetration `[measured]`.
        pub layers: u32 = 2, "-", "[1, 16]";
        /// Distance of the first layer from the surface, in spacings; half of one goes on with the lattice of the
        /// fluid `[AHA12]`.
        pub offset: f64 = 0.5, "-", "[0, 2]";
        /// Whether the fluid sticks to it.
        pub slip: Slip = Slip::NoSlip;
    }
}

/// A degree of freedom of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Freedom {
    /// Along the first axis.
    X,
    /// Along the second axis.
    Y,
    /// Along the third axis.
    Z,
    /// About any axis.
    Rotation,
}

impl Body {
    /// A free body at rest.
    pub fn new(shape: Shape, density: f64) -> Self {
        Self {
            name: String::new(),
            shape,
            angle: 0.0,
            axis: vec![0.0, 0.0, 1.0],
            density: Some(density),
            mass: None,
            velocity: None,
            angular_velocity: None,
            fixed: Vec::new(),
            restitution: 0.0,
            friction: 0.5,
            layers: 2,
            offset: 0.5,
            slip: Slip::NoSlip,
        }
    }

    /// The name by which results call it, `k` being its place in the scene.
    pub fn called(&self, k: usize) -> String {
        if self.name.is_empty() { format!("body[{k}]") } else { self.name.clone() }
    }

    /// Number and place of its layers.
    pub fn layout(&self) -> Layers {
        Layers { side: Side::Outside, faces: None, count: self.layers as usize, offset: self.offset }
    }

    /// The body at time 0. `key` is its own, as `body[0]`, and `k` its place in the scene.
    ///
    /// # Errors
    ///
    /// If a vector has not `D` entries, the shape cannot be that of a body, or mass and density contradict.
    pub fn resolve<const D: usize>(&self, key: &str, k: usize) -> Result<Rigid<D>, Error> {
        let shape = join(key, "shape");
        let region: Region<D> = self.shape.resolve(&shape)?;
        let mass = self.weigh(&region, key)?;
        let Some((mut form, x)) = Form::new(self.called(k), &region, mass) else {
            let message = "is no shape of a body, which has an end";
            return Err(Error::invalid(join(&shape, self.shape.name()), message));
        };
        (form.restitution, form.friction) = (self.restitution, self.friction);
        self.hold(&mut form, key)?;
        let mut body = Rigid::new(Arc::new(form), x);
        let axis = if D == 3 { direction::<3>(&join(key, "axis"), &self.axis)? } else { [0.0, 0.0, 1.0] };
        body.rotation = Rotation::by(&axis.map(|a| a * self.angle));
        let velocity = match &self.velocity {
            Some(velocity) => vector(&join(key, "velocity"), velocity)?,
            None => [0.0; D],
        };
        body.set_velocities(&velocity, &self.turning::<D>(key)?);
        Ok(body)
    }

    fn weigh<const D: usize>(&self, region: &Region<D>, key: &str) -> Result<f64, Error> {
        match (self.density, self.mass) {
            (None, Some(mass)) => Ok(mass),
            (Some(density), None) => {
                let mass = density * region.volume().unwrap_or(0.0);
                if mass > 0.0 && mass.is_finite() {
                    return Ok(mass);
                }
                Err(Error::invalid(join(key, "density"), format!("gives a mass of {mass} kg")).value(density))
            }
            (None, None) => Err(Error::missing(join(key, "density")).hint("give `density`, or `mass`")),
            (Some(_), Some(mass)) => {
                Err(Error::invalid(join(key, "mass"), "contradicts density: one of them is enough")
                    .value(mass))
            }
        }
    }

    fn hold<const D: usize>(&self, form: &mut Form<D>, key: &str) -> Result<(), Error> {
        for (i, freedom) in self.fixed.iter().enumerate() {
            match *freedom as usize {
                axis if axis < D => form.held[axis] = true,
                axis if axis < 3 => {
                    let message = "is no axis of a scene with dim = 2";
                    return Err(Error::invalid(format!("{key}.fixed[{i}]"), message).value("\"z\""));
                }
                _ => form.held_rotation = true,
            }
        }
        Ok(())
    }

    fn turning<const D: usize>(&self, key: &str) -> Result<[f64; 3], Error> {
        let key = join(key, "angular_velocity");
        match self.angular_velocity.as_deref() {
            None => Ok([0.0; 3]),
            Some([about_z]) if D == 2 => Ok([0.0, 0.0, *about_z]),
            Some([x, y, z]) if D == 3 => Ok([*x, *y, *z]),
            Some(other) => {
                let message = format!("has {} entries, but the scene has dim = {D}", other.len());
                let expected = if D == 2 { "give one number, as [1.0]" } else { "give three numbers" };
                Err(Error::invalid(key, message).value(format!("{other:?}")).hint(expected))
            }
        }
    }
}
