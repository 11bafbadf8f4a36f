//! Which plots a set of results gives, and what they say.

use std::{borrow::Cow, collections::BTreeSet};

use super::plots::bars::Bars;
use super::plots::{Chart, Label, Line, Look, PlotError};
use crate::result::number;
use crate::result::{Comparison, CurveStyle, RunResult, Series, SeriesGroup, series_name};

/// A plot with the words below it.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The `<svg>` element.
    pub svg: String,
    /// What it shows and how to read it.
    pub caption: String,
}

/// The runs of one method on one case, coarse to fine.
#[derive(Clone, Debug)]
pub struct Method<'a> {
    /// Name for people.
    pub name: Cow<'a, str>,
    /// Number of the method, the same in all cases, which chooses color and marker.
    pub style: usize,
    /// The runs, never empty.
    pub runs: Vec<&'a RunResult>,
}

impl<'a> Method<'a> {
    /// The finest run that did not fail, or else the finest.
    #[must_use]
    pub fn finest(&self) -> Option<&'a RunResult> {
        self.runs.iter().rev().find(|run| run.failure.is_none()).or(self.runs.last()).copied()
    }
}

/// The name by which people know a run's method, with its backend where that is not the processor.
#[must_use]
pub fn method_name(run: &RunResult) -> Cow<'_, str> {
    let name = if run.variant.is_empty() { &run.solver } else { &run.variant };
    if run.is_on_cpu() { name.into() } else { format!("{name}, on {}", run.backend).into() }
}

/// The cases, in the order of the results.
#[must_use]
pub fn cases(all: &Comparison) -> Vec<&str> {
    in_order(all.results.iter().map(|run| run.case.as_str()))
}

/// The methods that ran a case.
#[must_use]
pub fn methods<'a>(all: &'a Comparison, case: &str) -> Vec<Method<'a>> {
    let names = in_order(all.results.iter().map(method_name));
    let of = |(style, name): (usize, Cow<'a, str>)| {
        let ran = |run: &&RunResult| run.case == case && method_name(run) == name;
        let mut runs: Vec<_> = all.results.iter().filter(ran).collect();
        runs.sort_by_key(|run| run.particles_across);
        (!runs.is_empty()).then_some(Method { name, style, runs })
    };
    names.into_iter().enumerate().filter_map(of).collect()
}

/// The curves of a case at the finest resolution of each method, against the references; then, for the first
/// curve, each method at all its resolutions.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn results(all: &Comparison, case: &str) -> Result<Vec<Figure>, PlotError> {
    let methods = methods(all, case);
    let names = series_names(all, case, SeriesGroup::Result);
    let mut figures = Vec::new();
    for name in &names {
        let lines = methods.iter().filter_map(|method| finest_line(method, name));
        figures.extend(series_figure(
            all,
            (case, name),
            capitalized(name),
            lines.collect(),
            &finest_caption(all, case, name),
        )?);
    }
    let several = methods.iter().filter(|method| method.runs.len() > 1);
    for (method, name) in several.flat_map(|method| names.first().map(|name| (method, *name))) {
        let runs = method.runs.iter().enumerate();
        let lines = runs.filter_map(|(i, run)| line(run, name, &resolution(run), i));
        let title = format!("{} by resolution", capitalized(name));
        figures.extend(series_figure(all, (case, name), title, lines.collect(), &method.name)?);
    }
    Ok(figures)
}

/// Names of the curves that a case draws, each with the methods whose runs, though they went through, have none: they lack
/// the quantity.
#[must_use]
pub fn lacking<'a>(all: &'a Comparison, case: &str) -> Vec<(&'a str, Vec<Cow<'a, str>>)> {
    let lacks = |run: &&RunResult, name: &str| {
        let empty = series(run, name).is_some_and(|series| series.x.is_empty());
        run.case == case && run.failure.is_none() && empty
    };
    let of = |name| {
        let methods = in_order(all.results.iter().filter(|run| lacks(run, name)).map(method_name));
        (!methods.is_empty()).then_some((name, methods))
    };
    series_names(all, case, SeriesGroup::Result).into_iter().filter_map(of).collect()
}

/// The quantities that ought to be kept, at the finest resolution of each method.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn conservation(all: &Comparison, case: &str) -> Result<Vec<Figure>, PlotError> {
    of_group(all, case, SeriesGroup::Conservation)
}

/// Iterations with time, and residuals with iterations, at the finest resolution of each method that has them.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn iterations(all: &Comparison, case: &str) -> Result<Vec<Figure>, PlotError> {
    of_group(all, case, SeriesGroup::Iteration)
}

fn of_group(all: &Comparison, case: &str, group: SeriesGroup) -> Result<Vec<Figure>, PlotError> {
    let methods = methods(all, case);
    let mut figures = Vec::new();
    for name in series_names(all, case, group) {
        let lines = methods.iter().filter_map(|method| finest_line(method, name));
        figures.extend(series_figure(
            all,
            (case, name),
            capitalized(name),
            lines.collect(),
            &finest_caption(all, case, name),
        )?);
    }
    Ok(figures)
}

/// Error against wall time, one line a method, one point a resolution. `None` without errors.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn error_against_wall_time(all: &Comparison, case: &str) -> Result<Option<Figure>, PlotError> {
    let lines = error_lines(all, case, |run| run.wall_s);
    let Some(what) = headline_name(all, case).filter(|_| !lines.is_empty()) else { return Ok(None) };
    let title = format!("Error against wall time: {case}");
    let chart = Chart {
        title,
        x: Label::log("wall time", "s"),
        y: Label::log("error", "%"),
        lines,
        x_ticks: Vec::new(),
    };
    let numbers = match varies_iterations(all, case) {
        true => "iterations of a step",
        false => "particles across the reference length",
    };
    let what = other_errors(all, case, what);
    let caption = format!("Error: {what}. Lower left is better. Numbers beside the points are {numbers}.");
    Ok(Some(Figure { svg: chart.svg()?, caption }))
}

/// Error against the iterations of a step. `None` where runs of a method differ in resolution instead.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn error_against_iterations(all: &Comparison, case: &str) -> Result<Option<Figure>, PlotError> {
    let mut lines = error_lines(all, case, |run| run.iterations.unwrap_or(0.0));
    let what = headline_name(all, case).filter(|_| varies_iterations(all, case) && !lines.is_empty());
    let Some(what) = what else { return Ok(None) };
    lines.iter_mut().for_each(|line| line.texts.clear());
    let title = format!("Error against iterations: {case}");
    let x = Label::log("iterations of a step", "-");
    let chart = Chart { title, x, y: Label::log("error", "%"), lines, x_ticks: Vec::new() };
    Ok(Some(Figure { svg: chart.svg()?, caption: format!("Error: {what}.") }))
}

/// True when the runs of a case have one resolution, and differ in how often a step iterates.
fn varies_iterations(all: &Comparison, case: &str) -> bool {
    let runs = || all.results.iter().filter(|run| run.case == case);
    let iterating = || runs().filter_map(|run| run.iterations);
    let across: BTreeSet<_> = runs().map(|run| run.particles_across).collect();
    across.len() == 1 && iterating().any(|n| iterating().any(|other| other > 2.0 * n))
}

/// Error against resolution, with slopes of first and second order. `None` when nothing ran twice.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn convergence(all: &Comparison, case: &str) -> Result<Option<Figure>, PlotError> {
    let mut lines = error_lines(all, case, |run| run.particles_across as f64);
    lines.retain(|line| line.points.len() > 1);
    if varies_iterations(all, case) {
        return Ok(None);
    }
    let Some(what) = headline_name(all, case).filter(|_| !lines.is_empty()) else { return Ok(None) };
    lines.iter_mut().for_each(|line| line.texts.clear());
    let points: Vec<_> = lines.iter().flat_map(|line| line.points.iter().copied()).collect();
    let (first, last) = points.iter().fold((f64::INFINITY, 0.0f64), |(lo, hi), p| (lo.min(p.0), hi.max(p.0)));
    let top = points.iter().map(|point| point.1).fold(0.0, f64::max);
    for (order, label) in [(1, "first order"), (2, "second order")] {
        let at = |x: f64| (x, top * (first / x).powi(order));
        lines.push(Line::new(label, Look::Guide, 0, vec![at(first), at(last)]));
    }
    let title = format!("Convergence: {case}");
    let mut x_ticks: Vec<_> = points.iter().map(|point| point.0).collect();
    x_ticks.sort_by(f64::total_cmp);
    x_ticks.dedup();
    let x = Label::log("particles across", "-");
    let chart = Chart { title, x, y: Label::log("error", "%"), lines, x_ticks };
    let what = other_errors(all, case, what);
    let caption = format!("Error: {what}. Dashed: what methods of first and second order would do.");
    Ok(Some(Figure { svg: chart.svg()?, caption }))
}

/// Time per step and phase of each method's finest run. `None` without phases.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn phases(all: &Comparison, case: &str) -> Result<Option<Figure>, PlotError> {
    const MOST: usize = 8;
    let runs: Vec<_> =
        methods(all, case).iter().filter_map(Method::finest).filter(|run| run.steps > 0).collect();
    let mut parts = in_order(runs.iter().flat_map(|run| run.phases.iter().map(|phase| phase.name.as_str())));
    if parts.is_empty() {
        return Ok(None);
    }
    let total = |name: &str| {
        let same = runs.iter().flat_map(|run| &run.phases).filter(|phase| phase.name == name);
        same.map(|phase| phase.seconds).sum::<f64>()
    };
    let rest = if parts.len() > MOST {
        parts.sort_by(|a, b| total(b).total_cmp(&total(a)));
        parts.split_off(MOST)
    } else {
        Vec::new()
    };
    let per_step = |run: &RunResult, names: &[&str]| {
        let same = run.phases.iter().filter(|phase| names.contains(&phase.name.as_str()));
        same.map(|phase| 1e3 * phase.seconds / run.steps as f64).sum::<f64>()
    };
    let bar = |run: &&RunResult| {
        let mut values: Vec<_> = parts.iter().map(|part| per_step(run, &[part])).collect();
        values.extend((!rest.is_empty()).then(|| per_step(run, &rest)));
        (format!("{}, {}", method_name(run), resolution(run)), values)
    };
    let bars: Vec<_> = runs.iter().map(bar).collect();
    let mut parts: Vec<_> = parts.iter().map(ToString::to_string).collect();
    parts.extend((!rest.is_empty()).then(|| "other phases".to_owned()));
    let chart = Bars { title: format!("Time per step: {case}"), unit: "ms".into(), parts, bars };
    let caption = "Wall time of one step in milliseconds, by phase, at the finest resolution of each method.";
    Ok(Some(Figure { svg: chart.svg()?, caption: caption.into() }))
}

/// `40 across`; of a scene, which is not across anything, its spacing.
#[must_use]
pub fn resolution(run: &RunResult) -> String {
    match run.particles_across {
        0 => format!("Δx = {}", number::with_unit(run.spacing, "m", 3)),
        across => format!("{across} across"),
    }
}

fn series_figure(
    all: &Comparison,
    (case, name): (&str, &str),
    title: String,
    mut lines: Vec<Line>,
    caption: &str,
) -> Result<Option<Figure>, PlotError> {
    let found = all.results.iter().filter(|run| run.case == case).find_map(|run| series(run, name));
    let Some(series) = found.filter(|_| !lines.is_empty()) else { return Ok(None) };
    let belongs = |curve: &&crate::result::ReferenceCurve| curve.case == case && curve.series == name;
    for (i, curve) in all.references.iter().filter(belongs).enumerate() {
        let look = if curve.style == CurveStyle::Line { Look::Exact } else { Look::Points };
        lines.push(Line::new(&curve.label, look, i, pairs(&curve.x, &curve.y)));
    }
    let fits = all.results.iter().flat_map(|run| &run.fits).filter(belongs);
    for (i, fit) in fits.enumerate() {
        lines.push(Line::new(&fit.label, Look::Exact, i, pairs(&fit.x, &fit.y)));
    }
    let chart = Chart {
        title,
        x: Label::linear(&series.x_name, &series.x_unit),
        y: if name == series_name::RESIDUAL {
            Label::log(&series.y_name, &series.y_unit)
        } else {
            Label::linear(&series.y_name, &series.y_unit)
        },
        lines,
        x_ticks: Vec::new(),
    };
    Ok(Some(Figure { svg: chart.svg()?, caption: caption.into() }))
}

fn finest_line(method: &Method<'_>, name: &str) -> Option<Line> {
    line(method.finest()?, name, &method.name, method.style)
}

fn line(run: &RunResult, name: &str, label: &str, style: usize) -> Option<Line> {
    // A method that lacks the quantity has no points, and no place in the legend.
    let series = series(run, name).filter(|series| !series.x.is_empty())?;
    let failed = if run.failure.is_some() { " (failed)" } else { "" };
    let line = Line::new(&format!("{label}{failed}"), Look::Curve, style, pairs(&series.x, &series.y));
    Some(Line { fits_axes: run.failure.is_none(), ..line })
}

fn finest_caption(all: &Comparison, case: &str, name: &str) -> String {
    let finest =
        methods(all, case).iter().filter_map(Method::finest).map(|run| run.particles_across).collect();
    let across: BTreeSet<u64> = finest;
    let across: Vec<_> = across.iter().filter(|n| **n > 0).map(ToString::to_string).collect();
    if across.is_empty() {
        return format!("{}.", capitalized(name)); // a scene has no resolution of its own
    }
    format!(
        "{} at the finest resolution of each method ({} particles across).",
        capitalized(name),
        across.join(", ")
    )
}

/// One line a method: the headline error in percent over `x` of each run that did not fail.
fn error_lines(all: &Comparison, case: &str, x: impl Fn(&RunResult) -> f64) -> Vec<Line> {
    let by_iterations = varies_iterations(all, case);
    let of = |method: &Method<'_>| {
        let done = method.runs.iter().filter(|run| run.failure.is_none());
        let found = done.filter_map(|run| Some((*run, run.headline()?.error?)));
        let found: Vec<_> =
            found.filter(|(run, error)| x(run) > 0.0 && *error > 0.0 && error.is_finite()).collect();
        let points = found.iter().map(|(run, error)| (x(run), 100.0 * error)).collect();
        let number = |run: &RunResult| match run.iterations.filter(|_| by_iterations) {
            Some(iterations) => format!("{iterations:.0}"),
            None => run.particles_across.to_string(),
        };
        let texts = found.iter().map(|(run, _)| number(run)).collect();
        Line { texts, ..Line::new(&method.name, Look::Joined, method.style, points) }
    };
    methods(all, case).iter().map(of).filter(|line| !line.points.is_empty()).collect()
}

/// What the errors of a case measure, where methods without `what` have another one.
fn other_errors(all: &Comparison, case: &str, what: &str) -> String {
    let runs = all.results.iter().filter(|run| run.case == case).filter_map(RunResult::headline);
    match runs.map(|score| score.name.as_str()).find(|name| *name != what) {
        Some(other) => format!("{what}; of methods that have none, {other}"),
        None => what.to_owned(),
    }
}

/// What the headline error of a case measures.
pub(super) fn headline_name<'a>(all: &'a Comparison, case: &str) -> Option<&'a str> {
    let runs = all.results.iter().filter(|run| run.case == case);
    runs.filter_map(RunResult::headline).map(|score| score.name.as_str()).next()
}

fn series<'a>(run: &'a RunResult, name: &str) -> Option<&'a Series> {
    run.series.iter().find(|series| series.name == name)
}

fn series_names<'a>(all: &'a Comparison, case: &str, group: SeriesGroup) -> Vec<&'a str> {
    let series = all.results.iter().filter(|run| run.case == case).flat_map(|run| &run.series);
    in_order(series.filter(|series| series.group == group).map(|series| series.name.as_str()))
}

fn pairs(x: &[f64], y: &[f64]) -> Vec<(f64, f64)> {
    x.iter().copied().zip(y.iter().copied()).collect()
}

fn in_order<T: Clone + Ord>(names: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(name.clone())).collect()
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
