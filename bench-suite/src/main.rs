//! The `sph` command.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is where the project speaks to people")]

mod cli;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = cli::Args::parse();
    match cli::execute(&args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(cli::REFUSED)
        }
    }
}
