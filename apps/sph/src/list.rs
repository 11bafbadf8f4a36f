//! `sph list`: cases, variants, solvers and scenes.

use crate::program::print::out;
use bench_suite::{
    campaign::registry,
    scenes::{files, methods::SOLVERS, read, schema, tables::Parameter},
};
use serde_json::{Value, json};
use std::{error::Error, process::ExitCode};

type Outcome = Result<ExitCode, Box<dyn Error + Send + Sync>>;

/// Cases, variants, solvers and scenes.
pub fn all(as_json: bool) -> Outcome {
    if as_json {
        out!("{}", as_value());
        return Ok(ExitCode::SUCCESS);
    }
    out!("cases (sph validate --case NAME):");
    for case in registry::all_cases() {
        out!("  {:<28}{}\n{:30}{}", case.name(), case.about(), "", case.source());
    }
    out!("variants (sph compare --variant NAME):");
    for variant in registry::VARIANTS {
        out!("  {:<28}{}", variant.name, variant.label);
    }
    out!("solvers (solver.name in a scene; their numbers: sph list --parameters):");
    for solver in SOLVERS {
        out!("  {:<28}{}; presets {}", solver.name, solver.about, (solver.presets)().join(", "));
    }
    out!("scenes (sph run FILE):");
    for file in files() {
        let title = read(&file).map_or_else(|error| error.to_string(), |scene| scene.title);
        out!("  {:<48}{title}", file.display().to_string());
    }
    Ok(ExitCode::SUCCESS)
}

fn as_value() -> Value {
    let cases = registry::all_cases();
    let scenes = files().into_iter();
    json!({
        "cases": cases.map(|c| json!({
            "name": c.name(), "about": c.about(), "source": c.source(), "particles_across": c.resolution(),
        })).collect::<Vec<_>>(),
        "variants": registry::VARIANTS.iter().map(|v| json!({ "name": v.name, "label": v.label })).collect::<Vec<_>>(),
        "solvers": SOLVERS.iter().map(|s| {
            json!({ "name": s.name, "about": s.about, "presets": (s.presets)() })
        }).collect::<Vec<_>>(),
        "scenes": scenes.map(|file| json!({
            "file": file.display().to_string(), "title": read(&file).map(|scene| scene.title).ok(),
        })).collect::<Vec<_>>(),
    })
}

/// Every parameter of scenes and solvers: name, unit, range, default, text, choices.
pub fn parameters(as_json: bool) -> Outcome {
    let tables = schema::parameters();
    if as_json {
        let of = |p: &Parameter| json!({ "name": p.name, "unit": p.unit, "range": p.range, "default": p.default, "about": p.about, "values": p.values });
        let tables =
            tables.iter().map(|table| (table.name.clone(), table.parameters.iter().map(of).collect()));
        out!("{}", Value::Object(tables.collect()));
        return Ok(ExitCode::SUCCESS);
    }
    for table in tables {
        out!("{}", table.name);
        for p in table.parameters {
            let numbers = [p.unit, p.range].join(" ");
            out!("  {:<28}{:<20}{}\n{:30}{}", p.name, numbers.trim(), p.default, "", p.about);
            if !p.values.is_empty() {
                out!("{:30}one of {}", "", p.values.join(", "));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
