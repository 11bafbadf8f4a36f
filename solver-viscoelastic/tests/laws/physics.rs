//! Special points of the formulas.
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

use solver_viscoelastic::physics::*;
use sph_core::Real;

#[test]
fn closeness_is_one_at_contact_and_zero_from_the_radius_on() {
    assert_eq!([0.0, 0.5, 1.0, 3.0, 1e15].map(|r: f64| closeness(r, 1.0)), [1.0, 0.5, 0.0, 0.0, 0.0]);
}

#[test]
fn lattice_sums_are_those_of_the_prototypes() {
    // Published with the method's recipes to four digits.
    let known = [(2.0, 1.343, 2.673), (2.5, 2.444, 5.696), (3.0, 3.872, 10.519), (4.0, 7.499, 25.97)];
    for (eta, flat, space) in known {
        assert!((LatticeSums::new::<2>(eta).rho - flat).abs() < 1e-3 * flat);
        assert!((LatticeSums::new::<3>(eta).rho - space).abs() < 1e-3 * space);
    }
}

#[test]
fn lattice_sums_approach_their_integrals() {
    let (eta, pi) = (12.0_f64, std::f64::consts::PI);
    let flat = LatticeSums::new::<2>(eta);
    assert!((flat.rho / (pi / 6.0 * eta * eta - 1.0) - 1.0).abs() < 2e-3);
    assert!((flat.near / (pi / 10.0 * eta * eta - 1.0) - 1.0).abs() < 2e-3);
    let space = LatticeSums::new::<3>(eta);
    assert!((space.rho / (2.0 * pi / 15.0 * eta.powi(3) - 1.0) - 1.0).abs() < 2e-3);
    assert!((space.near / (pi / 15.0 * eta.powi(3) - 1.0) - 1.0).abs() < 2e-3);
}

#[test]
fn a_lattice_at_its_rest_density_has_no_virial() {
    for eta in [2.0, 2.5, 3.4] {
        let sums = LatticeSums::new::<3>(eta);
        let rho_0 = sums.rest_density([sums.rho, sums.near], 35.0, 100.0);
        let balance = sums.balance() as Real;
        let stiffness = Stiffness { k: 35.0, k_near: 100.0, k_rest: (35.0 * rho_0) as Real, balance };
        let scale = 35.0 * sums.rho * sums.reach;
        assert!(virial::<3>(&stiffness, eta, 1.0).abs() < 1e-6 * scale);
        assert!(sound_speed2::<3>(&stiffness, eta, 1.0) > 0.0);
    }
}

#[test]
fn impulses_stop_an_approach_at_most() {
    let viscosity = Viscosity { linear: 0.1, quadratic: 0.2, max_fraction: 1.0 };
    assert_eq!(viscosity.impulse(-3.0_f64, 0.5), 0.0);
    assert!((viscosity.impulse(2.0_f64, 0.5) - 0.5 * (0.1 * 2.0 + 0.2 * 4.0)).abs() < 1e-7);
    assert_eq!(viscosity.impulse(1e4_f64, 1.0), 1e4);
}

#[test]
fn springs_at_rest_and_springs_as_long_as_the_radius_do_nothing() {
    let spring = Spring { stiffness: 0.2, h: 0.7 };
    let by = |rest: Real, r: Real| spring.displacement(rest, r);
    assert_eq!(by(0.5, 0.5), 0.0);
    assert_eq!([by(0.7, 0.3), by(0.7, 2e15)], [0.0; 2]);
    assert!(by(0.5, 0.3) > 0.0 && by(0.5, 0.7) < 0.0);
}

#[test]
fn rest_lengths_flow_beyond_the_yield_ratio_alone() {
    let flow = Flow { rate: 0.5, yield_ratio: 0.1 };
    let of = |flow: Flow, rest: Real, r: Real| flow.rest(rest, r);
    for r in [0.91, 1.0, 1.09] {
        assert_eq!(of(flow, 1.0, r), 1.0);
    }
    assert!((of(flow, 1.0, 1.3) - 1.1).abs() < 1e-6);
    assert!((of(flow, 1.0, 0.5) - 0.8).abs() < 1e-6);
    // The fastest flow makes no length negative.
    assert_eq!(of(Flow { rate: 1.0, yield_ratio: 0.0 }, 0.3, 0.0), 0.0);
    let elastic = Flow { rate: 0.0, ..flow };
    assert_eq!(of(elastic, 0.3, 2.0), 0.3);
}
