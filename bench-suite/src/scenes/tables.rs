//! Tables of keys, read off a schema: no key and no choice can be left out.

use serde_json::Value;
use std::{collections::VecDeque, ptr};

/// A table of a scene file.
#[derive(Clone, Debug)]
pub struct Table {
    /// Where it stands, as `[[fluid]]` or `command.push`, with commas between several places.
    pub name: String,
    /// Its keys, by name.
    pub parameters: Vec<Parameter>,
}

/// A key of a table.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The key.
    pub name: String,
    /// SI unit, `-` for a pure number, empty for other types.
    pub unit: String,
    /// Allowed interval as `(0, 1]`, empty for other types.
    pub range: String,
    /// Default as a scene writes it, `optional` if nothing or what is derived stands in its place, `must be given`.
    pub default: String,
    /// What it is, with the tag of its source.
    pub about: String,
    /// What there is to choose from: words, and keys of tables with one key; empty if it is no choice.
    pub values: Vec<String>,
}

/// The table that `root` describes, under `name`, and all below it. A table that may stand in several places is listed
/// once; those of a choice, as `shape.block`, go by the last key.
pub(super) fn tables(root: &Value, name: &str) -> Vec<Table> {
    let mut found: Vec<(&Value, Table)> = Vec::new();
    let mut queue = VecDeque::from([(root, name.to_owned(), String::new())]);
    while let Some((schema, name, path)) = queue.pop_front() {
        if let Some((_, table)) = found.iter_mut().find(|(listed, _)| ptr::eq(*listed, schema)) {
            if !table.name.split(", ").any(|known| known == name) {
                table.name += &format!(", {name}");
            }
            continue;
        }
        for (key, property) in entries(schema) {
            queue.extend(below(root, key, property, &path));
        }
        let required = schema["required"].as_array();
        let of = |(key, property): (&String, _)| {
            let is_required = required.is_some_and(|keys| keys.contains(&key.as_str().into()));
            parameter(root, key, property, is_required)
        };
        found.push((schema, Table { name, parameters: entries(schema).map(of).collect() }));
    }
    found.into_iter().map(|(_, table)| table).collect()
}

/// The tables that may stand at a key of a table at `path`: each with its name and its path.
fn below<'a>(
    root: &'a Value,
    key: &str,
    property: &'a Value,
    path: &str,
) -> Vec<(&'a Value, String, String)> {
    let (schema, is_list) = target(root, property);
    if schema["properties"].is_object() {
        let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        return vec![(
            schema,
            if is_list && path == key { format!("[[{path}]]") } else { path.clone() },
            path,
        )];
    }
    let variants = choices(schema).iter().flat_map(entries);
    // A choice that leads to itself, as the outside of a shape, adds nothing.
    let others = variants.filter(|(_, value)| !ptr::eq(target(root, value).0, schema));
    others.flat_map(|(variant, value)| below(root, variant, value, key)).collect()
}

fn parameter(root: &Value, key: &str, property: &Value, is_required: bool) -> Parameter {
    let text = |key: &str| property[key].as_str().unwrap_or_default().to_owned();
    let default = match &property["default"] {
        Value::Null if is_required => "must be given".to_owned(),
        Value::Null => "optional".to_owned(),
        Value::Object(_) => "its defaults".to_owned(),
        Value::String(word) if !word.is_empty() => word.clone(),
        value => value.to_string(),
    };
    let (name, about) = (key.to_owned(), text("description"));
    let values = values(target(root, property).0);
    Parameter { name, unit: text("x-unit"), range: text("x-range"), default, about, values }
}

/// What a property is in the end, behind references, options and lists; and whether it is a list.
fn target<'a>(root: &'a Value, property: &'a Value) -> (&'a Value, bool) {
    let (mut at, mut is_list) = (property, false);
    loop {
        let some = at["anyOf"].as_array().and_then(|of| of.iter().find(|one| one["type"] != "null"));
        let reference = at["$ref"].as_str().and_then(|path| root.pointer(path.trim_start_matches('#')));
        is_list |= at["items"].is_object();
        match reference.or(some).or(at.get("items")) {
            Some(next) => at = next,
            None => return (at, is_list),
        }
    }
}

fn entries(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn choices(schema: &Value) -> &[Value] {
    schema["oneOf"].as_array().map_or(&[], Vec::as_slice)
}

/// The words, and the only keys of the tables, that a schema lets choose from.
fn values(schema: &Value) -> Vec<String> {
    let words = schema["enum"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(choices(schema).iter().map(|one| &one["const"]));
    let words = words.filter_map(Value::as_str).map(str::to_owned);
    words.chain(choices(schema).iter().flat_map(entries).map(|(key, _)| key.clone())).collect()
}
