//! Runs of a campaign that are done: kept as they end, so that one that was interrupted goes on where it was.

use super::{Job, registry};
use crate::{
    result::RunResult,
    system::{
        machine::{self, Machine},
        processor::Processor,
        read::read_text,
        write::WriteError,
    },
};
use serde::{Deserialize, Serialize};
use sph_core::Real;
use std::{
    fs::{self, File, OpenOptions},
    hash::{DefaultHasher, Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

/// The runs that are done, one line each, in the folder of the report until it is written.
pub struct Store {
    path: PathBuf,
    file: File,
    done: Vec<Done>,
    context: String,
}

/// A run that is done, and what it depended on.
#[derive(Serialize, Deserialize)]
struct Done {
    key: String,
    result: RunResult,
}

impl Store {
    /// Name of its file.
    pub const FILE: &'static str = "runs.jsonl";

    /// The store of a folder. Runs of another program, machine or processor stay unused, and a line that was not written to its
    /// end counts as absent.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn open(folder: &Path, processor: &Processor) -> Result<Self, WriteError> {
        let path = folder.join(Self::FILE);
        let text = read_text(&path).unwrap_or_default();
        let done = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let failed = |source| WriteError { path: path.clone(), source };
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(Self { path, file, done, context: context(processor) })
    }

    /// The result of a run that is done.
    pub fn find(&self, job: &Job<'_>) -> Option<RunResult> {
        let key = self.key(job)?;
        self.done.iter().find(|done| done.key == key).map(|done| done.result.clone())
    }

    /// Keeps a result.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&mut self, job: &Job<'_>, result: &RunResult) -> Result<(), WriteError> {
        let Some(key) = self.key(job) else { return Ok(()) };
        let failed = |source| WriteError { path: self.path.clone(), source };
        let done = Done { key, result: result.clone() };
        let line = serde_json::to_string(&done).map_err(|error| failed(error.into()))?;
        self.file.write_all((line + "\n").as_bytes()).and_then(|()| self.file.flush()).map_err(failed)
    }

    /// Removes the file: the report has all runs.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn finish(self) -> Result<(), WriteError> {
        fs::remove_file(&self.path).map_err(|source| WriteError { path: self.path.clone(), source })
    }

    /// What the result of a run depends on; nothing for a case of one's own, whose tables may have changed.
    fn key(&self, job: &Job<'_>) -> Option<String> {
        registry::case(job.case.name())?;
        let scene = job.scene().ok()?.to_toml().ok()?;
        let mut hasher = DefaultHasher::new();
        (&self.context, job.case.name(), job.variant.label, job.n, scene).hash(&mut hasher);
        Some(format!("{:016x}", hasher.finish()))
    }
}

/// Program, machine and processor.
fn context(processor: &Processor) -> String {
    let program = std::env::current_exe().and_then(fs::metadata);
    let program = program.map(|file| {
        let made = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (file.len(), made)
    });
    let how = (processor.name(), processor.isa.to_string(), rayon::current_num_threads(), size_of::<Real>());
    format!("{:?} {} {} {how:?}", program.ok(), machine::git_commit(), Machine::detect().cpu)
}
