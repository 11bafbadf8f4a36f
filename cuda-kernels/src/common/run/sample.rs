//! What samples of measures copy to the host of a run on a GPU, in the place of all of its state.
//!
//! Particles near the measured places are listed in their order, and their fields gathered; sums over the fluid are made
//! where it is. All of it has the bits that the same samples have of a state that was copied as a whole.

use crate::{
    common::{
        numerics::{fields::permute_fields, scan::Scan, space::Forces},
        run::{
            Common, OnGpu,
            resident::{Fluid, Samples},
        },
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{
    Real, compiled_here,
    fluid::boundary::Boundary,
    method::{
        sample::{self, Marks, Picked, Wanted},
        state::State,
    },
};
use std::sync::Arc;

crate::device::launch::generated!("common_run_sample.rs");

impl<const D: usize> MarkedCells<D> {
    /// Number of cells.
    fn n_cells(&self) -> usize {
        self.extent.iter().map(|&n| n as usize).product()
    }
}

impl<const D: usize> From<BlockSums<D>> for sample::BlockSums<D> {
    fn from(sums: BlockSums<D>) -> Self {
        let BlockSums { kinetic, potential, volume, v, x, moment, low, high, v2 } = sums;
        Self { kinetic, potential, volume, v, x, moment, low, high, v2 }
    }
}

/// What a run holds on the device for its samples.
#[derive(Debug)]
pub struct Sampler<const D: usize> {
    /// Where places are measured, and the same on the device.
    marks: Arc<Marks<D>>,
    cells: MarkedCells<D>,
    /// Shape `[cells]`.
    bits: Field<u32>,
    scan: Scan,
    /// How many particles were listed. Shape `[1]`.
    listed: Field<u32>,
    /// Shape `[blocks]`.
    sums: Field<BlockSums<D>>,
}

impl<const D: usize> Sampler<D> {
    /// For samples of `n` particles.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, n: usize, marks: &Arc<Marks<D>>) -> Result<Self, CudaError> {
        let Marks { low, inverse, extent, ref bits } = **marks;
        Ok(Self {
            marks: Arc::clone(marks),
            cells: MarkedCells { low, inverse, extent },
            bits: executor.upload(bits)?,
            scan: Scan::new(executor, n)?,
            listed: executor.zeros(1)?,
            sums: executor.zeros(n.div_ceil(SUM_BLOCK as usize))?,
        })
    }

    /// True for samples at these places.
    pub fn is_of(&self, marks: &Arc<Marks<D>>) -> bool {
        Arc::ptr_eq(&self.marks, marks)
    }

    /// Copies to the host what is wanted: places of walls into `state`, and what else is read of the fluid.
    ///
    /// # Errors
    /// When there is no memory left, a launch or a copy fails.
    pub fn pick<M: OnGpu<D>>(
        &mut self,
        executor: &dyn Executor,
        device: &mut M::Fields,
        state: &mut State<D>,
        wanted: &Wanted<D>,
    ) -> Result<Picked<D>, CudaError> {
        let pick = compiled_here!(D, Sampler::pick_common as PickCommon<D>);
        let (mut picked, listed) = pick(self, executor, M::common(device), state, wanted)?;
        for (n, &name) in listed.into_iter().flat_map(|n| wanted.fields.iter().map(move |name| (n, name))) {
            let Some((Common { fluid, .. }, field)) = M::shown(device, name) else { continue };
            let gather = compiled_here!(D, gather_listed as GatherListed<D>);
            picked.fields.push((name, gather(executor, fluid, field, n)?));
        }
        Ok(picked)
    }

    /// What all methods have of it, and the number of particles that were listed, if any were wanted.
    fn pick_common(
        &mut self,
        executor: &dyn Executor,
        Common { fluid, walls, .. }: &mut Common<D>,
        state: &mut State<D>,
        wanted: &Wanted<D>,
    ) -> Result<(Picked<D>, Option<usize>), CudaError> {
        let mut picked = Picked::default();
        if wanted.walls {
            read_marks(executor, walls, &mut state.walls)?;
            state.bodies.update_samples(&mut state.walls);
        }
        if wanted.sums {
            let (Fluid { x, v, rho, n, .. }, sums) = (&*fluid, &mut self.sums);
            sum_fluid(executor, x, v, rho, Forces::from(&state.forces), *n, sums)?;
            picked.sums = executor.download(sums)?.into_iter().map(Into::into).collect();
        }
        if wanted.all_densities {
            picked.all_densities = executor.download(&fluid.rho)?;
        }
        if wanted.places == 0 {
            return Ok((picked, None));
        }
        let n = self.list(executor, fluid, wanted.places)?;
        read_listed(executor, fluid, n, wanted, &mut picked)?;
        Ok((picked, Some(n)))
    }

    /// Lists the particles near these places in the spare field of their cells. Returns how many there are.
    fn list(
        &mut self,
        executor: &dyn Executor,
        fluid: &mut Fluid<D>,
        places: u32,
    ) -> Result<usize, CudaError> {
        let (Fluid { x, cells, n, .. }, Self { cells: marked, bits, scan, listed, .. }) = (fluid, self);
        let (before, index) = cells.spare();
        flag_near(executor, *marked, bits, places, x, *n, before)?;
        scan.exclusive::<D>(executor, before, *n)?;
        list_near(executor, *marked, bits, places, x, before, *n, index, listed)?;
        let mut n_listed = [0];
        executor.read(listed, &mut n_listed)?;
        Ok(n_listed[0] as usize)
    }
}

type PickCommon<const D: usize> = fn(
    &mut Sampler<D>,
    &dyn Executor,
    &mut Common<D>,
    &mut State<D>,
    &Wanted<D>,
) -> Result<(Picked<D>, Option<usize>), CudaError>;

type GatherListed<const D: usize> =
    fn(&dyn Executor, &mut Fluid<D>, &Field<Real>, usize) -> Result<Vec<Real>, CudaError>;

/// Copies to the host what is wanted of the `n` particles that were listed.
fn read_listed<const D: usize>(
    executor: &dyn Executor,
    Fluid { x, v, rho, cells, spare, .. }: &mut Fluid<D>,
    n: usize,
    wanted: &Wanted<D>,
    picked: &mut Picked<D>,
) -> Result<(), CudaError> {
    let (index, room) = (&*cells.spare().1, &mut spare.axes[0]);
    for a in 0..D {
        picked.fluid.x[a] = gather::<D>(executor, &x[a], index, n, room)?;
        if wanted.velocity {
            picked.fluid.v[a] = gather::<D>(executor, &v[a], index, n, room)?;
        }
    }
    if wanted.density {
        picked.fluid.rho = gather::<D>(executor, rho, index, n, room)?;
    }
    Ok(())
}

/// A field of the method at the `n` particles that were listed.
fn gather_listed<const D: usize>(
    executor: &dyn Executor,
    fluid: &mut Fluid<D>,
    field: &Field<Real>,
    n: usize,
) -> Result<Vec<Real>, CudaError> {
    gather::<D>(executor, field, &*fluid.cells.spare().1, n, &mut fluid.spare.axes[0])
}

/// The items of a field at the first `n` of these indices, gathered in `room`.
fn gather<const D: usize>(
    executor: &dyn Executor,
    from: &Field<Real>,
    index: &Field<u32>,
    n: usize,
    room: &mut Field<Real>,
) -> Result<Vec<Real>, CudaError> {
    permute_fields::<D>(executor, index, n, &mut [(from, &mut *room)])?;
    let mut values = vec![0.0; n];
    executor.read(room, &mut values)?;
    Ok(values)
}

/// Copies to the host the samples that tell where walls are which move.
fn read_marks<const D: usize>(
    executor: &dyn Executor,
    samples: &mut Samples<D>,
    walls: &mut Boundary<D>,
) -> Result<(), CudaError> {
    let ids = walls.mark_ids();
    if ids.is_empty() {
        return Ok(());
    }
    let (sought, mut index) = (executor.upload(&ids)?, executor.zeros(ids.len())?);
    find_samples::<D>(executor, &samples.id, samples.n, &sought, ids.len(), &mut index)?;
    let places: Vec<_> = ids.into_iter().map(|id| walls.sample(id)).collect();
    for a in 0..D {
        let x = gather::<D>(executor, &samples.x[a], &index, places.len(), &mut samples.spare.axes[0])?;
        for (place, x) in places.iter().zip(x) {
            place.iter().for_each(|&b| walls.x[a][b] = x);
        }
    }
    Ok(())
}
