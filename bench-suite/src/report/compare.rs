//! The page that compares methods: the answer first, then what it rests on.

use std::path::Path;

use super::answer;
use super::figures::{self, Figure, cases, method_name, methods, resolution};
use super::html::{self, Cell, escape, section, table};
use super::plots::PlotError;
use super::sections;
use crate::result::number;
use crate::result::{Comparison, RunResult};

/// The page as HTML. Picture files are looked for in `folder` and put into the page.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn page(all: &Comparison, folder: &Path) -> Result<String, PlotError> {
    let mut links = vec![("answer".to_owned(), "Answer".to_owned())];
    links.extend(sections::case_links(all));
    let rest =
        ["Conservation", "Iterations", "Phases", "Memory", "Machine", "Reproduce", "Scenes", "Sources"];
    links.extend(rest.map(|name| (name.to_lowercase(), name.to_owned())));
    let mut parts = vec![answer::section(all)?];
    for case in cases(all) {
        parts.push(case_section(all, case, folder)?);
    }
    parts.push(each_case(all, "conservation", "Conservation", figures::conservation)?);
    parts.push(each_case(all, "iterations", "Iterations", figures::iterations)?);
    parts.push(each_case(all, "phases", "Phases", |all, case| {
        Ok(figures::phases(all, case)?.into_iter().collect())
    })?);
    parts.extend([sections::memory(all), sections::machine(all), sections::reproduce(all)]);
    parts.extend([sections::scenes(all), sections::sources(all)]);
    let body = parts.concat();
    links.retain(|(id, _)| body.contains(&format!("<section id=\"{id}\"")));
    Ok(html::page(
        &all.title,
        &(sections::head(all) + &sections::contents(&links) + &sections::chooser(all) + &body),
    ))
}

/// Heads of a table of runs.
fn run_heads(all: &Comparison, case: &str) -> [String; 6] {
    let what = figures::headline_name(all, case);
    let wrong = what.map_or("Error".to_owned(), |what| format!("Error: {what}"));
    let [slow, rate, bands] = ["Wall time", "Particle-steps per second", "Accepted bands"].map(str::to_owned);
    ["Method".into(), "Across".into(), wrong, slow, rate, bands]
}

/// A row of a table of runs, whose head says `what` the error is. A method that has another error names it.
pub(super) fn run_row(run: &RunResult, what: Option<&str>) -> Vec<Cell> {
    let error = run.headline().map(|score| (score, score.error));
    let wrong = match (&run.failure, error) {
        (Some(_), _) => Cell::verdict(Some(false), "failed"),
        (None, Some((score, Some(error)))) if Some(score.name.as_str()) != what => {
            Cell::number(&format!("{} ({})", number::percent(error), score.name))
        }
        (None, Some((_, Some(error)))) => Cell::number(&number::percent(error)),
        (None, Some((score, None))) => Cell::number(&number::with_unit(score.value, &score.unit, 3)),
        (None, None) => Cell::text("not measured"),
    };
    let (met, set) = run.bands();
    let bands = match (met, set) {
        (_, 0) => Cell::verdict(None, "none set"),
        (met, set) if met == set => Cell::verdict(Some(true), &format!("met {met} of {set}")),
        (met, set) => Cell::verdict(Some(false), &format!("met {met} of {set}")),
    };
    vec![
        Cell::text(&method_name(run)),
        Cell::number(&run.particles_across.to_string()),
        wrong,
        Cell::number(&if run.wall_s > 0.0 { number::duration(run.wall_s) } else { "–".into() }),
        Cell::number(&run.particle_steps_per_s().map_or("–".into(), number::rate)),
        bands,
    ]
}

fn case_section(all: &Comparison, case: &str, folder: &Path) -> Result<String, PlotError> {
    let mut plots: Vec<Figure> = figures::convergence(all, case)?.into_iter().collect();
    if !figures::is_exact(all, case) {
        plots.extend(figures::error_against_wall_time(all, case)?); // those of exact solutions stand above
    }
    plots.extend(figures::error_against_memory(all, case)?);
    let curves = figures::results(all, case)?;
    let content = sections::about(all, case)
        + &sections::failures(all, case)
        + &html::figures(&plots)
        + &sections::lacking(all, case)
        + &html::figures(&curves)
        + &sections::pictures(all, case, folder)
        + &runs(all, case)
        + &sections::scores(all, case);
    Ok(section(&sections::anchor(case), case, &content))
}

/// Every run of a case, with what it cost.
fn runs(all: &Comparison, case: &str) -> String {
    let more = ["Fluid particles", "Steps", "Simulated"].map(str::to_owned);
    let heads: Vec<_> = run_heads(all, case).into_iter().chain(more).collect();
    let ordered = methods(all, case).into_iter().flat_map(|method| method.runs);
    let row = |run: &RunResult| {
        let mut row = run_row(run, figures::headline_name(all, case));
        row.extend([
            Cell::number(&number::count(run.n_fluid)),
            Cell::number(&number::count(run.steps)),
            Cell::number(&number::duration(run.simulated_s)),
        ]);
        row
    };
    table(&format!("All runs: {case}"), &heads, &ordered.map(row).collect::<Vec<_>>())
}

fn each_case(
    all: &Comparison,
    id: &str,
    heading: &str,
    plots: impl Fn(&Comparison, &str) -> Result<Vec<Figure>, PlotError>,
) -> Result<String, PlotError> {
    let mut content = String::new();
    for case in cases(all) {
        let plots = plots(all, case)?;
        if !plots.is_empty() {
            content += &format!("<h3>{}</h3>\n{}", escape(case), html::figures(&plots));
        }
    }
    if id == "phases" {
        content += &phase_table(all);
    }
    Ok(section(id, heading, &content))
}

/// Seconds and calls of every phase.
fn phase_table(all: &Comparison) -> String {
    let row = |run: &RunResult, phase: &crate::result::Phase| {
        vec![
            Cell::text(&format!("{}, {}", method_name(run), resolution(run))),
            Cell::text(&run.case),
            Cell::text(&phase.name),
            Cell::number(&number::duration(phase.seconds)),
            Cell::number(&number::percent(phase.seconds / run.wall_s)),
            Cell::number(&number::count(phase.calls)),
        ]
    };
    let rows = all.results.iter().flat_map(|run| run.phases.iter().map(move |phase| row(run, phase)));
    let rows: Vec<_> = rows.collect();
    let heads = ["Run", "Case", "Phase", "Time", "Of wall time", "Calls"];
    if rows.is_empty() {
        String::new()
    } else {
        html::details("All phases", &table("Phases of each run", &heads, &rows))
    }
}
