//! Special points of the formulas.
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

use solver_wcsph::{Wall, physics::*};
use sph_core::Real;

const RHO_0: Real = 1000.0;
const C_0: Real = 20.0;
const EPSILON: f64 = if size_of::<Real>() == 4 { 1.2e-7 } else { 2.3e-16 };

fn equations() -> [Eos; 2] {
    [Eos::Tait { b: RHO_0 * C_0 * C_0 / 7.0 }, Eos::Linear { c2: C_0 * C_0 }]
}

#[test]
fn contact_hardens_from_its_reach_on_and_is_finite() {
    let (kappa, dx) = (0.5, 0.1);
    let contact = Contact::new(kappa, C_0, dx);
    let force = |q: Real| {
        let r = q * contact.reach;
        contact.factor(r * r) * r * dx / (kappa * C_0 * C_0)
    };
    assert_eq!((force(1.0), force(1.5), contact.factor(1e30)), (0.0, 0.0, 0.0));
    // The softening of r is half a millionth of the reach squared.
    assert!((force(0.5) - 0.25).abs() < 1e-5 && (force(0.25) - 0.5625).abs() < 1e-4, "{}", force(0.5));
    assert!(contact.factor(0.0 as Real).is_finite() && force(0.0) == 0.0);
}

#[test]
fn cavitating_fluid_bears_no_tension() {
    let at = |rho: Real| tensile_cutoff(-100.0, rho * RHO_0, RHO_0);
    assert_eq!((at(0.99), at(0.9), at(0.5)), (-100.0, 0.0, 0.0));
    assert!((at(0.925) + 50.0).abs() < 0.01, "half way in the fade");
    assert_eq!(tensile_cutoff(100.0, 0.5 * RHO_0, RHO_0), 100.0, "pressure is not touched");
    assert!(tensile_cutoff(Real::NAN, 0.99 * RHO_0, RHO_0).is_nan() && at(Real::NAN).is_nan());
}

#[test]
#[allow(clippy::useless_conversion, reason = "the width of `Real` is a feature")]
fn pressure_is_0_at_rest_density_and_rises_with_the_sound_speed_squared() {
    for eos in equations() {
        assert_eq!(pressure(eos, RHO_0, RHO_0), 0.0);
        // Central difference over d: exact to d² γ²/6 and to the rounding of ρ/ρ₀ over d.
        let d = if size_of::<Real>() == 4 { 4e-3 } else { 1e-5 };
        let (low, high) = (RHO_0 * (1.0 - d), RHO_0 * (1.0 + d));
        let slope = f64::from(pressure(eos, high, RHO_0) - pressure(eos, low, RHO_0)) / f64::from(high - low);
        let tolerance = 49.0 / 6.0 * f64::from(d * d) + 20.0 * EPSILON / f64::from(d);
        assert!((slope / f64::from(C_0 * C_0) - 1.0).abs() < tolerance, "{eos:?}: {slope}");
    }
}

#[test]
#[allow(clippy::useless_conversion, reason = "the width of `Real` is a feature")]
fn density_of_pressure_is_the_inverse() {
    for eos in equations() {
        for t in [0.9, 0.97, 1.0, 1.001, 1.02, 1.3] {
            let rho = t * RHO_0;
            let back = density_of_pressure(eos, pressure(eos, rho, RHO_0), RHO_0);
            assert!(
                f64::from((back - rho).abs()) < 8.0 * EPSILON * f64::from(RHO_0) / f64::from(t.powi(6)),
                "{eos:?}: {rho} {back}"
            );
        }
    }
}

#[test]
fn seventh_root_is_that_of_the_seventh_power_within_roundings() {
    // Evenly over its logarithm, from 10⁻³ to 10⁴: pressures of up to ten thousand times B.
    for k in 0..=7000 {
        let x = 10.0_f64.powf(f64::from(k) / 1000.0 - 3.0);
        let y = seventh_root(x);
        assert!((y.powi(7) / x - 1.0).abs() < 16.0 * f64::EPSILON, "{x}: {y}");
    }
    assert_eq!(
        [1.0, 0.0, -1.0, f64::INFINITY, f64::NAN].map(seventh_root),
        [1.0, 0.0, 0.0, f64::INFINITY, 0.0]
    );
}

#[test]
#[allow(clippy::useless_conversion, reason = "the width of `Real` is a feature")]
fn internal_energy_has_the_derivative_p_over_rho_squared() {
    let rho_0 = f64::from(RHO_0);
    for eos in equations() {
        assert_eq!(internal_energy(eos, rho_0, rho_0), 0.0);
        for t in [0.95, 1.01, 1.1] {
            let (rho, d) = (t * rho_0, 1e-3 * rho_0);
            let slope =
                (internal_energy(eos, rho + d, rho_0) - internal_energy(eos, rho - d, rho_0)) / (2.0 * d);
            let expected = f64::from(pressure(eos, rho as Real, RHO_0)) / (rho * rho);
            // Third derivatives stay below 100 c₀²/ρ₀³, on d²/6; pressure has lost digits to its subtraction.
            let scale = f64::from(C_0 * C_0) / rho_0;
            assert!((slope - expected).abs() < (2e-5 + 16.0 * EPSILON) * scale, "{eos:?} at {rho}");
        }
    }
}

#[test]
fn only_a_tensile_wall_bears_tension() {
    let (p_rho2, rho) = (-2.0, 900.0);
    for wall in [Wall::Mirrored, Wall::Dummy { tensile: false }] {
        assert_eq!(wall.pressure_term(p_rho2, rho, 1000.0), 0.0, "{wall:?}");
    }
    assert_eq!(Wall::Dummy { tensile: true }.pressure_term(p_rho2, rho, 1000.0), p_rho2);
    assert_eq!(
        Wall::Dummy { tensile: false }.pressure_term(2.0, rho, 1000.0),
        2.0,
        "pressure is not touched"
    );
}

/// Shifting has a fifth more of the gradient at a spacing, and sixteen fifths more where W is twice as large.
#[test]
fn shifting_grows_with_the_fourth_power_of_the_kernel() {
    let at = |w: f64| shifting::<f64>(w, 0.25, -3.0);
    for (w, expected) in [(0.0, -3.0), (4.0, -3.6), (8.0, -12.6)] {
        assert!((at(w) - expected).abs() < 1e-6, "{} at W = {w}", at(w));
    }
}
