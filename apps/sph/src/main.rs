//! The `sph` command.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is where the project speaks to people")]

mod campaigns;
mod cli;
mod devices;
mod exit_code;
mod golden;
mod kernels;
mod list;
mod output;
mod run;
mod studies;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A reader that goes away, as `| head` does, ends the program and is no failure of it.
    sigpipe::reset();
    let args = cli::Args::parse();
    match cli::execute(&args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(exit_code::REFUSED)
        }
    }
}
