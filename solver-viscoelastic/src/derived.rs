//! Derived parameters and memory of a scene, before the first step.

use crate::{Viscoelastic, memory::Needs, params::RelaxMode, setup};
use sph_core::{
    Real,
    error::Error,
    geometry::lattice,
    method::{
        report::{Derived, Number},
        scales::Scales,
        state::State,
    },
    neighbors::PAD,
    scene::{Counts, Scene},
    watch::plan::{Demand, MemoryPlan},
};

impl<const D: usize> Viscoelastic<D> {
    /// Stiffness, the compression that it leaves, and the limits of the step.
    pub(crate) fn numbers(&self, state: &State<D>) -> Derived {
        let number = |name, value, unit| Number { name, value, unit };
        let (scales, s) = (Scales::of(state), &self.constants);
        let [speed, waves, springs, stickiness] = self.limits(state, scales.fluid_speed);
        let c = s.sound_speed;
        let mut warnings = Vec::new();
        if self.depth.pressure > 0.2 * c * c {
            warnings.push(format!(
                "solver.stiffness is low for a depth of {:.3} m: the fluid will lose {:.0} % of its volume at the bottom",
                self.depth.height,
                100.0 * self.depth.pressure / (c * c)
            ));
        }
        Derived {
            constants: vec![
                number("interaction radius h", f64::from(s.h), "m"),
                number("stiffness k over normalization of density", f64::from(s.stiffness.k), "m/s²"),
                number(
                    "near stiffness over normalization of near density",
                    f64::from(s.stiffness.k_near),
                    "m/s²",
                ),
                number("Σg² of the lattice", f64::from(s.lattice_rho), "-"),
                number("speed of pressure waves c", c, "m/s"),
                number("compression at the bottom gH/c²", self.depth.pressure / (c * c), "-"),
                number("characteristic speed U", scales.speed(), "m/s"),
            ],
            step_limits: vec![
                number("particle speed", speed.max(f64::from(self.params.dt_min)), "s"),
                number("pressure waves", waves, "s"),
                number("springs", springs, "s"),
                number("stickiness", stickiness, "s"),
            ],
            warnings,
        }
    }
}

/// The memory that a run of the scene needs with the viscoelastic fluid.
///
/// # Errors
/// When the solver's parameters are refused.
pub fn memory_plan(scene: &Scene, counts: Counts, threads: usize) -> Result<MemoryPlan, Error> {
    let params = setup::parameters(scene)?;
    let has_bodies = !scene.body.is_empty();
    let support_ratio = f64::from(params.support_ratio);
    let mut plan =
        MemoryPlan::of_core(scene, &Demand { counts, support_ratio, wall_rows: has_bodies, threads })?;
    let (real, needs) = (size_of::<Real>() as f64, Needs::of(&params, has_bodies));
    let optional = |on: bool, count: f64| if on { count } else { 0.0 };
    let numbers = 4.0
        + optional(needs.pressure, 8.0)
        + optional(needs.viscosity, 8.0)
        + optional(needs.delta || needs.viscosity, 4.0);
    plan.add("fields of viscoelastic", real * numbers * counts.fluid);
    if params.relax_mode != RelaxMode::Jacobi {
        // Chunk, ends and color of each cell, in arrays with spare capacity.
        let cells = counts.fluid / support_ratio.powi(i32::from(scene.dim));
        plan.add("cells by color", 2.0 * 13.0 * cells);
    }
    let per_sample = 4.0 + optional(needs.reactions, f64::from(scene.dim));
    plan.add("wall records of viscoelastic", real * per_sample * counts.walls);
    if needs.springs {
        let neighbors = match scene.dim {
            2 => lattice::n_neighbors::<2>(support_ratio),
            _ => lattice::n_neighbors::<3>(support_ratio),
        };
        // Rows of both ends, padded, in two buffers; ids, order, offsets of rows; the partner of a particle, of each
        // thread.
        let row = 2.0 * (4.0 + real) * neighbors.next_multiple_of(PAD) as f64 + 2.0 * 12.0 + 12.0;
        let row = row + 4.0 * threads as f64;
        plan.add("springs", row * counts.fluid);
    }
    Ok(plan)
}
