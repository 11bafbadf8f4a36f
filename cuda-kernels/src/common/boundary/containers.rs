//! Containers: regions that no particle may leave.
//!
//! Places and velocities have the bits of [`sph_core::geometry::shape::Enclosure::collide`]: the source computes in `f64` and fuses
//! nothing.

use crate::{
    common::boundary::facets::Facets,
    device::{
        error::CudaError,
        executor::{Executor, Field, count},
        launch::{Call, Launched, Parameter},
    },
};
use sph_core::{
    Real,
    geometry::shape::{self, Region},
};

crate::device::launch::generated!("common_boundary_containers.rs");

/// Twins of the shapes in containers.cuh.
const BLOCK: i32 = 0;
const BALL: i32 = 1;
const CYLINDER: i32 = 2;
const HALF_SPACE: i32 = 3;
const TURNED_BLOCK: i32 = 4;
const HULL: i32 = 5;

impl<const D: usize> Enclosure<D> {
    /// The region alone, whatever it does to particles. If it is a hull, its facets are among these.
    pub(crate) fn of_region(region: &Region<D>, facets: &Facets<D>) -> Self {
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
            Region::TurnedBlock { center, axes, half } => {
                Self { point: *center, other: *half, axes: *axes, shape: TURNED_BLOCK, ..none }
            }
            Region::Hull(hull) => facets.addresses(hull).map_or(none, |[boxes, facets]| Self {
                boxes,
                facets,
                shape: HULL,
                ..none
            }),
            Region::Outside(inner) => {
                let inner = Self::of_region(inner, facets);
                Self { outside: 1 + inner.outside, ..inner }
            }
        }
    }
}

/// The containers of a run.
#[derive(Debug)]
pub struct Containers<const D: usize> {
    table: Field<Enclosure<D>>,
    /// What the table points at.
    _facets: Facets<D>,
}

impl<const D: usize> Containers<D> {
    /// Uploads them.
    ///
    /// # Errors
    /// When there is no memory left, or the copy fails.
    pub fn new(executor: &dyn Executor, containers: &[shape::Enclosure<D>]) -> Result<Self, CudaError> {
        let facets = Facets::new(executor, containers.iter().map(|of| &of.region))?;
        let enclosure = |of: &shape::Enclosure<D>| Enclosure {
            restitution: of.restitution,
            friction: of.friction,
            collision_radius: of.collision_radius,
            ..Enclosure::of_region(&of.region, &facets)
        };
        let table: Vec<Enclosure<D>> = containers.iter().map(enclosure).collect();
        Ok(Self { table: executor.upload(&table)?, _facets: facets })
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
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
    ) -> Launched {
        contain(executor, self, n, x, v)
    }
}

impl<const D: usize, C> Parameter<C> for &Containers<D> {
    type Raw = ContainersRaw<D>;

    fn raw(self, call: &Call<'_, C>, _: &'static str, _: usize) -> Result<Self::Raw, CudaError> {
        Ok(ContainersRaw { list: call.executor.input(&self.table), n: count(self.table.len())? })
    }
}
