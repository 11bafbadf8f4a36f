//! Error and cost against the number of iterations, Position Based Fluids with equal steps.

use crate::{
    metrics::{HostView, Metric, Outcome},
    result::{Band, Comparison, RunResult, Score},
    run::{self, Options, Progress},
    system::processor::Processor,
};
use sph_core::{
    error::Error,
    geometry::{
        sampling::Side,
        shape::{Block, Shape},
    },
    scene::{Fluid, GRAVITY, Scene, Wall},
};

/// Iterations of a step that are tried.
pub const ITERATIONS: [u32; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
/// Name of the case in the report.
pub const CASE: &str = "dam_break_3d";
/// Height of the column, `[m]`.
const HEIGHT: f64 = 0.5;
/// With one iteration the stability number of the step is this: the volume at rest is just kept.
const S_ONE: f64 = 0.09;

/// A scheme of iteration, one line of the plots.
struct Scheme {
    label: &'static str,
    apply: fn(&mut Scene),
}

const SCHEMES: [Scheme; 4] = [
    Scheme { label: "PBF (preset standard)", apply: |_| {} },
    Scheme { label: "PBF without s_corr", apply: |scene| scene.solver.set("scorr_k", 0.0) },
    Scheme { label: "PBF, poly6 and spiky kernel", apply: |scene| scene.solver.set("kernel", "poly6_spiky") },
    Scheme {
        label: "PBF, averaged corrections (FleX)",
        apply: |scene| scene.solver.set("relaxation_mode", "local"),
    },
];

/// A column of `n` layers that collapses in a tank, with steps that do not depend on the iterations.
pub fn scene(n: usize, iterations: u32, end_time: f64) -> Scene {
    let dx = HEIGHT / n as f64;
    let block = |max: [f64; 3]| Shape::Block(Block { min: vec![0.0; 3], max: max.to_vec() });
    let mut scene = Scene::new(3, dx, end_time);
    scene.title = format!("Collapsing column, {iterations} iterations");
    scene.fluid = vec![Fluid::new(block([HEIGHT, HEIGHT, 0.5 * HEIGHT]))];
    scene.wall = vec![Wall::new(block([3.0 * HEIGHT, 2.0 * HEIGHT, 0.5 * HEIGHT]), Side::Inside)];
    scene.run.time_step = Some(dx * (S_ONE / (GRAVITY * HEIGHT)).sqrt());
    scene.run.allow_unstable_time_step = true;
    scene.solver.set("name", "pbf");
    scene.solver.set("substeps", 1);
    scene.solver.set("cohesion", 0.0);
    scene.solver.set("min_iterations", i64::from(iterations));
    scene.solver.set("solver_iterations", i64::from(iterations));
    scene
}

/// Runs all schemes with all numbers of iterations, `n` layers of particles, to `end_time`, `[s]`.
///
/// # Errors
/// When a scene is refused, which is a mistake here.
pub fn compare(
    n: usize,
    end_time: f64,
    processor: &Processor,
    progress: &dyn Fn(&str, u32, Progress),
) -> Result<Vec<RunResult>, Error> {
    let mut results = Vec::new();
    for scheme in &SCHEMES {
        for iterations in ITERATIONS {
            let mut scene = scene(n, iterations, end_time);
            (scheme.apply)(&mut scene);
            let shown = |p| progress(scheme.label, iterations, p);
            let options = Options {
                case: CASE.into(),
                variant: scheme.label.into(),
                particles_across: n,
                processor: processor.clone(),
                pictures: vec![end_time],
                output: None,
                progress: Some(&shown),
                started: None,
                checkpoints: None,
                interrupt: None,
            };
            let metric = Compression::every(end_time / 1e3);
            results.push(run::run(&scene, vec![Box::new(metric)], None, &options)?.result);
        }
    }
    Ok(results)
}

/// The least number of iterations, and the least wall time of a step `[ms]`, at which a scheme of iterating has a mean
/// density error of at most `error` `[-]`, for those that come to it.
pub fn cheapest(all: &Comparison, error: f64) -> Vec<(String, f64, f64)> {
    let mut found: Vec<(String, f64, f64)> = Vec::new();
    for run in &all.results {
        let reached = run.failure.is_none()
            && run.headline().and_then(|score| score.error).is_some_and(|found| found <= error);
        if reached && !found.iter().any(|(label, ..)| *label == run.variant) {
            let ms = 1e3 * run.wall_s / run.steps as f64;
            found.push((run.variant.clone(), run.iterations.unwrap_or(0.0), ms));
        }
    }
    found
}

/// Mean density error over a run.
#[derive(Default)]
pub struct Compression {
    interval: f64,
    sum: f64,
    looks: u32,
}

impl Compression {
    /// Looks every `interval`, `[s]`.
    pub fn every(interval: f64) -> Self {
        Self { interval, ..Self::default() }
    }
}

impl Metric for Compression {
    fn interval(&self) -> f64 {
        self.interval
    }

    fn observe(&mut self, view: &HostView<'_>) {
        if view.t > 0.0 {
            self.sum += view.density_error;
            self.looks += 1;
        }
    }

    fn finish(&self) -> Outcome {
        let mean = self.sum / f64::from(self.looks);
        let score = Score::new("mean density error", "-", mean)
            .with_error(mean)
            .within(Band::error_at_most(0.01))
            .from_source("Macklin & Müller 2013, ACM Trans. Graph. 32(4), 104: compression below 1 %")
            .with_note("mean of max(ρ/ρ₀ − 1, 0) over particles and steps")
            .as_headline();
        Outcome { scores: vec![score], ..Outcome::default() }
    }
}
