//! Numbers that are not finite, put behind each phase in turn: every one is found before it reaches an output,
//! and its field, phase and particle are named.

use super::Cpu;
use crate::{Projection, setup, step, step::Phases};
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

/// What is done behind which call of a phase, counted over the whole run.
struct Poison<const D: usize> {
    phase: &'static str,
    call: u32,
    spoil: fn(&mut Cpu<'_, D>, usize, Real),
    value: Real,
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
                let state = &self.cpu.state;
                // One with neighbors and walls around: the fluid's corner, and a sample beside it.
                let nearest = |x: &[Vec<Real>; D]| {
                    let far = |i: usize| x.iter().map(|axis| (axis[i] - 0.05).powi(2)).sum::<Real>();
                    (0..x[0].len()).min_by(|&i, &j| far(i).total_cmp(&far(j))).unwrap_or(0)
                };
                let on_wall = phase == "move_walls";
                let i = if on_wall { nearest(&state.walls.x) } else { nearest(&state.fluid.x) };
                let id = if on_wall { state.walls.id[i] } else { state.fluid.id[i] };
                poison.victim.get_or_init(|| id);
                (poison.spoil)(&mut self.cpu, i, poison.value);
            }
            poison.call = poison.call.saturating_sub(1);
        }
        result
    }
}

macro_rules! phases {
    ($($name:ident($($argument:ident: $type:ty)?);)*) => {
        impl<const D: usize> Phases for Poisoned<'_, '_, D> {
            $(fn $name(&mut self $(, $argument: $type)?) -> Result<(), StepError> {
                let result = self.cpu.$name($($argument)?);
                self.after(stringify!($name), result)
            })*

            fn soften_source(&mut self, dt: f64) -> Result<bool, StepError> {
                self.cpu.soften_source(dt)
            }

            fn report(&mut self, dt: f64) -> StepReport {
                self.cpu.report(dt)
            }
        }
    };
}
phases! {
    move_walls(dt: f64);
    apply_forces(dt: f64);
    find_neighbors();
    compute_alpha();
    compute_divergence();
    classify_surface(dt: f64);
    solve_pressure();
    correct_velocities(dt: f64);
    apply_viscosity(dt: f64);
    update_positions(dt: f64);
    move_bodies(dt: f64);
}

struct PoisonedSolver<const D: usize> {
    projection: Projection<D>,
    poison: Poison<D>,
}

impl<const D: usize> Solver<D> for PoisonedSolver<D> {
    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let cpu = Cpu::new(&mut self.projection, state);
        step::step(&mut Poisoned { cpu, poison: &mut self.poison }, dt)
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        self.projection.max_dt(state)
    }

    fn name(&self) -> &'static str {
        self.projection.name()
    }

    fn support_radius(&self) -> Real {
        self.projection.support_radius()
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.projection.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.projection.fluid_changed();
    }

    fn walls_changed(&mut self) {
        self.projection.walls_changed();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.projection.check_parameter(name, value)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.projection.set_parameter(name, value)
    }

    fn restored(&mut self, state: &State<D>) {
        self.projection.restored(state);
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.projection.chain(state)
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        self.projection.field(name)
    }

    fn neighbors(&self) -> &Neighbors<D> {
        self.projection.neighbors()
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.projection.derived(state)
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.projection.stopwatch()
    }

    fn reset_stopwatch(&mut self) {
        self.projection.reset_stopwatch();
    }
}

/// A dam of some hundred particles, with a paddle so that walls move.
fn scene<const D: usize>(solver: &str) -> Scene {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let text = format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 1.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.5, 0.6{1}] }}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [1.2, 1.0{1}] }}\nlayers = 3\n\
         motion.oscillation = {{ amplitude = [0.01, 0.0{0}], frequency = 1.0 }}\n\
         [solver]\nname = \"projection\"\n{solver}\n",
        z("0.0"),
        z("0.5"),
    );
    Scene::parse("test.toml", &text).unwrap()
}

/// Runs with the poison; gives the error, and whether nothing bad could have been written before.
fn run<const D: usize>(solver: &str, poison: Poison<D>) -> (StepError, bool) {
    let scene = scene::<D>(solver);
    let (state, projection) = setup::method::<D>(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    let label = format!("{} {} {}\n{solver}", poison.phase, poison.call, poison.value);
    let mut sim = Simulation::new(&scene, state, Box::new(PoisonedSolver { projection, poison })).unwrap();
    // What observers see is what is written.
    let mut seen_finite = true;
    let found = sim.run(
        1.0,
        8,
        &mut [&mut |view: &View<'_, D>| {
            let fluid = &view.state.fluid;
            let fields = fluid.x.iter().chain(&fluid.v).chain([&fluid.rho]).map(Vec::as_slice);
            let fields = fields.chain(view.solver.field("pressure"));
            seen_finite &= fields.flatten().all(|x| x.is_finite());
            true
        }],
    );
    match found {
        Err(error) => (error, seen_finite),
        Ok(()) => panic!("not found: {label}"),
    }
}

/// Phase, field that must be named, and what of the phase's output is spoilt.
type Spoil<const D: usize> = (&'static str, &'static str, fn(&mut Cpu<'_, D>, usize, Real));

fn spoils<const D: usize>() -> Vec<Spoil<D>> {
    vec![
        ("move_walls", "wall position", |cpu, b, bad| cpu.state.walls.x[0][b] = bad),
        ("move_walls", "wall velocity", |cpu, b, bad| cpu.state.walls.v[D - 1][b] = bad),
        ("compute_alpha", "sum of weights", |cpu, i, bad| cpu.method.fields.crowd[i][3] = bad),
        ("compute_alpha", "density", |cpu, i, bad| cpu.state.fluid.rho[i] = bad),
        ("compute_divergence", "divergence", |cpu, i, bad| cpu.method.fields.sums[i][2] = bad),
        ("classify_surface", "right side", |cpu, i, bad| cpu.method.fields.equation.b[i] = bad),
        ("solve_pressure", "pressure", |cpu, i, bad| {
            cpu.method.fields.p[i] = bad;
            cpu.method.fields.record[i][7] = bad;
        }),
        // Velocities are changed in place, and whoever changes them looks at once: behind the last of them drift looks.
        ("apply_viscosity", "velocity", |cpu, i, bad| cpu.state.fluid.v[D - 1][i] = bad),
        ("update_positions", "position", |cpu, i, bad| cpu.state.fluid.x[D - 1][i] = bad),
        ("update_positions", "velocity", |cpu, i, bad| cpu.state.fluid.v[0][i] = bad),
    ]
}

fn every_phase_is_named<const D: usize>(solver: &str, calls: &[u32]) {
    for (phase, field, spoil) in spoils::<D>() {
        for (&call, value) in calls.iter().flat_map(|call| VALUES.map(|value| (call, value))) {
            let victim = Arc::default();
            let (error, outputs_are_finite) =
                run(solver, Poison { phase, call, spoil, value, victim: Arc::clone(&victim) });
            let label = format!("{phase} {call} {value}: {error}\n{solver}");
            // Behind the last phase of a step it can only be found by the next step, as its input.
            let is_last = phase == "update_positions";
            let named = if is_last { BEFORE } else { phase };
            assert_eq!((error.phase, &error.cause), (named, &Cause::NotFinite { field }), "{label}");
            assert_eq!(error.particle, victim.get().copied(), "{label}");
            assert!(is_last || outputs_are_finite, "{label}");
        }
    }
}

const VALUES: [Real; 3] = [Real::NAN, Real::INFINITY, Real::NEG_INFINITY];

#[test]
fn every_phase_is_named_by_either_gradient() {
    every_phase_is_named::<2>("", &[0, 3]);
    every_phase_is_named::<2>("preset = \"peridyno_compat\"", &[2]);
}

#[test]
fn every_phase_is_named_with_viscosity_and_levels_in_3d() {
    every_phase_is_named::<3>("dynamic_viscosity = 1.0\npreconditioner = \"multilevel\"", &[2]);
}
