//! An outlet from which layers of fluid come.

use super::{
    Subject,
    edit::{check_free_space, wrapped_positions},
};
use crate::{
    error::Error,
    geometry::shape::{direction, perpendicular, vector},
    keys::join,
    method::state::State,
    scene::{self, setup::too_close},
};

/// Layers before one step. A step that is stable for their speed gives one at most.
const MOST_LAYERS: f64 = 64.0;

/// What an emitter has given so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emitted {
    /// Layers.
    pub layers: u64,
    /// Particles.
    pub particles: u64,
    /// Places of a layer that stayed empty, for something was nearer than half a spacing.
    pub blocked: u64,
}

/// An open outlet.
#[derive(Clone, Debug, PartialEq)]
pub struct Emitter<const D: usize> {
    /// Name, to close it by.
    pub name: String,
    /// What it has given so far.
    pub emitted: Emitted,
    /// Places of a layer in the outlet, `[m]`.
    outlet: Vec<[f64; D]>,
    velocity: [f64; D],
    start: f64,
    end: f64,
    /// Time between two layers, `[s]`.
    interval: f64,
    limit: u64,
}

impl<const D: usize> Emitter<D> {
    /// The emitter that a command opens now.
    pub(super) fn open(emitter: &scene::Emitter, key: &str, state: &State<D>) -> Result<Self, Error> {
        let spacing = f64::from(state.rest.spacing);
        let center: [f64; D] = vector(&join(key, "center"), &emitter.center)?;
        let along: [f64; D] = direction(&join(key, "direction"), &emitter.direction)?;
        let across = emitter.across(key, spacing)?;
        let outlet = outlet(&center, &along, emitter.radius, across, spacing);
        Ok(Self {
            name: emitter.name.clone(),
            emitted: Emitted::default(),
            outlet,
            velocity: along.map(|d| d * emitter.speed),
            start: state.t,
            end: emitter.duration.map_or(f64::INFINITY, |duration| state.t + duration),
            interval: spacing / emitter.speed,
            limit: emitter.limit.unwrap_or(u64::MAX),
        })
    }

    /// Refuses an outlet in a wall or outside of the domain.
    pub(super) fn check_outlet(&self, key: &str, state: &State<D>) -> Result<(), Error> {
        check_free_space(state, &self.outlet, &[const { Vec::new() }; D], key)
    }

    /// True when it has nothing more to give at time `t`, `[s]`.
    pub(super) fn is_spent(&self, t: f64) -> bool {
        t >= self.end || self.emitted.particles >= self.limit
    }

    /// Adds the layers that are due: layer k leaves the outlet at `start + k Δx/speed` and stands, when the
    /// step begins, where it has come since.
    ///
    /// # Errors
    /// When so many layers are due that the step and the speed of the outlet cannot belong together.
    pub(super) fn emit(&mut self, run: &mut Subject<'_, D>) -> Result<(), Error> {
        let due = (run.state.t - self.start) / self.interval - self.emitted.layers as f64;
        if due > MOST_LAYERS {
            let message = format!("the emitter {:?} is to give {due:.0} layers before one step", self.name);
            return Err(Error::new(message).hint("lower its speed, or the step"));
        }
        loop {
            let leaves = self.start + self.emitted.layers as f64 * self.interval;
            if leaves > run.state.t || leaves >= self.end || self.emitted.particles >= self.limit {
                return Ok(());
            }
            let late = run.state.t - leaves;
            let layer = self.outlet.iter().map(|x| std::array::from_fn(|a| x[a] + late * self.velocity[a]));
            let layer: Vec<[f64; D]> = layer.collect();
            let (state, n) = (&*run.state, layer.len());
            let (spacing, periodic) = (state.rest.spacing, &state.domain.periodic);
            let near = too_close(&wrapped_positions(&layer, state), &state.fluid.x, spacing, periodic);
            let free = layer.into_iter().zip(near).filter(|(_, near)| !near).map(|(x, _)| x);
            let mut free: Vec<_> = free.collect();
            self.emitted.blocked += (n - free.len()) as u64;
            free.truncate(usize::try_from(self.limit - self.emitted.particles).unwrap_or(usize::MAX));
            self.emitted.layers += 1;
            self.emitted.particles += free.len() as u64;
            run.append(&free, |_| self.velocity);
        }
    }
}

/// A square lattice on the disc (2D: on the segment) across `along`, `n` places wide, symmetric about its center.
fn outlet<const D: usize>(
    center: &[f64; D],
    along: &[f64; D],
    radius: f64,
    n: usize,
    spacing: f64,
) -> Vec<[f64; D]> {
    let first = perpendicular(along);
    let at = |v: &[f64; D], k: usize| v.get(k % 3).copied().unwrap_or(0.0);
    let cross = |k: usize| at(along, k + 1) * at(&first, k + 2) - at(along, k + 2) * at(&first, k + 1);
    let place = |k: usize| (k as f64 - 0.5 * (n as f64 - 1.0)) * spacing;
    let rows = if D == 3 { n } else { 1 };
    let mut points = Vec::new();
    for j in 0..rows {
        for i in 0..n {
            let (u, v) = (place(i), if D == 3 { place(j) } else { 0.0 });
            if u.hypot(v) <= radius {
                points.push(std::array::from_fn(|a| center[a] + u * first[a] + v * cross(a)));
            }
        }
    }
    points
}
