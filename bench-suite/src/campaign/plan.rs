//! Which runs a comparison and a validation consist of.

use super::{
    Job,
    folder::{self, FolderCase},
    registry::{self, Variant},
};
use crate::{cases::Case, run, scenes::set::Settings, system::processor::Processor};
use std::fmt::{self, Display, Formatter};

/// How much of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Seconds: shows that everything works.
    Quick,
    /// Minutes on two cores.
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

/// The cases of a comparison, each with its resolutions: exact solutions, whose errors fall with resolution and rank, and
/// experiments, which judge.
pub fn plan(effort: Effort) -> &'static [(&'static str, &'static [usize])] {
    match effort {
        Effort::Quick => &[("taylor_green", &[12, 18, 27]), ("column", &[10, 16]), ("dam_break", &[16, 24])],
        Effort::Default => &[
            ("taylor_green", &[24, 36, 54, 81]),
            ("poiseuille", &[25, 30, 40, 50]),
            ("standing_wave", &[10, 15, 22, 33]),
            ("elliptical_drop", &[8, 12, 18, 27, 40]),
            ("oscillating_drop", &[10, 15, 22, 33]),
            ("column", &[15, 22, 33, 50]),
            ("dam_break", &[20, 40, 80]),
        ],
        Effort::Full => &[
            ("taylor_green", &[24, 36, 54, 81, 122]),
            ("taylor_green_jittered", &[24, 36, 54, 81, 122]),
            ("taylor_green_3d_re10", &[16, 24, 32, 48]),
            ("taylor_green_3d_re100", &[16, 24, 32, 48]),
            ("poiseuille", &[25, 30, 40, 50, 75]),
            ("couette", &[25, 30, 40, 50, 75]),
            ("standing_wave", &[10, 15, 22, 33, 50]),
            ("elliptical_drop", &[8, 12, 18, 27, 40, 60]),
            ("oscillating_drop", &[10, 15, 22, 33, 50]),
            ("oscillating_spheroid", &[8, 12, 16]),
            ("column", &[15, 22, 33, 50, 75]),
            ("column_3d", &[10, 15, 22, 33]),
            ("cavity", &[25, 50, 75]),
            ("dam_break", &[20, 40, 80, 160]),
            ("dam_break_square", &[40, 80]),
            ("dam_break_square_friction", &[40, 80]),
            ("stretched_bar", &[8, 16]),
            ("stretched_bar_plastic", &[8, 16]),
        ],
    }
}

/// What is wanted of a comparison; empty filters mean all.
#[derive(Debug, Default)]
pub struct Wanted<'a> {
    /// Names of cases.
    pub cases: &'a [String],
    /// Cases of one's own.
    pub folders: &'a [FolderCase],
    /// Names of variants.
    pub variants: &'a [String],
    /// Keys with the values that they get in turn; once as they are if empty.
    pub settings: &'a [Settings],
}

impl Wanted<'_> {
    /// Whether a case is run with a variant at a resolution: those for contrast up to the resolution of the bands, where they are
    /// not named, and not against exact solutions.
    fn takes(&self, case: &dyn Case, variant: &Variant, n: usize) -> bool {
        let named = self.variants.iter().any(|name| name == variant.name);
        let contrasts = !variant.is_contrast || !case.is_exact() && n <= case.resolution();
        (named || self.variants.is_empty() && contrasts) && variant.scene(case, n).is_some()
    }
}

/// The runs of a comparison.
///
/// # Errors
/// When a name of a filter is left without a run, or a setting is refused by one.
pub fn comparison<'a>(effort: Effort, wanted: &Wanted<'a>) -> Result<Vec<Job<'a>>, String> {
    let Wanted { cases, folders, variants, .. } = *wanted;
    let is_wanted = |name: &str| cases.is_empty() && folders.is_empty() || cases.iter().any(|l| l == name);
    let planned = plan(effort).iter().filter(|(name, _)| is_wanted(name));
    let planned: Vec<_> = planned
        .filter_map(|(name, resolutions)| Some((registry::case(name)?, resolutions.to_vec())))
        .collect();
    // A folder names its resolutions itself.
    let is_planned = |name: &str| planned.iter().any(|(case, _)| case.name() == name);
    let named = folder::built_in().iter().filter(|case| cases.iter().any(|name| name == case.name()));
    let named = named.filter(|case| !is_planned(case.name()));
    let own: Vec<_> =
        folders.iter().chain(named).map(|case| (case as &dyn Case, case.resolutions())).collect();
    let mut jobs = Vec::new();
    for (case, resolutions) in planned.into_iter().chain(own) {
        for variant in registry::VARIANTS {
            let taken: Vec<_> =
                resolutions.iter().copied().filter(|&n| wanted.takes(case, variant, n)).collect();
            let finest = taken.iter().max();
            let job = |&n| Job { is_pictured: Some(&n) == finest, ..Job::new(case, variant, n) };
            jobs.extend(taken.iter().map(job));
        }
    }
    if let Some(case) = folders.iter().find(|case| jobs.iter().all(|job| job.case.name() != case.name())) {
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
    with_settings(jobs, wanted.settings)
}

/// The runs of a validation: every case at the resolution of its bands, by every method that it is for. Without
/// names those of the registry's list; the group of the walls is named by `walls`.
///
/// # Errors
/// When a setting is refused by one.
pub fn validation<'a>(
    cases: &[String],
    folders: &'a [FolderCase],
    settings: &[Settings],
) -> Result<Vec<Job<'a>>, String> {
    let is = |case: &dyn Case, name: &str| {
        case.name().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let mut wanted: Vec<&'a dyn Case> = match cases {
        [] if folders.is_empty() => registry::cases().collect(),
        names => registry::all_cases().filter(|&case| names.iter().any(|name| is(case, name))).collect(),
    };
    wanted.extend(folders.iter().map(|case| case as &dyn Case));
    let jobs = |case: &'a dyn Case| {
        let n = case.resolution();
        let suited = registry::VALIDATION.iter().filter(move |variant| variant.scene(case, n).is_some());
        suited.map(move |variant| Job::new(case, variant, n))
    };
    with_settings(wanted.into_iter().flat_map(jobs).collect(), settings)
}

/// Keys that a comparison gives itself.
const OF_THE_PLAN: [&str; 5] = ["spacing", "dim", "title", "solver.name", "run.threads"];

/// Each run with each of some settings, whose scenes are checked.
fn with_settings<'a>(jobs: Vec<Job<'a>>, all: &[Settings]) -> Result<Vec<Job<'a>>, String> {
    if all.is_empty() {
        return Ok(jobs);
    }
    if let Some(key) = all.iter().find_map(|settings| settings.given(&OF_THE_PLAN)) {
        return Err(format!(
            "--set {key}: is what the resolutions of a case and the variants give; choose with --variant"
        ));
    }
    let each = |job: Job<'a>| {
        let set = move |settings: &Settings| Job { settings: settings.clone(), ..job };
        all.iter().map(set).collect::<Vec<_>>()
    };
    let jobs: Vec<_> = jobs.into_iter().flat_map(each).collect();
    for job in &jobs {
        let checked = job.scene().and_then(|scene| {
            // Set up as a run does, for what is only seen then, as a step above the limit.
            let processor = Processor::default();
            let set_up = match scene.dim {
                2 => run::simulation::<2>(&scene, &processor).map(drop),
                _ => run::simulation::<3>(&scene, &processor).map(drop),
            };
            set_up.map_err(|error| job.settings.blamed(error))
        });
        checked.map_err(|error| format!("{}, {}: {error}", job.case.name(), job.variant.name))?;
    }
    Ok(jobs)
}
