//! Runs of a campaign that are done: kept as they end, so that one that was interrupted goes on where it was.

use super::Job;
use crate::{
    result::RunResult,
    system::{
        machine::{self, Machine},
        processor::Processor,
        read::read_text,
        write::{WriteError, write_atomic},
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
    /// Keys of the runs that the report has.
    reported: Vec<String>,
}

/// A run that is done, and what it depended on.
#[derive(Serialize, Deserialize)]
struct Done {
    /// Hash of program, machine and processor.
    context: String,
    /// Hash of the run.
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
        Ok(Self { path, file, done, context: context(processor), reported: Vec::new() })
    }

    /// The result of a run that is done.
    pub fn find(&mut self, job: &Job<'_>) -> Option<RunResult> {
        let key = Self::key(job)?;
        let found = self.done.iter().find(|done| done.key == key && done.context == self.context);
        let result = found.map(|done| done.result.clone());
        self.reported.push(key);
        result
    }

    /// Keeps a result.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&mut self, job: &Job<'_>, result: &RunResult) -> Result<(), WriteError> {
        let Some(key) = Self::key(job) else { return Ok(()) };
        let failed = |source| WriteError { path: self.path.clone(), source };
        let done = Done { context: self.context.clone(), key, result: result.clone() };
        let line = serde_json::to_string(&done).map_err(|error| failed(error.into()))?;
        self.file.write_all((line + "\n").as_bytes()).and_then(|()| self.file.flush()).map_err(failed)
    }

    /// Drops the runs that the report has; those of a larger call that was interrupted stay.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<(), WriteError> {
        let failed = |source| WriteError { path: self.path.clone(), source };
        let others = self.done.iter().filter(|done| done.context == self.context);
        let others = others.filter(|done| !self.reported.contains(&done.key));
        let lines = others.map(|done| serde_json::to_string(done).map(|line| line + "\n"));
        let text: String = lines.collect::<Result<_, _>>().map_err(|error| failed(error.into()))?;
        match text.is_empty() {
            true => fs::remove_file(&self.path).map_err(failed),
            false => write_atomic(&self.path, text.as_bytes()),
        }
    }

    /// What the result of a run depends on; nothing for a case of one's own, whose tables may have changed.
    fn key(job: &Job<'_>) -> Option<String> {
        let scene = job.scene().ok().filter(|_| job.case.is_built_in())?.to_toml().ok()?;
        let how = (job.settings.to_string(), job.is_pictured);
        Some(hash(&(job.case.name(), job.variant.label, job.n, scene, how)))
    }
}

fn hash(of: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Program, machine and processor.
fn context(processor: &Processor) -> String {
    let program = std::env::current_exe().and_then(fs::metadata);
    let program = program.map(|file| {
        let made = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (file.len(), made)
    });
    let how = (processor.name(), processor.isa.to_string(), rayon::current_num_threads(), size_of::<Real>());
    hash(&format!("{:?} {} {} {how:?}", program.ok(), machine::git_commit(), Machine::detect().cpu))
}
