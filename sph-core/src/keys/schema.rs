//! JSON schema of a struct of parameters, for completion and checks in editors.
use schemars::{JsonSchema, Schema, json_schema};

use super::{ParameterInfo, Range};

/// Collects the fields of one struct. Used by [`parameters!`](crate::parameters!).
pub struct ObjectSchema {
    object: Schema,
    properties: Schema,
    required: Vec<&'static str>,
}

impl ObjectSchema {
    /// A struct without fields yet.
    pub fn new(about: &str) -> Self {
        let object = json_schema!({
            "type": "object",
            "description": about.trim(),
            "additionalProperties": false,
        });
        Self { object, properties: json_schema!({}), required: Vec::new() }
    }

    /// Adds a field; `default` holds the default under the key `default`, or nothing if it is required.
    pub fn add(&mut self, info: &ParameterInfo, mut schema: Schema, default: Option<Schema>) {
        set(&mut schema, "description", json_schema!({ "v": info.doc }));
        if !info.unit.is_empty() {
            set(&mut schema, "x-unit", json_schema!({ "v": info.unit }));
            set(&mut schema, "x-range", json_schema!({ "v": info.range }));
        }
        if let Some(range) = info.bounds() {
            bound(&mut schema, &range);
        }
        match default {
            Some(default) => {
                let known = default.get("default").filter(|value| !value.is_null()).cloned();
                if let Some(value) = known {
                    schema.insert("default".to_owned(), value);
                }
            }
            None => self.required.push(info.name),
        }
        self.properties.insert(info.name.to_owned(), schema.to_value());
    }

    /// The schema of the struct.
    pub fn finish(mut self) -> Schema {
        self.object.insert("properties".to_owned(), self.properties.to_value());
        if !self.required.is_empty() {
            set(&mut self.object, "required", json_schema!({ "v": self.required }));
        }
        self.object
    }
}

/// Sets a key to what stands at `v`: the macro is the way to a JSON value without naming its crate.
fn set(schema: &mut Schema, key: &str, value: Schema) {
    if let Some(value) = value.get("v") {
        schema.insert(key.to_owned(), value.clone());
    }
}

/// Writes the bounds to a number, or to the numbers of a list.
fn bound(schema: &mut Schema, range: &Range) {
    let (low, low_open) = range.low();
    let (high, high_open) = range.high();
    let mut limits = json_schema!({});
    if low.is_finite() {
        let key = if low_open { "exclusiveMinimum" } else { "minimum" };
        set(&mut limits, key, json_schema!({ "v": low }));
    }
    if high.is_finite() {
        let key = if high_open { "exclusiveMaximum" } else { "maximum" };
        set(&mut limits, key, json_schema!({ "v": high }));
    }
    let limits = limits.as_object().cloned().unwrap_or_default();
    let items = schema.get_mut("items").and_then(|items| items.as_object_mut());
    match items {
        Some(items) => items.extend(limits),
        None => schema.ensure_object().extend(limits),
    }
}

/// Range and unit that were declared for the number at a key path below `T`.
pub(crate) fn declared<T: JsonSchema>(path: &str) -> Option<(String, String)> {
    let root = schemars::schema_for!(T);
    let mut at = String::new();
    for segment in path.split('.') {
        let mut parts = segment.split('[');
        at = property(&root, at, parts.next()?)?;
        // A list of numbers carries the range itself; a list of tables leads to them.
        for _ in parts {
            if root.pointer(&format!("{at}/x-range")).is_none() {
                at = follow(&root, at) + "/items";
            }
        }
    }
    let text = |key: &str| Some(root.pointer(&format!("{at}/{key}"))?.as_str()?.to_owned());
    Some((text("x-range")?, text("x-unit")?))
}

/// Where the schema stands that the one at `at` refers to.
fn follow(root: &Schema, at: String) -> String {
    let target = root.pointer(&format!("{at}/$ref")).and_then(|target| target.as_str());
    target.and_then(|target| target.strip_prefix('#')).map_or(at, str::to_owned)
}

/// Where the schema of a key stands, also behind references, options and variants.
fn property(root: &Schema, at: String, name: &str) -> Option<String> {
    let at = follow(root, at);
    let found = format!("{at}/properties/{name}");
    if root.pointer(&found).is_some() {
        return Some(found);
    }
    let choices = ["anyOf", "oneOf"].into_iter().flat_map(|of| {
        let at = &at;
        let choices = (0..).map(move |i| format!("{at}/{of}/{i}"));
        choices.take_while(|choice| root.pointer(choice).is_some())
    });
    choices.filter(|choice| *choice != at).find_map(|choice| property(root, choice, name))
}
