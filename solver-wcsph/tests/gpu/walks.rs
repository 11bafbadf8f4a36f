//! Other walks over neighbors, against the default one, against the processor, and against sums over all pairs.

use super::solver::{
    bodies,
    measures::{EPSILON, scene},
    on_gpu::{self, stirred},
    restarting::{PADDLE, go},
    scenes::dam_break,
};
use cuda_kernels::device::{
    compile::variant::{Variant, Walk},
    emulator::Emulator,
};
use solver_wcsph::METHOD;
use sph_core::{
    Real,
    kernel::{Formula as _, Kernel, WendlandC2},
    method::{state::State, stopwatch::NoClock},
    numerics::{
        lane::{Isa, each},
        vector::norm2,
    },
    run::simulation::Simulation,
};
use std::sync::Arc;

fn run<const D: usize>(text: &str, walk: Walk, order: u64) -> Simulation<D> {
    let variant = Variant { walk, ..Variant::default() };
    METHOD.simulation_on(&scene(text), Arc::new(Emulator { order, variant }), Box::new(NoClock)).unwrap()
}

fn hash<const D: usize>(text: &str, walk: Walk, order: u64) -> u64 {
    let mut run = stirred(run::<D>(text, walk, order));
    go(&mut run, 5);
    run.state.hash()
}

/// A dam break beside a paddle that moves.
fn stirring<const D: usize>(solver: &str) -> String {
    let paddle = match D {
        2 => PADDLE.to_owned(),
        _ => PADDLE.replace(", 0.0]", ", 0.0, 0.0]").replace(", 0.3]", ", 0.3, 0.5]"),
    };
    dam_break::<D>("validation", if D == 2 { 0.05 } else { 0.1 }, "", &format!("{solver}\n{paddle}"))
}

/// The same without it, in a channel that is periodic along x.
fn channel<const D: usize>(solver: &str) -> String {
    let high = ["1.2", "1.0", "0.5"][..D].join(", ");
    let domain = format!("domain = {{ min = {:?}, max = [{high}], periodic = [\"x\"] }}", vec![0.0; D]);
    dam_break::<D>("validation", if D == 2 { 0.05 } else { 0.1 }, &domain, solver)
}

/// Options whose loops differ.
const OPTIONS: [&str; 4] = [
    "",
    "integrator = \"symplectic_euler\"\ndensity = \"summation\"\ndelta_sph = 0.0\nviscosity_model = \"morris\"\n\
     dynamic_viscosity = 10.0",
    "regularization = \"shifting\"\nsupport_ratio = 2.0",
    "cohesion = 1.0\nsurface_tension = 1.0\nadhesion = 1.0",
];

fn scenes<const D: usize>() -> Vec<String> {
    let mut scenes = vec![stirring::<D>(""), channel::<D>("")];
    let spacing = if D == 2 { 0.05 } else { 0.1 };
    scenes.extend(OPTIONS.map(|solver| dam_break::<D>("validation", spacing, "", solver)));
    scenes
}

#[test]
fn neighbors_that_are_collected_first_change_no_bit() {
    fn check<const D: usize>() {
        for text in scenes::<D>() {
            assert_eq!(hash::<D>(&text, Walk::Dense, 7), hash::<D>(&text, Walk::Direct, 0), "{text}");
        }
    }
    check::<2>();
    check::<3>();
    let text = bodies::busy::<2>("preset = \"validation\"", "");
    assert_eq!(hash::<2>(&text, Walk::Dense, 7), hash::<2>(&text, Walk::Direct, 0));
}

/// Differences from the processor are those of the default walk, of which parity.rs has the bound.
fn differs_by_roundings<const D: usize>(text: &str, steps: u64, bound: f64) {
    let rust = solver_wcsph::simulation(&scene(text), Isa::best(), Box::new(NoClock)).unwrap();
    let found = on_gpu::compare_from::<D>([rust, run(text, Walk::Kept, 7)], steps, |_| ());
    found.check(bound, &format!("{D}D {text}"));
}

#[test]
fn rows_that_are_kept_differ_by_roundings() {
    for text in scenes::<2>() {
        differs_by_roundings::<2>(&text, 10, 3e3);
    }
    for text in scenes::<3>() {
        differs_by_roundings::<3>(&text, 5, 3e3);
    }
    differs_by_roundings::<2>(&bodies::busy::<2>("preset = \"validation\"", ""), 20, 1e5);
    differs_by_roundings::<2>(&channel::<2>(""), 50, 1e5);
    differs_by_roundings::<2>(&stirring::<2>(""), 50, 1e5);
}

#[test]
fn no_order_of_threads_matters_to_them() {
    let text = stirring::<3>("regularization = \"shifting\"");
    assert_eq!(hash::<3>(&text, Walk::Kept, 1), hash::<3>(&text, Walk::Kept, 0));
}

/// Fluid that fills a periodic box, with summed densities: after a step of velocity Verlet they are those of the current positions.
fn full_box<const D: usize>(n: usize) -> String {
    let axes = &["\"x\"", "\"y\"", "\"z\""][..D].join(", ");
    format!(
        "dim = {D}\nspacing = {:?}\nrest_density = 1.0\ngravity = {:?}\nrun.end_time = 10.0\n\
         domain = {{ min = {:?}, max = {:?}, periodic = [{axes}] }}\n\
         [[fluid]]\nshape.block = {{ min = {2:?}, max = {3:?} }}\n\
         [solver]\nname = \"wcsph\"\npreset = \"validation\"\nsound_speed = 10.0\n\
         density = \"summation\"\ndelta_sph = 0.0\n",
        1.0 / n as f64,
        vec![0.0; D],
        vec![0.0; D],
        vec![1.0; D],
    )
}

/// The largest difference of a density from the sum over all pairs, in roundings of the density.
fn missed<const D: usize>(state: &State<D>) -> f64 {
    let h = 3.0 * state.rest.spacing;
    let kernel = WendlandC2::<D>::new(h);
    let x: Vec<_> = (0..state.fluid.len()).map(|i| state.fluid.position(i)).collect();
    let mut worst = 0.0_f64;
    for (i, x_i) in x.iter().enumerate() {
        let near = |x_j: &[Real; D]| {
            let d = state.domain.periodic.nearest(each(|a| x_i[a] - x_j[a]));
            let r2 = norm2(d);
            if r2 < h * h { f64::from(kernel.w(r2)) } else { 0.0 }
        };
        let rho = f64::from(state.rest.m) * x.iter().map(near).sum::<f64>();
        worst = worst.max((f64::from(state.fluid.rho[i]) - rho).abs() / (EPSILON * rho));
    }
    worst
}

/// In how many of so many steps, of which each finds all neighbors, particles changed places.
fn sorts<const D: usize>(text: &str, walk: Walk, speed: Real, steps: u64) -> u64 {
    let mut run = stirred(run::<D>(text, walk, 7));
    run.state.fluid.v.iter_mut().flatten().for_each(|v| *v *= speed);
    let (mut order, mut sorts, mut worst) = (Vec::new(), 0, 0.0_f64);
    for step in 0..steps {
        run.step(f64::INFINITY).unwrap();
        run.fetch().unwrap();
        worst = worst.max(missed(&run.state));
        assert!(worst < 30.0, "{walk:?}, step {step}: {worst} roundings");
        sorts += u64::from(order != run.state.fluid.id);
        order.clone_from(&run.state.fluid.id);
    }
    println!("{walk:?} {D}D: sorted in {sorts} of {steps} steps, {worst} roundings");
    sorts
}

#[test]
fn no_walk_misses_a_neighbor() {
    for walk in [Walk::Direct, Walk::Dense] {
        sorts::<2>(&full_box::<2>(12), walk, 2.0, 5);
        sorts::<3>(&full_box::<3>(10), walk, 2.0, 2);
    }
}

#[test]
fn rows_are_kept_for_some_steps_and_listed_anew_in_time() {
    let slow = sorts::<2>(&full_box::<2>(20), Walk::Kept, 1.0, 60);
    let fast = sorts::<2>(&full_box::<2>(20), Walk::Kept, 4.0, 60);
    assert!((3..30).contains(&slow) && slow < fast, "{slow} {fast}");
    sorts::<3>(&full_box::<3>(11), Walk::Kept, 1.0, 12);
}

#[test]
fn rows_with_a_skin_want_a_longer_period() {
    let refusal = |walk| run::<2>(&full_box::<2>(10), walk, 0).step(f64::INFINITY).err();
    assert_eq!(refusal(Walk::Direct), None);
    let error = refusal(Walk::Kept).unwrap().to_string();
    assert!(error.contains("a periodic axis of 1 m is too short"), "{error}");
}
