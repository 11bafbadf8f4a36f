//! Fault injection: NaN and infinity after each phase in turn: every one is found before it reaches an output, and its
//! field, phase and particle are named. What the state holds between two steps is spoilt in [`super::failing`]; here it
//! is what phases hand to each other, and what a method keeps.

use sph_core::{
    Real,
    error::Error,
    method::{
        failure::{BEFORE, Cause, StepError},
        observer::View,
        state::State,
        stopwatch::{Clock, NoClock},
    },
    numerics::lane::Isa,
    run::simulation::Simulation,
    scene::Scene,
};
use std::{
    any::Any,
    sync::{Arc, OnceLock},
};

pub const VALUES: [Real; 3] = [Real::NAN, Real::INFINITY, Real::NEG_INFINITY];

/// Spoils what is near particle or wall sample `i`.
pub type Spoil<M, const D: usize> = fn(&mut M, &mut State<D>, usize, Real);

/// What is done behind which call of a phase, counted over the whole run.
pub struct Fault<M, const D: usize> {
    pub phase: &'static str,
    pub call: u32,
    pub spoil: Spoil<M, D>,
    pub value: Real,
    pub on_wall: bool,
}

/// How a run of a method is made.
pub type Make<const D: usize> = fn(&Scene, Isa, Box<dyn Clock>) -> Result<Simulation<D>, Error>;

/// What became of a run with a fault.
pub struct Outcome {
    pub error: StepError,
    /// False when something bad could have been written before.
    pub outputs_are_finite: bool,
    /// True when the particle that is blamed holds a number that is not finite.
    pub is_spoilt: bool,
    /// Id of the particle, or of the wall sample, that was spoilt.
    pub victim: Option<u64>,
}

/// One with neighbors and walls around: under the body, or else in the corner.
fn victim<const D: usize>(state: &State<D>, on_wall: bool) -> (usize, u64) {
    let under_the_body: [Real; D] = std::array::from_fn(|a| if a == 1 { 0.55 } else { 0.25 });
    let spot = if state.bodies.is_empty() { [0.05; D] } else { under_the_body };
    let (x, id) = match on_wall {
        true => (&state.walls.x, &state.walls.id),
        false => (&state.fluid.x, &state.fluid.id),
    };
    let far = |i: usize| (0..D).map(|a| (x[a][i] - spot[a]).powi(2)).sum::<Real>();
    let i = (0..x[0].len()).min_by(|&i, &j| far(i).total_cmp(&far(j))).unwrap_or(0);
    (i, id[i])
}

pub fn run<M: 'static, const D: usize>(
    scene: &Scene,
    make: Make<D>,
    fault: Fault<M, D>,
    label: &str,
) -> Outcome {
    let mut sim = make(scene, Isa::best(), Box::new(NoClock)).unwrap();
    let spoilt = Arc::new(OnceLock::new());
    let (found, mut calls) = (Arc::clone(&spoilt), 0);
    sim.solver.watch(Some(Box::new(move |method, state, phase| {
        calls += u32::from(phase == fault.phase);
        if phase == fault.phase && calls == fault.call + 1 {
            let (i, id) = victim(state, fault.on_wall);
            found.get_or_init(|| id);
            (fault.spoil)((method as &mut dyn Any).downcast_mut().unwrap(), state, i, fault.value);
        }
    })));
    // What observers see is what is written.
    let mut outputs_are_finite = true;
    let stopped = sim.run(
        1.0,
        8,
        &mut [&mut |view: &View<'_, D>| {
            let State { fluid, walls, bodies, .. } = view.state;
            let fields = fluid.x.iter().chain(&fluid.v).chain([&fluid.rho]).chain(&walls.x).chain(&walls.v);
            let shown = view.solver.fields().iter().filter_map(|field| view.solver.field(field.name));
            let is_computed = view.state.step > 0;
            outputs_are_finite &= fields.flatten().all(|x| x.is_finite());
            outputs_are_finite &= !is_computed || shown.flatten().all(|x| x.is_finite());
            outputs_are_finite &= bodies.list.iter().all(|body| body.is_finite());
            true
        }],
    );
    let Err(error) = stopped else { panic!("not found: {label}") };
    let (state, chain) = (&sim.state, sim.solver.chain(&sim.state));
    let is_spoilt = |i: usize| {
        let fields = state.fluid.x.iter().chain(&state.fluid.v);
        !fields.map(|x| x[i]).all(Real::is_finite) || chain.iter().any(|link| !(link.is_finite)(i))
    };
    let blamed = error.particle.and_then(|id| state.fluid.id.iter().position(|other| *other == id));
    let is_spoilt = blamed.is_some_and(is_spoilt);
    Outcome { error, outputs_are_finite, is_spoilt, victim: spoilt.get().copied() }
}

/// A dam of some hundred particles in a tank that shakes, with `more` in the scene.
pub fn scene<const D: usize>(more: &str, name: &str, solver: &str) -> Scene {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let text = format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 1.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.5, 0.6{1}] }}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [1.2, 1.0{1}] }}\nlayers = 3\n\
         motion.oscillation = {{ amplitude = [0.01, 0.0{0}], frequency = 1.0 }}\n{more}\n\
         [solver]\nname = \"{name}\"\n{solver}\n",
        z("0.0"),
        z("0.5"),
    );
    Scene::parse("test.toml", &text).unwrap()
}

/// Phase, field that must be named, and what of the phase's output is spoilt.
pub type Case<M, const D: usize> = (&'static str, &'static str, Spoil<M, D>);

/// Each fault is named with its phase and particle, and nothing bad is written. Behind the last phase of a step, of which
/// `is_last` tells by its name and call, it can only be found by the next step, as its input.
pub fn every_phase_is_named<M: 'static, const D: usize>(
    make: Make<D>,
    scene: &Scene,
    cases: &[Case<M, D>],
    calls: &[u32],
    is_last: impl Fn(&str, u32) -> bool,
) {
    for &(phase, field, spoil) in cases {
        for (&call, value) in calls.iter().flat_map(|call| VALUES.map(|value| (call, value))) {
            let label = format!("{phase} {call} {value}\n{:?}", scene.solver);
            let on_wall = matches!(phase, "move_walls" | "extrapolate_to_walls");
            let outcome = run(scene, make, Fault { phase, call, spoil, value, on_wall }, &label);
            let (error, is_last) = (outcome.error, is_last(phase, call));
            let label = format!("{error}\n{label}");
            let named = if is_last { BEFORE } else { phase };
            assert_eq!((error.phase, &error.cause), (named, &Cause::NotFinite { field }), "{label}");
            assert_eq!(error.particle, outcome.victim, "{label}");
            assert!(is_last || outcome.outputs_are_finite, "{label}");
            assert_eq!(is_last, error.line().contains("was not finite when"), "{label}");
        }
    }
}
