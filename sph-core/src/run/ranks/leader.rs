//! A run on several ranks, of which the first leads.
//!
//! To the loop over steps it is a method that works in another memory: the state that it is handed is that of the last
//! [`Solver::fetch`], and whatever changes it in between makes the next step share it out again. So commands, measures,
//! frames, checkpoints and recoveries are those of one rank, on the first one.

use super::{
    links::Links,
    member::{Make, Member, make},
    order::{Order, Outcome, Step},
    part::{Outline, Part},
    pieces::{self, Joined},
    transport::Transport,
};
use crate::{
    Real, compiled_here,
    error::Error,
    fluid::particles::Particles,
    method::{
        failure::{BEFORE, Cause, Lost, StepError},
        report::StepReport,
        sample::{Picked, Search, Wanted},
        solver::{Memory, Solver},
        state::State,
        stopwatch::{Clock, NoClock, Stopwatch},
    },
    neighbors::{Backend, CellFrame, Partition, TooManyRanks},
    numerics::lane::Isa,
    run::{method::Method, simulation::Simulation},
    scene::Scene,
    watch::penetration::Astray,
};

/// The run on the first rank.
struct Leader<const D: usize> {
    /// Holds parameters, and of all particles what a restart must keep. It does no steps.
    method: Box<dyn Member<D>>,
    /// The particles of this rank.
    part: Part<D>,
    /// False while the state is ahead of the ranks.
    is_shared: bool,
    /// True while the state is what the ranks hold.
    is_here: bool,
    /// Particles of the fullest rank over the mean of all.
    imbalance: f64,
    /// Who owns which cells.
    partition: Partition<D>,
    /// Steps since cells were shared out.
    steps: u32,
    /// True once a command has changed the motion of a wall, which the others do not know.
    walls_commanded: bool,
}

/// Cells are shared out anew when the fullest rank has this many times its part `[convention]`, which changes no bit of
/// the run.
const MOST_IMBALANCE: f64 = 1.2;
/// And no sooner than after this many steps: cells cannot always be cut evenly `[convention]`.
const LEAST_STEPS: u32 = 100;

/// Makes the other ranks [`follow`], and gives the way to them.
pub struct Start {
    /// Number of ranks.
    pub size: usize,
    /// Called once the scene is accepted.
    pub start: Box<dyn FnOnce() -> Result<Box<dyn Transport>, Error>>,
}

/// A run of the scene on several ranks, as the first of them, which starts the others once the scene is accepted.
///
/// # Errors
/// When the scene or the solver's parameters are refused, or want what only one rank can do; when there are more ranks than
/// cells with particles.
pub fn lead<const D: usize, M: Method<D>>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
    start: Start,
) -> Result<Simulation<D>, Error> {
    compiled_here!(D, lead_with as Lead<D>)(make::<D, M>, scene, isa, clock, start)
}

type Lead<const D: usize> = fn(Make<D>, &Scene, Isa, Box<dyn Clock>, Start) -> Result<Simulation<D>, Error>;

fn lead_with<const D: usize>(
    make: Make<D>,
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
    start: Start,
) -> Result<Simulation<D>, Error> {
    let (state, method) = make(scene, isa, Box::new(NoClock))?;
    check(scene, &state, &*method)?;
    let frame = method.shell().neighbors.cells().frame;
    let partition = partition(&state, frame, start.size, method.cells_a_block())
        .map_err(|error| Error::new(error.to_string()).hint("use fewer ranks"))?;
    let outline = Outline::of(&state, method.derived(&state).flow);
    let mut links = Links::new((start.start)()?);
    links.broadcast(Some(outline.to_bytes())).map_err(|lost| Error::new(lost.to_string()))?;
    let part = Part::of_scene(make, &outline.apply(scene), isa, clock, links)?;
    let leader = Leader {
        method,
        part,
        is_shared: false,
        is_here: true,
        imbalance: 1.0,
        steps: 0,
        walls_commanded: false,
        partition,
    };
    Simulation::new(scene, state, Box::new(leader))
}

/// Does what the first rank wants of another one, until the run is over.
///
/// # Errors
/// When the scene or the solver's parameters are refused, or another rank is gone.
pub fn follow<const D: usize, M: Method<D>>(
    scene: &Scene,
    isa: Isa,
    transport: Box<dyn Transport>,
) -> Result<(), Error> {
    compiled_here!(D, follow_with as Follow<D>)(make::<D, M>, scene, isa, transport)
}

type Follow<const D: usize> = fn(Make<D>, &Scene, Isa, Box<dyn Transport>) -> Result<(), Error>;

fn follow_with<const D: usize>(
    make: Make<D>,
    scene: &Scene,
    isa: Isa,
    transport: Box<dyn Transport>,
) -> Result<(), Error> {
    let mut links = Links::new(transport);
    let lost = |lost: Lost| Error::new(lost.to_string());
    let outline = links.broadcast(None).map_err(lost)?;
    let outline = Outline::<D>::of_bytes(&outline).ok_or_else(|| lost(Lost::Garbled(0)))?;
    let mut part = Part::of_scene(make, &outline.apply(scene), isa, Box::new(NoClock), links)?;
    part.follow().map_err(lost)
}

/// Who owns which cells, by the particles of a state.
fn partition<const D: usize>(
    state: &State<D>,
    frame: CellFrame<D>,
    size: usize,
    cells_a_block: i32,
) -> Result<Partition<D>, TooManyRanks> {
    let cells = (0..state.fluid.len()).map(|i| frame.cell(state.fluid.position(i)));
    Partition::of(frame, cells, size, cells_a_block)
}

/// Why commands cannot move walls.
const MOTIONS: &str =
    "cannot be had on several ranks: only the first one would know of the motion; use one rank";

/// What cannot be had, and why.
fn refused(key: &str, why: &str) -> Error {
    Error::invalid(key, format!("cannot be had on several ranks: {why}"))
}

/// Refuses parameters of a method that only one rank can have.
fn check_params<const D: usize>(
    method: &dyn Member<D>,
    change: Option<(&str, &toml::Value)>,
) -> Result<(), Error> {
    method.refuses_ranks(change)?.map_or(Ok(()), |(key, why)| Err(refused(key, why)))
}

/// Refuses what only one rank can do.
fn check<const D: usize>(scene: &Scene, state: &State<D>, method: &dyn Member<D>) -> Result<(), Error> {
    let refuse = |key: &str, why: &str| Err(scene.locate(refused(key, why)));
    check_params(method, None).map_err(|error| scene.locate(error))?;
    if scene.neighbors.skin > 0.0 {
        return refuse("neighbors.skin", "ghosts come anew in each step; use 0");
    }
    if scene.neighbors.backend == Backend::BruteForce {
        return refuse("neighbors.backend", "it has no cells to own");
    }
    if !state.bodies.container_loads.is_empty() {
        return refuse("measure", "the force on a container is a sum over particles of all ranks");
    }
    let moves = |command: &&crate::scene::Command| command.move_wall.is_some() || command.stop_wall.is_some();
    match scene.command.iter().find(moves) {
        Some(command) => Err(scene.locate(Error::invalid(command.key(), MOTIONS))),
        None => Ok(()),
    }
}

impl<const D: usize> Part<D> {
    fn follow(&mut self) -> Result<(), Lost> {
        loop {
            let order = self.links().broadcast(None)?;
            match Order::of_bytes(&order).ok_or(Lost::Garbled(0))? {
                Order::Step(step) => {
                    let done = self.step(&step);
                    let outcome = Outcome::of(self.state.fluid.len(), &done);
                    self.links().send_control(0, &outcome.to_bytes())?;
                }
                Order::Load => {
                    let piece = self.links().receive_control(0, None)?;
                    self.load(&piece)?;
                }
                Order::Fetch => {
                    let piece = pieces::give_piece(&self.state, &mut *self.method);
                    self.links().send_control(0, &piece)?;
                }
                Order::Find(words) => {
                    let search = Astray::of_words(&self.state, &words).ok_or(Lost::Garbled(0))?;
                    let piece = self.find(&search);
                    self.links().send_control(0, &piece)?;
                }
                Order::Pick { places, fields } => {
                    let piece = self.pick(places, fields.iter().map(String::as_str));
                    self.links().send_control(0, &piece)?;
                }
                Order::Cut => self.cut()?,
                Order::Set { name, value } => {
                    let value =
                        toml::from_str::<toml::Table>(&value).ok().and_then(|mut table| table.remove(&name));
                    let set = value.and_then(|value| self.method.set_parameter(&name, &value).ok());
                    set.ok_or(Lost::Garbled(0))?;
                }
                Order::End => {
                    self.links().close();
                    return Ok(());
                }
            }
        }
    }
}

impl<const D: usize> Leader<D> {
    fn order(&mut self, order: &Order<D>) -> Result<(), Lost> {
        self.part.links().broadcast(Some(order.to_bytes())).map(drop)
    }

    /// Shares the state out.
    fn share(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        // Where particles have become too few for a new cut, the old one stays: ranks may be empty.
        let frame = self.partition.frame;
        if let Ok(partition) = partition(state, frame, self.partition.size(), self.method.cells_a_block()) {
            self.partition = partition;
        }
        let shared = self.order(&Order::Load).and_then(|()| {
            let part = &mut self.part;
            pieces::scatter(state, &mut *self.method, &self.partition, |to, piece| match to {
                0 => part.load(&piece),
                _ => part.links().send_control(to, &piece),
            })
        });
        shared.map_err(|lost| StepError::new(state, "share", None, lost.into()))?;
        self.part.state.bodies.clone_from(&state.bodies);
        (self.is_shared, self.steps) = (true, 0);
        Ok(())
    }

    /// The step on all ranks; the failure of the first of them that found one itself.
    fn step_on_all(&mut self, state: &State<D>, dt: f64) -> Result<StepReport, StepError> {
        let fail = |cause| StepError::new(state, "step", None, cause);
        let step = Step {
            dt,
            t: state.t,
            step: state.step,
            loads_due: state.walls.loads_due,
            gravity: state.forces.gravity,
        };
        self.order(&Order::Step(step)).map_err(|lost| fail(lost.into()))?;
        let done = self.part.step(&step);
        let mut all = vec![Outcome::of(self.part.state.fluid.len(), &done)];
        let gathered = self.part.links().gather(|rank, outcome| {
            all.push(Outcome::of_bytes(outcome, rank)?);
            Some(())
        });
        gathered.map_err(|lost| fail(lost.into()))?;
        let n: usize = all.iter().map(|outcome| outcome.particles).sum();
        let most = all.iter().map(|outcome| outcome.particles).max().unwrap_or(0);
        self.imbalance = (most * all.len()) as f64 / n.max(1) as f64;
        let mut failures: Vec<_> = all.into_iter().filter_map(|outcome| outcome.failure).collect();
        // Who waited for another has found nothing itself.
        failures.sort_by_key(|(.., cause)| matches!(cause, Cause::Rank(Lost::Failed(_))));
        match failures.into_iter().next() {
            None => done,
            Some((phase, particle, cause)) => Err(StepError::new(state, phase, particle, cause)),
        }
    }

    /// What each rank gives at an `order`, this one its `own`: particles with some fields, which are empty before.
    fn gather(
        &mut self,
        state: &mut State<D>,
        (order, own): (Order<D>, Vec<u8>),
        fields: &mut [Vec<Real>],
    ) -> Result<Particles<D>, StepError> {
        if state.walls.is_moving() || !state.bodies.is_empty() {
            state.walls.clone_from(&self.part.state.walls);
        }
        let mut joined = Joined::new(fields, 0);
        let gathered = self.order(&order).and_then(|()| {
            joined.add(&own, |_| Some(())).ok_or(Lost::Garbled(0))?;
            self.part.links().gather(|_, piece| joined.add(piece, |_| Some(())))
        });
        gathered.map_err(|lost| StepError::new(state, "fetch", None, lost.into()))?;
        Ok(joined.finish())
    }

    fn forget(&mut self) {
        (self.is_shared, self.is_here) = (false, true);
    }
}

impl<const D: usize> Drop for Leader<D> {
    fn drop(&mut self) {
        // Who is gone need not know.
        let _ = self.order(&Order::End);
        self.part.links().close();
    }
}

impl<const D: usize> Solver<D> for Leader<D> {
    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        if self.walls_commanded {
            let error = Error::new(format!("a command that moves or stops a wall {MOTIONS}"));
            return Err(StepError::new(state, BEFORE, None, Cause::Command(error)));
        }
        if !self.is_shared {
            self.share(state)?;
        } else if self.imbalance > MOST_IMBALANCE && self.steps >= LEAST_STEPS {
            let cut = self.order(&Order::Cut).and_then(|()| self.part.cut());
            cut.map_err(|lost| StepError::new(state, "share", None, lost.into()))?;
            self.steps = 0;
        }
        self.steps += 1;
        self.is_here = false;
        let done = self.step_on_all(state, dt);
        pieces::copy_numbers(&mut *self.part.method, &mut *self.method);
        state.bodies.clone_from(&self.part.state.bodies);
        if done.is_err() {
            // What cannot be fetched is not explained, but the failure is told all the same.
            let _ = self.fetch(state);
        }
        done
    }

    fn fetch(&mut self, state: &mut State<D>) -> Result<(), StepError> {
        if self.is_here {
            return Ok(());
        }
        let own = pieces::give_piece(&self.part.state, &mut *self.part.method);
        let (fetched, part) = (self.order(&Order::Fetch), &mut self.part);
        let fetched = fetched.and_then(|()| {
            pieces::join(state, &mut *self.method, |add| {
                add(&own).ok_or(Lost::Garbled(0))?;
                part.links().gather(|_, piece| add(piece))
            })
        });
        fetched.map_err(|lost| StepError::new(state, "fetch", None, lost.into()))?;
        state.walls.clone_from(&self.part.state.walls);
        self.method.own_restored(state);
        self.is_here = true;
        Ok(())
    }

    fn find(&mut self, state: &mut State<D>, search: &dyn Search<D>) -> Result<Particles<D>, StepError> {
        if self.is_here {
            return Ok(state.fluid.at(&search.places(state)));
        }
        let found = (Order::Find(search.to_words()), self.part.find(search));
        self.gather(state, found, &mut [])
    }

    fn pick(&mut self, state: &mut State<D>, wanted: &Wanted<D>) -> Result<Option<Picked<D>>, StepError> {
        if self.is_here || wanted.sums || wanted.all_densities || wanted.everything {
            return self.fetch(state).map(|()| None);
        }
        let (places, names) = (wanted.places, &wanted.fields);
        if places == 0 {
            return Ok(Some(Picked::default()));
        }
        let order = Order::Pick { places, fields: names.iter().map(|&name| name.to_owned()).collect() };
        let own = self.part.pick(places, names.iter().copied());
        let mut values = vec![Vec::new(); names.len()];
        let fluid = self.gather(state, (order, own), &mut values)?;
        Ok(Some(Picked { fluid, fields: names.iter().copied().zip(values).collect(), ..Picked::default() }))
    }

    fn velocities_changed(&mut self) {
        self.forget();
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.method.own_memory(visit);
        self.method.shell_mut().memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.forget();
        self.method.fluid_changed();
    }

    fn walls_changed(&mut self) {
        self.walls_commanded = true;
        self.forget();
        self.method.walls_changed();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.method.check_parameter(name, value)?;
        check_params(&*self.method, Some((name, value)))
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.check_parameter(name, value)?;
        self.method.set_parameter(name, value)?;
        self.part.method.set_parameter(name, value)?;
        let table = toml::Table::from_iter([(name.to_owned(), value.clone())]);
        let order = Order::Set { name: name.to_owned(), value: table.to_string() };
        self.order(&order).map_err(|lost| Error::new(lost.to_string()))
    }

    fn restored(&mut self, state: &State<D>) {
        self.method.restored(state);
        self.forget();
    }

    sph_core::left_to_the_method!(*);

    fn residuals(&self) -> &[f64] {
        self.part.method.residuals()
    }

    fn stopwatch(&self) -> &Stopwatch {
        &self.part.method.shell().stopwatch
    }

    fn reset_stopwatch(&mut self) {
        self.part.method.reset_stopwatch();
    }
}
