//! Special points of the formulas.
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

use solver_pbf::physics::*;
use sph_core::Real;

#[test]
fn a_satisfied_constraint_has_no_multiplier_and_a_violated_one_pushes() {
    assert_eq!(constraint(990.0 as Real, 1e-3, true), 0.0);
    assert!((constraint(990.0 as Real, 1e-3, false) + 0.01).abs() < 1e-6);
    assert!(constraint(Real::NAN, 1e-3, true).is_nan());
    assert_eq!(lambda(0.0, 0.0, 0.0, 0.0), 0.0);
    assert_eq!(lambda(0.5, 1.0, 2.0, 1.0), -0.125);
}

#[test]
fn s_corr_is_minus_k_at_its_distance_and_of_fourth_power() {
    let s = Scorr { k: 0.1, inv_w_dq: 0.25 };
    assert!((s.s(|| 4.0 as Real) + 0.1).abs() < 1e-7);
    assert!((s.s(|| 2.0 as Real) / -0.1 - (0.5 as Real).powi(4)).abs() < 1e-6);
    assert_eq!(Scorr { k: 0.0, inv_w_dq: 0.25 }.s(|| 4.0 as Real), 0.0);
}

/// Parabolas through unequal steps: positions by their velocity, velocities by their acceleration.
#[test]
fn bdf2_is_exact_on_parabolas_whatever_the_steps() {
    let (a, v_0, x_0) = (-9.81_f64, 1.5, 0.25);
    let v = |t: f64| v_0 + a * t;
    let x = |t: f64| x_0 + v_0 * t + 0.5 * a * t * t;
    for kappa in [0.3, 0.5, 1.0, 1.4, 2.0] {
        let (before, now) = (0.01, 0.01 * kappa);
        let bdf = Bdf2::new(kappa);
        let dv = bdf.change((v(0.0) - v(-before)) as Real, (now * a) as Real);
        assert!((f64::from(dv) - (v(now) - v(0.0))).abs() < 1e-6, "{kappa}");
        let dx = bdf.change((x(0.0) - x(-before)) as Real, (now * v(now)) as Real);
        assert!((f64::from(dx) - (x(now) - x(0.0))).abs() < 1e-7, "{kappa}");
    }
}

#[test]
fn stability_numbers_follow_the_recipe() {
    // 20 layers of 2 cm at 1/60 s with 4 iterations explode, at 1/120 s they lose a few percent.
    let s = |dt| stability_number(9.81 * 0.4, dt, 0.02, 4);
    assert!(s(1.0 / 60.0) > s_explosion(2, 4) && s(1.0 / 120.0) < 0.18 && s(1.0 / 120.0) > S_VOLUME);
    assert_eq!(s_explosion(3, 2), 0.125);
    // 19.9 γ_c Δt²/Δx per m³ ρ₀/h³ of the recipe: h = 2 Δx, m = ρ₀ Δx³.
    let c = cohesion_number(1.0, 1000.0 * 0.02_f64.powi(3), 0.04, 3, 1.0, 1.0);
    assert!((c - 19.9).abs() < 0.01, "{c}");
}
