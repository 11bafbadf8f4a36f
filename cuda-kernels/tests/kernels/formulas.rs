//! The CUDA source of kernels and space against that of `sph-core`, bit by bit and without a GPU.

use cuda_kernels::{
    common::numerics::{
        kernel::{Adhesion, Cohesion, FORMULAS, KernelConstants, Support, ViscosityLaplacian},
        space::{Domain, Forces, Periodic},
    },
    device::{
        compile::source,
        emulator::{
            formulas::{self, Formulas},
            names,
        },
    },
    twins,
};
use proptest::{
    prelude::*,
    test_runner::{TestCaseError, TestRunner},
};
use sph_core::{
    Real,
    fluid::material,
    kernel::{self, Formula, KernelKind},
    numerics::{lane::Lane, vector::norm2},
};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Runs `check` on many values of a strategy.
fn on_many<T: std::fmt::Debug>(values: impl Strategy<Value = T>, check: impl Fn(&T) -> Result<(), String>) {
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 4000, ..ProptestConfig::with_source_file(file!()) });
    runner.run(&values, |value| check(&value).map_err(TestCaseError::fail)).unwrap();
}

/// Numbers of every size and sign, and those that are not numbers.
fn number() -> impl Strategy<Value = Real> {
    let special = [0.0, -0.0, 1.0, 1e15, Real::MIN_POSITIVE, Real::MAX, Real::INFINITY, Real::NAN];
    prop_oneof![
        8 => (-1.0..1.0_f64, -20..20_i32).prop_map(|(m, e)| (m * 2.0_f64.powi(e)) as Real),
        1 => prop::sample::select(special.to_vec()),
    ]
}

/// Support radii from tenths of a millimeter to ten meters.
fn any_h() -> impl Strategy<Value = Real> {
    (-4.0..1.0_f64).prop_map(|exponent| 10.0_f64.powf(exponent) as Real)
}

/// Support radii, and squared distances inside and outside of the support, where knots lie and where nothing is.
fn distances() -> impl Strategy<Value = (Real, Real)> {
    let special = [0.0, 0.25, 1.0, 1e30, Real::MIN_POSITIVE];
    let q = prop_oneof![
        6 => (0.0..1.2_f64).prop_map(|q| q as Real),
        1 => prop::sample::select(special.to_vec()).prop_map(Real::sqrt),
        1 => Just(Real::NAN),
    ];
    (any_h(), q).prop_map(|(h, q)| (h, q * h * (q * h)))
}

fn numbers_of(k: &KernelConstants, r2: Real) -> [Real; 9] {
    [k.support.h, k.support.inv_h, k.half_h, k.h2, k.inv_h2, k.w_scale, k.f_scale, k.kind as Real, r2]
}

fn compare_kernel<const D: usize, K: Formula<D>>(kind: KernelKind) {
    let name = kind.type_name();
    on_many(distances(), |&(h, r2)| {
        let (rust, input) = (K::new(h), numbers_of(&KernelConstants::new::<D>(kind, h), r2));
        let compare = |function, input, rust| {
            Formulas::Kernel.compare::<D>(&format!("{name}::{function}"), input, &[rust])
        };
        compare("w", &input, rust.w(r2))?;
        compare("grad_factor", &input, rust.grad_factor(r2))?;
        // The type that chooses a kernel at run time, which the emulator has.
        Formulas::Kernel.compare::<D>("AnyKernel::w", &input, &[rust.w(r2)])?;
        Formulas::Kernel.compare::<D>("AnyKernel::grad_factor", &input, &[rust.grad_factor(r2)])?;
        compare("support_radius", &input[..8], rust.support_radius())?;
        compare("w_0", &input[..8], rust.w_0())
    });
}

fn compare_all_kernels<const D: usize>() {
    macro_rules! compare {
        ($($kernel:ident)*) => { $(compare_kernel::<D, kernel::$kernel<D>>(KernelKind::$kernel);)* };
    }
    sph_core::all_kernels!(compare);
}

#[test]
fn kernels_have_the_bits_of_the_rust_text() {
    compare_all_kernels::<2>();
    compare_all_kernels::<3>();
}

/// `[h, 1/h, ..rest, r²]`.
fn with_support(support: Support, rest: &[Real], r2: Real) -> Vec<Real> {
    [&[support.h, support.inv_h], rest, &[r2]].concat()
}

fn compare_surface_kernels<const D: usize>() {
    on_many(distances(), |&(h, r2)| {
        let compare = |function: &str, input: &[Real], rust: Real| {
            Formulas::Kernel.compare::<D>(function, input, &[rust])
        };
        let (rust, cuda) = (kernel::ViscosityLaplacian::<D>::new(h), ViscosityLaplacian::new::<D>(h));
        let input = with_support(cuda.support, &[cuda.scale], r2);
        compare("ViscosityLaplacian::laplacian", &input, rust.laplacian(r2))?;
        let (rust, cuda) = (kernel::Cohesion::<D>::new(h), Cohesion::new::<D>(h));
        let input = with_support(cuda.support, &[cuda.scale], r2);
        compare("Cohesion::c", &input, rust.c(r2))?;
        compare("Cohesion::c_over_r", &input, rust.c_over_r(r2))?;
        let (rust, cuda) = (kernel::Adhesion::<D>::new(h), Adhesion::new::<D>(h));
        let input = with_support(cuda.support, &[cuda.half_h, cuda.scale], r2);
        compare("Adhesion::a", &input, rust.a(r2))?;
        compare("Adhesion::a_over_r", &input, rust.a_over_r(r2))
    });
}

#[test]
fn surface_and_viscosity_kernels_have_the_bits_of_the_rust_text() {
    compare_surface_kernels::<2>();
    compare_surface_kernels::<3>();
}

#[test]
fn larger_and_smaller_treat_nan_as_lanes_do() {
    on_many((number(), number()), |&(a, b)| {
        Formulas::Vec.compare::<2>("max_of", &[a, b], &[Lane::max(a, b)])?;
        Formulas::Vec.compare::<3>("min_of", &[a, b], &[Lane::min(a, b)])
    });
}

fn compare_norm<const D: usize>() {
    on_many(prop::array::uniform::<_, D>(number()), |&x| {
        Formulas::Vec.compare::<D>("norm2", &x, &[norm2(x)])
    });
}

#[test]
fn norm2_sums_from_the_first_axis_to_the_last() {
    compare_norm::<2>();
    compare_norm::<3>();
}

/// Periodic and open axes.
fn any_space<const D: usize>() -> impl Strategy<Value = sph_core::neighbors::Periodic<D>> {
    let axis = prop_oneof![Just(0.0), (0.01..100.0_f64).prop_map(|l| l as Real)];
    let low = prop::array::uniform::<_, D>((-10.0..10.0_f64).prop_map(|x| x as Real));
    (low, prop::array::uniform::<_, D>(axis))
        .prop_map(|(low, length)| sph_core::neighbors::Periodic::new(low, length))
}

/// A number in or near a box of the size of `any_space`, at its ends, or anywhere.
fn place() -> impl Strategy<Value = (Real, u8)> {
    (prop_oneof![4 => (-2.5..2.5_f64).prop_map(|x| x as Real), 1 => number()], 0..4_u8)
}

fn compare_space<const D: usize>() {
    on_many((any_space::<D>(), prop::array::uniform::<_, D>(place())), |(rust, place)| {
        let cuda = Periodic::from(rust);
        // Turns of a periodic axis, ends of the box, or just a number.
        let x: [Real; D] = std::array::from_fn(|a| match place[a] {
            (part, 0) => rust.low[a] + part * rust.length[a],
            (_, 1) => rust.low[a] + rust.length[a],
            (part, _) => part,
        });
        let any = if rust.any() { 1.0 } else { 0.0 };
        let space = [&cuda.low[..], &cuda.length, &cuda.inv_length, &[any]].concat();
        let of = |x: &[Real]| [&space, x].concat();
        Formulas::Vec.compare::<D>("Periodic::nearest", &of(&x), &rust.nearest(x))?;
        Formulas::Vec.compare::<D>("Periodic::wrap", &of(&x), &rust.wrap(x))?;
        Formulas::Vec.compare::<D>("Periodic::wrap_axis", &of(&x[..1]), &[rust.wrap_axis(0, x[0])])
    });
}

#[test]
fn periodic_space_has_the_bits_of_the_rust_text() {
    compare_space::<2>();
    compare_space::<3>();
}

fn compare_domain<const D: usize>() {
    let vector = || prop::array::uniform::<_, D>(number());
    on_many((vector(), vector(), vector(), number()), |&(a, b, x, strength)| {
        let domain = material::Domain { low: a, high: b, periodic: sph_core::neighbors::Periodic::NONE };
        let holds = if domain.holds(x) { 1.0 } else { 0.0 };
        let cuda = Domain::from(&domain);
        let input = [cuda.low, cuda.high, x].concat();
        Formulas::Vec.compare::<D>("Domain::holds", &input, &[holds])?;
        for central in [None, (strength != 0.0).then_some((b, strength))] {
            let forces = material::Forces { gravity: a, central, damping: None };
            let cuda = Forces::from(&forces);
            let input = [&cuda.gravity[..], &cuda.center, &[cuda.strength], &x].concat();
            Formulas::Vec.compare::<D>("Forces::acceleration", &input, &forces.acceleration(x))?;
        }
        Ok(())
    });
}

#[test]
fn domain_and_forces_have_the_bits_of_the_rust_text() {
    compare_domain::<2>();
    compare_domain::<3>();
}

fn compare_layouts<const D: usize>() {
    let blocks = twins::blocks::<D>();
    assert!(!blocks.is_empty());
    for (twin, places, size) in blocks {
        assert_eq!(formulas::layout::<D>(twin), (places, size), "{twin} in {D}D");
    }
}

#[test]
fn blocks_lie_in_memory_as_their_twins() {
    compare_layouts::<2>();
    compare_layouts::<3>();
}

/// Made by the host, once, or inherited from `KernelConstants`.
const WITHOUT_TWIN: [&str; 5] = ["new", "support_radius", "w_0", "f_scale", "scaled"];

#[test]
fn every_function_of_a_kernel_has_a_twin() {
    // What is chosen at run time has no twin.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sph-core/src/kernel");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let rust: Vec<_> = files.filter(|path| path.file_stem().unwrap() != "choice").collect();
    let of_kernels = |name: &String| {
        let function = name.rsplit(':').next().unwrap();
        !WITHOUT_TWIN.contains(&function) && !name.starts_with("KernelKind") && name != "in_dimension"
    };
    // A closure in Rust.
    let of_core = |name: &String| name != "Cohesion::shape" && !name.starts_with("AnyKernel");
    let functions = |path: PathBuf| names::of_rust(&fs::read_to_string(path).unwrap());
    let mut rust: Vec<_> = rust.into_iter().flat_map(functions).filter(of_kernels).collect();
    let mut cuda: Vec<_> = names::of_cuda(FORMULAS).into_iter().filter(of_kernels).filter(of_core).collect();
    rust.sort();
    cuda.sort();
    assert!(rust.len() >= 20, "{rust:?}");
    assert_eq!(rust, cuda);
}

#[test]
fn groups_of_kernels_are_those_of_the_rust_text() {
    let rust: BTreeSet<_> =
        KernelKind::GROUPS.iter().map(|(group, kind)| (*group, kind.type_name())).collect();
    let all = KernelKind::ALL.iter().map(|kind| ("kernels", kind.type_name()));
    let cuda = source::GROUPS.iter().flat_map(|(group, members)| members.iter().map(|name| (*group, *name)));
    assert_eq!(cuda.collect::<BTreeSet<_>>(), rust.into_iter().chain(all).collect());
}
