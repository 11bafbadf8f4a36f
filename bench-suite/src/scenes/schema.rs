//! The JSON schema of scene files: the scene's own, with the parameters of every solver under `solver`.

use super::{
    methods::SOLVERS,
    tables::{self, Table},
};
use serde_json::{Map, Value, json};
use sph_core::scene::Scene;

/// The schema as text, the same in single and double precision.
///
/// # Errors
/// When the scene's schema is not JSON, which is a mistake of its declarations.
pub fn scene_schema() -> Result<String, serde_json::Error> {
    let mut schema: Value = serde_json::from_str(&Scene::schema())?;
    let mut solver = Map::new();
    for method in SOLVERS {
        let mut own = (method.schema)().to_value();
        if let Some(definitions) = take(&mut own, "$defs") {
            extend(&mut schema, "$defs", definitions);
        }
        for (key, property) in take(&mut own, "properties").unwrap_or_default() {
            let property = match solver.remove(&key) {
                // Two methods mean different things, or begin with different numbers.
                Some(other) if other != property => json!({ "anyOf": [other, property] }),
                _ => property,
            };
            solver.insert(key, property);
        }
    }
    solver.extend(choice_of_solver());
    let table = json!({
        "type": "object",
        "description": "The solver, and its parameters.",
        "properties": solver,
        "additionalProperties": false,
    });
    extend(&mut schema, "$defs", Map::from_iter([("Solver".to_owned(), table)]));
    one_precision(&mut schema);
    Ok(format!("{schema:#}\n"))
}

/// The keys of `solver` that all methods have.
fn choice_of_solver() -> Map<String, Value> {
    let names = SOLVERS.iter().map(|s| s.name);
    let presets = SOLVERS.iter().flat_map(|s| (s.presets)());
    Map::from_iter([
        ("name".to_owned(), named("Name of the solver.", names)),
        ("preset".to_owned(), named("Set of parameters that the others change.", presets)),
    ])
}

/// One of several names.
fn named<'a>(about: &str, names: impl Iterator<Item = &'a str>) -> Value {
    json!({ "type": "string", "description": about, "enum": names.collect::<Vec<_>>() })
}

fn take(schema: &mut Value, key: &str) -> Option<Map<String, Value>> {
    match schema.as_object_mut()?.remove(key)? {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

fn extend(schema: &mut Value, key: &str, more: Map<String, Value>) {
    if let Some(Value::Object(map)) =
        schema.as_object_mut().map(|s| s.entry(key).or_insert_with(|| json!({})))
    {
        map.extend(more);
    }
}

/// Numbers of single precision as they are written in the source: 0.4, not 0.4000000059604645.
fn one_precision(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("format").is_some_and(|format| format == "float") {
                map.insert("format".into(), "double".into());
                let default = map.get("default").and_then(Value::as_f64);
                if let Some(short) = default.and_then(|x| (x as f32).to_string().parse::<f64>().ok()) {
                    map.insert("default".into(), short.into());
                }
            }
            map.values_mut().for_each(one_precision);
        }
        Value::Array(items) => items.iter_mut().for_each(one_precision),
        _ => {}
    }
}

/// Every key of a scene file, a table after the other, and those of each solver.
pub fn parameters() -> Vec<Table> {
    let mut scene = schemars::schema_for!(Scene).to_value();
    scene["$defs"]["Solver"]["properties"] = choice_of_solver().into();
    let mut all = tables::tables(&scene, "the scene");
    for solver in SOLVERS {
        let mut own = (solver.schema)().to_value();
        one_precision(&mut own);
        all.extend(tables::tables(&own, &format!("solver, {}", solver.name)));
    }
    all
}
