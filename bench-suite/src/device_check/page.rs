//! A check as a page of Markdown.

use super::{Check, Line, Outcome, Section};
use serde_json::Value;
use std::collections::BTreeSet;

/// The page.
#[must_use]
pub fn page(check: &Check) -> String {
    let mut out = String::from("# Check on a card\n\n");
    if let Some(note) = check.note {
        out += &format!("**{note}**\n\n");
    }
    out += &format!(
        "Backend {}, {} precision, commit {}, {}, {} of memory; {}, {:.0} s.\n\n",
        check.backend,
        check.precision,
        check.commit,
        check.machine.cpu,
        crate::report::number::bytes(check.machine.memory_bytes as f64),
        check.created,
        check.seconds
    );
    out += &devices(&check.devices);
    check.sections.iter().for_each(|section| out += &text(section));
    out
}

fn devices(found: &Value) -> String {
    if let Some(reason) = found["reason"].as_str() {
        return format!("No card: {reason}.\n\n");
    }
    let word = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
    let mut out = format!("CUDA driver {}, NVRTC {}.\n\n", word(&found["driver"]), word(&found["nvrtc"]));
    for card in found["cards"].as_array().into_iter().flatten() {
        out += &format!(
            "- cuda:{} {}, {} B, {} B free, compute capability {}\n",
            card["ordinal"],
            word(&card["name"]),
            card["total_bytes"],
            card["free_bytes"],
            word(&card["compute_capability"])
        );
    }
    out + "\n"
}

fn text(section: &Section) -> String {
    let mut out = format!("## {}\n\n{}\n\n", section.name, section.about);
    // Lines of one kind have the same numbers: they are the columns, unless there are too many to read.
    const MOST: usize = 8;
    let names: BTreeSet<&String> = section.lines.iter().flat_map(|line| line.numbers.keys()).collect();
    if names.len() <= MOST {
        let heads: String = names.iter().map(|name| format!(" {name} |")).collect();
        out += &format!("| what | outcome |{heads}\n|---|---|{}\n", "---:|".repeat(names.len()));
        for line in &section.lines {
            let cells: String = names
                .iter()
                .map(|name| format!(" {} |", line.numbers.get(*name).map_or("–".into(), number)))
                .collect();
            out += &format!("| {} | {} |{cells}\n", line.what, outcome(line));
        }
        return out + "\n";
    }
    for line in &section.lines {
        out += &format!("### {}\n\n{}\n\n", line.what, outcome(line));
        if line.numbers.is_empty() {
            continue;
        }
        out += "| number | value |\n|---|---:|\n";
        line.numbers.iter().for_each(|(name, value)| out += &format!("| {name} | {} |\n", number(value)));
        out += "\n";
    }
    out
}

fn outcome(line: &Line) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    match &line.outcome {
        Outcome::Done => "done".into(),
        Outcome::Failed(reason) => format!("**failed**: {}", cell(reason)),
        Outcome::NotRun(reason) => format!("not run: {}", cell(reason)),
    }
}

/// A number as short as it can be read.
fn number(value: &Value) -> String {
    match value {
        Value::Array(values) => values.iter().map(number).collect::<Vec<_>>().join(", "),
        Value::Number(n) if n.is_f64() => match n.as_f64().unwrap_or(f64::NAN) {
            0.0 => "0".into(),
            x if (0.01..1e6).contains(&x.abs()) => format!("{x:.3}"),
            x => format!("{x:.2e}"),
        },
        Value::Null => "not a number".into(),
        other => other.to_string(),
    }
}
