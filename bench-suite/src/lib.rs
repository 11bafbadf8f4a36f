//! Cases, metrics, benches and report.

pub mod campaign;
pub mod case;
pub mod cases;
pub mod checkpoints;
pub mod clock;
pub mod failure;
pub mod golden;
pub mod iterations;
pub mod knobs;
pub mod machine;
#[cfg(feature = "mesh")]
pub mod mesh;
pub mod metrics;
pub mod output;
pub mod picture;
pub mod reference;
pub mod registry;
pub mod report;
pub mod result;
pub mod run;
pub mod scenes;
pub mod schema;
pub mod soak;
pub mod start;
pub mod stepping;
pub mod write;
