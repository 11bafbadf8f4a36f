//! The schema of scenes, read as its users do: what stands where, and how a value gets there.

use bench_suite::scenes::methods::SOLVERS;
use serde_json::Value as Json;
use sph_core::{keys::Range, scene::Scene};
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Steps from the root to a value: keys, and `[0]` for the entry of a list.
pub type Path = [String];

/// The schema of scenes with one method.
#[derive(Clone)]
pub struct Schema(pub Json);

impl Schema {
    /// That of the method at a place of the list.
    pub fn of(method: usize) -> Self {
        let mut schema: Json = serde_json::from_str(&Scene::schema()).unwrap();
        let mut own = (SOLVERS[method].schema)().to_value();
        if let Json::Object(definitions) = own["$defs"].take() {
            schema["$defs"].as_object_mut().unwrap().extend(definitions);
        }
        schema["$defs"]["Solver"] = own;
        Self(schema)
    }

    /// A scene with the value at a path, or without any.
    pub fn put(&self, scene: Table, path: &Path, value: Option<Value>) -> Table {
        let whole = self.put_at(&self.0, Some(scene.into()), path, value);
        let Some(Value::Table(scene)) = whole else { panic!("{} is no scene", text(path)) };
        scene
    }

    /// All places of numbers, choices and switches, each with what may stand there.
    pub fn leaves(&self) -> Vec<(Vec<String>, Json)> {
        let mut found = Vec::new();
        self.visit(&self.0, &[], &mut BTreeSet::new(), &mut found);
        found
    }

    fn visit(
        &self,
        node: &Json,
        path: &Path,
        around: &mut BTreeSet<String>,
        found: &mut Vec<(Vec<String>, Json)>,
    ) {
        if let Some(name) = name_of(node) {
            // A table may hold itself, as the complement of a shape.
            if around.insert(name.to_owned()) {
                self.visit(&self.0["$defs"][name], path, around, found);
                around.remove(name);
            }
            return;
        }
        if node["x-range"].is_string() || !choices(node).is_empty() || node["type"] == "boolean" {
            return found.push((path.to_vec(), node.clone()));
        }
        for of in ["anyOf", "oneOf"] {
            for variant in node[of].as_array().into_iter().flatten() {
                self.visit(variant, path, around, found);
            }
        }
        for (key, property) in node["properties"].as_object().into_iter().flatten() {
            self.visit(property, &below(path, key), around, found);
        }
        if node.get("items").is_some() {
            self.visit(&node["items"], &below(path, "[0]"), around, found);
        }
    }

    /// The value at a place with another put at a path below it. What is not there yet is made, with all that it must hold.
    fn put_at(&self, node: &Json, now: Option<Value>, path: &Path, value: Option<Value>) -> Option<Value> {
        let Some((step, rest)) = path.split_first() else { return value };
        let node = self.target(node);
        if step == "[0]" {
            let mut list = now.and_then(|now| now.as_array().cloned()).unwrap_or_default();
            let first = (!list.is_empty()).then(|| list.remove(0));
            if let Some(entry) = self.put_at(&node["items"], first, rest, value) {
                list.insert(0, entry);
            }
            return Some(list.into());
        }
        let (holder, is_variant) = self.holder(node, step).unwrap_or((node, false));
        let now = now.filter(|now| now.is_table() && (!is_variant || now.get(step.as_str()).is_some()));
        let made = || if is_variant { Table::new().into() } else { self.example(holder) };
        let Value::Table(mut table) = now.unwrap_or_else(made) else { panic!("{step} of no table") };
        match self.put_at(&holder["properties"][step], table.remove(step), rest, value) {
            Some(value) => drop(table.insert(step.clone(), value)),
            None => drop(table.remove(step)),
        }
        Some(table.into())
    }

    /// The table that declares a key, and whether it is one of several variants.
    fn holder<'a>(&'a self, node: &'a Json, key: &str) -> Option<(&'a Json, bool)> {
        let node = self.target(node);
        if node["properties"].get(key).is_some() {
            return Some((node, false));
        }
        ["anyOf", "oneOf"].into_iter().find_map(|of| {
            let found = node[of].as_array()?.iter().find_map(|one| self.holder(one, key));
            found.map(|(table, is_variant)| (table, is_variant || of == "oneOf"))
        })
    }

    fn target<'a>(&'a self, node: &'a Json) -> &'a Json {
        match (name_of(node), &node["anyOf"]) {
            (Some(name), _) => self.target(&self.0["$defs"][name]),
            // An option: what it is, or null.
            (None, Json::Array(options)) if options.len() == 2 && options[1]["type"] == "null" => {
                self.target(&options[0])
            }
            _ => node,
        }
    }

    /// A value that is in its range.
    pub fn example(&self, node: &Json) -> Value {
        let node = self.target(node);
        if let Some(range) = node["x-range"].as_str() {
            let range = Range::parse(range.to_owned().leak());
            let x = [1.0, 0.5, 0.1, 2.0, 3.0].into_iter().find(|x| range.contains(*x)).unwrap();
            return match (node.get("items"), node["items"].get("items")) {
                (None, _) => of_type(node, x),
                (_, None) => vec![x, x].into(),
                _ => vec![vec![x, x], vec![x, x]].into(),
            };
        }
        let first = |of: &str| node[of].as_array().and_then(|all| all.first());
        if let Some(name) = first("enum").or(node.get("const")).and_then(Json::as_str) {
            return name.into();
        }
        if let Some(variant) = first("oneOf").or(first("anyOf")) {
            return self.example(variant);
        }
        match node["type"].as_str() {
            Some("string") => "x".into(),
            Some("array") => Value::Array(Vec::new()),
            Some("object") => {
                let keys = node["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
                Table::from_iter(keys.map(|key| (key.to_owned(), self.example(&node["properties"][key]))))
                    .into()
            }
            _ => 1.into(),
        }
    }
}

/// The names to choose from; none where there is no choice.
pub fn choices(node: &Json) -> Vec<&str> {
    let variants = node["oneOf"].as_array().into_iter().flatten().map(|one| &one["const"]);
    variants.chain(node["enum"].as_array().into_iter().flatten()).filter_map(Json::as_str).collect()
}

pub fn is_whole(node: &Json) -> bool {
    node["type"].to_string().contains("integer")
}

/// A number as its key is declared.
pub fn of_type(node: &Json, x: f64) -> Value {
    if is_whole(node) { Value::Integer(x as i64) } else { x.into() }
}

/// What a node refers to.
pub fn name_of(node: &Json) -> Option<&str> {
    node["$ref"].as_str()?.strip_prefix("#/$defs/")
}

pub fn below(path: &Path, step: &str) -> Vec<String> {
    path.iter().cloned().chain([step.to_owned()]).collect()
}

/// As messages write a path.
pub fn text(path: &Path) -> String {
    path.join(".").replace(".[", "[")
}
