//! Failures made on purpose: what was done to a scene is known, and the run must tell it.
//!
//! `induced.toml` holds the scenes and their true causes. An entry with `second = true` has signs of another cause, too: there
//! the true one must be among those that also fit.
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]
#![allow(clippy::print_stdout, reason = "how many were named")]

use bench_suite::result::{Comparison, failure::Failure};
use rayon::prelude::*;
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::{Command, Stdio},
};
use toml::{Table, Value};

/// The table must have at least so many entries.
const LEAST: usize = 40;
/// At most so many causes may be named second.
const MOST_SECOND: usize = 4;
/// At most so many may be named wrong.
const MOST_WRONG: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Induced {
    base: BTreeMap<String, Table>,
    failure: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    base: String,
    /// What was done to the scene; two where either name is right.
    cause: Vec<String>,
    /// All of the causes were made, and must be told: the likely one, and what also fits.
    #[serde(default)]
    both: bool,
    /// The true cause fits, too, but another goes before it.
    #[serde(default)]
    second: bool,
    /// A known gap: the true cause is not told. When it is, this must go.
    #[serde(default)]
    wrong: bool,
    /// What the scene has other than its base.
    scene: Table,
}

#[test]
fn the_true_cause_is_named() {
    let text = include_str!("../induced.toml");
    let table: Induced = toml::from_str(text).unwrap_or_else(|error| panic!("{error}"));
    let names: BTreeSet<_> = table.failure.iter().map(|entry| &entry.name).collect();
    assert!(names.len() >= LEAST && names.len() == table.failure.len(), "{} names", names.len());
    let count = |is: fn(&Entry) -> bool| table.failure.iter().filter(|entry| is(entry)).count();
    let (second, wrong) = (count(|entry| entry.second), count(|entry| entry.wrong));
    assert!(second <= MOST_SECOND && wrong <= MOST_WRONG, "{second} second, {wrong} wrong");

    let folder = std::env::temp_dir().join(format!("sph-induced-{}", std::process::id()));
    let judge = |(k, entry): (usize, &Entry)| {
        let told = entry.run(&table.base[&entry.base], &folder.join(k.to_string()));
        told.and_then(|failure| entry.judge(&failure)).map_err(|error| format!("{}: {error}", entry.name))
    };
    let findings: Vec<_> = table.failure.par_iter().enumerate().map(judge).filter_map(Result::err).collect();
    println!("{} failures, {second} second, {wrong} wrong", names.len());
    assert!(findings.is_empty(), "{} in {}:\n{}", findings.len(), folder.display(), findings.join("\n"));
    fs::remove_dir_all(&folder).unwrap();
}

impl Entry {
    /// The failure of the scene as a user runs it. That it succeeds, or is refused, is an error.
    fn run(&self, base: &Table, folder: &Path) -> Result<Failure, String> {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("scene.toml"), changed(base.clone(), &self.scene).to_string()).unwrap();
        let mut sph = Command::new(env!("CARGO_BIN_EXE_sph"));
        sph.current_dir(folder).args(["run", "scene.toml", "--out", "out", "--threads", "1"]);
        let output =
            sph.env_remove("SPH_BACKEND").env_remove("SPH_ISA").stdout(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(1) {
            return Err(format!("no failure, but {}\n{said}", output.status));
        }
        let text = fs::read_to_string(folder.join("out/results.json")).map_err(|_| said.clone())?;
        let mut all: Comparison = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        all.results.pop().and_then(|result| result.failure_report).ok_or_else(|| said.into())
    }

    fn judge(&self, failure: &Failure) -> Result<(), String> {
        let named = &failure.likely_cause_name;
        let asked = || format!("{:?} was asked for: {}", self.cause, failure.text);
        // The worst that can be told: it sends its reader to look for a hole that is not there.
        if named == "wall_missing" && !self.cause.contains(named) {
            return Err(format!("a wall is said to be missing, and none is; {}", asked()));
        }
        let told = |cause: &String| cause == named || failure.also_fits.contains(cause);
        if self.both && !self.cause.iter().all(told) {
            return Err(format!("not all is told: {}", asked()));
        }
        let first = self.cause.contains(named);
        let also = failure.also_fits.iter().any(|name| self.cause.contains(name));
        let kind = match (first, also) {
            (true, _) => "first",
            (false, true) => "second",
            (false, false) => "wrong",
        };
        let expected = match (self.second, self.wrong) {
            (false, false) => "first",
            (true, false) => "second",
            (false, true) => "wrong",
            (true, true) => return Err("it cannot be both second and wrong".into()),
        };
        if kind == expected { Ok(()) } else { Err(format!("{kind}, not {expected}: {}", asked())) }
    }
}

/// The table with the values of another; tables within it are changed likewise, all else is replaced.
fn changed(mut table: Table, changes: &Table) -> Table {
    for (key, change) in changes {
        let value = match (table.remove(key), change) {
            (Some(Value::Table(inner)), Value::Table(changes)) => changed(inner, changes).into(),
            _ => change.clone(),
        };
        table.insert(key.clone(), value);
    }
    table
}
