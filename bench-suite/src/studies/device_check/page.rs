//! A check as a page of Markdown.

use super::{Check, Line, Section, Verdict};
use serde_json::Value;
use std::collections::BTreeSet;

/// The page.
#[must_use]
pub fn page(check: &Check) -> String {
    let mut out = String::from("# Check on a GPU\n\n");
    if let Some(note) = &check.note {
        out += &format!("**{note}**\n\n");
    }
    let [passed, failed, not_run] = check.counts();
    out += &format!("**{passed} lines passed, {failed} failed, {not_run} were not run.**\n\n");
    out += &format!(
        "Backend {}, {} precision, commit {}, {}, {} of memory; {}.\n\n",
        check.backend,
        check.precision,
        check.commit,
        check.machine.cpu,
        crate::result::number::bytes(check.machine.memory_bytes as f64),
        check.created,
    );
    if let Some(package) = check.package.as_object() {
        let words: Vec<_> = package.iter().map(|(name, value)| format!("{name} {}", number(value))).collect();
        out += &format!("Packed with: {}.\n\n", words.join("; "));
    }
    out += &devices(&check.devices);
    check.sections.iter().for_each(|section| out += &text(section));
    out
}

fn devices(found: &Value) -> String {
    if let Some(reason) = found["reason"].as_str() {
        return format!("No GPU: {reason}.\n\n");
    }
    let word = |value: &Value| value.as_str().unwrap_or("unknown").to_owned();
    let mut out = format!("CUDA driver {}, NVRTC {}.\n\n", word(&found["driver"]), word(&found["nvrtc"]));
    for gpu in found["gpus"].as_array().into_iter().flatten() {
        out += &format!(
            "- cuda:{} {}, {} B, {} B free, compute capability {}\n",
            gpu["ordinal"],
            word(&gpu["name"]),
            gpu["total_bytes"],
            gpu["free_bytes"],
            word(&gpu["compute_capability"])
        );
    }
    out + "\n"
}

fn text(section: &Section) -> String {
    let [passed, failed, not_run] = section.counts();
    let mut out = format!("## {}\n\n{}\n\n", section.name, section.about);
    out += &format!("{passed} passed, {failed} failed, {not_run} not run; {:.0} s.\n\n", section.seconds);
    for (when, clocks) in ["before", "after"].iter().zip(&section.clocks) {
        out += &format!("Clocks, temperature, power, throttling {when}: {clocks}.\n\n");
    }
    // Lines of one kind have the same numbers: they are the columns, unless there are too many to read.
    const MOST: usize = 12;
    let names: BTreeSet<&String> = section.lines.iter().flat_map(|line| line.numbers.keys()).collect();
    if names.len() > MOST {
        section.lines.iter().for_each(|line| out += &alone(line));
        return out;
    }
    let heads: String = names.iter().map(|name| format!(" {name} |")).collect();
    out += &format!("| what | verdict |{heads}\n|---|---|{}\n", "---:|".repeat(names.len()));
    for line in &section.lines {
        let cells: String = names
            .iter()
            .map(|name| format!(" {} |", line.numbers.get(*name).map_or("–".into(), number)))
            .collect();
        out += &format!("| {} | {} |{cells}\n", line.what, verdict(line));
    }
    out + "\n"
}

/// A line with a table of its own.
fn alone(line: &Line) -> String {
    let mut out = format!("### {}\n\n{}\n\n", line.what, verdict(line));
    if line.numbers.is_empty() {
        return out;
    }
    out += "| number | value |\n|---|---:|\n";
    line.numbers.iter().for_each(|(name, value)| out += &format!("| {name} | {} |\n", number(value)));
    out + "\n"
}

fn verdict(line: &Line) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    match &line.verdict {
        Verdict::Passed => "passed".into(),
        Verdict::Failed(reason) => format!("**failed**: {}", cell(reason)),
        Verdict::NotRun(reason) => format!("not run: {}", cell(reason)),
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
        Value::String(text) => text.clone(),
        Value::Null => "not a number".into(),
        other => other.to_string(),
    }
}
