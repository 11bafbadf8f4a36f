//! The `sph` command.

mod campaigns;
mod cli;
mod devices;
mod kernels;
mod list;
mod output;
mod program;
mod run;
mod studies;
mod view;

use bench_suite::system::ranks::is_first;
use clap::Parser;
use program::{
    exit_code::{self, REFUSED},
    print::{self, note},
};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A reader that goes away, as `| head` does, ends the program and is no failure of it.
    sigpipe::reset();
    // What is wrong for all of several processes is told once.
    let is_first = is_first();
    print::finish(match cli::Args::try_parse() {
        Ok(args) => cli::execute(&args).unwrap_or_else(|error| {
            if is_first {
                note!("error: {error}");
            }
            ExitCode::from(exit_code::of(&*error))
        }),
        // Help counts as such, too: it goes to standard output, and ends with 0.
        Err(help) => {
            let printed = if is_first { help.print() } else { Ok(()) };
            if !help.use_stderr() {
                print::keep(printed);
            }
            if help.exit_code() == 0 { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) }
        }
    })
}
