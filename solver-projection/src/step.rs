//! The time step, written once for every backend.

use sph_core::{
    method::{failure::StepError, report::StepReport},
    phases,
};

phases! {
    /// The phases of a step, in the words of the listing.
    pub trait Phases {
        /// Brings moving walls to where they are after `dt`, `[s]`.
        fn move_walls(dt: f64);
        /// `v* = v + dt a`.
        fn apply_forces(dt: f64);
        /// Sorts particles by cell and lists their neighbors.
        fn find_neighbors();
        /// Sum of weights, one-sidedness and density of each particle.
        fn compute_alpha();
        /// Entries of the matrix, and divergence of the velocity.
        fn compute_divergence();
        /// Finds the free surface; with it the diagonal of the matrix and the right side.
        fn classify_surface(dt: f64);
        /// Pressure, by conjugate gradients.
        fn solve_pressure();
        /// `v = v* − dt/ρ₀ ∇p`.
        fn correct_velocities(dt: f64);
        /// Implicit viscosity, and XSPH.
        fn apply_viscosity(dt: f64);
        /// `x ← x + dt v`, kept inside of the containers.
        fn update_positions(dt: f64);
        /// Dynamic bodies take up what the fluid did to them, move and collide.
        fn move_bodies(dt: f64);
    }
    asked {
        /// Takes less of the density error out in this step if the pressure for it throws neighbors past each other. True if
        /// there is another right side now.
        fn soften_source(dt: f64) -> Result<bool, StepError>;
        /// What the step did.
        fn report(dt: f64) -> StepReport;
    }
}

/// Variational staggered projection (He et al. 2020).
// ANCHOR: listing
pub fn step<P: Phases>(p: &mut P, dt: f64) -> Result<StepReport, StepError> {
    p.move_walls(dt)?;
    p.apply_forces(dt)?; //                 v* = v + dt g
    p.find_neighbors()?; //                 j with |x_ij| < h
    p.compute_alpha()?; //                  α_i = Σ_j w_ij, ρ_i = Σ_j m W_ij
    p.compute_divergence()?; //             a_ij = 1/α_i + 1/α_j, (D v*)_i = Σ_j ½ a_ij w¹_ij v*_ij·n_ij
    p.classify_surface(dt)?; //             A_ii = Σ_j a_ij w²_ij + s_i, b_i = −ρ₀/dt (D v*)_i + ...
    p.solve_pressure()?; //                 A p = b
    if p.soften_source(dt)? {
        p.solve_pressure()?;
    }
    p.correct_velocities(dt)?; //           v_i = v*_i − dt/ρ₀ d Σ_j ½ a_ij w¹_ij (p_i + p_j) n_ji
    p.apply_viscosity(dt)?;
    p.update_positions(dt)?; //             x ← x + dt v
    p.move_bodies(dt)?; //                  F_k = −Σ_i m Δv_ik/dt, on samples of bodies
    Ok(p.report(dt))
}
// ANCHOR_END: listing
