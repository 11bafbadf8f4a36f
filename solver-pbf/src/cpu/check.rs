//! Diagnosis of a number that a loop has found not to be finite: which field it is in, and which phase computed it.

use super::Cpu;
use sph_core::{
    method::failure::{BEFORE, Cause, StepError},
    numerics::parallel::First,
};

impl<const D: usize> Cpu<'_, D> {
    /// Fails if a loop over the corrected positions found something: in these, or in what it computed from them.
    pub(super) fn check_corrected(
        &self,
        phase: &'static str,
        found: First,
        field: &'static str,
    ) -> Result<(), StepError> {
        if found.place().is_some() {
            let fields = &self.method.fields;
            let is_bad = |i: &usize| !fields.x_star_is_finite(*i);
            let first = First::from((0..self.state.fluid.len()).find(is_bad));
            self.check_field("apply_delta_x", first, "position")?;
        }
        self.check_field(phase, found, field)
    }

    /// Fails if the loop over surface forces found something: in these, or in the velocity before.
    pub(super) fn check_accelerated(&self, found: First) -> Result<(), StepError> {
        let Some(i) = found.place() else { return Ok(()) };
        if self.method.fields.a.iter().all(|a| a[i].is_finite()) {
            let before = self.method.constants.needs.velocities;
            let phase = if before { "apply_vorticity_and_xsph" } else { "update_velocities" };
            return self.check_field(phase, found, "velocity");
        }
        self.check_field("apply_vorticity_and_xsph", found, "surface acceleration")
    }

    pub(super) fn check_predicted(&self, found: First) -> Result<(), StepError> {
        let Some(i) = found.place() else { return Ok(()) };
        let fluid = &self.state.fluid;
        if !fluid.velocity(i).iter().all(|v| v.is_finite()) {
            return self.check_field(BEFORE, found, "velocity");
        }
        if !fluid.position(i).iter().all(|x| x.is_finite()) {
            return self.check_field(BEFORE, found, "position");
        }
        if self.state.domain.holds(fluid.position(i)) {
            return self.check_field("predict_positions", found, "position");
        }
        Err(StepError::new(self.state, "predict_positions", Some(fluid.id[i]), Cause::Escaped))
    }

    /// Fails if the packed positions of fluid or walls are not finite.
    pub(super) fn check_packed(&self, fluid: First, walls: First) -> Result<(), StepError> {
        if let Some(b) = walls.place() {
            let cause = Cause::NotFinite { field: "wall position" };
            return Err(StepError::new(self.state, "move_walls", Some(self.state.walls.id[b]), cause));
        }
        self.check_field("predict_positions", fluid, "position")
    }

    pub(super) fn check_field(
        &self,
        phase: &'static str,
        found: First,
        field: &'static str,
    ) -> Result<(), StepError> {
        let Some(i) = found.place() else { return Ok(()) };
        let cause = Cause::NotFinite { field };
        Err(StepError::new(self.state, phase, Some(self.state.fluid.id[i]), cause))
    }
}
