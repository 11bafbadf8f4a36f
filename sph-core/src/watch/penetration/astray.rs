//! The particles that are not simply where they belong: found by each rank among its own.

use super::drawn;
use crate::{
    compiled_here,
    fluid::wall_surface::{Place, Pose, WallSurface},
    method::{sample::Search, state::State},
    numerics::parallel,
};
use std::collections::HashSet;

/// What is known of single particles, all of which another rank needs to find the same ones.
#[derive(Debug)]
pub struct Astray<const D: usize> {
    containers: Vec<WallSurface<D>>,
    /// Ids of the particles that are legitimately behind each surface.
    pub(super) left: Vec<HashSet<u64>>,
    /// Ids of those that are inside of an obstacle.
    pub(super) inside: HashSet<u64>,
}

impl<const D: usize> Astray<D> {
    /// Nothing is known yet.
    pub(super) fn new(state: &State<D>) -> Self {
        let (containers, spacing) = (state.containers.iter().enumerate(), f64::from(state.rest.spacing));
        let containers: Vec<_> = containers.map(|(k, c)| WallSurface::of_container(k, c, spacing)).collect();
        let left = vec![HashSet::new(); containers.len() + state.walls.surfaces.len()];
        Self { containers, left, inside: HashSet::new() }
    }

    /// What [`Search::to_words`] has made of one, for a state with the same walls; `None` when it cannot be read.
    pub(crate) fn of_words(state: &State<D>, words: &[u64]) -> Option<Self> {
        let (mut astray, mut rest) = (Self::new(state), words);
        for ids in astray.left.iter_mut().chain([&mut astray.inside]) {
            let (n, behind) = rest.split_first()?;
            let (own, behind) = behind.split_at_checked(usize::try_from(*n).ok()?)?;
            ids.extend(own);
            rest = behind;
        }
        rest.is_empty().then_some(astray)
    }

    /// Surface `k`: containers first, then walls.
    pub(super) fn surface<'a>(&'a self, state: &'a State<D>, k: usize) -> &'a WallSurface<D> {
        match k.checked_sub(self.containers.len()) {
            None => &self.containers[k],
            Some(k) => &state.walls.surfaces[k],
        }
    }

    /// Where the surfaces are now.
    pub(super) fn poses(&self, state: &State<D>) -> Vec<Option<Pose<D>>> {
        let walls = state.walls.surfaces.iter().map(|wall| wall.pose(|id| sample(state, id)));
        self.containers.iter().map(|_| None).chain(walls).collect()
    }

    fn found(&self, state: &State<D>) -> Vec<u32> {
        let poses = self.poses(state);
        parallel::places(state.fluid.len(), |i| self.holds(state, &poses, i))
    }

    fn holds(&self, state: &State<D>, poses: &[Option<Pose<D>>], i: usize) -> bool {
        let (x, id) = (state.fluid.position(i), state.fluid.id[i]);
        if is_among(&self.inside, id) || !state.domain.holds(x) {
            return true;
        }
        let x = x.map(f64::from);
        poses.iter().enumerate().any(|(k, pose)| {
            let (surface, left) = (self.surface(state, k), is_among(&self.left[k], id));
            match surface.locate(&drawn(pose, &x)) {
                Place::Free => left,
                Place::Open => !left,
                Place::Behind(depth) => !left || depth <= surface.first_layer,
            }
        })
    }
}

impl<const D: usize> Search<D> for Astray<D> {
    fn places(&self, state: &State<D>) -> Vec<u32> {
        compiled_here!(D, Astray::found as fn(&Astray<D>, &State<D>) -> Vec<u32>)(self, state)
    }

    fn to_words(&self) -> Vec<u64> {
        let sets = self.left.iter().chain([&self.inside]);
        sets.flat_map(|ids| std::iter::once(ids.len() as u64).chain(ids.iter().copied())).collect()
    }
}

/// Mostly there is none, and nothing to look up.
fn is_among(ids: &HashSet<u64>, id: u64) -> bool {
    !ids.is_empty() && ids.contains(&id)
}

/// Where the wall sample of an id is now.
fn sample<const D: usize>(state: &State<D>, id: u64) -> Option<[f64; D]> {
    let b = state.walls.id.iter().position(|&other| other == id)?;
    Some(state.walls.position(b).map(f64::from))
}
