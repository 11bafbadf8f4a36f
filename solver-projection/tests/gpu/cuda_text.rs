//! The CUDA source of the formulas against the Rust source, bit by bit and without a GPU.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

use cuda_kernels::{
    device::emulator::{formulas::Formulas, names},
    projection,
};
use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestRunner},
};
use solver_projection::{
    params::WeightForm,
    physics::{self as rust, CentralWeights, Contact, FreeSurface, Parting, WallCorrection, Weighed, Weight},
};
use sph_core::Real;

/// Numbers of every size and sign, and those that are not numbers.
fn number() -> impl Strategy<Value = Real> {
    let special = [0.0, -0.0, 1.0, 1e15, Real::MIN_POSITIVE, Real::MAX, Real::INFINITY, Real::NAN];
    prop_oneof![
        8 => (-1.0..1.0_f64, -20..20_i32).prop_map(|(m, e)| (m * 2.0_f64.powi(e)) as Real),
        1 => prop::sample::select(special.to_vec()),
    ]
}

/// Compares a function of `N` numbers in `D` dimensions.
fn compare_in<const D: usize, const N: usize, const M: usize>(
    function: &str,
    rust: impl Fn([Real; N]) -> [Real; M],
) {
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 4000, ..ProptestConfig::with_source_file(file!()) });
    let check = |input: [Real; N]| {
        Formulas::Projection.compare::<D>(function, &input, &rust(input)).map_err(TestCaseError::fail)
    };
    runner.run(&prop::array::uniform::<_, N>(number()), check).unwrap();
}

/// The same of a function of both.
fn compare<const N: usize, const M: usize>(function: &str, rust: impl Fn([Real; N]) -> [Real; M]) {
    compare_in::<2, N, M>(function, &rust);
    compare_in::<3, N, M>(function, &rust);
}

/// `D` numbers from the `k`-th on.
fn vector<const D: usize>(input: &[Real], k: usize) -> [Real; D] {
    std::array::from_fn(|a| input[k + a])
}

fn six(input: &[Real]) -> WallCorrection<Real> {
    WallCorrection(std::array::from_fn(|t| input[t]))
}

fn central(weight: Weight, r2: Real) -> [Real; 3] {
    let CentralWeights { inv_r, w, w2 } = weight.central(r2);
    [inv_r, w, w2]
}

#[test]
fn weights_have_the_bits_of_the_rust_text() {
    let forms = [WeightForm::MpsQuartic, WeightForm::Spiky, WeightForm::Wendland];
    for form in forms {
        let weight = |inv_h, inv_clamp| Weight { form, inv_h, inv_clamp };
        let mut runner =
            TestRunner::new(ProptestConfig { cases: 8000, ..ProptestConfig::with_source_file(file!()) });
        let check = |[inv_h, inv_clamp, r2]: [Real; 3]| {
            let (weight, input) = (weight(inv_h, inv_clamp), [form as i32 as Real, inv_h, inv_clamp, r2]);
            let Weighed { inv_r, w, w1, w2 } = weight.at(r2);
            Formulas::Projection
                .compare::<2>("Weight::at", &input, &[inv_r, w, w1, w2])
                .and_then(|()| Formulas::Projection.compare::<3>("Weight::at", &input, &[inv_r, w, w1, w2]))
                .and_then(|()| {
                    Formulas::Projection.compare::<2>("Weight::central", &input, &central(weight, r2))
                })
                .and_then(|()| {
                    Formulas::Projection.compare::<3>("Weight::central", &input, &central(weight, r2))
                })
                .and_then(|()| Formulas::Projection.compare::<2>("Weight::of", &input, &[weight.of(r2)]))
                .and_then(|()| Formulas::Projection.compare::<3>("Weight::of", &input, &[weight.of(r2)]))
                .map_err(TestCaseError::fail)
        };
        runner.run(&prop::array::uniform3(number()), check).unwrap();
    }
}

fn vectors_agree<const D: usize, const N: usize, const PAIR: usize, const TIMES: usize>() {
    compare_in::<D, N, D>("against_wall", |input| {
        let [tangential, separation] = vector(&input, 2 * D);
        rust::against_wall(vector::<D>(&input, 0), vector(&input, D), tangential, separation)
    });
    compare_in::<D, N, 1>("Parting::held", |input| {
        let [separation, speed] = vector(&input, 2 * D);
        [Parting { separation, speed }.held(vector::<D>(&input, 0), vector(&input, D))]
    });
    compare_in::<D, 3, 1>("of_void", |[push, sigma2, speed]| [rust::of_void::<D>(push, sigma2, speed)]);
    compare_in::<D, PAIR, 6>("WallCorrection::of_ghost", |input| {
        WallCorrection::of_ghost(vector::<D>(&input, 0), vector(&input, D)).0
    });
    compare_in::<D, TIMES, D>("WallCorrection::times", |input| six(&input).times(vector::<D>(&input, 6)));
    compare_in::<D, PAIR, 1>("dot", |input| [rust::dot(vector::<D>(&input, 0), vector(&input, D))]);
    compare_in::<D, 8, 1>("correction_scale", |input| {
        [rust::correction_scale::<D>(six(&input), input[6], input[7])]
    });
}

#[test]
fn vectors_have_the_bits_of_the_rust_text() {
    vectors_agree::<2, 6, 4, 8>();
    vectors_agree::<3, 8, 6, 9>();
}

#[test]
fn surface_and_densities_have_the_bits_of_the_rust_text() {
    let surface = |[reference, threshold, asymmetry, at_wall, spray, alone]: [Real; 6]| FreeSurface {
        reference,
        threshold,
        asymmetry,
        at_wall,
        spray,
        by_asymmetry: alone != 0.0,
    };
    compare("FreeSurface::holds", |input: [Real; 10]| {
        let [total, alpha, found, beside] = vector(&input, 6);
        let holds = surface(vector(&input, 0)).holds(total, alpha, found, beside != 0.0);
        [if holds { 1.0 } else { 0.0 }]
    });
    compare("FreeSurface::counted", |[reference, fluid, total]| {
        [surface([reference, 0.0, 0.0, 0.0, 0.0, 0.0]).counted(fluid, total)]
    });
    compare("FreeSurface::missing", |[reference, at_wall, spray, total, alpha, beside]| {
        [surface([reference, 0.0, 0.0, at_wall, spray, 0.0]).missing(total, alpha, beside != 0.0)]
    });
    compare(
        "Contact::behind",
        |[outside, first]| [Contact::behind(outside != 0.0, f64::from(first)) as Real],
    );
    compare("Contact::stopped", |[dt, least, gap, u_n]| {
        let contact = Contact { dt: f64::from(dt), least: f64::from(least), pitch2: 0.0 };
        [contact.stopped(f64::from(gap), f64::from(u_n)) as Real]
    });
    compare("density_error", |[excess, two_sided]| [rust::density_error(excess, two_sided != 0.0)]);
    compare("xsph", |[m, rho_i, rho_j, w]| [rust::xsph(m, rho_i, rho_j, w)]);
    compare("mirrored", |[before, depth, least]| [rust::mirrored(before, depth, least)]);
}

/// What the host makes of parameters, once.
const WITHOUT_TWIN: [&str; 3] = ["Weight::new", "LatticeSums::new", "Contact::new"];

#[test]
fn every_formula_has_a_twin_that_can_be_called() {
    let mut rust = names::of_rust(include_str!("../../src/physics.rs"));
    assert!(rust.len() >= 12 && WITHOUT_TWIN.iter().all(|name| rust.iter().any(|r| r == name)), "{rust:?}");
    rust.retain(|name| !WITHOUT_TWIN.contains(&name.as_str()));
    // The scalar product is that of the core.
    let without_dot = |names: Vec<String>| names.into_iter().filter(|name| name != "dot").collect::<Vec<_>>();
    assert_eq!(without_dot(names::of_cuda(projection::FORMULAS)), rust, "names or their order");
    assert_eq!(without_dot(Formulas::Projection.names::<2>()), rust, "host/physics_projection.cpp");
    assert_eq!(without_dot(Formulas::Projection.names::<3>()), rust, "host/physics_projection.cpp");
}
