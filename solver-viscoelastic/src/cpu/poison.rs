//! Numbers that are not finite, put behind each phase in turn: every one is found before it reaches an
//! output, and its field, phase and particle are named. What the state holds between two steps is spoilt by
//! `tests/laws/failure.rs`; here it is what phases hand to each other, and what the method keeps.

use super::Cpu;
use crate::{Viscoelastic, setup, springs::End, step, step::Phases};
use sph_core::{
    Real,
    diagnosis::Link,
    error::Error,
    lane::Isa,
    neighbors::Neighbors,
    scene::Scene,
    simulation::{Simulation, View},
    solver::{BEFORE, Cause, Derived, Memory, NoClock, Solver, StepError, StepReport, Stopwatch},
    state::State,
};
use std::sync::{Arc, OnceLock};

type Spoil<const D: usize> = fn(&mut Cpu<'_, D>, usize, Real);

/// What is done behind which call of a phase, counted over the whole run.
struct Poison<const D: usize> {
    phase: &'static str,
    call: u32,
    spoil: Spoil<D>,
    value: Real,
    on_wall: bool,
    /// Id of the particle, or of the wall sample, that was spoilt.
    victim: Arc<OnceLock<u64>>,
}

/// A step whose phases are those of the method, and one of them does harm.
struct Poisoned<'a, 'b, const D: usize> {
    cpu: Cpu<'a, D>,
    poison: &'b mut Poison<D>,
}

impl<const D: usize> Poisoned<'_, '_, D> {
    fn after(&mut self, phase: &str, result: Result<(), StepError>) -> Result<(), StepError> {
        let poison = &mut *self.poison;
        if phase == poison.phase && poison.victim.get().is_none() {
            if poison.call == 0 {
                let State { fluid, walls, bodies, .. } = &*self.cpu.state;
                // One with neighbors and walls around: under the body, or else in the corner.
                let spot = if bodies.is_empty() { [0.05; D] } else { under_the_body() };
                let nearest = |x: &[Vec<Real>; D]| {
                    let far = |i: usize| (0..D).map(|a| (x[a][i] - spot[a]).powi(2)).sum::<Real>();
                    (0..x[0].len()).min_by(|&i, &j| far(i).total_cmp(&far(j))).unwrap_or(0)
                };
                let i = if poison.on_wall { nearest(&walls.x) } else { nearest(&fluid.x) };
                let id = if poison.on_wall { walls.id[i] } else { fluid.id[i] };
                poison.victim.get_or_init(|| id);
                (poison.spoil)(&mut self.cpu, i, poison.value);
            }
            poison.call = poison.call.saturating_sub(1);
        }
        result
    }
}

fn under_the_body<const D: usize>() -> [Real; D] {
    std::array::from_fn(|a| if a == 1 { 0.55 } else { 0.25 })
}

macro_rules! phases {
    ($($name:ident($($argument:ident: $type:ty)?);)*) => {
        impl<const D: usize> Phases for Poisoned<'_, '_, D> {
            $(fn $name(&mut self $(, $argument: $type)?) -> Result<(), StepError> {
                let result = self.cpu.$name($($argument)?);
                self.after(stringify!($name), result)
            })*

            fn report(&mut self, dt: f64) -> StepReport {
                self.cpu.report(dt)
            }
        }
    };
}
phases! {
    move_walls(dt: f64);
    apply_gravity(dt: f64);
    apply_viscosity(dt: f64);
    predict_positions(dt: f64);
    find_neighbors();
    adjust_springs(dt: f64);
    apply_spring_displacements(dt: f64);
    double_density_relaxation(dt: f64);
    resolve_collisions(dt: f64);
    update_velocities(dt: f64);
    move_bodies();
}

struct PoisonedSolver<const D: usize> {
    method: Viscoelastic<D>,
    poison: Poison<D>,
}

impl<const D: usize> Solver<D> for PoisonedSolver<D> {
    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let cpu = Cpu::new(&mut self.method, state, dt);
        step::step(&mut Poisoned { cpu, poison: &mut self.poison }, dt)
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        self.method.max_dt(state)
    }

    fn name(&self) -> &'static str {
        self.method.name()
    }

    fn support_radius(&self) -> Real {
        self.method.support_radius()
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.method.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.method.fluid_changed();
    }

    fn walls_changed(&mut self) {
        self.method.walls_changed();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.method.check_parameter(name, value)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.method.set_parameter(name, value)
    }

    fn restored(&mut self, state: &State<D>) {
        self.method.restored(state);
    }

    fn moves_bodies(&self) -> bool {
        self.method.moves_bodies()
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.method.chain(state)
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        self.method.field(name)
    }

    fn neighbors(&self) -> &Neighbors<D> {
        self.method.neighbors()
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.method.derived(state)
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.method.stopwatch()
    }

    fn reset_stopwatch(&mut self) {
        self.method.reset_stopwatch();
    }
}

/// A dam of some hundred particles in a tank that shakes, with `more` in the scene.
fn scene<const D: usize>(more: &str, solver: &str) -> Scene {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let text = format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 1.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.5, 0.6{1}] }}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [1.2, 1.0{1}] }}\nlayers = 3\n\
         motion.oscillation = {{ amplitude = [0.01, 0.0{0}], frequency = 1.0 }}\n{more}\n\
         [solver]\nname = \"viscoelastic\"\n{solver}\n",
        z("0.0"),
        z("0.5"),
    );
    Scene::parse("test.toml", &text).unwrap()
}

/// A box that floats on the dam, and a container around the tank.
fn company<const D: usize>() -> String {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    format!(
        "[[body]]\nname = \"box\"\ndensity = 500.0\n\
         shape.block = {{ min = [0.1, 0.6{}], max = [0.4, 0.8{}] }}\n\
         [[container]]\nshape.block = {{ min = [-0.1, -0.1{}], max = [1.3, 1.1{}] }}",
        z("0.1"),
        z("0.4"),
        z("-0.1"),
        z("0.6"),
    )
}

/// What became of a poisoned run.
struct Outcome {
    error: StepError,
    /// False when something bad could have been written before.
    outputs_are_finite: bool,
    /// True when the particle that is blamed holds a number that is not finite.
    is_spoilt: bool,
}

fn run<const D: usize>(scene: &Scene, poison: Poison<D>, label: &str) -> Outcome {
    let (state, method) = setup::method::<D>(scene, Isa::best(), Box::new(NoClock)).unwrap();
    let mut sim = Simulation::new(scene, state, Box::new(PoisonedSolver { method, poison })).unwrap();
    // What observers see is what is written.
    let mut seen_finite = true;
    let found = sim.run(
        1.0,
        8,
        &mut [&mut |view: &View<'_, D>| {
            let State { fluid, walls, bodies, .. } = view.state;
            let fields = fluid.x.iter().chain(&fluid.v).chain([&fluid.rho]).chain(&walls.x).chain(&walls.v);
            seen_finite &= fields.flatten().all(|x| x.is_finite());
            seen_finite &= bodies.list.iter().all(|body| body.is_finite());
            true
        }],
    );
    let Err(error) = found else { panic!("not found: {label}") };
    let (state, chain) = (&sim.state, sim.solver.chain(&sim.state));
    let is_spoilt = |i: usize| {
        let fields = state.fluid.x.iter().chain(&state.fluid.v);
        !fields.map(|x| x[i]).all(Real::is_finite) || chain.iter().any(|link| !(link.is_finite)(i))
    };
    let blamed = error.particle.and_then(|id| state.fluid.id.iter().position(|other| *other == id));
    let is_spoilt = blamed.is_some_and(is_spoilt);
    Outcome { error, outputs_are_finite: seen_finite, is_spoilt }
}

/// How far a number gets before it is found.
#[derive(Clone, Copy, PartialEq)]
enum Spreads {
    No,
    /// By impulses of viscosity, which none that is NaN makes.
    AsImpulse,
    /// From place to place: to neighbors, and to theirs where particles move one by one or have springs.
    AsPlace,
    /// From the record of a wall sample to the particles around it.
    FromWall,
}
use Spreads::*;

/// Phase, what of its output is spoilt, how far that spreads, and the field and the phases that may be named.
type Case<const D: usize> = (&'static str, Spoil<D>, Spreads, &'static str, &'static [&'static str]);

const RELAXATION: &[&str] = &["double_density_relaxation"];
const VELOCITIES: &[&str] = &["update_velocities"];

fn place<const D: usize>(cpu: &mut Cpu<'_, D>, i: usize, bad: Real) {
    cpu.method.fields.place[i][D - 1] = bad;
}

fn velocity<const D: usize>(cpu: &mut Cpu<'_, D>, i: usize, bad: Real) {
    cpu.state.fluid.v[D - 1][i] = bad;
}

/// Rows as they are, but for the first spring of a particle.
fn rest<const D: usize>(cpu: &mut Cpu<'_, D>, victim: usize, bad: Real) {
    let (n, springs) = (cpu.state.fluid.len(), &mut cpu.method.fields.springs);
    let firsts: Vec<usize> = springs.chunks().iter().map(|chunk| chunk.first).chain([n]).collect();
    assert!(springs.row(victim).n > 0);
    springs.rewrite(
        firsts.len() - 1,
        |k| firsts[k],
        |k, before, out| {
            for i in firsts[k]..firsts[k + 1] {
                let row = before.row(i);
                for (at, end) in row.ends(0..row.n).enumerate() {
                    out.push(if (i, at) == (victim, 0) { End { rest: bad, ..end } } else { end });
                }
                out.end_row(row.n_near);
            }
        },
    );
}

/// The same in what a restart brings back.
fn kept_rest<const D: usize>(cpu: &mut Cpu<'_, D>, victim: usize, bad: Real) {
    let (id, mut at) = (cpu.state.fluid.id[victim] as Real, 0);
    cpu.method.fields.springs.memory(&mut |name, memory| match (name, memory) {
        ("spring_owner_low", Memory::Pairs(owner)) => at = owner.iter().position(|o| *o == id).unwrap(),
        ("spring_rest_length", Memory::Pairs(rest)) => rest[at] = bad,
        _ => {}
    });
}

fn record<'a, const D: usize>(cpu: &'a mut Cpu<'_, D>, b: usize) -> &'a mut [Real; 4] {
    &mut cpu.method.fields.wall_x4[b]
}

fn of_walls<const D: usize>() -> Vec<Case<D>> {
    const MOVE: &[&str] = &["move_walls"];
    vec![
        ("move_walls", |cpu, b, bad| cpu.state.walls.x[0][b] = bad, No, "wall position", MOVE),
        ("move_walls", |cpu, b, bad| cpu.state.walls.v[D - 1][b] = bad, No, "wall velocity", MOVE),
        ("move_walls", |cpu, b, bad| cpu.state.walls.volume[b] = bad, No, "wall volume", &[BEFORE]),
        ("find_neighbors", |cpu, b, bad| record(cpu, b)[0] = bad, FromWall, "position", RELAXATION),
        ("find_neighbors", |cpu, b, bad| record(cpu, b)[3] = bad, FromWall, "density", RELAXATION),
    ]
}

fn of_fluid<const D: usize>() -> Vec<Case<D>> {
    // The grid refuses what is infinite.
    const GRID: &[&str] = &[BEFORE, "double_density_relaxation"];
    vec![
        ("apply_gravity", velocity, AsImpulse, "velocity", &[BEFORE]),
        ("apply_viscosity", velocity, No, "velocity", &[BEFORE]),
        ("predict_positions", velocity, No, "velocity", VELOCITIES),
        ("predict_positions", |cpu, i, bad| cpu.state.fluid.x[0][i] = bad, AsPlace, "position", GRID),
        ("find_neighbors", place, AsPlace, "position", RELAXATION),
        ("adjust_springs", place, AsPlace, "position", RELAXATION),
        ("apply_spring_displacements", place, AsPlace, "position", RELAXATION),
        ("double_density_relaxation", place, No, "position", RELAXATION),
        ("double_density_relaxation", |cpu, i, bad| cpu.state.fluid.rho[i] = bad, No, "density", RELAXATION),
        ("double_density_relaxation", velocity, No, "velocity", VELOCITIES),
        ("resolve_collisions", place, No, "position", RELAXATION),
        ("resolve_collisions", velocity, No, "velocity", VELOCITIES),
    ]
}

fn of_springs<const D: usize>() -> Vec<Case<D>> {
    vec![
        ("find_neighbors", rest, No, "rest length", &[BEFORE]),
        ("adjust_springs", rest, No, "rest length", &[BEFORE]),
        ("move_bodies", kept_rest, No, "rest length", &[BEFORE]),
    ]
}

fn is_named<const D: usize>(more: &str, solver: &str, call: u32, case: &Case<D>) {
    let (phase, spoil, spreads, field, phases) = *case;
    for value in VALUES {
        let (victim, on_wall) = (Arc::default(), spreads == FromWall || field.starts_with("wall"));
        let poison = Poison { phase, call, spoil, value, on_wall, victim: Arc::clone(&victim) };
        let label = format!("{field} = {value} behind {phase} {call} in {D}D\n{more}\n{solver}");
        let Outcome { error, outputs_are_finite, is_spoilt } = run(&scene::<D>(more, solver), poison, &label);
        let label = format!("{error}\n{label}");
        // What is kept is found where the next step reads it.
        let is_kept = field == "rest length" && phase != "find_neighbors";
        assert_eq!(error.step, u64::from(call) + u64::from(is_kept), "{label}");
        assert_eq!(error.cause, Cause::NotFinite { field }, "{label}");
        assert!(phases.contains(&error.phase), "{label}");
        assert!(outputs_are_finite, "{label}");
        // All neighbors of the source caught it, and of those with as many the corner has the lowest id.
        // Where it went on from there, no one knows where it began.
        let names_the_victim = match spreads {
            No => true,
            AsImpulse => value.is_nan() || !solver.contains("viscosity"),
            AsPlace => solver.contains("jacobi") && !solver.contains("spring") && more.is_empty(),
            FromWall => false,
        };
        let is_right = if names_the_victim { error.particle == victim.get().copied() } else { is_spoilt };
        assert!(is_right, "{label}");
    }
}

const VALUES: [Real; 3] = [Real::NAN, Real::INFINITY, Real::NEG_INFINITY];
const MODES: [&str; 3] = ["sequential", "colored", "jacobi"];
const FULL: &str = "spring_stiffness = 100.0\nviscosity_linear = 5.0\nstick_stiffness = 100.0";

/// In all modes, in a step from the first particle to the last, and in one from the last to the first.
fn all_are_named<const D: usize>(more: &str, parameters: &str, cases: &[Case<D>]) {
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\n{parameters}");
        for (call, case) in [1, 2].into_iter().flat_map(|call| cases.iter().map(move |case| (call, case))) {
            is_named(more, &solver, call, case);
        }
    }
}

#[test]
fn what_spoils_the_fluid_is_named() {
    for parameters in ["", FULL] {
        all_are_named::<2>("", parameters, &of_fluid());
    }
    all_are_named::<3>("", FULL, &of_fluid());
}

#[test]
fn what_spoils_the_fluid_is_named_where_it_touches_a_body_and_a_container() {
    all_are_named::<2>(&company::<2>(), FULL, &of_fluid());
    all_are_named::<3>(&company::<3>(), "", &of_fluid());
}

#[test]
fn walls_are_named() {
    for more in ["", &company::<2>()] {
        all_are_named::<2>(more, FULL, &of_walls());
    }
    all_are_named::<3>("", "", &of_walls());
}

/// A spring pulls no further than `max_displacement`, which makes a number of one that is none.
#[test]
fn rest_lengths_are_named() {
    for flow in ["plasticity = 0.0", "", "min_rest_length = 0.1", "spring_creation = \"at_start\""] {
        all_are_named::<2>("", &format!("{FULL}\n{flow}"), &of_springs());
    }
    all_are_named::<3>("", FULL, &of_springs());
}

/// The phase behind which a number of a body is spoilt.
fn of_bodies<const D: usize>() -> Vec<(&'static str, Spoil<D>)> {
    let momentum: Spoil<D> = |cpu, _, bad| cpu.state.bodies.list[0].momentum[0] = f64::from(bad);
    let spin: Spoil<D> = |cpu, _, bad| cpu.state.bodies.list[0].angular_momentum[2] = f64::from(bad);
    let turn: Spoil<D> = |cpu, _, bad| cpu.state.bodies.list[0].rotation.w = f64::from(bad);
    vec![
        ("apply_gravity", momentum),
        ("apply_gravity", spin),
        ("apply_gravity", turn),
        ("apply_gravity", |cpu, _, bad| cpu.state.bodies.list[0].x[0] = f64::from(bad)),
        // A place from which the fluid pushed.
        ("double_density_relaxation", |cpu, i, bad| cpu.method.fields.push[i][0] = bad),
        ("resolve_collisions", |cpu, _, bad| cpu.state.bodies.list[0].wrench.force[0] = f64::from(bad)),
        ("resolve_collisions", |cpu, _, bad| cpu.state.bodies.list[0].wrench.torque[2] = f64::from(bad)),
        ("move_bodies", momentum),
        ("move_bodies", spin),
        ("move_bodies", turn),
    ]
}

/// It never reaches its samples, nor the fluid.
fn a_body_is_named<const D: usize>(parameters: &str) {
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\n{parameters}");
        let scene = scene::<D>(&company::<D>(), &solver);
        for (k, (phase, spoil)) in of_bodies::<D>().into_iter().enumerate() {
            for value in VALUES {
                let poison = Poison { phase, call: 1, spoil, value, on_wall: false, victim: Arc::default() };
                let label = format!("{k}: {value} behind {phase} in {D}D\n{solver}");
                let Outcome { error, outputs_are_finite, .. } = run(&scene, poison, &label);
                // Behind the last phase of a step it can only be found by the next step.
                let is_last = phase == "move_bodies";
                assert_eq!((error.step, error.particle), (1 + u64::from(is_last), None), "{error}\n{label}");
                let cause = Cause::NotFinite { field: "body position or velocity" };
                assert_eq!((error.phase, &error.cause), ("move_bodies", &cause), "{error}\n{label}");
                assert!(is_last || outputs_are_finite, "{label}");
            }
        }
    }
}

#[test]
fn bodies_are_named() {
    a_body_is_named::<2>(FULL);
    a_body_is_named::<3>("");
}
