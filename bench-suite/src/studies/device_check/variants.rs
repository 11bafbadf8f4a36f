//! WCSPH with other neighbor loops.

use super::{Line, Plan, Work, Written, scenes};

/// The section.
pub(super) const PLAN: Plan = Plan {
    name: "Variants",
    about: "Steps of WCSPH (Wendland C2, summed density) on the reference codes' dam break with other loops over \
            neighbors, and with division and root that are not rounded correctly. Direct: a neighbor is processed where it is \
            found. Dense: neighbors are collected first, as every run does it. Kept: rows of neighbors serve several steps. A \
            line passes when its steps went through and the kinetic energy is within \
            0.1 % of direct.",
    budget_s: 300,
    run,
};

const VARIANTS: [&str; 5] = ["direct", "dense", "kept", "approximate,direct", "approximate,dense"];
/// Most that the kinetic energy may differ from that of the first variant, over itself.
const MOST: f64 = 1e-3;

fn run(work: &mut Work<'_>) -> Written {
    let dry_run = work.options.dry_run;
    let sizes: &[usize] = if dry_run { &[3] } else { &[63, 29, 136] };
    let counts =
        if dry_run { ["--warmup", "1", "--steps", "3"] } else { ["--warmup", "10", "--steps", "50"] };
    for support in ["2", "3", "3.46"] {
        for m in sizes {
            let settings =
                format!("preset = \"graphics\"\nkernel = \"wendland_c2\"\nsupport_ratio = {support}");
            let text = scenes::situation("wcsph", &settings, "plain", *m);
            let file = work.scene(&format!("walks-{m}-{support}"), &text)?;
            let mut direct = None;
            for variant in VARIANTS {
                let what = format!("{variant}, 4 · {m}³, support {support}");
                let arguments = [&["bench", "step", "--scene", &file], &counts[..]].concat();
                let variables = [("SPH_CUDA_VARIANT", variant)];
                work.measure(&what, &arguments, &variables, |found, line| {
                    let line = line.with("particles", found["particles"].clone());
                    let line =
                        if dry_run { line } else { line.with("ms a step", found["ms_per_step"].clone()) };
                    let energy = found["physics"]["kinetic_energy"].as_f64().unwrap_or(f64::NAN);
                    near(*direct.get_or_insert(energy), energy, line)
                })?;
            }
        }
    }
    Ok(())
}

/// Fails unless the kinetic energy is that of the first variant.
pub fn near(expected: f64, energy: f64, line: Line) -> Line {
    line.require((energy - expected).abs() <= MOST * expected, || {
        format!("{energy} J of kinetic energy, {expected} with direct")
    })
}
