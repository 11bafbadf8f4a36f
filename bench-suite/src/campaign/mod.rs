//! Comparison and validation: which runs, and what becomes of them.

pub mod folder;
mod plan;
pub mod registry;
pub mod score;
mod store;

pub use plan::{Effort, Wanted, comparison, plan, validation};
pub use store::Store;

use crate::{
    campaign::registry::Variant,
    cases::Case,
    metrics::{Outcome, penetration},
    result::{CaseInfo, Comparison, RunResult},
    run::{self, Options, Progress, Ran},
    scenes::set::Settings,
    system::{machine, processor::Processor},
};
use sph_core::{error::Error, scene::Scene};

/// One run to do.
#[derive(Clone)]
pub struct Job<'a> {
    /// The case.
    pub case: &'a dyn Case,
    /// The method and its settings.
    pub variant: &'static Variant,
    /// Particles across.
    pub n: usize,
    /// Other values at some keys of its scene.
    pub settings: Settings,
    /// Whether it leaves pictures: those of the finest run of a method are shown.
    pub is_pictured: bool,
}

impl<'a> Job<'a> {
    /// A run as the case and the variant have it.
    pub fn new(case: &'a dyn Case, variant: &'static Variant, n: usize) -> Self {
        Self { case, variant, n, settings: Settings::default(), is_pictured: true }
    }

    /// Its scene.
    ///
    /// # Errors
    /// When the case is not for the method, or a setting is refused.
    pub fn scene(&self) -> Result<Scene, Error> {
        let scene = self.variant.scene(self.case, self.n).ok_or_else(|| {
            Error::new(format!("the case {} is not for the variant {}", self.case.name(), self.variant.name))
        })?;
        self.settings.applied(scene)
    }
}

/// Runs one job.
///
/// # Errors
/// When the case is not for the method, or its scene is refused, which is a mistake in the case.
pub fn run(
    job: &Job<'_>,
    processor: &Processor,
    progress: Option<&dyn Fn(Progress)>,
) -> Result<RunResult, Error> {
    let scene = job.scene()?;
    let options = Options {
        case: job.case.name().into(),
        variant: job.variant.label.into(),
        particles_across: job.n,
        processor: processor.clone(),
        pictures: if job.is_pictured { job.case.pictures() } else { Vec::new() },
        output: None,
        progress,
        started: None,
        checkpoints: None,
        interrupt: None,
    };
    let Ran { mut result, last, .. } = run::run(&scene, job.case.metrics(&scene), None, &options)?;
    let Outcome { scores, series, fits } = job.case.judge(&last.measured());
    result.settings = job.settings.texts();
    result.scores.splice(0..0, scores);
    result.series.extend(series);
    result.fits.extend(fits);
    // What is compared is shown first.
    let references = job.case.references();
    result.series.sort_by_key(|series| !references.iter().any(|curve| curve.series == series.name));
    if let Some(deepest) = job.case.deepest_penetration() {
        penetration::judge(&mut result.scores, deepest);
    }
    Ok(result)
}

/// How often a short run is timed.
const TIMED: usize = 3;
/// What counts as short, `[s]`.
const SHORT: f64 = 1.0;

/// Runs one job, three times if it is short: its wall time is the median, and all of them are kept.
///
/// # Errors
/// As [`run()`], and when repeated runs end in different states.
pub fn run_timed(
    job: &Job<'_>,
    processor: &Processor,
    progress: Option<&dyn Fn(Progress)>,
) -> Result<RunResult, Error> {
    let mut result = run(job, processor, progress)?;
    result.timings_s = vec![result.wall_s];
    while result.failure.is_none() && result.timings_s.len() < TIMED && result.wall_s < SHORT {
        let again = run(job, processor, progress)?;
        if again.state_hash != result.state_hash {
            return Err(Error::new(format!(
                "{}, {}, {} across: equal runs end in the states {} and {}",
                job.case.name(),
                job.variant.name,
                job.n,
                result.state_hash,
                again.state_hash
            )));
        }
        result.timings_s.push(again.wall_s);
    }
    result.timings_s.sort_by(f64::total_cmp);
    let middle = result.timings_s[result.timings_s.len() / 2];
    // Times of phases are those of the first run, scaled to the one that counts.
    result.phases.iter_mut().for_each(|phase| phase.seconds *= middle / result.wall_s);
    result.wall_s = middle;
    Ok(result)
}

/// The cases of some jobs.
pub fn cases<'a>(jobs: &[Job<'a>]) -> Vec<&'a dyn Case> {
    let mut cases: Vec<&dyn Case> = jobs.iter().map(|job| job.case).collect();
    cases.dedup_by_key(|case| case.name().to_owned());
    cases
}

/// Results with what their cases are, and are compared with.
pub fn with_cases(all: Comparison, cases: &[&dyn Case]) -> Comparison {
    let info = |case: &&dyn Case| CaseInfo {
        name: case.name().into(),
        about: case.about().into(),
        is_exact: case.is_exact(),
    };
    let references = cases.iter().flat_map(|case| case.references()).collect();
    Comparison { cases: cases.iter().map(info).collect(), references, ..all }
}

/// Results with everything that makes them reproducible.
pub fn collect(title: &str, command: String, processor: &Processor, results: Vec<RunResult>) -> Comparison {
    Comparison {
        title: title.into(),
        created: machine::utc_now(),
        commit: machine::git_commit(),
        command,
        machine: machine::Machine::detect(),
        note: processor.note.clone(),
        results,
        ..Comparison::default()
    }
}
