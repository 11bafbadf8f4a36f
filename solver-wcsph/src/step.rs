//! The time step, written once for every backend.

use crate::params::Integrator;
use sph_core::{
    method::{failure::StepError, report::StepReport},
    phases,
};

phases! {
    /// The phases of a step, in the words of the listing.
    pub trait Phases {
        /// Brings moving walls to where they are after `dt`, `[s]`.
        fn move_walls(dt: f64);
        /// Sorts particles by cell and lists their neighbors.
        fn find_neighbors();
        /// Density: summed, or advanced by `dt` with the continuity equation.
        fn compute_density(dt: f64);
        /// Pressure from the equation of state.
        fn compute_pressure();
        /// Pressure and mirrored velocity of dummy walls.
        fn extrapolate_to_walls();
        /// Pressure, viscous, wall, surface and body accelerations.
        fn compute_acceleration();
        /// Forces of the fluid on dynamic bodies.
        fn compute_reaction();
        /// Difference of the velocity that moves particles and their own: shifting.
        fn compute_drift_correction();
        /// `v ← v + dt a`, and so for bodies.
        fn kick(dt: f64);
        /// `x ← x + dt (v + correction)`; bodies move and collide.
        fn drift(dt: f64);
    }
    asked {
        /// True when no acceleration has been computed yet.
        fn is_first_step() -> bool;
        /// What the step did.
        fn report(dt: f64) -> StepReport;
    }
}

/// Weakly compressible SPH (Becker & Teschner 2007; Monaghan 2005).
// ANCHOR: listing
pub fn step<P: Phases>(p: &mut P, integrator: Integrator, dt: f64) -> Result<StepReport, StepError> {
    match integrator {
        Integrator::SymplecticEuler => {
            p.move_walls(0.0)?;
            forces(p, dt)?; //              a(x, v) with ρ of this step
            p.kick(dt)?; //                 v ← v + dt a
            p.drift(dt)?; //                x ← x + dt v
        }
        Integrator::VelocityVerlet => {
            if p.is_first_step() {
                p.move_walls(0.0)?;
                forces(p, 0.0)?;
            }
            p.kick(0.5 * dt)?; //           v½ = v + ½ dt a
            p.drift(dt)?; //                x ← x + dt v½
            p.move_walls(dt)?;
            forces(p, dt)?; //              ρ ← ρ + dt dρ/dt(x, v½), a(x, v½)
            p.kick(0.5 * dt)?; //           v = v½ + ½ dt a
        }
    }
    Ok(p.report(dt))
}

/// From positions and velocities to accelerations.
fn forces<P: Phases>(p: &mut P, dt: f64) -> Result<(), StepError> {
    p.find_neighbors()?; //                 j with |x_ij| < h
    p.compute_density(dt)?; //              ρ_i = Σ m_j W_ij, or dρ_i/dt = Σ m_j v_ij·∇W_ij
    p.compute_pressure()?; //               p_i = B ((ρ_i/ρ₀)^γ − 1)
    p.extrapolate_to_walls()?; //           p_b, v_b (Adami et al. 2012)
    p.compute_acceleration()?; //           a_i = −Σ m_j (p_i/ρ_i² + p_j/ρ_j²) ∇W_ij + viscosity + g
    p.compute_reaction()?; //               F_b = −Σ m_i a_ib, on samples of bodies
    p.compute_drift_correction() //         shifting
}
// ANCHOR_END: listing
