//! Scores of frames that any program has written, by the measures and bands of a case.

mod foreign;
mod table;
mod vtk;

use super::folder::FolderCase;
use crate::{
    cases::Case,
    metrics::Outcome,
    output::{self, FrameData, Values, measures},
    result::{RunResult, Score},
    run,
    system::{machine, processor::Processor},
};
use foreign::Foreign;
use sph_core::{
    Real,
    error::Error,
    keys::npz,
    method::{observer::View, report::StepReport, state::State},
    scene::Scene,
    watch::measure::Measures,
};
use std::{
    borrow::Cow,
    fs::{self, File},
    path::{Path, PathBuf},
};

/// Particles that frames may have more, or less, than the scene at the resolution by which they are judged `[convention]`:
/// each is taken to have the mass of one of the scene.
const OTHER_NUMBER: f64 = 0.2;

/// Largest array of a frame, `[B]`: a file cannot make the program take more memory than that `[convention]`.
const LARGEST: u64 = 16 << 30;

/// What is scored, and what reports call it.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    /// Folder with the frames.
    pub folder: &'a Path,
    /// Particles across the reference length of the case.
    pub across: usize,
    /// The program that wrote them.
    pub label: &'a str,
}

/// Takes the samples of a case in each frame of a folder, in the order of their times, and judges them.
///
/// # Errors
/// When a frame cannot be read, lacks what is measured, or does not fit the case: with its file.
pub fn score(case: &FolderCase, frames: &Frames<'_>) -> Result<RunResult, Error> {
    case.check()?;
    let scene = case.scene(frames.across);
    scene.check()?;
    let of_bodies =
        |name: &str| scene.measure.iter().any(|m| m.name == name && (m.body.is_some() || m.force.is_some()));
    if let Some(name) = case.measures().find(|name| of_bodies(name)) {
        let message =
            format!("compares the measure {name:?}: frames hold particles, no bodies and no forces");
        return Err(Error::new(message).in_file(case.name()));
    }
    if scene.dim == 2 { judge::<2>(case, &scene, frames) } else { judge::<3>(case, &scene, frames) }
}

fn judge<const D: usize>(case: &FolderCase, scene: &Scene, frames: &Frames<'_>) -> Result<RunResult, Error> {
    let processor = Processor::default();
    let mut run = run::simulation::<D>(scene, &processor)?;
    let mut solver = Foreign::new(run.solver);
    let (n_frames, gap) = sample(frames, &mut run.state, &mut solver, &mut run.measures)?;
    let series: Vec<_> = run.measures.series().collect();
    let Outcome { mut scores, series: averaged, fits } = case.judge(&series);
    scores.push(Score::new("frames", "-", n_frames as f64));
    let mut drawn: Vec<_> = series.into_iter().flat_map(measures::curves).collect();
    drawn.extend(averaged);
    let references = case.references();
    drawn.sort_by_key(|series| !references.iter().any(|curve| curve.series == series.name));
    Ok(RunResult {
        case: case.name().into(),
        solver: frames.label.into(),
        variant: frames.label.into(),
        dim: D as u8,
        particles_across: frames.across as u64,
        spacing: scene.spacing,
        n_fluid: run.state.fluid.len() as u64,
        simulated_s: run.state.t,
        // One that would have been in time for the end is no early end.
        failure: (run.state.t + gap < scene.run.end_time).then(|| {
            let ends = "frames end before the case does";
            format!("{ends}: at t = {} s, the case at {} s", run.state.t, scene.run.end_time)
        }),
        scores,
        series: drawn,
        fits,
        precision: if size_of::<Real>() == 4 { "f32" } else { "f64" }.into(),
        threads: rayon::current_num_threads() as u64,
        isa: processor.isa.to_string(),
        backend: processor.name(),
        memory_bytes_peak: machine::peak_memory_bytes(),
        ..RunResult::default()
    })
}

/// Takes a sample of each frame. Returns how many there are, and how long after the one before it the last is, `[s]`; the state
/// is that of the last.
fn sample<const D: usize>(
    frames: &Frames<'_>,
    state: &mut State<D>,
    solver: &mut Foreign<D>,
    measures: &mut Measures<D>,
) -> Result<(usize, f64), Error> {
    // Measures of the last step are missing before the first.
    let report = StepReport::default();
    let expected = state.fluid.len();
    let (files, mut gap) = (files(frames.folder)?, 0.0);
    for (k, path) in files.iter().enumerate() {
        let name = path.display().to_string();
        let frame = frame::<D>(path)?;
        let (n, last) = (frame.id.len(), state.t);
        if k == 0 && n.abs_diff(expected) as f64 > OTHER_NUMBER * expected as f64 {
            let message = format!("holds {n} particles, the case {expected} at {} across", frames.across);
            let error = Error::new(message).in_file(&name);
            return Err(error.hint("say with --across at which resolution it was made"));
        }
        if k > 0 && frame.t <= last {
            let message = format!("is of t = {} s, not after the frame before it, of {last} s", frame.t);
            return Err(Error::new(message).in_file(&name));
        }
        gap = frame.t - last;
        put(frame, state, solver).map_err(|reason| Error::new(reason).in_file(&name))?;
        measures.sample(&View { state, solver, report: &report }, None);
    }
    Ok((files.len(), gap))
}

/// The frames of a folder, by the number in their names. What this program writes beside them is none.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let name = folder.display().to_string();
    let failed = |error: std::io::Error| Error::new(error.to_string()).in_file(&name);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let kind = ["npz", "csv", "vtu", "vtp"]
            .into_iter()
            .find(|kind| path.extension().is_some_and(|e| e == *kind));
        let beside = path
            .file_name()
            .is_some_and(|name| name == output::INDEX || name.to_string_lossy().starts_with("walls"));
        found.extend(kind.filter(|_| !beside).map(|kind| (kind, number_in(&path), path)));
    }
    found.sort_by(|a, b| (a.0.cmp(b.0)).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    match (found.first(), found.last()) {
        (Some((first, ..)), Some((last, ..))) if first == last => {
            Ok(found.into_iter().map(|(_, _, path)| path).collect())
        }
        (Some((first, ..)), Some((last, ..))) => {
            Err(Error::new(format!("holds frames .{first} and .{last}: must be of one kind")).in_file(&name))
        }
        _ => {
            let error = Error::new("holds no frame").in_file(&name);
            Err(error.hint("a frame is a file .npz, .csv, .vtu or .vtp"))
        }
    }
}

/// The last number in the name of a file: `part_10` comes after `part_9`, and `t_0.15` after `t_0.05`.
fn number_in(path: &Path) -> f64 {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let numbers = stem.rsplit(|c: char| !c.is_ascii_digit() && c != '.').map(str::parse::<f64>);
    numbers.flatten().next().unwrap_or(0.0)
}

/// A frame of any of the formats, whose numbers are finite.
fn frame<const D: usize>(path: &Path) -> Result<FrameData<D>, Error> {
    let name = path.display().to_string();
    let failed = |reason: String| Error::new(reason).in_file(&name);
    let end = path.extension().map(|end| end.to_string_lossy().into_owned());
    let frame = match end.as_deref() {
        Some("csv") => table::frame(path),
        Some("npz") => arrays(path),
        _ => vtk::frame(path),
    };
    let frame = frame.map_err(failed)?;
    if frame.id.is_empty() || !frame.t.is_finite() {
        return Err(failed(format!("holds {} particles at t = {} s", frame.id.len(), frame.t)));
    }
    let axes = |values: &Values<D>| match values {
        Values::Scalar(values) => is_bad(values),
        Values::Vector(axes) => axes.iter().find_map(|axis| is_bad(axis)),
        Values::Count(_) => None,
    };
    let place = frame.x.iter().find_map(|axis| is_bad(axis)).map(|row| ("position", row));
    let field = || frame.fields.iter().find_map(|field| Some((&*field.name, axes(&field.values)?)));
    match place.or_else(field) {
        Some((name, row)) => Err(failed(format!("the {name} of particle {row} is no number"))),
        None => Ok(frame),
    }
}

/// The frame of an archive with `x (n, D)`, `velocity (n, D)`, the scalar `t`, and `density (n,)` and `pressure (n,)` where
/// there are such.
fn arrays<const D: usize>(path: &Path) -> Result<FrameData<D>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let found = npz::read(file, &FIELDS.map(|(name, _)| name), LARGEST)?;
    let mut found = FIELDS.iter().zip(found).map(|((name, _), array)| (*name, array));
    let time = found.next().and_then(|(_, t)| t?.concat().first().copied());
    let arrays: Vec<_> = found.filter_map(|(name, array)| Some((name, array?))).collect();
    if arrays.first().is_none_or(|(name, _)| *name != "x") {
        return Err("lacks the array \"x\"".into());
    }
    of_arrays(time.ok_or("lacks the array \"t\"")?, arrays)
}

/// The first that is not finite.
fn is_bad(values: &[Real]) -> Option<usize> {
    values.iter().position(|value| !value.is_finite())
}

/// Replaces the particles of a state, and the fields of a method, by those of a frame.
fn put<const D: usize>(
    frame: FrameData<D>,
    state: &mut State<D>,
    solver: &mut Foreign<D>,
) -> Result<(), String> {
    let vector = |name: &str| match frame.field(name).map(|field| &field.values) {
        Some(Values::Vector(axes)) => Ok(axes.clone()),
        _ => Err(format!("lacks the field {name:?}, a vector")),
    };
    state.fluid.v = vector("velocity")?;
    state.fluid.rho = match frame.field("density").map(|field| &field.values) {
        Some(Values::Scalar(rho)) => rho.clone(),
        _ => vec![state.rest.rho_0; frame.id.len()],
    };
    (state.fluid.x, state.fluid.id, state.t) = (frame.x, frame.id, frame.t);
    state.walls.move_to(state.t);
    solver.fields = frame.fields;
    Ok(())
}

/// Names and units of what frames may hold, scalars; vectors have a component for each axis.
const FIELDS: [(&str, &str); 5] =
    [("t", "s"), ("x", "m"), ("velocity", "m/s"), ("density", "kg/m^3"), ("pressure", "Pa")];

/// The frame of these arrays, each with its name: one component of scalars, `D` of vectors.
fn of_arrays<const D: usize>(
    t: f64,
    arrays: Vec<(impl Into<Cow<'static, str>>, Vec<Vec<f64>>)>,
) -> Result<FrameData<D>, String> {
    let mut frame = FrameData::<D> { t, ..FrameData::default() };
    for (name, components) in arrays {
        let name = name.into();
        let components: Vec<Vec<Real>> =
            components.into_iter().map(|axis| axis.into_iter().map(|x| x as Real).collect()).collect();
        let unit = FIELDS.iter().find(|(known, _)| **known == *name).map_or("-", |(_, unit)| unit);
        let n = components.len();
        let wrong = |name: &str| format!("{name:?} has {n} components, in {D} dimensions");
        if name == "x" {
            frame.x = components.try_into().map_err(|_| wrong(&name))?;
            continue;
        }
        let values = match <[_; 1]>::try_from(components) {
            Ok([values]) => Values::Scalar(values),
            Err(components) => Values::Vector(components.try_into().map_err(|_| wrong(&name))?),
        };
        frame.fields.push(output::Field { name, unit: unit.into(), values });
    }
    frame.id = (0..frame.x[0].len() as u64).collect();
    frame.check().map_err(|error| error.to_string())?;
    Ok(frame)
}
