//! The tools of compute-sanitizer.

use super::{Line, Plan, Verdict, Work, Written, gpu, scenes};

/// The section.
pub(super) const PLAN: Plan = Plan {
    name: "Sanitizer",
    about: "Two steps of tiny scenes under each tool of compute-sanitizer; a line passes when the tool finds nothing.",
    budget_s: 420,
    run,
};

const TOOLS: [&str; 4] = ["memcheck", "racecheck", "initcheck", "synccheck"];

fn run(work: &mut Work<'_>) -> Written {
    let program = gpu::tool("compute-sanitizer");
    // Each tool checks every method before any checks an option.
    for samples in scenes::rounds() {
        for tool in TOOLS {
            for sample in samples {
                let what = format!("{tool}: {}", sample.name);
                let file = work.scene(sample.name, &sample.tiny().text())?;
                let verdict = match &program {
                    _ if work.options.dry_run => Verdict::NotRun("needs a GPU".into()),
                    None => Verdict::NotRun("compute-sanitizer is not here".into()),
                    Some(program) => {
                        let tool = ["--tool", tool, "--error-exitcode", "9"];
                        let repeat = ["bench", "repeat", &file, "--steps", "2", "--runs", "1"];
                        work.children.run_under(program, &tool, &repeat, work.deadline).verdict()
                    }
                };
                work.push(Line::new(what, verdict))?;
            }
        }
    }
    Ok(())
}
