//! Exit codes beside 0.

use bench_suite::{output::OutputError, report::ReportError, system::write::WriteError};
use sph_core::method::failure::StepError;
use std::error::Error;

/// Of a run that stopped, of a score that left its band, or of results that could not be printed.
pub const FAILED: u8 = 1;
/// Of bad input: nothing was run or written.
pub const REFUSED: u8 = 2;
/// Of a program that was interrupted, as shells expect it.
pub const INTERRUPTED: u8 = 130;

/// The code of an error: the input was refused, unless work was done whose results could not be written, or a step failed.
pub fn of(error: &(dyn Error + 'static)) -> u8 {
    let is_unwritten = error.is::<WriteError>()
        || matches!(error.downcast_ref(), Some(ReportError::Write(_) | ReportError::Plot(_)))
        || matches!(error.downcast_ref(), Some(OutputError::Write(_)));
    if is_unwritten || error.is::<StepError>() { FAILED } else { REFUSED }
}
