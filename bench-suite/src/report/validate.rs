//! The page that says which published numbers a solver meets, and which it misses.

use std::{borrow::Cow, path::Path};

use super::answer::ranking;
use super::figures::{self, cases, method_name};
use super::html::{self, Cell, citation, section, table};
use super::plots::PlotError;
use super::sections;
use crate::result::number;
use crate::result::{Comparison, RunResult, Score};

/// The page as HTML. Picture files are looked for in `folder` and put into the page.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn page(all: &Comparison, folder: &Path) -> Result<String, PlotError> {
    let mut links = vec![("answer".to_owned(), "Verdict".to_owned())];
    links.extend(sections::case_links(all));
    let rest = ["Machine", "Reproduce", "Scenes", "Sources"];
    links.extend(rest.map(|name| (name.to_lowercase(), name.to_owned())));
    let mut parts = vec![answer(all)];
    for case in cases(all) {
        let content = sections::failures(all, case)
            + &sections::lacking(all, case)
            + &html::figures(&figures::results(all, case)?)
            + &html::figures(&figures::convergence(all, case)?.into_iter().collect::<Vec<_>>())
            + &html::figures(&figures::conservation(all, case)?)
            + &html::figures(&figures::iterations(all, case)?)
            + &sections::pictures(all, case, folder)
            + &sections::scores(all, case);
        parts.push(section(&sections::anchor(case), case, &content));
    }
    parts.extend([
        sections::machine(all),
        sections::reproduce(all),
        sections::scenes(all),
        sections::sources(all),
    ]);
    let body = parts.concat();
    links.retain(|(id, _)| body.contains(&format!("<section id=\"{id}\"")));
    Ok(html::page(
        &all.title,
        &(sections::head(all) + &sections::contents(&links) + &sections::chooser(all) + &body),
    ))
}

/// Heads of the table that says [where each method fails](failings).
const FAILINGS: [&str; 3] =
    ["Method", "Bands met", "Where it fails: the worst band of each case, and by which factor it is missed"];

/// Of each method, how many bands it meets, and the cases in which it does not, the worst first.
fn failings(all: &Comparison) -> Vec<Vec<Cell>> {
    let of_method = |name: Cow<'_, str>| {
        let runs: Vec<_> = all.results.iter().filter(|run| method_name(run) == name).collect();
        let bands = runs.iter().map(|run| run.bands());
        let (met, set) = bands.fold((0, 0), |sum, (met, set)| (sum.0 + met, sum.1 + set));
        let mut failings: Vec<_> = runs.iter().filter_map(|run| failing(run)).collect();
        failings.sort_by(|a, b| b.0.total_cmp(&a.0));
        let words: Vec<_> = failings.into_iter().map(|(_, words)| words).collect();
        let words = if words.is_empty() { "–".into() } else { words.join("; ") };
        vec![Cell::text(&name), Cell::number(&format!("{met} of {set}")), Cell::text(&words)]
    };
    figures::in_order(all.results.iter().map(method_name)).into_iter().map(of_method).collect()
}

/// By which factor a run misses a band, infinite where it failed, and in words; none of a run that meets all.
fn failing(run: &RunResult) -> Option<(f64, String)> {
    let case = &run.case;
    match ranking::excess(run) {
        _ if run.failure.is_some() => Some((f64::INFINITY, format!("{case}: the run failed"))),
        _ if run.bands().0 == run.bands().1 => None,
        Some((factor, name)) => {
            // Two digits, and what shows that the band is missed.
            let decimals = if factor < 1.1 { 2 } else { usize::from(factor < 10.0) };
            Some((factor, format!("{case} {factor:.decimals$}×, {name}")))
        }
        None => Some((f64::MAX, format!("{case}, without a factor"))),
    }
}

fn answer(all: &Comparison) -> String {
    let (met, set) = bands(all);
    let n_failed = all.results.iter().filter(|run| run.failure.is_some()).count();
    let mut words = format!("<p><strong>{met} of {set} checks are met.</strong>");
    if n_failed > 0 {
        words += &format!(" Failed runs: {n_failed}.");
    }
    words += "</p>\n";
    words += &table("Where each method fails", &FAILINGS, &failings(all));
    let rows: Vec<_> = all.results.iter().flat_map(rows).collect();
    let heads =
        ["Case", "Quantity", "Method", "Across", "Measured", "Error", "Accepted", "Verdict", "Source"];
    let content = format!("<div class=\"answer\">\n{words}</div>\n") + &table("All checks", &heads, &rows);
    section("answer", "Verdict", &content)
}

/// The rows of one run; a run that failed before it measured anything has one too.
fn rows(run: &RunResult) -> Vec<Vec<Cell>> {
    let row = |score: &Score| {
        vec![
            Cell::text(&run.case),
            Cell::text(&score.name),
            Cell::text(&method_name(run)),
            Cell::number(&run.particles_across.to_string()),
            Cell::number(&number::with_unit(score.value, &score.unit, 4)),
            Cell::number(&score.error.map_or("–".into(), number::percent)),
            Cell::text(&sections::accepted(score)),
            sections::verdict(run, score),
            Cell::html(citation(&score.source)),
        ]
    };
    if let (Some(reason), true) = (&run.failure, run.scores.is_empty()) {
        let none = || Cell::text("–");
        let across = Cell::number(&run.particles_across.to_string());
        let verdict = Cell::verdict(Some(false), "run failed");
        let (case, method) = (Cell::text(&run.case), Cell::text(&method_name(run)));
        return vec![vec![case, Cell::text(reason), method, across, none(), none(), none(), verdict, none()]];
    }
    run.scores.iter().map(row).collect()
}

/// Bands that are met, and all.
fn bands(all: &Comparison) -> (usize, usize) {
    all.results.iter().map(RunResult::bands).fold((0, 0), |sum, (met, set)| (sum.0 + met, sum.1 + set))
}

/// The tables as Markdown, for the book: where each method fails, and every number that has an error or a band; the page has the others too.
#[must_use]
pub fn markdown(all: &Comparison) -> String {
    let (met, set) = bands(all);
    let mut out = format!(
        "{met} of {set} checks met. Commit {}, {}, {}, {} precision; written by `sph validate` on {}.\n\n",
        all.commit,
        all.machine.cpu,
        figures::in_order(all.results.iter().map(method_name)).join(", "),
        all.results.first().map_or("unknown", |run| run.precision.as_str()),
        all.created
    );
    out += &html::markdown(&FAILINGS, &failings(all));
    out +=
        "\n| case | method | across | quantity | measured | reference | error | band | verdict | source |\n";
    out += "|---|---|---:|---|---:|---:|---:|---|---|---|\n";
    for run in &all.results {
        let told = |score: &&Score| score.band.is_some() || score.error.is_some();
        run.scores.iter().filter(told).for_each(|score| out += &row(run, score));
        if let Some(reason) = &run.failure {
            let across = run.particles_across.to_string();
            let name = method_name(run);
            let failed: [&str; 10] =
                [&run.case, &name, &across, reason, "", "", "", "", "**run failed**", ""];
            out += &html::markdown_row(&failed);
        }
    }
    out += "\n| case | method | across | particles | steps | wall time |\n|---|---|---:|---:|---:|---:|\n";
    for run in &all.results {
        let (across, steps) = (run.particles_across.to_string(), number::count(run.steps));
        let (particles, wall) = (number::count(run.n_fluid), number::duration(run.wall_s));
        out +=
            &html::markdown_row(&[run.case.as_str(), &method_name(run), &across, &particles, &steps, &wall]);
    }
    out
}

fn row(run: &RunResult, score: &Score) -> String {
    let verdict = match score.passed {
        _ if run.failure.is_some() => "run failed",
        Some(true) => "met",
        Some(false) => "**missed**",
        None => "reported",
    };
    html::markdown_row(&[
        run.case.as_str(),
        &method_name(run),
        &run.particles_across.to_string(),
        &score.name,
        &number::with_unit(score.value, &score.unit, 4),
        &score.reference.map_or("–".into(), |value| number::with_unit(value, &score.unit, 4)),
        &score.error.map_or("–".into(), number::percent),
        &sections::accepted(score),
        verdict,
        &score.source,
    ])
}
