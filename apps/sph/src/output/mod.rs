//! Options of frames: `sph run`, `sph picture`, `sph mesh`.

#[cfg(feature = "mesh")]
pub mod mesh;
pub mod picture;

use bench_suite::output::{self, Every, Format, OutputError, Settings};
use clap::Args;
use sph_core::scene::Scene;
use std::path::{Path, PathBuf};

/// Frames that a run writes while it goes on; none unless one of these is given.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Frames")]
pub struct OutputArgs {
    /// File formats, each frame in all of them; vtu if left out.
    #[arg(long = "format", value_delimiter = ',')]
    formats: Vec<Format>,
    /// Steps from one frame to the next.
    #[arg(long, conflicts_with = "frame_interval", value_parser = clap::value_parser!(u64).range(1..))]
    frames_every: Option<u64>,
    /// Simulated time from one frame to the next, in s; the scene's output interval if left out.
    #[arg(long, value_parser = seconds, allow_negative_numbers = true)]
    frame_interval: Option<f64>,
    /// Fields beside id and position; velocity, density, neighbors and those of the solver if left out.
    #[arg(long, value_delimiter = ',')]
    fields: Vec<String>,
    /// Field that colors pictures; speed if left out.
    #[arg(long)]
    color_by: Option<String>,
}

impl OutputArgs {
    /// What they ask for in the result's folder, if anything.
    pub fn settings(&self, scene: &Scene, out: &Path) -> Result<Option<Settings>, String> {
        let Self { formats, frames_every, frame_interval, fields, color_by } = self;
        let every = match (frames_every, frame_interval) {
            (Some(steps), _) => Some(Every::Steps(*steps)),
            (None, interval) => interval.map(Every::Seconds),
        };
        if formats.is_empty() && every.is_none() && fields.is_empty() && color_by.is_none() {
            return Ok(None);
        }
        if color_by.is_some() && !formats.contains(&Format::Png) {
            return Err("--color-by: colors pictures; add --format png".into());
        }
        let mut formats = formats.clone();
        formats.sort_by_key(|format| format.extension());
        formats.dedup();
        if formats.is_empty() {
            formats.push(Format::Vtu);
        }
        let interval = scene.run.output_interval.unwrap_or(scene.run.end_time / 100.0);
        Ok(Some(Settings {
            formats,
            every: every.unwrap_or(Every::Seconds(interval)),
            fields: fields.clone(),
            color_by: color_by.clone().unwrap_or_else(|| "speed".into()),
            folder: out.join(output::FRAMES),
        }))
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && x < f64::INFINITY => Ok(x),
        _ => Err("must lie in (0, inf) s".into()),
    }
}

/// The frames that a command line names: files as they are, folders by their list.
pub fn frames(paths: &[PathBuf]) -> Result<Vec<PathBuf>, OutputError> {
    let mut frames = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => frames.extend(output::listed(path)?),
            false => frames.push(path.clone()),
        }
    }
    Ok(frames)
}
