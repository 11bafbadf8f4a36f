//! The first screen of a comparison: which method for what, in sentences made of measured numbers.

pub mod ranking;

use self::ranking::{Cost, Point, TARGETS};
use super::{
    compare,
    figures::{self, Figure, Method, cases, is_exact, method_name, methods, resolution},
    html::{self, Cell, escape, table},
    plots::PlotError,
};
use crate::result::{Comparison, RunResult, number};
use std::{borrow::Cow, collections::BTreeMap};

/// The section.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn section(all: &Comparison) -> Result<String, PlotError> {
    let Answer { words, costs, verdicts } = Answer::of(all);
    let words: String = words.iter().map(|text| format!("<p>{text}</p>\n")).collect();
    let mut plots: Vec<Figure> = Vec::new();
    for case in cases(all) {
        plots.extend(figures::against_key(all, case)?);
        if is_exact(all, case) {
            plots.extend(figures::error_against_wall_time(all, case)?);
        }
    }
    let mut content = format!("<div class=\"answer\">\n{words}</div>\n") + &html::figures(&plots);
    if !costs.1.is_empty() {
        content += &table("Wall time to an error", &costs.0, &costs.1);
        content += &format!("<p class=\"meta\">{HOW}</p>\n");
    }
    content += &table(VERDICTS, &verdicts.0, &verdicts.1);
    Ok(html::section("answer", "Which method for what", &content))
}

/// The same as Markdown, for the book.
#[must_use]
pub fn markdown(all: &Comparison) -> String {
    let Answer { words, costs, verdicts } = Answer::of(all);
    let words: String = words.iter().map(|text| format!("- {text}\n")).collect();
    let note = all.note.as_ref().map_or_else(String::new, |note| format!("{}\n\n", escape(note)));
    let mut out = format!(
        "# Which method for what\n\nCommit {}, {}, {} threads, {} precision; written by `{}` on {}.\n\n{note}{words}",
        all.commit,
        all.machine.cpu,
        all.results.first().map_or(0, |run| run.threads),
        all.results.first().map_or("unknown", |run| run.precision.as_str()),
        all.command.replace('\n', "`, `"),
        all.created,
    );
    if !costs.1.is_empty() {
        out += &format!("\n## Wall time to an error\n\n{}\n{HOW}\n", html::markdown(&costs.0, &costs.1));
    }
    let verdicts = html::markdown(&verdicts.0, &verdicts.1);
    out += &format!("\n## Within its bands?\n\n{VERDICTS}.\n\n{verdicts}");
    let heads =
        ["Case", "Method", "Across", "Error", "Wall time", "Particle-steps per second", "Accepted bands"];
    let row = |run: &RunResult| {
        let row = compare::run_row(run, figures::headline_name(all, &run.case));
        [Cell::text(&run.case)].into_iter().chain(row).collect()
    };
    let rows: Vec<_> = all.results.iter().map(row).collect();
    out + "\n## Every run\n\n" + &html::markdown(&heads, &rows)
}

/// How the table of costs is to be read.
const HOW: &str = "A run is good to an error if its own is no larger, and whatever else is judged meets its band, or errs no more. \
                   Times are those from which every finer run is good to it, too, interpolated between two resolutions as a power \
                   of the error, in brackets those of repeated runs; ≤ where the coarsest run is good to it already. What is not \
                   reached shows what the finest run is good to, and which other quantity limits it. The order is that of a \
                   straight line through the logarithms, ± with 95 % confidence.";
/// What the table of verdicts is.
const VERDICTS: &str = "The finest run of each method against the bands of each case: its error where all are met, else the factor \
                        by which the worst is missed; – where the case is not for it, or for contrast alone";

/// Heads and rows of a table.
type Table = (Vec<String>, Vec<Vec<Cell>>);

/// What a page says first.
struct Answer {
    words: Vec<String>,
    costs: Table,
    verdicts: Table,
}

impl Answer {
    fn of(all: &Comparison) -> Self {
        let (exact, others): (Vec<_>, Vec<_>) = cases(all).into_iter().partition(|case| is_exact(all, case));
        let ranked: Vec<_> = exact.iter().map(|case| Ranked::of(all, case)).collect();
        let mut words = in_how_many(&ranked);
        words.extend(ranked.iter().map(Ranked::words));
        words.extend(others.iter().map(|case| of_experiment(all, case)));
        words.extend(noise(all));
        Self { words, costs: costs(&ranked), verdicts: verdicts(all) }
    }
}

/// A case with an exact solution, and what its runs cost.
struct Ranked<'a> {
    case: &'a str,
    what: &'a str,
    /// The methods that have the error of the case, and their runs.
    lines: Vec<(Method<'a>, Vec<Point>)>,
}

impl<'a> Ranked<'a> {
    fn of(all: &'a Comparison, case: &'a str) -> Self {
        let what = figures::headline_name(all, case).unwrap_or_default();
        // Errors of different quantities are not compared.
        let same = |method: &Method<'_>| {
            method.runs.iter().any(|run| run.headline().is_some_and(|score| score.name == what))
        };
        let lines = methods(all, case).into_iter().filter(same);
        let lines = lines.map(|method| {
            let points = ranking::points(&method, what);
            (method, points)
        });
        Self { case, what, lines: lines.collect() }
    }

    /// The methods that come to an error, the cheapest first.
    fn cheapest(&self, target: f64) -> Vec<(&str, Cost)> {
        let mut found = Vec::new();
        for (method, points) in &self.lines {
            let cost = ranking::cost(points, target);
            found.extend(cost.seconds().map(|seconds| (seconds, method.name.as_ref(), cost)));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.into_iter().map(|(_, name, cost)| (name, cost)).collect()
    }

    /// What an error of 1 % costs with each method, or of 3 % where none comes to it.
    fn words(&self) -> String {
        let head = format!("<strong>{}.</strong>", escape(self.case));
        let reached = |&&target: &&f64| !self.cheapest(target).is_empty();
        let Some(&target) = [TARGETS[1], TARGETS[0]].iter().find(reached) else {
            return format!(
                "{head} No method comes to {} of {}.",
                number::percent(TARGETS[0]),
                escape(self.what)
            );
        };
        let found = self.cheapest(target);
        let time = |cost: &Cost| {
            let bound = if matches!(cost, Cost::AtMost(_)) { "≤ " } else { "" };
            format!("{bound}{}", cost.seconds().map_or_else(String::new, number::duration))
        };
        let each: Vec<_> =
            found.iter().map(|(name, cost)| format!("{} {}", escape(name), time(cost))).collect();
        let (percent, what) = (number::percent(target), escape(self.what));
        let mut words = format!("{head} To {percent} of {what}: {}.", each.join("; "));
        let not = self.lines.iter().map(|(method, _)| method.name.as_ref());
        let not: Vec<_> = not.filter(|name| found.iter().all(|(found, _)| found != name)).collect();
        if !not.is_empty() {
            words += &format!(" Not reached by {}.", escape(&not.join("; ")));
        }
        words
    }

    /// The method that is certainly the cheapest to an error.
    fn winner(&self, target: f64) -> Option<&str> {
        let found = self.cheapest(target);
        let ((name, first), others) = found.split_first()?;
        others.iter().all(|(_, other)| first.is_less(other)).then_some(*name)
    }
}

/// In how many cases with exact solutions each method is the cheapest to 1 %.
fn in_how_many(ranked: &[Ranked<'_>]) -> Vec<String> {
    let mut won: BTreeMap<&str, usize> = BTreeMap::new();
    for name in ranked.iter().filter_map(|case| case.winner(TARGETS[1])) {
        *won.entry(name).or_default() += 1;
    }
    let mut won: Vec<_> = won.into_iter().collect();
    won.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let each: Vec<_> = won.iter().map(|(name, n)| format!("{} in {n}", escape(name))).collect();
    let words = format!(
        "Cheapest to an error of {} beyond noise, of {} cases with exact or converged solutions: {}.",
        number::percent(TARGETS[1]),
        ranked.len(),
        each.join(", ")
    );
    if won.is_empty() { Vec::new() } else { vec![words] }
}

/// Which method errs least in an experiment, and which is the fastest within all bands.
fn of_experiment(all: &Comparison, case: &str) -> String {
    let finest: Vec<_> = methods(all, case).iter().filter_map(Method::finest).collect();
    let what = figures::headline_name(all, case);
    // Errors of different quantities are not compared.
    let same = |run: &RunResult| run.headline().map(|score| score.name.as_str()) == what;
    let done = finest.iter().filter(|run| run.failure.is_none() && same(run));
    let error =
        |run: &RunResult| run.headline().and_then(|score| score.error).filter(|error| error.is_finite());
    let least = done.filter_map(|run| Some((run, error(run)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    let mut words = format!("<strong>{}.</strong>", escape(case));
    if let Some((run, error)) = least {
        words += &format!(
            " Smallest error of the finest runs: {}, {}, with {} in {}.",
            escape(&method_name(run)),
            resolution(run),
            escape(&number::percent(error)),
            escape(what.unwrap_or_default()),
        );
    }
    let runs = || all.results.iter().filter(|run| run.case == case);
    let every = |run: &&RunResult| matches!(run.bands(), (met, set) if set > 0 && met == set);
    let fastest =
        runs().filter(every).filter(|run| run.wall_s > 0.0).min_by(|a, b| a.wall_s.total_cmp(&b.wall_s));
    match fastest {
        Some(run) => {
            words += &format!(
                " Fastest run that meets all its bands is {}, {}: {}.",
                escape(&method_name(run)),
                resolution(run),
                escape(&number::duration(run.wall_s))
            );
        }
        None if runs().any(|run| run.bands().1 > 0) => words += " No run meets all its bands.",
        None => {}
    }
    let n_failed = runs().filter(|run| run.failure.is_some()).count();
    if n_failed > 0 {
        words += &format!(" Failed runs: {n_failed}.");
    }
    words
}

/// How far times of equal runs lie apart.
fn noise(all: &Comparison) -> Option<String> {
    let spread = |run: &RunResult| match run.timings_s.as_slice() {
        [least, .., most] => Some(most / least - 1.0),
        _ => None,
    };
    let mut all: Vec<f64> = all.results.iter().filter_map(spread).collect();
    all.sort_by(f64::total_cmp);
    let (middle, most) = (all.get(all.len() / 2)?, all.last()?);
    Some(format!(
        "Times of runs below a second are medians of three, which lie {} apart at the median of {} such runs, and {} at most.",
        number::percent(*middle),
        all.len(),
        number::percent(*most)
    ))
}

/// Order of convergence, and the wall time to each error.
fn costs(ranked: &[Ranked<'_>]) -> Table {
    let row = |case: &Ranked<'_>, (method, points): &(Method<'_>, Vec<Point>)| {
        let order = ranking::order(points)
            .map_or("–".into(), |found| format!("{:.1} ± {:.1}", found.order, found.within));
        let last = points.iter().rev().find(|point| point.error.is_finite());
        let last = last.map_or("–".into(), |point| number::percent(point.error));
        let mut row =
            vec![Cell::text(case.case), Cell::text(&method.name), Cell::number(&order), Cell::number(&last)];
        row.extend(TARGETS.map(|target| cost_cell(&ranking::cost(points, target), target)));
        row
    };
    let rows = ranked.iter().flat_map(|case| case.lines.iter().map(move |line| row(case, line))).collect();
    let mut heads = ["Case", "Method", "Order", "Error of the finest run"].map(str::to_owned).to_vec();
    heads.extend(TARGETS.map(|target| format!("Time to {}", number::percent(target))));
    (heads, rows)
}

fn cost_cell(cost: &Cost, target: f64) -> Cell {
    let range = |[least, median, most]: &[f64; 3]| match most > least {
        true => format!(
            "{} ({} to {})",
            number::duration(*median),
            number::duration(*least),
            number::duration(*most)
        ),
        false => number::duration(*median),
    };
    // One digit more of what would look like the target.
    let percent = |error: f64| match number::percent(error) == number::percent(target) {
        true => format!("{}\u{a0}%", number::significant(100.0 * error, 3)),
        false => number::percent(error),
    };
    match cost {
        Cost::Between(times) => Cell::number(&range(times)),
        Cost::AtMost(times) => Cell::number(&format!("≤ {}", range(times))),
        Cost::Never { best, limit } => {
            let best = best.is_finite().then(|| percent(*best));
            let why: Vec<_> = best.into_iter().chain(limit.clone()).collect();
            Cell::verdict(None, &format!("not reached: {}", why.join(", ")))
        }
    }
}

/// Each method on each case, at its finest resolution.
fn verdicts(all: &Comparison) -> Table {
    let cases = cases(all);
    let names = figures::in_order(all.results.iter().map(method_name));
    let cell = |case: &str, name: &str| {
        let methods = methods(all, case);
        let method = methods.iter().find(|method| method.name == name);
        method.map_or_else(|| Cell::verdict(None, "–"), verdict)
    };
    let row = |name: &Cow<'_, str>| {
        let cells = cases.iter().map(|case| cell(case, name));
        [Cell::text(name)].into_iter().chain(cells).collect()
    };
    let heads = ["Method"].into_iter().chain(cases.iter().copied()).map(str::to_owned);
    (heads.collect(), names.iter().map(row).collect())
}

/// Of the finest run that did not fail; if a finer one did, that is said first.
fn verdict(method: &Method<'_>) -> Cell {
    let (Some(run), Some(last)) = (method.finest(), method.runs.last()) else {
        return Cell::verdict(None, "–");
    };
    let error = || run.headline().and_then(|score| score.error).map_or(String::new(), number::percent);
    let (off, words) = match (&run.failure, run.bands(), ranking::excess(run)) {
        (Some(_), ..) => return Cell::heat(2, "✗ failed"),
        (None, (_, 0), _) => return Cell::verdict(None, &format!("no band, {}", error())),
        (None, (met, set), _) if met == set => (0, format!("✓ {}", error())),
        (None, _, Some((factor, name))) => {
            (if factor < 2.0 { 1 } else { 2 }, format!("✗ {factor:.1}×: {name}"))
        }
        (None, ..) => (2, "✗ missed".into()),
    };
    match last.failure {
        Some(_) => Cell::heat(2, &format!("✗ failed, {}; {}: {words}", resolution(last), resolution(run))),
        None => Cell::heat(off, &words),
    }
}
