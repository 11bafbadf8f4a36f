//! The method whose steps run on a GPU.

use super::{
    Gpu,
    constants::constants,
    memory::{DeviceFields, Sizes},
};
use crate::{Params, Projection, step};
use cuda_kernels::{
    common::{
        run::{Common, Demand, OnGpu, Parts, summary::Summary},
        search::neighbors::RowSize,
    },
    device::{
        error::CudaError,
        executor::{Executor, Field},
    },
};
use sph_core::{
    Real,
    method::{
        failure::{BEFORE, Cause, StepError},
        phases::watched,
        state::State,
    },
    numerics::field::fit,
};

impl<const D: usize> OnGpu<D> for Projection<D> {
    type Fields = DeviceFields<D>;
    type Sizes = Sizes;
    const READS_SURFACES: bool = true;

    fn first_sizes(params: &Params) -> Sizes {
        RowSize::of_support::<D>(f64::from(params.support_ratio))
    }

    fn allocate(
        executor: &dyn Executor,
        params: &Params,
        sizes: Sizes,
        demand: Demand<'_, D>,
    ) -> Result<DeviceFields<D>, CudaError> {
        DeviceFields::new(executor, params, sizes, demand)
    }

    fn common(device: &mut DeviceFields<D>) -> &mut Common<D> {
        &mut device.common
    }

    fn shown<'a>(
        device: &'a mut DeviceFields<D>,
        name: &str,
    ) -> Option<(&'a mut Common<D>, &'a Field<Real>)> {
        (name == "pressure").then_some((&mut device.common, &device.acting))
    }

    fn into_parts(device: DeviceFields<D>) -> (Common<D>, Parts) {
        let parts: Parts = vec![
            ("rows of neighbors, on the GPU", Box::new(device.rows)),
            ("entries of the matrix, on the GPU", Box::new(device.entries)),
            ("multigrid levels, on the GPU", Box::new(device.levels)),
        ];
        (device.common, parts)
    }

    fn write(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &State<D>,
    ) -> Result<(), CudaError> {
        fit(&mut self.fields.p, state.fluid.len(), 0.0);
        device.write(executor, state, &self.fields.p, &self.areas)
    }

    fn step(
        &mut self,
        executor: &dyn Executor,
        device: &mut DeviceFields<D>,
        state: &mut State<D>,
        dt: f64,
    ) -> Result<(), StepError> {
        let (constants, end) = (constants(self, state, dt), state.t);
        let gpu =
            Gpu { method: self, executor, device, state, constants, end, source_part: 1.0, searches: 0 };
        step::step(&mut watched(gpu, |_, _| ()), dt).map(drop)
    }

    fn refit(executor: &dyn Executor, device: &mut DeviceFields<D>) -> Result<(), CudaError> {
        let DeviceFields { levels, common, .. } = device;
        levels.as_mut().map_or(Ok(()), |levels| levels.refit(executor, common.fluid.cells.grid()))
    }

    fn learn(&mut self, device: &mut DeviceFields<D>, _: Option<&Summary>) -> Sizes {
        device.sizes()
    }

    fn read(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read(executor, &mut self.fields)
    }

    fn read_chain(&mut self, executor: &dyn Executor, device: &DeviceFields<D>) -> Result<(), CudaError> {
        device.read_chain(executor, &mut self.fields)
    }

    fn blame(&mut self, state: &State<D>, summary: &Summary) -> StepError {
        let first = summary.bad.min(summary.lost);
        let (phase, field) = match summary.bad == first {
            true => ("correct_velocities", "velocity"),
            false => ("update_positions", "position"),
        };
        let id = state.fluid.id.get(first as usize).copied();
        self.explain(state).unwrap_or_else(|| StepError::new(state, phase, id, Cause::NotFinite { field }))
    }

    /// The first failure that shows in the fields of the GPU, in the order of cause and effect.
    fn explain(&mut self, state: &State<D>) -> Option<StepError> {
        let (fluid, domain, fields) = (&state.fluid, &state.domain, &self.fields);
        let of = |phase, k: usize, field| {
            StepError::new(state, phase, fluid.id.get(k).copied(), Cause::NotFinite { field })
        };
        let bad = |x: &[Real]| x.iter().position(|x| !x.is_finite());
        for (x, field) in [(&fluid.x, "position"), (&fluid.v, "velocity")] {
            // Phases leave what was there where something new is not finite.
            if let Some(k) = x.iter().filter_map(|axis| bad(axis)).min() {
                return Some(of(BEFORE, k, field));
            }
        }
        let moments = fields.moments.iter().position(|moments| !moments.is_finite());
        let chain = [
            ("compute_alpha", moments, "density"),
            ("compute_alpha", bad(&fluid.rho), "density"),
            ("build_right_hand_side", bad(&fields.equation.b), "right-hand side"),
            ("solve_pressure", bad(&fields.p), "pressure"),
        ];
        for (phase, found, field) in chain {
            if let Some(k) = found {
                return Some(of(phase, k, field));
            }
        }
        let far = (0..fluid.len()).find(|&k| !domain.holds(fluid.position(k)))?;
        Some(StepError::new(state, "update_positions", Some(fluid.id[far]), Cause::Escaped))
    }

    fn forget_chain(&mut self) {
        let fields = &mut self.fields;
        (fields.moments, fields.sums, fields.equation.b) = (Vec::new(), Vec::new(), Vec::new());
    }
}
