//! Numbers of a run beside its particles.

use bench_suite::metrics::{HostView, conservation::sums};
use serde::Serialize;
use sph_core::{Real, method::report::StepReport, run::simulation::Simulation};

/// What has been counted since the last sample.
#[derive(Debug, Default)]
pub(super) struct Stats {
    steps: u64,
    simulated: f64,
    seconds: f64,
    iterations: u64,
    /// Speeds of the last sample that had steps.
    speeds: [f64; 2],
    phases: Vec<(&'static str, f64)>,
}

/// The numbers of a frame.
#[derive(Debug, Serialize)]
pub(super) struct Sample {
    dt: f64,
    /// Name of the limit of the step that binds.
    limit: Option<&'static str>,
    /// Iterations of a step, in the mean.
    iterations: f64,
    residual: f64,
    density_error_mean: f64,
    density_error_max: f64,
    max_speed: f64,
    /// `[J]`.
    kinetic: f64,
    /// Of gravity and of a central force, `[J]`.
    potential: f64,
    /// `[kg m/s]`.
    momentum: Vec<f64>,
    /// Steps over the time they took.
    steps_per_s: f64,
    sim_per_wall: f64,
    /// Seconds a step.
    phases: Vec<(&'static str, f64)>,
}

impl Stats {
    /// A step was done, of so much simulated time, which took so many seconds.
    pub(super) fn count(&mut self, simulated: f64, seconds: f64, report: &StepReport) {
        self.steps += 1;
        self.simulated += simulated;
        self.seconds += seconds;
        self.iterations += u64::from(report.iterations);
    }

    /// The numbers now; begins to count anew.
    pub(super) fn take<const D: usize>(&mut self, run: &Simulation<D>, report: &StepReport) -> Sample {
        let iterations = self.iterations as f64 / self.steps.max(1) as f64;
        if self.steps > 0 {
            self.speeds = [self.steps as f64 / self.seconds, self.simulated / self.seconds];
        }
        let phases = run.solver.stopwatch().phases();
        let total =
            |name: &str| self.phases.iter().find(|known| known.0 == name).map_or(0.0, |known| known.1);
        let a_step = |seconds: f64| seconds / self.steps.max(1) as f64;
        let since = phases.iter().map(|p| (p.name, a_step(p.seconds - total(p.name)))).collect();
        self.phases = phases.iter().map(|p| (p.name, p.seconds)).collect();
        (self.steps, self.simulated, self.seconds, self.iterations) = (0, 0.0, 0.0, 0);
        let state = &run.state;
        let momentum = |v: &Vec<Real>| f64::from(state.rest.m) * v.iter().map(|&v| f64::from(v)).sum::<f64>();
        let energies = HostView::with(&run.view(report), sums);
        Sample {
            dt: report.dt,
            limit: run.solver.derived(state).binding().map(|limit| limit.name),
            iterations,
            residual: report.residual,
            density_error_mean: report.density_error_mean,
            density_error_max: report.density_error_max,
            max_speed: report.max_speed,
            kinetic: energies.kinetic,
            potential: energies.potential,
            momentum: state.fluid.v.iter().map(momentum).collect(),
            steps_per_s: self.speeds[0],
            sim_per_wall: self.speeds[1],
            phases: since,
        }
    }
}
