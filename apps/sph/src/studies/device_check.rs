//! `sph device-check`.

use crate::program::{
    exit_code::FAILED,
    print::{note, out},
};
use bench_suite::{
    studies::device_check::{self, FILES, Kind, Options, REHEARSED, Verdict},
    system::{
        processor::{Choice, Processor},
        write::check_folder,
    },
};
use clap::Args;
use sph_core::numerics::lane::Isa;
use std::{error::Error, fs, path::PathBuf, process::ExitCode};

/// What to check.
#[derive(Debug, Args)]
pub struct DeviceCheckArgs {
    /// Folder for device-check.json and device-check.md; sections that are there from an earlier call stay.
    #[arg(long, short, default_value = "results/device-check")]
    out: PathBuf,
    /// Only these sections.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Kind>,
    /// Rehearses all of it with the kernels executed on the processor; measures no speed. Needs the feature `host`.
    #[arg(long)]
    dry_run: bool,
    /// What was recorded when this program was packed, a JSON file.
    #[arg(long)]
    package: Option<PathBuf>,
}

/// Checks a GPU, or rehearses it, and ends with 1 when a line failed.
pub fn run(
    args: &DeviceCheckArgs,
    backend: Choice,
    json: bool,
) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let choice = match (args.dry_run, backend) {
        (true, _) => Choice::Emulator,
        (false, Choice::Cuda(ordinal)) => Choice::Cuda(ordinal),
        (false, _) => Choice::Cuda(0),
    };
    // Opened and closed again: what cannot run is refused before anything is done.
    let name = Processor::open(choice, Isa::best())?.name();
    check_folder(&args.out).map_err(|error| format!("--out: {error}"))?;
    let work = std::env::temp_dir().join(format!("sph-device-check-{}", std::process::id()));
    let sections = if args.only.is_empty() { Kind::ALL.to_vec() } else { args.only.clone() };
    let options = Options {
        out: args.out.clone(),
        work,
        backend: choice.to_string(),
        sections,
        package: args.package.clone(),
        dry_run: args.dry_run,
    };
    note!("{name}");
    let checked = device_check::check(&options, &|line| match &line.verdict {
        Verdict::Passed => note!("passed   {}", line.what),
        Verdict::Failed(reason) => note!("FAILED   {}: {reason}", line.what),
        Verdict::NotRun(reason) => note!("not run  {}: {reason}", line.what),
    });
    // What is left there is of no use to anyone.
    let _ = fs::remove_dir_all(&options.work);
    let check = checked?;
    match json {
        true => out!("{}", serde_json::to_string(&check)?),
        false => FILES.iter().for_each(|file| out!("{}", args.out.join(file).display())),
    }
    let [passed, failed, not_run] = check.counts();
    note!("{passed} passed, {failed} failed, {not_run} not run");
    if args.dry_run {
        note!("{REHEARSED}");
    }
    Ok(if check.has_failed() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}
