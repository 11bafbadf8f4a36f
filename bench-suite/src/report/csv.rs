//! Results as comma-separated tables, one row a run, a score, a point or a phase (RFC 4180).

use crate::result::{Comparison, RunResult};

/// File name and text of each table.
#[must_use]
pub fn tables(all: &Comparison) -> [(&'static str, String); 4] {
    [
        ("runs.csv", runs(all)),
        ("scores.csv", scores(all)),
        ("series.csv", series(all)),
        ("phases.csv", phases(all)),
    ]
}

/// One row a run.
#[must_use]
pub fn runs(all: &Comparison) -> String {
    let head = "dim [-],spacing [m],n_fluid [-],n_walls [-],steps [-],iterations [-],simulated [s],wall [s],wall_least [s],\
                wall_largest [s],particle_steps [1/s],\
                precision,threads [-],isa,backend,peak_memory [B],bytes_per_particle [B],headline,headline_error [-],\
                bands_met [-],bands_set [-],failure";
    rows(all, head, |run| {
        let headline = run.headline();
        let (met, set) = run.bands();
        vec![vec![
            run.dim.to_string(),
            number(run.spacing),
            run.n_fluid.to_string(),
            run.n_walls.to_string(),
            run.steps.to_string(),
            optional(run.iterations),
            number(run.simulated_s),
            number(run.wall_s),
            number(run.timings_s.first().copied().unwrap_or(run.wall_s)),
            number(run.timings_s.last().copied().unwrap_or(run.wall_s)),
            optional(run.particle_steps_per_s()),
            cell(&run.precision),
            run.threads.to_string(),
            cell(&run.isa),
            cell(&run.backend),
            run.memory_bytes_peak.map(|bytes| bytes.to_string()).unwrap_or_default(),
            optional(run.bytes_per_particle),
            headline.map(|score| cell(&score.name)).unwrap_or_default(),
            optional(headline.and_then(|score| score.error)),
            met.to_string(),
            set.to_string(),
            cell(run.failure.as_deref().unwrap_or_default()),
        ]]
    })
}

/// One row a score.
#[must_use]
pub fn scores(all: &Comparison) -> String {
    rows(all, "score,unit,value,reference,error [-],judged,low,high,passed,source,note", |run| {
        let row = |score: &crate::result::Score| {
            let band = score.band;
            vec![
                cell(&score.name),
                cell(&score.unit),
                number(score.value),
                optional(score.reference),
                optional(score.error),
                band.map(|band| format!("{:?}", band.of).to_lowercase()).unwrap_or_default(),
                optional(band.and_then(|band| band.low)),
                optional(band.and_then(|band| band.high)),
                score.passed.map(|passed| passed.to_string()).unwrap_or_default(),
                cell(&score.source),
                cell(&score.note),
            ]
        };
        run.scores.iter().map(row).collect()
    })
}

/// One row a point of a series.
#[must_use]
pub fn series(all: &Comparison) -> String {
    rows(all, "series,x_name,x_unit,y_name,y_unit,x,y", |run| {
        let points = run.series.iter().flat_map(|series| {
            let names = [&series.name, &series.x_name, &series.x_unit, &series.y_name, &series.y_unit];
            let names = names.map(|name| cell(name));
            series.x.iter().zip(&series.y).map(move |(x, y)| {
                let mut row = names.to_vec();
                row.extend([number(*x), number(*y)]);
                row
            })
        });
        points.collect()
    })
}

/// One row a phase.
#[must_use]
pub fn phases(all: &Comparison) -> String {
    rows(all, "phase,seconds [s],calls [-]", |run| {
        let row = |phase: &crate::result::Phase| {
            vec![cell(&phase.name), number(phase.seconds), phase.calls.to_string()]
        };
        run.phases.iter().map(row).collect()
    })
}

/// A table whose rows begin with what names a run.
fn rows(all: &Comparison, head: &str, of: impl Fn(&RunResult) -> Vec<Vec<String>>) -> String {
    let mut out = format!("case,solver,variant,settings,particles_across [-],{head}\n");
    for run in &all.results {
        let set: Vec<_> = run.settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let words = [&run.case, &run.solver, &run.variant, &set.join(" ")].map(|text| cell(text));
        let name = [words.join(","), run.particles_across.to_string()];
        for row in of(run) {
            out += &format!("{},{}\n", name.join(","), row.join(","));
        }
    }
    out
}

/// A text, quoted where it must be.
pub(super) fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

/// A number with all its digits; empty when it is not finite.
fn number(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => String::new(),
        size if size != 0.0 && !(1e-4..1e15).contains(&size) => format!("{value:e}"),
        _ => value.to_string(),
    }
}

/// The same with seven digits, for a page.
pub(super) fn short(value: f64) -> String {
    number(format!("{value:.6e}").parse().unwrap_or(value))
}

fn optional(value: Option<f64>) -> String {
    value.map(number).unwrap_or_default()
}
