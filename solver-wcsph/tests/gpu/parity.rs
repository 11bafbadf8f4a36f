//! Fields of both backends after the same steps.

use crate::{
    common::make,
    solver::{measures::scene, restarting::go, scenes::dam_break},
};
use solver_wcsph::simulation;
use sph_core::{lane::Isa, simulation::Simulation, solver::NoClock, state::State};

/// Largest difference of places over the spacing, of velocities over the largest speed, and of densities over that at
/// rest.
fn difference<const D: usize>(a: &State<D>, b: &State<D>) -> [f64; 3] {
    let by_id = |state: &State<D>| {
        let mut order: Vec<usize> = (0..state.fluid.len()).collect();
        order.sort_by_key(|&i| state.fluid.id[i]);
        order
    };
    assert_eq!(a.fluid.len(), b.fluid.len());
    let mut found = [0.0_f64; 3];
    let fast = a.fluid.v.iter().flatten().fold(1e-9_f64, |v, u| v.max(f64::from(u.abs())));
    for (i, j) in by_id(a).into_iter().zip(by_id(b)) {
        assert_eq!(a.fluid.id[i], b.fluid.id[j]);
        for d in 0..D {
            let (x, v) = (a.fluid.x[d][i] - b.fluid.x[d][j], a.fluid.v[d][i] - b.fluid.v[d][j]);
            found[0] = found[0].max(f64::from(x.abs() / a.rest.spacing));
            found[1] = found[1].max(f64::from(v.abs()) / fast);
        }
        found[2] = found[2].max(f64::from((a.fluid.rho[i] - b.fluid.rho[j]).abs() / a.rest.rho_0));
    }
    found
}

fn after<const D: usize>(text: &str, steps: u64) -> [f64; 3] {
    let mut rust: Simulation<D> = simulation(&scene(text), Isa::best(), Box::new(NoClock)).unwrap();
    let mut cuda: Simulation<D> = make(&scene(text), Isa::best(), Box::new(NoClock)).unwrap();
    go(&mut rust, steps);
    go(&mut cuda, steps);
    let found = difference(&rust.state, &cuda.state);
    println!(
        "{D}D, {steps} steps: {:.1e} {:.1e} {:.1e} {}",
        found[0],
        found[1],
        found[2],
        text.split("[solver]").nth(1).unwrap_or("").replace('\n', " ")
    );
    found
}

/// What every option of the method does, on a card.
const OPTIONS: [&str; 16] = [
    "",
    "integrator = \"symplectic_euler\"",
    "density = \"summation\"\ndelta_sph = 0.0",
    "delta_form = \"molteni\"",
    "delta_sph = 0.0",
    "kernel = \"cubic_spline\"",
    "kernel = \"wendland_c4\"",
    "eos = \"linear\"",
    "eos_gamma = 5.0",
    "wall_pressure = \"akinci\"",
    "wall_pressure = \"symmetric\"",
    "viscosity_model = \"morris\"\ndynamic_viscosity = 1.0",
    "viscosity_model = \"muller\"\ndynamic_viscosity = 1.0",
    "viscosity_model = \"solenoidal\"\ndynamic_viscosity = 1.0",
    "xsph = 0.2\nregularization = \"shifting\"",
    "regularization = \"transport_velocity\"\nbackground_pressure = 0.1",
];

#[test]
fn every_option_does_on_a_card_what_it_does_on_the_processor() {
    for solver in OPTIONS {
        after::<2>(&dam_break::<2>("validation", 0.05, "", solver), 10);
        after::<3>(&dam_break::<3>("validation", 0.1, "", solver), 10);
    }
}

#[test]
fn a_dam_breaks_alike_for_fifty_steps() {
    for preset in ["validation", "graphics"] {
        after::<2>(&dam_break::<2>(preset, 0.025, "", ""), 50);
        after::<3>(&dam_break::<3>(preset, 0.05, "", ""), 50);
    }
}
