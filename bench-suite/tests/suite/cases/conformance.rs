//! What every variant must do, whatever its method: one body for all of them, in two dimensions and three.

use crate::common;

use bench_suite::{
    campaign::registry::{self, Variant},
    scenes::methods::Method,
    system::processor::Processor,
};
use sph_core::{
    Real,
    geometry::{
        sampling::{Face, Side},
        shape::{Block, Shape},
    },
    run::simulation::Simulation,
    scene::{Fluid, MassMode, Scene, VelocityField, Wall},
};

/// Relative size of a rounding error.
#[allow(clippy::unnecessary_cast, reason = "the width of `Real` is a feature")]
const EPSILON: f64 = Real::EPSILON as f64;
const SPACING: f64 = 0.0625;

fn block(min: &[f64], max: &[f64]) -> Shape {
    Shape::Block(Block { min: min.to_vec(), max: max.to_vec() })
}

/// A block of fluid of `cells` spacings, without walls.
fn fluid<const D: usize>(variant: &Variant, cells: [f64; D]) -> Scene {
    let mut scene = Scene::new(D as u8, SPACING, 1.0);
    scene.fluid = vec![Fluid::new(block(&[0.0; D], &cells.map(|n| n * SPACING)))];
    match variant.method {
        Method::Wcsph => {
            scene.solver.set("name", "wcsph");
            scene.solver.set("sound_speed", 20.0);
        }
        Method::Pbf => {
            // What acts between particles at rest would move those of a falling block against each other.
            scene.solver.set("name", "pbf");
            scene.solver.set("scorr_k", 0.0);
            scene.solver.set("cohesion", 0.0);
            // Lists are those of the predicted positions: of pairs in a lattice that are one support apart, a rounding
            // decides which ones take part when corrections bring them closer. Here no pair is so far apart.
            scene.solver.set("support_ratio", 2.1);
        }
        Method::Viscoelastic => {
            scene.solver.set("name", "viscoelastic");
            scene.solver.set("stiffness", 20.0);
        }
        Method::Projection => scene.solver.set("name", "projection"),
    }
    (variant.apply)(&mut scene);
    scene
}

fn run<const D: usize>(name: &str, scene: &Scene, n: u64, dt: f64) -> Simulation<D> {
    let mut simulation = common::simulation::<D>(name, scene, &Processor::default());
    simulation.fixed_dt = Some(dt);
    common::steps(name, &mut simulation, n);
    simulation
}

/// Positions and velocities in the order of the ids.
fn by_id<const D: usize>(simulation: &Simulation<D>) -> Vec<([f64; D], [f64; D])> {
    let fluid = &simulation.state.fluid;
    let mut all: Vec<_> = (0..fluid.len())
        .map(|i| (fluid.id[i], (fluid.position(i).map(f64::from), fluid.velocity(i).map(f64::from))))
        .collect();
    all.sort_by_key(|(id, _)| *id);
    all.into_iter().map(|(_, place)| place).collect()
}

fn distance<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn each_variant(body: impl Fn(&Variant)) {
    registry::VARIANTS.iter().for_each(body);
}

/// A block falls on the parabola of its integrator, `n²/2` or `n (n + 1)/2` times `g Δt²`.
fn falls<const D: usize>(variant: &Variant) {
    let mut scene = fluid::<D>(variant, [4.0; D]);
    // Too light to push: a summed density stays below that at rest.
    scene.mass_mode = MassMode::Factor(0.9);
    if variant.method == Method::Viscoelastic {
        // It counts particles, and its surface contracts.
        scene.solver.set("stiffness", 0.0);
        scene.solver.set("rest_density", 1.0);
    }
    let (n, dt) = (50, 1e-3);
    let start = by_id(&common::simulation::<D>(variant.name, &scene, &Processor::default()));
    let end = by_id(&run::<D>(variant.name, &scene, n, dt));
    let steps = n as f64;
    // Symplectic Euler is ahead of the parabola by half a step, or half a part of it.
    let ahead = match variant.name {
        "wcsph-graphics"
        | "pbf-accurate"
        | "viscoelastic"
        | "viscoelastic-jacobi"
        | "projection"
        | "projection-peridyno" => 1.0,
        "pbf" => 0.5,
        _ => 0.0,
    };
    let kicked = steps * (steps + ahead);
    let (fall, speed) = (-9.81 * dt * dt * 0.5 * kicked, -9.81 * dt * steps);
    // Each step rounds once; a place rounds at the size of the block, a speed at its own.
    let (x_bound, v_bound) = (steps * EPSILON * 4.0 * SPACING, 2.0 * steps * EPSILON * speed.abs());
    for ((x0, _), (x, v)) in start.iter().zip(&end) {
        let mut expected = *x0;
        expected[1] += fall;
        assert!(distance(x, &expected) < x_bound, "{} {D}D: {x:?}, not {expected:?}", variant.name);
        assert!((v[1] - speed).abs() < v_bound && v[0] == 0.0, "{} {D}D: {v:?}, not {speed}", variant.name);
    }
}

#[test]
fn free_fall_is_the_discrete_parabola() {
    each_variant(|variant| {
        falls::<2>(variant);
        falls::<3>(variant);
    });
}

/// One particle without forces keeps its velocity to the bit, and its path straight.
fn flies_straight<const D: usize>(variant: &Variant) {
    let mut scene = fluid::<D>(variant, [1.0; D]);
    let v: [f64; D] = std::array::from_fn(|a| [0.75, -0.5, 0.25][a]);
    scene.gravity = Some(vec![0.0; D]);
    scene.fluid[0].velocity = VelocityField::Uniform(v.to_vec());
    let (n, dt) = (100, 1e-3);
    let end = by_id(&run::<D>(variant.name, &scene, n, dt));
    assert_eq!(end.len(), 1);
    let (x, v_end) = end[0];
    let expected = v.map(|v| 0.5 * SPACING + n as f64 * dt * v);
    assert_eq!(v_end, v, "{} {D}D", variant.name);
    assert!(
        distance(&x, &expected) < n as f64 * EPSILON * 0.1,
        "{} {D}D: {x:?}, not {expected:?}",
        variant.name
    );
}

#[test]
fn a_single_particle_flies_straight() {
    each_variant(|variant| {
        flies_straight::<2>(variant);
        flies_straight::<3>(variant);
    });
}

/// A sliding block in the corner of a tank: pressure, viscosity and walls all act.
fn sliding<const D: usize>(
    variant: &Variant,
    place: &impl Fn([f64; D]) -> [f64; D],
    faces: &[Face],
) -> Scene {
    let mut scene = fluid::<D>(variant, [8.0; D]);
    if variant.name == "projection" {
        // Aggregates belong to a lattice fixed in space, not to the fluid: translated fluid has another preconditioner
        // and the same solution, which then agrees to the tolerance of the iteration alone.
        scene.solver.set("preconditioner", "diagonal");
    }
    let origin = place([0.0; D]);
    let direction = |v: [f64; D]| {
        let v = place(v);
        std::array::from_fn::<f64, D, _>(|a| v[a] - origin[a]).to_vec()
    };
    let moved = |max: [f64; D]| {
        let (a, b) = (place([0.0; D]), place(max));
        block(
            &std::array::from_fn::<_, D, _>(|k| a[k].min(b[k])),
            &std::array::from_fn::<_, D, _>(|k| a[k].max(b[k])),
        )
    };
    scene.gravity = Some(direction(std::array::from_fn(|a| if a == 1 { -9.81 } else { 0.0 })));
    scene.fluid[0].shape = moved([8.0 * SPACING; D]);
    scene.fluid[0].velocity =
        VelocityField::Uniform(direction(std::array::from_fn(|a| if a == 0 { -0.5 } else { 0.0 })));
    let wall = Wall::new(moved([12.0 * SPACING; D]), Side::Inside);
    scene.wall = vec![Wall { faces: Some(faces.to_vec()), layers: 3, ..wall }];
    scene
}

/// Compares a run with its image under `place`, particle by particle.
fn agrees<const D: usize>(
    variant: &Variant,
    what: &str,
    place: impl Fn([f64; D]) -> [f64; D],
    faces: [&[Face]; 2],
) {
    // Steps of the length that the method would choose.
    let (n, dt) = if variant.method == Method::Wcsph { (40, 5e-4) } else { (4, 5e-3) };
    let here = sliding::<D>(variant, &|x| x, faces[0]);
    let there = sliding::<D>(variant, &place, faces[1]);
    let first = |scene| by_id(&common::simulation::<D>(variant.name, scene, &Processor::default()));
    let (start, image) = (first(&here), first(&there));
    let (end, image_end) =
        (by_id(&run::<D>(variant.name, &here, n, dt)), by_id(&run::<D>(variant.name, &there, n, dt)));
    let mut farthest = 0.0_f64;
    let mut displacement = 0.0_f64;
    for (i, (x0, _)) in start.iter().enumerate() {
        let expected = place(*x0);
        let j = (0..image.len()).find(|&j| distance(&image[j].0, &expected) < 0.1 * SPACING).unwrap();
        farthest = farthest.max(distance(&image_end[j].0, &place(end[i].0)));
        displacement = displacement.max(distance(x0, &end[i].0));
    }
    // A place rounds at ε times its size, about 4 m. Pressure answers with c₀² ε 4 m/Δx² a step. Where velocities are
    // read from places, the rounding of one step goes on in all that follow, n²/2 in sum, and neighbors answer each
    // other's in every iteration (measured, at most 5 n²).
    let (steps, t) = (n as f64, n as f64 * dt);
    let grown = match variant.method {
        Method::Wcsph => (20.0 * t / SPACING).powi(2),
        Method::Pbf | Method::Viscoelastic => 10.0 * steps * steps,
        // Velocities answer with 1/h of places in the divergence, which pressure carries through the fluid.
        Method::Projection => (20.0 * t / SPACING).powi(2),
    };
    let bound = EPSILON * 4.0 * (steps + grown);
    assert!(displacement > 0.05 * SPACING, "{} {D}D: nothing happens, {displacement} m", variant.name);
    assert!(farthest < bound, "{} {D}D, {what}: {farthest} m, bound {bound} m", variant.name);
}

const CORNER: [Face; 3] = [Face::XMin, Face::YMin, Face::ZMin];
/// The same faces after a turn from x to y.
const TURNED: [Face; 3] = [Face::YMin, Face::XMax, Face::ZMin];

/// What does not go by the order of cells: a sweep does, and they have another one after a shift or a turn.
fn each_without_order(body: impl Fn(&Variant)) {
    registry::VARIANTS.iter().filter(|variant| variant.name != "viscoelastic").for_each(body);
}

#[test]
fn a_shift_changes_nothing() {
    each_without_order(|variant| {
        agrees::<2>(variant, "shift", |[x, y]| [x + 2.0, y - 1.0], [&CORNER[..2], &CORNER[..2]]);
        agrees::<3>(variant, "shift", |[x, y, z]| [x + 2.0, y - 1.0, z + 1.5], [&CORNER, &CORNER]);
    });
}

#[test]
fn a_quarter_turn_changes_nothing() {
    each_without_order(|variant| {
        agrees::<2>(variant, "turn", |[x, y]| [-y, x], [&CORNER[..2], &TURNED[..2]]);
        agrees::<3>(variant, "turn", |[x, y, z]| [-y, x, z], [&CORNER, &TURNED]);
    });
}

/// How a column at rest moves, over √(g H).
struct Restlessness {
    /// Its fastest particle in the second that is damped.
    start: f64,
    /// Root mean square over all particles in the second after it.
    settled: f64,
}

fn restlessness<const D: usize>(name: &str, scene: &Scene) -> Restlessness {
    let mut simulation = common::simulation::<D>(name, scene, &Processor::default());
    let (mut start, mut energy, mut time) = (0.0_f64, 0.0, 0.0);
    while simulation.state.t < 2.0 {
        let before = simulation.state.t;
        common::steps(name, &mut simulation, 1);
        let fluid = &simulation.state.fluid;
        let squares =
            (0..fluid.len()).map(|i| fluid.velocity(i).map(|v| f64::from(v).powi(2)).iter().sum::<f64>());
        if simulation.state.t < 1.0 {
            start = squares.fold(start, f64::max);
        } else {
            let dt = simulation.state.t - before;
            (energy, time) = (energy + dt * squares.sum::<f64>() / fluid.len() as f64, time + dt);
        }
    }
    let fall = 9.81; // of 1 m
    Restlessness { start: (start / fall).sqrt(), settled: (energy / time / fall).sqrt() }
}

/// A column of fluid at rest stays at rest, up to the stirring that its method is known for.
/// Bounds are shares of √(g H), and with one exception at least twice what is measured, since most columns stir.
#[test]
fn resting_fluid_rests() {
    // The viscoelastic fluid is left out: its columns tremble, which the validation judges.
    let resting = |variant: &&Variant| variant.method != Method::Viscoelastic;
    for variant in registry::VARIANTS.iter().filter(resting) {
        for case in ["column", "column_3d"] {
            let scene = variant.scene(registry::case(case).unwrap(), 10).unwrap();
            let name = format!("{case}, {}", variant.name);
            let (found, is_flat) = match scene.dim {
                2 => (restlessness::<2>(&name, &scene), true),
                _ => (restlessness::<3>(&name, &scene), false),
            };
            let [start, settled] = match variant.method {
                // Starts without the pressure of its weight and falls onto its walls, whose pseudo-masses push it back: in
                // 3D it never quite rests.
                Method::Wcsph if scene.solver.preset() == Some("graphics") && is_flat => {
                    [f64::INFINITY, 0.08]
                }
                Method::Wcsph if scene.solver.preset() == Some("graphics") => [f64::INFINITY, 0.25],
                // Starts with the pressure at rest: nothing happens but sound.
                Method::Wcsph => [0.02, 0.002],
                // Starts without its pressure, undamped, and settles slowly.
                Method::Pbf => [f64::INFINITY, 0.08],
                // Finds its pressure in the first step; in 3D the lattice once gives way, at 5 m/s, and comes to rest.
                _ if is_flat => [0.05, 0.005],
                _ => [f64::INFINITY, 0.1],
            };
            let Restlessness { start: at_start, settled: at_rest } = found;
            assert!(at_start < start && at_rest < settled, "{name}: {at_start} and {at_rest} of √(g H)");
        }
    }
}
