//! Everything that wants a card, in one go: parity, equal bits, the tools of compute-sanitizer, times of steps.
//!
//! Each measurement is this program once more, in a process of its own: a kernel that hangs or faults takes nothing
//! else with it, and a section that runs out of its time says what it did not come to. A rehearsal (`dry_run`) goes
//! through every section with the kernels executed on the processor, and keeps no number of speed.

mod child;
mod page;
mod scenes;

use crate::{
    machine::{self, Machine},
    write::write_atomic,
};
use child::{Children, Ended};
use scenes::Sample;
use serde::Serialize;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    error::Error,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

pub use page::page;

/// What a rehearsal says at its head and its end.
pub const REHEARSED: &str = "no card: nothing here was measured on one";
/// Names of the two files.
pub const FILES: [&str; 2] = ["device-check.json", "device-check.md"];

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder for the two files.
    pub out: PathBuf,
    /// Folder for what the measurements read and write.
    pub work: PathBuf,
    /// The backend, as the option says it: a card, or the emulator for a rehearsal.
    pub backend: String,
    /// True for a rehearsal: tiny sizes, no speeds.
    pub dry_run: bool,
}

/// All that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// When it ended, UTC.
    pub created: String,
    /// Commit of the source, where the program stands in a checkout.
    pub commit: String,
    /// The machine.
    pub machine: Machine,
    /// Where steps ran.
    pub backend: String,
    /// `f32` or `f64`.
    pub precision: &'static str,
    /// For a rehearsal, [`REHEARSED`].
    pub note: Option<&'static str>,
    /// What `sph devices` says.
    pub devices: Value,
    /// Wall-clock time, `[s]`.
    pub seconds: f64,
    /// What was done.
    pub sections: Vec<Section>,
}

/// Some measurements of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct Section {
    /// What it asks.
    pub name: &'static str,
    /// How to read it.
    pub about: &'static str,
    /// Time that it may take, `[s]`.
    pub budget_s: u64,
    /// The measurements.
    pub lines: Vec<Line>,
}

/// One measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// What was measured.
    pub what: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was found.
    pub numbers: BTreeMap<String, Value>,
}

/// How a measurement ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was done, and nothing is wrong.
    Done,
    /// It found a fault, or could not be done.
    Failed(String),
    /// It was not begun, or not finished in its time.
    NotRun(String),
}

impl Check {
    /// True when a measurement failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let mut lines = self.sections.iter().flat_map(|section| &section.lines);
        lines.any(|line| matches!(line.outcome, Outcome::Failed(_)))
    }
}

impl Line {
    fn new(what: impl Into<String>, outcome: Outcome) -> Self {
        Self { what: what.into(), outcome, numbers: BTreeMap::new() }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.numbers.insert(name.into(), value.into());
        self
    }
}

/// A section in progress.
struct Work<'a> {
    options: &'a Options,
    children: &'a Children,
    deadline: Instant,
    /// The sections before this one.
    before: &'a [Section],
    lines: Vec<Line>,
}

/// The sections: name, what it is about, seconds that it may take, and what it does. Together they end well inside of
/// ten minutes.
type Kind = (&'static str, &'static str, u64, fn(&mut Work<'_>));
const SECTIONS: [Kind; 5] = [
    (
        "Parity",
        "The same scene on the cpu and on the backend. Differences after so many steps, particle by particle: in units \
         in the last place of the largest component (ULP), and over it.",
        110,
        parity,
    ),
    (
        "Equal bits",
        "Runs of one scene, each in a process of its own: hashes of all bits of the last state.",
        80,
        repeats,
    ),
    ("compute-sanitizer", "Few steps under each tool, which must find nothing.", 120, sanitize),
    (
        "Copy",
        "A copy within the card, read and written bytes counted; wall time of many copies around one wait for the card.",
        20,
        copy,
    ),
    (
        "Steps",
        "The rivals' dam break after a warm-up: median wall time of a step, which ends with the card's numbers on the \
         host. Bandwidth: the bytes of all fields on the card, once a step; a step moves more, so it is a lower bound.",
        220,
        steps,
    ),
];

/// Does all of it, and writes both files after each section, so that what is ended from outside leaves what it has.
///
/// # Errors
/// When this program cannot be found or a file not be written.
pub fn check(options: &Options, progress: &dyn Fn(&Section)) -> Result<Check, Box<dyn Error + Send + Sync>> {
    let start = Instant::now();
    let children = Children::new(&options.work, &options.backend)?;
    let devices = children.run(&["devices"], start + Duration::from_secs(20));
    let mut check = Check {
        created: machine::utc_now(),
        commit: machine::git_commit(),
        machine: Machine::detect(),
        backend: options.backend.clone(),
        precision: if size_of::<sph_core::Real>() == 4 { "f32" } else { "f64" },
        note: options.dry_run.then_some(REHEARSED),
        devices: devices.json().unwrap_or(Value::Null),
        seconds: 0.0,
        sections: Vec::new(),
    };
    for (name, about, budget_s, run) in SECTIONS {
        let deadline = Instant::now() + Duration::from_secs(budget_s);
        let before = &check.sections;
        let mut work = Work { options, children: &children, deadline, before, lines: Vec::new() };
        run(&mut work);
        let section = Section { name, about, budget_s, lines: work.lines };
        progress(&section);
        check.sections.push(section);
        (check.created, check.seconds) = (machine::utc_now(), start.elapsed().as_secs_f64());
        write(&check, &options.out)?;
    }
    Ok(check)
}

fn write(check: &Check, out: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
    write_atomic(&out.join(FILES[0]), (serde_json::to_string_pretty(check)? + "\n").as_bytes())?;
    Ok(write_atomic(&out.join(FILES[1]), page(check).as_bytes())?)
}

impl Work<'_> {
    /// Runs this program, and makes a line of what it prints: `numbers` takes what counts.
    fn measure(&mut self, what: &str, arguments: &[&str], numbers: impl FnOnce(&Value, Line) -> Line) {
        let ended = self.children.run(arguments, self.deadline);
        let line = match (ended.outcome(), ended.json()) {
            (Outcome::Done, Some(found)) => numbers(&found, Line::new(what, Outcome::Done)),
            (Outcome::Done, None) => Line::new(what, Outcome::Failed("printed no JSON".into())),
            (outcome, _) => Line::new(what, outcome),
        };
        self.lines.push(line);
    }

    /// The file of a scene.
    fn scene(&mut self, sample: &Sample) -> Option<String> {
        match sample.write(&self.options.work, self.options.dry_run) {
            Ok(file) => Some(file.display().to_string()),
            Err(error) => {
                self.lines.push(Line::new(sample.name, Outcome::Failed(error.to_string())));
                None
            }
        }
    }
}

fn parity(work: &mut Work<'_>) {
    let steps = if work.options.dry_run { "1,3" } else { "1,10,100" };
    for sample in scenes::ALL {
        let Some(file) = work.scene(sample) else { continue };
        work.measure(sample.name, &["parity", &file, "--steps", steps], |found, line| {
            let mut line = line.with("particles", found["particles"].clone());
            for moment in found["moments"].as_array().into_iter().flatten() {
                let step = &moment["step"];
                for field in moment["fields"].as_array().into_iter().flatten() {
                    let name = field["name"].as_str().unwrap_or("?");
                    line =
                        line.with(&format!("{name}, p99 and max ULP, step {step}"), pair(&field["in_ulp"]));
                    line = line
                        .with(&format!("{name}, max relative, step {step}"), field["relative"][2].clone());
                }
                for drift in moment["drifts"].as_array().into_iter().flatten() {
                    let name = drift["name"].as_str().unwrap_or("?");
                    line = line.with(&format!("drift of {name}, step {step}"), drift["relative"].clone());
                }
            }
            line
        });
    }
}

/// The last two of three numbers.
fn pair(numbers: &Value) -> Value {
    Value::from(vec![numbers[1].clone(), numbers[2].clone()])
}

fn repeats(work: &mut Work<'_>) {
    let runs = if work.options.dry_run { 3 } else { 20 };
    for sample in scenes::ALL {
        let Some(file) = work.scene(sample) else { continue };
        let mut hashes = Vec::new();
        let mut outcome = Outcome::Done;
        let out = work.options.work.join("run").display().to_string();
        for _ in 0..runs {
            let ended = work.children.run(&["run", &file, "--fresh", "--out", &out], work.deadline);
            outcome = ended.outcome();
            if outcome != Outcome::Done {
                break;
            }
            let found = ended.json().unwrap_or(Value::Null);
            hashes.push(found["results"][0]["state_hash"].as_str().unwrap_or("none").to_owned());
        }
        let done = hashes.len();
        hashes.sort();
        hashes.dedup();
        if hashes.len() > 1 {
            outcome = Outcome::Failed(format!("{} different ends of {done} runs", hashes.len()));
        }
        let line = Line::new(sample.name, outcome).with("runs", done).with("different ends", hashes.len());
        work.lines.push(line);
    }
}

fn sanitize(work: &mut Work<'_>) {
    const TOOLS: [&str; 4] = ["memcheck", "racecheck", "initcheck", "synccheck"];
    let program = child::find("compute-sanitizer", &["/usr/local/cuda/bin"]);
    for tool in TOOLS {
        for sample in scenes::ALL.iter().filter(|sample| sample.is_small) {
            let what = format!("{tool}: {}", sample.name);
            let Some(file) = work.scene(&sample.tiny()) else { continue };
            let outcome = match &program {
                _ if work.options.dry_run => Outcome::NotRun("needs a card".into()),
                None => Outcome::NotRun("compute-sanitizer is not here".into()),
                Some(program) => {
                    let tool = ["--tool", tool, "--error-exitcode", "9"];
                    let parity = ["parity", &file, "--steps", "2"];
                    work.children.run_under(program, &tool, &parity, work.deadline).outcome()
                }
            };
            work.lines.push(Line::new(what, outcome));
        }
    }
}

fn copy(work: &mut Work<'_>) {
    let what = "copy of 1 GiB";
    if work.options.dry_run {
        work.lines.push(Line::new(what, Outcome::NotRun("needs a card".into())));
        return;
    }
    work.measure(what, &["bench", "copy", "--mib", "1024"], |found, line| {
        line.with("GB/s", found["gb_per_s"].clone()).with("copies", found["copies"].clone())
    });
}

/// Methods whose steps are timed, and the options of `sph bench step` that ask for them.
const METHODS: [(&str, &[&str]); 6] = [
    ("wcsph", &["--solver=wcsph"]),
    ("pbf", &["--solver=pbf"]),
    ("viscoelastic", &["--solver=viscoelastic"]),
    ("viscoelastic, springs", &["--solver=viscoelastic", "--springs"]),
    ("viscoelastic, jacobi", &["--solver=viscoelastic", "--mode=jacobi"]),
    ("projection", &["--solver=projection"]),
];

fn steps(work: &mut Work<'_>) {
    let sizes: &[&str] = if work.options.dry_run { &["2", "3"] } else { &["29", "63", "100", "159"] };
    let (warmup, steps) = if work.options.dry_run { ("1", "2") } else { ("10", "50") };
    let mut before = work.before.iter().flat_map(|section| &section.lines);
    let copied = before.find_map(|line| line.numbers.get("GB/s").and_then(Value::as_f64));
    // The largest come last, since they are what the time may not suffice for.
    for m in sizes {
        for (method, options) in METHODS {
            let what = format!("{method}, blocks of 4 · {m}³ particles");
            let size = ["--m", m, "--warmup", warmup, "--steps", steps];
            let arguments = [&["bench", "step"], options, &size[..]].concat();
            let dry_run = work.options.dry_run;
            work.measure(&what, &arguments, |found, line| {
                let line = line.with("particles", found["particles"].clone());
                // Speeds of the emulator say nothing of a card.
                if dry_run { line } else { with_speeds(line, found, copied) }
            });
        }
    }
}

/// Times and bandwidth of a step.
fn with_speeds(line: Line, found: &Value, copied: Option<f64>) -> Line {
    let number = |name: &str| found[name].as_f64().unwrap_or(f64::NAN);
    let bandwidth = number("backend_bytes") / number("ms_per_step") * 1e-6;
    let line = line
        .with("ms a step", number("ms_per_step"))
        .with("ms at best", number("ms_min"))
        .with("million particle-steps/s", number("million_per_second"))
        .with("bytes a particle", number("backend_bytes") / number("particles"))
        .with("GB/s, at least", bandwidth);
    match copied {
        Some(copied) => line.with("% of the copy, at least", 100.0 * bandwidth / copied),
        None => line,
    }
}

impl Ended {
    /// How a measurement in this process ended.
    fn outcome(&self) -> Outcome {
        match self {
            Self::Done { .. } => Outcome::Done,
            Self::Refused(reason) | Self::Failed(reason) => Outcome::Failed(reason.clone()),
            Self::OutOfTime => Outcome::NotRun("the time of the section is over".into()),
        }
    }

    /// What it printed for machines.
    fn json(&self) -> Option<Value> {
        match self {
            Self::Done { printed } => serde_json::from_str(printed).ok(),
            _ => None,
        }
    }
}
