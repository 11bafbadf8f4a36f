//! Does every number of a scene say its unit, its range, what it is, and why its default is what it is?

use bench_suite::scenes::{schema, tables::Parameter};
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path};

/// Tags that the book explains, as `- [Mon92] Monaghan 1992`.
fn known_tags() -> BTreeSet<String> {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let pages = fs::read_dir(book).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|page| page.extension().is_some_and(|extension| extension == "md"));
    let mut known = BTreeSet::new();
    for page in pages {
        let text = fs::read_to_string(page).unwrap();
        let sources = text.lines().filter_map(|line| line.strip_prefix("- ["));
        for source in sources {
            // A link, as [page](page.md), is no source.
            let tags = format!("[{source}");
            known.extend(tags_of(&tags).into_iter().filter(|tag| !tags.contains(&format!("[{tag}]("))));
        }
    }
    known
}

/// Words in brackets of letters and digits alone: ranges such as `[0, 1]` do not count.
fn tags_of(text: &str) -> Vec<String> {
    let inside = text.split('[').skip(1).filter_map(|rest| rest.split(']').next());
    let words = inside.flat_map(|inside| inside.split(", "));
    let is_tag = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(|c| c.is_ascii_alphanumeric())
    };
    words.filter(is_tag).map(str::to_owned).collect()
}

/// A default that needs no reason: none, or made of 0 and 1.
fn is_plain(default: &str) -> bool {
    let numbers = default.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'));
    let mut numbers = numbers.filter_map(|number| number.parse::<f64>().ok());
    numbers.all(|number| number == 0.0 || number == 1.0)
}

fn all() -> Vec<(String, Parameter)> {
    let tables = schema::parameters().into_iter();
    let named = |(table, p): (String, Parameter)| (format!("{table}: {}", p.name), p);
    tables.flat_map(|t| t.parameters.into_iter().map(move |p| (t.name.clone(), p))).map(named).collect()
}

/// What is listed for people is what the schema accepts: every key, and every word that can be chosen.
#[test]
fn every_key_and_every_choice_of_the_schema_is_listed() {
    let schema: Value = serde_json::from_str(&schema::scene_schema().unwrap()).unwrap();
    let (all, mut keys, mut words) = (all(), BTreeSet::new(), BTreeSet::new());
    walk(&schema, "", &mut |path, _, _| {
        keys.insert(path.rsplit('/').next().unwrap().to_owned());
    });
    for choice in
        schema["$defs"].as_object().unwrap().values().flat_map(|def| def["oneOf"].as_array()).flatten()
    {
        words.extend(choice["const"].as_str().map(str::to_owned));
    }
    assert!(
        keys.contains("stop_wall") && words.contains("hash_grid") && words.len() > 60,
        "{keys:?} {words:?}"
    );
    for (_, p) in &all {
        keys.remove(&p.name);
        p.values.iter().for_each(|value| _ = (words.remove(value), keys.remove(value)));
    }
    assert!(keys.is_empty() && words.is_empty(), "not listed: {keys:?} {words:?}");
}

#[test]
fn every_number_has_unit_range_and_meaning() {
    for (name, p) in all() {
        assert!(p.about.len() >= 5, "{name} says nothing");
        assert_eq!(p.unit.is_empty(), p.range.is_empty(), "{name} has a unit or a range alone");
    }
    assert!(all().len() > 100, "not all tables are listed");
}

#[test]
fn every_default_that_is_chosen_has_a_known_source() {
    let known = known_tags();
    assert!(known.contains("Mon92") && known.contains("AHA12") && !known.contains("Walls"), "{known:?}");
    for (name, p) in all().into_iter().filter(|(_, p)| !p.unit.is_empty()) {
        let tags = tags_of(&p.about);
        assert!(is_plain(&p.default) || !tags.is_empty(), "{name}: why {}?", p.default);
        for tag in tags {
            assert!(known.contains(&tag), "{name}: the book does not know [{tag}]");
        }
    }
}

/// The schema knows no number that an editor could not explain.
#[test]
fn every_number_of_the_schema_has_unit_range_and_meaning() {
    let schema: Value = serde_json::from_str(&schema::scene_schema().unwrap()).unwrap();
    let mut numbers = 0;
    walk(&schema, "", &mut |path, property, about| {
        if !is_number(property) {
            return;
        }
        numbers += 1;
        let says = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        assert!(says(&property["x-unit"]) && says(&property["x-range"]), "{path} has no unit or range");
        assert!(says(&property["description"]) || says(about), "{path} says nothing");
    });
    assert!(numbers > 60, "{numbers} numbers");
}

/// Visits every property of every object, with the text of the object: that of a choice stands there.
fn walk(schema: &Value, path: &str, visit: &mut impl FnMut(&str, &Value, &Value)) {
    match schema {
        Value::Object(map) => {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                visit(&format!("{path}/{name}"), property, &schema["description"]);
            }
            map.iter().for_each(|(key, value)| walk(value, &format!("{path}/{key}"), visit));
        }
        Value::Array(items) => items.iter().for_each(|item| walk(item, path, visit)),
        _ => {}
    }
}

/// A number, or a list of numbers.
fn is_number(property: &Value) -> bool {
    let is = |value: &Value| {
        let names = value["type"].as_array().map_or(vec![&value["type"]], |names| names.iter().collect());
        names.iter().any(|name| *name == "number" || *name == "integer")
    };
    is(property) || is(&property["items"]) || is(&property["items"]["items"])
}
