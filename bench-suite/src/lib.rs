//! Cases, metrics, benches and report.

pub mod campaign;
pub mod case;
pub mod cases;
pub mod clock;
pub mod golden;
pub mod machine;
pub mod metrics;
pub mod picture;
pub mod reference;
pub mod registry;
pub mod report;
pub mod result;
pub mod run;
pub mod scenes;
pub mod schema;
pub mod start;
pub mod stepping;
pub mod vtu;
pub mod write;
