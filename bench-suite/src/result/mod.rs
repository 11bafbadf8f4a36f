//! What a run leaves behind: plain data, free of any solver, stored as `results.json`.
//!
//! A report is drawn from these values alone, so it can be drawn again years later. Numbers that are not
//! finite (a run that blew up) are kept: JSON has no NaN, so they are stored as `null` and read back as NaN.

mod comparison;
pub mod failure;
mod nan;
pub mod number;
mod run;
mod score;
mod series;
pub mod start;

pub use comparison::{CaseInfo, Comparison};
pub use run::{Frame, Image, Phase, RunResult};
pub use score::{Band, Judged, Score};
pub use series::{CurveStyle, ReferenceCurve, Series, SeriesGroup, series_name};
