//! The phases of a step, each by the solver's own stopwatch. The inverse of the throughput is ns a particle.
#![allow(missing_docs, reason = "criterion writes public functions")]

mod shared;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use sph_core::{run::simulation::Simulation, watch::penetration::PenetrationMonitor};
use std::time::Duration;

/// Wall-clock time spent on one phase, [s]: warm-up and measurement.
const BUDGET: f64 = 4.0;

fn phase_seconds(simulation: &Simulation<3>, name: &str) -> f64 {
    let phases = simulation.solver.stopwatch().phases();
    phases.iter().filter(|phase| phase.name == name).map(|phase| phase.seconds).sum()
}

fn all_phases(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut simulation: Simulation<3>) {
    let n = simulation.state.fluid.len();
    let pool = shared::pool(shared::available_threads());
    shared::time_steps(&pool, &mut simulation, 3);
    simulation.solver.reset_stopwatch();
    let total = shared::time_steps(&pool, &mut simulation, 5).as_secs_f64();
    let phases: Vec<_> = simulation.solver.stopwatch().phases().to_vec();
    group.throughput(Throughput::Elements(n as u64));
    for phase in phases {
        // Criterion plans with the time that it is told, a part of the step's: its budget is that part too.
        let share = (phase.seconds / total).clamp(1e-5, 1.0);
        group.warm_up_time(Duration::from_secs_f64(0.2 * BUDGET * share));
        group.measurement_time(Duration::from_secs_f64(BUDGET * share));
        group.bench_function(BenchmarkId::new(format!("{}/{}", phase.name, shared::called(name)), n), |b| {
            b.iter_custom(|iterations| {
                simulation.solver.reset_stopwatch();
                shared::time_steps(&pool, &mut simulation, iterations);
                Duration::from_secs_f64(phase_seconds(&simulation, phase.name))
            });
        });
    }
}

fn phases(c: &mut Criterion) {
    let mut group = c.benchmark_group("phases");
    for m in shared::sizes(&[29]) {
        all_phases(&mut group, "graphics, jittered", shared::jittered(m));
        all_phases(&mut group, "graphics, flowed", shared::flowed(m));
        all_phases(&mut group, "validation, jittered", shared::simulation(&shared::validation(m)));
        all_phases(&mut group, "pbf, jittered", shared::pbf(m));
        all_phases(&mut group, "projection, jittered", shared::projection(m));
    }
    group.finish();
}

/// A measurement of the penetration monitor, which comes every few steps.
fn penetration_monitor(c: &mut Criterion) {
    let mut group = c.benchmark_group("penetration monitor");
    for m in shared::sizes(&[29]) {
        let state = shared::flowed(m).state;
        let pool = shared::pool(shared::available_threads());
        let mut monitor = PenetrationMonitor::new(&state);
        group.throughput(Throughput::Elements(state.fluid.len() as u64));
        group.bench_function(BenchmarkId::new("look", state.fluid.len()), |b| {
            pool.install(|| b.iter(|| monitor.measure(&state)));
        });
    }
    group.finish();
}

criterion_group!(name = benches; config = shared::few_samples(); targets = phases, penetration_monitor);
criterion_main!(benches);
