//! Does a steady step of every variant and option allocate nothing?
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

#[path = "suite/common.rs"]
mod common;
#[path = "../../sph-core/tests/solver/counting.rs"]
mod counting;

use bench_suite::{
    campaign::registry,
    output::{Fields, FrameData},
    system::processor::Processor,
};
use sph_core::scene::Scene;

/// The least of the counts, of which none is made after a 0.
fn least(mut counts: impl Iterator<Item = usize>) -> usize {
    let mut least = usize::MAX;
    counts.find(|&count| {
        least = least.min(count);
        least == 0
    });
    least
}

/// Allocations in the quietest of several windows of steps.
fn allocations<const D: usize>(name: &str, scene: &Scene) -> usize {
    common::on_threads(2, || {
        let mut simulation = common::simulation::<D>(name, scene, &Processor::default());
        common::steps(name, &mut simulation, 40);
        let window = |_| counting::allocations(|| common::steps(name, &mut simulation, 5));
        // A row may grow beyond all before it in one window; a step that allocates does so in every one.
        least((0..32).map(window))
    })
}

/// Options of the methods that none of the variants has.
const OPTIONS: &[(&str, &str)] = &[
    ("wcsph", ""),
    ("wcsph", "preset = \"graphics\""),
    ("wcsph", "regularization = \"shifting\""),
    ("wcsph", "preset = \"graphics\"\ncohesion = 0.1\nadhesion = 0.1"),
    ("pbf", "velocity_update = \"second_order\"\ncohesion = 0.1\nsurface_tension = 0.05\nadhesion = 0.1"),
    ("pbf", "preset = \"fluid_demo\"\nvorticity_confinement = 0.02"),
    ("pbf", "preset = \"flex\""),
    ("pbf", "preset = \"accurate\"\nsolver_iterations = 10"),
    ("viscoelastic", ""),
    ("projection", "preconditioner = \"multilevel\"\ndynamic_viscosity = 1.0\nparticle_shifting = 0.5"),
    ("projection", "preset = \"peridyno_compat\""),
];

/// Allocations in the quietest 20 of 60 steps of a column at rest, after warming up, with `more` in the scene.
///
/// Snapshots are taken on the way, each into the buffers of an older one. Damping holds the column there, and the
/// support ends between planes of the lattice: where particles change cells the rows of a chunk become longer now and
/// then.
fn allocations_at_rest<const D: usize>((name, solver): (&str, &str), cut: &str, more: &str) -> usize {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let text = format!(
        "dim = {D}\nspacing = {0:?}\nrun.end_time = 100.0\nrun.on_failure = \"reduce_dt\"\nrun.snapshot_every = 5\n\
         support_ratio = 2.6\ndamping = {{ rate = 1000.0, until = 100.0 }}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{1}], max = [0.6, 0.6{2}] }}\n\
         pressure.hydrostatic.surface = 0.6\n{cut}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{1}], max = [0.6, 1.0{2}] }}\nlayers = 3\n{more}\n\
         [solver]\nname = \"{name}\"\n{solver}\n",
        if D == 2 { 0.02 } else { 0.05 },
        z("0.0"),
        z("0.6"),
    );
    let scene = Scene::parse("column.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    common::on_threads(2, || {
        // Rayon's threads allocate when they first steal; that is no step's doing.
        rayon::broadcast(|_| ());
        let mut simulation = common::simulation::<D>(name, &scene, &Processor::default());
        let mut run =
            |steps| simulation.run(100.0, steps, &mut []).unwrap_or_else(|error| panic!("{error}\n{text}"));
        run(300);
        least((1..=3).map(|k| counting::allocations(|| run(300 + 20 * k))))
    })
}

/// A ball of the weight of water, out of reach of the walls (what touches is rapier's, which allocates): the fluid without
/// its place, and the body.
fn ball<const D: usize>() -> [String; 2] {
    let shape = |radius: f64| format!("ball = {{ center = {:?}, radius = {radius:?} }}", [0.3; D]);
    let around = if D == 2 { 0.106 } else { 0.125 };
    [
        format!("cut = [{{ {} }}]", shape(around)),
        format!("[[body]]\nshape.{}\ndensity = 1000.0\n", shape(0.1)),
    ]
}

/// Allocations of a copy for a frame, once its buffers have their size.
fn allocations_of_a_copy() -> usize {
    common::on_threads(2, || {
        let scene = registry::case("column_3d").unwrap().scene(12);
        let mut simulation = common::simulation::<3>("column_3d", &scene, &Processor::default());
        let (mut frame, mut walls) = (FrameData::default(), FrameData::default());
        let names = ["velocity", "speed", "density", "neighbors", "wall_neighbors", "pressure"];
        let fields = Fields::choose("fields", names, &*simulation.solver).unwrap();
        let copies = |_| {
            common::steps("column_3d", &mut simulation, 2);
            counting::allocations(|| {
                frame.copy(&fields, &simulation.state, &*simulation.solver);
                walls.copy_walls(&simulation.state);
            })
        };
        let copies: Vec<_> = (0..4).map(copies).collect();
        assert!(copies[0] > 0, "the first copy makes the buffers");
        // The thread pool allocates now and then.
        copies[1..].iter().copied().min().unwrap()
    })
}

/// One test alone: the counter is that of the process.
#[test]
fn a_steady_step_of_every_variant_and_option_and_a_copy_of_it_allocate_nothing() {
    for (case, n) in [("column", 30), ("column_3d", 12)] {
        for variant in registry::VARIANTS {
            let scene = variant.scene(registry::case(case).unwrap(), n).unwrap();
            let name = format!("{case}, {}", variant.name);
            let count = if scene.dim == 2 {
                allocations::<2>(&name, &scene)
            } else {
                allocations::<3>(&name, &scene)
            };
            assert_eq!(count, 0, "{name}");
        }
    }
    for &options in OPTIONS {
        let counts = [allocations_at_rest::<2>(options, "", ""), allocations_at_rest::<3>(options, "", "")];
        assert_eq!(counts, [0, 0], "{options:?}");
    }
    let [cut, body] = ball::<2>();
    assert_eq!(allocations_at_rest::<2>(("wcsph", "preset = \"graphics\"\nadhesion = 0.1"), &cut, &body), 0);
    let [cut, body] = ball::<3>();
    assert_eq!(allocations_at_rest::<3>(("wcsph", ""), &cut, &body), 0);
    // Too little for the fluid to feel it.
    let moving = "motion.oscillation = { amplitude = [1e-9, 0.0], frequency = 1.0 }";
    assert_eq!(allocations_at_rest::<2>(("projection", ""), "", moving), 0);
    assert_eq!(allocations_of_a_copy(), 0);
    let one = || drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(counting::allocations(one) > 0, "the counter counts nothing");
}
