//! Are frames what the run was, whoever reads them, and is none ever lost?
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used, reason = "helpers of tests")]

use super::python;

use bench_suite::{
    output::{AnyFrame, Every, Format, Settings, Stream, frame_name, read_vtu},
    run,
    system::processor::Processor,
};
use serde_json::{Value, json};
use sph_core::{
    Real,
    method::{
        observer::{Observer, View},
        report::StepReport,
    },
    run::simulation::Simulation,
    scene::Scene,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A tiny dam break; the third axis is as the first.
fn simulation<const D: usize>(more: &str) -> Simulation<D> {
    simulation_by("wcsph", more)
}

fn simulation_by<const D: usize>(method: &str, more: &str) -> Simulation<D> {
    let corner = |x: f64| format!("{:?}", [x; D]);
    let (zero, half, one) = (corner(0.0), corner(0.5), corner(1.0));
    let text = format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 1.0\n\
         [[fluid]]\nshape.block = {{ min = {zero}, max = {half} }}\n\
         [[wall]]\nshape.block = {{ min = {zero}, max = {one} }}\nlayers = 3\n{more}\n\
         [solver]\nname = \"{method}\"\n"
    );
    run::simulation(&Scene::parse("tiny.toml", &text).unwrap(), &Processor::default()).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("output-{name}"));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn settings(folder: &Path, formats: &[Format], every: Every) -> Settings {
    Settings {
        formats: formats.to_vec(),
        every,
        fields: Vec::new(),
        color_by: "speed".into(),
        folder: folder.to_owned(),
    }
}

/// Runs up to a step with frames; returns what the stream said at its end.
fn steps<const D: usize>(
    simulation: &mut Simulation<D>,
    settings: &Settings,
    last: u64,
    observers: &mut [&mut dyn Observer<D>],
) -> Result<bench_suite::output::Spent, bench_suite::output::OutputError> {
    let mut stream = Stream::start(settings, simulation)?;
    let mut all: Vec<&mut dyn Observer<D>> = vec![&mut stream];
    observers.iter_mut().for_each(|observer| all.push(&mut **observer));
    simulation.run(f64::INFINITY, last, &mut all).unwrap();
    stream.finish()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn axes<const D: usize>(axes: &[Vec<Real>; D]) -> Value {
    json!((0..axes[0].len()).map(|i| axes.iter().map(|axis| axis[i]).collect()).collect::<Vec<Vec<Real>>>())
}

/// What a frame must hold, from the state itself.
fn expected<const D: usize>(view: &View<'_, D>) -> Value {
    let (fluid, n) = (&view.state.fluid, view.state.fluid.len());
    let rows = view.solver.neighbors();
    let counts = |lists: &sph_core::neighbors::NeighborLists| {
        (0..n).map(|i| lists.neighbors(i).count()).collect::<Vec<_>>()
    };
    let mut frame = json!({
        "step": view.state.step,
        "t": view.state.t,
        "spacing": f64::from(view.state.rest.spacing),
        "id": fluid.id,
        "x": axes(&fluid.x),
        "velocity": axes(&fluid.v),
        "density": fluid.rho,
        "pressure": view.solver.field("pressure").unwrap(),
    });
    // No step has found them before the first one.
    if view.state.step > 0 {
        frame["neighbors"] = json!(counts(&rows.fluid));
        frame["wall_neighbors"] = json!(counts(&rows.walls));
    }
    frame
}

fn check_readers<const D: usize>(name: &str) {
    let folder = folder(name);
    let mut simulation = simulation::<D>("");
    let mut frames = Vec::new();
    let mut keep = |view: &View<'_, D>| {
        if view.state.step.is_multiple_of(7) {
            frames.push(expected(view));
        }
        true
    };
    let all = [Format::Vtu, Format::Ply, Format::Csv, Format::Npz, Format::Png];
    let mut settings = settings(&folder, &all, Every::Steps(7));
    settings.fields =
        ["velocity", "density", "pressure", "neighbors", "wall_neighbors"].map(String::from).to_vec();
    steps(&mut simulation, &settings, 14, &mut [&mut keep]).unwrap();
    assert_eq!(frames.len(), 3);
    let walls = &simulation.state.walls;
    let ids = (0..walls.len()).map(|b| (walls.id[b], walls.position(b))).collect::<Vec<_>>();
    let walls: std::collections::BTreeMap<String, Vec<Real>> =
        ids.into_iter().map(|(id, x)| (id.to_string(), x.to_vec())).collect();
    let real = format!("f{}", size_of::<Real>());
    let all = json!({ "dim": D, "real": real, "frames": frames, "walls": walls });
    fs::write(folder.join("expected.json"), all.to_string()).unwrap();
    python::run("read_output.py", &folder);
}

#[test]
fn other_readers_agree_in_the_plane() {
    check_readers::<2>("readers-2d");
}

#[test]
fn other_readers_agree_in_space() {
    check_readers::<3>("readers-3d");
}

/// Frames before the first step, after it and later, in every format of numbers.
fn write_all<const D: usize>(method: &str, folder: &Path) {
    let mut settings = settings(
        &folder.join(format!("{method}-{D}d")),
        &[Format::Vtu, Format::Ply, Format::Csv, Format::Npz],
        Every::Steps(1),
    );
    settings.fields =
        ["velocity", "density", "speed", "neighbors", "wall_neighbors"].map(String::from).to_vec();
    let mut simulation = simulation_by::<D>(method, "");
    settings.fields.extend(simulation.solver.fields().iter().map(|field| field.name.into()));
    steps(&mut simulation, &settings, 3, &mut []).unwrap();
}

#[test]
fn every_frame_of_every_method_holds_numbers() {
    let folder = folder("finite");
    for method in bench_suite::scenes::methods::SOLVERS {
        write_all::<2>(method.name, &folder);
        write_all::<3>(method.name, &folder);
    }
    python::run("read_finite.py", &folder);
}

/// Only a step finds the pressure of the projection: the picture before it is drawn, without colors.
#[test]
fn a_picture_before_the_first_step_needs_no_field_of_a_step() {
    let folder = folder("first-picture");
    let mut settings = settings(&folder, &[Format::Png], Every::Steps(1));
    settings.color_by = "pressure".into();
    steps(&mut simulation_by::<2>("projection", ""), &settings, 1, &mut []).unwrap();
    assert_eq!(names(&folder).iter().filter(|name| name.ends_with(".png")).count(), 2);
}

#[test]
fn a_frame_read_back_is_the_state() {
    let folder = folder("read-back");
    let mut simulation = simulation::<3>("");
    steps(&mut simulation, &settings(&folder, &[Format::Vtu], Every::Steps(5)), 5, &mut []).unwrap();
    let AnyFrame::Three(frame) = read_vtu(&folder.join(frame_name(5, Format::Vtu))).unwrap() else {
        panic!("another dimension")
    };
    let state = &simulation.state;
    assert_eq!((frame.step, frame.t, &frame.id), (5, state.t, &state.fluid.id));
    assert_eq!((frame.spacing, &frame.x), (f64::from(state.rest.spacing), &state.fluid.x));
    let names: Vec<_> = frame.fields.iter().map(|field| (&*field.name, &*field.unit)).collect();
    assert_eq!(names, [("velocity", "m/s"), ("density", "kg/m^3"), ("neighbors", "-"), ("pressure", "Pa")]);
}

#[test]
fn the_solver_knows_every_field_that_it_names() {
    let mut simulation = simulation::<2>("");
    simulation.run(f64::INFINITY, 1, &mut []).unwrap();
    let solver = &simulation.solver;
    assert!(!solver.fields().is_empty());
    for field in solver.fields() {
        let values = solver.field(field.name).unwrap();
        assert_eq!(values.len(), simulation.state.fluid.len(), "{}", field.name);
    }
}

#[test]
fn no_frame_is_dropped_when_the_writer_is_slow() {
    let folder = folder("slow");
    let mut simulation = simulation::<2>("");
    let settings = settings(&folder, &[Format::Png, Format::Csv], Every::Steps(1));
    let spent = steps(&mut simulation, &settings, 12, &mut []).unwrap();
    assert_eq!(spent.frames, 13);
    // Pictures take longer than these steps: the run had to wait.
    assert!(spent.writing > spent.waiting && spent.waiting > 0.0, "{spent:?}");
    let pictures = (0..=12).map(|step| frame_name(step, Format::Png));
    assert!(pictures.into_iter().all(|name| folder.join(name).is_file()));
}

/// A run to step 40 in one go, and one that was stopped at 30 and went on from 20: the same files. Returns
/// whether a frame of step 20 is among them.
fn check_resume(name: &str, every: Every) -> bool {
    let [whole, parts] = ["whole", "parts"].map(|part| folder(&format!("{name}-{part}")));
    let formats = [Format::Vtu, Format::Npz];
    steps(&mut simulation::<2>(""), &settings(&whole, &formats, every), 40, &mut []).unwrap();
    let settings = settings(&parts, &formats, every);
    steps(&mut simulation::<2>(""), &settings, 30, &mut []).unwrap();
    let mut resumed = simulation::<2>("");
    resumed.run(f64::INFINITY, 20, &mut []).unwrap();
    steps(&mut resumed, &settings, 40, &mut []).unwrap();
    let found = names(&whole);
    assert!(found.len() >= 8, "{found:?}");
    assert_eq!(found, names(&parts));
    for name in &found {
        assert!(fs::read(whole.join(name)).unwrap() == fs::read(parts.join(name)).unwrap(), "{name}");
    }
    found.contains(&frame_name(20, Format::Vtu))
}

#[test]
fn a_resumed_run_leaves_the_same_files_by_steps() {
    assert!(check_resume("resume-steps", Every::Steps(10)));
    assert!(!check_resume("resume-steps", Every::Steps(8)));
}

#[test]
fn a_resumed_run_leaves_the_same_files_by_time() {
    let mut simulation = simulation::<2>("");
    simulation.run(f64::INFINITY, 40, &mut []).unwrap();
    let t = simulation.state.t;
    assert!(check_resume("resume-time", Every::Seconds(t / 8.3)));
    assert!(!check_resume("resume-time", Every::Seconds(t / 7.1)));
}

#[test]
fn a_frame_that_cannot_be_written_ends_the_run() {
    let folder = folder("in-the-way");
    let mut simulation = simulation::<2>("");
    let settings = settings(&folder, &[Format::Vtu], Every::Steps(5));
    let mut block = |view: &View<'_, 2>| {
        if view.state.step == 8 {
            fs::create_dir_all(folder.join(frame_name(10, Format::Vtu)).join("full")).unwrap();
        }
        if view.state.step > 10 {
            // The other thread needs a moment to fail.
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        true
    };
    let error = steps(&mut simulation, &settings, 100, &mut [&mut block]).unwrap_err().to_string();
    assert!(error.contains("frame_000000010.vtu"), "{error}");
    assert!((11..100).contains(&simulation.state.step), "the run went on");
}

#[test]
fn a_stream_that_cannot_settle_says_why_at_its_end() {
    let folder = folder("settle");
    let simulation = simulation::<2>("");
    let settings = settings(&folder, &[Format::Vtu], Every::Steps(1));
    let mut stream = Stream::start(&settings, &simulation).unwrap();
    fs::create_dir_all(folder.join(frame_name(0, Format::Vtu)).join("full")).unwrap();
    assert!(stream.observe(&simulation.view(&StepReport::default())));
    assert!(!stream.settle() && !stream.settle());
    let error = stream.finish().unwrap_err().to_string();
    assert!(error.contains("frame_000000000.vtu"), "{error}");
}

#[test]
fn fields_that_do_not_exist_are_refused_with_those_that_do() {
    let folder = folder("fields");
    let simulation = simulation::<2>("");
    let mut settings = settings(&folder, &[Format::Png], Every::Steps(5));
    settings.fields = vec!["velocity".into(), "vorticity".into()];
    let error = Stream::start(&settings, &simulation).err().unwrap().to_string();
    for part in ["--fields = \"vorticity\": is no field", "velocity, density, neighbors", "pressure"] {
        assert!(error.contains(part), "{error}");
    }
    settings.fields.clear();
    settings.color_by = "heat".into();
    let error = Stream::start(&settings, &simulation).err().unwrap().to_string();
    assert!(error.contains("--color-by = \"heat\""), "{error}");
    assert!(!folder.exists());
}

#[test]
fn walls_are_written_once_or_with_every_frame_when_they_move() {
    let [still, moving] = ["walls-still", "walls-moving"].map(folder);
    let every = Every::Steps(2);
    steps(&mut simulation::<2>(""), &settings(&still, &[Format::Vtu], every), 4, &mut []).unwrap();
    let walls: Vec<_> = names(&still).into_iter().filter(|name| name.starts_with("walls")).collect();
    assert_eq!(walls, ["walls.vtu"]);
    let motion = "motion.translation = { velocity = [0.1, 0.0] }";
    let mut simulation = simulation::<2>(motion);
    steps(&mut simulation, &settings(&moving, &[Format::Vtu], every), 4, &mut []).unwrap();
    let walls: Vec<_> = names(&moving).into_iter().filter(|name| name.starts_with("walls")).collect();
    assert_eq!(walls, ["walls.pvd", "walls_000000000.vtu", "walls_000000002.vtu", "walls_000000004.vtu"]);
    let AnyFrame::Two(frame) = read_vtu(&moving.join("walls_000000004.vtu")).unwrap() else {
        panic!("another dimension")
    };
    assert_eq!(frame.x, simulation.state.walls.x);
}
