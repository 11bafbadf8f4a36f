//! What the program prints. `println!` would panic where a disk is full; here the first failure is kept, the work goes on,
//! and [`finish`] turns it into an exit code.

use super::exit_code::FAILED;
use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
    sync::OnceLock,
};

/// Why results could not be printed.
static UNPRINTED: OnceLock<io::Error> = OnceLock::new();

/// Prints a line of the result on standard output.
macro_rules! out {
    ($($words:tt)*) => { $crate::program::print::line(format_args!($($words)*)) };
}

/// Prints a line about the work on standard error.
macro_rules! note {
    ($($words:tt)*) => { $crate::program::print::remark(format_args!($($words)*)) };
}

pub(crate) use {note, out};

/// Behind `out!`.
pub fn line(words: fmt::Arguments<'_>) {
    keep(writeln!(io::stdout().lock(), "{words}"));
}

/// Behind `note!`. A remark that nobody can read is lost, and the exit code says the rest.
pub fn remark(words: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{words}");
}

/// Takes note of a failure to print, the first of several.
pub fn keep(printed: io::Result<()>) {
    if let Err(error) = printed {
        let _ = UNPRINTED.set(error); // a second failure says no more
    }
}

/// The exit code of a program that has ended with `code`: a success that could not be printed whole is none.
pub fn finish(code: ExitCode) -> ExitCode {
    keep(io::stdout().flush());
    match UNPRINTED.get() {
        Some(error) => {
            note!("error: cannot write to standard output: {error}; what was printed is not whole");
            if code == ExitCode::SUCCESS { ExitCode::from(FAILED) } else { code }
        }
        None => code,
    }
}
