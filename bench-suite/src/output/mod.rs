//! Particles as files for other programs: formats, fields, and a stream that writes while a run goes on.
//!
//! A [`Stream`] copies what was chosen between two steps; encoding and the disk are a second thread's work.
//! Every format says step, time and units, and names each particle by its id.

mod csv;
mod frame;
mod image;
#[cfg(feature = "mesh")]
pub mod mesh;
mod npz;
pub mod picture;
mod ply;
pub mod read;
pub mod series;
mod stream;
pub mod vtu;

pub use frame::{Field, Fields, FrameData, Values};
pub use image::{Look, SIZE, colored, extent, range};
pub use ply::encode_mesh;
pub use read::{AnyFrame, ReadError, read_vtu};
pub use series::{INDEX, PVD, frame_name, listed, measures, walls_of};
pub use stream::{Spent, Stream};

use crate::{
    output::picture::PictureError,
    system::write::{WriteError, write_atomic},
};
use sph_core::{error::Error, run::simulation::Simulation};
use std::path::{Path, PathBuf};

/// Name of the file with the last particles of a run.
pub const FINAL: &str = "final.vtu";
/// Name of the folder of a run's frames.
pub const FRAMES: &str = "frames";

/// Name of the folder of the samples of measures.
pub const MEASURES: &str = "measures";

/// Names of the axes.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];

/// A file format of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// VTK unstructured grid, for ParaView, with a `.pvd` that lists the series.
    Vtu,
    /// Stanford polygon file, binary, points only.
    Ply,
    /// Table in text, one line a particle.
    Csv,
    /// Arrays for NumPy.
    Npz,
    /// Picture.
    Png,
}

impl Format {
    /// Ending of the file's name, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Vtu => "vtu",
            Self::Ply => "ply",
            Self::Csv => "csv",
            Self::Npz => "npz",
            Self::Png => "png",
        }
    }

    /// The bytes of a file. A picture shows `walls` too and looks as `look` says; the other formats hold the
    /// fluid alone.
    ///
    /// # Errors
    /// When arrays differ in length, or the format cannot hold what the frame has.
    pub fn encode<const D: usize>(
        self,
        fluid: &FrameData<D>,
        walls: &FrameData<D>,
        look: &Look<'_, D>,
    ) -> Result<Vec<u8>, OutputError> {
        fluid.check()?;
        match self {
            Self::Vtu => Ok(vtu::encode(fluid)),
            Self::Ply => ply::encode(fluid),
            Self::Csv => Ok(csv::encode(fluid)),
            Self::Npz => npz::encode(fluid),
            Self::Png => image::draw(fluid, walls, look),
        }
    }
}

/// When a frame is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Every {
    /// Whenever the number of steps done is a multiple of this.
    Steps(u64),
    /// At the first step in each interval of this length, counted from t = 0 `[s]`.
    Seconds(f64),
}

/// What a run writes while it goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Formats, each frame in all of them.
    pub formats: Vec<Format>,
    /// When.
    pub every: Every,
    /// Names of fields; [`Fields::standard`] when empty.
    pub fields: Vec<String>,
    /// The field that colors pictures.
    pub color_by: String,
    /// Folder of the frames.
    pub folder: PathBuf,
}

/// Frames could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// What was asked for does not exist.
    #[error(transparent)]
    Refused(#[from] Error),
    /// A field has another length than the ids.
    #[error("field {name:?} has {found} values, expected {expected}")]
    Length {
        /// Name of the field.
        name: String,
        /// Its length.
        found: usize,
        /// Number of particles.
        expected: usize,
    },
    /// The format names particles by 32 bits.
    #[error("PLY has no integers beyond 32 bits: particle {0} needs another format")]
    LargeId(u64),
    /// An archive could not be made.
    #[error("cannot encode: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// A picture could not be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// What an earlier run left could not be read or removed.
    #[error("{}: {reason}", path.display())]
    Left {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is no thread to write with.
    #[error("cannot start the thread that writes frames: {0}")]
    Thread(std::io::Error),
    /// The thread that writes is gone.
    #[error("the thread that writes frames has panicked")]
    Panicked,
}

impl From<OutputError> for Error {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Refused(error) => error,
            other => Self::new(other.to_string()),
        }
    }
}

/// Writes the present state with the standard fields as a `.vtu` file.
///
/// # Errors
/// When the file cannot be written.
pub fn write_vtu<const D: usize>(simulation: &Simulation<D>, path: &Path) -> Result<(), OutputError> {
    let mut frame = FrameData::default();
    frame.copy(&Fields::standard(&*simulation.solver), &simulation.state, &*simulation.solver);
    write_frame(&frame, path)
}

/// Writes a frame as a `.vtu` file.
///
/// # Errors
/// When arrays differ in length or the file cannot be written.
pub fn write_frame<const D: usize>(frame: &FrameData<D>, path: &Path) -> Result<(), OutputError> {
    frame.check()?;
    Ok(write_atomic(path, &vtu::encode(frame))?)
}
