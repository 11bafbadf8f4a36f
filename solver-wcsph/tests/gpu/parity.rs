//! Fields of both backends after the same steps.
//!
//! Terms are the same to the last bit, and sums have another order: they differ by roundings, which the flow then
//! carries on. The bounds are about ten times what was measured.

use crate::{
    common::make,
    solver::{bodies, measures, measures::scene, restarting::PADDLE, restarting::go, scenes::dam_break},
};
use solver_wcsph::simulation;
use sph_core::{
    Real, lane::Isa, sampling::Jitter, scene::Scene, simulation::Simulation, solver::NoClock, state::State,
};

/// Largest difference of places over the spacing, of velocities over the largest speed, and of densities over that at
/// rest.
#[derive(Clone, Copy, Debug)]
struct Difference {
    x: f64,
    v: f64,
    rho: f64,
}

impl Difference {
    fn between<const D: usize>(a: &State<D>, b: &State<D>) -> Self {
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
        found
    }

    /// Fails where velocities differ by more than `bound` roundings, or places and densities by a tenth of that.
    fn check(self, bound: f64, what: &str) {
        let epsilon = measures::EPSILON;
        let roundings = [self.x, self.v, self.rho].map(|d| d / epsilon);
        println!("{:8.1} {:8.1} {:8.1} roundings: {what}", roundings[0], roundings[1], roundings[2]);
        let [x, v, rho] = roundings;
        assert!(v <= bound && x <= bound && rho <= bound, "{roundings:?} {what}");
    }
}

/// A start in disorder, with something to rub and to diffuse: nothing of an option is then zero.
fn stirred<const D: usize>(mut sim: Simulation<D>) -> Simulation<D> {
    let state = &mut sim.state;
    let spacing = f64::from(state.rest.spacing);
    let mut points: Vec<[f64; D]> =
        (0..state.fluid.len()).map(|i| state.fluid.position(i).map(f64::from)).collect();
    Jitter { amplitude: 0.05 * spacing, seed: 3 }.apply(&mut points);
    for (i, x) in points.iter().enumerate() {
        let x = state.domain.periodic.wrap(x.map(|x| x as Real));
        for a in 0..D {
            state.fluid.x[a][i] = x[a];
            state.fluid.v[a][i] += 0.5 * (9.0 * x[(a + 1) % D]).sin();
        }
    }
    sim
}

fn compare<const D: usize>(text: &str, steps: u64) -> Difference {
    let scene: Scene = scene(text);
    let mut rust = stirred::<D>(simulation(&scene, Isa::best(), Box::new(NoClock)).unwrap());
    let mut cuda = stirred::<D>(make(&scene, Isa::best(), Box::new(NoClock)).unwrap());
    go(&mut rust, steps);
    go(&mut cuda, steps);
    Difference::between(&rust.state, &cuda.state)
}

/// What an option does on a card.
const OPTIONS: [&str; 19] = [
    "",
    "integrator = \"symplectic_euler\"",
    "density = \"summation\"\ndelta_sph = 0.0",
    "delta_form = \"molteni\"",
    "delta_sph = 0.0",
    "kernel = \"cubic_spline\"",
    "kernel = \"wendland_c4\"",
    "eos = \"linear\"",
    "eos_gamma = 5.0",
    "clamp = \"always\"",
    "wall_pressure = \"akinci\"\nwall_friction = 0.3\nwall_contact = 0.5",
    "wall_pressure = \"symmetric\"",
    "clamp_wall_pressure = false",
    "viscosity_model = \"none\"",
    "viscosity_model = \"morris\"\ndynamic_viscosity = 10.0",
    "viscosity_model = \"muller\"\ndynamic_viscosity = 10.0",
    "viscosity_model = \"solenoidal\"\ndynamic_viscosity = 10.0",
    "xsph = 0.2\nregularization = \"shifting\"",
    "regularization = \"transport_velocity\"\nbackground_pressure = 0.1",
];

#[test]
fn every_option_does_on_a_card_what_it_does_on_the_processor() {
    for solver in OPTIONS {
        compare::<2>(&dam_break::<2>("validation", 0.05, "", solver), 5).check(3e3, &format!("2D {solver}"));
        compare::<3>(&dam_break::<3>("validation", 0.1, "", solver), 5).check(3e3, &format!("3D {solver}"));
    }
}

#[test]
fn so_do_periodic_axes_moving_walls_and_central_forces() {
    let periodic = "domain = { min = [0.0, 0.0], max = [1.2, 1.0], periodic = [\"x\"] }";
    compare::<2>(&dam_break::<2>("validation", 0.05, periodic, ""), 10).check(3e3, "periodic");
    let paddle = dam_break::<2>("validation", 0.05, "", PADDLE);
    compare::<2>(&paddle, 20).check(3e3, "paddle");
    let central = "forces.central = { center = [0.3, 0.3], strength = 3.0 }";
    compare::<2>(&dam_break::<2>("validation", 0.05, central, ""), 10).check(3e3, "central force");
}

#[test]
fn so_do_dynamic_bodies() {
    for preset in ["validation", "graphics"] {
        let solver = format!("preset = \"{preset}\"");
        compare::<2>(&bodies::busy::<2>(&solver, ""), 20).check(1e5, preset);
    }
}

#[test]
fn a_dam_breaks_alike_for_fifty_steps() {
    for preset in ["validation", "graphics"] {
        compare::<2>(&dam_break::<2>(preset, 0.04, "", ""), 50).check(1e5, preset);
        compare::<3>(&dam_break::<3>(preset, 0.1, "", ""), 50).check(1e5, preset);
    }
}
