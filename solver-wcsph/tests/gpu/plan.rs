//! Is the planned memory of a card what its fields hold?

use cuda_kernels::{
    emulator::Emulator,
    error::CudaError,
    executor::{Argument, Executor, Field, In, Launch, Out, Plain},
};
use solver_wcsph::gpu;
use sph_core::{
    backend::Host,
    plan::Counts,
    scene::{Domain, Scene},
    solver::NoClock,
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Executes kernels, and counts the bytes of all fields that were ever made.
#[derive(Debug, Default)]
struct Counting {
    emulator: Emulator,
    bytes: AtomicUsize,
}

impl Counting {
    fn count<T>(&self, n: usize) {
        self.bytes.fetch_add(n * size_of::<T>(), Ordering::Relaxed);
    }
}

impl Executor for Counting {
    type Memory = Host;

    fn zeros<T: Plain>(&self, n: usize) -> Result<Field<Self, T>, CudaError> {
        self.count::<T>(n);
        self.emulator.zeros(n)
    }

    fn upload<T: Plain>(&self, values: &[T]) -> Result<Field<Self, T>, CudaError> {
        self.count::<T>(values.len());
        self.emulator.upload(values)
    }

    fn download<T: Plain>(&self, field: &Field<Self, T>) -> Result<Vec<T>, CudaError> {
        self.emulator.download(field)
    }

    fn write<T: Plain>(&self, values: &[T], field: &mut Field<Self, T>) -> Result<(), CudaError> {
        self.emulator.write(values, field)
    }

    fn read<T: Plain>(&self, field: &Field<Self, T>, values: &mut [T]) -> Result<(), CudaError> {
        self.emulator.read(field, values)
    }

    fn clear<T: Plain>(&self, field: &mut Field<Self, T>) -> Result<(), CudaError> {
        self.emulator.clear(field)
    }

    fn len<T: Plain>(&self, field: &Field<Self, T>) -> usize {
        field.len()
    }

    fn input<T: Plain>(&self, field: &Field<Self, T>) -> In<T> {
        self.emulator.input(field)
    }

    fn output<T: Plain>(&self, field: &mut Field<Self, T>) -> Out<T> {
        self.emulator.output(field)
    }

    unsafe fn launch(&self, launch: Launch, arguments: &[Argument]) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        unsafe { self.emulator.launch(launch, arguments) }
    }
}

/// A column of water in a tank, a ball in its side, and what more the scene has.
fn scene<const D: usize>(spacing: f64, more: &str) -> Scene {
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

/// Planned bytes over those of all fields after the first step.
fn planned_over_held<const D: usize>(scene: &Scene) -> f64 {
    let counting = Arc::new(Counting::default());
    let mut run = gpu::simulation::<D, _>(scene, Arc::clone(&counting), Box::new(NoClock)).unwrap();
    run.step(1.0).unwrap_or_else(|error| panic!("{error}"));
    let counts = Counts { fluid: run.state.fluid.len() as f64, walls: run.state.walls.len() as f64 };
    let plan = gpu::memory_plan(scene, counts).unwrap();
    plan.total() / counting.bytes.load(Ordering::Relaxed) as f64
}

/// What decides which fields there are.
const SOLVERS: [&str; 5] =
    ["", "delta_sph = 0.0", "preset = \"graphics\"", "xsph = 0.1", "regularization = \"shifting\""];

const BODY: [&str; 2] =
    ["disc = { center = [0.25, 0.8], radius = 0.1 }", "ball = { center = [0.25, 0.8, 0.25], radius = 0.1 }"];

/// With the solver of the row: nothing else, a dynamic body, a domain that ends beside the tank.
fn scenes<const D: usize>(spacing: f64, solver: &str) -> [(&'static str, Scene); 3] {
    let solver = format!("[solver]\nname = \"wcsph\"\n{solver}");
    let plain = scene::<D>(spacing, &solver);
    let body = format!("[[body]]\nshape.{}\ndensity = 500.0\n{solver}", BODY[D - 2]);
    let mut bounded = plain.clone();
    bounded.domain =
        Some(Domain { min: vec![-0.3; D], max: [1.5, 1.2, 0.7][..D].to_vec(), periodic: Vec::new() });
    [("plain", plain), ("with a body", scene::<D>(spacing, &body)), ("bounded", bounded)]
}

#[test]
fn the_plan_of_the_card_is_within_two_percent_of_its_fields() {
    let mut wrong = Vec::new();
    for solver in SOLVERS {
        let flat = scenes::<2>(0.01, solver).map(|(name, scene)| (2, name, planned_over_held::<2>(&scene)));
        let solid = scenes::<3>(0.04, solver).map(|(name, scene)| (3, name, planned_over_held::<3>(&scene)));
        for (dim, name, found) in flat.into_iter().chain(solid) {
            println!("{dim}D {name} {solver:?}: planned / held = {found:.4}");
            if (found - 1.0).abs() > 0.02 {
                wrong.push((dim, name, solver, found));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_card_with_too_little_memory_is_named_in_the_refusal() {
    let scene = scene::<3>(0.04, "");
    let plan = gpu::memory_plan(&scene, scene.estimate().unwrap()).unwrap();
    assert_eq!(plan.check_in("memory of cuda:0", &scene, plan.total()), Ok(()));
    let error = plan.check_in("memory of cuda:0", &scene, 0.5 * plan.total()).unwrap_err().to_string();
    assert!(error.contains("MiB of memory of cuda:0") && error.contains("would fit"), "{error}");
}
