//! What is done to velocities: XSPH, vorticity confinement, and surface forces.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{Block, EPSILON, EXACT, cases, norm, shake, simulation, sum, vectors};
use proptest::prelude::*;
use sph_core::{Real, run::simulation::Simulation};

/// A step so short that nothing moves, and no constraint acts.
const STILL: f64 = 1e-9;
const QUIET: &str =
    "substeps = 1\nsolver_iterations = 1\nscorr_k = 0.0\nxsph_viscosity = 0.0\ncohesion = 0.0\n";

/// Lines of `QUIET`, but for those that `solver` gives.
fn quiet(solver: &str) -> String {
    let given = |line: &&str| !solver.contains(line.split(' ').next().unwrap_or("-"));
    QUIET.lines().filter(given).chain([solver]).fold(String::new(), |text, line| text + line + "\n")
}

/// Velocities by id before and after a step.
fn velocities<const D: usize>(sim: &mut Simulation<D>, dt: f64) -> [Vec<[f64; D]>; 2] {
    let before = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
    sim.solver.step(&mut sim.state, dt).unwrap_or_else(|error| panic!("{error}"));
    [before, vectors(&sim.state.fluid.id, &sim.state.fluid.v)]
}

/// A jittered periodic block, too light to be compressed, with random velocities.
fn shaken<const D: usize>(solver: &str, seed: u64) -> Simulation<D> {
    let n = if D == 2 { 12 } else { 10 };
    let mut sim = Block::periodic(n, &quiet(solver)).jitter(0.2).build::<D>();
    sim.state.rest.m *= 0.5;
    shake(&mut sim.state, seed, 1.0);
    sim
}

/// Kinetic energy over the mass of a particle.
fn energy<const D: usize>(v: &[[f64; D]]) -> f64 {
    v.iter().map(|v| 0.5 * norm(v) * norm(v)).sum()
}

fn xsph_mixes<const D: usize>(c: f64, seed: u64) {
    let mut sim = shaken::<D>(&format!("xsph_viscosity = {c:?}"), seed);
    let [before, after] = velocities(&mut sim, STILL);
    let changes: Vec<[f64; D]> =
        before.iter().zip(&after).map(|(a, b)| std::array::from_fn(|k| b[k] - a[k])).collect();
    let (total, scale) = sum(&changes);
    assert!(scale > 0.1 * c * before.len() as f64, "nothing mixes: {scale}");
    assert!(norm(&total) < EXACT * scale + EPSILON * before.len() as f64, "{total:?} of {scale}");
    let (before, after) = (energy(&before), energy(&after));
    assert!(after < before, "{before} becomes {after} at c = {c}");
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn xsph_conserves_momentum_and_dissipates_energy(c in 0.01..1.0_f64, seed: u64) {
        xsph_mixes::<2>(c, seed);
        xsph_mixes::<3>(c, seed);
    }
}

#[test]
fn xsph_leaves_uniform_motion() {
    let mut sim = shaken::<3>("xsph_viscosity = 0.5", 3);
    sim.state.fluid.v.iter_mut().for_each(|v| v.fill(0.75));
    let [_, after] = velocities(&mut sim, STILL);
    assert!(after.iter().flatten().all(|v| (v - 0.75).abs() < EPSILON));
}

/// Also where densities differ, as in a free block of which the inner part is faster.
#[test]
fn xsph_conserves_momentum_where_densities_differ() {
    let mut sim = Block::free(10, &quiet("xsph_viscosity = 0.5")).build::<2>();
    sim.state.rest.m *= 0.5;
    sim.state.fluid.v[0] = sim.state.fluid.x[0].iter().map(|x| x * x).collect();
    let [before, after] = velocities(&mut sim, STILL);
    let drift = (sum(&after).0[0] - sum(&before).0[0]).abs();
    assert!(drift < 1e3 * EPSILON, "{drift}");
}

/// The change of velocity that confinement makes, by id, for velocities that `v` gives.
fn confined<const D: usize>(strength: f64, v: impl Fn([f64; D]) -> [f64; D]) -> Vec<([f64; D], [f64; D])> {
    let mut sim = Block::free(12, &quiet(&format!("vorticity_confinement = {strength:?}"))).build::<D>();
    sim.state.rest.m *= 0.999;
    for i in 0..sim.state.fluid.len() {
        let v = v(sim.state.fluid.position(i).map(f64::from));
        for a in 0..D {
            sim.state.fluid.v[a][i] = v[a] as Real;
        }
    }
    let x = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    // Long enough for a change, too short for a displacement.
    let [before, after] = velocities(&mut sim, 1e-6);
    let change = |(a, b): (&[f64; D], &[f64; D])| std::array::from_fn(|k| (b[k] - a[k]) / 1e-6);
    x.into_iter().zip(before.iter().zip(&after).map(change)).collect()
}

/// Inside of a rigid rotation |ω| is uniform and has no gradient. It has one at the rim, where the support is cut off.
#[test]
fn confinement_does_nothing_where_vorticity_is_uniform() {
    let rotation = confined::<3>(1e3, |x| [-x[1], x[0], 0.0]);
    let inside = |x: &[f64; 3]| x.iter().all(|x| x.abs() < 0.5 - 4.0 / 12.0 + 1e-3);
    let largest = |inner: bool| {
        let changes = rotation.iter().filter(|(x, _)| inside(x) == inner);
        changes.map(|(_, change)| norm(change)).fold(0.0, f64::max)
    };
    let rounding = 1e6 * 4.0 * EPSILON;
    assert!(largest(true) < 0.5 * largest(false) + rounding && largest(false) > 100.0, "{}", largest(true));
}

/// Around a vortex confinement drives the rotation that is there, in either dimension.
#[test]
fn confinement_drives_a_vortex() {
    fn gain<const D: usize>() -> f64 {
        let swirl = |x: [f64; D]| {
            let fade = (-20.0 * (x[0] * x[0] + x[1] * x[1])).exp();
            std::array::from_fn(|a| [-x[1] * fade, x[0] * fade, 0.0][a])
        };
        let changes = confined::<D>(1e3, swirl);
        changes.iter().map(|(x, change)| (0..D).map(|a| swirl(*x)[a] * change[a]).sum::<f64>()).sum()
    }
    assert!(gain::<2>() > 1.0 && gain::<3>() > 1.0, "{} {}", gain::<2>(), gain::<3>());
}

/// Momentum of a block that only its surface moves.
fn surface_momentum<const D: usize>(solver: &str) -> (f64, f64) {
    let n = if D == 2 { 12 } else { 9 };
    let mut sim = Block::free(n, &quiet(solver)).jitter(0.2).build::<D>();
    sim.state.rest.m *= 0.5;
    let [_, after] = velocities(&mut sim, 1e-3);
    let (total, scale) = sum(&after);
    (norm(&total), scale)
}

#[test]
fn cohesion_and_curvature_keep_momentum() {
    for solver in ["cohesion = 1.0", "cohesion = 1.0\nsurface_tension = 5.0"] {
        for (total, scale) in [surface_momentum::<2>(solver), surface_momentum::<3>(solver)] {
            assert!(scale > 1e-4 && total < EXACT * scale, "{total} of {scale}: {solver}");
        }
    }
}

/// Adhesion draws to a wall what is between half a support and a whole one away, and nothing beyond.
#[test]
fn adhesion_attracts_in_the_outer_half_of_the_support() {
    for (distance, attracts) in [(0.6, true), (0.9, true), (1.1, false)] {
        let h = 0.1;
        let y = distance * h;
        let mut sim = simulation::<3>(&format!(
            "dim = 3\nspacing = 0.05\ngravity = [0.0, 0.0, 0.0]\nrun.end_time = 1.0\n\
             [[fluid]]\nshape.block = {{ min = [0.475, {0:?}, 0.475], max = [0.525, {1:?}, 0.525] }}\n\
             [[wall]]\nshape.block = {{ min = [0.0, 0.0, 0.0], max = [1.0, 1.0, 1.0] }}\nfaces = [\"y_min\"]\n\
             layers = 1\noffset = 0.0\n[solver]\nname = \"pbf\"\n{2}\n",
            y - 0.025,
            y + 0.025,
            quiet("adhesion = 10.0"),
        ));
        assert_eq!(sim.state.fluid.len(), 1);
        let [_, after] = velocities(&mut sim, 1e-3);
        let pull = -after[0][1];
        assert_eq!(pull > 1e-6, attracts, "{pull} at {distance}");
        assert!(pull > -1e-7, "{pull}");
    }
}

/// `D <Σ x_k⁴>/<r²>²` over the particles: 9/5 for cube and square (1.776 for a lattice of 10, 1.788 of 14), 15/7 for
/// the ball, 2 for the disc.
fn roundness<const D: usize>(sim: &Simulation<D>) -> f64 {
    let x = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let n = x.len() as f64;
    let center: [f64; D] = std::array::from_fn(|k| x.iter().map(|x| x[k]).sum::<f64>() / n);
    let centered: Vec<[f64; D]> = x.iter().map(|x| std::array::from_fn(|k| x[k] - center[k])).collect();
    let fourth = centered.iter().flatten().map(|x| x.powi(4)).sum::<f64>() / n;
    let second = centered.iter().flatten().map(|x| x * x).sum::<f64>() / n;
    D as f64 * fourth / (second * second)
}

fn rounds_up<const D: usize>(solver: &str, time: f64) -> [f64; 2] {
    let n = if D == 2 { 14 } else { 10 };
    let half = 0.01 * n as f64;
    let mut sim = simulation::<D>(&format!(
        "dim = {D}\nspacing = 0.02\ngravity = {:?}\nrun.end_time = 10.0\nrun.time_step = 0.0041666\n\
         [[fluid]]\nshape.block = {{ min = {:?}, max = {:?} }}\n\
         [solver]\nname = \"pbf\"\nsubsteps = 1\nscorr_k = 0.0\nxsph_viscosity = 0.05\n{solver}\n",
        vec![0.0; D],
        vec![-half; D],
        vec![half; D],
    ));
    let before = roundness(&sim);
    sim.run(time, u64::MAX, &mut []).unwrap_or_else(|error| panic!("{error}"));
    [before, roundness(&sim)]
}

#[test]
fn a_cube_rounds_up_to_a_ball_without_gravity() {
    let [cube, ball] = rounds_up::<3>("cohesion = 0.3\nsurface_tension = 0.3", 0.8);
    // More than half of the way from the cube to the ball; the recipe came to 2.11.
    assert!((cube - 1.776).abs() < 1e-3 && ball > 1.97 && ball < 2.2, "{cube} {ball}");
    let [square, disc] = rounds_up::<2>("cohesion = 0.5\nsurface_tension = 0.5", 2.0);
    assert!((square - 1.788).abs() < 1e-3 && disc > 1.88 && disc < 2.1, "{square} {disc}");
}
