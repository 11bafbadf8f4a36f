//! Hashes of all bits of a state.

use super::{Line, Plan, Verdict, Work, Written, scenes};
#[cfg(feature = "cuda")]
use cuda_kernels::device::error::CudaError;
use serde_json::Value;

/// The section.
pub(super) const PLAN: Plan = Plan {
    name: "Bits",
    about: "Hashes of all bits of the last state. Strict: kernels that fuse nothing, beside the emulator, which executes \
            the same source on the processor of this machine; both must end with equal bits. Repeats: runs of the \
            kernels as every run has them, inside of one process, all of which must end with equal bits. A race, a \
            missing barrier or a write that is not seen in time makes either fail.",
    budget_s: 400,
    run,
};

fn run(work: &mut Work<'_>) -> Written {
    work.push(fused(work.options.dry_run))?;
    for samples in scenes::rounds() {
        for sample in samples {
            strict(work, sample)?;
        }
        for sample in samples {
            repeats(work, sample)?;
        }
    }
    Ok(())
}

/// Whether strict kernels hold a fused operation all the same; those of one file in a rehearsal.
#[cfg_attr(not(feature = "cuda"), expect(unused_variables, reason = "there is no kernel to read"))]
fn fused(dry_run: bool) -> Line {
    let line = Line::new("strict: no fused operation", Verdict::Passed);
    #[cfg(feature = "cuda")]
    match cuda_kernels::device::compile::fused::in_strict_kernels(|file| {
        !dry_run || file == "wcsph/motion.cu"
    }) {
        Ok(found) => {
            let line = line.with("functions", found.functions);
            line.require(found.fused.is_empty(), || found.fused.join(", "))
        }
        Err(CudaError::NoCompiler) => Line { verdict: Verdict::NotRun("NVRTC is not here".into()), ..line },
        Err(error) => Line { verdict: Verdict::Failed(error.to_string()), ..line },
    }
    #[cfg(not(feature = "cuda"))]
    Line { verdict: Verdict::NotRun("this program was built without the feature `cuda`".into()), ..line }
}

/// The hashes that a run of `bench repeat` printed.
fn hashes(found: &Value) -> Vec<String> {
    let listed = found["hashes"].as_array().into_iter().flatten();
    listed.filter_map(|hash| hash.as_str().map(str::to_owned)).collect()
}

fn strict(work: &mut Work<'_>, sample: &scenes::Sample) -> Written {
    let what = format!("strict: {}", sample.name);
    let file = work.scene(sample.name, &sample.beside_emulator(work.options.dry_run).text())?;
    let steps = if work.options.dry_run { "3" } else { "20" };
    let arguments = ["bench", "repeat", &file, "--steps", steps, "--runs", "1"];
    let emulated = work.children.run_on("emulator", &arguments, &[], work.deadline);
    let Some(expected) = emulated.json().map(|found| hashes(&found)) else {
        let verdict = match emulated.verdict() {
            Verdict::Failed(reason) => Verdict::Failed(format!("emulator: {reason}")),
            other => other,
        };
        return work.push(Line::new(what, verdict));
    };
    // In a rehearsal, threads run in another order than in the reference.
    let variables = [("SPH_CUDA_VARIANT", "strict"), ("SPH_EMULATOR_ORDER", "77")];
    work.measure(&what, &arguments, &variables, |found, line| equal(found, &expected, line))
}

/// Fails unless the run ended with the one hash of the emulator.
pub fn equal(found: &Value, expected: &[String], line: Line) -> Line {
    let ends = hashes(found);
    let line = line.with("particles", found["particles"].clone()).with("steps", found["steps"].clone());
    line.require(ends == expected && ends.len() == 1, || {
        let [ends, expected] = [&ends[..], expected].map(|hashes| hashes.join(", "));
        format!("the state has the hash {ends}, that of the emulator {expected}")
    })
}

fn repeats(work: &mut Work<'_>, sample: &scenes::Sample) -> Written {
    let (runs, steps) = if work.options.dry_run { ("3", "3") } else { ("20", "60") };
    let file = work.scene(sample.name, &sample.sized(work.options.dry_run).text())?;
    let arguments = ["bench", "repeat", &file, "--steps", steps, "--runs", runs];
    work.measure(&format!("repeats: {}", sample.name), &arguments, &[], |found, line| {
        let ends = hashes(found).len();
        let line = line.with("particles", found["particles"].clone()).with("steps", found["steps"].clone());
        let line = line.with("runs", found["runs"].clone());
        line.require(ends == 1, || format!("{ends} different ends of {runs} runs"))
    })
}
