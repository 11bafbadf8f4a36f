//! Numbers for people before the first step: what the scene has become, and how much memory it takes.

use crate::{
    Params, Wcsph,
    cpu::Extrapolated,
    memory::{Fields, Needs},
    params::ViscosityModel,
};
use sph_core::{
    Real,
    kernel::Kernel as _,
    method::{
        report::{Derived, Number},
        scales::{Scales, held_up},
        solids::Flow,
        state::State,
    },
    numerics::field::Sizing,
    run::method::{self, Planned},
    watch::plan::MemoryPlan,
};

/// A sound speed below this many characteristic speeds compresses the liquid by more than a percent, since
/// `Δρ/ρ ≈ (U/c₀)²` [Mon92].
const SOUND_OVER_SPEED: f64 = 10.0;

/// What bodies lose that sink slowly, measured at Re 0.1 to 17.
const LOST: &str = "16 to 53 %";

impl<const D: usize> Wcsph<D> {
    /// Sound speed, Mach and Reynolds number `Ma = U/c₀`, `Re = U L/ν` with the [`Scales`] of the state, and the
    /// limits of the step.
    pub(crate) fn numbers(&self, state: &State<D>) -> Derived {
        let number = |name, value, unit| Number { name, value, unit };
        let viscosity = match self.params.viscosity_in(self.flow) {
            ViscosityModel::Monaghan => "kinematic viscosity ν of monaghan",
            ViscosityModel::Morris => "kinematic viscosity ν of morris",
            ViscosityModel::Solenoidal => "kinematic viscosity ν of solenoidal",
        };
        let scales = Scales::of(state);
        let (speed, c_0, nu) = (scales.speed(), f64::from(self.constants.c_0), f64::from(self.constants.nu));
        Derived {
            flow: Some(self.flow),
            constants: vec![
                number("support radius h", f64::from(self.kernel.support_radius()), "m"),
                number("sound speed c₀", c_0, "m/s"),
                number(viscosity, nu, "m²/s"),
                number("largest speed of the fluid at the start", scales.fluid_speed, "m/s"),
                number("largest speed of a wall", scales.wall_speed, "m/s"),
                number("speed of a fall √(2gH)", scales.fall_speed, "m/s"),
                number("characteristic speed U, the largest of them", speed, "m/s"),
                number("characteristic length L", scales.length, "m"),
                number("Reynolds number U L/ν", speed * scales.length / nu, "-"),
                number("Mach number U/c₀", speed / c_0, "-"),
            ],
            step_limits: method::numbers(self.limits(scales.fluid_speed, state.max_outer_acceleration())),
            warnings: slow_sound(c_0, speed)
                .into_iter()
                .chain(self.lacks_stress())
                .chain(self.params.dynamic_viscosity.and_then(|mu| held_up(state, mu.into(), LOST)))
                .collect(),
        }
    }

    /// A viscosity that has half of its dissipation where it is needed whole.
    fn lacks_stress(&self) -> Option<String> {
        let is_laplacian = self.params.viscosity_model == Some(ViscosityModel::Morris);
        (is_laplacian && self.flow == Flow::FreeSurface).then(|| {
            "solver.viscosity_model = \"morris\" lacks the viscous stress at the free surface: waves and drops lose as little \
             energy as at half of the viscosity; leave the key out, or set \"solenoidal\""
                .to_owned()
        })
    }
}

fn slow_sound(c_0: f64, speed: f64) -> Option<String> {
    let least = SOUND_OVER_SPEED * speed;
    // c₀ is derived in the precision of the run.
    (c_0 < least * (1.0 - 8.0 * f64::from(Real::EPSILON))).then(|| {
        format!(
            "the sound speed, {c_0:.4} m/s, is below ten times the characteristic speed, {speed:.4} m/s: densities \
             will err by about {:.0} %; set solver.sound_speed to {least:.4} or more",
            100.0 * (speed / c_0).powi(2)
        )
    })
}

/// The parts of the memory of a run that are of the method.
pub(crate) fn plan<const D: usize>(params: &Params, run: &Planned, plan: &mut MemoryPlan) {
    let mut fields = Sizing::Count(0.0);
    Fields::<D>::default().resize(&mut fields, run.fluid, run.walls, Needs::of(params), run.reactions);
    fields.fit(
        &mut Vec::<Extrapolated>::new(),
        if params.has_dummy_walls() { run.walls } else { 0 },
        Extrapolated::default(),
    );
    plan.add("fields of wcsph", fields.bytes());
}
