//! Bad input of every key, made from the schema of scenes: numbers out of their range and of no number, values of another
//! type, choices and keys that do not exist, keys that are missing.

use super::schema::{Path, Schema, below, is_whole, name_of, of_type, text};
use bench_suite::scenes::methods::SOLVERS;
use serde_json::Value as Json;
use sph_core::keys::Range;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// A scene with one thing wrong.
pub struct Row {
    /// What is wrong, and with which key.
    pub meaning: [String; 2],
    /// The scene.
    pub scene: String,
    /// What the message must hold.
    pub expect: Vec<String>,
}

/// The rows of all tables of the schema, each table once, and of the parameters of each method.
pub fn rows(base: &str) -> Vec<Row> {
    let base: Table = toml::from_str(base).unwrap();
    let mut maker = Maker { schema: Schema::of(0), base, seen: BTreeSet::new(), rows: Vec::new() };
    for (k, method) in SOLVERS.iter().enumerate() {
        maker
            .base
            .insert("solver".into(), Table::from_iter([("name".to_owned(), method.name.into())]).into());
        maker.schema = Schema::of(k);
        let schema = maker.schema.0.clone();
        if k == 0 {
            maker.seen.insert("Solver".into());
            maker.visit(&schema, &[]);
        }
        maker.visit(&schema["$defs"]["Solver"], &["solver".to_owned()]);
    }
    maker.rows
}

struct Maker {
    schema: Schema,
    base: Table,
    /// Tables that stand at several places are visited at the first.
    seen: BTreeSet<String>,
    rows: Vec<Row>,
}

impl Maker {
    fn visit(&mut self, node: &Json, path: &Path) {
        if let Some(range) = node["x-range"].as_str() {
            return self.number(node, range, path);
        }
        if let Some(name) = name_of(node) {
            if self.seen.insert(name.to_owned()) {
                let target = self.schema.0["$defs"][name].clone();
                self.visit(&target, path);
            }
            return;
        }
        self.choice(node, path);
        for variant in
            ["anyOf", "oneOf"].into_iter().flat_map(|of| node[of].as_array().cloned().unwrap_or_default())
        {
            // A variant is a table of one key, which is no table of its own.
            let of_one_key = node.get("oneOf").is_some() && variant.get("properties").is_some();
            if of_one_key { self.properties(&variant, path) } else { self.visit(&variant, path) }
        }
        if node.get("properties").is_some() {
            self.table(node, path);
            self.properties(node, path);
        }
        if node.get("items").is_some() {
            self.visit(&node["items"], &below(path, "[0]"));
        }
    }

    fn properties(&mut self, node: &Json, path: &Path) {
        for (key, property) in node["properties"].as_object().into_iter().flatten() {
            self.visit(property, &below(path, key));
        }
    }

    /// Keys that are not there, or that ought to be.
    fn table(&mut self, node: &Json, path: &Path) {
        let wrong = below(path, "no_such_key");
        self.row("unknown", &wrong, Some(1.into()), vec!["no_such_key: unknown field".into()]);
        for key in node["required"].as_array().into_iter().flatten().filter_map(Json::as_str) {
            let missing = below(path, key);
            // Messages leave out the place in a list of one table.
            self.row("missing", &missing, None, vec![format!("{key}: is required but missing")]);
        }
        for (key, property) in node["properties"].as_object().into_iter().flatten() {
            let of_any_type = property["$ref"].as_str().is_some_and(|name| name.ends_with("/Setting"));
            if property.get("x-range").is_none() && !of_any_type {
                let path = below(path, key);
                self.row(
                    "type",
                    &path,
                    Some(Value::Datetime("1979-05-27".parse().unwrap())),
                    vec![text(&path)],
                );
            }
        }
    }

    /// A name that is none of those to choose from.
    fn choice(&mut self, node: &Json, path: &Path) {
        let constants =
            node["oneOf"].as_array().is_some_and(|all| all.iter().any(|one| one.get("const").is_some()));
        if constants || node.get("enum").is_some() {
            self.row(
                "choice",
                path,
                Some("nonsense".into()),
                vec![format!("{} = \"nonsense\": ", text(path))],
            );
        }
    }

    fn number(&mut self, node: &Json, range: &str, path: &Path) {
        let is_list = node.get("items").is_some();
        let entry = if !is_list {
            path.to_vec()
        } else if node["items"].get("items").is_some() {
            below(&below(path, "[0]"), "[0]")
        } else {
            below(path, "[0]")
        };
        let refused = |path: &Path| vec![format!("{} = ", text(path)), format!("must lie in {range}")];
        let parsed = Range::parse(range.to_owned().leak());
        let ((low, low_open), (high, high_open)) = (parsed.low(), parsed.high());
        let whole = is_whole(node);
        let write = |x: f64| Some(of_type(node, x));
        if low.is_finite() {
            let below = if low_open {
                low
            } else if low > 0.0 && !whole {
                0.5 * low
            } else {
                low - 1.0
            };
            self.row("below", &entry, write(below), refused(&entry));
        }
        if high.is_finite() {
            let above = if high_open { high } else { high + 1.0 };
            self.row("above", &entry, write(above), refused(&entry));
        }
        if !whole {
            self.row("nan", &entry, Some(f64::NAN.into()), refused(&entry));
            self.row("inf", &entry, Some(f64::INFINITY.into()), refused(&entry));
        }
        self.row("type", path, Some("x".into()), refused(path));
    }

    /// Adds the base scene with this value, or without any, at a path.
    fn row(&mut self, what: &str, path: &Path, value: Option<Value>, expect: Vec<String>) {
        let scene = self.schema.put(self.base.clone(), path, value);
        // The method of the base scene goes without saying.
        let method = self.base["solver"]["name"].as_str().filter(|name| *name != SOLVERS[0].name);
        let method = method.map_or_else(String::new, |name| format!("{name}-"));
        // An unknown key is one of the table around it.
        let key = if what == "unknown" { &path[..path.len() - 1] } else { path };
        let meaning = [what.to_owned(), method + &text(key)];
        self.rows.push(Row { meaning, scene: scene.to_string(), expect });
    }
}

/// What a message that is expected says, in the words of [`Row::meaning`], so that no case comes twice.
pub fn meaning(expect: &str) -> Option<[String; 2]> {
    let of = |what: &str, key: &str| {
        let entries = key.split('[').enumerate().map(|(k, part)| match part.split_once(']') {
            Some((_, rest)) if k > 0 => format!("[0]{rest}"),
            _ => part.to_owned(),
        });
        Some([what.to_owned(), entries.collect()])
    };
    let said = expect.strip_prefix("case.toml:").and_then(|rest| rest.splitn(3, ':').nth(2));
    let said = said.unwrap_or(expect).trim_start();
    if let Some((key, _)) = said.split_once(": is required") {
        return of("missing", key);
    }
    if let Some((key, _)) = said.split_once(": unknown field") {
        return of("unknown", key.rsplit_once('.').map_or("", |(table, _)| table));
    }
    let (key, rest) = said.split_once(" = ")?;
    let Some((value, range)) = rest.split_once(": must lie in ") else {
        return if rest.contains("unknown variant") || rest.contains("is no solver") {
            of("choice", key)
        } else {
            None
        };
    };
    let low: f64 = range[1..].split(',').next()?.parse().ok()?;
    match value.parse::<f64>() {
        Ok(x) if x.is_nan() => of("nan", key),
        Ok(x) if x.is_infinite() => of("inf", key),
        Ok(x) => of(if x <= low { "below" } else { "above" }, key),
        Err(_) => of("type", key),
    }
}
