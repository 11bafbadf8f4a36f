//! What the density constraint does: momentum, convergence, and what it leaves alone.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{
    Block, EPSILON, EXACT, KERNELS, by_id, cases, dam_break, displacements, norm, simulation, squeeze, sum,
    vectors,
};
use proptest::prelude::*;
use sph_core::Real;

/// One substep of so many iterations, without anything that acts on velocities, and without s_corr unless asked for.
fn iterations(n: u32, solver: &str) -> String {
    let scorr = if solver.contains("scorr_k") { "" } else { "scorr_k = 0.0\n" };
    format!(
        "substeps = 1\nsolver_iterations = {n}\nmin_iterations = {n}\nxsph_viscosity = 0.0\ncohesion = 0.0\n\
         {scorr}{solver}\n"
    )
}

/// `Σ Δx_i` of one iteration over its rounding.
fn momentum<const D: usize>(solver: &str, jitter: f64) -> f64 {
    let n = if D == 2 { 14 } else { 9 };
    let mut sim = Block::free(n, &iterations(1, solver)).jitter(jitter).build::<D>();
    squeeze(&mut sim.state, 0.95);
    let (_, displacements) = displacements(&mut sim, 1.0 / 64.0);
    let (total, scale) = sum(&displacements);
    assert!(scale > 1e-3 * displacements.len() as f64 / n as f64, "nothing moves: {scale}");
    // A displacement is the difference of positions of at most 0.5 m, each rounded twice.
    norm(&total) / (EXACT * scale + EPSILON * displacements.len() as f64)
}

const FORMS: [&str; 4] = [
    "",
    "unilateral = false",
    "scorr_k = 0.1",
    "relaxation_factor = 0.5\ncfm_mode = \"absolute\"\ncfm_epsilon = 10.0",
];

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn momentum_is_conserved(
        form in prop::sample::select(&FORMS[..]),
        kernel in prop::sample::select(&KERNELS[..]),
        jitter in 0.0..0.3_f64,
    ) {
        let solver = format!("kernel = \"{kernel}\"\n{form}");
        prop_assert!(momentum::<2>(&solver, jitter) < 1.0, "{}", solver);
        prop_assert!(momentum::<3>(&solver, jitter) < 1.0, "{}", solver);
    }
}

/// A compressed block's mean error: never grows over the iterations, and falls.
fn converges<const D: usize>(solver: &str) {
    let n = if D == 2 { 20 } else { 12 };
    let error = |k: u32| {
        let mut sim = Block::free(n, &iterations(k, solver)).build::<D>();
        squeeze(&mut sim.state, 1.05_f64.powf(-1.0 / D as f64));
        displacements(&mut sim, 0.01).0.density_error_mean
    };
    let errors: Vec<f64> = (1..=12).map(error).collect();
    for pair in errors.windows(2) {
        assert!(pair[1] <= pair[0] * (1.0 + 10.0 * EPSILON), "{D}D: {errors:?}\n{solver}");
    }
    assert!(errors[0] < 0.06 && errors[11] < 0.6 * errors[0], "{D}D: {errors:?}\n{solver}");
}

#[test]
fn the_error_of_a_compressed_block_never_grows() {
    for solver in ["", "support_ratio = 2.5", "relaxation_factor = 0.5"] {
        converges::<2>(solver);
        converges::<3>(solver);
    }
}

/// A fluid of at most rest density is not moved by a bit.
#[test]
fn a_rest_lattice_is_not_moved_under_the_clamp() {
    fn check<const D: usize>(kernel: &str) {
        // Calibrated mass gives the inner lattice ρ₀ to round-off: a little less mass, and nothing is too dense.
        let solver = iterations(5, &format!("kernel = \"{kernel}\""));
        let mut sim = Block::free(8, &solver).build::<D>();
        sim.state.rest.m *= 0.999;
        let before = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
        displacements(&mut sim, 0.01);
        assert_eq!(vectors(&sim.state.fluid.id, &sim.state.fluid.x), before, "{kernel}");
        assert!(sim.state.fluid.v.iter().flatten().all(|v| *v == 0.0));
    }
    for kernel in KERNELS {
        check::<2>(kernel);
        check::<3>(kernel);
    }
}

/// λ of the last iteration: never a pull under the clamp, pulls without.
#[test]
fn clamped_multipliers_only_push() {
    let lambda = |solver: &str| {
        let mut sim = Block::free(10, &iterations(2, solver)).jitter(0.3).build::<2>();
        displacements(&mut sim, 0.01);
        sim.solver.field("lambda").expect("it has one").to_vec()
    };
    assert!(lambda("").iter().all(|l| *l <= 0.0) && lambda("").iter().any(|l| *l < 0.0));
    assert!(lambda("unilateral = false").iter().any(|l| *l > 0.0));
}

/// Pairs nearer than 0.7 spacings in a tank of a thousand particles that has come to rest from disorder.
fn close_pairs(k: f64, support_ratio: f64) -> usize {
    let spacing = 0.02;
    let mut sim = simulation::<2>(&format!(
        "spacing = {spacing:?}\nrun.end_time = 10.0\nrun.time_step = 0.005\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 0.4] }}\njitter = 0.2\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 1.0] }}\n\
         [solver]\nname = \"pbf\"\nsubsteps = 1\nsolver_iterations = 4\ncohesion = 0.0\n\
         support_ratio = {support_ratio:?}\nscorr_k = {k:?}\n"
    ));
    sim.run(1.0, u64::MAX, &mut []).unwrap_or_else(|error| panic!("{error}"));
    let x = &sim.state.fluid.x;
    let near = |i: usize, j: usize| (x[0][i] - x[0][j]).hypot(x[1][i] - x[1][j]) < 0.7 * spacing as Real;
    let n = sim.state.fluid.len();
    (0..n).map(|i| (0..i).filter(|&j| near(i, j)).count()).sum()
}

#[test]
fn s_corr_keeps_particles_apart() {
    for support_ratio in [2.0, 2.5] {
        let found = [0.0, 0.1].map(|k| close_pairs(k, support_ratio));
        assert!(2 * found[1] < found[0], "{found:?} close pairs");
    }
}

/// An isolated pair, far below rest density: pushed apart by s_corr alone, and by equal displacements.
#[test]
fn s_corr_repels_an_isolated_pair() {
    for k in [0.0, 0.1] {
        let mut sim = Block::free(1, &iterations(1, &format!("scorr_k = {k:?}"))).build::<3>();
        let x = sim.state.fluid.position(0);
        let fluid = &mut sim.state.fluid;
        fluid.push(1, [x[0] + 0.5, x[1], x[2]], [0.0; 3], fluid.rho[0]);
        let (_, displacements) = displacements(&mut sim, 0.01);
        if k == 0.0 {
            assert_eq!(displacements, vec![[0.0; 3]; 2]);
        } else {
            assert!(
                displacements[0][0] < -1e-4
                    && (displacements[0][0] + displacements[1][0]).abs() < 4.0 * EPSILON,
                "{displacements:?}"
            );
        }
    }
}

/// Averaged corrections are shorter, in the same direction, and come to rest too.
#[test]
fn averaging_shortens_corrections() {
    let first = |mode: &str| {
        let mut sim = Block::free(8, &iterations(1, &format!("relaxation_mode = \"{mode}\""))).build::<3>();
        squeeze(&mut sim.state, 0.95);
        displacements(&mut sim, 0.01).1
    };
    let (global, local) = (first("global"), first("local"));
    let mut moved = 0;
    for (g, l) in global.iter().zip(&local) {
        let (size, along) = (norm(g), (0..3).map(|k| g[k] * l[k]).sum::<f64>());
        if size > 1e-3 {
            let part = along / (size * size);
            assert!((norm(l) - part * size).abs() < 1e-4 && part > 0.0 && part < 1.0 + EXACT, "{part}");
            moved += usize::from(part < 0.2);
        }
    }
    assert!(moved > 100, "{moved}");
}

/// Cubic spline of support radius `h` in `D` dimensions, in double precision.
fn cubic_spline<const D: usize>(r: f64, h: f64) -> f64 {
    let (q, pi) = (r / h, std::f64::consts::PI);
    let sigma = if D == 2 { 40.0 / (7.0 * pi) } else { 8.0 / pi };
    let f = if q <= 0.5 { 6.0 * (q - 1.0) * q * q + 1.0 } else { 2.0 * (1.0 - q).max(0.0).powi(3) };
    sigma * f / h.powi(D as i32)
}

/// All gradients `∇_k C_i` of a free block by central differences, `[i][k]`, and all `C_i`.
fn gradients<const D: usize>(x: &[[f64; D]], m: f64, h: f64) -> (Vec<Vec<[f64; D]>>, Vec<f64>) {
    let distance = |a: &[f64; D], b: &[f64; D]| (0..D).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    let constraint =
        |i: &[f64; D]| m * x.iter().map(|j| cubic_spline::<D>(distance(i, j), h)).sum::<f64>() - 1.0;
    let delta = 1e-5 * h;
    let pair = |i: &[f64; D], j: &[f64; D]| -> [f64; D] {
        std::array::from_fn(|a| {
            let moved = |by: f64| std::array::from_fn(|k| i[k] + if k == a { by } else { 0.0 });
            let w = |by: f64| cubic_spline::<D>(distance(&moved(by), j), h);
            m * (w(delta) - w(-delta)) / (2.0 * delta)
        })
    };
    let all = (0..x.len())
        .map(|i| {
            let mut row: Vec<[f64; D]> = x.iter().map(|j| pair(&x[i], j).map(|g| -g)).collect();
            // The density of a particle by itself does not depend on where it is.
            row[i] = std::array::from_fn(|a| (0..x.len()).filter(|&j| j != i).map(|j| -row[j][a]).sum());
            row
        })
        .collect();
    (all, x.iter().map(constraint).collect())
}

/// `λ_i = −C_i/(Σ_k |∇_k C_i|² + ε)` and `Δx_k = Σ_i λ_i ∇_k C_i`, with the gradients of differences.
fn follows_gradients<const D: usize>() {
    const EPSILON_CFM: f64 = 50.0;
    let n = if D == 2 { 9 } else { 5 };
    let solver = iterations(
        1,
        &format!("cfm_mode = \"absolute\"\ncfm_epsilon = {EPSILON_CFM:?}\nunilateral = false\nscorr_k = 0.0"),
    );
    let mut sim = Block::free(n, &solver).jitter(0.2).build::<D>();
    let (m, h) = (f64::from(sim.state.rest.m), 2.0 / n as f64);
    let x = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let (gradients, c) = gradients(&x, m, h);
    let squares = |row: &Vec<[f64; D]>| row.iter().flatten().map(|g| g * g).sum::<f64>();
    let expected: Vec<f64> =
        gradients.iter().zip(&c).map(|(row, c)| -c / (squares(row) + EPSILON_CFM)).collect();
    let (_, displacements) = displacements(&mut sim, 1e-3);
    let lambda = by_id(&sim.state.fluid.id, sim.solver.field("lambda").expect("a field of pbf"));
    let largest = expected.iter().fold(0.0, |most, l| f64::max(most, l.abs()));
    let tolerance = if size_of::<Real>() == 4 { 1e-4 } else { 1e-8 };
    for (i, displacement) in displacements.iter().enumerate() {
        assert!((lambda[i] - expected[i]).abs() < tolerance * largest, "{i}: {} {}", lambda[i], expected[i]);
        for a in 0..D {
            let correction: f64 = (0..x.len()).map(|j| expected[j] * gradients[j][i][a]).sum();
            assert!(
                (displacement[a] - correction).abs() < tolerance * h,
                "{i}: {displacement:?} {correction}"
            );
        }
    }
}

#[test]
fn corrections_follow_the_gradients_of_the_constraint() {
    follows_gradients::<2>();
    follows_gradients::<3>();
}

/// Neighbors' constraints overlap the more the larger the support is, and must not over-correct together.
#[test]
fn a_large_support_is_as_stable_as_the_default() {
    fn falls<const D: usize>(ratio: f64, spacing: f64, solver: &str) {
        let text = dam_break::<D>("standard", spacing, &format!("support_ratio = {ratio}"), solver);
        let ended = simulation::<D>(&text.replace("layers = 3", "layers = 4")).run(0.2, 1000, &mut []);
        assert!(ended.is_ok(), "{D}D, {ratio} spacings, {solver}: {}", ended.unwrap_err());
    }
    for ratio in [2.0, 2.8, 3.2] {
        for solver in ["", "unilateral = false"] {
            falls::<2>(ratio, 0.02, solver);
            falls::<3>(ratio, 0.05, solver);
        }
    }
}
