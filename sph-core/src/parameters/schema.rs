//! JSON schema of a struct of parameters, for completion and checks in editors.
use schemars::{Schema, json_schema};

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
