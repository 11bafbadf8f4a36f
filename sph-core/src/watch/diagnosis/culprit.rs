//! The particle that a failure is about.

use crate::{
    Real,
    method::{failure::Culprit, solver::Solver, state::State},
    numerics::{lane::each, vector::norm2},
};

/// An index into the fluid or the walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParticleIndex {
    /// Of a fluid particle.
    Fluid(usize),
    /// Of a wall sample.
    Wall(usize),
}

/// Looks at all particles, since rows may be older than the positions.
pub fn of<const D: usize>(index: ParticleIndex, state: &State<D>, solver: &dyn Solver<D>) -> Culprit {
    let (fluid, walls) = (&state.fluid, &state.walls);
    let (x, v) = match index {
        ParticleIndex::Fluid(i) => (fluid.position(i), fluid.velocity(i)),
        ParticleIndex::Wall(b) => (walls.position(b), walls.velocity(b)),
    };
    let h2 = solver.support_radius().powi(2);
    let periodic = &state.domain.periodic;
    let r2 = |x_j: [Real; D]| norm2(periodic.nearest(each(|a| x[a] - x_j[a])));
    let near_fluid: Vec<Real> = (0..fluid.len())
        .filter(|&j| index != ParticleIndex::Fluid(j))
        .map(|j| r2(fluid.position(j)))
        .filter(|&r2| r2 < h2)
        .collect();
    let wall_neighbors =
        (0..walls.len()).filter(|&b| index != ParticleIndex::Wall(b) && r2(walls.position(b)) < h2).count();
    let nearest = near_fluid.iter().copied().reduce(Real::min);
    Culprit {
        id: match index {
            ParticleIndex::Fluid(i) => fluid.id[i],
            ParticleIndex::Wall(b) => walls.id[b],
        },
        is_wall: matches!(index, ParticleIndex::Wall(_)),
        x: x.iter().map(|&x| f64::from(x)).collect(),
        v: v.iter().map(|&v| f64::from(v)).collect(),
        rho: match index {
            ParticleIndex::Fluid(i) => f64::from(fluid.rho[i]),
            ParticleIndex::Wall(_) => f64::NAN,
        },
        neighbors: near_fluid.len(),
        wall_neighbors,
        nearest: nearest.map(|r2| f64::from(r2).sqrt()),
    }
}

/// Distance of the closest two particles at the positions that `position` gives, among those that are in rows, `[m]`.
pub fn closest<const D: usize>(
    state: &State<D>,
    solver: &dyn Solver<D>,
    position: impl Fn(usize) -> [Real; D],
) -> f64 {
    let rows = &solver.neighbors().fluid;
    let n = if rows.len() == state.fluid.len() { rows.len() } else { 0 };
    let nearest = |d| norm2(state.domain.periodic.nearest(d));
    let pairs = (0..n).flat_map(|i| rows.neighbors(i).map(move |j| (i, j)));
    let squares = pairs.map(|(i, j)| {
        let (x_i, x_j) = (position(i), position(j));
        nearest(each::<Real, D>(|a| x_i[a] - x_j[a]))
    });
    f64::from(squares.fold(Real::INFINITY, Real::min)).sqrt()
}
