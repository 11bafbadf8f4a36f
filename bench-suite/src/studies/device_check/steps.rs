//! Times of steps.

use super::{
    Line, Plan, Work, Written,
    scenes::{self, SITUATIONS},
};
use serde_json::Value;

/// The section.
pub(super) const PLAN: Plan = Plan {
    name: "Steps",
    about: "A copy within the GPU, and then steps of the reference codes' dam break after a warm-up: median wall time of a step, \
            which ends with its report on the host. Neighbors are those within the support, in spacings; the reference codes' \
            figures are for about 170, which 3.46 has. Launches, copies to the host and waits are those of a step. A \
            line passes when its steps went through, and the memory in use is at most 5 % and 64 MiB above the plan.",
    budget_s: 450,
    run,
};

/// Methods, as `sph bench step` names them.
pub const METHODS: [&str; 4] = ["wcsph", "pbf", "viscoelastic", "projection"];
/// Supports, in spacings.
const SUPPORTS: [&str; 4] = ["2", "2.5", "3", "3.46"];

/// Blocks of 4 m³ particles: 1 million, 100 thousand, 10 million, 25 million.
struct Sizes {
    most_telling: &'static str,
    others: &'static [&'static str],
}

fn sizes(dry_run: bool) -> Sizes {
    if dry_run {
        Sizes { most_telling: "4", others: &["3"] }
    } else {
        Sizes { most_telling: "63", others: &["29", "136", "184"] }
    }
}

fn run(work: &mut Work<'_>) -> Written {
    let sizes = sizes(work.options.dry_run);
    copy(work)?;
    let each = |work: &mut Work<'_>, m: &str, support: Option<&str>| {
        METHODS.iter().try_for_each(|method| step(work, method, m, support))
    };
    each(work, sizes.most_telling, None)?;
    sizes.others.iter().try_for_each(|m| each(work, m, None))?;
    SUPPORTS.iter().try_for_each(|support| each(work, sizes.most_telling, Some(support)))?;
    variants_of_viscoelastic(work, sizes.most_telling)?;
    situations(work, sizes.most_telling)?;
    for m in sizes.others {
        SUPPORTS.iter().try_for_each(|support| each(work, m, Some(support)))?;
    }
    Ok(())
}

fn copy(work: &mut Work<'_>) -> Written {
    let what = "copy of 1 GiB";
    if work.options.dry_run {
        return work.needs_gpu(what);
    }
    work.measure(what, &["bench", "copy", "--mib", "1024"], &[], |found, line| {
        line.with("GB/s", found["gb_per_s"].clone())
    })
}

/// Options of `sph bench step` for how many steps.
fn counts(dry_run: bool) -> [&'static str; 4] {
    if dry_run { ["--warmup", "1", "--steps", "2"] } else { ["--warmup", "5", "--steps", "20"] }
}

fn step(work: &mut Work<'_>, method: &str, m: &str, support: Option<&str>) -> Written {
    let mut arguments = vec!["bench", "step", "--solver", method, "--m", m];
    arguments.extend(support.iter().flat_map(|support| ["--support", support]));
    let support = support.map_or_else(|| "own support".into(), |support| format!("support {support}"));
    timed(work, &format!("{method}, 4 · {m}³, {support}"), &arguments)
}

fn variants_of_viscoelastic(work: &mut Work<'_>, m: &str) -> Written {
    for (name, more) in [("springs", "--springs"), ("Jacobi", "--mode=jacobi")] {
        let arguments = ["bench", "step", "--solver", "viscoelastic", "--m", m, more];
        timed(work, &format!("viscoelastic, 4 · {m}³, {name}"), &arguments)?;
    }
    Ok(())
}

fn situations(work: &mut Work<'_>, m: &str) -> Written {
    let across = m.parse().unwrap_or(2);
    for (situation, _) in SITUATIONS {
        for method in METHODS {
            let what = format!("{method}, 4 · {m}³, {situation}");
            let file =
                work.scene(&what.replace('·', "x"), &scenes::situation(method, "", situation, across))?;
            timed(work, &what, &["bench", "step", "--scene", &file])?;
        }
    }
    Ok(())
}

fn timed(work: &mut Work<'_>, what: &str, arguments: &[&str]) -> Written {
    let dry_run = work.options.dry_run;
    let arguments = [arguments, &counts(dry_run)].concat();
    work.measure(what, &arguments, &[], |found, line| {
        let line = numbers(line, found);
        // Speeds of the emulator say nothing of a GPU.
        if dry_run { line } else { within_plan(speeds(line, found), found) }
    })
}

/// What does not depend on where the steps ran.
fn numbers(mut line: Line, found: &Value) -> Line {
    for (name, key) in
        [("particles", "particles"), ("neighbors", "mean_neighbors"), ("iterations", "iterations")]
    {
        if !found[key].is_null() {
            line = line.with(name, found[key].clone());
        }
    }
    for key in ["launches", "reads", "waits"] {
        line = line.with(&format!("{key} a step"), found["per_step"][key].clone());
    }
    line
}

fn speeds(line: Line, found: &Value) -> Line {
    let number = |name: &str| found[name].as_f64().unwrap_or(f64::NAN);
    line.with("ms a step", number("ms_per_step"))
        .with("ns a particle", 1e6 * number("ms_per_step") / number("particles"))
        .with("million particle-steps/s", number("million_per_second"))
        .with("bytes a particle, planned", number("backend_bytes") / number("particles"))
        .with("bytes a particle, used", number("backend_bytes_used") / number("particles"))
}

/// Fails when more memory is in use than planned.
fn within_plan(line: Line, found: &Value) -> Line {
    const SLACK: f64 = (64 << 20) as f64;
    let (planned, used) = (found["backend_bytes"].as_f64(), found["backend_bytes_used"].as_f64());
    let right = planned.zip(used).is_some_and(|(planned, used)| used <= 1.05 * planned + SLACK);
    line.require(right, || format!("{used:?} B are in use where {planned:?} were planned"))
}
