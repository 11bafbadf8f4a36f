//! The same scene on the CPU and on the GPU.

use super::{
    Line, Plan, Work, Written,
    scenes::{self, Bounds, Sample},
};
use serde_json::Value;

/// The section.
pub(super) const PLAN: Plan = Plan {
    name: "Parity",
    about: "The same scene on the CPU and on the GPU, with the kernels as every run has them (products and sums fused). \
            Differences particle by particle, in units in the last place (ULP) of the largest component of a field. A \
            line passes when they stay below the bounds of its scene, which were stated before: at least four times what the \
            kernels differ by when they are executed on a processor with fused operations. Positions, velocities and \
            densities are judged; other fields are differences of nearly equal numbers.",
    budget_s: 300,
    run,
};

/// The fields that are judged.
const STATE: [&str; 3] = ["position", "velocity", "density"];

fn run(work: &mut Work<'_>) -> Written {
    let steps = if work.options.dry_run { "1,3" } else { "1,10,100" };
    for sample in scenes::rounds().flatten() {
        let file = work.scene(sample.name, &sample.sized(work.options.dry_run).text())?;
        work.measure(sample.name, &["parity", &file, "--steps", steps], &[], |found, line| {
            judge(sample, found, line)
        })?;
    }
    Ok(())
}

/// Numbers of the moments, and whether they are within the bounds of the scene.
pub fn judge(sample: &Sample, found: &Value, line: Line) -> Line {
    let mut line = line.with("particles", found["particles"].clone());
    for moment in found["moments"].as_array().into_iter().flatten() {
        let step = moment["step"].as_u64().unwrap_or(0);
        if let Some(bounds) = sample.bounds(step) {
            line = fields(line, moment, step, bounds);
        }
        for drift in moment["drifts"].as_array().into_iter().flatten() {
            let (name, apart) = (drift["name"].as_str().unwrap_or("?"), drift["relative"].as_f64());
            let most = if name == "front" { scenes::MOST_FRONT } else { scenes::MOST_DRIFT };
            line = line.with(&format!("{name}, step {step}"), apart);
            line = line.require(apart.is_some_and(|apart| apart.abs() <= most), || {
                format!("{name} after {step} steps parts by {apart:?}, bound {most}")
            });
        }
    }
    let moments = found["moments"].as_array().map_or(0, Vec::len);
    line.require(moments > 0, || "nothing was compared".into())
}

/// The largest difference of any field of a moment.
fn fields(mut line: Line, moment: &Value, step: u64, bounds: Bounds) -> Line {
    let mut worst = [(0.0, "none"); 2];
    let state = |field: &&Value| STATE.iter().any(|name| field["name"] == *name);
    for field in moment["fields"].as_array().into_iter().flatten().filter(state) {
        for (k, worst) in worst.iter_mut().enumerate() {
            // JSON has no NaN: null counts as infinite.
            let ulp = field["in_ulp"][k + 1].as_f64().unwrap_or(f64::INFINITY);
            if ulp > worst.0 {
                *worst = (ulp, field["name"].as_str().unwrap_or("?"));
            }
        }
    }
    let names = ["ULP of 99 %", "ULP at most"];
    for ((name, (ulp, field)), bound) in names.into_iter().zip(worst).zip([bounds.p99, bounds.most]) {
        line = line.with(
            &format!("{name}, step {step}"),
            if ulp.is_finite() { Value::from(ulp) } else { Value::Null },
        );
        line = line
            .require(ulp <= bound, || format!("{field} after {step} steps: {name} {ulp:.1}, bound {bound}"));
    }
    line
}
