//! The CUDA source of the formulas against the Rust source, bit by bit and without a GPU.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use cuda_kernels::{
    device::{
        compile::source,
        emulator::{formulas::Formulas, names},
    },
    pbf,
};
use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestRunner},
};
use solver_pbf::{
    params::KERNELS,
    physics::{self as rust, Bdf2, Scorr},
};
use sph_core::Real;
use std::collections::BTreeSet;

/// Numbers of every size and sign, and those that are not numbers.
fn number() -> impl Strategy<Value = Real> {
    let special = [0.0, -0.0, 1.0, 1e15, Real::MIN_POSITIVE, Real::MAX, Real::INFINITY, Real::NAN];
    prop_oneof![
        8 => (-1.0..1.0_f64, -20..20_i32).prop_map(|(m, e)| (m * 2.0_f64.powi(e)) as Real),
        1 => prop::sample::select(special.to_vec()),
    ]
}

/// Runs `check` on many values of a strategy.
fn on_many<T: std::fmt::Debug>(values: impl Strategy<Value = T>, check: impl Fn(&T) -> Result<(), String>) {
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 4000, ..ProptestConfig::with_source_file(file!()) });
    runner.run(&values, |value| check(&value).map_err(TestCaseError::fail)).unwrap();
}

/// Compares a function of `N` numbers in both dimensions.
fn compare<const N: usize, const M: usize>(function: &str, rust: impl Fn([Real; N]) -> [Real; M]) {
    on_many(prop::array::uniform::<_, N>(number()), |&input| {
        Formulas::Pbf.compare::<2>(function, &input, &rust(input))?;
        Formulas::Pbf.compare::<3>(function, &input, &rust(input))
    });
}

#[test]
fn formulas_of_numbers_have_the_bits_of_the_rust_source() {
    compare("lambda", |[c, own, sum, epsilon]| [rust::lambda(c, own, sum, epsilon)]);
    compare("Scorr::s", |[k, inv_w_dq, w]| [Scorr { k, inv_w_dq }.s(|| w)]);
    compare("xsph", |[m, rho_i, rho_j, w]| [rust::xsph(m, rho_i, rho_j, w)]);
    compare("is_nonzero", |[a]| [rust::is_nonzero(a)]);
    compare("cross", |[a, b, c, d, e, f]| rust::cross([a, b, c], [d, e, f]));
    compare("Bdf2::change", |[history, rate, kappa, last, now]| {
        [Bdf2 { history, rate, kappa }.change(last, now)]
    });
}

#[test]
fn both_constraints_have_the_bits_of_the_rust_source() {
    on_many((any::<bool>(), prop::array::uniform2(number())), |&(unilateral, [rho, inv_rho_0])| {
        let input = [rho, inv_rho_0, if unilateral { 1.0 } else { 0.0 }];
        Formulas::Pbf.compare::<3>("constraint", &input, &[rust::constraint(rho, inv_rho_0, unilateral)])
    });
}

#[test]
fn satisfied_constraints_have_no_multiplier_in_either_source() {
    // Not one against the other: without this case both would be 0/0, which counts as the same.
    for c in [0.0, -0.0] {
        assert_eq!(rust::lambda(c, 0.0, 0.0, 0.0), 0.0);
        Formulas::Pbf.compare::<2>("lambda", &[c, 0.0, 0.0, 0.0], &[0.0]).unwrap();
        Formulas::Pbf.compare::<3>("lambda", &[c, 0.0, 0.0, 0.0], &[0.0]).unwrap();
    }
}

fn compare_vectors<const D: usize>() {
    let vector = || prop::array::uniform::<_, D>(number());
    on_many(vector(), |&a| Formulas::Pbf.compare::<D>("in_space", &a, &rust::in_space(a)));
}

#[test]
fn formulas_of_vectors_have_the_bits_of_the_rust_source() {
    compare_vectors::<2>();
    compare_vectors::<3>();
}

/// What the host makes of parameters, or once a step.
const WITHOUT_TWIN: [&str; 6] =
    ["stable_radius", "scaled_scorr", "Bdf2::new", "stability_number", "s_explosion", "cohesion_number"];

#[test]
fn every_formula_has_a_twin_that_can_be_called() {
    let mut rust = names::of_rust(include_str!("../../src/physics.rs"));
    assert!(rust.len() >= 12 && WITHOUT_TWIN.iter().all(|name| rust.iter().any(|r| r == name)), "{rust:?}");
    rust.retain(|name| !WITHOUT_TWIN.contains(&name.as_str()));
    // The vector product is that of the core.
    let without_cross =
        |names: Vec<String>| names.into_iter().filter(|name| name != "cross").collect::<Vec<_>>();
    assert_eq!(without_cross(names::of_cuda(pbf::FORMULAS)), rust, "names or their order");
    assert_eq!(without_cross(Formulas::Pbf.names::<2>()), rust, "host/physics_pbf.cpp");
    assert_eq!(without_cross(Formulas::Pbf.names::<3>()), rust, "host/physics_pbf.cpp");
}

#[test]
fn sources_are_built_with_the_smoothing_kernels_of_the_method() {
    let taken: BTreeSet<_> = KERNELS.iter().map(|kind| kind.type_name()).collect();
    let of_method = |file: &&str| file.starts_with("pbf/");
    let files: BTreeSet<_> = source::builds().map(|(file, ..)| file).filter(of_method).collect();
    for file in files {
        let built: BTreeSet<_> = source::smoothing(file).into_iter().flatten().collect();
        assert!(built.is_empty() || built == taken, "{file}: {built:?}");
    }
}
