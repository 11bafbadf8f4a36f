//! Reports: one self-contained page, `results.json` and CSV, drawn from plain results and nothing else.

pub mod against;
pub mod answer;
pub mod compare;
pub mod csv;
pub mod figures;
pub mod html;
pub mod plots;
pub mod run;
mod sections;
pub mod validate;

use std::path::{Path, PathBuf};

use crate::result::Comparison;
use crate::system::{
    read::read_text,
    write::{WriteError, write_atomic},
};

/// A report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A plot could not be drawn.
    #[error(transparent)]
    Plot(#[from] plots::PlotError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Results could not become JSON, or come from it.
    #[error("{}: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
}

/// Which page is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Methods side by side.
    Compare,
    /// Published numbers, met or missed.
    Validate,
    /// A scene that was run once.
    Run,
}

impl Page {
    /// The page of stored results: those of a scene file have no resolution of a case.
    #[must_use]
    pub fn of(all: &Comparison) -> Self {
        let is_scene = all.results.iter().all(|run| run.particles_across == 0);
        if is_scene && !all.results.is_empty() { Self::Run } else { Self::Compare }
    }
}

/// What a report may be made of.
pub const FILES: [&str; 8] = [
    "index.html",
    "results.json",
    "runs.csv",
    "scores.csv",
    "series.csv",
    "phases.csv",
    "validation.md",
    "comparison.md",
];

/// Writes `index.html`, `results.json` and the CSV tables into `folder`, and as Markdown the tables of a validation or a
/// comparison. Picture files of the results are
/// looked for in `folder`.
///
/// # Errors
/// When a plot cannot be drawn or a file not be written. The results are written first.
pub fn write(all: &Comparison, page: Page, folder: &Path) -> Result<(), ReportError> {
    save(all, &folder.join("results.json"))?;
    for (name, text) in csv::tables(all) {
        write_atomic(&folder.join(name), text.as_bytes())?;
    }
    match page {
        Page::Validate => write_atomic(&folder.join("validation.md"), validate::markdown(all).as_bytes())?,
        Page::Compare => write_atomic(&folder.join("comparison.md"), answer::markdown(all).as_bytes())?,
        Page::Run => {}
    }
    let html = match page {
        Page::Compare => compare::page(all, folder)?,
        Page::Validate => validate::page(all, folder)?,
        Page::Run => run::page(all, folder)?,
    };
    Ok(write_atomic(&folder.join("index.html"), html.as_bytes())?)
}

/// Writes results as JSON.
///
/// # Errors
/// When the file cannot be written.
pub fn save(all: &Comparison, path: &Path) -> Result<(), ReportError> {
    let text = serde_json::to_string(all);
    let text = text.map_err(|source| ReportError::Json { path: path.into(), source })?;
    Ok(write_atomic(path, text.as_bytes())?)
}

/// Reads results that [`save`] wrote.
///
/// # Errors
/// When the file cannot be read or holds something else.
pub fn load(path: &Path) -> Result<Comparison, ReportError> {
    let text = read_text(path).map_err(|source| ReportError::Read { path: path.into(), source })?;
    serde_json::from_str(&text).map_err(|source| ReportError::Json { path: path.into(), source })
}
