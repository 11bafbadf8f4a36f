//! A failed run as particles around the culprit, for ParaView.

use crate::{
    output::{self, Field, Fields, FrameData, OutputError, Values},
    result::failure::Failure,
};
use sph_core::{
    Real,
    numerics::{lane::each, vector::norm2},
    run::simulation::Simulation,
};
use std::path::Path;

/// Name of the file with the particles around a failure.
pub const FAILURE_FILE: &str = "failure.vtu";

impl Failure {
    /// Writes the culprit and what is within two supports of it to [`FAILURE_FILE`] in `folder`: id, the standard fields,
    /// and in `not_finite` the sum of 1 for a position, 2 for a velocity, 4 for a density and 8 for a field of the
    /// solver that was not finite and is written as 0. Without a culprit no neighbors are written.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_vtu<const D: usize>(
        &self,
        simulation: &Simulation<D>,
        folder: &Path,
    ) -> Result<(), OutputError> {
        let mut frame = FrameData::default();
        frame.copy(&Fields::standard(&*simulation.solver), &simulation.state, &*simulation.solver);
        let near = self.near(simulation);
        let mut flags = vec![0; near.len()];
        frame.id = near.iter().map(|&i| frame.id[i]).collect();
        frame.x.iter_mut().for_each(|x| keep(x, &near, 1, &mut flags));
        for field in &mut frame.fields {
            let flag = match &*field.name {
                "velocity" => 2,
                "density" => 4,
                _ => 8,
            };
            match &mut field.values {
                Values::Scalar(values) => keep(values, &near, flag, &mut flags),
                Values::Vector(axes) => axes.iter_mut().for_each(|x| keep(x, &near, flag, &mut flags)),
                Values::Count(counts) => *counts = near.iter().map(|&i| counts[i]).collect(),
            }
        }
        let values = Values::Count(flags);
        frame.fields.push(Field { name: "not_finite".into(), unit: "-".into(), values });
        output::write_frame(&frame, &folder.join(FAILURE_FILE))
    }

    /// The culprit, and the particles within two supports of it.
    fn near<const D: usize>(&self, simulation: &Simulation<D>) -> Vec<usize> {
        let Some(culprit) = &self.culprit else { return Vec::new() };
        let state = &simulation.state;
        let reach = 2.0 * simulation.solver.support_radius();
        let center: [Real; D] = each(|a| culprit.x.get(a).map_or(Real::NAN, |&x| x as Real));
        let is_near = |i: usize| {
            let x = state.fluid.position(i);
            let offset = state.domain.periodic.nearest(each::<Real, D>(|a| x[a] - center[a]));
            norm2(offset) <= reach * reach || (!culprit.is_wall && state.fluid.id[i] == culprit.id)
        };
        (0..state.fluid.len()).filter(|&i| is_near(i)).collect()
    }
}

/// Keeps the values of the particles `near`, with 0 and a flag in place of what is not finite.
fn keep(values: &mut Vec<Real>, near: &[usize], flag: u32, flags: &mut [u32]) {
    let value = |(&i, flags): (&usize, &mut u32)| {
        if values[i].is_finite() {
            return values[i];
        }
        *flags |= flag;
        0.0
    };
    *values = near.iter().zip(flags).map(value).collect();
}
