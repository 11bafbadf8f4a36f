//! Runs on a GPU beside runs on the processor.
//!
//! Terms are the same to the last bit, and sums have another order: both differ by roundings, which the flow then
//! carries on.

use super::measures;
use sph_core::{
    Real,
    geometry::sampling::Jitter,
    method::{report::StepReport, state::State},
    run::simulation::Simulation,
};

/// A start in disorder, with shear, rotation and diffusion: nothing of an option is then zero.
pub fn stirred<const D: usize>(mut sim: Simulation<D>) -> Simulation<D> {
    let state = &mut sim.state;
    let amplitude = 0.05 * f64::from(state.rest.spacing);
    let mut points: Vec<[f64; D]> =
        (0..state.fluid.len()).map(|i| state.fluid.position(i).map(f64::from)).collect();
    Jitter { amplitude, seed: 3 }.apply(&mut points);
    for (i, x) in points.iter().enumerate() {
        let x = state.domain.periodic.wrap(x.map(|x| x as Real));
        for a in 0..D {
            state.fluid.x[a][i] = x[a];
            state.fluid.v[a][i] += 0.5 * (9.0 * x[(a + 1) % D]).sin();
        }
    }
    sim
}

/// Largest difference of positions over the spacing, of velocities over the largest speed, and of densities over that at
/// rest. Dynamic bodies count with their centers and velocities, and so does what the last step reports.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    pub x: f64,
    pub v: f64,
    pub rho: f64,
}

impl Difference {
    pub fn between<const D: usize>(a: &State<D>, b: &State<D>) -> Self {
        let by_id = |state: &State<D>| {
            let mut order: Vec<usize> = (0..state.fluid.len()).collect();
            order.sort_by_key(|&i| state.fluid.id[i]);
            order
        };
        assert_eq!(a.fluid.len(), b.fluid.len());
        let mut found = Self { x: 0.0, v: 0.0, rho: 0.0 };
        let fast = a.fluid.v.iter().flatten().fold(1e-9_f64, |v, u| v.max(f64::from(u.abs())));
        for (i, j) in by_id(a).into_iter().zip(by_id(b)) {
            assert_eq!(a.fluid.id[i], b.fluid.id[j]);
            for d in 0..D {
                let (x, v) = (a.fluid.x[d][i] - b.fluid.x[d][j], a.fluid.v[d][i] - b.fluid.v[d][j]);
                found.x = found.x.max(f64::from(x.abs() / a.rest.spacing));
                found.v = found.v.max(f64::from(v.abs()) / fast);
            }
            found.rho = found.rho.max(f64::from((a.fluid.rho[i] - b.fluid.rho[j]).abs() / a.rest.rho_0));
        }
        for (a_k, b_k) in a.bodies.list.iter().zip(&b.bodies.list) {
            for d in 0..D {
                found.x = found.x.max((a_k.x[d] - b_k.x[d]).abs() / f64::from(a.rest.spacing));
                found.v = found.v.max((a_k.velocity()[d] - b_k.velocity()[d]).abs() / fast);
            }
        }
        found
    }

    /// Fails where something differs by more than `bound` roundings.
    pub fn check(self, bound: f64, what: &str) {
        let [x, v, rho] = [self.x, self.v, self.rho].map(|d| d / measures::EPSILON);
        println!("{x:8.1} {v:8.1} {rho:8.1} roundings: {}", what.replace('\n', ", "));
        assert!(x <= bound && v <= bound && rho <= bound, "{x} {v} {rho} roundings: {what}");
    }
}

/// Does so many steps and copies all fields to the host; returns what the last one reports.
pub fn run<const D: usize>(sim: &mut Simulation<D>, steps: u64) -> StepReport {
    let mut report = StepReport::default();
    for _ in 0..steps {
        report = sim.step(f64::INFINITY).unwrap();
    }
    sim.fetch().unwrap();
    report
}

/// Differences of two runs of one scene after so many steps, from a start that is stirred and then changed.
pub fn compare_from<const D: usize>(
    runs: [Simulation<D>; 2],
    steps: u64,
    change: fn(&mut State<D>),
) -> Difference {
    let (found, [rust, cuda]) = compared(runs, steps, change);
    assert_eq!(rust.iterations, cuda.iterations);
    found
}

/// The same, with the last report of each, whose numbers of iterations may differ.
pub fn compared<const D: usize>(
    runs: [Simulation<D>; 2],
    steps: u64,
    change: fn(&mut State<D>),
) -> (Difference, [StepReport; 2]) {
    let [mut rust, mut cuda] = runs.map(stirred);
    change(&mut rust.state);
    change(&mut cuda.state);
    let (a, b) = (run(&mut rust, steps), run(&mut cuda, steps));
    let relative = |a: f64, b: f64| (a - b).abs() / a.abs().max(1e-9);
    let mut found = Difference::between(&rust.state, &cuda.state);
    found.rho = found.rho.max((a.density_error_mean - b.density_error_mean).abs());
    found.rho = found.rho.max((a.density_error_max - b.density_error_max).abs());
    found.v = found.v.max(relative(a.max_speed, b.max_speed));
    found.v = found.v.max(relative(a.max_acceleration, b.max_acceleration));
    found.x = found.x.max(relative(a.dt, b.dt));
    (found, [a, b])
}
