//! Numbers for people before the first step: what the scene has become, and how much memory it takes.

use crate::{LIMITS, Params, Wcsph, memory::Needs, params::WallPressure, setup};
use sph_core::{
    Real,
    error::Error,
    kernel::Kernel as _,
    method::{
        report::{Derived, Number},
        scales::Scales,
        state::State,
    },
    scene::{Counts, Scene},
    watch::plan::{Demand, MemoryPlan},
};

/// A sound speed below this many characteristic speeds compresses the liquid by more than a percent, since
/// `Δρ/ρ ≈ (U/c₀)²` [Mon92].
const SOUND_OVER_SPEED: f64 = 10.0;

impl<const D: usize> Wcsph<D> {
    /// Sound speed, Mach and Reynolds number `Ma = U/c₀`, `Re = U L/ν` with the [`Scales`] of the state, and the
    /// limits of the step.
    pub(crate) fn numbers(&self, state: &State<D>) -> Derived {
        let number = |name, value, unit| Number { name, value, unit };
        let spacing = f64::from(state.rest.spacing);
        let gravity = state.forces.gravity.iter().map(|g| f64::from(g * g)).sum::<f64>().sqrt();
        let scales = Scales::of(state);
        let (speed, c_0, nu) = (scales.speed(), f64::from(self.constants.c_0), f64::from(self.constants.nu));
        let limits = self.limits(spacing, scales.fluid_speed, gravity);
        let mut step_limits: Vec<_> =
            LIMITS.into_iter().zip(limits).map(|(name, dt)| number(name, dt, "s")).collect();
        step_limits.push(number("dt_max", f64::from(self.params.dt_max), "s"));
        Derived {
            constants: vec![
                number("support radius h", f64::from(self.kernel.support_radius()), "m"),
                number("sound speed c₀", c_0, "m/s"),
                number("kinematic viscosity ν", nu, "m²/s"),
                number("largest speed of the fluid at the start", scales.fluid_speed, "m/s"),
                number("largest speed of a wall", scales.wall_speed, "m/s"),
                number("speed of a fall √(2gH)", scales.fall_speed, "m/s"),
                number("characteristic speed U, the largest of them", speed, "m/s"),
                number("characteristic length L", scales.length, "m"),
                number("Reynolds number U L/ν", speed * scales.length / nu, "-"),
                number("Mach number U/c₀", speed / c_0, "-"),
            ],
            step_limits,
            warnings: slow_sound(c_0, speed).into_iter().collect(),
        }
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

/// The memory that a run of the scene needs with weakly compressible SPH.
///
/// # Errors
/// When the solver's parameters are refused.
pub fn memory_plan(scene: &Scene, counts: Counts, threads: usize) -> Result<MemoryPlan, Error> {
    let params = setup::parameters(scene)?;
    let dummy = params.wall_pressure == WallPressure::Dummy && counts.walls > 0.0;
    let bodies = !scene.body.is_empty();
    let support_ratio = f64::from(params.support_ratio);
    let mut plan =
        MemoryPlan::of_core(scene, &Demand { counts, support_ratio, wall_rows: dummy || bodies, threads })?;
    let real = size_of::<Real>() as f64;
    plan.add("fields of wcsph", real * numbers_per_particle(&params, scene.dim) * counts.fluid);
    // Two records, what dummy walls take from the fluid, and what bodies get from it.
    let reaction = if bodies { f64::from(scene.dim) } else { 0.0 };
    let per_sample = 4.0 + 12.0 + reaction + if dummy { 5.0 } else { 0.0 };
    plan.add("wall records of wcsph", real * per_sample * counts.walls);
    Ok(plan)
}

/// Acceleration, drift correction, pressure and records; see `Fields`.
fn numbers_per_particle(params: &Params, dim: u8) -> f64 {
    let (needs, d) = (Needs::of(params), f64::from(dim));
    let optional = |on: bool, count: f64| if on { count } else { 0.0 };
    d + 1.0
        + 4.0
        + 8.0
        + optional(needs.drift_correction, d)
        + optional(needs.wide, 12.0)
        + optional(needs.surface, 8.0)
}
