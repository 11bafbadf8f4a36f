//! What the tests of all methods share that compare the planned memory of a GPU with what its fields hold.
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use super::solver::facets::prism;
use cuda_kernels::device::{
    compile::variant::Variant,
    emulator::Emulator,
    error::CudaError,
    executor::{Argument, Bytes, Executor, Launch, Memory},
};
use sph_core::{
    Real,
    error::Error,
    run::simulation::Simulation,
    scene::{Counts, Domain, Scene},
    watch::plan::MemoryPlan,
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// How a method plans.
pub type Plan = fn(&Scene, Counts) -> Result<MemoryPlan, Error>;
/// How it makes a run.
pub type Make<const D: usize> = fn(&Scene, Arc<Counting>) -> Result<Simulation<D>, Error>;

/// Executes kernels, and counts the bytes of all fields that were ever made.
#[derive(Debug, Default)]
pub struct Counting {
    emulator: Emulator,
    bytes: AtomicUsize,
}

impl Executor for Counting {
    fn variant(&self) -> Variant {
        self.emulator.variant()
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, CudaError> {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.emulator.allocate(bytes)
    }

    unsafe fn copy_in(&self, from: &Bytes, to: u64) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        unsafe { self.emulator.copy_in(from, to) }
    }

    unsafe fn copy_out(&self, from: u64, to: &mut Bytes) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        unsafe { self.emulator.copy_out(from, to) }
    }

    unsafe fn set_zero(&self, address: u64, bytes: usize) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        unsafe { self.emulator.set_zero(address, bytes) }
    }

    unsafe fn launch(&self, launch: Launch, arguments: &[Argument]) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        unsafe { self.emulator.launch(launch, arguments) }
    }
}

/// A column of water in a tank, a ball in its side, and what more the scene has.
pub fn scene<const D: usize>(spacing: f64, more: &str) -> Scene {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let text = format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 1.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.5, 0.6{1}] }}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [1.2, 1.0{1}] }}\nlayers = 3\n\
         [[wall]]\nside = \"outside\"\nlayers = 3\nshape.{3} = {{ center = [0.9, 0.4{2}], radius = 0.2 }}\n{more}\n",
        z("0.0"),
        z("0.5"),
        z("0.25"),
        if D == 2 { "disc" } else { "ball" },
    );
    Scene::parse("plan.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A disc of many facets, round in x and y.
fn round<const D: usize>(name: &str, radius: f64, z: [f64; 2]) -> String {
    let turn = |k: u32| std::f64::consts::TAU * f64::from(k) / 600.0;
    let corner = |k| [0.25 + radius * turn(k).cos(), 0.8 + radius * turn(k).sin()];
    prism::<D>(name, &(0..600).map(corner).collect::<Vec<_>>(), z)
}

/// With these lines of the solver: nothing else, a dynamic body in a container, a domain that ends beside the tank.
fn scenes<const D: usize>(spacing: f64, solver: &str) -> [(&'static str, Scene); 3] {
    let plain = scene::<D>(spacing, solver);
    let body = format!(
        "[[body]]\nshape.{}\ndensity = 500.0\n[[container]]\nshape.{}\n{solver}",
        round::<D>("float", 0.1, [0.15, 0.35]),
        round::<D>("shell", 3.0, [-3.0, 3.0]),
    );
    let mut bounded = plain.clone();
    bounded.domain =
        Some(Domain { min: vec![-0.3; D], max: [1.5, 1.2, 0.7][..D].to_vec(), periodic: Vec::new() });
    [("plain", plain), ("with a body", scene::<D>(spacing, &body)), ("bounded", bounded)]
}

/// Draws the particles around the middle of the column into one place: rows there are several times as long as all others.
fn compress<const D: usize>(run: &mut Simulation<D>) {
    let state = &mut run.state;
    let (reach, center) = ([0.0, 0.0, 7.0, 3.2][D] * state.rest.spacing, [0.25, 0.3, 0.25]);
    for i in 0..state.fluid.len() {
        let x: [f64; D] = std::array::from_fn(|a| f64::from(state.fluid.x[a][i]) - center[a]);
        if x.iter().map(|x| x * x).sum::<f64>() < f64::from(reach * reach) {
            (0..D).for_each(|a| state.fluid.x[a][i] = (center[a] + 0.1 * x[a]) as Real);
        }
    }
}

/// Planned bytes over those of all fields after the first step.
fn planned_over_held<const D: usize>(scene: &Scene, crowded: bool, make: Make<D>, plan: Plan) -> f64 {
    let counting = Arc::new(Counting::default());
    let mut run = make(scene, Arc::clone(&counting)).unwrap_or_else(|error| panic!("{error}"));
    if crowded {
        compress(&mut run);
    }
    let stepped = run.step(1.0);
    // So dense a place is refused at the end of a step, which has then taken all of its memory.
    assert!(crowded || stepped.is_ok(), "{stepped:?}");
    let counts = Counts { fluid: run.state.fluid.len() as f64, walls: run.state.walls.len() as f64 };
    plan(scene, counts).unwrap().total() / counting.bytes.load(Ordering::Relaxed) as f64
}

/// Where the plan is off by more than two percent, or five where one crowded place has the longest rows, with the table
/// `[solver]` of these lines.
pub fn wrong_plans<const D: usize>(spacing: f64, solver: &str, make: Make<D>, plan: Plan) -> Vec<String> {
    let mut wrong = Vec::new();
    let plain = scenes::<D>(spacing, solver).map(|(name, scene)| (name, scene, false));
    // Springs of crowded particles take a line for each of their entries, which in so small a scene outgrows the plan.
    let dense = (!solver.contains("spring")).then(|| ("crowded", scene::<D>(spacing, solver), true));
    for (name, scene, crowded) in plain.into_iter().chain(dense) {
        let found = planned_over_held::<D>(&scene, crowded, make, plan);
        let line = format!("{D}D {name} {solver:?}: planned / held = {found:.4}");
        println!("{line}");
        if (found - 1.0).abs() > if crowded { 0.05 } else { 0.02 } {
            wrong.push(line);
        }
    }
    wrong
}
