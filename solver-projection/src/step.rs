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
        /// Sum of weights, asymmetry and density of each particle.
        fn compute_alpha();
        /// Off-diagonal entries of the matrix, and `D v*`, whose pair weights are the same.
        fn assemble_matrix();
        /// The free surface, who is in reach of it, Dirichlet terms, and with them the diagonal of the matrix.
        fn detect_free_surface();
        /// The right-hand side: divergence and density error.
        fn build_right_hand_side(dt: f64);
        /// Pressure, by conjugate gradients.
        fn solve_pressure();
        /// `v = v* − dt/ρ₀ ∇p`.
        fn correct_velocities(dt: f64);
        /// Implicit viscosity, and XSPH.
        fn apply_viscosity(dt: f64);
        /// Stops particles that would pass a wall.
        fn stop_at_walls(dt: f64);
        /// `x ← x + dt v`, kept inside of the containers.
        fn update_positions(dt: f64);
        /// Dynamic bodies take up what the fluid did to them, move and collide.
        fn move_bodies(dt: f64);
    }
    asked {
        /// Reduces the density source of this step if the pressure that it takes throws neighbors past each other, and builds
        /// the right-hand side again. False if there was no need to.
        fn limit_density_source(dt: f64) -> Result<bool, StepError>;
        /// Adds the Dirichlet terms of particles that the pressure would accelerate into a void, and builds the right-hand side
        /// again. False if there are none.
        fn open_voids(dt: f64) -> Result<bool, StepError>;
        /// What the step did.
        fn report(dt: f64) -> StepReport;
    }
}

/// Variational staggered projection (He et al. 2020).
// ANCHOR: listing
pub fn step<P: Phases + ?Sized>(p: &mut P, dt: f64) -> Result<StepReport, StepError> {
    p.move_walls(dt)?;
    p.apply_forces(dt)?; //                 v*_i = v_i + dt g
    p.find_neighbors()?; //                 j with |x_ij| < h
    p.compute_alpha()?; //                  α_i = Σ_j w_ij, a_ij = 1/α_i + 1/α_j, ρ_i = Σ_j m W_ij
    p.assemble_matrix()?; //                A_ij = −a_ij w²_ij, (D v*)_i = Σ_j ½ a_ij w¹_ij v*_ij·n_ij
    p.detect_free_surface()?; //            A_ii = Σ_j a_ij w²_ij + s_i
    p.build_right_hand_side(dt)?; //        b_i = −ρ₀/dt (D v*)_i + λ̂ ρ₀/(d dt dt_max) (ρ_i/ρ₀ − 1)
    p.solve_pressure()?; //                 A p = b
    if p.limit_density_source(dt)? {
        p.solve_pressure()?; //             with a smaller λ̂, where p overshoots
    }
    while p.open_voids(dt)? {
        p.solve_pressure()?; //             with s_i ≥ d|σ_i|², where p would accelerate i into a void: d dt/ρ₀ |σ_i| p_i > V
    }
    p.correct_velocities(dt)?; //           v_i = v*_i − dt/ρ₀ d Σ_j ½ a_ij w¹_ij (p_i + p_j) n_ji
    p.apply_viscosity(dt)?; //              v_i ← v_i + c Σ_j 2m/(ρ_i + ρ_j) (v_j − v_i) W_ij
    p.stop_at_walls(dt)?; //                v_i ← v_i + n_k min(−u_ik·n_k, (g_min − g_ik)/dt), where the gap would be g_ik < g_min
    p.update_positions(dt)?; //             x ← x + dt v
    p.move_bodies(dt)?; //                  F_k = −Σ_i m Δv_ik/dt, on samples of bodies
    Ok(p.report(dt))
}
// ANCHOR_END: listing
