//! Is the planned memory the measured one, and is what does not fit refused before it is made?
//!
//! The peak is that of the process. Hence each run has one of its own, and a small run before it, after which code and
//! threads are in memory.
#![allow(clippy::print_stdout, reason = "the measured numbers")]

use crate::{common, skip::skip};
use bench_suite::{
    result::start::Start,
    run,
    system::{machine, processor::Processor},
};
use sph_core::scene::Scene;

/// A dam break of about `n` particles.
fn scene(dim: u8, n: f64, preset: &str) -> Scene {
    let z = |x: f64| if dim == 3 { format!(", {x:?}") } else { String::new() };
    let cells = if dim == 3 { 0.5 / (0.5 / n).cbrt() } else { n.sqrt() };
    let spacing = if dim == 3 { 0.5 } else { 1.0 } / cells.round();
    let (layers, offset) = if preset == "graphics" { (2, 0.7) } else { (3, 0.5) };
    let (solver, preset) = match preset {
        "graphics" | "validation" => ("wcsph", preset),
        "viscoelastic" => (preset, "standard"),
        "projection" => (preset, "consistent"),
        _ => ("pbf", preset),
    };
    let sides = if dim == 3 { ", \"z_min\", \"z_max\"" } else { "" };
    let text = format!(
        "dim = {dim}\nspacing = {spacing:?}\nrun.end_time = 1.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{}], max = [1.0, 1.0{}] }}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{}], max = [2.0, 1.5{}] }}\n\
         layers = {layers}\noffset = {offset:?}\nfaces = [\"x_min\", \"x_max\", \"y_min\"{sides}]\n\
         [solver]\nname = \"{solver}\"\npreset = \"{preset}\"\n",
        z(0.0),
        z(0.5),
        z(0.0),
        z(0.5)
    );
    Scene::parse("plan.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Settings that size something, one of each list by the digits of a seed: those of any run, and those of a method.
const SETTINGS: [&[&str]; 5] = [
    &["", "neighbors.skin = 0.2", "neighbors.skin = 1.0", "neighbors.backend = \"hash_grid\""],
    &["", "run.on_failure = \"reduce_dt\"", "run.on_failure = \"reduce_dt\"\nrun.snapshot_every = 5"],
    &["", "support_ratio = 2.6", "support_ratio = 3.2"],
    &["layers = 2", "layers = 3", "layers = 6"],
    &["", "[[body]]\nname = \"stone\"\nshape.BALL = { center = CENTER, radius = 0.1 }\ndensity = 2000.0"],
];
const OF_METHODS: [(&str, &[&str]); 4] = [
    (
        "wcsph",
        &["", "preset = \"graphics\"", "regularization = \"shifting\"", "wall_pressure = \"symmetric\""],
    ),
    ("pbf", &["", "preset = \"flex\"", "cohesion = 0.1\nadhesion = 0.1", "vorticity_confinement = 0.1"]),
    ("viscoelastic", &["", "spring_stiffness = 100.0", "relax_mode = \"jacobi\"", "viscosity_linear = 1.0"]),
    (
        "projection",
        &["", "preconditioner = \"diagonal\"", "dynamic_viscosity = 1.0", "gradient = \"peridyno\""],
    ),
];

/// A dam break of about `n` particles with settings by a seed; the skin is in spacings.
fn varied(dim: u8, n: f64, seed: usize) -> Scene {
    let mut rest = seed;
    let mut pick = |n: usize| {
        // The golden ratio scatters the seeds over all combinations.
        rest = rest.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
        rest % n
    };
    let point = |x: f64, y: f64| format!("{:?}", &[x, y, x][..usize::from(dim)]);
    let spacing = if dim == 3 { 0.5 / (0.5 * n).cbrt() } else { (0.5 / n).sqrt() };
    let [search, policy, support, layers, body] = SETTINGS.map(|all| all[pick(all.len())]);
    let (method, all) = OF_METHODS[pick(OF_METHODS.len())];
    let options = all[pick(all.len())];
    let search = match search.split_once("skin = ") {
        Some((key, skin)) => format!("{key}skin = {}", skin.parse::<f64>().unwrap() * spacing),
        None => search.to_owned(),
    };
    let body =
        body.replace("BALL", if dim == 2 { "disc" } else { "ball" }).replace("CENTER", &point(1.4, 0.3));
    let text = format!(
        "dim = {dim}\nspacing = {spacing:?}\nrun.end_time = 1.0\n{search}\n{policy}\n{support}\n\
         [[fluid]]\nshape.block = {{ min = {}, max = {:?} }}\n\
         [[wall]]\nshape.block = {{ min = {}, max = {} }}\n{layers}\n{body}\n\
         [solver]\nname = \"{method}\"\n{options}\n",
        point(0.0, 0.0),
        &[1.0, 0.5, 0.5][..usize::from(dim)],
        point(0.0, 0.0),
        point(2.0, 1.5),
    );
    Scene::parse("plan.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The scene that `SPH_PLAN_RUN` asks for, with another number of particles.
fn of_run(dim: u8, n: f64, what: &str) -> Scene {
    match what.parse() {
        Ok(seed) => varied(dim, n, seed),
        Err(_) => scene(dim, n, what),
    }
}

/// Resident memory now, `[B]`.
fn resident() -> f64 {
    assert!(machine::reset_peak_memory());
    machine::peak_memory_bytes().unwrap() as f64
}

/// Planned memory over the growth of the peak in `steps` steps.
fn planned_over_measured<const D: usize>(scene: &Scene, steps: u64) -> f64 {
    let before = resident();
    let mut simulation = common::simulation::<D>("plan", scene, &Processor::default());
    common::steps("plan", &mut simulation, steps);
    let measured = machine::peak_memory_bytes().unwrap() as f64 - before;
    let plan = Start::of(scene, &simulation, &Processor::default()).unwrap().memory;
    let (n, walls) = (simulation.state.fluid.len(), simulation.state.walls.len());
    println!(
        "{D}D {} n = {n}, walls = {walls}: planned {:.2} MB, measured {:.2} MB, {:+.1} %",
        scene.solver.preset().unwrap_or("-"),
        plan * 1e-6,
        measured * 1e-6,
        100.0 * (plan / measured - 1.0)
    );
    plan / measured
}

/// One run alone in its process: `SPH_PLAN_RUN=3D:30000:validation`.
#[test]
#[ignore = "another test starts it in a process of its own"]
fn one_run() {
    let run = std::env::var("SPH_PLAN_RUN").unwrap();
    let [dim, n, preset] = run.split(':').collect::<Vec<_>>()[..] else { panic!("{run}") };
    let (dim, n) = (dim.trim_end_matches('D').parse().unwrap(), n.parse().unwrap());
    let (small, scene) = (of_run(dim, 600.0, preset), of_run(dim, n, preset));
    // The plan is for the fluid as it is given: where it has flowed far, rows are longer. PBF make larger steps.
    let steps = if scene.solver.name() == Some("wcsph") { 60 } else { 10 };
    common::on_threads(2, || match dim {
        2 => (planned_over_measured::<2>(&small, 2), planned_over_measured::<2>(&scene, steps)),
        _ => (planned_over_measured::<3>(&small, 2), planned_over_measured::<3>(&scene, steps)),
    });
}

/// Planned and measured memory of the run of `SPH_PLAN_RUN`, in a process of its own, `[MB]`.
fn in_a_process(run: &str) -> [f64; 2] {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["run::memory_plan::one_run", "--exact", "--ignored", "--nocapture"])
        .env("SPH_PLAN_RUN", run);
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let line = output.lines().rfind(|line| line.contains(": planned")).unwrap_or_else(|| panic!("{output}"));
    println!("{line}");
    let after = |word: &str| line.split(word).nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    [after(": planned "), after(", measured ")]
}

/// What pages, stacks and the memory that the small run has left make of any run, `[MB]`: of these sizes it is 5 % of
/// the first alone.
const GRAIN: f64 = 0.125 * size_of::<sph_core::Real>() as f64;

/// `SPH_PLAN=2D:10000,3D:500000` asks for other sizes.
#[test]
fn the_plan_is_within_five_percent_of_the_peak() {
    if cfg!(debug_assertions) || machine::peak_memory_bytes().is_none() || !machine::reset_peak_memory() {
        return skip("needs a release build, and a system that tells the peak and lets it start again");
    }
    let sizes = std::env::var("SPH_PLAN").unwrap_or_else(|_| "2D:30000,3D:100000".to_owned());
    let presets = ["validation", "graphics", "standard", "fluid_demo", "viscoelastic", "projection"];
    let runs = sizes.split(',').flat_map(|size| presets.map(|preset| format!("{size}:{preset}")));
    let found: Vec<_> = runs.map(|run| (in_a_process(&run), run)).collect();
    let close = |[planned, measured]: [f64; 2]| (planned - measured).abs() <= (0.05 * measured).max(GRAIN);
    assert!(found.iter().all(|(memory, _)| close(*memory)), "{found:?}");
}

/// A run may need more than was planned by this part: settings that no figure was fitted to.
const BEYOND: f64 = 0.2;

/// `SPH_PLAN_SEEDS=200` tries more.
#[test]
fn no_setting_takes_memory_that_is_not_planned() {
    if cfg!(debug_assertions) || machine::peak_memory_bytes().is_none() || !machine::reset_peak_memory() {
        return skip("needs a release build, and a system that tells the peak and lets it start again");
    }
    let seeds = std::env::var("SPH_PLAN_SEEDS").map_or(12, |n| n.parse().unwrap());
    let runs = (0..seeds).map(|seed| format!("{}:20000:{seed}", ["2D", "3D"][seed % 2]));
    let found: Vec<_> = runs.map(|run| (in_a_process(&run), run)).collect();
    let fits = |[planned, measured]: [f64; 2]| measured <= (1.0 + BEYOND) * planned + GRAIN;
    let wrong: Vec<_> = found.iter().filter(|(memory, _)| !fits(*memory)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_made_with_what_would() {
    let scene = scene(3, 30_000.0, "validation");
    let plan = run::memory_plan(&scene, scene.estimate().unwrap(), &Processor::default()).unwrap();
    assert_eq!(plan.check(&scene, plan.total()), Ok(()));
    let error = plan.check(&scene, 0.25 * plan.total()).unwrap_err();
    let text = error.to_string();
    assert_eq!((error.key(), error.line()), (Some("spacing"), Some(2)));
    assert!(text.contains("MiB are free") && text.contains("would fit"), "{text}");
    // The spacing that would fit does.
    let fits = text.split("a spacing of ").nth(1).unwrap().split(' ').next().unwrap();
    let mut coarser = scene.clone();
    coarser.spacing = fits.parse().unwrap();
    let smaller = run::memory_plan(&coarser, coarser.estimate().unwrap(), &Processor::default()).unwrap();
    assert_eq!(smaller.check(&coarser, 0.25 * plan.total()), Ok(()));
}

/// What emitters give at most: layers one spacing apart, as long as they flow or until their limit.
#[test]
fn what_emitters_give_is_bounded() {
    let emitted = |more: &str| {
        let text = format!(
            "dim = 2\nspacing = 0.01\nrun.end_time = 2\n[[command]]\nat = 1\nemitter = {{ center = [0, 0], direction = [1, 0], \
             radius = 0.05, speed = 0.5{more} }}\n[solver]\nname = \"pbf\"\n"
        );
        Scene::parse("tap", &text).unwrap().emitted()
    };
    assert!((emitted("") - 51.0 * 10.0).abs() < 1e-6, "{}", emitted(""));
    assert!((emitted(", duration = 0.1") - 6.0 * 10.0).abs() < 1e-6);
    assert!((emitted(", limit = 7") - 7.0).abs() < 1e-9);
}
