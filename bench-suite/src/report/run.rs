//! The page of a single run: how it ended, what it was, what it showed, and what it cost.

use std::path::Path;

use super::figures::{self, Figure, cases};
use super::html::{self, Cell, escape, facts, section, table};
use super::plots::PlotError;
use super::sections;
use crate::result::{Comparison, RunResult, number, start::Quantity};
use sph_core::method::solids::Flow;

/// The page as HTML. Picture files are looked for in `folder` and put into the page.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn page(all: &Comparison, folder: &Path) -> Result<String, PlotError> {
    let mut body: String = all.results.iter().map(outcome).chain(all.results.iter().map(start)).collect();
    for case in cases(all) {
        let mut curves = figures::results(all, case)?;
        curves.extend(figures::conservation(all, case)?);
        curves.extend(figures::iterations(all, case)?);
        let caption = "Wall time of one step in milliseconds, by phase.";
        let phases = figures::phases(all, case)?.map(|figure| Figure { caption: caption.into(), ..figure });
        let table: String = all.results.iter().filter(|run| run.case == case).map(phase_table).collect();
        let pictures = sections::pictures(all, case, folder);
        body += &section("course", "Course", &(pictures + &html::figures(&curves)));
        body +=
            &section("phases", "Phases", &(html::figures(&phases.into_iter().collect::<Vec<_>>()) + &table));
    }
    body +=
        &[sections::machine(all), sections::reproduce(all), sections::scenes(all), sections::sources(all)]
            .concat();
    let names = ["Outcome", "Start", "Course", "Phases", "Machine", "Reproduce", "Scenes", "Sources"];
    let mut links: Vec<_> = names.map(|name| (name.to_lowercase(), name.to_owned())).into();
    links.retain(|(id, _)| body.contains(&format!("<section id=\"{id}\"")));
    Ok(html::page(&all.title, &(sections::head(all) + &sections::contents(&links) + &body)))
}

fn warning(line: &str) -> String {
    format!("<p class=\"failed\">Warning: {}</p>\n", escape(line))
}

/// How the run ended, and its numbers.
fn outcome(run: &RunResult) -> String {
    let ended = match (&run.failure, &run.failure_report) {
        (None, _) => {
            format!("<p><strong>Came to its end</strong> at t = {}.</p>\n", number::duration(run.simulated_s))
        }
        (Some(_), Some(report)) => format!(
            "<p class=\"failed\"><strong>Failed.</strong></p>\n<pre>{}</pre>\n",
            escape(&report.to_string())
        ),
        (Some(reason), None) => {
            format!("<p class=\"failed\"><strong>Ended early:</strong> {}</p>\n", escape(reason))
        }
    };
    let ended = run.warnings.iter().fold(ended, |text, line| text + &warning(line));
    let mut list = vec![
        ("Method", run.solver.clone()),
        ("Fluid particles", number::count(run.n_fluid)),
        ("Wall samples", number::count(run.n_walls)),
        ("Spacing", number::with_unit(run.spacing, "m", 4)),
        ("Steps", number::count(run.steps)),
        ("Simulated time", number::duration(run.simulated_s)),
        ("Wall time", number::duration(run.wall_s)),
    ];
    list.extend(run.particle_steps_per_s().map(|rate| ("Particle-steps per second", number::rate(rate))));
    list.extend(run.iterations.map(|mean| ("Iterations of a step", number::significant(mean, 3))));
    list.extend(run.memory_bytes_peak.map(|peak| ("Peak of the memory", number::bytes(peak as f64))));
    let scores = run.scores.iter().map(|score| {
        let value = number::with_unit(score.value, &score.unit, 4);
        (score.name.as_str(), if score.note.is_empty() { value } else { format!("{value} ({})", score.note) })
    });
    list.extend(scores);
    list.extend(
        (!run.retries.is_empty())
            .then(|| ("Taken back", format!("{} failed steps, see results.json", run.retries.len()))),
    );
    list.push(("Hash of the last state", run.state_hash.clone()));
    section("outcome", "Outcome", &format!("<div class=\"answer\">\n{ended}</div>\n{}", facts(&list)))
}

/// What the scene had become before the first step.
fn start(run: &RunResult) -> String {
    let Some(start) = &run.start else { return String::new() };
    let row = |kind: &str, one: &Quantity| {
        // Infinite limits do not act; stored results have no number for them.
        let known = Some(one.value).filter(|value| value.is_finite());
        let value = known.map_or("none".into(), |value| number::with_unit(value, &one.unit, 4));
        vec![Cell::text(&one.name), Cell::number(&value), Cell::text(kind)]
    };
    let limit = |one: &Quantity| {
        let binds = start.fixed_dt.is_none() && start.binding.as_ref() == Some(&one.name);
        row(if binds { "limit of the step, binds" } else { "limit of the step" }, one)
    };
    let flow = start.flow.map(|flow| {
        let name = if flow == Flow::Closed { "closed" } else { "with a free surface" };
        vec![Cell::text("flow"), Cell::text(name), Cell::text("of the scene")]
    });
    let constants = start.constants.iter().map(|one| row("derived", one));
    let rows: Vec<_> = flow.into_iter().chain(constants).chain(start.step_limits.iter().map(limit)).collect();
    let warnings: String = start.warnings.iter().map(|line| warning(line)).collect();
    section(
        "start",
        "Before the first step",
        &(warnings + &table("Derived numbers", &["Quantity", "Value", "What it is"], &rows)),
    )
}

/// Seconds and calls of every phase.
fn phase_table(run: &RunResult) -> String {
    let row = |phase: &crate::result::Phase| {
        vec![
            Cell::text(&phase.name),
            Cell::number(&number::duration(phase.seconds)),
            Cell::number(&number::percent(phase.seconds / run.wall_s)),
            Cell::number(&number::count(phase.calls)),
        ]
    };
    let rows: Vec<_> = run.phases.iter().map(row).collect();
    table("Time by phase", &["Phase", "Time", "Of wall time", "Calls"], &rows)
}
