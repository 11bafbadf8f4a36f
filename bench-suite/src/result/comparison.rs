//! Results that are shown together.

use super::{ReferenceCurve, RunResult};
use crate::system::machine::Machine;
use serde::{Deserialize, Serialize};

/// Results that are shown together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Title of the page.
    pub title: String,
    /// When it was made, UTC, such as `2026-01-31 12:00:00 UTC`; see [`crate::system::machine::utc_now`].
    pub created: String,
    /// Commit of the source, or `unknown`; see [`crate::system::machine::git_commit`].
    pub commit: String,
    /// The command that made it.
    #[serde(default)]
    pub command: String,
    /// The machine.
    pub machine: Machine,
    /// What the choice of a backend came to, where it was left to the program, and where other results that were joined come from.
    #[serde(alias = "backend_note", default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The cases, in the order in which they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<CaseInfo>,
    /// The runs.
    pub results: Vec<RunResult>,
    /// Published and exact curves.
    #[serde(default)]
    pub references: Vec<ReferenceCurve>,
}

impl Comparison {
    /// Results of several sets in one, as of other programs beside ours, under the title of the first. Sets of other machines and
    /// commits are named.
    #[must_use]
    pub fn joined(self, others: Vec<Self>) -> Self {
        let mut all = self;
        for other in others {
            if (&other.machine.cpu, &other.commit) != (&all.machine.cpu, &all.commit) {
                let note = format!("{}: commit {}, {}", other.title, other.commit, other.machine.cpu);
                all.note = Some(all.note.into_iter().chain([note]).collect::<Vec<_>>().join("; "));
            }
            if !other.command.is_empty() {
                all.command += &format!("\n{}", other.command);
            }
            all.results.extend(other.results);
            let new = |case: &CaseInfo| all.cases.iter().all(|known| known.name != case.name);
            let cases: Vec<_> = other.cases.into_iter().filter(new).collect();
            all.cases.extend(cases);
            let new = |curve: &ReferenceCurve| !all.references.contains(curve);
            let references: Vec<_> = other.references.into_iter().filter(new).collect();
            all.references.extend(references);
        }
        all
    }
}

/// What a page says of a case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseInfo {
    /// Its name.
    pub name: String,
    /// One line on it.
    pub about: String,
    /// Whether its solution is exact or converged: errors then fall with resolution, and rank.
    pub is_exact: bool,
}
