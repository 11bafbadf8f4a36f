//! Parameter sweep of ε and k of Position Based Fluids on a column at rest.

use crate::{
    report::plots::{Chart, Label, Line, Look, PlotError},
    run,
    system::processor::Processor,
};
use serde::Serialize;
use sph_core::{
    geometry::{
        sampling::Side,
        shape::{Block, Shape},
    },
    method::{failure::StepError, state::State},
    run::simulation::Simulation,
    scene::{Fluid, GRAVITY, Scene, Wall},
};

/// Layers of particles in the column.
const LAYERS: u32 = 20;
/// Height of the column, `[m]`.
const HEIGHT: f64 = 0.4;
/// Stability number of a step with two iterations.
const S_TWO: f64 = 0.09;
/// Time to come to rest, and end of the run, `[s]`.
const TIMES: (f64, f64) = (1.0, 2.0);
/// Values of ε over Σ|∇C|².
pub const EPSILONS: [f64; 9] = [1e-6, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 3.0];
/// Values of k, scaled.
pub const STRENGTHS: [f64; 8] = [1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.2, 0.4, 0.8];
/// Numbers of iterations of the sweep.
pub const ITERATIONS: [u32; 3] = [2, 4, 8];

/// What a column at rest looks like, as means over the time from rest to the end.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Rest {
    /// Relaxation ε over Σ|∇C|² of the rest lattice, `[-]`.
    pub epsilon: f64,
    /// Strength k of the tensile correction, scaled, `[-]`.
    pub k: f64,
    /// Iterations of a step.
    pub iterations: u32,
    /// Mean of max(ρ/ρ₀ − 1, 0), `[-]`.
    pub density_error: f64,
    /// Height of the column over that at its start, `[-]`.
    pub height: f64,
    /// Distance to the nearest particle over the spacing, mean over particles, `[-]`.
    pub nearest_mean: f64,
    /// The smallest of these distances, `[-]`.
    pub nearest_least: f64,
    /// Root of the mean squared speed over √(gH), `[-]`.
    pub speed: f64,
}

/// A column that fills a tank from wall to wall.
fn scene(rest: &Rest) -> Scene {
    let dx = HEIGHT / f64::from(LAYERS);
    let block = |max: [f64; 2]| Shape::Block(Block { min: vec![0.0; 2], max: max.to_vec() });
    let mut scene = Scene::new(2, dx, TIMES.1);
    scene.fluid = vec![Fluid { jitter: 0.1, ..Fluid::new(block([0.5 * HEIGHT, HEIGHT])) }];
    scene.wall = vec![Wall::new(block([0.5 * HEIGHT, 2.0 * HEIGHT]), Side::Inside)];
    scene.run.time_step = Some(dx * (2.0 * S_TWO / (GRAVITY * HEIGHT)).sqrt());
    scene.run.allow_unstable_time_step = true;
    scene.solver.set("name", "pbf");
    scene.solver.set("substeps", 1);
    scene.solver.set("cohesion", 0.0);
    scene.solver.set("min_iterations", i64::from(rest.iterations));
    scene.solver.set("solver_iterations", i64::from(rest.iterations));
    scene.solver.set("cfm_epsilon", rest.epsilon);
    scene.solver.set("scorr_k", rest.k);
    scene
}

/// Distance of each particle to its nearest one over the spacing: mean and smallest.
fn nearest(state: &State<2>) -> (f64, f64) {
    let fluid = &state.fluid;
    let n = fluid.len();
    let distance2 = |i: usize, j: usize| {
        let (a, b) = (fluid.position(i), fluid.position(j));
        (0..2).map(|d| f64::from(a[d] - b[d]).powi(2)).sum::<f64>()
    };
    let (mut sum, mut least) = (0.0, f64::INFINITY);
    for i in 0..n {
        let r2 = (0..n).filter(|&j| j != i).map(|j| distance2(i, j)).fold(f64::INFINITY, f64::min);
        let r = r2.sqrt() / f64::from(state.rest.spacing);
        (sum, least) = (sum + r, f64::min(least, r));
    }
    (sum / n as f64, least)
}

/// Runs a column with these numbers, and measures it.
///
/// # Errors
/// When the scene is refused, or the run fails.
pub fn measure(
    wanted: Rest,
    processor: &Processor,
) -> Result<Rest, Box<dyn std::error::Error + Send + Sync>> {
    let mut simulation = run::simulation::<2>(&scene(&wanted), processor)?;
    simulation.run(TIMES.0, u64::MAX, &mut [])?;
    Ok(average(&mut simulation, wanted)?)
}

/// Means over the rest of a run.
fn average(simulation: &mut Simulation<2>, wanted: Rest) -> Result<Rest, StepError> {
    let (mut sum, mut n) = (Rest { nearest_least: f64::INFINITY, ..wanted }, 0.0);
    while simulation.state.t < TIMES.1 {
        let report = simulation.step(TIMES.1)?;
        simulation.fetch()?;
        let state = &simulation.state;
        let (mean, least) = nearest(state);
        let v2: f64 = state.fluid.v.iter().flatten().map(|&v| f64::from(v).powi(2)).sum::<f64>()
            / state.fluid.len() as f64;
        let dx = f64::from(state.rest.spacing);
        let top = state.fluid.x[1].iter().fold(0.0, |top, &y| f64::max(top, f64::from(y))) + 0.5 * dx;
        sum.density_error += report.density_error_mean;
        sum.height += top / HEIGHT;
        sum.nearest_mean += mean;
        sum.nearest_least = sum.nearest_least.min(least);
        sum.speed += (v2 / (GRAVITY * HEIGHT)).sqrt();
        n += 1.0;
    }
    for mean in [&mut sum.density_error, &mut sum.height, &mut sum.nearest_mean, &mut sum.speed] {
        *mean /= n;
    }
    Ok(sum)
}

/// All points of the sweep: first ε with each number of iterations, then k with four.
pub fn wanted() -> Vec<Rest> {
    let start = Rest { epsilon: 1e-2, k: 0.1, iterations: 4, ..Rest::default() };
    let epsilons = ITERATIONS.iter().flat_map(|&iterations| {
        EPSILONS.iter().map(move |&epsilon| Rest { epsilon, iterations, k: 0.0, ..start })
    });
    epsilons.chain(STRENGTHS.iter().map(|&k| Rest { k, ..start })).collect()
}

/// Density error against ε.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn plot_of_epsilon(all: &[Rest]) -> Result<String, PlotError> {
    let line = |(style, &iterations): (usize, &u32)| {
        let runs = all.iter().filter(|rest| rest.k == 0.0 && rest.iterations == iterations);
        let points = runs.map(|rest| (rest.epsilon, 100.0 * rest.density_error)).collect();
        Line::new(&format!("{iterations} iterations"), Look::Joined, style, points)
    };
    let chart = Chart {
        title: "Density error of a column at rest against ε".into(),
        x: Label::log("ε over Σ|∇C|² of the rest lattice", "-"),
        y: Label::log("mean density error", "%"),
        lines: ITERATIONS.iter().enumerate().map(line).collect(),
        x_ticks: Vec::new(),
    };
    chart.svg()
}

/// Distances and height against k.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn plot_of_strength(all: &[Rest]) -> Result<String, PlotError> {
    let line = |style: usize, label: &str, of: fn(&Rest) -> f64| {
        let points = all.iter().filter(|rest| rest.k > 0.0).map(|rest| (rest.k, of(rest))).collect();
        Line::new(label, Look::Joined, style, points)
    };
    let chart = Chart {
        title: "A column at rest against the strength k of s_corr".into(),
        x: Label::log("k, scaled", "-"),
        y: Label::linear("distance over Δx, height over H", "-"),
        lines: vec![
            line(0, "distance to the nearest particle, mean", |rest| rest.nearest_mean),
            line(1, "the same, smallest", |rest| rest.nearest_least),
            line(2, "height", |rest| rest.height),
        ],
        x_ticks: Vec::new(),
    };
    chart.svg()
}

/// All numbers as CSV.
pub fn table(all: &[Rest]) -> String {
    let mut out = "epsilon [-],k [-],iterations [-],density error [-],height/H [-],nearest mean/dx [-],nearest least/dx [-],\
         rms speed/sqrt(gH) [-]\n"
        .to_owned();
    for r in all {
        let numbers = [r.density_error, r.height, r.nearest_mean, r.nearest_least, r.speed];
        let numbers = numbers.map(|x| format!("{x:.6}")).join(",");
        out += &format!("{},{},{},{numbers}\n", r.epsilon, r.k, r.iterations);
    }
    out
}
