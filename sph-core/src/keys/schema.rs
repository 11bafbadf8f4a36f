//! JSON schema of a struct of parameters, for completion and checks in editors.
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Value, json};

use super::{ParameterInfo, Range, fields::written};

/// Collects the fields of one struct. Used by [`parameters!`](crate::parameters!).
pub struct ObjectSchema {
    object: Schema,
    properties: serde_json::Map<String, Value>,
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
        Self { object, properties: serde_json::Map::new(), required: Vec::new() }
    }

    /// Adds a field; one without a default is required.
    #[inline(never)]
    pub fn add<T: JsonSchema + Serialize>(
        &mut self,
        info: Option<&ParameterInfo>,
        generator: &mut SchemaGenerator,
        default: Option<T>,
    ) {
        let Some(info) = info else { return };
        let default = default.map(|default| written(&default).ok().flatten());
        self.add_field(info, generator.subschema_for::<T>(), default);
    }

    fn add_field(&mut self, info: &ParameterInfo, mut schema: Schema, default: Option<Option<toml::Value>>) {
        let mut set = |key: &str, value: Value| drop(schema.insert(key.to_owned(), value));
        set("description", info.doc.into());
        if !info.unit.is_empty() {
            set("x-unit", info.unit.into());
            set("x-range", info.range.into());
        }
        match default {
            Some(Some(default)) => set("default", json!(default)),
            Some(None) => {}
            None => self.required.push(info.name),
        }
        if let Some(range) = info.bounds() {
            bound(&mut schema, &range);
        }
        self.properties.insert(info.name.to_owned(), schema.to_value());
    }

    /// The schema of the struct.
    pub fn finish(mut self) -> Schema {
        self.object.insert("properties".to_owned(), self.properties.into());
        if !self.required.is_empty() {
            self.object.insert("required".to_owned(), self.required.into());
        }
        self.object
    }
}

/// Writes the bounds to a number, or to the numbers of a list.
fn bound(schema: &mut Schema, range: &Range) {
    let (low, low_open) = range.low();
    let (high, high_open) = range.high();
    let keys =
        [(low, low_open, "minimum", "exclusiveMinimum"), (high, high_open, "maximum", "exclusiveMaximum")];
    let limits = keys.into_iter().filter(|(limit, ..)| limit.is_finite()).map(
        |(limit, open, closed_key, open_key)| {
            ((if open { open_key } else { closed_key }).to_owned(), json!(limit))
        },
    );
    match schema.get_mut("items").and_then(Value::as_object_mut) {
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
