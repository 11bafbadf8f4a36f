//! `sph run`.

use super::{FAILED, announce, campaigns};
use bench_suite::{
    campaign,
    metrics::conservation::Conservation,
    report::{self, Page},
    result::{Comparison, RunResult},
    run::{self, Final, Options},
    scenes,
    start::Start,
    vtu::{self, Field, Values, VtuError},
    write::check_folder,
};
use indicatif::ProgressBar;
use sph_core::{Real, lane::Isa, scene::Scene, simulation::Simulation};
use std::{error::Error, path::Path, process::ExitCode};

type Refused = Box<dyn Error + Send + Sync>;

/// Runs a scene file and writes report, results and final particles. Threads that the command line gives go
/// before those of the scene.
pub fn run(file: &Path, out: &Path, threads: Option<u16>, isa: Isa, json: bool) -> Result<ExitCode, Refused> {
    let scene = scenes::read(file)?;
    check_folder(out).map_err(|error| format!("--out: {error}"))?;
    let bar = campaigns::bar(&scene.title);
    let ran = match scene.run.threads.filter(|_| threads.is_none()) {
        None => steps(file, &scene, &bar, isa, json),
        Some(n) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n as usize).build()?;
            pool.install(|| steps(file, &scene, &bar, isa, json))
        }
    };
    bar.finish_and_clear();
    let (result, last) = ran?;
    let failure = result.failure.clone();
    let summary = summary(&result);
    let all = campaign::collect(
        &scene.title,
        format!("cargo run --release -- run {}", file.display()),
        vec![result],
    );
    // The input was right and the work is done: this is no refusal.
    if let Err(error) = write(&all, &last, out) {
        eprintln!("error: {error}");
        return Ok(ExitCode::from(FAILED));
    }
    if json {
        println!("{}", serde_json::to_string(&all)?);
    } else {
        println!("{summary}");
        println!(
            "report: {}\nparticles: {}",
            out.join("index.html").display(),
            out.join("final.vtu").display()
        );
    }
    if let Some(failure) = failure {
        eprintln!("the run stopped: {failure}");
        return Ok(ExitCode::from(FAILED));
    }
    Ok(ExitCode::SUCCESS)
}

fn steps(
    file: &Path,
    scene: &Scene,
    bar: &ProgressBar,
    isa: Isa,
    json: bool,
) -> Result<(RunResult, Final), sph_core::error::Error> {
    let end = scene.run.end_time;
    let show = |p| campaigns::show(bar, p);
    let announce = |start: &Start| {
        if !json {
            println!("{}", announce::announcement(scene, start));
        }
        for warning in &start.warnings {
            eprintln!("warning: {warning}");
        }
    };
    let options = Options {
        case: file
            .file_stem()
            .map_or_else(|| scene.title.clone(), |stem| stem.to_string_lossy().into_owned()),
        variant: format!("scene {}", file.display()),
        particles_across: 0,
        isa,
        pictures: [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| part * end).to_vec(),
        progress: Some(&show),
        started: Some(&announce),
    };
    let interval = scene.run.output_interval.unwrap_or(end / 100.0);
    run::run(scene, vec![Box::new(Conservation::every(interval))], &options)
}

fn summary(result: &RunResult) -> String {
    let speed = result.particle_steps_per_s().unwrap_or(f64::NAN) * 1e-6;
    format!(
        "{} steps in {:.2} s: {:.1} steps/s, {speed:.2} million particle-steps/s, {:.4} simulated s per wall s",
        result.steps,
        result.wall_s,
        result.steps as f64 / result.wall_s,
        result.simulated_s / result.wall_s
    )
}

fn write(all: &Comparison, last: &Final, out: &Path) -> Result<(), Refused> {
    report::write(all, Page::Compare, out)?;
    match last {
        Final::Two(simulation) => write_vtu(simulation, out)?,
        Final::Three(simulation) => write_vtu(simulation, out)?,
    }
    Ok(())
}

/// The last state for ParaView.
fn write_vtu<const D: usize>(simulation: &Simulation<D>, out: &Path) -> Result<(), VtuError> {
    let fluid = &simulation.state.fluid;
    let empty: &[Real] = &[];
    let pressure = simulation.solver.field("pressure").unwrap_or(empty);
    let mut fields = vec![
        Field {
            name: "velocity",
            unit: "m/s",
            values: Values::Vector(fluid.v.each_ref().map(Vec::as_slice)),
        },
        Field { name: "density", unit: "kg/m^3", values: Values::Scalar(&fluid.rho) },
    ];
    if pressure.len() == fluid.len() {
        fields.push(Field { name: "pressure", unit: "Pa", values: Values::Scalar(pressure) });
    }
    let particles = vtu::Particles {
        t: simulation.state.t,
        x: fluid.x.each_ref().map(Vec::as_slice),
        id: &fluid.id,
        fields: &fields,
    };
    vtu::write_vtu(&particles, &out.join("final.vtu"))
}
