//! Cases, metrics, benches and report.

pub mod machine;
pub mod picture;
pub mod reference;
pub mod report;
pub mod result;
pub mod vtu;
pub mod write;
pub mod clock;
pub mod stepping;
