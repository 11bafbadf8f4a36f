//! The folder of a result while this program has it, and the signals that end the program meanwhile.

use super::{exit_code::INTERRUPTED, print::note};
use bench_suite::system::folder::Folder;
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::{
    error::Error,
    path::Path,
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Time between two looks at the signals that came.
const PAUSE: Duration = Duration::from_millis(50);

/// A folder that no other run writes into. Ctrl-C, a hang-up or a request to terminate lets it go.
pub struct Taken {
    folder: Arc<Folder>,
    /// Becomes true when the run shall end between two steps.
    pub asked: Arc<AtomicBool>,
    /// True when the run looks at `asked`: only then a signal leaves it the time to end by itself.
    pub looks: Arc<AtomicBool>,
}

impl Taken {
    /// Takes the folder that the argument `name` gives, in which `names` will be written.
    ///
    /// # Errors
    /// When it cannot be had, or signals cannot be caught.
    pub fn take(
        name: &str,
        path: &Path,
        names: &[&'static str],
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let folder = Arc::new(Folder::take(path, names).map_err(|error| format!("{name}: {error}"))?);
        if let Some(remark) = &folder.remark {
            note!("{remark}");
        }
        let (asked, looks) = (Arc::default(), Arc::default());
        let taken = Self { folder, asked, looks };
        taken.watch()?;
        Ok(taken)
    }

    /// The first signal asks a run that steps to end; any other ends the program, from a thread of its own, so that it need
    /// not wait for set-up or a long step.
    fn watch(&self) -> Result<(), Box<dyn Error + Send + Sync>> {
        let caught = interrupted()?;
        let (folder, asked, looks) = (self.folder.clone(), self.asked.clone(), self.looks.clone());
        let obey = move || {
            loop {
                thread::sleep(PAUSE);
                if !caught.swap(false, Ordering::Relaxed) {
                    continue;
                }
                if looks.load(Ordering::Relaxed) && !asked.swap(true, Ordering::Relaxed) {
                    note!(
                        "interrupted: ends after this step, and writes down what there is; once more ends it at once"
                    );
                    continue;
                }
                folder.release();
                note!("interrupted");
                process::exit(INTERRUPTED.into());
            }
        };
        thread::Builder::new().name("signals".into()).spawn(obey)?;
        Ok(())
    }
}

impl Drop for Taken {
    /// The thread of the signals has a share of the folder and outlives it.
    fn drop(&mut self) {
        self.folder.release();
    }
}

/// Becomes true when a signal comes that would end the program.
///
/// # Errors
/// When signals cannot be caught.
pub fn interrupted() -> std::io::Result<Arc<AtomicBool>> {
    let caught = Arc::new(AtomicBool::new(false));
    wanted().into_iter().try_for_each(|signal| flag::register(signal, Arc::clone(&caught)).map(drop))?;
    Ok(caught)
}

/// Signals that end the program.
#[cfg(unix)]
fn wanted() -> Vec<i32> {
    use signal_hook::consts::SIGHUP;
    // A program that was told to outlive its terminal, as by `nohup`, ignores this one: catching it would undo that.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let hang_up = (ignored & (1 << (SIGHUP - 1)) == 0).then_some(SIGHUP);
    [SIGINT, SIGTERM].into_iter().chain(hang_up).collect()
}

/// Signals that end the program.
#[cfg(not(unix))]
fn wanted() -> Vec<i32> {
    vec![SIGINT, SIGTERM]
}
