//! Laws of samples on a GPU, whose kernels the processor executes here: they have the bits of samples of a state that was copied
//! as a whole, and copy less of it.

use crate::run::measures::bits;
use bench_suite::{scenes::methods::solver_of, system::clock::SystemClock};
use cuda_kernels::device::{
    compile::variant::Variant,
    emulator::Emulator,
    error::CudaError,
    executor::{Argument, Bytes, Executor, Launch, Memory},
};
use sph_core::{
    method::report::StepReport,
    run::{
        checkpoint::{self, Checkpoint},
        simulation::Simulation,
    },
    scene::Scene,
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Executes kernels, and counts the bytes of all fields that were ever made, and those that are copied to the host.
#[derive(Debug, Default)]
struct Listening {
    emulator: Emulator,
    made: AtomicUsize,
    brought: AtomicUsize,
}

impl Executor for Listening {
    fn variant(&self) -> Variant {
        self.emulator.variant()
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, CudaError> {
        self.made.fetch_add(bytes, Ordering::Relaxed);
        self.emulator.allocate(bytes)
    }

    unsafe fn copy_in(&self, from: &Bytes, to: u64) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        unsafe { self.emulator.copy_in(from, to) }
    }

    unsafe fn copy_out(&self, from: u64, to: &mut Bytes) -> Result<(), CudaError> {
        self.brought.fetch_add(to.len(), Ordering::Relaxed);
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

/// The methods, each with a field that it has beside velocity and density, if there is one.
const METHODS: [(&str, &str); 4] =
    [("wcsph", "pressure"), ("pbf", "lambda"), ("viscoelastic", "speed"), ("projection", "pressure")];

/// A point, in 3D in the middle of the depth.
fn at<const D: usize>(x: f64, y: f64) -> String {
    format!("{:?}", &[x, y, 0.25][..D])
}

fn block<const D: usize>([x, y]: [f64; 2], [x_1, y_1]: [f64; 2], [z, z_1]: [f64; 2]) -> String {
    format!("block = {{ min = {:?}, max = {:?} }}", &[x, y, z][..D], &[x_1, y_1, z_1][..D])
}

/// Water in a tank that moves, with a bed behind its floor, a paddle that turns in it and a float above it, in gravity and a
/// central force. Of more than one block of sums.
fn scene<const D: usize>(method: &str, measures: &str) -> Scene {
    let paddle = block::<D>([0.45, 0.2], [0.55, 0.4], [0.1, 0.4]);
    let text = format!(
        "dim = {D}\nspacing = {spacing}\nrun.end_time = 1.0\nforces.central = {{ center = {middle}, strength = 0.7 }}\n\
         [[fluid]]\nshape.{water}\ncut = [{{ {paddle} }}]\nvelocity.uniform = {velocity}\npressure.hydrostatic = {{ surface = \
         0.6 }}\n[[wall]]\nname = \"tank\"\nshape.{tank}\nfaces = {faces}\nlayers = 3\nmotion.translation = {{ velocity = \
         {velocity} }}\n[[container]]\nshape.half_space = {{ point = {bed}, normal = {down:?} }}\n[[wall]]\nname = \"paddle\"\nside = \"outside\"\nlayers = 2\nshape.{paddle}\nmotion.rotation = {{ center = \
         {middle}, angular_velocity = 0.5 }}\n[[body]]\nname = \"float\"\ndensity = 500.0\nshape.{float}\n{measures}\n[solver]\nname \
         = \"{method}\"\n",
        spacing = if D == 2 { 0.01 } else { 0.05 },
        middle = at::<D>(0.5, 0.3),
        bed = at::<D>(0.0, 0.0),
        down = &[0.0, -1.0, 0.0][..D],
        water = block::<D>([0.0, 0.0], [1.0, 0.6], [0.0, 0.5]),
        tank = block::<D>([0.0, 0.0], [1.0, 1.0], [0.0, 0.5]),
        float = block::<D>([0.4, 0.65], [0.6, 0.85], [0.15, 0.35]),
        velocity = format!("{:?}", &[0.3, 0.0, 0.0][..D]),
        faces = if D == 2 {
            "[\"x_min\", \"x_max\", \"y_min\"]"
        } else {
            "[\"x_min\", \"x_max\", \"y_min\", \"z_min\", \"z_max\"]"
        },
    );
    Scene::parse("tank", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn measure(name: &str, what: &str) -> String {
    format!("[[measure]]\nname = \"{name}\"\ninterval = 1e-5\n{what}\n")
}

/// A measure of each kind in each step, of `field`.
fn of_each_kind<const D: usize>(field: &str) -> String {
    let normal = format!("{:?}", &[1.0, 0.0, 0.0][..D]);
    let line = |x, low, high| format!("from = {}, to = {}", at::<D>(x, low), at::<D>(x, high));
    let foot = at::<D>(1.0, 0.0);
    let kinds = [
        ("sensor", format!("probe = {{ at = {}, field = \"{field}\", diameter = 0.1, normal = {normal} }}", at::<D>(1.0, 0.2))),
        ("velocity", format!("probe = {{ at = {}, field = \"velocity\" }}", at::<D>(0.8, 0.5))),
        ("density", format!("profile = {{ {}, points = 9, field = \"density\" }}", line(0.3, 0.0, 0.6))),
        ("at a wall", format!("gauge = {{ {} }}", line(0.0, 0.0, 0.9))),
        ("at paddle and float", format!("gauge = {{ {} }}", line(0.44, 0.0, 0.9))),
        ("flow", format!("flow = {{ at = {}, normal = {normal}, radius = 0.1 }}", at::<D>(0.7, 0.2))),
        ("float", "body = \"float\"".to_owned()),
        ("force on the float", "force = { on = \"float\" }".to_owned()),
        ("force on the bed", format!("force = {{ on = \"container[0]\", about = {foot} }}")),
        ("force on the tank", format!("force = {{ on = \"tank\", about = {foot} }}")),
        (
            "totals",
            "totals = [\"kinetic_energy\", \"potential_energy\", \"internal_energy\", \"total_energy\", \"momentum\", \
             \"angular_momentum\", \"volume\", \"center\", \"extent\", \"particles\", \"largest_speed\", \"density_error\", \
             \"time_step\", \"iterations\"]"
                .to_owned(),
        ),
    ];
    kinds.iter().map(|(name, what)| measure(name, what)).collect()
}

/// A run of the scene on a GPU.
fn on_gpu<const D: usize>(scene: &Scene) -> (Simulation<D>, Arc<Listening>) {
    let gpu = Arc::new(Listening::default());
    let run = solver_of(scene).unwrap().simulation_on(scene, gpu.clone(), Box::new(SystemClock::default()));
    (run.unwrap_or_else(|error| panic!("{error}")), gpu)
}

/// Steps up to the one of this number with a sample after each, before which `whole` copies all of the state. Returns the bytes
/// that each sample has copied to the host.
fn sampled<const D: usize>(
    (run, gpu): (&mut Simulation<D>, &Listening),
    steps: u64,
    whole: bool,
) -> Vec<usize> {
    let mut report = StepReport::default();
    let mut brought = Vec::new();
    loop {
        let before = gpu.brought.load(Ordering::Relaxed);
        if whole {
            run.fetch().unwrap();
        }
        run.measure(&report).unwrap();
        brought.push(gpu.brought.load(Ordering::Relaxed) - before);
        if run.state.step >= steps {
            return brought;
        }
        report = run.step(f64::INFINITY).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Samples of a measure of each kind with the bits of the whole copy, on a share of its bytes, and through a restart.
fn check<const D: usize>(method: &str, field: &str) {
    let scene = scene::<D>(method, &of_each_kind::<D>(field));
    let ((mut run, gpu), (mut whole, all)) = (on_gpu::<D>(&scene), on_gpu::<D>(&scene));
    let brought = sampled((&mut run, &gpu), 2, false);
    let copied = sampled((&mut whole, &all), 2, true);
    assert!(run.state.fluid.len() > 2048 && run.measures.series().all(|series| series.t.len() == 3));
    for (one, other) in run.measures.series().zip(whole.measures.series()) {
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&one.values), bits(&other.values), "{D}D {method} {}: {one:?} {other:?}", one.name);
    }
    run.fetch().unwrap();
    assert_eq!(run.state.hash(), whole.state.hash(), "{D}D {method}: a sample changes no bit");
    for (brought, copied) in brought.iter().zip(copied).skip(1) {
        assert!(3 * brought < copied, "{D}D {method}: {brought} of {copied} bytes");
    }

    let ((mut half, gpu), (mut again, on)) = (on_gpu::<D>(&scene), on_gpu::<D>(&scene));
    sampled((&mut half, &gpu), 1, false);
    let mut bytes = Vec::new();
    checkpoint::write(&mut half, "", "test", &mut bytes).unwrap();
    Checkpoint::read(&mut &bytes[..], bytes.len() as u64).unwrap().restore(&mut again).unwrap();
    sampled((&mut again, &on), 2, false);
    assert_eq!(bits(&again), bits(&run), "{D}D {method} through a restart");
}

#[test]
fn samples_have_the_bits_of_the_whole_copy_in_2d() {
    METHODS.iter().for_each(|(method, field)| check::<2>(method, field));
}

/// A formula sees the velocities, densities and pressures of the device, whenever it was copied last.
#[test]
fn statistics_have_the_bits_of_the_whole_copy() {
    for (method, field) in METHODS {
        let p = if field == "pressure" { " + p" } else { "" };
        let formula = format!("statistic = {{ formula = \"rho*(u^2 + y) + t{p}\", take = \"rms\" }}");
        let scene = scene::<2>(method, &measure("one", &formula));
        let [picked, whole] = [false, true].map(|whole| {
            let (mut run, gpu) = on_gpu::<2>(&scene);
            sampled((&mut run, &gpu), 2, whole);
            run
        });
        assert_eq!(bits(&picked), bits(&whole), "{method}");
        let last = picked.measures.series().next().unwrap().values[2];
        assert!(last.is_finite() && last > 0.0, "{method}: {last}");
    }
}

#[test]
fn samples_have_the_bits_of_the_whole_copy_in_3d() {
    METHODS.iter().for_each(|(method, field)| check::<3>(method, field));
}

/// A wall that comes to a gauge is where the device has it, not where the last copy of the state was.
#[test]
fn a_gauge_sees_walls_that_have_moved_since_the_last_copy() {
    let gauge = measure("level", "gauge = { from = [0.08, 0.0], to = [0.08, 0.9] }");
    let text = format!(
        "spacing = 0.05\nrun.end_time = 0.5\nrun.time_step = 0.005\n[[fluid]]\nshape.block = {{ min = [0, 0], max = [1, 0.6] \
         }}\nvelocity.uniform = [1, 0]\n[[wall]]\nshape.block = {{ min = [0, 0], max = [1, 1] }}\nfaces = [\"x_min\", \"x_max\", \
         \"y_min\"]\nlayers = 3\nmotion.translation = {{ velocity = [1, 0] }}\n{gauge}[solver]\nname = \"pbf\"\n"
    );
    let scene = Scene::parse("moving", &text).unwrap_or_else(|error| panic!("{error}"));
    let [picked, whole] = [false, true].map(|whole| {
        let (mut run, gpu) = on_gpu::<2>(&scene);
        sampled((&mut run, &gpu), 12, whole);
        run
    });
    assert_eq!(bits(&picked), bits(&whole));
    let level = picked.measures.series().next().unwrap().rows().last().unwrap().1[0];
    // PBF lifts its surface by 0.3 to 0.6 spacings in this time, in a tank at rest, too.
    assert!((level - 0.6).abs() < 0.05, "{level} m, beside a wall that has come near");
}

/// The bytes that a sample of one measure copies to the host, and those of the whole state.
fn bytes_of(what: &str) -> [usize; 2] {
    let scene = scene::<2>("wcsph", &measure("one", what));
    [false, true].map(|whole| {
        let (mut run, gpu) = on_gpu::<2>(&scene);
        sampled((&mut run, &gpu), 1, whole)[1]
    })
}

#[test]
fn a_sample_copies_what_it_reads_and_no_more() {
    let real = size_of::<sph_core::Real>();
    let [of_float, whole] = bytes_of("body = \"float\"");
    assert_eq!(of_float, 0, "a body is at hand");
    assert!(whole > 100_000, "{whole}");
    let [of_velocity, _] = bytes_of("probe = { at = [0.8, 0.5], field = \"velocity\" }");
    let [of_pressure, _] = bytes_of("probe = { at = [0.8, 0.5], field = \"pressure\" }");
    // Two numbers of the place, and one or two of the field; the count of particles comes before.
    let listed = (of_pressure - 4) / (3 * real);
    assert_eq!((of_pressure, of_velocity), (4 + 3 * real * listed, 4 + 4 * real * listed));
    assert!((20..200).contains(&listed), "{listed} particles");
    let [of_volume, _] = bytes_of("totals = [\"volume\"]");
    assert_eq!(of_volume, 3 * 15 * 8, "sums of three blocks");
    let [of_steps, _] = bytes_of("totals = [\"particles\", \"time_step\"]");
    assert_eq!(of_steps, 0, "steps are at hand");
    let [of_formula, all] = bytes_of("statistic = { formula = \"rho*u + p\", take = \"largest\" }");
    assert_eq!(of_formula, all, "a formula reads all particles");
    let [of_surface, all] = bytes_of("totals = [\"surface_area\", \"disorder\"]");
    assert_eq!(of_surface, all, "neighbors of all particles are those of the whole state");
}

/// Also what all samples hold on the GPU from the first on is planned.
#[test]
fn the_memory_of_samples_is_planned() {
    let planned = |measures: &str| {
        let scene = scene::<2>("wcsph", measures);
        let plan = solver_of(&scene).unwrap().gpu_memory;
        plan(&scene, scene.estimate().unwrap()).unwrap().total() as usize
    };
    let scene = scene::<2>("wcsph", &of_each_kind::<2>("pressure"));
    let (mut run, gpu) = on_gpu::<2>(&scene);
    let report = run.step(f64::INFINITY).unwrap();
    let before = gpu.made.load(Ordering::Relaxed);
    run.measure(&report).unwrap();
    let made = gpu.made.load(Ordering::Relaxed) - before;
    let of_samples = planned(&measure("one", "totals = [\"volume\"]")) - planned("");
    assert!((1..=of_samples).contains(&made), "{made} bytes, {of_samples} planned");
    let report = run.step(f64::INFINITY).unwrap();
    let before = gpu.made.load(Ordering::Relaxed);
    run.measure(&report).unwrap();
    let more = gpu.made.load(Ordering::Relaxed) - before;
    assert!(more < 200, "{more} bytes for the second sample: the map is kept");
}
