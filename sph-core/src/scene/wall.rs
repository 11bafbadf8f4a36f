//! Walls made of particles, and containers made of a signed distance.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    fluid::{boundary::PsiMode, wall_surface::WallCondition},
    geometry::{
        motion::Motion,
        sampling::{Face, Layers, Side, WallSample, layers},
        shape::{Enclosure, Region, Shape},
    },
    keys::{Bounded, Range, Validate, join},
    parameters,
};

parameters! {
    /// A wall made of particles.
    pub struct Wall {
        /// Name, for results that are reported for this wall.
        pub name: String = String::new();
        /// Its surface; layers of particles lie behind it.
        pub shape: Shape, validate;
        /// Where the fluid is: inside of a tank, outside of an obstacle.
        pub side: Side = Side::Inside;
        /// The faces that are walls, as `["x_min", "y_min"]` for an open corner; all if left out.
        pub faces: Option<Vec<Face>> = None;
        /// Number of layers, two against penetration `[measured]`; a solver without pseudo-mass needs the whole
        /// support.
        pub layers: u32 = 2, "-", "[1, 16]";
        /// Distance of the first layer from the surface, in spacings; half of one goes on with the lattice of the
        /// fluid `[AHA12]`.
        pub offset: f64 = 0.5, "-", "[0, 2]";
        /// How it moves.
        pub motion: Motion = Motion::Static, validate;
        /// Velocities of faces that drag the fluid along without moving, as the lid of a cavity.
        pub surface_velocity: Vec<FaceVelocity> = Vec::new(), validate;
        /// Whether the fluid sticks to it.
        pub slip: Slip = Slip::NoSlip;
    }
}

parameters! {
    /// A velocity that a face has beside the motion of its wall; tangential.
    pub struct FaceVelocity {
        /// The face; the whole wall if left out.
        pub face: Option<Face> = None;
        /// Velocity.
        pub velocity: Vec<f64>, "m/s", "(-inf, inf)";
    }
}

parameters! {
    /// A container without particles: a signed distance that holds particles inside of a shape.
    pub struct Container {
        /// Where particles may be; `outside` of a shape for an obstacle.
        pub shape: Shape, validate;
        /// Share of the normal velocity that comes back.
        pub restitution: f64 = 0.0, "-", "[0, 1]";
        /// Share of the tangential velocity that a collision takes.
        pub friction: f64 = 0.0, "-", "[0, 1]";
        /// Distance that particles keep from the surface; half a spacing if left out.
        pub collision_radius: Option<f64> = None, "m", "[0, inf)";
    }
}

parameters! {
    /// Treatment of all walls made of particles.
    pub struct Boundary {
        /// Mass of the wall particles.
        pub psi_mode: PsiMode = PsiMode::Akinci, validate;
    }
}

/// Whether the fluid sticks to a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Slip {
    /// The fluid at the wall has the wall's velocity.
    #[default]
    NoSlip,
    /// No tangential force.
    FreeSlip,
}

impl Validate for PsiMode {
    fn validate(&self, prefix: &str) -> Result<(), Error> {
        const RANGE: Range = Range::parse("(0, 10]");
        match self {
            Self::Scaled(factor) => factor.check(&join(prefix, "scaled"), "-", &RANGE),
            Self::Akinci | Self::FluidMass => Ok(()),
        }
    }
}

impl Wall {
    /// A fixed no-slip wall with two layers.
    pub fn new(shape: Shape, side: Side) -> Self {
        Self {
            name: String::new(),
            shape,
            side,
            faces: None,
            layers: 2,
            offset: 0.5,
            motion: Motion::Static,
            surface_velocity: Vec::new(),
            slip: Slip::NoSlip,
        }
    }

    /// The name by which results and commands call it, `k` being its place in the scene.
    pub fn called(&self, k: usize) -> String {
        if self.name.is_empty() { format!("wall[{k}]") } else { self.name.clone() }
    }

    /// Number, place and faces of its layers.
    pub fn layout(&self) -> Layers {
        let (faces, count) = (self.faces.clone(), self.layers as usize);
        Layers { side: self.side, faces, count, offset: self.offset }
    }

    /// Its particles at time 0. `key` is the wall's own, as `wall[0]`.
    ///
    /// # Errors
    ///
    /// If a vector has not `D` entries.
    pub fn sample<const D: usize>(&self, key: &str, spacing: f64) -> Result<Vec<WallSample<D>>, Error> {
        let region: Region<D> = self.shape.resolve(&join(key, "shape"))?;
        Ok(layers(&region, spacing, &self.layout()))
    }

    /// Velocity that a sample has beside the wall's motion `[m/s]`: corners belong to no face.
    pub fn surface_velocity_of<const D: usize>(&self, sample: &WallSample<D>) -> [f64; D] {
        self.surface_velocity_at(sample.face)
    }

    /// How its surface holds the fluid.
    pub fn condition<const D: usize>(&self, region: &Region<D>) -> WallCondition<D> {
        let faces = Face::of(region);
        let drag = std::array::from_fn(|k| self.surface_velocity_at(faces.get(k).copied()));
        WallCondition { no_slip: self.slip == Slip::NoSlip, drag }
    }

    fn surface_velocity_at<const D: usize>(&self, at: Option<Face>) -> [f64; D] {
        let mut sum = [0.0; D];
        let dragged = |face: &FaceVelocity| face.face.is_none() || face.face == at;
        for face in self.surface_velocity.iter().filter(|face| dragged(face)) {
            for (sum, v) in sum.iter_mut().zip(&face.velocity) {
                *sum += v;
            }
        }
        sum
    }
}

impl Container {
    /// A container without bounce and friction.
    pub fn new(shape: Shape) -> Self {
        Self { shape, restitution: 0.0, friction: 0.0, collision_radius: None }
    }

    /// The name by which measures call it, `k` being its place in the scene.
    pub fn called(k: usize) -> String {
        format!("container[{k}]")
    }

    /// The container in a fixed dimension. `key` is its own, as `container[0]`.
    ///
    /// # Errors
    ///
    /// If a vector has not `D` entries.
    pub fn resolve<const D: usize>(&self, key: &str, spacing: f64) -> Result<Enclosure<D>, Error> {
        Ok(Enclosure {
            region: self.shape.resolve(&join(key, "shape"))?,
            restitution: self.restitution,
            friction: self.friction,
            collision_radius: self.collision_radius.unwrap_or(0.5 * spacing),
        })
    }
}
