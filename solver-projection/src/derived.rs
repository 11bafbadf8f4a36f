//! Numbers for people before the first step: what the scene has become, and how much memory it takes.

use crate::{
    Projection,
    aggregation::bytes_per_aggregate,
    memory::{Fields, Needs},
    params::{Gradient, Params, Preconditioner, ViscousForm, WeightForm},
};
use sph_core::{
    Real,
    geometry::lattice,
    kernel::Kernel as _,
    method::{
        report::{Derived, Number},
        scales::{Scales, held_up},
        solids::Flow,
        state::State,
    },
    neighbors::PAD,
    numerics::field::Sizing,
    run::method::{self, Planned},
    watch::plan::{MemoryPlan, holes},
};

/// Support ratio from which on smooth weights let lattices shear.
const SMOOTH_FROM: Real = 3.0;

impl<const D: usize> Projection<D> {
    /// Sums of a full neighborhood, and the limits of the step.
    pub(crate) fn numbers(&self, state: &State<D>) -> Derived {
        let number = |name, value, unit| Number { name, value, unit };
        let (scales, s) = (Scales::of(state), &self.constants);
        let pressure = 0.5 * f64::from(state.rest.rho_0) * scales.fall_speed.powi(2);
        Derived {
            flow: Some(self.flow),
            constants: vec![
                number("support radius h", f64::from(self.kernel.support_radius()), "m"),
                number("sum of weights α of the lattice", s.lattice.alpha, "-"),
                number("diagonal of the lattice", f64::from(s.surface.reference), "1/m²"),
                number("largest speed of the fluid at the start", scales.fluid_speed, "m/s"),
                number("speed of a fall √(2gH)", scales.fall_speed, "m/s"),
                number("characteristic length L", scales.length, "m"),
            ],
            step_limits: method::numbers(self.limits(state, scales.fluid_speed, pressure)),
            warnings: self
                .thin_walls(state)
                .into_iter()
                .chain(self.short_support())
                .chain(self.lacks_stress())
                .chain(self.keeps_no_order())
                .chain(self.holds_bodies_up(state))
                .collect(),
        }
    }

    /// A viscosity that has half of its dissipation where it is needed whole.
    fn lacks_stress(&self) -> Option<String> {
        let is_laplacian =
            self.params.dynamic_viscosity > 0.0 && self.params.viscosity_model == ViscousForm::Morris;
        (is_laplacian && self.flow == Flow::FreeSurface).then(|| {
            "solver.viscosity_model = \"morris\" lacks the viscous stress at the free surface: waves and drops lose as little \
             energy as at half of the viscosity; set \"solenoidal\""
                .to_owned()
        })
    }

    /// A weight that wants a longer support than it has.
    fn short_support(&self) -> Option<String> {
        let (form, eta) = (self.params.projection_weight, self.params.support_ratio);
        let smooth = matches!(form, WeightForm::Spiky | WeightForm::Wendland);
        (smooth && eta < SMOOTH_FROM && self.flow == Flow::FreeSurface).then(|| {
            format!("solver.support_ratio = {eta}: with `spiky` and `wendland` lattices resist shear below {SMOOTH_FROM}")
        })
    }

    /// Differences of the pressure do not drive particles apart, and the surface is found by their asymmetry.
    fn keeps_no_order(&self) -> Option<String> {
        let is_left = self.params.gradient == Gradient::Difference && self.params.particle_shifting == 0.0;
        (is_left && self.flow == Flow::FreeSurface).then(|| {
            "solver.gradient = \"difference\" keeps no order at a free surface without particle_shifting; 10 is what \
             the preset `closed` has"
                .to_owned()
        })
    }

    /// Pairs of the pressure, where bodies sink slowly; measured at Re 0.1 to 1.5.
    fn holds_bodies_up(&self, state: &State<D>) -> Option<String> {
        let by_pairs = self.params.gradient != Gradient::Difference;
        held_up(state, self.params.dynamic_viscosity.into(), "64 to 96 %").filter(|_| by_pairs)
    }

    /// Walls without room for all ghosts of a particle half a spacing before them.
    fn thin_walls(&self, state: &State<D>) -> Vec<String> {
        let (spacing, h) = (f64::from(state.rest.spacing), f64::from(self.kernel.support_radius()));
        let thin = |last: f64| 0.5 * spacing + last + spacing < h * (1.0 - 1e-6);
        let surfaces = state.walls.surfaces.iter().filter(|wall| thin(wall.last_layer));
        let text = |wall: &sph_core::fluid::wall_surface::WallSurface<D>| {
            let layers = (h / spacing - 1.0).ceil();
            format!(
                "the wall `{}` has too few layers for a support of {:.2} spacings: {layers} are needed, or the fluid \
                 beside it counts as its surface",
                wall.name,
                h / spacing
            )
        };
        surfaces.map(text).collect()
    }
}

/// The parts of the memory of a run that are of the method.
pub(crate) fn plan<const D: usize>(params: &Params, run: &Planned, plan: &mut MemoryPlan) {
    let (mut fields, needs) = (Sizing::Count(0.0), Needs::of(params, run.reactions));
    Fields::<D>::default().resize(&mut fields, run.fluid, run.walls, needs);
    plan.add("fields of projection", fields.bytes());
    let n = run.fluid as f64;
    // Rows of some particles are longer than those of the lattice, and lists leave room to grow.
    let neighbors = lattice::n_neighbors::<D>(run.search_ratio).next_multiple_of(PAD) as f64;
    let entries = size_of::<Real>() as f64 * 1.05 * neighbors * n;
    plan.add("entries of the matrix", entries + holes(neighbors, entries));
    if params.preconditioner == Preconditioner::Multilevel {
        // Each level has a 2^d-th of the aggregates below it; those at the rim of the fluid are not full.
        let aggregates = 1.3 / run.search_ratio.powi(D as i32) / (1.0 - 0.5_f64.powi(D as i32));
        plan.add("multigrid levels", (8.0 + aggregates * bytes_per_aggregate(D)) * n);
    }
}
