//! The CUDA source of the formulas against the Rust source, bit by bit and without a GPU.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use cuda_kernels::{
    device::emulator::{formulas::Formulas, names},
    viscoelastic,
};
use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestRunner},
};
use solver_viscoelastic::physics::{self as rust, Flow, Spring, Stiffness, Viscosity};
use sph_core::Real;

/// Numbers of every size and sign, and those that are not finite.
fn number() -> impl Strategy<Value = Real> {
    let special = [0.0, -0.0, 1.0, 1e15, Real::MIN_POSITIVE, Real::MAX, Real::INFINITY, Real::NAN];
    prop_oneof![
        8 => (-1.0..1.0_f64, -20..20_i32).prop_map(|(m, e)| (m * 2.0_f64.powi(e)) as Real),
        1 => prop::sample::select(special.to_vec()),
    ]
}

/// Compares a function of `N` numbers in both dimensions.
fn compare<const N: usize, const M: usize>(function: &str, rust: impl Fn([Real; N]) -> [Real; M]) {
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 4000, ..ProptestConfig::with_source_file(file!()) });
    let check = |input: [Real; N]| {
        Formulas::Viscoelastic.compare::<2>(function, &input, &rust(input))?;
        Formulas::Viscoelastic.compare::<3>(function, &input, &rust(input))
    };
    let checked = |input| check(input).map_err(TestCaseError::fail);
    runner.run(&prop::array::uniform::<_, N>(number()), checked).unwrap();
}

#[test]
fn closeness_and_densities_have_the_bits_of_the_rust_source() {
    compare("closeness", |[r, inv_h]| [rust::closeness(r, inv_h)]);
    compare("inverse", |[r]| [rust::inverse(r)]);
    compare("density_terms", |[g]| rust::density_terms(g));
}

#[test]
fn coincident_particles_have_a_finite_inverse_distance_in_both_sources() {
    let found = Formulas::Viscoelastic.call::<2>("inverse", &[0.0]).unwrap();
    assert!(found[0].is_finite() && found == [rust::inverse(0.0)], "{found:?}");
}

#[test]
fn pressures_and_displacements_have_the_bits_of_the_rust_source() {
    compare("Stiffness::pressures", |[k, k_near, k_rest, balance, rho, near]| {
        Stiffness { k, k_near, k_rest, balance }.pressures([rho, near])
    });
    compare("Stiffness::on_wall", |[k, k_near, k_rest, balance, p, near]| {
        Stiffness { k, k_near, k_rest, balance }.on_wall([p, near])
    });
    compare("pair_acceleration", |[p, near, g]| [rust::pair_acceleration([p, near], g)]);
    compare("limited", |[displacement, max]| [rust::limited(displacement, max)]);
}

#[test]
fn impulses_and_springs_have_the_bits_of_the_rust_source() {
    compare("Viscosity::impulse", |[linear, quadratic, max_fraction, u, g]| {
        [Viscosity { linear, quadratic, max_fraction }.impulse(u, g)]
    });
    compare(
        "Spring::displacement",
        |[stiffness, h, rest, r]| [Spring { stiffness, h }.displacement(rest, r)],
    );
    compare("Flow::rest", |[rate, yield_ratio, rest, r]| [Flow { rate, yield_ratio }.rest(rest, r)]);
}

/// Derived from parameters on the host, once.
const WITHOUT_TWIN: [&str; 7] = [
    "LatticeSums::new",
    "LatticeSums::rest_density",
    "LatticeSums::balance",
    "virial",
    "sound_speed2",
    "stable_waves",
    "stable_springs",
];

#[test]
fn every_formula_has_a_twin_that_can_be_called() {
    let mut rust = names::of_rust(include_str!("../../src/physics.rs"));
    assert!(rust.len() >= 17 && WITHOUT_TWIN.iter().all(|name| rust.iter().any(|r| r == name)), "{rust:?}");
    rust.retain(|name| !WITHOUT_TWIN.contains(&name.as_str()));
    assert_eq!(names::of_cuda(viscoelastic::FORMULAS), rust, "names or their order");
    assert_eq!(Formulas::Viscoelastic.names::<2>(), rust, "host/physics_viscoelastic.cpp");
    assert_eq!(Formulas::Viscoelastic.names::<3>(), rust, "host/physics_viscoelastic.cpp");
}
