//! Containers: regions that no particle may leave, and the launchers of `containers.cu`.
//!
//! Places and velocities have the bits of [`sph_core::geometry::shape::Enclosure::collide`]: the text computes in `f64` and fuses
//! nothing.

use crate::{
    error::CudaError,
    executor::{Executor, Field, In, Kernel, Plain, arguments, count},
};
use sph_core::{
    Real,
    geometry::shape::{self, Region},
};

const CONTAIN: Kernel = Kernel { file: "containers.cu", name: "contain" };
const KEEP_INSIDE: Kernel = Kernel { file: "containers.cu", name: "keep_inside" };

/// Twins of the shapes in containers.cuh.
const BLOCK: i32 = 0;
const BALL: i32 = 1;
const CYLINDER: i32 = 2;
const HALF_SPACE: i32 = 3;

/// A container as the card reads it. Twin of `Enclosure` in containers.cuh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Enclosure<const D: usize> {
    /// Smallest coordinates of a block, center of a ball or cylinder, a point of a plane, `[m]`.
    point: [f64; D],
    /// Largest coordinates of a block, `[m]`; axis of a cylinder, or normal of a plane, of length 1.
    other: [f64; D],
    /// Of a ball or cylinder, `[m]`.
    radius: f64,
    /// Half the distance of the caps of a cylinder, `[m]`.
    half_length: f64,
    /// Share of the normal velocity that comes back, e `[-]`.
    restitution: f64,
    /// Share of the tangential velocity that a collision takes, μ_t `[-]`.
    friction: f64,
    /// Depth that particles keep from the surface, r_c `[m]`.
    collision_radius: f64,
    shape: i32,
    /// How often the outside is taken: of the shape itself, particles stay outside if it is odd.
    outside: i32,
}

impl<const D: usize> Default for Enclosure<D> {
    fn default() -> Self {
        Self {
            point: [0.0; D],
            other: [0.0; D],
            radius: 0.0,
            half_length: 0.0,
            restitution: 0.0,
            friction: 0.0,
            collision_radius: 0.0,
            shape: BLOCK,
            outside: 0,
        }
    }
}

// SAFETY: of `repr(C)`, of numbers alone, of which all may be zero.
unsafe impl<const D: usize> Plain for Enclosure<D> {}

impl<const D: usize> Enclosure<D> {
    /// The region alone, whatever it does to particles.
    pub(crate) fn of_region(region: &Region<D>) -> Self {
        let none = Self::default();
        match region {
            Region::Block { min, max } => Self { point: *min, other: *max, shape: BLOCK, ..none },
            Region::Ball { center, radius } => Self { point: *center, radius: *radius, shape: BALL, ..none },
            Region::Cylinder { center, axis, radius, half_length } => Self {
                point: *center,
                other: *axis,
                radius: *radius,
                half_length: *half_length,
                shape: CYLINDER,
                ..none
            },
            Region::HalfSpace { point, normal } => {
                Self { point: *point, other: *normal, shape: HALF_SPACE, ..none }
            }
            Region::Outside(inner) => {
                let inner = Self::of_region(inner);
                Self { outside: 1 + inner.outside, ..inner }
            }
        }
    }
}

impl<const D: usize> From<&shape::Enclosure<D>> for Enclosure<D> {
    fn from(of: &shape::Enclosure<D>) -> Self {
        Self {
            restitution: of.restitution,
            friction: of.friction,
            collision_radius: of.collision_radius,
            ..Self::of_region(&of.region)
        }
    }
}

/// The containers of a run as a kernel takes them. Twin of `Containers` in containers.cuh.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct List<const D: usize> {
    list: In<Enclosure<D>>,
    n: u32,
}

/// The containers of a run.
#[derive(Debug)]
pub struct Containers<const D: usize> {
    table: Field<Enclosure<D>>,
}

impl<const D: usize> Containers<D> {
    /// Uploads them.
    ///
    /// # Errors
    /// When there is no memory left, or the copy fails.
    pub fn new(executor: &dyn Executor, containers: &[shape::Enclosure<D>]) -> Result<Self, CudaError> {
        let table: Vec<Enclosure<D>> = containers.iter().map(Enclosure::from).collect();
        Ok(Self { table: executor.upload(&table)? })
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// What a kernel takes that keeps particles inside.
    ///
    /// # Errors
    /// When there are more than can be numbered.
    pub fn list(&self, executor: &dyn Executor) -> Result<List<D>, CudaError> {
        Ok(List { list: executor.input(&self.table), n: count(self.table.len())? })
    }

    /// Keeps the first `n` particles inside, and turns their velocities back.
    ///
    /// # Errors
    /// When a field is too short, or the launch fails.
    pub fn contain(
        &self,
        executor: &dyn Executor,
        n: usize,
        x: &mut [Field<Real>; D],
        v: &mut [Field<Real>; D],
    ) -> Result<(), CudaError> {
        x.iter().try_for_each(|x| CONTAIN.expect("x", x.len(), n))?;
        v.iter().try_for_each(|v| CONTAIN.expect("v", v.len(), n))?;
        let (x, v, list) = (executor.writable(x), executor.writable(v), self.list(executor)?);
        // SAFETY: all fields have n items, and the list as many as it says.
        unsafe { executor.launch(CONTAIN.for_each(D, n)?, arguments![@containers list, count(n)?, x, v]) }
    }

    /// Keeps the first `n` positions inside.
    ///
    /// # Errors
    /// When a field is too short, or the launch fails.
    pub fn keep_inside(
        &self,
        executor: &dyn Executor,
        n: usize,
        x: &mut [Field<Real>; D],
    ) -> Result<(), CudaError> {
        x.iter().try_for_each(|x| KEEP_INSIDE.expect("x", x.len(), n))?;
        let (x, list) = (executor.writable(x), self.list(executor)?);
        // SAFETY: as of `contain`.
        unsafe { executor.launch(KEEP_INSIDE.for_each(D, n)?, arguments![@containers list, count(n)?, x]) }
    }
}
