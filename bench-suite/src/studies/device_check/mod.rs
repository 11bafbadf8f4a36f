//! All checks that need a GPU, in sections that each end within eight minutes: parity, equal bits, times of steps and
//! of kernels, variants of the kernels, compute-sanitizer.
//!
//! Each line is this program once more, in a process of its own: a kernel that hangs or faults takes nothing else with
//! it, and what a section did not come to in its time is said. Both files are written after every line, so that a check
//! that is ended from outside leaves what it has; a later call adds its sections to those that are there. Each line
//! passes or fails by a bound that was stated before. A rehearsal (`dry_run`) goes through every section with the
//! kernels executed on the processor, and reports no speed.

pub mod bits;
pub mod child;
mod gpu;
pub mod kernels;
mod page;
pub mod parity;
mod sanitizer;
pub mod scenes;
mod steps;
pub mod variants;

use crate::system::{
    machine::{self, Machine},
    write::write_atomic,
};
use child::{Children, Ended};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

pub use page::page;

/// What a rehearsal says at its head and its end.
pub const REHEARSED: &str = "no GPU: nothing here was measured on one";
/// Names of the two files.
pub const FILES: [&str; 2] = ["device-check.json", "device-check.md"];

/// A section, the most telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Fields of the CPU and of the GPU after the same steps.
    Parity,
    /// Hashes of all bits: beside the emulator, and of repeated runs.
    Bits,
    /// Times of steps, launches, copies and memory.
    Steps,
    /// Times of kernels.
    Kernels,
    /// WCSPH with other neighbor loops.
    Variants,
    /// The tools of compute-sanitizer.
    Sanitizer,
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder for the two files.
    pub out: PathBuf,
    /// Folder for what the measurements read and write.
    pub work: PathBuf,
    /// The backend, as the option says it: a GPU, or the emulator for a rehearsal.
    pub backend: String,
    /// The sections, in this order.
    pub sections: Vec<Kind>,
    /// What was recorded when this program was packed.
    pub package: Option<PathBuf>,
    /// True for a rehearsal: tiny sizes, no speeds.
    pub dry_run: bool,
}

/// All that was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    /// When it was written, UTC.
    pub created: String,
    /// Commit of the source.
    pub commit: String,
    /// What was recorded when the program was packed, if it was.
    pub package: Value,
    /// The machine.
    pub machine: Machine,
    /// Where steps ran.
    pub backend: String,
    /// `f32` or `f64`.
    pub precision: String,
    /// For a rehearsal, [`REHEARSED`].
    pub note: Option<String>,
    /// What `sph devices` says.
    pub devices: Value,
    /// What was done.
    pub sections: Vec<Section>,
}

/// Lines of one kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Section {
    /// What it asks.
    pub name: String,
    /// How to read it, and what its verdicts rest on.
    pub about: String,
    /// Time that it may take, `[s]`.
    pub budget_s: u64,
    /// Time that it took, `[s]`.
    pub seconds: f64,
    /// Clocks, temperature and power of the GPU before and after.
    pub clocks: Vec<String>,
    /// The measurements.
    pub lines: Vec<Line>,
}

/// One measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// What was measured.
    pub what: String,
    /// Whether it is right.
    pub verdict: Verdict,
    /// What was found.
    pub numbers: BTreeMap<String, Value>,
}

/// Whether a measurement is right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was done and lies within its bounds.
    Passed,
    /// It lies outside of a bound, or could not be done.
    Failed(String),
    /// It was not begun, or not finished in its time.
    NotRun(String),
}

impl Check {
    /// How many lines passed, failed, and were not run.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        self.sections.iter().map(Section::counts).fold([0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    }

    /// True when a line failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.counts()[1] > 0
    }
}

impl Section {
    /// How many lines passed, failed, and were not run.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for line in &self.lines {
            counts[match line.verdict {
                Verdict::Passed => 0,
                Verdict::Failed(_) => 1,
                Verdict::NotRun(_) => 2,
            }] += 1;
        }
        counts
    }
}

impl Line {
    /// A line without numbers.
    pub fn new(what: impl Into<String>, verdict: Verdict) -> Self {
        Self { what: what.into(), verdict, numbers: BTreeMap::new() }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.numbers.insert(name.into(), value.into());
        self
    }

    /// Fails with a reason unless `right`; a failure that is there stays.
    fn require(mut self, right: bool, reason: impl FnOnce() -> String) -> Self {
        if !right && self.verdict == Verdict::Passed {
            self.verdict = Verdict::Failed(reason());
        }
        self
    }
}

/// What a section is: its name, how to read it, the seconds that it may take, and what it does.
struct Plan {
    name: &'static str,
    about: &'static str,
    budget_s: u64,
    run: fn(&mut Work<'_>) -> Written,
}

impl Kind {
    /// All of them, in their order.
    pub const ALL: [Self; 6] =
        [Self::Parity, Self::Bits, Self::Steps, Self::Kernels, Self::Variants, Self::Sanitizer];

    fn plan(self) -> Plan {
        match self {
            Self::Parity => parity::PLAN,
            Self::Bits => bits::PLAN,
            Self::Steps => steps::PLAN,
            Self::Kernels => kernels::PLAN,
            Self::Variants => variants::PLAN,
            Self::Sanitizer => sanitizer::PLAN,
        }
    }
}

/// An error that ends a check: a file that cannot be written.
type Broken = Box<dyn Error + Send + Sync>;
/// A line that was written.
type Written = Result<(), Broken>;

/// A section in progress, the last of the check.
struct Work<'a> {
    options: &'a Options,
    children: &'a Children,
    deadline: Instant,
    check: &'a mut Check,
    progress: &'a dyn Fn(&Line),
}

/// Does the sections, and writes both files after each line.
///
/// # Errors
/// When this program cannot be found, a file not be written, or the folder holds a check of something else.
pub fn check(options: &Options, progress: &dyn Fn(&Line)) -> Result<Check, Broken> {
    let children = Children::new(&options.work, &options.backend)?;
    let mut check = begin(options, &children)?;
    for kind in &options.sections {
        let plan = kind.plan();
        check.sections.retain(|section| section.name != plan.name);
        check.sections.push(Section {
            name: plan.name.into(),
            about: plan.about.into(),
            budget_s: plan.budget_s,
            seconds: 0.0,
            clocks: gpu::clocks(&options.backend).into_iter().collect(),
            lines: Vec::new(),
        });
        let start = Instant::now();
        let deadline = start + Duration::from_secs(plan.budget_s);
        let mut work = Work { options, children: &children, deadline, check: &mut check, progress };
        (plan.run)(&mut work)?;
        if let Some(section) = check.sections.last_mut() {
            section.seconds = start.elapsed().as_secs_f64();
            section.clocks.extend(gpu::clocks(&options.backend));
        }
        write(&mut check, &options.out)?;
    }
    Ok(check)
}

/// The check that the folder holds, or a new one.
fn begin(options: &Options, children: &Children) -> Result<Check, Broken> {
    let package = match &options.package {
        Some(file) => serde_json::from_str(&fs::read_to_string(file)?)?,
        None => Value::Null,
    };
    let commit = package["commit"].as_str().map_or_else(machine::git_commit, str::to_owned);
    let devices = children.run(&["devices"], Instant::now() + Duration::from_secs(30));
    let new = Check {
        created: machine::utc_now(),
        commit,
        package,
        machine: Machine::detect(),
        backend: options.backend.clone(),
        precision: if size_of::<sph_core::Real>() == 4 { "f32" } else { "f64" }.into(),
        note: options.dry_run.then(|| REHEARSED.into()),
        devices: devices.json().unwrap_or(Value::Null),
        sections: Vec::new(),
    };
    let file = options.out.join(FILES[0]);
    let Ok(text) = fs::read_to_string(&file) else { return Ok(new) };
    let old: Check = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let of = |check: &Check| [&check.commit, &check.backend, &check.precision].map(Clone::clone);
    if of(&old) != of(&new) {
        let [old, new] = [of(&old), of(&new)].map(|of| of.join(", "));
        return Err(
            format!("{}: holds a check of {old}, this is {new}; use another --out", file.display()).into()
        );
    }
    Ok(Check { sections: old.sections, ..new })
}

fn write(check: &mut Check, out: &Path) -> Written {
    check.created = machine::utc_now();
    write_atomic(&out.join(FILES[0]), (serde_json::to_string_pretty(check)? + "\n").as_bytes())?;
    Ok(write_atomic(&out.join(FILES[1]), page(check).as_bytes())?)
}

impl Work<'_> {
    /// Takes a line into the section, and writes both files.
    fn push(&mut self, line: Line) -> Written {
        (self.progress)(&line);
        if let Some(section) = self.check.sections.last_mut() {
            section.lines.push(line);
        }
        write(self.check, &self.options.out)
    }

    /// Runs this program. What fails on a GPU is run once more with every launch waited for, so that it names its kernel.
    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        let ended = self.children.run_with(arguments, variables, self.deadline);
        let (Verdict::Failed(reason), false) = (ended.verdict(), self.options.dry_run) else { return ended };
        let waiting = [variables, &[("SPH_CUDA_WAIT", "1")]].concat();
        let again = self.children.run_with(arguments, &waiting, self.deadline);
        Ended::Failed(match again.verdict() {
            Verdict::Failed(named) => format!("{reason}; with every launch waited for: {named}"),
            Verdict::Passed => format!("{reason}; not when every launch is waited for"),
            Verdict::NotRun(_) => reason,
        })
    }

    /// Runs this program, and makes a line of what it prints: `numbers` takes what counts.
    fn measure(
        &mut self,
        what: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
        numbers: impl FnOnce(&Value, Line) -> Line,
    ) -> Written {
        let ended = self.run(arguments, variables);
        let line = match (ended.verdict(), ended.json()) {
            (Verdict::Passed, Some(found)) => numbers(&found, Line::new(what, Verdict::Passed)),
            (Verdict::Passed, None) => Line::new(what, Verdict::Failed("printed no JSON".into())),
            (verdict, _) => Line::new(what, verdict),
        };
        self.push(line)
    }

    /// Writes the file of a scene.
    fn scene(&self, name: &str, text: &str) -> Result<String, Broken> {
        let file = self.options.work.join(format!("{}.toml", name.replace([' ', ','], "-")));
        write_atomic(&file, text.as_bytes())?;
        Ok(file.display().to_string())
    }

    /// Says of a line that it needs a GPU.
    fn needs_gpu(&mut self, what: impl Into<String>) -> Written {
        self.push(Line::new(what, Verdict::NotRun("needs a GPU".into())))
    }
}

impl Ended {
    /// Whether the measurement in this process was done.
    fn verdict(&self) -> Verdict {
        match self {
            Self::Done { .. } => Verdict::Passed,
            Self::Refused(reason) | Self::Failed(reason) => Verdict::Failed(reason.clone()),
            Self::OutOfTime => Verdict::NotRun("the time of the section is over".into()),
        }
    }

    /// What it printed for machines.
    fn json(&self) -> Option<Value> {
        self.printed().and_then(|printed| serde_json::from_str(printed).ok())
    }
}
