//! Cases, metrics, campaigns, studies and report.

pub mod campaign;
pub mod cases;
pub mod metrics;
pub mod output;
pub mod reference;
pub mod report;
pub mod result;
pub mod run;
pub mod scenes;
pub mod studies;
pub mod system;
