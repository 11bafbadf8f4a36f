//! Closed surfaces of facets: polygons, meshes and heightfields.
//!
//! The distance from one is that of the nearest facet, which kernels look for in the tree of boxes of [`Hull`]: its signed
//! distances and normals have the bits of the processor everywhere. The search is in `facets.cuh`.

use crate::device::{
    error::CudaError,
    executor::{Executor, Field},
};
use sph_core::geometry::shape::{self, Hull, Region};
use std::sync::Arc;

crate::device::launch::generated!("common_boundary_facets.rs");

/// The facets of all hulls among some regions, where kernels read them.
#[derive(Debug)]
pub struct Facets<const D: usize> {
    tables: Vec<Table<D>>,
}

#[derive(Debug)]
struct Table<const D: usize> {
    of: Arc<Hull<D>>,
    boxes: Field<FacetBox<D>>,
    facets: Field<Facet<D>>,
}

impl<const D: usize> Facets<D> {
    /// Uploads the facets of these regions; those of other shapes have none.
    ///
    /// # Errors
    /// When there is no memory left, or a copy fails.
    pub fn new<'a>(
        executor: &dyn Executor,
        regions: impl IntoIterator<Item = &'a Region<D>>,
    ) -> Result<Self, CudaError> {
        let mut tables = Vec::<Table<D>>::new();
        for mut region in regions {
            while let Region::Outside(inner) = region {
                region = inner;
            }
            if let Region::Hull(hull) = region
                && !tables.iter().any(|table| Arc::ptr_eq(&table.of, hull))
            {
                tables.push(Table::new(executor, hull)?);
            }
        }
        Ok(Self { tables })
    }

    /// True where no region has facets.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Addresses of the boxes and facets of a hull, which lie there as long as `self`.
    pub(crate) fn addresses(&self, hull: &Arc<Hull<D>>) -> Option<[u64; 2]> {
        let table = self.tables.iter().find(|table| Arc::ptr_eq(&table.of, hull))?;
        Some([table.boxes.memory.address(), table.facets.memory.address()])
    }
}

impl<const D: usize> Table<D> {
    fn new(executor: &dyn Executor, hull: &Arc<Hull<D>>) -> Result<Self, CudaError> {
        let part =
            |of: &shape::FacetBox<D>| FacetBox { low: of.low, high: of.high, count: of.count, at: of.at };
        let facet = |of: shape::Facet<D>| Facet {
            corner: of.corners,
            normal: of.normal,
            at_edge: of.at_edges,
            at_corner: of.at_corners,
        };
        let boxes = executor.upload(&hull.boxes().iter().map(part).collect::<Vec<_>>())?;
        let facets = executor.upload(&hull.in_order().map(facet).collect::<Vec<_>>())?;
        Ok(Self { of: Arc::clone(hull), boxes, facets })
    }
}
