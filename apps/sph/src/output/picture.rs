//! `sph picture`: frames as PNG.

use super::frames;
use crate::program::print::out;
use bench_suite::{
    output::{self, AnyFrame, Format, FrameData, Look, ReadError, read_vtu, walls_of},
    system::write::write_atomic,
};
use clap::Args;
use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
};

type Refused = Box<dyn Error + Send + Sync>;

/// Which frames, and how they look.
#[derive(Clone, Debug, Args)]
pub struct PictureArgs {
    /// Frames (.vtu), or folders of a run: then all its frames.
    #[arg(required = true)]
    frames: Vec<PathBuf>,
    /// Field that colors the particles; of a vector its length.
    #[arg(long, default_value = "speed")]
    color_by: String,
    /// Width and height in pixels.
    #[arg(long, default_value = "1280x720", value_parser = size)]
    size: (u32, u32),
    /// Values at the ends of the color bar, as in 0,2.5; those of all frames if left out.
    #[arg(long, value_parser = range, allow_hyphen_values = true)]
    range: Option<(f64, f64)>,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    parts.ok_or_else(|| "must be two numbers of pixels, as in 1280x720".into())
}

fn range(text: &str) -> Result<(f64, f64), String> {
    let ends = text.split_once(',').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    match ends {
        Some((low, high)) if f64::is_finite(low) && f64::is_finite(high) && low < high => Ok((low, high)),
        _ => Err("must be two numbers, the lower first, as in 0,2.5".into()),
    }
}

/// Draws the frames beside their files.
pub fn run(args: &PictureArgs) -> Result<ExitCode, Refused> {
    let paths = frames(&args.frames)?;
    let mut views = (View::<2>::default(), View::<3>::default());
    for path in &paths {
        match read_vtu(path)? {
            AnyFrame::Two(frame) => views.0.add(&frame, path, &args.color_by)?,
            AnyFrame::Three(frame) => views.1.add(&frame, path, &args.color_by)?,
        }
    }
    views.0.check()?;
    views.1.check()?;
    for path in &paths {
        let png = match read_vtu(path)? {
            AnyFrame::Two(frame) => views.0.draw(&frame, path, args)?,
            AnyFrame::Three(frame) => views.1.draw(&frame, path, args)?,
        };
        let file = path.with_extension(Format::Png.extension());
        write_atomic(&file, &png)?;
        out!("{}", file.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// One view and one color bar for all frames, so that their pictures can be compared.
#[derive(Default)]
struct View<const D: usize> {
    range: Option<(f64, f64)>,
    bounds: Option<([f64; D], [f64; D])>,
    /// What the first frame without the field has instead.
    lacks: Option<sph_core::error::Error>,
}

impl<const D: usize> View<D>
where
    FrameData<D>: TryFrom<AnyFrame, Error = &'static str>,
{
    fn add(&mut self, frame: &FrameData<D>, path: &Path, color_by: &str) -> Result<(), Refused> {
        match output::colored(frame, color_by) {
            Ok((values, _)) => {
                let (low, high) = output::range(color_by, &values);
                let before = self.range.unwrap_or((low, high));
                self.range = Some((low.min(before.0), high.max(before.1)));
            }
            Err(error) if self.lacks.is_none() => {
                self.lacks = Some(error.in_file(&path.display().to_string()));
            }
            Err(_) => {}
        }
        let (low, high) = output::extent(frame, &walls(path)?);
        let before = self.bounds.unwrap_or((low, high));
        let axis = |d: usize| (low[d].min(before.0[d]), high[d].max(before.1[d]));
        self.bounds = Some((std::array::from_fn(|d| axis(d).0), std::array::from_fn(|d| axis(d).1)));
        Ok(())
    }

    /// Frames before the first step may lack the field, but not all.
    fn check(&mut self) -> Result<(), sph_core::error::Error> {
        self.lacks.take().filter(|_| self.range.is_none()).map_or(Ok(()), Err)
    }

    fn draw(&self, frame: &FrameData<D>, path: &Path, args: &PictureArgs) -> Result<Vec<u8>, Refused> {
        let look = Look {
            color_by: &args.color_by,
            size: args.size,
            range: args.range.or(self.range),
            bounds: self.bounds,
        };
        Ok(Format::Png.encode(frame, &walls(path)?, &look)?)
    }
}

/// The walls beside a frame; none if there is no such file.
fn walls<const D: usize>(frame: &Path) -> Result<FrameData<D>, Refused>
where
    FrameData<D>: TryFrom<AnyFrame, Error = &'static str>,
{
    let Some(path) = walls_of(frame) else { return Ok(FrameData::default()) };
    let found = FrameData::try_from(read_vtu(&path)?);
    Ok(found.map_err(|reason| ReadError { path, reason: reason.into() })?)
}
