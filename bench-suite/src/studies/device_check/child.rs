//! This program in processes of its own, each with an end to its time.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Time between two looks at a process.
const PAUSE: Duration = Duration::from_millis(20);
/// Exit code of input that was refused.
const REFUSED: i32 = 2;

/// Starts processes of this program.
#[derive(Debug)]
pub struct Children {
    program: PathBuf,
    backend: String,
    folder: PathBuf,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// Well.
    Done {
        /// What it printed.
        printed: String,
    },
    /// It refused its input.
    Refused(String),
    /// Otherwise, with the last of what it said.
    Failed(String),
    /// It was ended, or never begun.
    OutOfTime,
}

impl Children {
    /// Processes that step on a backend, and leave what they print in a folder.
    ///
    /// # Errors
    /// When this program does not know where it lies, or the folder cannot be made.
    pub fn new(folder: &Path, backend: &str) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { program: std::env::current_exe()?, backend: backend.into(), folder: folder.into() })
    }

    /// Runs this program until a deadline.
    pub fn run(&self, arguments: &[&str], deadline: Instant) -> Ended {
        self.run_with(arguments, &[], deadline)
    }

    /// The same, with further variables in its environment.
    pub fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)], deadline: Instant) -> Ended {
        self.run_on(&self.backend, arguments, variables, deadline)
    }

    /// The same on another backend.
    pub fn run_on(
        &self,
        backend: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
        deadline: Instant,
    ) -> Ended {
        let mut command = Command::new(&self.program);
        self.wait(command.args(arguments).envs(variables.iter().copied()), backend, deadline)
    }

    /// Runs this program under another one until a deadline.
    pub fn run_under(
        &self,
        program: &Path,
        options: &[&str],
        arguments: &[&str],
        deadline: Instant,
    ) -> Ended {
        let mut command = Command::new(program);
        self.wait(command.args(options).arg(&self.program).args(arguments), &self.backend, deadline)
    }

    /// Waits for `command`, which is told the backend, until a deadline.
    pub fn wait(&self, command: &mut Command, backend: &str, deadline: Instant) -> Ended {
        let failed = |error: io::Error| Ended::Failed(error.to_string());
        if Instant::now() >= deadline {
            return Ended::OutOfTime;
        }
        let files = [self.folder.join("stdout"), self.folder.join("stderr")];
        let opened = files.each_ref().map(File::create);
        let [Ok(out), Ok(err)] = opened else {
            return Ended::Failed("cannot create the files for its output".into());
        };
        command.args(["--json", "--backend", backend]).env_remove("SPH_BACKEND");
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let status = match command.spawn().and_then(|child| until(child, deadline)) {
            Ok(Some(status)) => status,
            Ok(None) => return Ended::OutOfTime,
            Err(error) => return failed(error),
        };
        let [printed, said] = files.map(|file| fs::read_to_string(file).unwrap_or_default());
        match status.code() {
            Some(0) => Ended::Done { printed },
            Some(REFUSED) => Ended::Refused(last(&said)),
            Some(code) => {
                let words = if said.trim().is_empty() { &printed } else { &said };
                Ended::Failed(format!("exit code {code}: {}", last(words)))
            }
            None => Ended::Failed(format!("{status}: {}", last(&said))),
        }
    }
}

impl Ended {
    /// What it printed, if it ended well.
    pub fn printed(&self) -> Option<&str> {
        match self {
            Self::Done { printed } => Some(printed),
            _ => None,
        }
    }
}

/// Waits for a process; one that is not done in its time is ended, with all that it has started.
fn until(mut child: Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            let group = format!("-{}", child.id());
            // It may have ended just now; the wait below tells.
            let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

/// What a program said at last, in one line: from the last error on, if it names one.
fn last(text: &str) -> String {
    const LINES: usize = 3;
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let end = lines.len().saturating_sub(LINES);
    let from = lines.iter().rposition(|line| line.starts_with("error:")).unwrap_or(end);
    let line = lines.iter().skip(from).take(LINES).copied().collect::<Vec<_>>().join("; ");
    line.chars().take(400).collect()
}

/// A program in the folders of `PATH`, or else in these.
pub fn find(name: &str, beside: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(beside.iter().map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}
