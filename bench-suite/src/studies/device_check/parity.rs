//! The same scene on the CPU and on the GPU.

use super::{Line, Plan, Work, Written, scenes};
use serde_json::Value;

/// The section.
pub(super) const PLAN: Plan = Plan {
    name: "Parity",
    about: "The same scene on the CPU and on the GPU, with the kernels as every run has them (products and sums fused). \
            Differences particle by particle, in units in the last place (ULP) of the largest component of a field: of \
            position, velocity and density the one that is largest beside its bound. Half of the particles and 99 % of them \
            are judged, by twice that by which the CPU parts from itself when each value of its state is moved to the next \
            number above or below before each step. The largest difference is that of one particle, often one whose place in \
            a sweep was another: it has no bound.",
    budget_s: 300,
    run,
};

/// The fields that are judged; others are differences of nearly equal numbers.
const STATE: [&str; 3] = ["position", "velocity", "density"];
/// So many times the parting of rounded states is allowed: a step rounds each value more than once.
pub const ROUNDINGS: f64 = 2.0;
/// Most that energy and volume may part by, over themselves: what no chaos of single particles explains.
pub const MOST_DRIFT: f64 = 1e-3;
/// Most that the front may part by, in spacings.
const MOST_FRONT: f64 = 0.5;

fn run(work: &mut Work<'_>) -> Written {
    let steps = if work.options.dry_run { "1,3" } else { "1,10,100" };
    for sample in scenes::rounds().flatten() {
        let file = work.scene(sample.name, &sample.sized(work.options.dry_run).text())?;
        work.measure(sample.name, &["parity", &file, "--steps", steps], &[], |found, line| {
            judge(found, line)
        })?;
    }
    Ok(())
}

/// Numbers of the moments, and whether they are within their bounds.
pub fn judge(found: &Value, line: Line) -> Line {
    let mut line = line.with("particles", found["particles"].clone());
    for moment in found["moments"].as_array().into_iter().flatten() {
        let step = moment["step"].as_u64().unwrap_or(0);
        line = fields(line, moment, step);
        for drift in moment["drifts"].as_array().into_iter().flatten() {
            let (name, apart) = (drift["name"].as_str().unwrap_or("?"), drift["relative"].as_f64());
            let most = if name == "front" { MOST_FRONT } else { MOST_DRIFT };
            line = line.with(&format!("{name}, step {step}"), apart);
            line = line.require(apart.is_some_and(|apart| apart.abs() <= most), || {
                format!("{name} after {step} steps parts by {apart:?}, bound {most}")
            });
        }
    }
    let moments = found["moments"].as_array().map_or(0, Vec::len);
    line.require(moments > 0, || "nothing was compared".into())
}

/// The differences that are largest beside their bounds.
fn fields(mut line: Line, moment: &Value, step: u64) -> Line {
    let state = |field: &&Value| STATE.iter().any(|name| field["name"] == *name);
    let fields: Vec<_> = moment["fields"].as_array().into_iter().flatten().filter(state).collect();
    for (k, name) in ["half", "99 %", "all"].into_iter().enumerate() {
        let beside = fields.iter().map(|field| {
            // JSON has no NaN: null counts as infinite, and bounds nothing. What rounding does not move is rounded, too.
            let ulp = field["in_ulp"][k].as_f64().unwrap_or(f64::INFINITY);
            let bound = ROUNDINGS * field["of_rounding"][k].as_f64().unwrap_or(0.0).max(1.0);
            (ulp, bound, field["name"].as_str().unwrap_or("?"))
        });
        let worst = beside.max_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
        let Some((ulp, bound, field)) = worst else { continue };
        let number = if ulp.is_finite() { Value::from(ulp) } else { Value::Null };
        let what = format!("{field} of {name}, step {step}");
        line = line.with(&what, number);
        if name != "all" {
            line = line.with(&format!("{what}, bound"), bound);
            line = line.require(ulp <= bound, || format!("{what}: {ulp:.1} ULP, bound {bound:.1}"));
        }
    }
    line
}
