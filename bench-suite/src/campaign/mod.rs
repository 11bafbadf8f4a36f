//! Comparison and validation: which runs, and what becomes of them.

pub mod folder;
pub mod golden;
pub mod registry;
pub mod score;

use crate::{
    campaign::{folder::FolderCase, registry::Variant},
    cases::Case,
    metrics::{Outcome, penetration},
    result::{Comparison, ReferenceCurve, RunResult},
    run::{self, Options, Progress, Ran},
    system::{machine, processor::Processor},
};
use sph_core::error::Error;
use std::fmt::{self, Display, Formatter};

/// How much of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Seconds: shows that everything works.
    Quick,
    /// Under two minutes on two cores.
    Default,
    /// For publication.
    Full,
}

impl Display for Effort {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quick => "compare --quick",
            Self::Default => "compare",
            Self::Full => "compare --full",
        })
    }
}

/// One run to do.
pub struct Job<'a> {
    /// The case.
    pub case: &'a dyn Case,
    /// The method and its settings.
    pub variant: &'static Variant,
    /// Particles across.
    pub n: usize,
}

/// The cases of a comparison, each with its resolutions.
pub fn plan(effort: Effort) -> &'static [(&'static str, &'static [usize])] {
    match effort {
        Effort::Quick => &[("dam_break", &[16, 24, 32]), ("column", &[16])],
        Effort::Default => &[("dam_break", &[20, 40, 80]), ("column", &[20, 40])],
        Effort::Full => &[
            ("dam_break", &[20, 40, 80, 160]),
            ("dam_break_square", &[40, 80]),
            ("dam_break_square_friction", &[40, 80]),
            ("column", &[20, 40, 80]),
            ("column_3d", &[20, 40]),
            ("stretched_bar", &[8, 16]),
            ("stretched_bar_plastic", &[8, 16]),
        ],
    }
}

/// The runs of a comparison. Empty filters mean all.
///
/// # Errors
/// When a name of a filter is left without a run.
pub fn comparison<'a>(
    effort: Effort,
    cases: &[String],
    folders: &'a [FolderCase],
    variants: &[String],
) -> Result<Vec<Job<'a>>, String> {
    let wanted = |list: &[String], name: &str| list.is_empty() || list.iter().any(|l| l == name);
    let mut jobs = Vec::new();
    let planned = plan(effort)
        .iter()
        .filter(|(name, _)| wanted(cases, name) && (folders.is_empty() || !cases.is_empty()));
    let planned =
        planned.filter_map(|(name, resolutions)| Some((registry::case(name)?, resolutions.to_vec())));
    // A folder names its resolutions itself.
    let named = folder::built_in().iter().filter(|case| cases.iter().any(|name| name == case.name()));
    let own = folders.iter().chain(named).map(|case| (case as &dyn Case, case.resolutions()));
    for (case, resolutions) in planned.chain(own) {
        for variant in registry::VARIANTS.iter().filter(|v| wanted(variants, v.name)) {
            let resolutions = resolutions.iter().filter(|&&n| variant.scene(case, n).is_some());
            jobs.extend(resolutions.map(|&n| Job { case, variant, n }));
        }
    }
    if let Some(case) =
        folders.iter().find(|case| jobs.iter().all(|job: &Job<'_>| job.case.name() != case.name()))
    {
        return Err(format!(
            "--case {:?}: no run is left of it: it is not for the methods of the chosen variants",
            case.name()
        ));
    }
    if let Some(name) = cases.iter().find(|name| jobs.iter().all(|job| job.case.name() != **name)) {
        let contained = plan(effort).iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        return Err(format!(
            "--case {name:?}: no run is left of it; {effort} contains {contained}, each for the variants that it suits; \
             `sph compare --help` says what --full adds, `sph validate --case {name}` runs it alone"
        ));
    }
    if let Some(name) = variants.iter().find(|name| jobs.iter().all(|job| job.variant.name != **name)) {
        return Err(format!(
            "--variant {name:?}: no run is left of it: none of the chosen cases is for its method"
        ));
    }
    Ok(jobs)
}

/// The runs of a validation: every case at the resolution of its bands, by every method that it is for. Without
/// names those of the registry's list; the group of the walls is named by `walls`.
pub fn validation<'a>(cases: &[String], folders: &'a [FolderCase]) -> Vec<Job<'a>> {
    let is = |case: &dyn Case, name: &str| {
        case.name().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut wanted: Vec<&'a dyn Case> = match cases {
        [] if folders.is_empty() => registry::cases().collect(),
        names => registry::all_cases().filter(|&case| names.iter().any(|name| is(case, name))).collect(),
    };
    wanted.extend(folders.iter().map(|case| case as &dyn Case));
    let jobs = |case: &'a dyn Case| {
        let job = move |variant| Job { case, variant, n: case.resolution() };
        registry::VALIDATION
            .iter()
            .filter(move |variant| variant.scene(case, case.resolution()).is_some())
            .map(job)
    };
    wanted.into_iter().flat_map(jobs).collect()
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
    let scene = job.variant.scene(job.case, job.n).ok_or_else(|| {
        Error::new(format!("the case {} is not for the variant {}", job.case.name(), job.variant.name))
    })?;
    let options = Options {
        case: job.case.name().into(),
        variant: job.variant.label.into(),
        particles_across: job.n,
        processor: processor.clone(),
        pictures: job.case.pictures(),
        output: None,
        progress,
        started: None,
        checkpoints: None,
        interrupt: None,
    };
    let Ran { mut result, last, .. } = run::run(&scene, job.case.metrics(&scene), None, &options)?;
    let Outcome { scores, series, fits } = job.case.judge(&last.measured());
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

/// What the cases of some jobs are compared with.
pub fn references(jobs: &[Job<'_>]) -> Vec<ReferenceCurve> {
    let mut cases: Vec<&dyn Case> = jobs.iter().map(|job| job.case).collect();
    cases.dedup_by_key(|case| case.name().to_owned());
    cases.into_iter().flat_map(Case::references).collect()
}

/// Results with everything that makes them reproducible.
pub fn collect(
    title: &str,
    command: String,
    processor: &Processor,
    results: Vec<RunResult>,
    references: Vec<ReferenceCurve>,
) -> Comparison {
    Comparison {
        title: title.into(),
        created: machine::utc_now(),
        commit: machine::git_commit(),
        command,
        machine: machine::Machine::detect(),
        backend_note: processor.note.clone(),
        references,
        results,
    }
}
