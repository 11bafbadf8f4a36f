//! Golden results: every case at low resolution, to detect unintended changes.

use crate::{
    campaign::{self, registry},
    metrics::penetration,
    system::processor::Processor,
};
use serde::{Deserialize, Serialize};
use sph_core::error::Error;
use std::collections::BTreeMap;

/// Stored results and why they are as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Golden {
    /// Why they changed last.
    pub reason: String,
    /// Score by `case/variant/score`.
    pub scores: BTreeMap<String, f64>,
}

/// Cases that are quick enough, and their resolution.
pub const QUICK: &[(&str, usize)] = &[("dam_break", 12), ("column", 10), ("rebound", 10)];

/// Today's results.
///
/// # Errors
/// When a case's scene is refused.
pub fn measure(processor: &Processor) -> Result<BTreeMap<String, f64>, Error> {
    let mut scores = BTreeMap::new();
    for &(name, n) in QUICK {
        for variant in registry::VARIANTS {
            let Some(case) = registry::case(name).filter(|case| variant.scene(*case, n).is_some()) else {
                continue;
            };
            let result = campaign::run(&campaign::Job::new(case, variant, n), processor, None)?;
            scores.insert(format!("{name}/{}/steps", variant.name), result.steps as f64);
            // A single particle decides the deepest penetration: another machine's round-off moves it too far.
            for score in result.scores.into_iter().filter(|score| !penetration::is_penetration(score)) {
                scores.insert(format!("{name}/{}/{}", variant.name, score.name), score.value);
            }
        }
    }
    Ok(scores)
}

/// The stored results of this precision.
///
/// # Errors
/// When the file is not JSON of this form.
pub fn stored() -> Result<Golden, serde_json::Error> {
    serde_json::from_str(if size_of::<sph_core::Real>() == 4 { STORED_F32 } else { STORED_F64 })
}

const STORED_F32: &str = include_str!("../../reference/golden_f32.json");
const STORED_F64: &str = include_str!("../../reference/golden_f64.json");
