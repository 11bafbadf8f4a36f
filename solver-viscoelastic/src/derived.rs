//! Derived parameters and memory of a scene, before the first step.

use crate::{
    Viscoelastic,
    memory::{Fields, Needs},
    params::{Params, RelaxMode},
    springs::BY_ID,
};
use sph_core::{
    Real,
    geometry::lattice,
    method::{
        report::{Derived, Number},
        scales::Scales,
        state::State,
    },
    neighbors::PAD,
    numerics::field::Sizing,
    run::method::{self, Planned},
    watch::plan::MemoryPlan,
};

impl<const D: usize> Viscoelastic<D> {
    /// Stiffness, the compression that it leaves, and the limits of the step.
    pub(crate) fn numbers(&self, state: &State<D>) -> Derived {
        let number = |name, value, unit| Number { name, value, unit };
        let (scales, s) = (Scales::of(state), &self.constants);
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
            flow: None,
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
            step_limits: method::numbers(self.limits(scales.fluid_speed)),
            warnings,
        }
    }
}

/// The parts of the memory of a run that are of the method.
pub(crate) fn plan<const D: usize>(params: &Params, run: &Planned, plan: &mut MemoryPlan) {
    let (mut fields, needs) = (Sizing::Count(0.0), Needs::of(params, run.reactions));
    Fields::<D>::default().resize(&mut fields, run.fluid, run.walls, needs);
    plan.add("fields of viscoelastic", fields.bytes());
    let n = run.fluid as f64;
    if params.relax_mode != RelaxMode::Jacobi {
        // Chunk, ends and color of each cell, in arrays with spare capacity.
        plan.add("cells by color", 2.0 * 13.0 * n / run.search_ratio.powi(D as i32));
    }
    if needs.springs {
        // Rows of both ends, padded, in two buffers; ids, order, offsets of rows; the partner of a particle, of each
        // thread.
        let neighbors = lattice::n_neighbors::<D>(run.search_ratio).next_multiple_of(PAD) as f64;
        let row = 2.0 * (4.0 + size_of::<Real>() as f64) * neighbors + 2.0 * 12.0 + 12.0;
        plan.add("springs", (row + 4.0 * run.threads as f64) * n);
        // In snapshots and checkpoints, each of which is made of the springs by id.
        let by_id = BY_ID * lattice::n_neighbors::<D>(run.search_ratio) as f64 * n;
        plan.add("springs by id", (1 + run.snapshots) as f64 * by_id);
    }
}
