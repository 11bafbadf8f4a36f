//! Sections that every page has: pictures, memory, machine, scenes, sources.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    path::{Component, Path},
};

use super::figures::{Method, cases, in_order, lacking as lacking_methods, method_name, methods, resolution};
use super::html::{Cell, citation, details, escape, facts, section, table};
use super::plots::color_names;
use crate::result::{Band, Comparison, Frame, Image, Judged, RunResult, Score, number};
use crate::system::read::read;
use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Title, and the line that says when, what and where.
pub(super) fn head(all: &Comparison) -> String {
    let machine = &all.machine;
    let meta = [
        all.created.clone(),
        format!("commit {}", all.commit),
        format!("{} ({} usable cores)", machine.cpu, machine.usable_cores),
        format!("{} build", machine.profile),
    ];
    let note = all.note.as_ref().map(|note| format!("<p class=\"meta\">{}</p>\n", escape(note)));
    format!(
        "<h1>{}</h1>\n<p class=\"meta\">{}</p>\n{}",
        escape(&all.title),
        escape(&meta.join(" · ")),
        note.unwrap_or_default()
    )
}

/// Links to the sections of a page.
pub(super) fn contents(sections: &[(String, String)]) -> String {
    let link = |(id, name): &(String, String)| format!("<a href=\"#{}\">{}</a>\n", escape(id), escape(name));
    format!("<nav aria-label=\"Sections\">\n{}</nav>\n", sections.iter().map(link).collect::<String>())
}

/// Boxes that hide and show methods, for the script of the page to bring out.
pub(super) fn chooser(all: &Comparison) -> String {
    let label = |(style, name): (usize, Cow<'_, str>)| {
        let (name, [color, ink]) = (escape(&name), color_names(style));
        format!(
            "<label><input type=\"checkbox\" checked value=\"{name}\" data-colors=\"{color} {ink}\"> \
             <i style=\"background: {color}\"></i>{name}</label>\n"
        )
    };
    let names = in_order(all.results.iter().map(method_name));
    let labels: String = names.into_iter().enumerate().map(label).collect();
    format!("<fieldset class=\"methods\" hidden><legend>Methods shown</legend>\n{labels}</fieldset>\n")
}

/// What a case is.
pub(super) fn about(all: &Comparison, case: &str) -> String {
    let info = all.cases.iter().find(|info| info.name == case && !info.about.is_empty());
    info.map_or_else(String::new, |info| format!("<p class=\"meta\">{}</p>\n", escape(&info.about)))
}

/// Failed runs of a case, each with its reason, and warnings of the others.
pub(super) fn failures(all: &Comparison, case: &str) -> String {
    let line = |run: &RunResult, what: &str, text: &str| {
        let name = format!("{}, {}", method_name(run), resolution(run));
        format!("<p class=\"failed\"><strong>{what}:</strong> {}: {}</p>\n", escape(&name), escape(text))
    };
    let lines = |run: &RunResult| -> String {
        let failed = run.failure.iter().map(|reason| line(run, "Failed", reason));
        failed.chain(run.warnings.iter().map(|warning| line(run, "Warning", warning))).collect()
    };
    all.results.iter().filter(|run| run.case == case).map(lines).collect()
}

/// Which methods of a case lack a quantity that it draws, as a pressure.
pub(super) fn lacking(all: &Comparison, case: &str) -> String {
    let line = |(name, methods): (&str, Vec<Cow<'_, str>>)| {
        let text = format!("No {name} of {}: the method has no such quantity.", methods.join("; "));
        format!("<p class=\"meta\">{}</p>\n", escape(&text))
    };
    lacking_methods(all, case).into_iter().map(line).collect()
}

/// Every score of a case.
pub(super) fn scores(all: &Comparison, case: &str) -> String {
    let heads =
        ["Method", "Across", "Quantity", "Measured", "Reference", "Error", "Accepted", "Verdict", "Note"];
    let row = |run: &RunResult, score: &Score| {
        vec![
            Cell::text(&method_name(run)),
            Cell::number(&run.particles_across.to_string()),
            Cell::text(&score.name),
            Cell::number(&number::with_unit(score.value, &score.unit, 4)),
            Cell::number(
                &score.reference.map_or("–".into(), |value| number::with_unit(value, &score.unit, 4)),
            ),
            Cell::number(&score.error.map_or("–".into(), number::percent)),
            Cell::text(&accepted(score)),
            verdict(run, score),
            Cell::text(&score.note),
        ]
    };
    let ordered = methods(all, case).into_iter().flat_map(|method| method.runs);
    let rows: Vec<_> = ordered.flat_map(|run| run.scores.iter().map(move |score| row(run, score))).collect();
    if rows.is_empty() {
        String::new()
    } else {
        details("All scores", &table(&format!("Scores: {case}"), &heads, &rows))
    }
}

/// Whether a score met its band.
pub(super) fn verdict(run: &RunResult, score: &Score) -> Cell {
    match (&run.failure, score.passed) {
        (Some(_), _) => Cell::verdict(Some(false), "run failed"),
        (None, Some(true)) => Cell::verdict(Some(true), "met"),
        (None, Some(false)) => Cell::verdict(Some(false), "missed"),
        (None, None) => Cell::verdict(None, "no band"),
    }
}

/// A band as text.
pub(super) fn accepted(score: &Score) -> String {
    let Some(band) = score.band else { return "–".into() };
    let value = |value: f64| match band.of {
        Judged::Value => number::with_unit(value, &score.unit, 3),
        Judged::Error => number::percent(value),
    };
    let of = if band.of == Judged::Error { "error " } else { "" };
    match band {
        Band { low: Some(low), high: Some(high), .. } => format!("{of}{} to {}", value(low), value(high)),
        Band { low: None, high: Some(high), .. } => format!("{of}≤ {}", value(high)),
        Band { low: Some(low), high: None, .. } => format!("{of}≥ {}", value(low)),
        Band { low: None, high: None, .. } => "anything".into(),
    }
}

/// Pictures of the finest run of each method: methods below each other, moments side by side.
pub(super) fn pictures(all: &Comparison, case: &str, folder: &Path) -> String {
    let methods = methods(all, case);
    let row = |run: &RunResult| {
        let name = format!("{}, {}", method_name(run), resolution(run));
        let pictures: String = run.frames.iter().map(|frame| picture(run, frame, folder)).collect();
        format!("<h4>{}</h4>\n<div class=\"pictures\">\n{pictures}</div>\n", escape(&name))
    };
    let rows: String = methods.iter().filter_map(Method::pictured).map(row).collect();
    if rows.is_empty() { String::new() } else { format!("<h3>Particles</h3>\n{rows}") }
}

fn picture(run: &RunResult, frame: &Frame, folder: &Path) -> String {
    let time = number::duration(frame.t);
    let name = format!("{}, {}. {}", method_name(run), resolution(run), frame.caption);
    let data = match &frame.image {
        Image::Png(data) => Some(data.clone()),
        // Of the result's own folder: a report shows no other file.
        Image::File(path) if Path::new(path).components().all(|c| matches!(c, Component::Normal(_))) => {
            read(&folder.join(path)).ok().map(|bytes| STANDARD.encode(bytes))
        }
        Image::File(_) => None,
    };
    let image = match (data, &frame.image) {
        (Some(data), _) => {
            format!("<img alt=\"{}\" src=\"data:image/png;base64,{}\">", escape(&name), escape(&data))
        }
        (None, Image::File(path)) => format!("<p>The picture {} is missing.</p>", escape(path)),
        (None, Image::Png(_)) => String::new(),
    };
    format!("<figure>{image}<figcaption>t = {}</figcaption></figure>\n", escape(&time))
}

/// Memory of every run.
pub(super) fn memory(all: &Comparison) -> String {
    let known = |run: &&RunResult| run.memory_bytes_peak.is_some() || run.bytes_per_particle.is_some();
    let row = |run: &RunResult| {
        vec![
            Cell::text(&method_name(run)),
            Cell::text(&run.case),
            Cell::number(&run.particles_across.to_string()),
            Cell::number(&number::count(run.n_fluid)),
            Cell::number(&number::count(run.n_walls)),
            Cell::number(&run.memory_bytes_peak.map_or("–".into(), |peak| number::bytes(peak as f64))),
            Cell::number(&run.bytes_per_particle.map_or("–".into(), |size| number::with_unit(size, "B", 4))),
        ]
    };
    let rows: Vec<_> = all.results.iter().filter(known).map(row).collect();
    let heads = [
        "Method",
        "Case",
        "Across",
        "Fluid particles",
        "Wall particles",
        "Peak of the process",
        "Per particle",
    ];
    let content = if rows.is_empty() { String::new() } else { table("Memory of each run", &heads, &rows) };
    section("memory", "Memory", &content)
}

/// Machine, program and command.
pub(super) fn machine(all: &Comparison) -> String {
    let machine = &all.machine;
    let distinct = |of: fn(&RunResult) -> String| {
        all.results.iter().map(of).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
    };
    let list = facts(&[
        ("Processor", machine.cpu.clone()),
        ("Cores", format!("{} in the machine, {} usable", machine.cores, machine.usable_cores)),
        ("Memory", number::bytes(machine.memory_bytes as f64)),
        ("System", machine.os.clone()),
        ("Compiler", format!("{}, {} build", machine.rustc, machine.profile)),
        ("Commit", all.commit.clone()),
        ("Threads", distinct(|run| run.threads.to_string())),
        ("Backend", distinct(|run| run.backend.clone())),
        ("Instruction set", distinct(|run| run.isa.clone())),
        ("Precision", distinct(|run| run.precision.clone())),
        ("Made", all.created.clone()),
    ]);
    section("machine", "Machine", &list)
}

/// How to make the page again.
pub(super) fn reproduce(all: &Comparison) -> String {
    if all.command.is_empty() {
        return String::new();
    }
    let commit = all.commit.trim_end_matches("+dirty");
    let note = if all.commit.ends_with("+dirty") {
        "<p>The source differed from this commit when the runs were made.</p>\n"
    } else {
        ""
    };
    let content = format!(
        "<p>At commit <code>{}</code>:</p>\n<pre><code>{}</code></pre>\n{note}\
         <p>All numbers of this page are in <code>results.json</code> and the CSV files beside it.</p>\n",
        escape(commit),
        escape(&all.command)
    );
    section("reproduce", "How to make this again", &content)
}

/// The resolved scene of every run.
pub(super) fn scenes(all: &Comparison) -> String {
    let scene = |run: &RunResult| {
        let name = format!("{}: {}, {}", run.case, method_name(run), resolution(run));
        details(&name, &format!("<pre><code>{}</code></pre>\n", escape(&run.scene_toml)))
    };
    let with_scene = all.results.iter().filter(|run| !run.scene_toml.is_empty());
    section("scenes", "Resolved scenes", &with_scene.map(scene).collect::<String>())
}

/// Where the references come from.
pub(super) fn sources(all: &Comparison) -> String {
    let mut seen = BTreeSet::new();
    let curves = all.references.iter().map(|curve| &curve.citation);
    let scores = all.results.iter().flat_map(|run| run.scores.iter().map(|score| &score.source));
    let fresh = curves.chain(scores).filter(|source| !source.is_empty() && seen.insert(source.as_str()));
    let items: String = fresh.map(|source| format!("<li>{}</li>\n", citation(source))).collect();
    let content = if items.is_empty() { String::new() } else { format!("<ul>\n{items}</ul>\n") };
    section("sources", "Sources", &content)
}

/// A name as the target of a link.
pub(super) fn anchor(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

/// Headings of the cases, for the links at the head.
pub(super) fn case_links(all: &Comparison) -> Vec<(String, String)> {
    cases(all).into_iter().map(|case| (anchor(case), case.to_owned())).collect()
}
