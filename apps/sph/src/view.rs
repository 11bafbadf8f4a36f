//! `sph view`: the live page.

use crate::program::{
    exit_code::INTERRUPTED,
    print::{note, out},
    scene::SetArgs,
    taken,
};
use bench_suite::{run::check_memory, scenes, system::processor::Processor};
use sph_view::Options;
use std::{
    error::Error,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    process::ExitCode,
};

/// What `sph view` is told.
#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// Scenes to choose from beside those that come with the program; the first one is opened.
    #[arg(value_name = "SCENE")]
    scenes: Vec<PathBuf>,
    #[command(flatten)]
    set: SetArgs,
    /// Port of the page; 0 for any that is free.
    #[arg(long, default_value_t = 8787)]
    port: u16,
    /// Address of the page. Any but one of this machine lets others in: they need the token of the address that is printed.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// Particles of a pane, at most.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    most_particles: u64,
    /// Opens the page in the browser of this machine.
    #[arg(long)]
    open: bool,
}

/// Serves the page until the program is interrupted.
pub fn run(args: &ViewArgs, processor: Processor) -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    args.scenes.iter().try_for_each(|file| scenes::read(file).map(drop))?;
    let end = taken::interrupted()?;
    let cpu = Processor::from(processor.isa);
    let processors = if processor.backend.is_cpu() { vec![processor] } else { vec![processor, cpu] };
    let address = SocketAddr::new(args.listen, args.port);
    let options = Options {
        scenes: args.scenes.clone(),
        set: args.set.texts()?,
        address,
        token: if args.listen.is_loopback() { None } else { Some(token()?) },
        most_particles: args.most_particles as usize,
        processors,
    };
    check_memory(&options.first_scene()?, &options.processors[0])?;
    let ready = |page: &str| {
        out!("{page}");
        note!("Ctrl-C ends it");
        if args.open
            && let Err(error) = open::that_detached(page)
        {
            note!("warning: --open: {error}");
        }
    };
    sph_view::serve(options, ready, &end).map_err(|error| format!("{address}: {error}"))?;
    Ok(ExitCode::from(INTERRUPTED))
}

/// 128 random bits.
fn token() -> Result<String, Box<dyn Error + Send + Sync>> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("no random numbers for the token: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
