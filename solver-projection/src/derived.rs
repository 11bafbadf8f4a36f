//! Numbers for people before the first step: what the scene has become, and how much memory it takes.

use crate::{
    LIMITS, Projection,
    aggregation::bytes_per_aggregate,
    memory::{Needs, Vectors},
    params::{Gradient, Preconditioner, WeightForm},
    setup,
};
use sph_core::{
    Real,
    error::Error,
    geometry::lattice,
    kernel::Kernel,
    method::{
        report::{Derived, Number},
        scales::Scales,
        state::State,
    },
    neighbors::PAD,
    scene::{Counts, Scene},
    watch::plan::{Demand, MemoryPlan},
};

/// Support ratio from which on smooth weights let lattices shear.
const SMOOTH_FROM: Real = 3.0;

impl<const D: usize> Projection<D> {
    /// Sums of a full neighborhood, and the limits of the step.
    pub(crate) fn numbers(&self, state: &State<D>) -> Derived {
        let number = |name, value, unit| Number { name, value, unit };
        let (scales, s) = (Scales::of(state), &self.constants);
        let pressure = 0.5 * f64::from(state.rest.rho_0) * scales.fall_speed.powi(2);
        let limits = self.limits(state, scales.fluid_speed, pressure);
        let mut step_limits: Vec<_> =
            LIMITS.into_iter().zip(limits).map(|(name, dt)| number(name, dt, "s")).collect();
        step_limits.push(number("dt_max", f64::from(self.params.dt_max), "s"));
        Derived {
            constants: vec![
                number("support radius h", f64::from(self.kernel.support_radius()), "m"),
                number("sum of weights α of the lattice", s.lattice.alpha, "-"),
                number("diagonal of the lattice", f64::from(s.surface.reference), "1/m²"),
                number("largest speed of the fluid at the start", scales.fluid_speed, "m/s"),
                number("speed of a fall √(2gH)", scales.fall_speed, "m/s"),
                number("characteristic length L", scales.length, "m"),
            ],
            step_limits,
            warnings: self
                .thin_walls(state)
                .into_iter()
                .chain(self.soft_walls(state))
                .chain(self.short_support())
                .collect(),
        }
    }

    /// Walls that do not push.
    fn soft_walls(&self, state: &State<D>) -> Option<String> {
        (self.params.gradient == Gradient::Difference && !state.walls.is_empty()).then(|| {
            "solver.gradient = \"difference\": walls and bodies hold the fluid by the divergence alone, and bodies get no pressure".to_owned()
        })
    }

    /// A weight that wants a longer support than it has.
    fn short_support(&self) -> Option<String> {
        let (form, eta) = (self.params.projection_weight, self.params.support_ratio);
        let smooth = matches!(form, WeightForm::Spiky | WeightForm::Wendland);
        (smooth && eta < SMOOTH_FROM).then(|| {
            format!("solver.support_ratio = {eta}: with `spiky` and `wendland` lattices resist shear below {SMOOTH_FROM}")
        })
    }

    /// Walls without room for all ghosts of a particle half a spacing before them.
    fn thin_walls(&self, state: &State<D>) -> Vec<String> {
        let (spacing, h) = (f64::from(state.rest.spacing), f64::from(self.kernel.support_radius()));
        let thin = |last: f64| 0.5 * spacing + last + spacing < h * (1.0 - 1e-6);
        let barriers = state.walls.barriers.iter().filter(|wall| thin(wall.last_layer));
        let text = |wall: &sph_core::fluid::barrier::Barrier<D>| {
            let layers = (h / spacing - 1.0).ceil();
            format!(
                "the wall `{}` has too few layers for a support of {:.2} spacings: {layers} are needed, or the fluid \
                 beside it counts as its surface",
                wall.name,
                h / spacing
            )
        };
        barriers.map(text).collect()
    }
}

/// The memory that a run of the scene needs with the staggered projection.
///
/// # Errors
/// When the solver's parameters are refused.
pub fn memory_plan(scene: &Scene, counts: Counts, threads: usize) -> Result<MemoryPlan, Error> {
    let params = setup::parameters(scene)?;
    let has_bodies = !scene.body.is_empty();
    let support_ratio = f64::from(params.support_ratio);
    let mut plan =
        MemoryPlan::of_core(scene, &Demand { counts, support_ratio, wall_rows: has_bodies, threads })?;
    let (real, needs, d) = (size_of::<Real>() as f64, Needs::of(&params, has_bodies), f64::from(scene.dim));
    let optional = |on: bool, count: f64| if on { count } else { 0.0 };
    let neighbors = match scene.dim {
        2 => lattice::n_neighbors::<2>(support_ratio),
        _ => lattice::n_neighbors::<3>(support_ratio),
    };
    // Pressures, Dirichlet terms, records and sums.
    let numbers = 3.0
        + 4.0
        + 8.0
        + 4.0
        + 4.0
        + Vectors::PER_PARTICLE
        + optional(needs.viscosity, 4.0)
        + optional(needs.wall_correction && counts.walls > 0.0, 12.0)
        + optional(needs.tangential_reaction, 8.0);
    plan.add("fields of projection", real * numbers * counts.fluid);
    // Rows of some particles are longer than those of the lattice, and lists leave room to grow.
    let row = 1.15 * neighbors.next_multiple_of(PAD) as f64;
    plan.add("entries of the matrix", real * row * counts.fluid);
    if params.preconditioner == Preconditioner::Multilevel {
        // Each level has a 2^d-th of the aggregates below it; those at the rim of the fluid are not full.
        let aggregates = 1.3 / support_ratio.powf(d) / (1.0 - 0.5_f64.powf(d));
        plan.add(
            "multigrid levels",
            (8.0 + aggregates * bytes_per_aggregate(scene.dim.into())) * counts.fluid,
        );
    }
    plan.add("wall records of projection", real * (12.0 + optional(needs.reactions, d)) * counts.walls);
    Ok(plan)
}
