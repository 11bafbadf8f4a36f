//! Derived numbers before the first step: constants of the constraint, and stability of the step.

use crate::{Pbf, physics};
use sph_core::{
    Real,
    error::Error,
    kernel::Kernel as _,
    method::{
        report::{Derived, Number},
        scales::Scales,
        state::State,
    },
    run::method,
    scene::Scene,
};

impl<const D: usize> Pbf<D> {
    /// Constraint and stability number, and the limits of a stable step. The step that the method chooses also conserves
    /// the volume.
    pub(crate) fn numbers(&self, state: &State<D>) -> Derived {
        let number = |name, value, unit| Number { name, value, unit };
        let scales = Scales::of(state);
        let limits = self.limits(state, scales.fluid_speed);
        let dt = limits.iter().map(|limit| limit.1).fold(f64::INFINITY, f64::min);
        let [speed, _, surface, _] = limits;
        let s = self.stability_number(state, dt);
        Derived {
            flow: None,
            constants: vec![
                number("support radius h", f64::from(self.kernel.support_radius()), "m"),
                number("Σ|∇C|² of the rest lattice", self.constants.reference, "1/m²"),
                number("relaxation ε", f64::from(self.constants.epsilon), "1/m²"),
                number(
                    "strength k of s_corr",
                    f64::from(self.scorr(dt / f64::from(self.params.substeps))),
                    "m²",
                ),
                number("depth of the fluid H", self.depth.height, "m"),
                number("largest step of the method", dt, "s"),
                number("stability number S = gH Δt²/(Δx² n) of it", s, "-"),
                number("volume lost at rest, about", physics::LOSS_OVER_S * s, "-"),
                number("characteristic speed U", scales.speed(), "m/s"),
            ],
            step_limits: method::numbers([speed, ("stability number", self.explosive_step(state)), surface]),
            warnings: self.warnings(),
        }
    }

    /// The step at which a column explodes, `[s]`.
    fn explosive_step(&self, state: &State<D>) -> f64 {
        let limit = physics::s_explosion(D, self.params.solver_iterations);
        (limit / self.stability_number(state, 1.0)).sqrt()
    }

    /// Warnings that do not depend on the step.
    fn warnings(&self) -> Vec<String> {
        let p = &self.params;
        let boils = physics::CONFINEMENT_OVER_H as Real * self.kernel.support_radius();
        let mut warnings = self.fixed_step_warning.clone().into_iter().collect::<Vec<_>>();
        if p.vorticity_confinement > boils {
            warnings.push(format!(
                "solver.vorticity_confinement = {} m/s is above {boils:.4} m/s, 2.5 support radii in a second: \
                 fluid at rest will boil",
                p.vorticity_confinement
            ));
        }
        if !p.unilateral && f64::from(self.constants.epsilon) < 0.5 * self.constants.reference {
            warnings.push(
                "without solver.unilateral a small solver.cfm_epsilon ejects isolated particles: 1 is safe"
                    .into(),
            );
        }
        warnings
    }

    /// Refuses the fixed step of a scene if it explodes, and notes a warning if it loses volume.
    ///
    /// # Errors
    /// Names the stability number, and the iterations or substeps that would do.
    pub(crate) fn check_fixed_step(&mut self, scene: &Scene, state: &State<D>) -> Result<(), Error> {
        let Some(dt) = scene.run.time_step else { return Ok(()) };
        let s = self.stability_number(state, dt);
        let limit = physics::s_explosion(D, self.params.solver_iterations);
        let advice = self.advice(s);
        if s >= limit && !scene.run.allow_unstable_time_step {
            let message = format!(
                "explodes: its stability number S = gH Δt²/(Δx² n) is {s:.3}, {limit:.3} or more are unstable"
            );
            let hint = format!("{advice}; or set run.allow_unstable_time_step = true");
            return Err(Error::invalid("run.time_step", message).value(dt).hint(hint));
        }
        self.fixed_step_warning = (s > physics::S_VOLUME).then(|| {
            format!(
                "a step of {dt} s has the stability number S = {s:.3}: fluid at rest will lose about {:.0} % of its \
                 volume; {advice}",
                100.0 * physics::LOSS_OVER_S * s
            )
        });
        Ok(())
    }

    /// Iterations or substeps that reduce the stability number `s` to where the volume is conserved.
    fn advice(&self, s: f64) -> String {
        let too_much = s / physics::S_VOLUME;
        let iterations = (f64::from(self.params.solver_iterations) * too_much).ceil();
        let substeps = (f64::from(self.params.substeps) * too_much.sqrt()).ceil();
        format!("solver.solver_iterations = {iterations} or solver.substeps = {substeps} would do")
    }
}
