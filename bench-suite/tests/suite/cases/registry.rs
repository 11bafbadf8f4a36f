//! Do the lists of the registry hold everything that there is?

use bench_suite::{
    campaign::{self, Effort, Job, Wanted, registry},
    run,
    system::processor::Processor,
};
use std::{collections::BTreeSet, fs, path::Path};

use crate::common;

fn source(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../src").join(path)).unwrap()
}

/// The text of the list `CASES`, and what `all_cases` adds to it.
fn listed() -> String {
    let text = source("campaign/registry.rs");
    let start = text.find("pub const CASES").unwrap();
    let end = text.find("pub fn case(").unwrap();
    // The scenes of the walls are a list of their own, which `all_cases` takes whole.
    text[start..end].replace("walls::SCENES", "&WallScene {")
}

#[test]
fn every_case_in_a_file_is_listed() {
    let listed = listed();
    let mut found = 0;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/cases")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for after in text.split("impl Case for ").skip(1) {
            let name: String = after.chars().take_while(|c| c.is_alphanumeric()).collect();
            assert!(
                [" {", ",", "::"].iter().any(|next| listed.contains(&format!("&{name}{next}"))),
                "{name} of {} is not in CASES of registry.rs",
                path.display()
            );
            found += 1;
        }
    }
    assert!(found >= 2);
}

#[test]
fn every_file_of_cases_is_a_module() {
    let modules = source("cases/mod.rs");
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/cases")).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            stem == "mod" || modules.contains(&format!("mod {stem};")),
            "{} is not compiled",
            path.display()
        );
    }
}

#[test]
fn names_are_unique() {
    let cases: BTreeSet<_> = registry::all_cases().map(|case| case.name()).collect();
    assert_eq!(cases.len(), registry::all_cases().count());
    let variants: BTreeSet<_> = registry::VARIANTS.iter().map(|variant| variant.name).collect();
    assert_eq!(variants.len(), registry::VARIANTS.len());
}

#[test]
fn plans_name_cases_that_exist() {
    for (effort, jobs) in plans() {
        for (case, across) in campaign::plan(effort) {
            let planned = |n: &&usize| jobs.iter().any(|job| job.case.name() == *case && job.n == **n);
            assert_eq!(across.iter().filter(planned).count(), across.len(), "{effort}: {case}");
        }
    }
}

/// A comparison runs for minutes: no run of it is refused in its midst.
#[test]
fn every_run_of_a_plan_can_start() {
    const MOST: f64 = 2e4;
    for (effort, jobs) in plans() {
        for job in jobs {
            let name = format!("{effort}: {}, {} at {}", job.case.name(), job.variant.name, job.n);
            let (scene, processor) = (job.scene().unwrap(), Processor::default());
            let fits = run::check_memory(&scene, &processor);
            assert!(fits.is_ok(), "{name}: {fits:?}");
            match scene.dim {
                _ if scene.estimate().unwrap().fluid > MOST => {}
                2 => drop(common::simulation::<2>(&name, &scene, &processor)),
                _ => drop(common::simulation::<3>(&name, &scene, &processor)),
            }
        }
    }
}

fn plans() -> impl Iterator<Item = (Effort, Vec<Job<'static>>)> {
    let all = [Effort::Quick, Effort::Default, Effort::Full];
    all.into_iter().map(|effort| (effort, campaign::comparison(effort, &Wanted::default()).unwrap()))
}
