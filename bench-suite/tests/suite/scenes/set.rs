//! `--set`: values at keys, one at a time or as a grid.

use bench_suite::{
    campaign::{Effort, Store, Wanted, comparison, run, run_timed},
    scenes::set::{Settings, Sweep},
    system::processor::Processor,
};
use sph_core::scene::Scene;

fn sweeps(texts: &[&str]) -> Vec<Sweep> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn grid(texts: &[&str]) -> Vec<String> {
    Settings::grid(&sweeps(texts)).unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn lists_words_and_vectors_are_values() {
    assert_eq!(grid(&["a=1,2.5", "b=x"]), ["a=1 b=x", "a=2.5 b=x"]);
    assert_eq!(grid(&["gravity=[0,0],[0,-9.81]"]), ["gravity=[0, 0]", "gravity=[0, -9.81]"]);
    assert_eq!(grid(&["solver.kernel=cubic_spline,wendland_c2", "solver.delta_sph=0,0.1"]).len(), 4);
    assert_eq!(grid(&["a=true", "b=\"two words\""]), ["a=true b=two words"]);
    assert!(grid(&[]).is_empty());
    for wrong in ["a", "=1", "a=", ""] {
        assert!(wrong.parse::<Sweep>().unwrap_err().contains("KEY=VALUE"), "{wrong}");
    }
    assert!(Settings::grid(&sweeps(&["a=1", "a=2"])).unwrap_err().contains("--set a: is given twice"));
    assert!(
        Settings::grid(&sweeps(&["a=0.1,2,0.10"])).unwrap_err().contains("--set a: has the same value twice")
    );
    assert!(Settings::one(&sweeps(&["a=1,2"])).unwrap_err().contains("--set a: has several values"));
}

/// One error for each way in which a key can be wrong, with the key and what was set.
#[test]
fn what_cannot_be_set_is_refused_with_the_key() {
    let scene = || {
        let text = "spacing = 0.1\nrun.end_time = 1.0\n[[fluid]]\nshape.block = { min = [0.0, 0.0], max = [1.0, 1.0] }";
        Scene::parse("tank.toml", text).unwrap()
    };
    let set = |text: &str| Settings::one(&sweeps(&[text])).unwrap().applied(scene());
    assert_eq!(set("fluid[0].jitter=0.2").unwrap().fluid[0].jitter, 0.2);
    assert_eq!(set("gravity=[0.0,-1.0]").unwrap().gravity, Some(vec![0.0, -1.0]));
    assert_eq!(set("damping={rate=2.0,until=1.0}").unwrap().damping.unwrap().rate, 2.0);
    assert_eq!(set("neighbors.skin=0.01").unwrap().neighbors.skin, 0.01);
    for (text, words) in [
        ("spacing=-1", "--set spacing=-1: spacing = -1: must lie in (0, inf) [m]"),
        ("spacing=wide", "--set spacing=wide: spacing = \"wide\": must lie in (0, inf) [m]; give a number"),
        ("fluid[3].jitter=0.2", "fluid[3].jitter = 0.2: is beyond the list, which has 1"),
        ("run[0].end_time=1", "run[0].end_time = 1: is no list"),
        ("spacing.more=1", "spacing.more = 1: leads through a value that has no keys"),
        ("spacin=1", "spacin: unknown field"),
        ("fluid[x].jitter=1", "fluid[x].jitter = 1: is no key of a scene"),
        ("run..end_time=1", "run..end_time = 1: is no key of a scene"),
    ] {
        let error = set(text).unwrap_err().to_string();
        assert!(error.contains(words) && error.starts_with("--set "), "{text}: {error}");
        assert!(!error.contains("tank.toml:"), "no place in a text that nobody wrote: {error}");
    }
}

/// The mean density error of the collapsing column of PBF by what is set.
fn density_error(texts: &[&str]) -> Vec<f64> {
    let settings = Settings::grid(&sweeps(texts)).unwrap();
    let (cases, variants) = (["pbf_collapse".into()], ["pbf".into()]);
    let wanted = Wanted { cases: &cases, variants: &variants, settings: &settings, ..Wanted::default() };
    let jobs = comparison(Effort::Quick, &wanted).unwrap();
    let error = |job| {
        let result = run(job, &Processor::default(), None).unwrap();
        assert_eq!(result.failure, None);
        assert_eq!(result.settings.len(), texts.len());
        result.headline().unwrap().error.unwrap()
    };
    jobs.iter().map(error).collect()
}

#[test]
fn more_iterations_press_the_fluid_less() {
    let errors = density_error(&["run.end_time=0.1", "solver.solver_iterations=2,4,8,16"]);
    assert_eq!(errors.len(), 4);
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{errors:?}");
}

/// Of a column at rest, against what pairs particles up.
#[test]
fn s_corr_keeps_the_order_of_particles() {
    let settings = Settings::grid(&sweeps(&["solver.scorr_k=0,0.8"])).unwrap();
    let (cases, variants) = (["pbf_rest".into()], ["pbf".into()]);
    let wanted = Wanted { cases: &cases, variants: &variants, settings: &settings, ..Wanted::default() };
    let jobs = comparison(Effort::Quick, &wanted).unwrap();
    let disorder = |job| {
        let result = run(job, &Processor::default(), None).unwrap();
        result.scores.iter().find(|score| score.name == "disorder").unwrap().value
    };
    assert!(disorder(&jobs[1]) < 0.95 * disorder(&jobs[0]));
}

#[test]
fn what_the_plan_gives_itself_cannot_be_set() {
    for (key, value) in [("spacing", "0.1"), ("solver.name", "pbf"), ("run.threads", "1")] {
        let settings = Settings::grid(&sweeps(&[&format!("{key}={value}")])).unwrap();
        let wanted = Wanted { settings: &settings, ..Wanted::default() };
        let error = comparison(Effort::Quick, &wanted).err().unwrap();
        assert!(error.starts_with(&format!("--set {key}: is what the resolutions")), "{error}");
    }
}

#[test]
fn a_setting_that_one_of_the_runs_refuses_is_refused_before_any() {
    let settings = Settings::grid(&sweeps(&["solver.cfm_epsilon=0.1"])).unwrap();
    let cases = ["column".into()];
    let wanted = Wanted { cases: &cases, settings: &settings, ..Wanted::default() };
    let error = comparison(Effort::Quick, &wanted).err().unwrap();
    assert!(error.contains("column, wcsph-delta: ") && error.contains("cfm_epsilon"), "{error}");
    // Only the set-up of a run knows the largest step.
    let (settings, variants) = (Settings::grid(&sweeps(&["run.time_step=1e-4,1"])).unwrap(), ["pbf".into()]);
    let wanted = Wanted { cases: &cases, variants: &variants, settings: &settings, ..Wanted::default() };
    let error = comparison(Effort::Quick, &wanted).err().unwrap();
    assert!(
        error.contains("--set run.time_step=1: run.time_step = 1: explodes: its stability number"),
        "{error}"
    );
}

/// What is done is kept, found again, and not mistaken for something else; a line that was not written to its end is nothing.
#[test]
fn a_store_has_the_runs_that_are_done() {
    let folder = std::env::temp_dir().join(format!("sph-store-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (processor, cases, variants) = (Processor::default(), ["column".into()], ["viscoelastic".into()]);
    let wanted = Wanted { cases: &cases, variants: &variants, ..Wanted::default() };
    let jobs = comparison(Effort::Quick, &wanted).unwrap();
    let result = run_timed(&jobs[0], &processor, None).unwrap();
    assert_eq!(result.timings_s.len(), 3, "short runs are timed three times");
    assert!(result.timings_s.is_sorted() && result.wall_s == result.timings_s[1]);

    let mut store = Store::open(&folder, &processor).unwrap();
    assert!(store.find(&jobs[0]).is_none());
    store.keep(&jobs[0], &result).unwrap();
    let file = folder.join(Store::FILE);
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{whole}{}", &whole[..whole.len() / 2])).unwrap();

    let mut store = Store::open(&folder, &processor).unwrap();
    let found = store.find(&jobs[0]).unwrap();
    assert_eq!((found.state_hash, found.timings_s), (result.state_hash.clone(), result.timings_s.clone()));
    assert!(store.find(&jobs[1]).is_none(), "another resolution");
    let settings = Settings::grid(&sweeps(&["run.end_time=1.0"])).unwrap();
    let set = comparison(Effort::Quick, &Wanted { settings: &settings, ..wanted }).unwrap();
    assert!(store.find(&set[0]).is_none(), "another scene");
    store.keep(&jobs[1], &result).unwrap();
    assert!(Store::open(&folder, &processor).unwrap().find(&jobs[1]).is_some(), "after the incomplete line");
    // A report of one of them leaves the other for the call that was interrupted.
    let mut store = Store::open(&folder, &processor).unwrap();
    assert!(store.find(&jobs[0]).is_some());
    store.finish().unwrap();
    let mut store = Store::open(&folder, &processor).unwrap();
    assert!(store.find(&jobs[0]).is_none() && store.find(&jobs[1]).is_some());
    store.finish().unwrap();
    assert!(!file.exists());
    std::fs::remove_dir_all(folder).unwrap();
}
