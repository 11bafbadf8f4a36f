//! The time step, written once for every backend.

use crate::params::Iterations;
use sph_core::{
    method::{failure::StepError, report::StepReport},
    phases,
};

phases! {
    /// The phases of a step, as the listing names them.
    pub trait Phases {
        /// Moves walls to their position at `dt` after the start of the step, `[s]`.
        fn move_walls(dt: f64);
        /// `v* = v + dt a`, `x* = x + dt v*`, kept inside of the containers.
        fn predict_positions(dt: f64);
        /// Sorts particles by cell and lists their neighbors, at the predicted positions.
        fn find_neighbors();
        /// Density, constraint and its multiplier λ at the current positions.
        fn compute_lambda();
        /// The correction Δx by all constraints.
        fn compute_delta_x();
        /// `x* ← x* + Δx`, kept inside of the containers.
        fn apply_delta_x();
        /// Density at the corrected positions.
        fn compute_density();
        /// Velocity from the displacement of a particle.
        fn update_velocities(dt: f64);
        /// Vorticity confinement, XSPH viscosity and surface forces, on velocities.
        fn apply_vorticity_and_xsph(dt: f64);
        /// The corrected positions become those of the particles.
        fn update_positions();
        /// Dynamic bodies are accelerated by the reaction of the fluid, move and collide.
        fn move_bodies();
    }
    asked {
        /// True when, after this number of corrections, the mean density error of the last λ is small enough.
        fn is_solved(corrections: u32) -> bool;
        /// Report of the step.
        fn report(dt: f64) -> StepReport;
    }
}

/// A step of `dt`, in equal substeps (Macklin et al. 2014, §4.3).
// ANCHOR: listing
pub fn step<P: Phases>(p: &mut P, iterations: Iterations, dt: f64) -> Result<StepReport, StepError> {
    let part = dt / f64::from(iterations.substeps);
    for k in 1..=iterations.substeps {
        p.move_walls(f64::from(k) * part)?;
        substep(p, iterations, part)?;
    }
    Ok(p.report(dt))
}

/// Algorithm 1 of Macklin & Müller (2013).
fn substep<P: Phases>(p: &mut P, iterations: Iterations, dt: f64) -> Result<(), StepError> {
    p.predict_positions(dt)?; //            lines 1-4: v* = v + dt a, x* = x + dt v*
    p.find_neighbors()?; //                 lines 5-7: j with |x*_ij| < h, once
    for corrections in 0..iterations.most {
        p.compute_lambda()?; //             lines 9-11: λ_i = -C_i / (Σ_k |∇_k C_i|² + ε)
        if p.is_solved(corrections) {
            break; //                       line 8: small enough, or all iterations done
        }
        p.compute_delta_x()?; //            lines 12-15: Δx_i = 1/ρ₀ Σ_j m (λ_i + λ_j + s_ij) ∇W_ij
        p.apply_delta_x()?; //              lines 14, 16-18: x* ← x* + Δx, containers
    }
    p.compute_density()?;
    p.update_velocities(dt)?; //            line 21: v = (x* - x) / dt
    p.apply_vorticity_and_xsph(dt)?; //     line 22
    p.update_positions()?; //               line 23: x ← x*
    p.move_bodies() //                      F_b = −Σ m_i Δx_ib/dt², on samples of bodies
}
// ANCHOR_END: listing
