//! Laws of the force on containers: what the fluid loses, they get; at rest it is the weight of the fluid.

use crate::{common, run::measures::bits};
use bench_suite::{
    scenes::methods::solver_of,
    system::{clock::SystemClock, processor::Processor},
};
use cuda_kernels::device::emulator::Emulator;
use sph_core::{
    Real,
    run::{
        checkpoint::{self, Checkpoint},
        simulation::Simulation,
    },
    scene::Scene,
};
use std::sync::Arc;

/// Every method with what changes the velocities that its containers find.
const METHODS: [(&str, &str); 10] = [
    ("wcsph", "integrator = \"symplectic_euler\"\nregularization = \"shifting\""),
    ("wcsph", "integrator = \"velocity_verlet\""),
    ("pbf", ""),
    ("pbf", "substeps = 3\nxsph_viscosity = 0.1"),
    ("pbf", "substeps = 1\nrelaxation_factor = 0.5"),
    ("viscoelastic", "relax_mode = \"jacobi\""),
    ("viscoelastic", "relax_mode = \"jacobi\"\nanti_stick = 0.1"),
    ("viscoelastic", "relax_mode = \"jacobi\"\nstick_stiffness = 50.0"),
    ("projection", ""),
    ("projection", "particle_shifting = 0.1\nxsph_viscosity = 0.1"),
];

const NAMES: [&str; 2] = ["container[0]", "container[1]"];

/// Rounding of momenta over their changes.
const ROUNDING: f64 = if size_of::<Real>() == 4 { 1e-4 } else { 1e-11 };

/// The force on both containers and totals of the fluid, every `interval` seconds.
fn measures(interval: &str) -> String {
    let force = |on: &str| {
        format!("[[measure]]\nname = \"{}\"\ninterval = {interval}\nforce.on = \"{on}\"\n", &on[10..11])
    };
    let totals = "totals = [\"momentum\", \"angular_momentum\", \"center\"]";
    NAMES.map(force).concat() + &format!("[[measure]]\nname = \"fluid\"\ninterval = {interval}\n{totals}\n")
}

/// A block of fluid that is thrown into the corner of a container, onto another in it, beside a wall: with `text` beside it.
fn thrown<const D: usize>(method: &str, settings: &str, text: &str) -> Scene {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    let block = |min: [f64; 2], max: [f64; 2]| {
        let corner = |x: [f64; 2], at: f64| format!("[{:?}, {:?}{}]", x[0], x[1], z(at));
        format!("block = {{ min = {}, max = {} }}", corner(min, 0.0), corner(max, 0.4))
    };
    let scene = format!(
        "dim = {D}\nspacing = 0.05\nrun.end_time = 0.1\n{text}\n[[fluid]]\nshape.{}\njitter = 0.1\nvelocity.uniform = [-1, \
         -1{}]\ncut = [{{ {} }}]\n[[container]]\nshape.{}\nrestitution = 0.2\nfriction = 0.1\n[[container]]\nshape.outside.{}\n\
         restitution = 0.5\n[solver]\nname = \"{method}\"\n{settings}\n",
        block([0.0, 0.0], [0.6, 0.5]),
        z(0.3),
        block([0.0, 0.0], [0.2, 0.2]),
        block([0.0, 0.0], [1.0, 1.0]),
        block([-1.0, -1.0], [0.2, 0.2]),
    );
    Scene::parse("thrown", &scene).unwrap_or_else(|error| panic!("{error}\n{scene}"))
}

/// Twelve steps of a millisecond.
fn stepped<const D: usize>(mut run: Simulation<D>) -> Simulation<D> {
    run.fixed_dt = Some(1e-3);
    run.run(0.1, 12, &mut []).unwrap_or_else(|error| panic!("{error}"));
    run
}

fn on_processor<const D: usize>(scene: &Scene) -> Simulation<D> {
    common::simulation("thrown", scene, &Processor::default())
}

/// The kernels, which the processor executes.
fn on_gpu<const D: usize>(scene: &Scene) -> Simulation<D> {
    let (gpu, clock) = (Arc::new(Emulator::default()), Box::new(SystemClock::default()));
    solver_of(scene).unwrap().simulation_on(scene, gpu, clock).unwrap_or_else(|error| panic!("{error}"))
}

/// `Δp = Σ dt (m N g − F)` to rounding. `ΔL = Σ dt (m N X × g − M)` about the origin but for what a displacement across a
/// velocity adds, which is a part of dt.
fn containers_get_what_the_fluid_loses<const D: usize>(run: &Simulation<D>, what: &str) {
    let [first, second, fluid] = [0, 1, 2].map(|k| run.measures.series().nth(k).unwrap());
    let (turns, dt) = (2 * D - 3, 1e-3);
    let weight = f64::from(run.state.rest.m) * run.state.fluid.len() as f64 * 9.81;
    let (mut given, mut scale) = (vec![0.0; D + turns], [0.0; 2]);
    for ((one, other), before) in first.rows().zip(second.rows()).skip(1).zip(fluid.rows()) {
        let center = &before.1[D + turns..];
        // X × g with g along −y.
        let torque: &[f64] = if D == 2 { &[-center[0]] } else { &[center[2], 0.0, -center[0]] };
        for k in 0..D + turns {
            let outside = if k >= D { torque[k - D] } else { -f64::from(u8::from(k == 1)) };
            given[k] += dt * (weight * outside - one.1[k] - other.1[k]);
            scale[usize::from(k >= D)] += dt * (one.1[k].abs() + other.1[k].abs());
        }
    }
    let (start, end) = (fluid.rows().next().unwrap().1, fluid.rows().last().unwrap().1);
    assert_eq!((first.t.len(), fluid.t.len()), (13, 13), "{what}");
    for k in 0..D + turns {
        let (change, bound) = (end[k] - start[k], if k < D { ROUNDING * scale[0] } else { 0.02 * scale[1] });
        assert!((change - given[k]).abs() < bound, "{what}, {k}: {change} {} in {bound}", given[k]);
    }
    for series in [first, second] {
        let pushed = series.rows().skip(1).map(|(_, row)| dt * row[1].abs()).sum::<f64>();
        assert!(pushed > 0.01 * weight * 0.1, "{what}, {}: nothing happened", series.name);
    }
}

fn of_each_method<const D: usize>() {
    // Samples that no force is measured on.
    let far =
        format!("[[wall]]\nshape.block = {{ min = {:?}, max = {:?} }}\nlayers = 2\n", [3.0; D], [3.4; D]);
    for (method, settings) in METHODS {
        let scene = thrown::<D>(method, settings, &(measures("1e-6") + &far));
        let (run, gpu) = (stepped(on_processor::<D>(&scene)), stepped(on_gpu::<D>(&scene)));
        let what = format!("{method} {settings:?}, {D}D");
        containers_get_what_the_fluid_loses(&run, &what);
        containers_get_what_the_fluid_loses(&gpu, &format!("{what}, on a GPU"));
        // Of the first step: roundings have not grown yet.
        for (one, other) in run.measures.series().zip(gpu.measures.series()) {
            let scale = one.values[one.width()..].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            for (a, b) in one.values.iter().zip(&other.values).skip(one.width()).take(one.width()) {
                assert!((a - b).abs() < 1e-4 * scale, "{what} {}: {a} {b}", one.name);
            }
        }
    }
}

#[test]
fn containers_get_what_the_fluid_loses_with_every_method_in_2d() {
    of_each_method::<2>();
}

#[test]
fn containers_get_what_the_fluid_loses_with_every_method_in_3d() {
    of_each_method::<3>();
}

/// Sums that are made for samples alone change no bit of the run, and are the same after fewer samples, on more threads, and
/// through a restart.
#[test]
fn forces_on_containers_change_no_bit() {
    for (method, settings) in METHODS {
        let scene = |text: &str| thrown::<2>(method, settings, text);
        let run = |text: &str, threads| {
            let run = common::on_threads(threads, || stepped(on_processor::<2>(&scene(text))));
            let series: Vec<_> = run.measures.series().cloned().collect();
            (run.state.hash(), series)
        };
        let ((without, _), (each, all), (some, few)) =
            (run("", 1), run(&measures("1e-6"), 1), run(&measures("0.004"), 3));
        assert_eq!((each, some), (without, without), "{method} {settings}");
        for (all, few) in all.iter().zip(&few) {
            let rows: Vec<_> = few.rows().skip(1).collect();
            assert_eq!(rows.len(), 3, "{method}");
            let same = |row: &(f64, &[f64])| all.rows().any(|other| other == *row);
            assert!(rows.iter().all(same), "{method} {settings}: {all:?} {few:?}");
        }
        let scene = scene(&measures("1e-6"));
        let (whole, mut half) = (stepped(on_processor::<2>(&scene)), on_processor::<2>(&scene));
        half.fixed_dt = Some(1e-3);
        half.run(0.1, 5, &mut []).unwrap();
        let mut bytes = Vec::new();
        checkpoint::write(&mut half, "", "test", &mut bytes).unwrap();
        let mut again = on_processor::<2>(&scene);
        Checkpoint::read(&mut &bytes[..], bytes.len() as u64).unwrap().restore(&mut again).unwrap();
        assert_eq!(bits(&stepped(again)), bits(&whole), "{method} {settings} through a restart");
    }
}

/// 0.4 m of water at rest in three half spaces: the bed has its weight, with the moment of that, and the sides the thrust of its
/// depth, one against the other.
fn column(method: &str) -> Scene {
    let force = |name: &str, k: usize| {
        format!("[[measure]]\nname = \"{name}\"\ninterval = 1e-5\nforce.on = \"container[{k}]\"\n")
    };
    let half = |point: &str, normal: &str| {
        format!("[[container]]\nshape.half_space = {{ point = {point}, normal = {normal} }}\n")
    };
    let scene = format!(
        "spacing = 0.02\nrun.end_time = 1.5\ndamping = {{ rate = 10.0, until = 0.5 }}\n[[fluid]]\nshape.block = {{ min = [0.2, 0], \
         max = [0.8, 0.4] }}\npressure.hydrostatic = {{ surface = 0.4 }}\n{}{}{}{}{}{}[solver]\nname = \"{method}\"\n",
        half("[0, 0]", "[0, -1]"),
        half("[0.2, 0]", "[-1, 0]"),
        half("[0.8, 0]", "[1, 0]"),
        force("bed", 0),
        force("left", 1),
        force("right", 2),
    );
    Scene::parse("column", &scene).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn containers_carry_water_at_rest() {
    for method in ["wcsph", "projection", "pbf", "viscoelastic"] {
        let mut run: Simulation<2> = common::simulation("column", &column(method), &Processor::default());
        run.run(1.5, u64::MAX, &mut []).unwrap();
        let [bed, left, right] = ["bed", "left", "right"].map(|name| super::forces::at_rest(&run, name));
        let weight = f64::from(run.state.rest.m) * run.state.fluid.len() as f64 * 9.81;
        let thrust = 0.5 * 1000.0 * 9.81 * 0.4 * 0.4;
        let found = [-bed[1] / weight, -bed[2] / (0.5 * weight), right[0] / thrust, -left[0] / right[0]];
        println!("{method}: {found:?}");
        for (found, band) in found.into_iter().zip([0.02, 0.03, 0.1, 0.03]) {
            assert!((found - 1.0).abs() < band, "{method}: {found} in {band}");
        }
    }
}
