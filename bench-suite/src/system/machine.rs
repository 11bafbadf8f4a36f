//! The machine a number was measured on. A number without its machine is not published.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Processor, memory and software of a run. What cannot be found out is `unknown` or zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Processor model as the operating system names it.
    pub cpu: String,
    /// Logical processors of the machine.
    pub cores: u64,
    /// Processors this process may use, by affinity and quota.
    pub usable_cores: u64,
    /// Main memory `[bytes]`; 0 when unknown.
    pub memory_bytes: u64,
    /// Operating system and kernel.
    pub os: String,
    /// Compiler that built this program.
    pub rustc: String,
    /// `release` or `debug`.
    pub profile: String,
}

impl Machine {
    /// Looks at this machine.
    #[must_use]
    pub fn detect() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let usable_cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let n_listed = cpuinfo.lines().filter(|line| line.starts_with("processor")).count() as u64;
        Self {
            cpu: value_of(&cpuinfo, "model name").unwrap_or_else(|| std::env::consts::ARCH.into()),
            cores: n_listed.max(usable_cores),
            usable_cores,
            memory_bytes: kib_of(&meminfo, "MemTotal").unwrap_or(0),
            os: os_name(),
            rustc: env!("SPH_RUSTC_VERSION").into(),
            profile: if cfg!(debug_assertions) { "debug" } else { "release" }.into(),
        }
    }
}

/// The commit of the source tree this program was built in, twelve digits, with `+dirty` when files differ
/// from it; `unknown` outside a checkout.
#[must_use]
pub fn git_commit() -> String {
    commit_of(Path::new(env!("CARGO_MANIFEST_DIR")))
}

/// The commit of the checkout that holds `dir`; see [`git_commit`].
#[must_use]
pub fn commit_of(dir: &Path) -> String {
    let git = |args: &[&str]| {
        let out = Command::new("git").arg("-C").arg(dir).args(args).output().ok()?;
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]).filter(|commit| !commit.is_empty()) else {
        return "unknown".into();
    };
    match git(&["status", "--porcelain", "--untracked-files=no"]) {
        Some(changes) if changes.is_empty() => commit,
        _ => commit + "+dirty",
    }
}

/// Largest resident memory of this process since its start or the last [`reset_peak_memory`] `[bytes]`.
/// `None` where the operating system does not tell.
#[must_use]
pub fn peak_memory_bytes() -> Option<u64> {
    kib_of(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM")
}

/// Resident memory of this process now `[bytes]`. `None` where the operating system does not tell.
#[must_use]
pub fn memory_bytes() -> Option<u64> {
    kib_of(&fs::read_to_string("/proc/self/status").ok()?, "VmRSS")
}

/// Open file handles of this process, the one that counts them included. `None` where the operating system does
/// not tell.
#[must_use]
pub fn open_handles() -> Option<u64> {
    Some(fs::read_dir("/proc/self/fd").ok()?.count() as u64)
}

/// Memory that this process may still take without driving others out `[bytes]`. `None` where the operating system
/// does not tell.
#[must_use]
pub fn free_memory_bytes() -> Option<u64> {
    kib_of(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable")
}

/// Lets the peak start again from the present size, so that each run has its own. Returns whether that
/// worked; where it did not, the peak of a run includes those before it.
pub fn reset_peak_memory() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The present time, such as `2026-01-31 12:00:00 UTC`.
#[must_use]
pub fn utc_now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    utc(seconds)
}

/// A Unix time in words. Gregorian calendar, counted in eras of 400 years that begin in March, so that a
/// leap day ends its year.
pub fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let days = days + 719_468; // from 0000-03-01 to 1970-01-01
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// The value of the first line `key : value`.
pub fn value_of(text: &str, key: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The value of the first line `key: 123 kB`, in bytes.
pub fn kib_of(text: &str, key: &str) -> Option<u64> {
    let kib: u64 = value_of(text, key)?.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}

fn os_name() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let pretty = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = pretty.map_or(std::env::consts::OS, |name| name.trim_matches('"'));
    match fs::read_to_string("/proc/sys/kernel/osrelease") {
        Ok(kernel) => format!("{name}, kernel {}", kernel.trim()),
        Err(_) => name.into(),
    }
}
