//! The CUDA source of the formulas against the Rust source, bit by bit and without a GPU.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use cuda_kernels::{
    device::{
        compile::source,
        emulator::{formulas::Formulas, names},
    },
    wcsph,
};
use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestRunner},
};
use solver_wcsph::{
    params::KERNELS,
    physics::{self as rust, Contact, Eos, Pair, Viscosity},
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

fn between(low: f64, high: f64) -> impl Strategy<Value = Real> {
    (low..high).prop_map(|x| x as Real)
}

/// Runs `check` on many values of a strategy.
fn on_many<T: std::fmt::Debug>(values: impl Strategy<Value = T>, check: impl Fn(&T) -> Result<(), String>) {
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 4000, ..ProptestConfig::with_source_file(file!()) });
    runner.run(&values, |value| check(&value).map_err(TestCaseError::fail)).unwrap();
}

/// Compares a function of `N` numbers in both dimensions.
fn compare<const N: usize>(function: &str, rust: impl Fn([Real; N]) -> Real) {
    on_many(prop::array::uniform::<_, N>(number()), |&input| {
        Formulas::Wcsph.compare::<2>(function, &input, &[rust(input)])?;
        Formulas::Wcsph.compare::<3>(function, &input, &[rust(input)])
    });
}

#[test]
fn pair_formulas_have_the_bits_of_the_rust_source() {
    compare("pressure_force", |[m, p_i, p_j, f]| rust::pressure_force(m, p_i, p_j, f));
    compare("continuity", |[m, v_x, f]| rust::continuity(m, v_x, f));
    compare("density_diffusion", |[rho_ji, grad, f]| rust::density_diffusion(rho_ji, grad, f));
    compare("shifting", |[w, inv_w_dx, f]| rust::shifting(w, inv_w_dx, f));
    compare("Contact::factor", |[stiffness, reach, r2]| Contact { stiffness, reach }.factor(r2));
}

/// An equation of state in both sources.
fn any_eos() -> impl Strategy<Value = (Eos, [Real; 2])> {
    (any::<bool>(), between(1.0, 1e6)).prop_map(|(is_linear, b)| match is_linear {
        false => (Eos::Tait { b }, [wcsph::Eos::TAIT as Real, b]),
        true => (Eos::Linear { c2: b }, [wcsph::Eos::LINEAR as Real, b]),
    })
}

/// Densities near that at rest, and others.
fn densities() -> impl Strategy<Value = (Real, Real)> {
    let ratio =
        prop_oneof![8 => between(0.8, 1.3), 1 => between(0.0, 10.0), 1 => Just(1.0), 1 => Just(Real::NAN)];
    (ratio, between(0.5, 2000.0)).prop_map(|(ratio, rho_0)| (ratio * rho_0, rho_0))
}

/// Equations of state have the bits of the Rust source, roots included.
#[test]
fn equations_of_state_have_the_bits_of_the_rust_source() {
    on_many((any_eos(), densities(), number()), |&((eos, [kind, b]), (rho, rho_0), p)| {
        let compare =
            |function, x, rust: &[Real]| Formulas::Wcsph.compare::<2>(function, &[kind, b, x, rho_0], rust);
        compare("pressure", rho, &[rust::pressure(eos, rho, rho_0)])?;
        for p in [p, rust::pressure(eos, rho, rho_0)] {
            compare("density_of_pressure", p, &[rust::density_of_pressure(eos, p, rho_0)])?;
        }
        // In two parts, as the table of the host gives them.
        let parts = |x: f64| [x as Real, (x - f64::from(x as Real)) as Real];
        Formulas::Wcsph.compare::<2>("seventh_root", &[rho], &parts(rust::seventh_root(f64::from(rho))))?;
        let energy = rust::internal_energy(eos, f64::from(rho), f64::from(rho_0));
        compare("internal_energy", rho, &parts(energy))
    });
}

#[test]
fn the_tensile_cutoff_has_the_bits_of_the_rust_source() {
    on_many((number(), densities()), |&(p, (rho, rho_0))| {
        let expected = rust::tensile_cutoff(p, rho, rho_0);
        Formulas::Wcsph.compare::<2>("tensile_cutoff", &[p, rho, rho_0], &[expected])
    });
}

fn compare_viscosities<const D: usize>() {
    let vector = || prop::array::uniform::<_, D>(number());
    let scalars = || prop::array::uniform4(number());
    on_many((vector(), vector(), scalars(), number(), number()), |&(x_ij, v_ij, of_pair, a, softening)| {
        let [r2, f, rho_i, rho_j] = of_pair;
        let (pair, numbers) =
            (&Pair { x_ij, v_ij, r2, f, rho_i, rho_j }, &[&x_ij[..], &v_ij, &of_pair].concat()[..]);
        let compare = |name: &str, model: &[Real], factors: [Real; 2]| {
            let input = [numbers, &[softening], model].concat();
            Formulas::Wcsph.compare::<D>(&format!("{name}::factors"), &input, &factors)
        };
        compare("Monaghan", &[a], Viscosity::Monaghan { alpha_h_c: a }.factors(pair, softening))?;
        compare("Morris", &[a], Viscosity::Morris { mu: a }.factors(pair, softening))?;
        compare("Solenoidal", &[a], Viscosity::Solenoidal { mu: a }.factors(pair, softening))?;
        let dot = rust::dot(pair.x_ij, pair.v_ij);
        Formulas::Wcsph.compare::<D>("dot", &numbers[..2 * D], &[dot])
    });
}

#[test]
fn viscosities_have_the_bits_of_the_rust_source() {
    compare_viscosities::<2>();
    compare_viscosities::<3>();
}

/// What the host makes once of parameters.
const WITHOUT_TWIN: [&str; 1] = ["Contact::new"];

#[test]
fn every_formula_has_a_twin_that_can_be_called() {
    let mut rust = names::of_rust(include_str!("../../src/physics.rs"));
    assert!(rust.len() >= 10 && WITHOUT_TWIN.iter().all(|name| rust.iter().any(|r| r == name)), "{rust:?}");
    rust.retain(|name| !WITHOUT_TWIN.contains(&name.as_str()));
    // One match in Rust is a type for each model in CUDA.
    let at = rust.iter().position(|name| name == "Viscosity::factors").unwrap();
    let models = ["Monaghan", "Morris", "Solenoidal"];
    rust.splice(at..=at, models.map(|model| format!("{model}::factors")));
    // The scalar product is that of the core.
    let without_dot = |names: Vec<String>| names.into_iter().filter(|name| name != "dot").collect::<Vec<_>>();
    assert_eq!(without_dot(names::of_cuda(wcsph::FORMULAS)), rust, "names or their order");
    assert_eq!(without_dot(Formulas::Wcsph.names::<2>()), rust, "host/physics_wcsph.cpp");
    assert_eq!(without_dot(Formulas::Wcsph.names::<3>()), rust, "host/physics_wcsph.cpp");
}

#[test]
fn sources_are_built_with_the_smoothing_kernels_of_the_method() {
    let taken: BTreeSet<_> = KERNELS.iter().map(|kind| kind.type_name()).collect();
    let of_method = |file: &&str| file.starts_with("wcsph/") || *file == "common/surface/surface.cu";
    let files: BTreeSet<_> = source::builds().map(|(file, ..)| file).filter(of_method).collect();
    for file in files {
        let built: BTreeSet<_> = source::smoothing(file).into_iter().flatten().collect();
        assert!(built.is_empty() || built == taken, "{file}: {built:?}");
    }
}
