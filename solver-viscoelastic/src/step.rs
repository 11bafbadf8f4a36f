//! The time step, written once for every backend.

use sph_core::solver::{StepError, StepReport};

/// The phases of a step, in the words of the listing.
pub trait Phases {
    /// Brings moving walls to where they are at the end of the step.
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError>;
    /// `v ← v + dt a`.
    fn apply_gravity(&mut self, dt: f64) -> Result<(), StepError>;
    /// Viscosity impulses between neighbors that come nearer.
    fn apply_viscosity(&mut self, dt: f64) -> Result<(), StepError>;
    /// `x_prev = x`, `x ← x + dt v`.
    fn predict_positions(&mut self, dt: f64) -> Result<(), StepError>;
    /// Sorts particles by cell and lists their neighbors, at the predicted positions.
    fn find_neighbors(&mut self) -> Result<(), StepError>;
    /// Springs flow, break and are made.
    fn adjust_springs(&mut self, dt: f64) -> Result<(), StepError>;
    /// What springs do to positions.
    fn apply_spring_displacements(&mut self, dt: f64) -> Result<(), StepError>;
    /// Density and near density of each particle, and how far they push its neighbors away.
    fn double_density_relaxation(&mut self, dt: f64) -> Result<(), StepError>;
    /// Stickiness and impulses of what particles touch: bodies, walls, containers.
    fn resolve_collisions(&mut self, dt: f64) -> Result<(), StepError>;
    /// `v = (x − x_prev)/dt`.
    fn update_velocities(&mut self, dt: f64) -> Result<(), StepError>;
    /// Dynamic bodies take up what the fluid did to them, move and collide.
    fn move_bodies(&mut self) -> Result<(), StepError>;
    /// What the step did.
    fn report(&mut self, dt: f64) -> StepReport;
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
