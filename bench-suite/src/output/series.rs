//! The frames of a run as a series: names that carry the step, and the lists of what is there. Below it the samples of
//! measures.

pub mod measures;

use super::{FINAL, FRAMES, Format, OutputError, vtu};
use crate::system::write::write_atomic;
use clap::ValueEnum as _;
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Table of step and time of every frame, whatever its formats.
pub const INDEX: &str = "frames.csv";
/// List of the `.vtu` frames, for ParaView.
pub const PVD: &str = "fluid.pvd";
/// List of the walls' files, where walls move.
const WALLS_PVD: &str = "walls.pvd";
const HEADER: &str = "step,t [s]";

/// Name of a frame's file.
#[must_use]
pub fn frame_name(step: u64, format: Format) -> String {
    format!("frame_{step:09}.{}", format.extension())
}

/// Name of the walls' file: of one frame where they move, else of all.
pub(super) fn walls_name(step: Option<u64>) -> String {
    step.map_or("walls.vtu".into(), |step| format!("walls_{step:09}.vtu"))
}

/// The file of the walls that belong to a frame's file, if there is one.
#[must_use]
pub fn walls_of(frame: &Path) -> Option<PathBuf> {
    let step = frame.file_name().and_then(|name| step_of(name.to_str()?, "frame_"));
    let names = [walls_name(step), walls_name(None)];
    names.map(|name| frame.with_file_name(name)).into_iter().find(|path| path.is_file())
}

/// The `.vtu` frames of a run's folder, or of its folder `frames`; of a run without frames its last particles.
///
/// # Errors
/// When it holds none, or their list cannot be read.
pub fn listed(run: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let inner = run.join(FRAMES);
    let folder = if inner.is_dir() { &inner } else { run };
    let members = read_index(folder)?.into_iter();
    let frames = members.map(|member| folder.join(frame_name(member.step, Format::Vtu)));
    let mut frames: Vec<_> = frames.filter(|path| path.is_file()).collect();
    if frames.is_empty() {
        frames.extend(Some(run.join(FINAL)).filter(|path| path.is_file()));
    }
    if frames.is_empty() {
        return Err(left(folder, "holds no frames and no final.vtu; `sph run --format vtu` writes both"));
    }
    Ok(frames)
}

fn left(path: &Path, reason: impl std::fmt::Display) -> OutputError {
    OutputError::Left { path: path.to_owned(), reason: reason.to_string() }
}

/// The step in a name such as `frame_000001200.vtu`.
pub fn step_of(name: &str, prefix: &str) -> Option<u64> {
    let (digits, extension) = name.strip_prefix(prefix)?.split_once('.')?;
    let known = Format::value_variants().iter().any(|format| format.extension() == extension);
    if known && digits.len() >= 9 { digits.parse().ok() } else { None }
}

/// A frame of the series.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Member {
    step: u64,
    t: f64,
    vtu: bool,
}

fn read_index(folder: &Path) -> Result<Vec<Member>, OutputError> {
    let path = folder.join(INDEX);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(&path).map_err(|error| left(&path, error))?;
    let mut members = Vec::new();
    for (k, line) in text.lines().enumerate().skip(1) {
        let numbers = line.split_once(',').and_then(|(step, t)| Some((step.parse().ok()?, t.parse().ok()?)));
        let Some((step, t)) = numbers else {
            return Err(left(&path, format!("line {}: {line:?} is not {HEADER:?}", k + 1)));
        };
        members.push(Member { step, t, vtu: folder.join(frame_name(step, Format::Vtu)).is_file() });
    }
    Ok(members)
}

/// The frames that are there, and the lists that say so.
#[derive(Debug)]
pub struct Series {
    folder: PathBuf,
    members: Vec<Member>,
    walls_move: bool,
}

impl Series {
    /// Goes on with the series of a folder after a step: frames up to it stay, later ones, which another run left,
    /// are removed. A run from its start keeps none.
    pub fn open(folder: &Path, from: u64, walls_move: bool) -> Result<Self, OutputError> {
        // A new run does not care what an old list says.
        let mut members = if from > 0 { read_index(folder)? } else { Vec::new() };
        members.retain(|member| member.step <= from);
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.map_err(|error| left(folder, error))?;
            let name = entry.file_name();
            let step = name.to_str().and_then(|name| step_of(name, "frame_").or(step_of(name, "walls_")));
            if step.is_some_and(|step| step > from || from == 0) {
                fs::remove_file(entry.path()).map_err(|error| left(&entry.path(), error))?;
            }
        }
        let series = Self { folder: folder.to_owned(), members, walls_move };
        match series.members.is_empty() {
            true => series.remove_lists()?,
            false => series.write_lists()?,
        }
        Ok(series)
    }

    /// Nothing is left of another run, its walls included.
    fn remove_lists(&self) -> Result<(), OutputError> {
        for name in [INDEX, PVD, WALLS_PVD, &walls_name(None)] {
            let path = self.path(name);
            if path.exists() {
                fs::remove_file(&path).map_err(|error| left(&path, error))?;
            }
        }
        Ok(())
    }

    /// Step and time `[s]` of the last frame.
    pub fn last(&self) -> Option<(u64, f64)> {
        self.members.last().map(|member| (member.step, member.t))
    }

    /// The file of a name in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Lists one frame more. Its files are there already, so that a list never promises too much.
    pub fn add(&mut self, step: u64, t: f64, formats: &[Format]) -> Result<(), OutputError> {
        self.members.retain(|member| member.step < step);
        self.members.push(Member { step, t, vtu: formats.contains(&Format::Vtu) });
        self.write_lists()
    }

    fn write_lists(&self) -> Result<(), OutputError> {
        if self.members.iter().any(|member| member.vtu) {
            self.write_pvd(PVD, |step| frame_name(step, Format::Vtu))?;
            if self.walls_move {
                self.write_pvd(WALLS_PVD, |step| walls_name(Some(step)))?;
            }
        }
        let mut text = format!("{HEADER}\n");
        for member in &self.members {
            let _ = writeln!(text, "{},{}", member.step, member.t); // writing to a string cannot fail
        }
        Ok(write_atomic(&self.path(INDEX), text.as_bytes())?)
    }

    fn write_pvd(&self, name: &str, file_of: impl Fn(u64) -> String) -> Result<(), OutputError> {
        let members = self.members.iter().filter(|member| member.vtu);
        let files: Vec<_> = members.map(|member| (member.t, file_of(member.step))).collect();
        let text = vtu::pvd(files.iter().map(|(t, file)| (*t, file.as_str())));
        Ok(write_atomic(&self.path(name), text.as_bytes())?)
    }
}
