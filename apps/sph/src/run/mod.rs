//! `sph run`.

mod announce;
mod interrupt;
mod resume;

use self::announce::Short;
use crate::{campaigns, exit_code::FAILED, output::OutputArgs};
use bench_suite::{
    campaign,
    metrics::{Metric, bodies::BodyCurves, conservation::Conservation, penetration},
    output,
    report::{self, Page},
    result::{Comparison, RunResult, failure::Failure, start::Start},
    run::{
        self, FAILURE_FILE, Final, Keep, Options, Ran,
        checkpoints::{Checkpoints, Found},
    },
    scenes,
    system::{
        processor::Processor,
        write::{Disk, check_folder},
    },
};
use indicatif::ProgressBar;
use sph_core::{method::failure::Retry, scene::Scene};
use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
};

type Refused = Box<dyn Error + Send + Sync>;

/// What `sph run` is told.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// The scene, a TOML file.
    scene: PathBuf,
    /// Folder for the result.
    #[arg(long, short, default_value = "results/run")]
    out: PathBuf,
    /// Commands for the run, a TOML file: added to those of the scene.
    #[arg(long)]
    script: Option<PathBuf>,
    /// Writes a checkpoint after every so many steps. Ctrl-C writes one in any case.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: Option<u64>,
    /// Goes on from the newest whole checkpoint in the folder of the result, or from FILE.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    resume: Option<Option<PathBuf>>,
    /// Removes the checkpoints of an earlier run in the folder of the result.
    #[arg(long, conflicts_with = "resume")]
    fresh: bool,
    #[command(flatten)]
    frames: OutputArgs,
}

/// Runs a scene file and writes report, results and final particles. Threads that the command line gives go
/// before those of the scene.
pub fn run(
    args: &RunArgs,
    threads: Option<u16>,
    processor: &Processor,
    json: bool,
) -> Result<ExitCode, Refused> {
    let out = &args.out;
    let mut scene = scenes::read(&args.scene)?;
    if let Some(script) = &args.script {
        let script = scenes::read_script(script, &scene)?;
        scene.command.extend(script.command);
    }
    check_folder(out).map_err(|error| format!("--out: {error}"))?;
    let checkpoints = Checkpoints::of(out, &Disk);
    let found = match &args.resume {
        Some(named) => Some(resume::find(named.as_deref(), &checkpoints, &mut scene)?),
        None => None,
    };
    let frames = args.frames.settings(&scene, out)?;
    make_way(args, &checkpoints)?;
    let job = Job { args, scene: &scene, checkpoints: &checkpoints, frames, processor, json };
    let bar = campaigns::bar(&scene.title);
    let ran = match scene.run.threads.filter(|_| threads.is_none()) {
        None => job.steps(found, &bar),
        Some(n) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n as usize).build()?;
            pool.install(|| job.steps(found, &bar))
        }
    };
    bar.finish_and_clear();
    job.finish(ran?)
}

/// A fresh run must not leave checkpoints of another one behind, which a later `--resume` would take for its
/// own.
fn make_way(args: &RunArgs, checkpoints: &Checkpoints<'_>) -> Result<(), Refused> {
    if args.fresh {
        checkpoints.remove_all()?;
    }
    match checkpoints.all().first().filter(|_| args.resume.is_none()) {
        None => Ok(checkpoints.tidy()?),
        Some(newest) => Err(format!(
            "--out {}: holds the checkpoints of another run, the newest {}; give --resume to go on with it, \
             --fresh to remove them, or another folder",
            args.out.display(),
            newest.display()
        )
        .into()),
    }
}

/// A run, and how it was asked for.
struct Job<'a> {
    args: &'a RunArgs,
    scene: &'a Scene,
    checkpoints: &'a Checkpoints<'a>,
    frames: Option<output::Settings>,
    processor: &'a Processor,
    json: bool,
}

impl Job<'_> {
    fn steps(&self, found: Option<Found>, bar: &ProgressBar) -> Result<Ran, Refused> {
        let (scene, file) = (self.scene, &self.args.scene);
        let end = scene.run.end_time;
        let show = |p| campaigns::show(bar, p);
        let announce = |start: &Start| {
            if !self.json {
                println!("{}", announce::announcement(scene, start));
            }
            start.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
        };
        let interrupt = interrupt::flag()?;
        let from = found.as_ref().map(|found| found.path.clone());
        let options = Options {
            case: file
                .file_stem()
                .map_or_else(|| scene.title.clone(), |stem| stem.to_string_lossy().into_owned()),
            variant: format!("scene {}", file.display()),
            particles_across: 0,
            processor: self.processor.clone(),
            pictures: [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| part * end).to_vec(),
            output: self.frames.clone(),
            progress: Some(&show),
            started: Some(&announce),
            checkpoints: Some(Keep {
                to: self.checkpoints,
                every: self.args.checkpoint_every,
                from: from.as_deref(),
            }),
            interrupt: Some(&interrupt),
        };
        let interval = scene.run.output_interval.unwrap_or(end / 100.0);
        let checkpoint = found.map(|found| {
            found.passed.iter().for_each(|error| eprintln!("warning: passed over: {error}"));
            let header = found.checkpoint.header();
            eprintln!("resumed: {} at step {}, t = {} s", found.path.display(), header.step, header.t);
            found.checkpoint
        });
        let metrics: Vec<Box<dyn Metric>> =
            vec![Box::new(Conservation::every(interval)), Box::new(BodyCurves::every(interval))];
        Ok(run::run(scene, metrics, checkpoint, &options)?)
    }

    /// Writes and tells what the run has left behind.
    fn finish(&self, ran: Ran) -> Result<ExitCode, Refused> {
        let out = &self.args.out;
        let (failure, report) = (ran.result.failure.clone(), ran.result.failure_report.clone());
        let (retries, summary) = (ran.result.retries.clone(), summary(&ran.result));
        ran.result.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
        let command = format!("cargo run --release -- run {}", self.args.scene.display());
        let all = campaign::collect(&self.scene.title, command, self.processor, vec![ran.result]);
        // The input was right and the work is done: this is no refusal.
        let (written, particles) = match &report {
            None => (write(&all, &ran.last, out), "final.vtu"),
            Some(report) => (write_failure(&all, report, &ran.last, out), FAILURE_FILE),
        };
        if let Err(error) = written {
            eprintln!("error: {error}");
            return Ok(ExitCode::from(FAILED));
        }
        if self.json {
            println!("{}", serde_json::to_string(&all)?);
        } else {
            println!("{summary}");
            println!(
                "report: {}\nparticles: {}",
                out.join("index.html").display(),
                out.join(particles).display()
            );
            if let Some(frames) = &self.frames {
                println!("frames: {}", frames.folder.display());
            }
        }
        for Retry { step, t, back_to, scale, reason, .. } in &retries {
            eprintln!("step {step}, t = {t:.6} s: back to step {back_to}, steps times {scale}: {reason}");
        }
        if let Some(checkpoint) = &ran.checkpoint {
            eprintln!("last checkpoint: {}", checkpoint.display());
        }
        let Some(failure) = failure else { return Ok(ExitCode::SUCCESS) };
        eprintln!("the run stopped: {}", report.map_or(failure, |report| report.to_string()));
        if ran.interrupted {
            let (scene, out) = (self.args.scene.display(), out.display());
            eprintln!("go on with: sph run {scene} --out {out} --resume");
            return Ok(ExitCode::from(interrupt::INTERRUPTED));
        }
        Ok(ExitCode::from(FAILED))
    }
}

fn summary(result: &RunResult) -> String {
    let speed = result.particle_steps_per_s().unwrap_or(f64::NAN) * 1e-6;
    let penetrations: String = result
        .scores
        .iter()
        .filter(|score| penetration::is_penetration(score))
        .map(|score| format!("\n{}: {} {}", score.name, Short(score.value), score.note))
        .collect();
    format!(
        "{} steps in {:.2} s: {:.1} steps/s, {speed:.2} million particle-steps/s, {:.4} simulated s per wall s{penetrations}\nlast state: {:.6} s, hash {}",
        result.steps,
        result.wall_s,
        result.steps as f64 / result.wall_s,
        result.simulated_s / result.wall_s,
        result.simulated_s,
        result.state_hash
    )
}

fn write(all: &Comparison, last: &Final, out: &Path) -> Result<(), Refused> {
    report::write(all, Page::Compare, out)?;
    let file = out.join("final.vtu");
    match last {
        Final::Two(simulation) => output::write_vtu(simulation, &file)?,
        Final::Three(simulation) => output::write_vtu(simulation, &file)?,
    }
    Ok(())
}

/// The report, and the particles around the failure. The last state cannot be continued from and may hold numbers
/// that are not finite.
fn write_failure(all: &Comparison, failure: &Failure, last: &Final, out: &Path) -> Result<(), Refused> {
    report::write(all, Page::Compare, out)?;
    match last {
        Final::Two(simulation) => failure.write_vtu(simulation, out)?,
        Final::Three(simulation) => failure.write_vtu(simulation, out)?,
    }
    Ok(())
}
