//! The penetration monitor: depth of particles behind wall surfaces, and particles that have passed them.
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

mod astray;

pub use astray::Astray;

use crate::{
    Real, compiled_here,
    fluid::{
        particles::Particles,
        wall_surface::{Place, Pose},
    },
    geometry::sampling::Side,
    method::{
        failure::{Cause, StepError},
        observer::{Observer, View},
        sample::Search,
        state::State,
    },
    numerics::vector::dot,
};

/// A measurement is due when a particle may have moved so far since the last one, in spacings.
const TRAVEL: f64 = 0.25;
/// A measurement is due after so many steps in any case: drift corrections are no part of the speed.
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

/// The first particle that was seen to have escaped.
#[derive(Clone, Debug, PartialEq)]
pub struct Escape {
    /// When it was seen, `[s]`.
    pub t: f64,
    /// Id of the particle.
    pub particle: u64,
    /// Name of the wall that it passed; none if it left the domain.
    pub wall: Option<String>,
}

/// A particle inside of an obstacle, and the outward normal where it came in, both in the obstacle's drawing.
#[derive(Clone, Copy, Debug)]
struct Entry<const D: usize> {
    surface: usize,
    particle: u64,
    normal: [f64; D],
}

/// Measures how tight the walls of a run are. It only reads the state: no bit of the run depends on it.
#[derive(Debug)]
pub struct PenetrationMonitor<const D: usize> {
    spacing: f64,
    /// Largest share of the particles that may escape, `[-]`.
    limit: f64,
    /// The longest displacement between two measurements, `[m]`.
    reach: f64,
    /// Displacement that is possible since the last measurement, `[m]`, and the steps since then.
    travel: f64,
    steps: u32,
    /// Which particles a measurement must treat.
    astray: Astray<D>,
    entries: Vec<Entry<D>>,
    /// Ids from here on have not been seen.
    known: u64,
    /// Ids, ascending.
    escaped: Vec<u64>,
    first: Option<Escape>,
    deepest: Option<Penetration>,
}

impl<const D: usize> PenetrationMonitor<D> {
    /// A monitor that has measured the state once: what is behind a wall now belongs there.
    pub fn new(state: &State<D>) -> Self {
        let spacing = f64::from(state.rest.spacing);
        let thinnest = state.walls.surfaces.iter().filter_map(|b| b.region.thickness());
        let mut monitor = Self {
            spacing,
            limit: 1.0,
            reach: thinnest.fold(TRAVEL * spacing, |reach, thickness| reach.min(0.25 * thickness)),
            travel: 0.0,
            steps: 0,
            astray: Astray::new(state),
            entries: Vec::new(),
            known: 0,
            escaped: Vec::new(),
            first: None,
            deepest: None,
        };
        monitor.measure(state);
        monitor
    }

    /// The same, which ends a run when more than the share `limit` `[-]` of the particles has escaped; 1 lets all.
    pub fn with_limit(self, limit: f64) -> Self {
        Self { limit, ..self }
    }

    /// Ids of the particles that have escaped, ascending.
    pub fn escaped(&self) -> &[u64] {
        &self.escaped
    }

    /// The first of them that was seen; none if no particle has escaped.
    pub fn first_escape(&self) -> Option<&Escape> {
        self.first.as_ref()
    }

    /// The failure of a run that more particles have left than may: the first of them, and where and when it was seen.
    pub fn failure(&self, state: &State<D>) -> Option<StepError> {
        let (escaped, n) = (self.escaped.len(), state.fluid.len());
        let Escape { t, particle, wall } = self.first.clone().filter(|_| self.is_over(n))?;
        let cause =
            Cause::Penetrated { escaped, n, limit: self.limit, t, wall: wall.unwrap_or("the domain".into()) };
        Some(StepError::new(state, "penetration", Some(particle), cause))
    }

    /// Whether more of `n` particles have escaped than may.
    pub fn is_over(&self, n: usize) -> bool {
        self.limit < 1.0 && self.escaped.len() as f64 > self.limit * n as f64
    }

    /// The deepest penetration so far; none if no particle was behind a wall.
    pub fn deepest(&self) -> Option<&Penetration> {
        self.deepest.as_ref()
    }

    /// Counts a step. True when a measurement is due after it.
    pub fn count(&mut self, view: &View<'_, D>) -> bool {
        let due = self.is_due(view);
        self.travel += travel(view);
        self.steps += 1;
        due
    }

    /// Measures every particle now.
    pub fn measure(&mut self, state: &State<D>) {
        let found = state.fluid.at(&self.astray.places(state));
        self.judge(state, &found);
    }

    /// Looks for the particles that a measurement must treat.
    pub fn search(&self) -> &Astray<D> {
        &self.astray
    }

    /// Treats those that were found. Of the state it reads walls, domain and time.
    pub fn judge(&mut self, state: &State<D>, found: &Particles<D>) {
        type Judge<const D: usize> = fn(&mut PenetrationMonitor<D>, &State<D>, &Particles<D>);
        compiled_here!(D, PenetrationMonitor::treat_all as Judge<D>)(self, state, found)
    }

    fn treat_all(&mut self, state: &State<D>, found: &Particles<D>) {
        (self.travel, self.steps) = (0.0, 0);
        let poses = self.astray.poses(state);
        for i in 0..found.len() {
            self.treat(state, &poses, (found.id[i], found.position(i)));
        }
        self.known = self.known.max(state.next_id);
    }

    /// Brings what is known of a particle up to now.
    fn treat(&mut self, state: &State<D>, poses: &[Option<Pose<D>>], (id, x): (u64, [Real; D])) {
        if self.escaped.binary_search(&id).is_ok() {
            return;
        }
        if !state.domain.holds(x) {
            self.escape(state, None, id);
        }
        let x = x.map(f64::from);
        for (k, pose) in poses.iter().enumerate() {
            let x = drawn(pose, &x);
            let surface = self.astray.surface(state, k);
            let place = surface.locate(&x);
            let normal = surface.region.normal(&x);
            let obstacle = surface.side == Side::Outside;
            let (first_layer, last_layer) = (surface.first_layer, surface.last_layer);
            match place {
                Place::Free => {
                    self.set_left(k, id, false);
                    if self.leave(k, id).is_some_and(|entry| dot(entry, normal) < TURNED) {
                        self.escape(state, Some(k), id);
                    }
                }
                Place::Open => self.set_left(k, id, true),
                Place::Behind(depth) if id >= self.known && depth > first_layer => {
                    self.set_left(k, id, true);
                }
                Place::Behind(depth) if self.astray.left[k].contains(&id) && depth > first_layer => {}
                Place::Behind(depth) => {
                    self.set_left(k, id, false);
                    self.record(state, k, depth, id);
                    if obstacle {
                        self.enter(k, id, normal);
                    }
                    if depth > last_layer {
                        self.escape(state, Some(k), id);
                    }
                }
            }
        }
    }

    fn record(&mut self, state: &State<D>, k: usize, depth: f64, particle: u64) {
        let depth = depth / self.spacing;
        if self.deepest.as_ref().is_none_or(|deepest| depth > deepest.depth) {
            let wall = self.astray.surface(state, k).name.clone();
            self.deepest = Some(Penetration { depth, t: state.t, particle, wall });
        }
    }

    /// Counts a particle that has passed a surface, or left the domain.
    fn escape(&mut self, state: &State<D>, surface: Option<usize>, particle: u64) {
        if let Err(place) = self.escaped.binary_search(&particle) {
            self.escaped.insert(place, particle);
        }
        if self.first.is_none() {
            let wall = surface.map(|k| self.astray.surface(state, k).name.clone());
            self.first = Some(Escape { t: state.t, particle, wall });
        }
    }

    fn set_left(&mut self, k: usize, id: u64, left: bool) {
        let ids = &mut self.astray.left[k];
        if left {
            ids.insert(id)
        } else {
            ids.remove(&id)
        };
    }

    fn enter(&mut self, surface: usize, particle: u64, normal: [f64; D]) {
        if self.entries.iter().any(|entry| (entry.surface, entry.particle) == (surface, particle)) {
            return;
        }
        self.entries.push(Entry { surface, particle, normal });
        self.astray.inside.insert(particle);
    }

    /// Forgets an entry, and returns its normal.
    fn leave(&mut self, surface: usize, particle: u64) -> Option<[f64; D]> {
        let is_it = |entry: &Entry<D>| (entry.surface, entry.particle) == (surface, particle);
        let place = self.entries.iter().position(is_it)?;
        let entry = self.entries.swap_remove(place);
        if !self.entries.iter().any(|entry| entry.particle == particle) {
            self.astray.inside.remove(&particle);
        }
        Some(entry.normal)
    }
}

impl<const D: usize> Observer<D> for PenetrationMonitor<D> {
    /// Measures when a particle or a wall may have moved a quarter of a spacing, or of the thinnest wall. Ends the run when
    /// more particles have escaped than may.
    fn observe(&mut self, view: &View<'_, D>) -> bool {
        if self.count(view) {
            self.measure(view.state);
        }
        !self.is_over(view.state.fluid.len())
    }

    fn is_due(&self, view: &View<'_, D>) -> bool {
        self.travel + travel(view) >= self.reach || self.steps + 1 >= MOST_STEPS
    }
}

/// How far a particle and a wall may have moved towards each other in the step, `[m]`.
fn travel<const D: usize>(view: &View<'_, D>) -> f64 {
    let state = view.state;
    let walls = state.walls.top_speed(state.t - view.report.dt).max(state.bodies.top_speed());
    (view.report.max_speed + walls) * view.report.dt
}

fn drawn<const D: usize>(pose: &Option<Pose<D>>, x: &[f64; D]) -> [f64; D] {
    pose.as_ref().map_or(*x, |pose| pose.inverse_transform(x))
}
