//! What changed between two sets of results of the same runs.

use super::{
    figures::{method_name, resolution},
    html::markdown_row,
};
use crate::result::{Comparison, RunResult, number};

/// A run that is slower by more than this, with all of its times, has slowed down `[convention]`.
const SLOWER: f64 = 0.05;

/// The same run, before and now.
struct Pair<'a> {
    old: &'a RunResult,
    new: &'a RunResult,
    same_machine: bool,
}

/// What two sets of results say of each other.
#[derive(Debug)]
pub struct Changes {
    /// A table of Markdown of the runs that differ, in physics or beyond noise in time.
    pub table: String,
    /// Runs that are in both.
    pub n_both: usize,
    /// Runs among them whose times can be compared: repeated ones, on the same machine with as many threads.
    pub n_timed: usize,
    /// Runs that are in one of them alone.
    pub n_alone: usize,
    /// Runs with another last state, or other scores.
    pub n_physics: usize,
    /// Runs that have slowed down: by more than 5 %, and all of their times are longer than all before.
    pub n_slower: usize,
    /// Bands that were met and are missed.
    pub n_lost: usize,
}

impl Changes {
    /// True when nothing became worse.
    pub fn are_fine(&self) -> bool {
        (self.n_slower, self.n_lost) == (0, 0)
    }
}

/// Compares each run of `new` with that of the same case, method, settings and resolution of `old`.
#[must_use]
pub fn changes(new: &Comparison, old: &Comparison) -> Changes {
    let same = |a: &RunResult, b: &RunResult| {
        a.case == b.case && method_name(a) == method_name(b) && a.particles_across == b.particles_across
    };
    let mut left: Vec<&RunResult> = old.results.iter().collect();
    let same_machine = new.machine.cpu == old.machine.cpu;
    let mut pairs = Vec::new();
    for new in &new.results {
        if let Some(k) = left.iter().position(|old| same(new, old)) {
            pairs.push(Pair { old: left.swap_remove(k), new, same_machine });
        }
    }
    let told: Vec<_> = pairs.iter().filter(|pair| pair.is_other() || pair.time().is_some()).collect();
    let heads = ["case", "method", "across", "error", "before", "wall time", "before", "what changed"];
    let table = markdown_row(&heads) + &markdown_row(&["---"; 8]);
    let rows: String = told.iter().map(|pair| pair.row()).collect();
    Changes {
        table: if rows.is_empty() { rows } else { table + &rows },
        n_both: pairs.len(),
        n_timed: pairs.iter().filter(|pair| pair.ranges().is_some()).count(),
        n_alone: new.results.len() - pairs.len() + left.len(),
        n_physics: pairs.iter().filter(|pair| pair.is_other()).count(),
        n_slower: pairs.iter().filter_map(Pair::time).filter(|ratio| *ratio > 1.0).count(),
        n_lost: pairs.iter().map(|pair| pair.lost().len()).sum(),
    }
}

impl Pair<'_> {
    /// Whether it came to something else.
    fn is_other(&self) -> bool {
        self.new.state_hash != self.old.state_hash
            || self.new.failure.is_some() != self.old.failure.is_some()
            || !self.lost().is_empty()
    }

    /// Least and largest times, now and before, where both can be compared.
    fn ranges(&self) -> Option<[(f64, f64); 2]> {
        let how = |run: &RunResult| (run.threads, run.precision.clone(), run.isa.clone());
        let range = |run: &RunResult| Some((*run.timings_s.first()?, *run.timings_s.last()?));
        let repeated = self.new.timings_s.len().min(self.old.timings_s.len()) > 1;
        (repeated && self.same_machine && how(self.new) == how(self.old)).then_some(())?;
        Some([range(self.new)?, range(self.old)?])
    }

    /// The ratio of the times, if it is beyond noise and beyond 5 %.
    fn time(&self) -> Option<f64> {
        let [(new_least, new_most), (old_least, old_most)] = self.ranges()?;
        let ratio = self.new.wall_s / self.old.wall_s;
        let apart = new_least > old_most || new_most < old_least;
        (apart && f64::max(ratio, 1.0 / ratio) > 1.0 + SLOWER).then_some(ratio)
    }

    /// Names of the scores that met their bands and miss them; all that did of a run that fails now.
    fn lost(&self) -> Vec<&str> {
        let met = |run: &RunResult, name: &str| {
            let score = run.scores.iter().find(|score| score.name == name);
            run.failure.is_none() && score.is_some_and(|score| score.passed == Some(true))
        };
        let names = self.old.scores.iter().map(|score| score.name.as_str());
        names.filter(|name| met(self.old, name) && !met(self.new, name)).collect()
    }

    /// A row of Markdown, for the terminal.
    fn row(&self) -> String {
        let error = |run: &RunResult| {
            let error = run.headline().and_then(|score| score.error).filter(|_| run.failure.is_none());
            error.map_or("–".into(), number::percent)
        };
        let mut what: Vec<String> = self.lost().iter().map(|name| format!("misses {name}")).collect();
        what.extend((self.new.state_hash != self.old.state_hash).then(|| "another last state".to_owned()));
        what.extend(self.time().map(|ratio| format!("{} of the time", number::percent(ratio))));
        markdown_row(&[
            self.new.case.clone(),
            method_name(self.new).into_owned(),
            resolution(self.new),
            error(self.new),
            error(self.old),
            number::duration(self.new.wall_s),
            number::duration(self.old.wall_s),
            what.join("; "),
        ])
    }
}
