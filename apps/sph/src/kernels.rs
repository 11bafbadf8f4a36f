//! `sph kernels`.

#[cfg(feature = "cuda")]
use crate::program::print::{note, out};
use clap::Args;
use cuda_kernels::device::compile::variant::Variant;
use std::{error::Error, path::PathBuf, process::ExitCode};

/// What to compile.
#[derive(Debug, Args)]
pub struct KernelsArgs {
    /// Folder for the compiled kernels.
    folder: PathBuf,
    /// Architectures: sm_90 for the machine code of compute capability 9.0, compute_80 for code that the driver of any
    /// GPU since 8.0 translates.
    #[arg(long = "arch", value_delimiter = ',', default_value = "sm_90,sm_80,compute_80", value_parser = architecture)]
    architectures: Vec<String>,
    /// Variants of the kernels, as SPH_CUDA_VARIANT names them.
    #[arg(long = "variant", default_value = "direct")]
    variants: Vec<Variant>,
}

fn architecture(text: &str) -> Result<String, String> {
    let number = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"));
    match number.and_then(|number| number.parse::<u32>().ok()) {
        Some(50..=999) => Ok(text.into()),
        _ => Err("is no architecture: use sm_NN or compute_NN, as sm_90".into()),
    }
}

/// Compiles, and says how much it is.
#[cfg(feature = "cuda")]
pub fn run(args: &KernelsArgs, json: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    use bench_suite::system::write::check_folder;
    use cuda_kernels::device::compile::ahead::compile_ahead;
    check_folder(&args.folder).map_err(|error| format!("{}: {error}", args.folder.display()))?;
    let done = compile_ahead(&args.folder, &args.architectures, &args.variants, &|what| note!("{what}"))?;
    let (files, bytes, compiler) = (done.files, done.bytes, done.compiler.to_string());
    match json {
        true => {
            out!("{}", serde_json::json!({ "files": files, "bytes": bytes, "compiler": compiler }));
        }
        false => out!("{}: {files} files, {bytes} bytes, by NVRTC {compiler}", args.folder.display()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses.
#[cfg(not(feature = "cuda"))]
pub fn run(_: &KernelsArgs, _: bool) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    Err("this program was built without the feature `cuda`".into())
}
