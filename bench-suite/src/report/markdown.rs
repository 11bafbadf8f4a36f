//! The table of a validation as Markdown, for the book.

use super::{figures::method_name, sections};
use crate::result::number;
use crate::result::{Comparison, RunResult, Score};

/// Every number that has an error or a band; the page has the others too.
#[must_use]
pub fn table(all: &Comparison) -> String {
    let judged = || all.results.iter().flat_map(|run| &run.scores).filter(|score| score.band.is_some());
    let missed: usize = all.results.iter().map(|run| run.bands()).map(|(met, set)| set - met).sum();
    let n = judged().count();
    let mut out = format!(
        "{} of {n} checks met. Commit {}, {}, {}, {} precision; written by `sph validate` on {}.\n\n",
        n - missed,
        all.commit,
        all.machine.cpu,
        methods(all),
        all.results.first().map_or("unknown", |run| run.precision.as_str()),
        all.created
    );
    out += "| case | method | across | quantity | measured | reference | error | band | verdict | source |\n";
    out += "|---|---|---:|---|---:|---:|---:|---|---|---|\n";
    for run in &all.results {
        let told = |score: &&Score| score.band.is_some() || score.error.is_some();
        run.scores.iter().filter(told).for_each(|score| out += &row(run, score));
        if let Some(reason) = &run.failure {
            let across = run.particles_across.to_string();
            let name = method_name(run);
            let failed: [&str; 10] =
                [&run.case, &name, &across, reason, "", "", "", "", "**run failed**", ""];
            out += &line(&failed);
        }
    }
    out += "\n| case | method | across | particles | steps | wall time |\n|---|---|---:|---:|---:|---:|\n";
    for run in &all.results {
        let (across, steps) = (run.particles_across.to_string(), number::count(run.steps));
        let (particles, wall) = (number::count(run.n_fluid), number::duration(run.wall_s));
        out += &line(&[&run.case, &method_name(run), &across, &particles, &steps, &wall]);
    }
    out
}

fn methods(all: &Comparison) -> String {
    let mut names = Vec::new();
    for name in all.results.iter().map(method_name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

fn row(run: &RunResult, score: &Score) -> String {
    let verdict = match score.passed {
        _ if run.failure.is_some() => "run failed",
        Some(true) => "met",
        Some(false) => "**missed**",
        None => "reported",
    };
    line(&[
        &run.case,
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

fn line(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
    format!("| {} |\n", cells.join(" | "))
}
