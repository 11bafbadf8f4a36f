//! Nominal surfaces of walls and bodies as a GPU reads them, where they are now and how they move.
//!
//! What particles find near them is in `wall_surfaces.cuh`.

use crate::common::boundary::{containers::Enclosure, facets::Facets};
use sph_core::{
    fluid::{self, wall_surface::WallSurface},
    geometry::sampling::Side,
    numerics::lane::each,
    rigid::{Placement, Rigid},
};

crate::device::launch::generated!("common_boundary_wall_surfaces.rs");

/// The identity matrix.
fn unit<const D: usize>() -> [[f64; D]; D] {
    each(|k| each(|a| if a == k { 1.0 } else { 0.0 }))
}

impl From<&fluid::areas::Areas> for Areas {
    fn from(&fluid::areas::Areas { deepest, mean, center, terms }: &fluid::areas::Areas) -> Self {
        Self { deepest, mean, center, terms }
    }
}

impl<const D: usize> Surface<D> {
    /// Of a wall or a body that is where `placement` says. `facets` has its own, if it has any.
    pub fn placed(surface: &WallSurface<D>, placement: &Placement<D>, facets: &Facets<D>) -> Self {
        let Placement { pose, point, angular } = *placement;
        let (columns, shift) = pose.map_or((unit(), [0.0; D]), |pose| (*pose.columns(), *pose.shift()));
        Self {
            pose: Pose { columns, shift },
            point: point.0,
            velocity: point.1,
            angular,
            posed: pose.is_some().into(),
            ..Self::in_reference(surface, facets)
        }
    }

    /// Of a body: it is where `ahead` is, and moves as one with the center of mass at `center` `[m]`, with this
    /// velocity `[m/s]` and angular velocity `[rad/s]`. `surface` is drawn in the frame of the body;
    /// `facets` has its own, if it has any.
    pub fn of_body(
        (surface, facets): (&WallSurface<D>, &Facets<D>),
        ahead: &Rigid<D>,
        center: [f64; D],
        velocity: [f64; D],
        angular: [f64; 3],
    ) -> Self {
        let axes: [[f64; 3]; D] = each(|k| ahead.rotation.rotate(&each(|a| if a == k { 1.0 } else { 0.0 })));
        Self {
            pose: Pose { columns: axes.map(|column| each(|a| column[a])), shift: ahead.x },
            point: center,
            velocity,
            angular,
            posed: 1,
            ..Self::in_reference(surface, facets)
        }
    }

    /// At rest, in the reference configuration.
    fn in_reference(surface: &WallSurface<D>, facets: &Facets<D>) -> Self {
        let bit = |(face, &open): (usize, &bool)| u32::from(open) << face;
        Self {
            region: Enclosure::of_region(&surface.region, facets),
            first_layer: surface.first_layer,
            last_layer: surface.last_layer,
            drag: surface.condition.drag,
            outside: (surface.side == Side::Outside).into(),
            no_slip: surface.condition.no_slip.into(),
            open: surface.open().iter().enumerate().map(bit).sum(),
            pose: Pose { columns: unit(), shift: [0.0; D] },
            ..Self::default()
        }
    }
}
