//! Where a failure began: the first field that went wrong, and in it the particle from which it spread.

use super::culprit::ParticleIndex;
use crate::{
    Real,
    method::{
        failure::{BEFORE, Cause, StepError},
        solver::{Link, Solver},
        state::State,
    },
    numerics::{
        lane::each,
        parallel::{self, First},
    },
};

/// What a step reads and no phase of it checks: the walls, and the constants of the liquid.
///
/// # Errors
/// When one is not finite, with the first such sample.
pub fn check_inputs<const D: usize>(state: &State<D>) -> Result<(), StepError> {
    let rest = &state.rest;
    let constants = [("particle mass", rest.m), ("rest density", rest.rho_0), ("spacing", rest.spacing)];
    let gravity = state.forces.gravity.map(|g| ("gravity", g));
    let bad = |field, sample| Err(StepError::new(state, BEFORE, sample, Cause::NotFinite { field }));
    if let Some((field, _)) = constants.iter().chain(&gravity).find(|(_, value)| !value.is_finite()) {
        return bad(field, None);
    }
    let walls = &state.walls;
    let found = parallel::blocks(walls.len(), (), |range, ()| {
        let of_axis =
            |a: usize| is_finite(&walls.x[a][range.clone()]) & is_finite(&walls.v[a][range.clone()]);
        let good = is_finite(&walls.volume[range.clone()]) & (0..D).all(of_axis);
        First::from((!good).then_some(range.start))
    });
    let Some(first) = found.place() else { return Ok(()) };
    let links = wall_links(state);
    let wrong = |b: usize| links.iter().find(|link| !(link.is_finite)(b)).map(|link| (b, link.field));
    match (first..walls.len()).find_map(wrong) {
        Some((b, field)) => bad(field, Some(walls.id[b])),
        None => Ok(()),
    }
}

/// Whether all `values` are finite. Zero times a number is zero, unless the number is not finite; the sums are
/// many, so that none waits for another.
fn is_finite(values: &[Real]) -> bool {
    let mut sums = [0.0; 16];
    let (whole, rest) = values.as_chunks::<16>();
    for chunk in whole {
        for k in 0..16 {
            sums[k] += 0.0 * chunk[k];
        }
    }
    rest.iter().chain(&sums).map(|x| 0.0 * x).sum::<Real>() == 0.0
}

fn wall_links<const D: usize>(state: &State<D>) -> Vec<Link<'_>> {
    let walls = &state.walls;
    let phase = if walls.is_moving() { "move_walls" } else { BEFORE };
    vec![
        Link::walls(phase, "wall position", &walls.x),
        Link::walls(phase, "wall velocity", &walls.v),
        Link::walls(BEFORE, "wall volume", std::slice::from_ref(&walls.volume)),
    ]
}

/// Finds the particle where the failure began. A field that is not finite goes before whatever the solver noticed
/// first; of its bad particles the one with most bad neighbors is the source from which it spread.
pub fn find<const D: usize>(
    error: &mut StepError,
    state: &State<D>,
    solver: &dyn Solver<D>,
) -> Option<ParticleIndex> {
    let mut chain = wall_links(state);
    // A phase that finds a new position or velocity bad leaves the old one, so these are the input's own.
    chain.push(Link::fluid(BEFORE, "position", &state.fluid.x));
    chain.push(Link::fluid(BEFORE, "velocity", &state.fluid.v));
    chain.extend(solver.chain(state));
    let found = chain.iter().find_map(|link| Some((link, worst(link, state, solver)?)));
    if let Some((link, index)) = found {
        // The solver knows better when within the step it was, if it found the same field.
        if error.cause != (Cause::NotFinite { field: link.field }) {
            error.cause = Cause::NotFinite { field: link.field };
            error.phase = link.phase;
        }
        return Some(index);
    }
    named(error, state)
}

/// The particle that a failure of finite numbers is about.
fn named<const D: usize>(error: &StepError, state: &State<D>) -> Option<ParticleIndex> {
    let fluid = &state.fluid;
    let largest = |measure: &dyn Fn(usize) -> f64| {
        // The first of equals: `max_by` would give the last, and the order is the sort's.
        (0..fluid.len())
            .max_by(|&i, &j| measure(i).total_cmp(&measure(j)).then_with(|| fluid.id[j].cmp(&fluid.id[i])))
    };
    let i = match &error.cause {
        Cause::TooDense { .. } => largest(&|i| f64::from(fluid.rho[i])),
        Cause::StepTooSmall { .. } => largest(&|i| square(fluid.velocity(i))),
        Cause::Neighbors(_) => {
            let n = fluid.len().max(1) as f64;
            let center: [f64; D] = each(|a| fluid.x[a].iter().map(|&x| f64::from(x)).sum::<f64>() / n);
            largest(&|i| (0..D).map(|a| (f64::from(fluid.x[a][i]) - center[a]).powi(2)).sum())
        }
        Cause::Command(_) | Cause::Device(_) | Cause::Rank(_) | Cause::BodyEscaped { .. } => None,
        Cause::NotFinite { .. } | Cause::Escaped | Cause::Penetrated { .. } | Cause::NotConverged(_) => {
            error.particle.and_then(|id| fluid.id.iter().position(|&other| other == id))
        }
    };
    i.map(ParticleIndex::Fluid)
}

fn square<const D: usize>(v: [Real; D]) -> f64 {
    v.iter().map(|&v| f64::from(v).powi(2)).sum()
}

/// The bad particle of a field with most bad neighbors, of several the one with the lowest id.
fn worst<const D: usize>(link: &Link<'_>, state: &State<D>, solver: &dyn Solver<D>) -> Option<ParticleIndex> {
    if link.on_walls {
        let bad = (0..state.walls.len()).filter(|&b| !(link.is_finite)(b));
        return bad.min_by_key(|&b| state.walls.id[b]).map(ParticleIndex::Wall);
    }
    let n = state.fluid.len();
    let bad: Vec<bool> = (0..n).map(|i| !(link.is_finite)(i)).collect();
    let rows = &solver.neighbors().fluid;
    let bad_neighbors = |i: usize| match rows.len() == n {
        true => rows.neighbors(i).filter(|&j| bad[j]).count(),
        false => 0,
    };
    let worst = (0..n).filter(|&i| bad[i]).min_by_key(|&i| (n - bad_neighbors(i), state.fluid.id[i]));
    worst.map(ParticleIndex::Fluid)
}
