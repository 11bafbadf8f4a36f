//! Random hostile scenes: whatever a scene says, `sph run` ends, and tells the truth about it.
//!
//! `SPH_HOSTILE` says how many for each method (default 5), `SPH_HOSTILE_FROM` the first seed:
//! `SPH_HOSTILE=3000 cargo test --release -p sph --test command hostile::`. A finding prints its seed; the scenes of seeds in
//! [`KEPT`] are tried always.
#![cfg(unix)]
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]
#![allow(clippy::print_stdout, reason = "what became of the scenes")]

mod scenes;

use bench_suite::{
    output::{AnyFrame, FrameData, Values, read_vtu},
    result::{Comparison, RunResult},
    run::{self, FAILURE_FILE},
    scenes::{self as scene_files, methods::SOLVERS},
    system::processor::Processor,
};
use rayon::prelude::*;
use scenes::{Generator, Tank};
use sph_core::scene::Counts;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

/// Seeds that once made a finding, with the place of their method. Another generator makes other scenes of them: a finding needs
/// a test of its own.
const KEPT: &[(usize, u64)] = &[(2, 2073)];

/// A run is asked to end after so long, `[s]`.
const PATIENCE: f64 = 20.0;
/// It must have ended so long after that, `[s]`.
const GRACE: f64 = 10.0;

/// What the program itself takes beside a run, `[B]`.
const PROGRAM: f64 = 64e6;

/// A run may need more than was planned by this part.
const BEYOND_PLAN: f64 = 0.1;

#[test]
fn whatever_a_scene_says_the_run_tells_the_truth() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |n| n.parse().unwrap());
    let (count, from) = (number("SPH_HOSTILE", 5), number("SPH_HOSTILE_FROM", 0));
    let seeds = (0..SOLVERS.len()).flat_map(|method| (from..from + count).map(move |seed| (method, seed)));
    let all: Vec<_> = KEPT.iter().copied().chain(seeds).collect();
    let generators: Vec<_> = (0..SOLVERS.len()).map(Generator::of).collect();
    let folder = std::env::temp_dir().join(format!("sph-hostile-{}", std::process::id()));
    let verdicts: Vec<_> = all
        .par_iter()
        .map(|&(method, seed)| ((method, seed), Trial::of(&generators[method], seed, &folder).verdict()))
        .collect();
    let mut kinds = BTreeMap::<_, usize>::new();
    let mut findings = Vec::new();
    for ((method, seed), verdict) in verdicts {
        match verdict {
            Ok(kind) => *kinds.entry(format!("{}: {kind}", SOLVERS[method].name)).or_default() += 1,
            Err(finding) => findings.push(format!("({method}, {seed}): {finding}")),
        }
    }
    kinds.iter().for_each(|(kind, n)| println!("{n:6} {kind}"));
    println!("{} scenes, {} findings", all.len(), findings.len());
    // The folders of findings stay.
    assert!(findings.is_empty(), "in {}:\n{}", folder.display(), findings.join("\n"));
    fs::remove_dir_all(&folder).unwrap();
}

/// One scene, and what became of its run.
struct Trial {
    folder: PathBuf,
    tank: Option<Tank>,
    /// Exit code, if no signal ended it.
    code: Option<i32>,
    said: String,
    /// Asked to end, since it took long.
    interrupted: bool,
}

impl Trial {
    fn of(generator: &Generator, seed: u64, folder: &Path) -> Self {
        let (scene, tank) = generator.scene(seed);
        let folder = folder.join(format!("{}-{seed}", generator.method()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("scene.toml"), scene).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sph"));
        command.current_dir(&folder).args(["run", "scene.toml", "--out", "out", "--threads", "1"]);
        command.stdout(Stdio::null()).stderr(fs::File::create(folder.join("stderr")).unwrap());
        let mut child = command.env_remove("SPH_BACKEND").env_remove("SPH_ISA").spawn().unwrap();
        let id = child.id().to_string();
        let (ended, until) = mpsc::channel::<()>();
        let watch = thread::spawn(move || {
            let signals = [(PATIENCE, "-INT"), (GRACE, "-KILL")];
            signals.into_iter().take_while(|&(wait, signal)| send_after(&until, wait, signal, &id)).count()
        });
        let status = child.wait().unwrap();
        drop(ended);
        let interrupted = watch.join().unwrap() > 0;
        let said = fs::read_to_string(folder.join("stderr")).unwrap();
        Self { folder, tank, code: status.code(), said, interrupted }
    }

    /// What kind of end it was, or what is wrong about it. Leaves no folder but that of a finding.
    fn verdict(self) -> Result<String, String> {
        let verdict = self.judge().map_err(|finding| format!("{finding}\n{}", self.said));
        if verdict.is_ok() {
            fs::remove_dir_all(&self.folder).unwrap();
        }
        verdict
    }

    fn judge(&self) -> Result<String, String> {
        if self.said.contains("panicked") {
            return Err("a panic".into());
        }
        match self.code {
            None => Err("ended by a signal, its own or that of this test".into()),
            Some(0) => self.succeeded(),
            Some(1) => self.failed(),
            Some(2) => self.refused(),
            Some(130) if self.interrupted => Ok("interrupted".into()),
            Some(code) => Err(format!("exit code {code}")),
        }
    }

    fn result(&self) -> Result<RunResult, String> {
        let path = self.folder.join("out/results.json");
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut all: Comparison = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        all.results.pop().ok_or_else(|| "no result".into())
    }

    /// A run that succeeded has finite particles in its walls, converged, and kept to its plan.
    fn succeeded(&self) -> Result<String, String> {
        let result = self.result()?;
        if let Some(failure) = result.failure {
            return Err(format!("code 0, although {failure}"));
        }
        let last = read_vtu(&self.folder.join("out/final.vtu")).map_err(|error| error.to_string())?;
        let outside = match &last {
            AnyFrame::Two(frame) => self.look(frame)?,
            AnyFrame::Three(frame) => self.look(frame)?,
        };
        if outside > 0.001 {
            return Err(format!("code 0, although {outside} of the fluid is outside of its tank"));
        }
        self.within_plan(&result)?;
        Ok(if result.warnings.is_empty() { "succeeded" } else { "succeeded with warnings" }.into())
    }

    /// A run that failed says why, and shows where.
    fn failed(&self) -> Result<String, String> {
        let result = self.result()?;
        let Some(report) = &result.failure_report else { return Err("code 1 without a failure".into()) };
        let named = !report.cause.is_empty() && !report.likely_cause.is_empty();
        if !named || !self.said.contains(&report.cause) {
            return Err(format!("the failure has no cause: {report:?}"));
        }
        if report.likely_cause_name == "wall_missing" && self.tank.is_some() {
            return Err("a wall is said to be missing, and none is".into());
        }
        let around = self.folder.join("out").join(FAILURE_FILE);
        if report.culprit.is_some() && !around.is_file() {
            return Err("the particles around the failure were not written".into());
        }
        self.within_plan(&result)?;
        Ok(format!("failed, {}", report.likely_cause_name))
    }

    /// A scene that is refused leaves nothing, and the message says where it is wrong.
    fn refused(&self) -> Result<String, String> {
        if self.folder.join("out").exists() {
            return Err("a refused scene has left a folder".into());
        }
        let place = self.said.lines().any(|line| line.contains("scene.toml:") || line.contains(" = "));
        if place { Ok("refused".into()) } else { Err("refused without a place".into()) }
    }

    /// The part of the fluid that is outside of the tank, after a look at all numbers.
    fn look<const D: usize>(&self, frame: &FrameData<D>) -> Result<f64, String> {
        let finite = |values: &Vec<sph_core::Real>| values.iter().all(|x| x.is_finite());
        let fields = frame.fields.iter().all(|field| match &field.values {
            Values::Scalar(values) => finite(values),
            Values::Vector(axes) => axes.iter().all(finite),
            Values::Count(_) => true,
        });
        if !fields || !frame.x.iter().all(finite) {
            return Err("code 0, although a number is not finite".into());
        }
        let Some(tank) = &self.tank else { return Ok(0.0) };
        let position = |i: usize| frame.x.each_ref().map(|axis| f64::from(axis[i]));
        let outside = (0..frame.id.len()).filter(|&i| !tank.holds(&position(i), frame.spacing)).count();
        Ok(outside as f64 / frame.id.len().max(1) as f64)
    }

    /// The plan of what there is at the start, or of all that emitters may give.
    fn within_plan(&self, result: &RunResult) -> Result<(), String> {
        let scene = scene_files::read(&self.folder.join("scene.toml")).map_err(|error| error.to_string())?;
        let start = result.start.as_ref().ok_or("no plan")?;
        let counts = Counts { fluid: start.n_fluid as f64 + scene.emitted(), walls: start.n_walls as f64 };
        let grown =
            run::memory_plan(&scene, counts, &Processor::default()).map_err(|error| error.to_string())?;
        let planned = if scene.emitted() > 0.0 { grown.total() } else { start.memory };
        let allowed = PROGRAM + (1.0 + BEYOND_PLAN) * planned;
        let bytes = result.memory_bytes_peak.map_or(0.0, |bytes| bytes as f64);
        if bytes <= allowed { Ok(()) } else { Err(format!("{bytes} B, where {planned} B were planned")) }
    }
}

/// Sends a signal to the process, unless it ends within so long, `[s]`. True when the signal was sent.
fn send_after(ended: &Receiver<()>, wait: f64, signal: &str, id: &str) -> bool {
    // The other end is dropped when the process has ended.
    let late = ended.recv_timeout(Duration::from_secs_f64(wait)) == Err(RecvTimeoutError::Timeout);
    late && Command::new("kill").args([signal, id]).status().unwrap().success()
}
