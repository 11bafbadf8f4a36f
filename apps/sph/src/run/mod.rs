//! `sph run`.

mod announce;
mod resume;

use self::announce::Short;
use crate::{
    campaigns,
    output::OutputArgs,
    program::{
        call,
        exit_code::{FAILED, INTERRUPTED},
        print::{note, out},
        scene::SceneArgs,
        taken::Taken,
    },
};
use bench_suite::{
    campaign,
    metrics::{Metric, bodies::BodyCurves, conservation::Conservation, penetration},
    output::{self, OutputError, measures},
    report::{self, Page},
    result::{Comparison, RunResult, failure::Failure, start::Start},
    run::{
        self, FAILURE_FILE, Final, Keep, Options, Ran,
        checkpoints::{Checkpoints, Found},
    },
    scenes,
    system::{processor::Processor, write::Disk},
};
use indicatif::ProgressBar;
use sph_core::{method::failure::Retry, scene::Scene};
use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::Ordering,
};

type Refused = Box<dyn Error + Send + Sync>;

/// What `sph run` is told.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    #[command(flatten)]
    scene: SceneArgs,
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
    let mut scene = args.scene.read(processor)?;
    if let Some(script) = &args.script {
        let script = scenes::read_script(script, &scene)?;
        scene.command.extend(script.command);
    }
    let taken = Taken::take("--out", out, &files())?;
    let checkpoints = Checkpoints::of(out, &Disk);
    let found = match &args.resume {
        Some(named) => Some(resume::find(named.as_deref(), &checkpoints, &mut scene)?),
        None => None,
    };
    let frames = args.frames.settings(&scene, out)?;
    make_way(args, &checkpoints)?;
    let job = Job { args, scene: &scene, taken: &taken, checkpoints: &checkpoints, frames, processor, json };
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

/// What a run writes into its folder; checkpoints have names of their own.
fn files() -> Vec<&'static str> {
    [&report::FILES[..], &[output::FINAL, FAILURE_FILE, output::FRAMES, output::MEASURES]].concat()
}

/// A new run must not leave checkpoints of another one behind, which a later `--resume` would take for its own.
fn make_way(args: &RunArgs, checkpoints: &Checkpoints<'_>) -> Result<(), Refused> {
    match checkpoints.all().first().filter(|_| args.resume.is_none() && !args.fresh) {
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
    taken: &'a Taken,
    checkpoints: &'a Checkpoints<'a>,
    frames: Option<output::Settings>,
    processor: &'a Processor,
    json: bool,
}

impl Job<'_> {
    fn steps(&self, found: Option<Found>, bar: &ProgressBar) -> Result<Ran, Refused> {
        let (scene, file) = (self.scene, &self.args.scene.file);
        let end = scene.run.end_time;
        let show = |p| campaigns::show(bar, p);
        let announce = |start: &Start| {
            if !self.json {
                out!("{}", announce::announcement(scene, start));
            }
            self.taken.looks.store(true, Ordering::Relaxed);
            start.warnings.iter().for_each(|warning| note!("warning: {warning}"));
        };
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
                fresh: self.args.fresh,
            }),
            interrupt: Some(&self.taken.asked),
        };
        let interval = scene.run.output_interval.unwrap_or(end / 100.0);
        let checkpoint = found.map(|found| {
            found.passed.iter().for_each(|error| note!("warning: passed over: {error}"));
            let header = found.checkpoint.header();
            note!("resumed: {} at step {}, t = {} s", found.path.display(), header.step, header.t);
            found.checkpoint
        });
        let metrics: Vec<Box<dyn Metric>> =
            vec![Box::new(Conservation::every(interval)), Box::new(BodyCurves::every(interval))];
        Ok(run::run(scene, metrics, checkpoint, &options)?)
    }

    /// Writes and tells what the run has left behind.
    fn finish(&self, ran: Ran) -> Result<ExitCode, Refused> {
        let Ran { result, last, interrupted, checkpoint } = ran;
        let (failure, report) = (result.failure.clone(), result.failure_report.clone());
        let (retries, summary) = (result.retries.clone(), summary(&result));
        result.warnings.iter().for_each(|warning| note!("warning: {warning}"));
        let all = campaign::collect(&self.scene.title, campaigns::command(), self.processor, vec![result]);
        let (written, particles) = match &report {
            None => (write(&all, &last, &self.args.out), output::FINAL),
            Some(report) => (write_failure(&all, report, &last, &self.args.out), FAILURE_FILE),
        };
        match &written {
            Ok(()) => self.tell(&all, &summary, particles)?,
            // The input was right and the work is done: this is no refusal.
            Err(error) => note!("error: {error}; the run had come to {}", place(&last)),
        }
        for Retry { step, t, back_to, scale, reason, .. } in &retries {
            note!("step {step}, t = {t:.6} s: back to step {back_to}, steps times {scale}: {reason}");
        }
        if let Some(checkpoint) = &checkpoint {
            note!("last checkpoint: {}", checkpoint.display());
        }
        if let Some(failure) = &failure {
            note!("the run stopped: {}", report.as_ref().map_or(failure.clone(), ToString::to_string));
        }
        if failure.is_none() && written.is_ok() {
            return Ok(ExitCode::SUCCESS);
        }
        // A step that failed would fail again; a run that was interrupted, or found the disk full, can go on.
        match (&report, checkpoint) {
            (Some(_), _) => {}
            (None, Some(_)) => note!("go on with: {}", call::resuming()),
            (None, None) => {
                note!("there is no checkpoint to go on from: run it again, with --checkpoint-every")
            }
        }
        Ok(ExitCode::from(if interrupted && written.is_ok() { INTERRUPTED } else { FAILED }))
    }

    /// Prints what the run has come to, and where it is.
    fn tell(&self, all: &Comparison, summary: &str, particles: &str) -> Result<(), Refused> {
        if self.json {
            out!("{}", serde_json::to_string(all)?);
            return Ok(());
        }
        let file = |name: &str| self.args.out.join(name).display().to_string();
        out!("{summary}\nreport: {}\nparticles: {}", file("index.html"), file(particles));
        if let Some(frames) = &self.frames {
            out!("frames: {}", frames.folder.display());
        }
        Ok(())
    }
}

/// Step and time of the last state.
fn place(last: &Final) -> String {
    let (step, t) = match last {
        Final::Two(simulation) => (simulation.state.step, simulation.state.t),
        Final::Three(simulation) => (simulation.state.step, simulation.state.t),
    };
    format!("step {step}, t = {t:.6} s")
}

fn summary(result: &RunResult) -> String {
    let speed = result.particle_steps_per_s().unwrap_or(0.0) * 1e-6;
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
    report::write(all, Page::Run, out)?;
    write_measures(last, out)?;
    let file = out.join(output::FINAL);
    match last {
        Final::Two(simulation) => output::write_vtu(simulation, &file)?,
        Final::Three(simulation) => output::write_vtu(simulation, &file)?,
    }
    Ok(())
}

fn write_measures(last: &Final, out: &Path) -> Result<(), OutputError> {
    measures::write(&last.measured(), &out.join(output::MEASURES))
}

/// The report, and the particles around the failure. The last state cannot be continued from and may hold numbers
/// that are not finite.
fn write_failure(all: &Comparison, failure: &Failure, last: &Final, out: &Path) -> Result<(), Refused> {
    report::write(all, Page::Run, out)?;
    write_measures(last, out)?;
    match last {
        Final::Two(simulation) => failure.write_vtu(simulation, out)?,
        Final::Three(simulation) => failure.write_vtu(simulation, out)?,
    }
    Ok(())
}
