//! Where steps run: the option, what it comes to, and what results say of it.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use crate::cli::{SCENE, assert_refused, folder, sph, stderr, stdout};
use bench_suite::scenes::methods::SOLVERS;
use bench_suite::{
    studies::{device_check::parity::ROUNDINGS, parity},
    system::clock::SystemClock,
};
use cuda_kernels::device::{emulator::Emulator, executor::Executor};
use serde_json::Value;
use sph_core::{
    Real,
    numerics::lane::Isa,
    run::checkpoint::{self, Checkpoint},
    scene::{Counts, Scene},
    watch::measure::Series,
};
use std::{fs, path::Path, sync::Arc};

/// Why there is no GPU that runs kernels; nothing where there is one.
pub fn no_gpu(folder: &Path) -> Option<String> {
    let found: Value = serde_json::from_str(&stdout(&sph(folder, &["devices", "--json"]))).unwrap();
    match (&found["reason"], &found["nvrtc"]) {
        (Value::String(reason), _) => Some(reason.clone()),
        (_, Value::Null) => Some("no NVRTC library (libnvrtc.so) found".into()),
        _ => None,
    }
}

fn tiny(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    fs::write(folder.join("tiny.toml"), SCENE).unwrap();
    folder
}

fn results(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("out/results.json")).unwrap()).unwrap()
}

#[test]
fn devices_answers_with_gpus_or_with_the_reason() {
    let folder = folder("devices");
    let found = sph(&folder, &["devices", "--json"]);
    assert_eq!((found.status.code(), stderr(&found)), (Some(0), String::new()));
    let found: Value = serde_json::from_str(&stdout(&found)).unwrap();
    let text = stdout(&sph(&folder, &["devices"]));
    match &found["reason"] {
        Value::String(reason) => {
            assert!(reason.len() > 10 && found["gpus"].as_array().unwrap().is_empty(), "{found}");
            assert_eq!(text, format!("no GPU: {reason}\n"));
        }
        _ => {
            let gpu = &found["gpus"][0];
            assert!(gpu["total_bytes"].as_u64().unwrap() > 0 && text.contains(gpu["name"].as_str().unwrap()));
        }
    }
}

#[test]
fn a_gpu_that_is_asked_for_and_cannot_run_is_refused_with_the_reason() {
    let folder = tiny("no-gpu");
    let refused = |backend: &str, reason: &str| {
        let args = ["run", "tiny.toml", "--out", "out", "--backend", backend];
        assert_refused(&folder, &args, &[&format!("--backend {backend}"), reason]);
    };
    refused("cuda:4096", no_gpu(&folder).as_deref().unwrap_or("there is no GPU 4096"));
    if let Some(reason) = no_gpu(&folder) {
        refused("cuda:0", &reason);
        for command in [["compare", "--quick"], ["validate", "--case=column"], ["bench", "step"]] {
            assert_refused(&folder, &[&command[..], &["--backend", "cuda"]].concat(), &[&reason]);
        }
    }
}

#[test]
fn names_that_are_no_backend_are_refused() {
    let folder = tiny("no-backend");
    for name in ["gpu", "cuda:x", ""] {
        assert_refused(
            &folder,
            &["run", "tiny.toml", "--backend", name],
            &["is no backend", "cpu, cuda, cuda:N"],
        );
    }
    if !cfg!(feature = "host") {
        assert_refused(&folder, &["run", "tiny.toml", "--backend", "emulator"], &["is no backend"]);
    }
}

#[test]
fn auto_falls_back_with_a_line_that_results_and_report_repeat() {
    let folder = tiny("auto");
    let output = sph(&folder, &["run", "tiny.toml", "--out", "out", "--backend", "auto"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines: Vec<_> = stderr(&output)
        .lines()
        .filter(|line| line.starts_with("backend auto: "))
        .map(str::to_owned)
        .collect();
    let results = results(&folder);
    assert_eq!(lines.len(), 1, "{}", stderr(&output));
    assert_eq!(results["note"], lines[0]);
    assert!(fs::read_to_string(folder.join("out/index.html")).unwrap().contains("backend auto: "));
    let backend = results["results"][0]["backend"].as_str().unwrap();
    match no_gpu(&folder) {
        Some(reason) => assert!(backend == "cpu" && lines[0].ends_with(&reason), "{backend} {}", lines[0]),
        None => assert!(backend.starts_with("cuda:0 "), "{backend}"),
    }
}

#[test]
fn the_processor_is_the_default_and_has_nothing_to_say() {
    let folder = tiny("cpu");
    let output = sph(&folder, &["run", "tiny.toml", "--out", "out"]);
    assert!(!stderr(&output).contains("backend"), "{}", stderr(&output));
    let results = results(&folder);
    assert_eq!((&results["results"][0]["backend"], results.get("note")), (&Value::from("cpu"), None));
}

#[test]
fn results_from_before_there_were_backends_ran_on_the_processor() {
    let folder = tiny("old");
    sph(&folder, &["run", "tiny.toml", "--out", "out"]);
    let mut results = results(&folder);
    results["results"][0].as_object_mut().unwrap().remove("backend");
    fs::write(folder.join("out/results.json"), results.to_string()).unwrap();
    let output = sph(&folder, &["report", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        fs::read_to_string(folder.join("out/index.html")).unwrap().contains("<dt>Backend</dt><dd>cpu</dd>")
    );
}

/// The kernels of a GPU, executed on the processor, behind the same option.
#[cfg(feature = "host")]
#[test]
fn a_run_on_the_emulator_says_so_in_results_and_page() {
    let folder = tiny("emulator");
    let output = sph(&folder, &["run", "tiny.toml", "--out", "out", "--backend", "emulator"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(results(&folder)["results"][0]["backend"], "emulator");
    let page = fs::read_to_string(folder.join("out/index.html")).unwrap();
    assert!(page.contains("tiny.toml, on emulator") && page.contains("<dt>Backend</dt><dd>emulator</dd>"));
}

#[cfg(feature = "host")]
#[test]
fn every_method_runs_where_kernels_run() {
    for solver in SOLVERS {
        let folder = folder(&format!("{}-emulator", solver.name));
        fs::write(folder.join("scene.toml"), SCENE.replace("wcsph", solver.name)).unwrap();
        let output = sph(&folder, &["run", "scene.toml", "--out", "out", "--backend", "emulator"]);
        assert_eq!(output.status.code(), Some(0), "{}: {}", solver.name, stderr(&output));
        assert_eq!(results(&folder)["results"][0]["backend"], "emulator");
    }
}

/// Cells on a GPU are dense: a scene that names another search is told so, not given that one without a word.
#[test]
fn a_search_that_no_kernel_has_is_refused() {
    let text = |search: &str| format!("neighbors.backend = \"{search}\"\n{SCENE}");
    for solver in SOLVERS {
        let name = solver.name;
        let planned = |search: &str| {
            let scene = Scene::parse("tiny.toml", &text(search).replace("wcsph", name)).unwrap();
            (solver.gpu_memory)(&scene, Counts { fluid: 25.0, walls: 100.0 })
        };
        assert!(planned("dense_grid").is_ok(), "{name}");
        for search in ["hash_grid", "brute_force"] {
            let message = planned(search).unwrap_err().to_string();
            for part in ["tiny.toml:1", "neighbors.backend", search, "dense_grid", "CPU"] {
                assert!(message.contains(part), "{name}: {part:?} is not in {message:?}");
            }
        }
    }
    if cfg!(feature = "host") {
        let folder = folder("search");
        fs::write(folder.join("tiny.toml"), text("hash_grid")).unwrap();
        let run = ["run", "tiny.toml", "--out", "out", "--backend", "emulator"];
        assert_refused(&folder, &run, &["tiny.toml:1", "neighbors.backend", "hash_grid", "dense_grid"]);
    }
}

#[test]
fn parity_of_the_processor_with_itself_is_refused() {
    let folder = tiny("parity-cpu");
    assert_refused(&folder, &["parity", "tiny.toml"], &["--backend cpu: is compared with itself", "cuda"]);
    assert_refused(&folder, &["parity", "tiny.toml", "--steps", "0"], &["--steps", "0 is not in"]);
}

/// The kernels themselves, without the option: so every run of the tests compares them.
#[test]
fn kernels_part_from_the_processor_by_rounding_alone() {
    let scene = Scene::parse("tiny.toml", SCENE).unwrap();
    let clock = || Box::new(SystemClock::default());
    let emulator: Arc<dyn Executor> = Arc::new(Emulator::default());
    let cpu = || solver_wcsph::simulation::<2>(&scene, Isa::best(), clock()).unwrap();
    let runs = || {
        [cpu(), solver_wcsph::METHOD.simulation_on(&scene, Arc::clone(&emulator), clock()).unwrap(), cpu()]
    };
    let found = parity::follow(runs(), "emulator", &[10, 1, 10]);
    assert_eq!((found.failure.clone(), found.particles), (None, 25));
    assert_eq!(found.moments.iter().map(|moment| moment.step).collect::<Vec<_>>(), [1, 10]);
    for moment in &found.moments {
        let names: Vec<_> = moment.fields.iter().map(|field| field.name).collect();
        assert_eq!(names, ["position", "velocity", "density", "pressure"]);
        let most = 1e3 * f64::from(Real::EPSILON);
        for field in &moment.fields {
            assert!(field.scale > 0.0 && field.relative[2] < most, "{field:?}");
            assert!(
                field.of_rounding[0] > 0.0 && field.in_ulp[2] <= ROUNDINGS * field.of_rounding[2],
                "{field:?}"
            );
        }
        assert!(moment.drifts.iter().all(|drift| drift.relative.abs() < most), "{found:?}");
    }
    // A run of other particles is no twin.
    let mut apart = runs();
    apart[1].state.fluid.id[0] = 4096;
    assert!(parity::follow(apart, "emulator", &[1]).failure.is_some());
}

#[cfg(feature = "host")]
#[test]
fn parity_prints_fields_and_drifts_for_people_and_machines() {
    let folder = tiny("parity");
    let parity = ["parity", "tiny.toml", "--backend", "emulator", "--steps", "1,5"];
    let output = sph(&folder, &parity);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for part in
        ["cpu against emulator", "after 5 steps", "position", "of rounding", "front", "kinetic and potential"]
    {
        assert!(stdout(&output).contains(part), "{part:?} is not in {}", stdout(&output));
    }
    let output = sph(&folder, &[&parity[..], &["--json"]].concat());
    let found: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((found["moments"][1]["step"].as_u64(), &found["failure"]), (Some(5), &Value::Null));
    // A run that fails is exit code 1.
    fs::write(folder.join("tiny.toml"), SCENE.replace("[solver]", "[solver]\nsound_speed = 1e9")).unwrap();
    let output = sph(&folder, &parity);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("below its floor"), "{}", stderr(&output));
}

/// Whether a column of two series is the same but for rounding. What only a step computes is missing on both at the start.
fn near(here: &Series, there: &Series, column: usize) -> bool {
    let of = |series: &Series| {
        let values = series.values.iter().skip(column).step_by(series.columns.len());
        values.copied().collect::<Vec<f64>>()
    };
    let (here, there) = (of(here), of(there));
    let scale = here.iter().fold(1e-3_f64, |most, x| most.max(x.abs()));
    here.iter().zip(&there).all(|(a, b)| (a - b).abs() < 1e-3 * scale || a.is_nan() && b.is_nan())
}

/// Every kind of measure, in a tank that is shaken, with each method: kernels read the same but for rounding, and go on after a
/// restart with the same bits.
#[test]
fn kernels_measure_what_the_processor_measures() {
    const MEASURES: &str = "forces.acceleration = [\"20*cos(50*t)\", \"0\"]
[[measure]]
name = \"force\"
interval = 0.002
force = { on = \"wall[0]\", about = [0.1, 0.2] }
[[measure]]
name = \"probe\"
interval = 0.001
probe = { at = [0.25, 0.1], field = \"velocity\" }
[[measure]]
name = \"gauge\"
interval = 0.001
gauge = { from = [0.25, 0.0], to = [0.25, 0.9] }
[[measure]]
name = \"flow\"
interval = 0.001
flow = { at = [0.25, 0.1], normal = [1, 0] }
[[measure]]
name = \"totals\"
interval = 0.001
totals = [\"kinetic_energy\", \"total_energy\", \"momentum\", \"center\", \"volume\"]
";
    let emulator: Arc<dyn Executor> = Arc::new(Emulator::default());
    for solver in SOLVERS {
        let pressure = "[[measure]]\nname = \"p\"\ninterval = 0.001\nprobe = { at = [0.25, 0.1], field = \"pressure\" }\n";
        let pressure = if matches!(solver.name, "wcsph" | "projection") { pressure } else { "" };
        let measured = format!("{MEASURES}{pressure}[[fluid]]");
        let text = SCENE.replace("wcsph", solver.name).replacen("[[fluid]]", &measured, 1);
        let scene = Scene::parse("measured.toml", &text).unwrap();
        let clock = || Box::new(SystemClock::default());
        let on_kernels = || solver.simulation_on::<2>(&scene, Arc::clone(&emulator), clock()).unwrap();
        let mut runs = [solver.simulation::<2>(&scene, Isa::best(), clock()).unwrap(), on_kernels()];
        runs.iter_mut().for_each(|run| run.run(1.0, 12, &mut []).unwrap());
        let [here, there] = runs.each_ref().map(|run| run.measures.series().cloned().collect::<Vec<_>>());
        for (here, there) in here.iter().zip(&there) {
            let near = (0..here.columns.len()).all(|k| near(here, there, k));
            let same = here.t.len() > 1 && here.t.len() == there.t.len();
            assert!(near && same, "{}: {here:?}\n{there:?}", solver.name);
        }
        let (mut half, mut again, mut bytes) = (on_kernels(), on_kernels(), Vec::new());
        half.run(1.0, 6, &mut []).unwrap();
        checkpoint::write(&mut half, "", "test", &mut bytes).unwrap();
        Checkpoint::read(&mut &bytes[..], bytes.len() as u64).unwrap().restore(&mut again).unwrap();
        again.run(1.0, 12, &mut []).unwrap();
        // As texts: what is missing is equal, too.
        let again: Vec<_> = again.measures.series().map(|series| format!("{series:?}")).collect();
        let there: Vec<_> = there.iter().map(|series| format!("{series:?}")).collect();
        assert_eq!(again, there, "{}", solver.name);
    }
}
