//! Passes over pairs: conservation, and the closed forms of two particles.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common::*;
use proptest::prelude::*;
use sph_core::Real;

const DT: f64 = 0.01;

/// Momentum that a step of a squeezed, shaken block changes, over the sum of the sizes of all changes of velocity.
fn change<const D: usize>(seed: u64, solver: &str) -> f64 {
    let mut sim = Block::free(if D == 2 { 14 } else { 7 }, solver).jitter(0.3).build::<D>();
    squeeze(&mut sim.state, 0.9);
    shake(&mut sim.state, seed, 0.3);
    let before = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
    for _ in 0..2 {
        displacements(&mut sim, DT);
    }
    let after = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
    let gains: Vec<[f64; D]> =
        before.iter().zip(&after).map(|(a, b)| std::array::from_fn(|k| b[k] - a[k])).collect();
    let (total, sizes) = sum(&gains);
    assert!(sizes > 0.0);
    // Each position of half a meter is rounded to EPSILON/4, and that becomes a velocity over DT.
    let rounding = 0.25 * EPSILON / DT * gains.len() as f64;
    norm(&total) / (sizes * EXACT + rounding)
}

#[test]
fn momentum_is_conserved_by_relaxation_viscosity_and_springs_in_every_mode() {
    for mode in MODES {
        for passes in [
            "",
            "viscosity_linear = 5.0\nviscosity_quadratic = 1.0",
            "spring_stiffness = 200.0",
            "spring_stiffness = 200.0\nviscosity_linear = 200.0",
            // So stiff that displacements are limited.
            "stiffness = 3000.0",
        ] {
            let solver = format!("relax_mode = \"{mode}\"\n{passes}");
            for seed in 1..4 {
                let (flat, space) = (change::<2>(seed, &solver), change::<3>(seed, &solver));
                assert!(flat < 1.0 && space < 1.0, "{solver}: {flat} {space}");
            }
        }
    }
}

/// Two particles at a distance `r`, with h = 1 m.
fn pair(r: f64, solver: &str) -> sph_core::run::simulation::Simulation<2> {
    let table = format!(
        "support_ratio = 2.0\nnormalized = false\nrest_density = 0.2\nstiffness = 3.0\nstiffness_near = 7.0\n{solver}"
    );
    particles::<2>(&[[-0.5 * r, 0.0], [0.5 * r, 0.0]], &table)
}

proptest! {
    #![proptest_config(cases(64))]

    /// `½ dt² (P g + P_near g²)` for each, of both: with ρ = g², ρ_near = g³.
    #[test]
    fn two_particles_move_by_the_closed_form(r in 0.05..0.99_f64) {
        for mode in ["jacobi", "sequential", "colored"] {
            let mut sim = pair(r, &format!("relax_mode = \"{mode}\""));
            let (report, displacements) = displacements(&mut sim, DT);
            let displacement = |r: f64| {
                let g: f64 = 1.0 - r;
                DT * DT * (3.0 * (g * g - 0.2) * g + 7.0 * g.powi(5))
            };
            // In Gauss-Seidel the second uses the position that the first has left.
            let first = displacement(r);
            let whole = if mode == "jacobi" { 2.0 * first } else { first + displacement(r + first) };
            let found = displacements[1][0] - displacements[0][0];
            prop_assert!((found - whole).abs() < 1e-6 * DT * DT + 4.0 * EPSILON, "{mode}: {found} {whole}");
            prop_assert!(report.density_error_max.is_finite());
        }
    }

    #[test]
    fn viscosity_never_makes_a_pair_faster_and_leaves_separating_ones_alone(
        r in 0.05..0.99_f64, u in -5.0..5.0_f64, sigma in 0.0..1000.0_f64, beta in 0.0..100.0_f64
    ) {
        for mode in MODES {
            let solver = format!(
                "relax_mode = \"{mode}\"\nviscosity_linear = {sigma:?}\nviscosity_quadratic = {beta:?}"
            );
            let still = "stiffness = 0.0\nstiffness_near = 0.0\nrest_density = 1.0\nsupport_ratio = 2.0";
            let mut sim = particles::<2>(&[[-0.5 * r, 0.0], [0.5 * r, 0.0]], &format!("{still}\n{solver}"));
            (sim.state.fluid.v[0][0], sim.state.fluid.v[0][1]) = ((0.5 * u) as Real, (-0.5 * u) as Real);
            displacements(&mut sim, DT);
            let v = by_id(&sim.state.fluid.id, &sim.state.fluid.v[0]);
            let left = v[0] - v[1];
            let rounding = 4.0 * EPSILON * u.abs();
            prop_assert!(left.abs() <= u.abs() + rounding, "{mode}: {u} becomes {left}");
            prop_assert!(u > 0.0 || (left - u).abs() <= rounding, "{mode}: {u} becomes {left}");
            prop_assert!(u < 0.0 || left >= -rounding, "{mode}: {u} rebounds with {left}");
        }
    }
}

/// `k (g² − ρ₀) + k_near g⁴ = 0`.
#[test]
fn a_pair_comes_to_rest_where_its_pressures_cancel() {
    let g2 = (-3.0 + (9.0 + 4.0 * 7.0 * 3.0 * 0.2_f64).sqrt()) / 14.0;
    let expected = 1.0 - g2.sqrt();
    for mode in MODES {
        let mut sim = pair(0.6, &format!("relax_mode = \"{mode}\"\nviscosity_linear = 20.0"));
        for _ in 0..20_000 {
            displacements(&mut sim, DT);
            // Only approaching pairs are damped: damp the others here.
            sim.state.fluid.v.iter_mut().flatten().for_each(|v| *v *= 0.98);
        }
        let x = by_id(&sim.state.fluid.id, &sim.state.fluid.x[0]);
        let r = x[1] - x[0];
        println!("{mode}: {:.0} roundings", (r - expected).abs() / EPSILON);
        // A displacement dt² dP/dr δ/2, with a slope of 1.5 here, is lost when it is below half a rounding of 0.3 m.
        let lost = EPSILON / 8.0 / (0.5 * 1.5 * DT * DT);
        assert!((r - expected).abs() < 1.2 * lost, "{mode}: {r}, expected {expected}");
    }
}

/// From rest, the effect of displacements on later ones in a sweep is of the order dt² · dt².
#[test]
fn jacobi_and_gauss_seidel_agree_to_the_fourth_order() {
    let way = |mode: &str, dt: f64| {
        let mut sim = Block::free(10, &format!("relax_mode = \"{mode}\"")).jitter(0.2).build::<2>();
        squeeze(&mut sim.state, 0.95);
        displacements(&mut sim, dt).1
    };
    for mode in ["sequential", "colored"] {
        let apart = |dt: f64| {
            let (a, b) = (way("jacobi", dt), way(mode, dt));
            a.iter().zip(&b).map(|(a, b)| norm::<2>(&[a[0] - b[0], a[1] - b[1]])).sum::<f64>()
        };
        let ratio = apart(0.04) / apart(0.02);
        println!("{mode}: {ratio:.2}");
        assert!((12.0..20.0).contains(&ratio), "{mode}: {ratio}");
    }
}

#[test]
fn coincident_particles_and_none_at_all_leave_no_nan() {
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\nspring_stiffness = 100.0\nviscosity_linear = 5.0");
        for x in [vec![], vec![[0.1; 3]], vec![[0.1; 3]; 2], vec![[0.1; 3]; 30]] {
            let mut sim = particles::<3>(&x, &solver);
            for _ in 0..3 {
                let (report, displacements) = displacements(&mut sim, DT);
                assert!(
                    displacements.iter().flatten().all(|x| x.is_finite()) && report.max_speed.is_finite()
                );
            }
        }
    }
}
