//! Numbers that are not finite, put behind each phase in turn: every one is found before it reaches an output,
//! and its field, phase and particle are named.

use super::Cpu;
use crate::{Wcsph, setup, step, step::Phases};
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
                let on_wall = matches!(phase, "move_walls" | "extrapolate_to_walls");
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

            fn is_first_step(&self) -> bool {
                self.cpu.is_first_step()
            }

            fn report(&mut self, dt: f64) -> StepReport {
                self.cpu.report(dt)
            }
        }
    };
}
phases! {
    move_walls(dt: f64);
    find_neighbors();
    compute_density(dt: f64);
    compute_pressure();
    extrapolate_to_walls();
    compute_acceleration();
    compute_reaction();
    compute_drift_correction();
    kick(dt: f64);
    drift(dt: f64);
}

struct PoisonedSolver<const D: usize> {
    wcsph: Wcsph<D>,
    poison: Poison<D>,
}

impl<const D: usize> Solver<D> for PoisonedSolver<D> {
    fn step(&mut self, state: &mut State<D>, dt: f64) -> Result<StepReport, StepError> {
        let integrator = self.wcsph.params.integrator;
        let cpu = Cpu { wcsph: &mut self.wcsph, state, dt };
        step::step(&mut Poisoned { cpu, poison: &mut self.poison }, integrator, dt)
    }

    fn max_dt(&mut self, state: &State<D>) -> Result<f64, StepError> {
        self.wcsph.max_dt(state)
    }

    fn name(&self) -> &'static str {
        self.wcsph.name()
    }

    fn support_radius(&self) -> Real {
        self.wcsph.support_radius()
    }

    fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.wcsph.memory(visit);
    }

    fn fluid_changed(&mut self) {
        self.wcsph.fluid_changed();
    }

    fn walls_changed(&mut self) {
        self.wcsph.walls_changed();
    }

    fn check_parameter(&self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.wcsph.check_parameter(name, value)
    }

    fn set_parameter(&mut self, name: &str, value: &toml::Value) -> Result<(), Error> {
        self.wcsph.set_parameter(name, value)
    }

    fn restored(&mut self, state: &State<D>) {
        self.wcsph.restored(state);
    }

    fn chain<'a>(&'a self, state: &'a State<D>) -> Vec<Link<'a>> {
        self.wcsph.chain(state)
    }

    fn sound_speed(&self) -> Option<f64> {
        self.wcsph.sound_speed()
    }

    fn field(&self, name: &str) -> Option<&[Real]> {
        self.wcsph.field(name)
    }

    fn neighbors(&self) -> &Neighbors<D> {
        self.wcsph.neighbors()
    }

    fn derived(&self, state: &State<D>) -> Derived {
        self.wcsph.derived(state)
    }

    fn stopwatch(&self) -> &Stopwatch {
        self.wcsph.stopwatch()
    }

    fn reset_stopwatch(&mut self) {
        self.wcsph.reset_stopwatch();
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
         [solver]\nname = \"wcsph\"\n{solver}\n",
        z("0.0"),
        z("0.5"),
    );
    Scene::parse("test.toml", &text).unwrap()
}

/// Runs with the poison; gives the error, and whether nothing bad could have been written before.
fn run<const D: usize>(solver: &str, poison: Poison<D>) -> (StepError, bool) {
    let scene = scene::<D>(solver);
    let (state, wcsph) = setup::method(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    let label = format!("{} {} {}\n{solver}", poison.phase, poison.call, poison.value);
    let mut sim = Simulation::new(&scene, state, Box::new(PoisonedSolver { wcsph, poison })).unwrap();
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
        ("compute_density", "density", |cpu, i, bad| cpu.state.fluid.rho[i] = bad),
        ("compute_pressure", "pressure", |cpu, i, bad| {
            cpu.wcsph.fields.p[i] = bad;
            cpu.wcsph.fields.record[i][3] = bad;
        }),
        ("extrapolate_to_walls", "wall pressure or velocity", |cpu, b, bad| {
            cpu.wcsph.fields.wall_record[b][3] = bad;
        }),
        ("compute_acceleration", "acceleration", |cpu, i, bad| cpu.wcsph.fields.a[0][i] = bad),
        ("compute_acceleration", "acceleration", |cpu, i, bad| cpu.wcsph.fields.a[D - 1][i] = bad),
        ("compute_drift_correction", "drift correction", |cpu, i, bad| cpu.wcsph.fields.w[D - 1][i] = bad),
        ("kick", "velocity", |cpu, i, bad| cpu.state.fluid.v[D - 1][i] = bad),
        ("drift", "position", |cpu, i, bad| cpu.state.fluid.x[0][i] = bad),
    ]
}

fn every_phase_is_named<const D: usize>(solver: &str, calls: &[u32]) {
    let euler = solver.contains("symplectic_euler") || solver.contains("graphics");
    for (phase, field, spoil) in spoils::<D>() {
        // Only some methods have these.
        let is_absent = (field == "drift correction" && !solver.contains("xsph"))
            || (phase == "extrapolate_to_walls" && solver.contains("graphics"));
        if is_absent {
            continue;
        }
        for (&call, value) in calls.iter().flat_map(|call| VALUES.map(|value| (call, value))) {
            let victim = Arc::default();
            let (error, outputs_are_finite) =
                run(solver, Poison { phase, call, spoil, value, victim: Arc::clone(&victim) });
            let label = format!("{phase} {call} {value}: {error}\n{solver}");
            // Behind the last phase of a step it can only be found by the next step, as its input.
            let is_last = if euler { phase == "drift" } else { phase == "kick" && call % 2 == 1 };
            let named = if is_last { BEFORE } else { phase };
            assert_eq!((error.phase, &error.cause), (named, &Cause::NotFinite { field }), "{label}");
            assert_eq!(error.particle, victim.get().copied(), "{label}");
            assert!(is_last || outputs_are_finite, "{label}");
            assert!(is_last == error.line().contains("was not finite when"), "{label}");
        }
    }
}

const VALUES: [Real; 3] = [Real::NAN, Real::INFINITY, Real::NEG_INFINITY];

#[test]
fn every_phase_is_named_by_either_integrator_and_density() {
    for integrator in ["velocity_verlet", "symplectic_euler"] {
        for density in ["continuity\"", "summation\"\ndelta_sph = 0.0"] {
            let solver = format!("integrator = \"{integrator}\"\ndensity = \"{density}\nxsph = 0.2");
            every_phase_is_named::<2>(&solver, &[0, 3]);
        }
    }
}

#[test]
fn every_phase_is_named_by_either_preset_in_3d() {
    every_phase_is_named::<3>("xsph = 0.2", &[2]);
    every_phase_is_named::<3>("preset = \"graphics\"\nxsph = 0.2", &[2]);
}
