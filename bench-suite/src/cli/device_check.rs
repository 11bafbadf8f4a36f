//! `sph device-check`.

use super::FAILED;
use bench_suite::{
    device_check::{self, FILES, Options, REHEARSED},
    processor::{Choice, Processor},
    write::check_folder,
};
use sph_core::lane::Isa;
use std::{error::Error, fs, path::Path, process::ExitCode};

/// Checks a card, or rehearses it, and ends with 1 when a measurement failed.
pub fn run(
    out: &Path,
    dry_run: bool,
    backend: Choice,
    json: bool,
) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let choice = match (dry_run, backend) {
        (true, _) => Choice::Emulator,
        (false, Choice::Cuda(ordinal)) => Choice::Cuda(ordinal),
        (false, _) => Choice::Cuda(0),
    };
    // Opened and closed again: what cannot run is refused before anything is done.
    let name = Processor::open(choice, Isa::best())?.name();
    check_folder(out).map_err(|error| format!("--out: {error}"))?;
    let work = std::env::temp_dir().join(format!("sph-device-check-{}", std::process::id()));
    let options = Options { out: out.to_owned(), work, backend: choice.to_string(), dry_run };
    if !json {
        println!("{name}");
    }
    let checked = device_check::check(&options, &|section| {
        let done = section.lines.iter().filter(|line| line.outcome == device_check::Outcome::Done).count();
        eprintln!("{}: {done} of {} done", section.name, section.lines.len());
    });
    // What is left there is of no use to anyone.
    let _ = fs::remove_dir_all(&options.work);
    let check = checked?;
    match json {
        true => println!("{}", serde_json::to_string(&check)?),
        false => FILES.iter().for_each(|file| println!("{}", out.join(file).display())),
    }
    if dry_run {
        eprintln!("{REHEARSED}");
    }
    Ok(if check.has_failed() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}
