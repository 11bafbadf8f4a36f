//! The leak meter: how deep particles have come into walls, and which have passed them.
//!
//! It knows the nominal surfaces of walls and containers, not what the solver makes of them. A particle's
//! *penetration* is the distance of its center behind a surface; on the right side it is 0. A particle has
//! *escaped* when it
//!
//! - is farther behind a surface than the last layer of the wall, or half a spacing outside of a container;
//! - has left an obstacle on another side than it came in: the normals there make more than 120°. So a plate is
//!   passed through however thin it is, while a corner that is cut short is a penetration;
//! - is outside of the domain.
//!
//! It is then counted once. What left through an open face or over an open rim has not escaped: behind such a
//! wall it is of no account until it is back on the fluid's side, or before the first layer.

use crate::{
    fluid::barrier::{Barrier, Place, Pose},
    geometry::sampling::Side,
    method::{
        observer::{Observer, View},
        state::State,
    },
    numerics::{
        parallel::{self, Max, Merge},
        vector::{dot, norm2},
    },
};

/// A look is due when a particle may have moved so far since the last one, in spacings.
const TRAVEL: f64 = 0.25;
/// A look is due after so many steps in any case: drift corrections are no part of the speed.
const MOST_STEPS: u32 = 16;
/// Cosine of 120°, the least angle between the normals of entry and exit of what has passed an obstacle.
const TURNED: f64 = -0.5;

/// The deepest penetration of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Penetration {
    /// Distance of the particle's center behind the nominal surface, in spacings, `[-]`.
    pub depth: f64,
    /// When, `[s]`.
    pub t: f64,
    /// Id of the particle.
    pub particle: u64,
    /// Name of the wall.
    pub wall: String,
}

/// A particle inside of an obstacle, and the outward normal where it came in, both in the obstacle's drawing.
#[derive(Clone, Copy, Debug)]
struct Entry<const D: usize> {
    barrier: usize,
    particle: u64,
    normal: [f64; D],
}

/// Measures how tight the walls of a run are. It only looks: no bit of the run depends on it.
#[derive(Debug)]
pub struct LeakMeter<const D: usize> {
    containers: Vec<Barrier<D>>,
    spacing: f64,
    /// The longest way between two looks, `[m]`.
    reach: f64,
    /// What may have been made since the last look, `[m]`, and in how many steps.
    travel: f64,
    steps: u32,
    poses: Vec<Option<Pose<D>>>,
    /// True where a particle is legitimately behind a barrier. By barrier and id; empty while there is none.
    left: Vec<Vec<bool>>,
    /// True for the particles of `entries`. By id; empty while there is none.
    inside: Vec<bool>,
    entries: Vec<Entry<D>>,
    /// Whether the next look must treat a particle. Shape `[n]`, in the order of the particles.
    noted: Vec<bool>,
    /// Ids from here on have not been seen.
    known: u64,
    /// Ids, ascending.
    escaped: Vec<u64>,
    deepest: Option<Penetration>,
}

impl<const D: usize> LeakMeter<D> {
    /// A meter that has looked at the state once: what is behind a wall now belongs there.
    pub fn new(state: &State<D>) -> Self {
        let spacing = f64::from(state.rest.spacing);
        let containers = state.containers.iter().enumerate();
        let containers: Vec<_> = containers.map(|(k, c)| Barrier::of_container(k, c, spacing)).collect();
        let thinnest = state.walls.barriers.iter().filter_map(|b| b.region.thickness());
        let mut meter = Self {
            containers,
            spacing,
            reach: thinnest.fold(TRAVEL * spacing, |reach, thickness| reach.min(0.25 * thickness)),
            travel: 0.0,
            steps: 0,
            poses: Vec::new(),
            left: Vec::new(),
            inside: Vec::new(),
            entries: Vec::new(),
            noted: Vec::new(),
            known: 0,
            escaped: Vec::new(),
            deepest: None,
        };
        meter.look(state);
        meter
    }

    /// Ids of the particles that have escaped, ascending.
    pub fn escaped(&self) -> &[u64] {
        &self.escaped
    }

    /// The deepest penetration so far; none if no particle was behind a wall.
    pub fn deepest(&self) -> Option<&Penetration> {
        self.deepest.as_ref()
    }

    /// Looks at every particle now.
    pub fn look(&mut self, state: &State<D>) {
        (self.travel, self.steps) = (0.0, 0);
        let walls = &state.walls.barriers;
        let n_barriers = self.containers.len() + walls.len();
        self.left.resize(n_barriers, Vec::new());
        self.poses.clear();
        self.poses.resize(self.containers.len(), None);
        self.poses.extend(walls.iter().map(|wall| wall.pose(|id| sample(state, id))));
        if self.note(state).0 {
            for i in 0..state.fluid.len() {
                if self.noted[i] {
                    self.treat(state, i);
                }
            }
        }
        self.known = self.known.max(state.fluid.id.iter().max().map_or(0, |last| last + 1));
    }

    /// Barrier `k`: containers first, then walls.
    fn barrier<'a>(&'a self, state: &'a State<D>, k: usize) -> &'a Barrier<D> {
        match k.checked_sub(self.containers.len()) {
            None => &self.containers[k],
            Some(k) => &state.walls.barriers[k],
        }
    }

    /// Notes the particles that are not simply where they belong, and returns whether there is one.
    fn note(&mut self, state: &State<D>) -> Any {
        let n = state.fluid.len();
        let mut noted = std::mem::take(&mut self.noted);
        noted.resize(n, false);
        let meter = &*self;
        let any = parallel::blocks(n, &mut noted[..], |range, noted| {
            let mut any = false;
            for (noted, i) in noted.iter_mut().zip(range) {
                *noted = meter.is_notable(state, i);
                any |= *noted;
            }
            Any(any)
        });
        self.noted = noted;
        any
    }

    fn is_notable(&self, state: &State<D>, i: usize) -> bool {
        let (x, id) = (state.fluid.position(i), state.fluid.id[i] as usize);
        if flag(&self.inside, id) || !state.domain.holds(x) {
            return true;
        }
        let x = x.map(f64::from);
        (0..self.poses.len()).any(|k| {
            let (barrier, left) = (self.barrier(state, k), flag(&self.left[k], id));
            match barrier.place(&drawn(&self.poses[k], &x)) {
                Place::Free => left,
                Place::Open => !left,
                Place::Behind(depth) => !left || depth <= barrier.first_layer,
            }
        })
    }

    /// Brings what is known of particle `i` up to now.
    fn treat(&mut self, state: &State<D>, i: usize) {
        let id = state.fluid.id[i];
        if self.escaped.binary_search(&id).is_ok() {
            return;
        }
        if !state.domain.holds(state.fluid.position(i)) {
            self.escape(id);
        }
        let x = state.fluid.position(i).map(f64::from);
        for k in 0..self.poses.len() {
            let x = drawn(&self.poses[k], &x);
            let barrier = self.barrier(state, k);
            let place = barrier.place(&x);
            let normal = barrier.region.normal(&x);
            let obstacle = barrier.side == Side::Outside;
            let (first_layer, last_layer) = (barrier.first_layer, barrier.last_layer);
            match place {
                Place::Free => {
                    self.set_left(k, id, false);
                    if self.leave(k, id).is_some_and(|entry| dot(entry, normal) < TURNED) {
                        self.escape(id);
                    }
                }
                Place::Open => self.set_left(k, id, true),
                Place::Behind(depth) if id >= self.known && depth > first_layer => {
                    self.set_left(k, id, true);
                }
                Place::Behind(depth) if flag(&self.left[k], id as usize) && depth > first_layer => {}
                Place::Behind(depth) => {
                    self.set_left(k, id, false);
                    self.record(state, k, depth, id);
                    if obstacle {
                        self.enter(k, id, normal);
                    }
                    if depth > last_layer {
                        self.escape(id);
                    }
                }
            }
        }
    }

    fn record(&mut self, state: &State<D>, k: usize, depth: f64, particle: u64) {
        let depth = depth / self.spacing;
        if self.deepest.as_ref().is_none_or(|deepest| depth > deepest.depth) {
            let wall = self.barrier(state, k).name.clone();
            self.deepest = Some(Penetration { depth, t: state.t, particle, wall });
        }
    }

    fn escape(&mut self, id: u64) {
        if let Err(place) = self.escaped.binary_search(&id) {
            self.escaped.insert(place, id);
        }
    }

    fn set_left(&mut self, k: usize, id: u64, left: bool) {
        if left || flag(&self.left[k], id as usize) {
            set(&mut self.left[k], id as usize, left);
        }
    }

    fn enter(&mut self, barrier: usize, particle: u64, normal: [f64; D]) {
        if self.entries.iter().any(|entry| (entry.barrier, entry.particle) == (barrier, particle)) {
            return;
        }
        self.entries.push(Entry { barrier, particle, normal });
        set(&mut self.inside, particle as usize, true);
    }

    /// Forgets an entry, and returns its normal.
    fn leave(&mut self, barrier: usize, particle: u64) -> Option<[f64; D]> {
        let is_it = |entry: &Entry<D>| (entry.barrier, entry.particle) == (barrier, particle);
        let place = self.entries.iter().position(is_it)?;
        let entry = self.entries.swap_remove(place);
        let stays = self.entries.iter().any(|entry| entry.particle == particle);
        set(&mut self.inside, particle as usize, stays);
        Some(entry.normal)
    }
}

impl<const D: usize> Observer<D> for LeakMeter<D> {
    /// Looks when a particle or a wall may have moved a quarter of a spacing, or of the thinnest wall.
    fn observe(&mut self, view: &View<'_, D>) -> bool {
        let due = self.is_due(view);
        self.travel += travel(view);
        self.steps += 1;
        if due {
            self.look(view.state);
        }
        true
    }

    fn is_due(&self, view: &View<'_, D>) -> bool {
        self.travel + travel(view) >= self.reach || self.steps + 1 >= MOST_STEPS
    }
}

/// How far a particle and a wall may have moved towards each other in the step, `[m]`.
fn travel<const D: usize>(view: &View<'_, D>) -> f64 {
    let wall_speed = if view.state.walls.is_moving() { max_wall_speed(view.state) } else { 0.0 };
    (view.report.max_speed + wall_speed) * view.report.dt
}

/// Whether something was found.
struct Any(bool);

impl Merge for Any {
    fn merge(self, later: Self) -> Self {
        Any(self.0 || later.0)
    }
}

fn drawn<const D: usize>(pose: &Option<Pose<D>>, x: &[f64; D]) -> [f64; D] {
    pose.as_ref().map_or(*x, |pose| pose.drawn(x))
}

/// Where the wall sample of an id is now.
fn sample<const D: usize>(state: &State<D>, id: u64) -> Option<[f64; D]> {
    let b = state.walls.id.iter().position(|&other| other == id)?;
    Some(state.walls.position(b).map(f64::from))
}

fn max_wall_speed<const D: usize>(state: &State<D>) -> f64 {
    let walls = &state.walls;
    let Max(v2) = parallel::blocks(walls.len(), (), |range, ()| {
        Max(range.map(|b| f64::from(norm2(walls.velocity(b)))).fold(0.0, f64::max))
    });
    v2.sqrt()
}

fn flag(flags: &[bool], id: usize) -> bool {
    flags.get(id).copied().unwrap_or(false)
}

fn set(flags: &mut Vec<bool>, id: usize, value: bool) {
    if flags.len() <= id {
        flags.resize(id + 1, false);
    }
    flags[id] = value;
}
