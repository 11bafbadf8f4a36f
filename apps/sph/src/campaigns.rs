//! `sph compare`, `sph validate`, `sph score`, `sph report`.

use crate::program::{
    call,
    exit_code::FAILED,
    print::{note, out},
    taken::Taken,
};
use bench_suite::{
    campaign::{
        self, Effort, Job, Store, Wanted,
        folder::{self, FolderCase},
        registry,
        score::{self, Frames},
    },
    cases::{Case, walls},
    report::{self, Page, against, figures},
    result::{Comparison, RunResult, number},
    run::Progress,
    scenes::set::{Settings, Sweep},
    system::processor::Processor,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::{
    collections::HashMap,
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
};

type Outcome = Result<ExitCode, Box<dyn Error + Send + Sync>>;

/// The effort that the flags ask for.
pub fn effort(quick: bool, full: bool) -> Effort {
    match (quick, full) {
        (true, _) => Effort::Quick,
        (_, true) => Effort::Full,
        _ => Effort::Default,
    }
}

/// The names among `cases`, and the folders, read and checked: what is no name of a case may be the path of one.
///
/// # Errors
/// When it is neither, or something in the folder is wrong.
fn sorted(cases: &[String]) -> Result<(Vec<String>, Vec<FolderCase>), Box<dyn Error + Send + Sync>> {
    let known = case_names();
    let is_folder = |name: &&String| !known.contains(&name.as_str()) && FolderCase::is_one(Path::new(name));
    let (folders, names): (Vec<&String>, Vec<&String>) = cases.iter().partition(is_folder);
    let names: Vec<String> = names.into_iter().cloned().collect();
    check_names("case", &names, &known)?;
    let folders = folders.into_iter().map(|folder| FolderCase::read(Path::new(folder)));
    let folders: Vec<FolderCase> = folders.collect::<Result<_, _>>()?;
    for (k, case) in folders.iter().enumerate() {
        let chosen = names.iter().map(String::as_str).chain(folders[..k].iter().map(Case::name));
        if chosen.into_iter().any(|other| other == case.name()) {
            return Err(format!(
                "--case {:?}: another case of this name is chosen, too; rename the folder",
                case.name()
            )
            .into());
        }
    }
    Ok((names, folders))
}

/// Refuses names that do not exist before anything is run.
fn check_names(kind: &str, given: &[String], known: &[&str]) -> Result<(), String> {
    match given.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) if kind == "case" => {
            let known = known.join(", ");
            Err(format!("--case {name:?} is unknown, and no folder with a case.toml; there are {known}"))
        }
        Some(name) => Err(format!("--{kind} {name:?} is unknown; there are {}", known.join(", "))),
        None => Ok(()),
    }
}

fn case_names() -> Vec<&'static str> {
    registry::all_cases().map(|case| case.name()).chain([walls::GROUP]).collect()
}

/// What `sph compare` and `sph validate` are told.
#[derive(Debug, clap::Args)]
pub struct CasesArgs {
    /// Only these cases, or folders with a `case.toml`.
    #[arg(long = "case", value_name = "NAME|FOLDER")]
    cases: Vec<String>,
    /// Gives a key of the scenes another value, or several in turn; again for a grid.
    #[arg(long, value_name = "KEY=VALUE[,VALUE...]")]
    set: Vec<Sweep>,
}

/// Methods side by side.
pub fn compare(
    effort: Effort,
    CasesArgs { cases, set }: &CasesArgs,
    variants: &[String],
    out: &Path,
    processor: &Processor,
    json: bool,
) -> Outcome {
    let (cases, folders) = sorted(cases)?;
    check_names("variant", variants, &registry::VARIANTS.iter().map(|v| v.name).collect::<Vec<_>>())?;
    let settings = Settings::grid(set)?;
    let wanted = Wanted { cases: &cases, folders: &folders, variants, settings: &settings };
    let jobs = campaign::comparison(effort, &wanted)?;
    run_all("Particle fluids compared", &jobs, campaign::run_timed, Page::Compare, out, processor, json)
}

/// Published numbers, met or missed.
pub fn validate(
    CasesArgs { cases, set }: &CasesArgs,
    out: &Path,
    processor: &Processor,
    json: bool,
) -> Outcome {
    let (cases, folders) = sorted(cases)?;
    let jobs = campaign::validation(&cases, &folders, &Settings::grid(set)?)?;
    run_all("Validation", &jobs, campaign::run, Page::Validate, out, processor, json)
}

/// What `sph score` is told.
#[derive(Debug, clap::Args)]
pub struct ScoreArgs {
    /// A case that is a folder: its path, or its name if it is built in.
    case: String,
    /// Folder with the frames, one moment each.
    frames: PathBuf,
    /// Particles across the reference length of the case; the resolution of its bands if left out.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    across: Option<u32>,
    /// What reports call the program that made them; the name of the folder if left out.
    #[arg(long)]
    label: Option<String>,
    /// Time that the program took for its steps, as it says: reports then show what the error costs, `[s]`.
    #[arg(long, value_parser = positive)]
    wall_time: Option<f64>,
    /// Folder for the report.
    #[arg(long, short, default_value = "results/score")]
    out: PathBuf,
}

fn positive(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| *value > 0.0 && value.is_finite());
    value.ok_or_else(|| "must lie in (0, inf) [s]".into())
}

/// Frames of any program, by the measures of a case.
pub fn score(args: &ScoreArgs, json: bool) -> Outcome {
    let read;
    let case = match folder::built_in().iter().find(|known| known.name() == args.case) {
        Some(known) => known,
        None if FolderCase::is_one(Path::new(&args.case)) => {
            read = FolderCase::read(Path::new(&args.case))?;
            &read
        }
        None => {
            let known = folder::built_in().iter().map(Case::name).collect::<Vec<_>>().join(", ");
            let error =
                format!("CASE {:?}: is no folder with a case.toml; built-in ones are {known}", args.case);
            return Err(error.into());
        }
    };
    let _taken = Taken::take("--out", &args.out, &report::FILES)?;
    let name = args.frames.file_name().map_or_else(|| "frames".into(), |name| name.to_string_lossy());
    let across = args.across.map_or(case.resolution(), |n| n as usize);
    let frames = Frames { folder: &args.frames, across, label: args.label.as_deref().unwrap_or(&name) };
    let result = RunResult { wall_s: args.wall_time.unwrap_or(0.0), ..score::score(case, &frames)? };
    let all = campaign::collect("Frames scored", command(), &Processor::default(), vec![result]);
    finish(&campaign::with_cases(all, &[case]), Page::Validate, &args.out, json)
}

/// What `sph report` is told.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Folder with a results.json; several are joined into one page.
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Folder for the page; that of the results if there is one.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// As a validation, not a comparison.
    #[arg(long)]
    validation: bool,
    /// Says what changed since these results, and ends with 1 where a band was lost or a run has slowed down by more than 5 %
    /// with all its times.
    #[arg(long, value_name = "FOLDER")]
    against: Option<PathBuf>,
}

/// The report of stored results.
pub fn report(ReportArgs { folders, out, validation, against }: &ReportArgs) -> Outcome {
    let read = |folder: &PathBuf| report::load(&folder.join("results.json"));
    let old = against.as_ref().map(read).transpose()?;
    let mut sets: Vec<_> = folders.iter().map(read).collect::<Result<_, _>>()?;
    let (name, out) = match (out, folders.as_slice()) {
        (Some(out), _) => ("--out", out),
        (None, [folder]) => ("FOLDER", folder),
        _ => return Err("--out: must be given, since results of several folders are joined there".into()),
    };
    let others = sets.split_off(1);
    let all = sets.swap_remove(0).joined(others);
    if let Some(run) = figures::twice(&all) {
        let (case, method) = (&run.case, figures::method_name(run));
        return Err(format!(
            "FOLDER: {case}, {method}, is there twice at one resolution; --label names frames that are scored"
        )
        .into());
    }
    let changes = old.map(|old| against::changes(&all, &old));
    if let (Some(folder), Some(0)) = (against, changes.as_ref().map(|changes| changes.n_both)) {
        return Err(format!("--against {}: has none of these runs", folder.display()).into());
    }
    let _taken = Taken::take(name, out, &report::FILES)?;
    report::write(&all, if *validation { Page::Validate } else { Page::of(&all) }, out)?;
    out!("{}", out.join("index.html").display());
    let Some(changes) = changes else { return Ok(ExitCode::SUCCESS) };
    out!(
        "{}{} runs in both, {} in one alone; {} came to something else, {} bands lost; of {} whose times can be compared {} are slower",
        changes.table,
        changes.n_both,
        changes.n_alone,
        changes.n_physics,
        changes.n_lost,
        changes.n_timed,
        changes.n_slower
    );
    Ok(if changes.are_fine() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// What reports say of how they were made.
pub fn command() -> String {
    format!("cargo run --release -- {}", call::arguments())
}

/// How a run is done.
type Run = fn(&Job<'_>, &Processor, Option<&dyn Fn(Progress)>) -> Result<RunResult, sph_core::error::Error>;

/// Does runs, and writes their page. Those that an interrupted call has done are taken as they are.
fn run_all(
    title: &str,
    jobs: &[Job<'_>],
    run: Run,
    page: Page,
    out: &Path,
    processor: &Processor,
    json: bool,
) -> Outcome {
    let _taken = Taken::take("--out", out, &[&report::FILES[..], &[Store::FILE]].concat())?;
    let mut store = Store::open(out, processor)?;
    let done: Vec<_> = jobs.iter().map(|job| store.find(job)).collect();
    let n_done = done.iter().flatten().count();
    if n_done > 0 {
        note!("going on: {n_done} of {} runs are done", jobs.len());
    }
    let mut results = Vec::new();
    let mut left = TimeLeft::of(jobs);
    for (k, (job, done)) in jobs.iter().zip(done).enumerate() {
        let name =
            format!("{}/{} {} n = {}, {}", k + 1, jobs.len(), job.case.name(), job.n, job.variant.name);
        let result = match done {
            Some(result) => result,
            None => {
                let bar = bar(&format!("{name}{}", left.words()));
                let result = run(job, processor, Some(&|p| show(&bar, p)))?;
                bar.finish_and_clear();
                store.keep(job, &result)?;
                result
            }
        };
        left.count(job, &result);
        results.push(result);
    }
    let all = campaign::collect(title, command(), processor, results);
    let all = campaign::with_cases(all, &campaign::cases(jobs));
    let code = finish(&all, page, out, json)?;
    store.finish()?;
    Ok(code)
}

/// The time that a campaign still takes, from the runs that are done: that of one grows with `nᵈ⁺¹`, particles times steps.
struct TimeLeft<'a> {
    jobs: &'a [Job<'a>],
    n_done: usize,
    seconds: f64,
    work: f64,
    /// Time of a unit of work by case and variant `[s]`.
    of: HashMap<(&'a str, &'a str), f64>,
}

impl<'a> TimeLeft<'a> {
    fn of(jobs: &'a [Job<'a>]) -> Self {
        Self { jobs, n_done: 0, seconds: 0.0, work: 0.0, of: HashMap::new() }
    }

    fn work(job: &Job<'_>) -> f64 {
        (job.n as f64).powi(i32::from(job.case.scene(job.n).dim) + 1)
    }

    fn count(&mut self, job: &Job<'a>, result: &RunResult) {
        let seconds = result.timings_s.iter().sum::<f64>().max(result.wall_s);
        let work = Self::work(job);
        self.n_done += 1;
        self.seconds += seconds;
        self.work += work;
        self.of.insert((job.case.name(), job.variant.name), seconds / work);
    }

    fn words(&self) -> String {
        if self.n_done == 0 {
            return String::new();
        }
        let average = self.seconds / self.work;
        let of = |job: &Job<'_>| {
            let known = self.of.get(&(job.case.name(), job.variant.name));
            known.unwrap_or(&average) * Self::work(job)
        };
        let seconds: f64 = self.jobs[self.n_done..].iter().map(of).sum();
        format!(", about {} left in all", number::duration(seconds.round()))
    }
}

/// A progress bar for one run.
pub fn bar(name: &str) -> ProgressBar {
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:30} {percent}% ETA {eta} {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(name.to_owned());
    bar
}

/// Shows where a run is.
pub fn show(bar: &ProgressBar, p: Progress) {
    bar.set_position((1000.0 * p.t / p.end) as u64);
    let ratio = p.t / p.wall;
    bar.set_message(format!("t = {:.3} s, {:.0} steps/s, {ratio:.3} s/s", p.t, p.steps as f64 / p.wall));
}

fn finish(all: &Comparison, page: Page, out: &Path, json: bool) -> Outcome {
    report::write(all, page, out)?;
    if json {
        out!("{}", serde_json::to_string(all)?);
    } else {
        print_table(&all.results);
        let [failed, missed, judged] = counts(&all.results);
        out!("\n{failed} of {} runs failed, {missed} of {judged} bands missed", all.results.len());
        out!("report: {}", out.join("index.html").display());
    }
    // Whatever is shown as failed or missed counts, on every page.
    let [failed, missed, _] = counts(&all.results);
    Ok(if (failed, missed) == (0, 0) { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Runs that failed, bands that were missed, and bands that were judged.
fn counts(results: &[RunResult]) -> [usize; 3] {
    let failed = results.iter().filter(|run| run.failure.is_some()).count();
    let (met, judged) =
        results.iter().map(RunResult::bands).fold((0, 0), |(m, n), (met, set)| (m + met, n + set));
    [failed, judged - met, judged]
}

fn print_table(results: &[RunResult]) {
    for r in results {
        // Frames that were scored have taken no step.
        let time =
            if r.steps > 0 { format!(": {:.2} s wall, {} steps", r.wall_s, r.steps) } else { String::new() };
        out!("{} n = {}, {}{time}", r.case, r.particles_across, r.variant);
        if let Some(failure) = &r.failure {
            out!("    FAILED: {failure}");
        }
        for s in &r.scores {
            let verdict = match (&r.failure, s.passed) {
                (_, None) => "      ",
                (None, Some(true)) => "met   ",
                _ => "MISSED", // a failed run meets no band
            };
            let unit = if s.unit == "-" { "" } else { &s.unit };
            out!("    {verdict} {} = {:.5} {unit} {}", s.name, s.value, s.note);
        }
    }
}
