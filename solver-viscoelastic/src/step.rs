//! The time step, written once for every backend.

use sph_core::{
    method::{failure::StepError, report::StepReport},
    phases,
};

phases! {
    /// The phases of a step.
    pub trait Phases {
        /// Moves walls to their pose at the end of the step.
        fn move_walls(dt: f64);
        /// `v ← v + dt a`.
        fn apply_gravity(dt: f64);
        /// Viscosity impulses between approaching neighbors.
        fn apply_viscosity(dt: f64);
        /// `x_prev = x`, `x ← x + dt v`.
        fn predict_positions(dt: f64);
        /// Sorts particles by cell and lists their neighbors, at the predicted positions.
        fn find_neighbors();
        /// Plastic flow, removal and creation of springs.
        fn adjust_springs(dt: f64);
        /// Displacements by springs.
        fn apply_spring_displacements(dt: f64);
        /// Density and near density of each particle, and the displacements by their pressures.
        fn double_density_relaxation(dt: f64);
        /// Stickiness and collision impulses of bodies, walls and containers.
        fn resolve_collisions(dt: f64);
        /// `v = (x − x_prev)/dt`.
        fn update_velocities(dt: f64);
        /// Advances dynamic bodies with the reaction forces of the fluid, and resolves their collisions.
        fn move_bodies();
    }
    asked {
        /// The report of the step.
        fn report(dt: f64) -> StepReport;
    }
}

/// Algorithm 1 of Clavet, Beaudoin & Poulin (2005).
// ANCHOR: listing
pub fn step<P: Phases>(p: &mut P, dt: f64) -> Result<StepReport, StepError> {
    p.move_walls(dt)?;
    p.apply_gravity(dt)?; //                lines 1-3: v ← v + dt g
    p.apply_viscosity(dt)?; //              line 5: impulses (algorithm 5)
    p.predict_positions(dt)?; //            lines 6-10: x_prev = x, x ← x + dt v
    p.find_neighbors()?; //                 j with |x_ij| < h
    p.adjust_springs(dt)?; //               line 12: rest lengths flow (algorithm 4)
    p.apply_spring_displacements(dt)?; //   line 14: dt² k (1 − L/h)(L − r) (algorithm 3)
    p.double_density_relaxation(dt)?; //    line 16: dt² (P g + P_near g²) (algorithm 2)
    p.resolve_collisions(dt)?; //           line 17
    p.update_velocities(dt)?; //            lines 18-20: v = (x − x_prev)/dt
    p.move_bodies()?;
    Ok(p.report(dt))
}
// ANCHOR_END: listing
