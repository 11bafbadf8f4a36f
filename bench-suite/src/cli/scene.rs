//! `sph list` and `sph run`.

use super::{FAILED, campaigns};
use bench_suite::{
    campaign,
    metrics::conservation::Conservation,
    registry,
    report::{self, Page},
    run::{self, Final, Options},
    vtu::{self, Field, Values, VtuError},
};
use sph_core::{Real, lane::Isa, scene::Scene, simulation::Simulation};
use std::{error::Error, path::Path, process::ExitCode};

type Outcome = Result<ExitCode, Box<dyn Error + Send + Sync>>;

/// What there is.
pub fn list(json: bool) -> Outcome {
    if json {
        let cases: Vec<_> = registry::CASES.iter().map(|c| (c.name(), c.about(), c.source())).collect();
        let variants: Vec<_> = registry::VARIANTS.iter().map(|v| (v.name, v.label)).collect();
        println!("{}", serde_json::json!({ "cases": cases, "variants": variants, "solvers": ["wcsph"] }));
        return Ok(ExitCode::SUCCESS);
    }
    println!("cases (sph validate --case NAME):");
    for case in registry::CASES {
        println!("  {:<28}{}\n{:30}{}", case.name(), case.about(), "", case.source());
    }
    println!("variants (sph compare --variant NAME):");
    for variant in registry::VARIANTS {
        println!("  {:<28}{}", variant.name, variant.label);
    }
    println!("solvers (solver.name in a scene):\n  {:<28}weakly compressible SPH", "wcsph");
    Ok(ExitCode::SUCCESS)
}

/// Runs a scene file and writes report, results and final particles.
pub fn run(file: &Path, out: &Path, isa: Isa, json: bool) -> Outcome {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let scene = Scene::parse(&name, &text)?;
    let end = scene.run.end_time;
    let bar = campaigns::bar(&scene.title);
    let show = |p| campaigns::show(&bar, p);
    let options = Options {
        case: file.file_stem().map_or(name, |stem| stem.to_string_lossy().into_owned()),
        variant: format!("scene {}", file.display()),
        particles_across: 0,
        isa,
        pictures: [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| part * end).to_vec(),
        progress: Some(&show),
    };
    let interval = scene.run.output_interval.unwrap_or(end / 100.0);
    let (result, last) = run::run(&scene, vec![Box::new(Conservation::every(interval))], &options)?;
    bar.finish_and_clear();
    let failure = result.failure.clone();
    let (steps, wall) = (result.steps, result.wall_s);
    let speed = result.particle_steps_per_s().unwrap_or(f64::NAN) * 1e-6;
    let all = campaign::collect(
        &scene.title,
        format!("cargo run --release -- run {}", file.display()),
        vec![result],
    );
    report::write(&all, Page::Compare, out)?;
    match &last {
        Final::Two(simulation) => write_vtu(simulation, out)?,
        Final::Three(simulation) => write_vtu(simulation, out)?,
    }
    if json {
        println!("{}", serde_json::to_string(&all)?);
    } else {
        println!(
            "{steps} steps in {wall:.2} s, {speed:.2} million particle-steps/s, {:.4} simulated s per wall s",
            end / wall
        );
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
