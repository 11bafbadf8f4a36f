//! The scene files: can they be read, do they run, and does their schema say what the program reads?

use crate::common;

use bench_suite::{
    scenes::{self, schema},
    system::processor::Processor,
};
use sph_core::scene::Scene;

fn runs<const D: usize>(name: &str, scene: &Scene) {
    let mut simulation = common::simulation::<D>(name, scene, &Processor::default());
    let n = simulation.state.fluid.len();
    assert!((50..50_000).contains(&n), "{name}: {n} particles");
    common::steps(name, &mut simulation, 10);
    let state = &simulation.state;
    assert!(state.t > 0.0 && state.step == 10, "{name}");
    // A lattice that overlaps walls, or itself, is dense at once; curved walls compress by 6 percent. The surface of the
    // viscoelastic fluid contracts, by 12 percent for single particles.
    let most = if scene.solver.name() == Some("viscoelastic") { 1.15 } else { 1.1 };
    let rho = state.fluid.rho.iter().fold(0.0_f64, |most, &rho| most.max(f64::from(rho)));
    let rho_0 = f64::from(state.rest.rho_0);
    assert!(rho < most * rho_0, "{name}: density {rho} of {rho_0}");
}

#[test]
fn every_scene_runs_at_half_its_resolution() {
    for (name, scene) in common::all_coarse() {
        if scene.dim == 2 { runs::<2>(&name, &scene) } else { runs::<3>(&name, &scene) }
    }
}

#[test]
fn every_scene_has_a_title_and_names_the_schema() {
    for file in scenes::files() {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("#:schema ./scene.schema.json\n"), "{}", file.display());
        assert!(!scenes::read(&file).unwrap().title.is_empty(), "{}", file.display());
    }
}

#[test]
fn a_scene_written_out_is_the_same_scene() {
    for file in scenes::files() {
        let scene = scenes::read(&file).unwrap();
        let again = Scene::parse("again", &scene.to_toml().unwrap()).unwrap();
        assert_eq!(again, scene, "{}", file.display());
    }
}

#[test]
fn the_stored_schema_is_todays() {
    let path = scenes::folder().join("scene.schema.json");
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    let today = schema::scene_schema().unwrap();
    assert!(stored == today, "{} is out of date: cargo run --release -- schema > {0}", path.display());
}

/// Every key of every scene file stands in the schema.
#[test]
fn the_schema_knows_every_key_of_every_scene() {
    let schema: serde_json::Value = serde_json::from_str(&schema::scene_schema().unwrap()).unwrap();
    for file in scenes::files() {
        let table: toml::Table = std::fs::read_to_string(&file).unwrap().parse().unwrap();
        let value = serde_json::to_value(table).unwrap();
        check(&schema, &schema, &value, &file.display().to_string());
    }
}

/// A little of JSON schema: properties, items, references, alternatives.
fn check(root: &serde_json::Value, schema: &serde_json::Value, value: &serde_json::Value, path: &str) {
    if let Some(reference) = schema.get("$ref").and_then(|r| r.as_str()) {
        return check(root, root.pointer(&reference[1..]).unwrap(), value, path);
    }
    let resolve = |schema: &serde_json::Value| match schema.get("$ref").and_then(|r| r.as_str()) {
        Some(reference) => root.pointer(&reference[1..]).unwrap().clone(),
        None => schema.clone(),
    };
    if let Some(alternatives) = ["oneOf", "anyOf"].iter().find_map(|key| schema[*key].as_array()) {
        let key = value.as_object().and_then(|map| map.keys().next());
        let fits = |s: &&serde_json::Value| {
            let s = resolve(s);
            key.is_none_or(|key| s["properties"].get(key).is_some() || s.get("oneOf").is_some())
        };
        let found = alternatives.iter().find(fits);
        return check(
            root,
            found.unwrap_or_else(|| panic!("{path}: {value} is no alternative")),
            value,
            path,
        );
    }
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}: {key}");
                let schema =
                    schema["properties"].get(key).unwrap_or_else(|| panic!("{path} is not in the schema"));
                check(root, schema, value, &path);
            }
        }
        serde_json::Value::Array(items) if schema.get("items").is_some() => {
            items.iter().for_each(|item| check(root, &schema["items"], item, path));
        }
        _ => {}
    }
}

#[test]
fn a_resolved_scene_says_everything_and_gives_the_same_run() {
    let text = "spacing = 0.1\nrun.end_time = 0.02\n[[fluid]]\nshape.block = { min = [0, 0], max = [1, 1] }\n\
                [solver]\nname = \"wcsph\"\npreset = \"graphics\"\ncfl = 0.3\n";
    let scene = Scene::parse("short.toml", text).unwrap();
    let resolved = bench_suite::run::resolved(&scene).unwrap();
    for line in ["cfl = 0.3", "density = \"summation\"", "cfl_sound = 0.5", "gravity = [0.0, -9.81]"] {
        assert!(resolved.contains(line), "{line:?} is not in\n{resolved}");
    }
    let again = Scene::parse("resolved.toml", &resolved).unwrap();
    let hash = |scene: &Scene| {
        let mut run = bench_suite::run::simulation::<2>(scene, &Processor::default()).unwrap();
        run.run(scene.run.end_time, u64::MAX, &mut []).unwrap();
        run.state.hash()
    };
    assert_eq!(hash(&scene), hash(&again));
}
