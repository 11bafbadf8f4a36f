//! Fields of both backends after the same steps.

use cuda_kernels::emulator::Emulator;
use solver_wcsph::{gpu, simulation};
use sph_core::{lane::Isa, scene::Scene, simulation::Simulation, solver::NoClock, state::State};
use std::sync::Arc;

const ORDERS: [u64; 3] = [0, 1, 7];

fn scene(text: &str) -> Scene {
    Scene::parse("test.toml", text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn on_processor<const D: usize>(text: &str) -> Simulation<D> {
    simulation(&scene(text), Isa::best(), Box::new(NoClock)).unwrap()
}

fn on_card<const D: usize>(text: &str, order: u64) -> Simulation<D> {
    gpu::simulation(&scene(text), Arc::new(Emulator { order }), Box::new(NoClock)).unwrap()
}

/// A column of water that falls in a tank.
fn dam_break<const D: usize>(spacing: f64, solver: &str) -> String {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.5, 0.6{1}] }}\njitter = 0.1\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [1.2, 1.0{1}] }}\nlayers = 3\n\
         [solver]\nname = \"wcsph\"\n{solver}\n",
        z("0.0"),
        z("0.5"),
    )
}

fn run<const D: usize>(mut sim: Simulation<D>, steps: u64) -> Simulation<D> {
    for _ in 0..steps {
        sim.step(f64::INFINITY).unwrap_or_else(|error| panic!("{error}"));
    }
    sim.fetch().unwrap();
    sim
}

/// Largest difference of places, in spacings, of speeds over the largest speed, and of densities over that at rest.
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

#[test]
fn a_dam_breaks_alike() {
    for solver in ["", "preset = \"graphics\""] {
        for steps in [1, 10, 50] {
            let a = run(on_processor::<2>(&dam_break::<2>(0.025, solver)), steps);
            let b = run(on_card::<2>(&dam_break::<2>(0.025, solver), ORDERS[0]), steps);
            println!(
                "2D {solver} {steps}: n {} {:?} t {} {}",
                a.state.fluid.len(),
                difference(&a.state, &b.state),
                a.state.t,
                b.state.t
            );
            let a = run(on_processor::<3>(&dam_break::<3>(0.05, solver)), steps);
            let b = run(on_card::<3>(&dam_break::<3>(0.05, solver), ORDERS[0]), steps);
            println!(
                "3D {solver} {steps}: n {} {:?} t {} {}",
                a.state.fluid.len(),
                difference(&a.state, &b.state),
                a.state.t,
                b.state.t
            );
        }
    }
}
