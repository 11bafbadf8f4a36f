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
    /// Its numbers, as comma-separated values.
    pub csv: String,
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

    /// The finest run that has pictures.
    #[must_use]
    pub fn pictured(&self) -> Option<&'a RunResult> {
        self.runs.iter().rev().copied().find(|run| !run.frames.is_empty())
    }
}

/// The name by which people know a run's method: what was set for it, and its backend where that is not the processor.
#[must_use]
pub fn method_name(run: &RunResult) -> Cow<'_, str> {
    name_without(run, None)
}

/// The same without what a key was set to.
fn name_without<'a>(run: &'a RunResult, key: Option<&str>) -> Cow<'a, str> {
    let name = if run.variant.is_empty() { &run.solver } else { &run.variant };
    let backend = if run.is_on_cpu() { String::new() } else { format!(", on {}", run.backend) };
    let set = run.settings.iter().filter(|(name, _)| Some(name.as_str()) != key);
    let short = |key: &str| key.strip_prefix("solver.").unwrap_or(key).to_owned();
    let set: Vec<_> = set.map(|(key, value)| format!("{} = {value}", short(key))).collect();
    match (backend.is_empty(), set.is_empty()) {
        (true, true) => name.into(),
        (false, true) => format!("{name}{backend}").into(),
        (_, false) => format!("{}; {name}{backend}", set.join(", ")).into(), // what differs comes first
    }
}

/// The cases, in the order of the results.
#[must_use]
pub fn cases(all: &Comparison) -> Vec<&str> {
    in_order(all.results.iter().map(|run| run.case.as_str()))
}

/// Whether the solution of a case is exact, so that its errors rank methods.
#[must_use]
pub fn is_exact(all: &Comparison, case: &str) -> bool {
    all.cases.iter().any(|info| info.name == case && info.is_exact)
}

/// The methods that ran a case.
#[must_use]
pub fn methods<'a>(all: &'a Comparison, case: &str) -> Vec<Method<'a>> {
    grouped(all, case, method_name)
}

/// A run that another one has the case, method and resolution of.
#[must_use]
pub fn twice(all: &Comparison) -> Option<&RunResult> {
    let mut seen = BTreeSet::new();
    all.results
        .iter()
        .find(|run| !seen.insert((&run.case, method_name(run), run.particles_across, run.spacing.to_bits())))
}

/// The runs of a case by name, coarse to fine.
fn grouped<'a>(
    all: &'a Comparison,
    case: &str,
    name_of: impl Fn(&'a RunResult) -> Cow<'a, str>,
) -> Vec<Method<'a>> {
    let names = in_order(all.results.iter().map(&name_of));
    let of = |(style, name): (usize, Cow<'a, str>)| {
        let ran = |run: &&RunResult| run.case == case;
        let mut runs: Vec<_> = all.results.iter().filter(ran).filter(|run| name_of(run) == name).collect();
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

/// Error against wall time, one line a method, one point a resolution, or a value of the key that was set. `None` without errors.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn error_against_wall_time(all: &Comparison, case: &str) -> Result<Option<Figure>, PlotError> {
    error_against(all, case, Label::log("wall time", "s"), "wall time", |run| run.wall_s)
}

/// Error against the memory that state and solver need, as planned. `None` without either.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn error_against_memory(all: &Comparison, case: &str) -> Result<Option<Figure>, PlotError> {
    let of = |run: &RunResult| run.start.as_ref().map_or(0.0, |start| start.memory / 1048576.0);
    error_against(all, case, Label::log("memory", "MiB"), "memory", of)
}

fn error_against(
    all: &Comparison,
    case: &str,
    x: Label,
    over: &str,
    of: impl Fn(&RunResult) -> f64,
) -> Result<Option<Figure>, PlotError> {
    let lines = error_lines(all, case, of);
    let Some(what) = headline_name(all, case).filter(|_| !lines.is_empty()) else { return Ok(None) };
    let title = format!("Error against {over}: {case}");
    let chart = Chart { title, x, y: Label::log("error", "%"), lines, x_ticks: Vec::new() };
    let numbers = match swept(all, case) {
        Some(key) => format!("values of {key}"),
        None => "particles across the reference length".into(),
    };
    let what = other_errors(all, case, what);
    let caption = format!("Error: {what}. Lower left is better. Numbers beside the points are {numbers}.");
    Ok(Some(Figure { svg: chart.svg()?, csv: chart.csv(), caption }))
}

/// Error and wall time against the key that was set, where its values are numbers.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn against_key(all: &Comparison, case: &str) -> Result<Vec<Figure>, PlotError> {
    let Some(key) = swept(all, case) else { return Ok(Vec::new()) };
    let value = |run: &RunResult| value_of(run, key).and_then(|value| value.parse::<f64>().ok());
    let with_key = all.results.iter().filter(|run| run.case == case && value_of(run, key).is_some());
    let Some(values) = with_key.map(value).collect::<Option<Vec<f64>>>() else { return Ok(Vec::new()) };
    let (least, most) =
        values.iter().fold((f64::INFINITY, 0.0), |(a, b), &x| (f64::min(a, x), f64::max(b, x)));
    let axis =
        || if least > 0.0 && most > 30.0 * least { Label::log(key, "") } else { Label::linear(key, "") };
    let error = |run: &RunResult| Some(100.0 * run.headline()?.error?);
    let (errors, times) = (
        key_lines(all, case, key, |run| Some((value(run)?, error(run)?))),
        key_lines(all, case, key, |run| Some((value(run)?, run.wall_s))),
    );
    let what = headline_name(all, case).map_or_else(String::new, |what| format!("Error: {what}."));
    let mut figures = Vec::new();
    for (title, y, mut lines, caption) in [
        ("Error", Label::log("error", "%"), errors, what),
        ("Wall time", Label::log("wall time", "s"), times, "Wall time of the whole run.".into()),
    ] {
        lines.retain(|line| !line.points.is_empty());
        for line in &mut lines {
            line.texts.clear();
            line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let title = format!("{title} against {key}: {case}");
        if !lines.is_empty() {
            let chart = Chart { title, x: axis(), y, lines, x_ticks: Vec::new() };
            figures.push(Figure { svg: chart.svg()?, csv: chart.csv(), caption });
        }
    }
    Ok(figures)
}

/// The first key that was set to different values in runs of a case.
fn swept<'a>(all: &'a Comparison, case: &str) -> Option<&'a str> {
    let runs = || all.results.iter().filter(|run| run.case == case);
    let keys = in_order(runs().flat_map(|run| run.settings.iter().map(|(key, _)| key.as_str())));
    keys.into_iter()
        .find(|key| runs().filter_map(|run| value_of(run, key)).collect::<BTreeSet<_>>().len() > 1)
}

fn value_of<'a>(run: &'a RunResult, key: &str) -> Option<&'a str> {
    run.settings.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

/// One line a method and resolution over the values of a key, of runs that did not fail.
fn key_lines(
    all: &Comparison,
    case: &str,
    key: &str,
    point: impl Fn(&RunResult) -> Option<(f64, f64)>,
) -> Vec<Line> {
    let several = {
        let runs = all.results.iter().filter(|run| run.case == case);
        runs.map(|run| run.particles_across).collect::<BTreeSet<_>>().len() > 1
    };
    let name = |run| {
        let name = name_without(run, Some(key));
        if several { format!("{name}, {}", resolution(run)).into() } else { name }
    };
    let of = |method: &Method<'_>| {
        let done = method.runs.iter().filter(|run| run.failure.is_none());
        let found: Vec<_> = done.filter_map(|run| Some((*run, point(run)?))).collect();
        let found: Vec<_> = found.into_iter().filter(|(_, (x, y))| x.is_finite() && y.is_finite()).collect();
        let texts = found.iter().filter_map(|(run, _)| value_of(run, key)).map(str::to_owned).collect();
        let points = found.iter().map(|(_, point)| *point).collect();
        Line { texts, ..Line::new(&method.name, Look::Joined, method.style, points) }
    };
    grouped(all, case, name).iter().map(of).collect()
}

/// Error against resolution, with slopes of first and second order. `None` when nothing ran twice.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn convergence(all: &Comparison, case: &str) -> Result<Option<Figure>, PlotError> {
    let point = |run: &RunResult| Some((run.particles_across as f64, 100.0 * run.headline()?.error?));
    let finite = |run: &RunResult| point(run).filter(|(_, error)| *error > 0.0 && error.is_finite());
    let mut lines: Vec<_> = methods(all, case).iter().map(|method| method_line(method, finite)).collect();
    lines.retain(|line| line.points.len() > 1);
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
    Ok(Some(Figure { svg: chart.svg()?, csv: chart.csv(), caption }))
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
    Ok(Some(Figure { svg: chart.svg()?, csv: chart.csv(), caption: caption.into() }))
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
    Ok(Some(Figure { svg: chart.svg()?, csv: chart.csv(), caption: caption.into() }))
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
    let point = |run: &RunResult| {
        let (x, error) = (x(run), run.headline()?.error?);
        (x > 0.0 && error > 0.0 && error.is_finite()).then_some((x, 100.0 * error))
    };
    let lines = match swept(all, case) {
        Some(key) => key_lines(all, case, key, point),
        None => methods(all, case).iter().map(|method| method_line(method, point)).collect(),
    };
    lines.into_iter().filter(|line| !line.points.is_empty()).collect()
}

/// A point of each run that did not fail, with its resolution.
fn method_line(method: &Method<'_>, point: impl Fn(&RunResult) -> Option<(f64, f64)>) -> Line {
    let done = method.runs.iter().filter(|run| run.failure.is_none());
    let found: Vec<_> =
        done.filter_map(|run| Some((run.particles_across.to_string(), point(run)?))).collect();
    let (texts, points) = found.into_iter().unzip();
    Line { texts, ..Line::new(&method.name, Look::Joined, method.style, points) }
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

/// Each of some names once, in the order in which they come.
pub(super) fn in_order<T: Clone + Ord>(names: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(name.clone())).collect()
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
