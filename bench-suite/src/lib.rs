//! Cases, metrics, benches and report.
