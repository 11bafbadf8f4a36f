//! The time step, written once for every backend.

use sph_core::solver::{StepError, StepReport};

/// The phases of a step, in the words of the listing.
pub trait Phases {
    /// Brings moving walls to where they are after `dt`, `[s]`.
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError>;
    /// `v* = v + dt a`.
    fn apply_forces(&mut self, dt: f64) -> Result<(), StepError>;
    /// Sorts particles by cell and lists their neighbors.
    fn find_neighbors(&mut self) -> Result<(), StepError>;
    /// Sum of weights, one-sidedness and density of each particle.
    fn compute_alpha(&mut self) -> Result<(), StepError>;
    /// Entries of the matrix, and divergence of the velocity.
    fn compute_divergence(&mut self) -> Result<(), StepError>;
    /// Finds the free surface; with it the diagonal of the matrix and the right side.
    fn classify_surface(&mut self, dt: f64) -> Result<(), StepError>;
    /// Pressure, by conjugate gradients.
    fn solve_pressure(&mut self) -> Result<(), StepError>;
    /// Takes less of the density error out in this step if the pressure for it throws neighbors past each other. True if
    /// there is another right side now.
    fn soften_source(&mut self, dt: f64) -> Result<bool, StepError>;
    /// `v = v* − dt/ρ₀ ∇p`.
    fn correct_velocities(&mut self, dt: f64) -> Result<(), StepError>;
    /// Implicit viscosity, and XSPH.
    fn apply_viscosity(&mut self, dt: f64) -> Result<(), StepError>;
    /// `x ← x + dt v`, kept inside of the containers.
    fn update_positions(&mut self, dt: f64) -> Result<(), StepError>;
    /// Dynamic bodies take up what the fluid did to them, move and collide.
    fn move_bodies(&mut self, dt: f64) -> Result<(), StepError>;
    /// What the step did.
    fn report(&mut self, dt: f64) -> StepReport;
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
