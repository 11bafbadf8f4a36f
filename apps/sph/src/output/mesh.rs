//! `sph mesh`: surfaces of frames.

use super::frames;
use crate::program::print::out;
use bench_suite::{
    output::{
        FrameData, ReadError, encode_mesh,
        mesh::{self, Options},
        read_vtu,
    },
    system::write::write_atomic,
};
use clap::Args;
use std::{error::Error, path::PathBuf, process::ExitCode};

/// Which frames, and how the surface is laid around the particles.
#[derive(Clone, Debug, Args)]
pub struct MeshArgs {
    /// Frames (.vtu) of three dimensions, or folders of a run: then all its frames.
    #[arg(required = true)]
    frames: Vec<PathBuf>,
    /// Radius of a particle, in spacings.
    #[arg(long, default_value_t = Options::default().radius)]
    radius: f64,
    /// Smoothing length, in spacings: a particle is felt as far as twice this.
    #[arg(long, default_value_t = Options::default().smoothing)]
    smoothing: f64,
    /// Edge of the cubes that are marched through, in spacings.
    #[arg(long, default_value_t = Options::default().cube)]
    cube: f64,
    /// Part of the rest density at which the surface lies.
    #[arg(long, default_value_t = Options::default().iso)]
    iso: f64,
}

/// Writes the surfaces beside the frames.
pub fn run(args: &MeshArgs) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let options = Options { radius: args.radius, smoothing: args.smoothing, cube: args.cube, iso: args.iso };
    for path in frames(&args.frames)? {
        let failed = |reason: String| ReadError { path: path.clone(), reason };
        let frame = FrameData::<3>::try_from(read_vtu(&path)?).map_err(|reason| failed(reason.into()))?;
        let surface = mesh::surface(&frame, &options).map_err(|error| failed(error.to_string()))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let file = path.with_file_name(format!("{stem}_surface.ply"));
        write_atomic(&file, &encode_mesh(&frame, &surface.corners, &surface.triangles))?;
        out!("{}: {} triangles", file.display(), surface.triangles.len());
    }
    Ok(ExitCode::SUCCESS)
}
