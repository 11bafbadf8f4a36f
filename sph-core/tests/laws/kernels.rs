//! Laws of the kernels, in two and three dimensions.
#![allow(clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion))]

use std::{f64::consts::PI, fmt::Debug};

use proptest::{
    prelude::*,
    test_runner::{TestCaseResult, TestRunner},
};
use sph_core::{
    Real,
    kernel::*,
    numerics::lane::{Isa, Lane, WIDTH},
    phase,
};

/// Relative error of a formula whose constants are rounded to `Real`, a few units in the last place.
const ROUNDED: f64 = if cfg!(feature = "f64") { 1e-12 } else { 1e-6 };

/// Tries a law on many values.
fn holds<T: Debug>(names: &str, values: &BoxedStrategy<T>, law: &dyn Fn(T) -> TestCaseResult) {
    let mut runner = TestRunner::new(ProptestConfig::with_source_file(file!()));
    runner.run(values, law).unwrap_or_else(|error| panic!("{error}\n({names})"));
}

/// Laws as `proptest!` has them, which would compile its search for counterexamples anew for each law of each kernel: here for each
/// type of values.
macro_rules! for_any {
    ($($(#[$of_test:meta])* fn $name:ident($($value:pat_param in $values:expr),+ $(,)?) $law:block)*) => {$(
        $(#[$of_test])*
        fn $name() {
            holds(stringify!($($value),+), &($($values,)+).boxed(), &|($($value,)+)| {
                $law
                Ok(())
            });
        }
    )*};
}

/// Composite Gauss quadrature with five points in each of n cells: exact for polynomials up to degree 9.
fn integrate(from: f64, to: f64, n: usize, f: impl Fn(f64) -> f64) -> f64 {
    let (near, far) = (
        (5.0 - 2.0 * (10.0_f64 / 7.0).sqrt()).sqrt() / 3.0,
        (5.0 + 2.0 * (10.0_f64 / 7.0).sqrt()).sqrt() / 3.0,
    );
    let (w_near, w_far) =
        ((322.0 + 13.0 * 70.0_f64.sqrt()) / 900.0, (322.0 - 13.0 * 70.0_f64.sqrt()) / 900.0);
    let points = [(0.0, 128.0 / 225.0), (-near, w_near), (near, w_near), (-far, w_far), (far, w_far)];
    let half = 0.5 * (to - from) / n as f64;
    (0..n)
        .map(|cell| {
            let middle = from + half * (2 * cell + 1) as f64;
            points.iter().map(|(x, w)| w * f(middle + half * x)).sum::<f64>() * half
        })
        .sum()
}

/// `∫ f(r) dV` over the ball of radius h, with a knot at h/2.
fn integrate_ball<const D: usize>(h: Real, f: impl Fn(f64) -> f64) -> f64 {
    let h = f64::from(h);
    let shell = |r: f64| if D == 2 { 2.0 * PI * r * f(r) } else { 4.0 * PI * r * r * f(r) };
    integrate(0.0, 0.5 * h, 50, shell) + integrate(0.5 * h, h, 50, shell)
}

#[track_caller]
fn assert_near(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance,
        "{a} differs from {b} by {:e}, not at most {tolerance:e}",
        (a - b).abs()
    );
}

/// Support radii from tenths of a millimeter to ten meters.
fn any_h() -> impl Strategy<Value = Real> {
    (-4.0..1.0).prop_map(|exponent: f64| 10.0_f64.powf(exponent) as Real)
}

/// Squared distances from beyond the support to the null particle and farther.
fn distances_outside(h: Real) -> [Real; 7] {
    let h2 = h * h;
    [h2, h2.next_up(), 1.001 * h2, 4.0 * h2, 1e30, 3e30, f32::MAX as Real]
}

phase! {
    /// One function after the other on whole vectors.
    fn evaluate<L>[const D: usize, K: Kernel<D>](kernel: &K, r2: &[Real; WIDTH]) -> [[Real; WIDTH]; 2] {
        let mut out = [[0.0; WIDTH]; 2];
        // SAFETY: arrays of WIDTH numbers.
        unsafe {
            let r2 = L::load(r2.as_ptr());
            kernel.w(r2).store(out[0].as_mut_ptr());
            kernel.grad_factor(r2).store(out[1].as_mut_ptr());
        }
        out
    }
}
phase! {
    fn evaluate_shapes<L>[const D: usize](h: Real, r2: &[Real; WIDTH]) -> [[Real; WIDTH]; 5] {
        let (viscosity, cohesion, adhesion) =
            (ViscosityLaplacian::<D>::new(h), Cohesion::<D>::new(h), Adhesion::<D>::new(h));
        let mut out = [[0.0; WIDTH]; 5];
        // SAFETY: arrays of WIDTH numbers.
        unsafe {
            let r2 = L::load(r2.as_ptr());
            viscosity.laplacian(r2).store(out[0].as_mut_ptr());
            cohesion.c(r2).store(out[1].as_mut_ptr());
            cohesion.c_over_r(r2).store(out[2].as_mut_ptr());
            adhesion.a(r2).store(out[3].as_mut_ptr());
            adhesion.a_over_r(r2).store(out[4].as_mut_ptr());
        }
        out
    }
}

/// The laws of one kernel in one dimension.
macro_rules! laws {
    ($module:ident: $kernel:ident<$D:literal>) => {
        mod $module {
            use super::super::*;

            const D: usize = $D;
            const D_F64: f64 = $D as f64;

            /// The kernel; a module has the name of the type as well.
            type Of = sph_core::kernel::$kernel<D>;

            fn new(h: Real) -> Of {
                Formula::<D>::new(h)
            }
            fn w(h: Real, r: f64) -> f64 {
                new(h).w(r * r)
            }
            fn grad_factor(h: Real, r: f64) -> f64 {
                new(h).grad_factor(r * r)
            }

            for_any! {
                #[test]
                fn integrates_to_one(h in any_h()) {
                    assert_near(integrate_ball::<D>(h, |r| w(h, r)), 1.0, ROUNDED);
                }

                #[test]
                fn first_moment_of_the_gradient_is_the_dimension(h in any_h()) {
                    let moment = integrate_ball::<D>(h, |r| -r * r * grad_factor(h, r));
                    assert_near(moment, D_F64, 3.0 * ROUNDED);
                }

                /// `∇²W = d F + r F'`, with `F'` by central differences.
                #[test]
                fn second_moment_of_the_laplacian_is_twice_the_dimension(h in any_h()) {
                    let moment = integrate_ball::<D>(h, |r| {
                        let step = (1e-5 * f64::from(h)).min(0.1 * r);
                        let slope = (grad_factor(h, r + step) - grad_factor(h, r - step)) / (2.0 * step);
                        r * r * (D_F64 * grad_factor(h, r) + r * slope)
                    });
                    assert_near(moment, 2.0 * D_F64, 6.0 * ROUNDED + 2e-6);
                }

                #[test]
                fn gradient_is_the_slope_of_w(
                    h in any_h(),
                    q in (0.01..0.95).prop_filter("a knot", |q: &f64| (q - 0.5).abs() > 1e-4),
                ) {
                    let (r, step) = (q * f64::from(h), 1e-6 * f64::from(h));
                    let slope = (w(h, r + step) - w(h, r - step)) / (2.0 * step);
                    // An `f32` for 1/h is wrong by up to 2⁻²⁴ of itself and so is r/h by as much, which changes
                    // the slope by that times W'': at most 22 W(0)/h², of WendlandC6 at r = 0.
                    let shift = if cfg!(feature = "f64") { 0.0 } else { 22.0 * 2.0_f64.powi(-24) };
                    let shift = shift * w(h, 0.0) / f64::from(h);
                    let gradient = r * grad_factor(h, r);
                    if <Of as Formula<D>>::IS_CONSISTENT {
                        assert_near(gradient, slope, 1e-6 * slope.abs() + shift);
                    }
                }

                #[test]
                fn is_never_negative_and_falls(h in any_h(), q in 0.0..1.2_f64, further in 0.0..0.5_f64) {
                    let (near, far) = ((q as Real * h).powi(2), ((q + further) as Real * h).powi(2));
                    let kernel = new(h);
                    prop_assert!(kernel.w(near) >= 0.0);
                    prop_assert!(kernel.grad_factor(near) <= 0.0);
                    prop_assert!(kernel.w(far) <= kernel.w(near) + 4.0 * Real::EPSILON * kernel.w_0());
                    if q < 0.999 {
                        prop_assert!(kernel.w(near) > 0.0);
                        prop_assert!(kernel.grad_factor(near) < 0.0);
                    }
                }

                #[test]
                fn is_even_and_its_gradient_odd(h in any_h(), x in proptest::array::uniform::<_, D>(-1.0..1.0)) {
                    let kernel = new(h);
                    let at = |x: [f64; D]| {
                        let x = x.map(|x| x as Real * h);
                        let r2: Real = x.iter().map(|x| x * x).sum();
                        (kernel.w(r2), x.map(|x| x * kernel.grad_factor(r2)))
                    };
                    let ((w, gradient), (w_mirrored, gradient_mirrored)) = (at(x), at(x.map(|x| -x)));
                    prop_assert_eq!(w, w_mirrored);
                    prop_assert_eq!(gradient, gradient_mirrored.map(|g| -g));
                }

                #[test]
                fn vanishes_from_the_support_radius_on(h in any_h()) {
                    let kernel = new(h);
                    prop_assert_eq!(kernel.support_radius(), h);
                    for r2 in distances_outside(h) {
                        prop_assert_eq!(kernel.w(r2), 0.0, "r2 = {}", r2);
                        prop_assert_eq!(kernel.grad_factor(r2), 0.0, "r2 = {}", r2);
                    }
                }

                #[test]
                fn coincident_particles_have_no_gradient(h in any_h()) {
                    let kernel = new(h);
                    for r2 in [0.0, Real::from_bits(1), Real::MIN_POSITIVE, 1e-14 * h * h] {
                        let x: Real = r2.sqrt();
                        let gradient = kernel.grad_factor(r2) * x;
                        prop_assert!(gradient.is_finite(), "r2 = {}", r2);
                        assert_near(f64::from(kernel.w(r2) / kernel.w_0()), 1.0, 1e-6);
                    }
                    prop_assert_eq!(kernel.grad_factor(0.0 as Real) * 0.0, 0.0);
                }

                /// A kernel of another support radius is the same one, scaled.
                /// `W_sh(s r) = s⁻ᵈ W_h(r)` and `F_sh(s r) = s⁻ᵈ⁻² F_h(r)`.
                #[test]
                fn scales(h in any_h(), q in 0.0..1.1_f64, s in 0.1..10.0_f64) {
                    let scaled_h = s as Real * h;
                    let s = f64::from(scaled_h) / f64::from(h);
                    let r = q * f64::from(h);
                    let scale = w(h, 0.0);
                    assert_near(s.powi(D as i32) * w(scaled_h, s * r), w(h, r), 10.0 * ROUNDED * scale);
                    let scale = scale / f64::from(h).powi(2) + grad_factor(h, r).abs();
                    let scaled = s.powi(D as i32 + 2) * grad_factor(scaled_h, s * r);
                    // Of the order of a few ε times the largest slope of F, some 100 W(0)/h² of the steepest kernels.
                    assert_near(scaled, grad_factor(h, r), 200.0 * ROUNDED * scale);
                }

                #[test]
                fn lanes_agree_with_numbers_and_nearly_with_f64(
                    h in any_h(),
                    q in proptest::array::uniform::<_, WIDTH>(0.0..1.3_f64),
                ) {
                    let kernel = new(h);
                    let mut r2 = q.map(|q| (q as Real * h).powi(2));
                    r2[1] = 0.0;
                    r2[2] = 3e30;
                    let expected = [r2.map(|r2| kernel.w(r2)), r2.map(|r2| kernel.grad_factor(r2))];
                    for isa in Isa::available() {
                        prop_assert_eq!(evaluate(isa, &kernel, &r2), expected, "{}", isa);
                    }
                    for k in 0..WIDTH {
                        let r2 = f64::from(r2[k]);
                        let w_0 = f64::from(kernel.w_0());
                        assert_near(f64::from(expected[0][k]), kernel.w(r2), 3.0 * ROUNDED * w_0);
                        let f: f64 = kernel.grad_factor(r2);
                        let scale = f.abs() + w_0 / f64::from(h).powi(2);
                        assert_near(f64::from(expected[1][k]), f, 20.0 * ROUNDED * scale);
                    }
                }

                /// The value and the gradient of a kernel at NaN are NaN.
                #[test]
                fn a_nan_stays_one(h in any_h()) {
                    prop_assert!(new(h).w(Real::NAN).is_nan());
                    prop_assert!(new(h).grad_factor(Real::NAN).is_nan());
                }
            }

            #[test]
            fn second_moment_is_that_in_closed_form() {
                let moment = integrate_ball::<D>(1.0, |r| r * r * w(1.0, r));
                assert_near(moment, <Of as Formula<D>>::SECOND_MOMENT, ROUNDED);
            }

            /// A kernel calls itself consistent if and only if its gradient is the slope of its W.
            #[test]
            fn is_consistent_if_it_says_so() {
                let error = |k: i32| {
                    let r = 0.05 + 0.1 * f64::from(k);
                    let slope = (w(1.0, r + 1e-6) - w(1.0, r - 1e-6)) / 2e-6;
                    (r * grad_factor(1.0, r) - slope).abs() / w(1.0, 0.0)
                };
                let is_consistent = (0..9).all(|k| error(k) < 1e-5);
                assert_eq!(is_consistent, <Of as Formula<D>>::IS_CONSISTENT);
            }
        }
    };
}

/// The laws of every kernel of the table, in both dimensions.
macro_rules! laws_of_all {
    ($($kernel:ident)*) => {$(
        #[allow(non_snake_case, reason = "named as the type")]
        mod $kernel {
            laws! { in_2d: $kernel<2> }
            laws! { in_3d: $kernel<3> }
        }
    )*};
}

sph_core::all_kernels!(laws_of_all);

#[test]
fn kinds_are_named_as_kernels_are() {
    for kind in KernelKind::ALL {
        let json = serde_json::to_string(kind).unwrap();
        assert_eq!(json, format!("\"{kind}\""));
        assert_eq!(serde_json::from_str::<KernelKind>(&json).unwrap(), *kind);
    }
}

#[test]
fn members_of_the_group_bell_have_no_kink_and_their_own_gradient() {
    fn check<K: Formula<3>>(kind: KernelKind) {
        if KernelKind::GROUPS.contains(&("bell", kind)) {
            let (kernel, r) = (K::new(1.0), 1e-6_f64);
            let gradient = r * kernel.grad_factor(r * r) / f64::from(kernel.w_0());
            assert!(K::IS_CONSISTENT && gradient.abs() < 1e-4, "{kind}: {gradient}");
        }
    }
    macro_rules! check_all {
        ($($kernel:ident)*) => { $(check::<sph_core::kernel::$kernel<3>>(KernelKind::$kernel);)* };
    }
    sph_core::all_kernels!(check_all);
}

/// The laws of viscosity, cohesion and adhesion in one dimension.
macro_rules! shape_laws {
    ($($module:ident: $D:literal, sigma: $sigma:expr, slope: $slope:expr,
       cohesion: $cohesion:literal, adhesion: $adhesion:literal;)*) => {$(
        mod $module {
            use super::*;

            const D: usize = $D;

            fn c(h: Real, q: f64) -> f64 {
                let r = q * f64::from(h);
                Cohesion::<D>::new(h).c(r * r) * f64::from(h).powi($D)
            }
            fn a(h: Real, q: f64) -> f64 {
                let r = q * f64::from(h);
                Adhesion::<D>::new(h).a(r * r) * f64::from(h).powi($D)
            }

            for_any! {
                /// `∇²W = σ/h^(d+2) (f'' + (d-1)/q f')`, with `f''` by central differences.
                #[test]
                fn viscosity_laplacian_is_that_of_its_kernel(h in any_h(), q in 0.1..0.99_f64) {
                    let r = q * f64::from(h);
                    let slope: fn(f64) -> f64 = $slope;
                    let curvature = (slope(q + 1e-6) - slope(q - 1e-6)) / 2e-6;
                    let expected = $sigma * (curvature + (D as f64 - 1.0) / q * slope(q));
                    let laplacian = ViscosityLaplacian::<D>::new(h).laplacian(r * r) * f64::from(h).powi($D + 2);
                    assert_near(laplacian, expected, 1e-5);
                }

                #[test]
                fn second_moment_of_the_viscosity_laplacian_is_twice_the_dimension(h in any_h()) {
                    let viscosity = ViscosityLaplacian::<D>::new(h);
                    let moment = integrate_ball::<D>(h, |r| r * r * viscosity.laplacian(r * r));
                    assert_near(moment, 2.0 * D as f64, 6.0 * ROUNDED);
                }

                #[test]
                fn viscosity_laplacian_is_never_negative(h in any_h(), q in 0.0..1.5 as Real) {
                    prop_assert!(ViscosityLaplacian::<D>::new(h).laplacian((q * h).powi(2)) >= 0.0);
                }

                #[test]
                fn cohesion_is_that_of_the_paper(h in any_h(), q in 0.0..1.2_f64) {
                    let shape = (1.0 - q).powi(3) * q.powi(3);
                    let expected = 32.0 / PI * match q {
                        q if q > 1.0 => 0.0,
                        q if q > 0.5 => shape,
                        _ => 2.0 * shape - 1.0 / 64.0,
                    };
                    assert_near(c(h, q), expected, ROUNDED);
                }

                #[test]
                fn adhesion_is_that_of_the_paper(h in any_h(), q in 0.0..1.2_f64) {
                    let inside = (-4.0 * q * q + 6.0 * q - 2.0).max(0.0);
                    // The root magnifies what rounding leaves near its zeros.
                    prop_assume!(inside == 0.0 || inside > 1e-3);
                    assert_near(a(h, q), 0.007 * inside.powf(0.25), ROUNDED * 0.01);
                }

                #[test]
                fn cohesion_and_adhesion_vanish_from_the_support_radius_on(h in any_h()) {
                    for r2 in distances_outside(h) {
                        prop_assert_eq!(Cohesion::<D>::new(h).c(r2), 0.0, "r2 = {}", r2);
                        prop_assert_eq!(Cohesion::<D>::new(h).c_over_r(r2), 0.0, "r2 = {}", r2);
                        prop_assert_eq!(Adhesion::<D>::new(h).a(r2), 0.0, "r2 = {}", r2);
                        prop_assert_eq!(Adhesion::<D>::new(h).a_over_r(r2), 0.0, "r2 = {}", r2);
                        prop_assert_eq!(ViscosityLaplacian::<D>::new(h).laplacian(r2), 0.0, "r2 = {}", r2);
                    }
                }

                /// Cohesion and adhesion over r are what they are, divided by r.
                #[test]
                fn division_by_r_is_division_by_r(h in any_h(), q in 1e-5..1.2_f64) {
                    let r = q * f64::from(h);
                    let (cohesion, adhesion) = (Cohesion::<D>::new(h), Adhesion::<D>::new(h));
                    prop_assert_eq!(cohesion.c_over_r(r * r), cohesion.c(r * r) / (r * r).sqrt());
                    prop_assert_eq!(adhesion.a_over_r(r * r), adhesion.a(r * r) / (r * r).sqrt());
                }

                #[test]
                fn coincident_particles_do_not_attract(h in any_h()) {
                    let coincident: Real = 0.0;
                    prop_assert_eq!(Cohesion::<D>::new(h).c_over_r(coincident) * 0.0, 0.0);
                    prop_assert_eq!(Adhesion::<D>::new(h).a_over_r(coincident), 0.0);
                }

                #[test]
                fn lanes_agree_with_numbers(h in any_h(), q in proptest::array::uniform::<_, WIDTH>(0.0..1.3_f64)) {
                    let (viscosity, cohesion, adhesion) =
                        (ViscosityLaplacian::<D>::new(h), Cohesion::<D>::new(h), Adhesion::<D>::new(h));
                    let mut r2 = q.map(|q| (q as Real * h).powi(2));
                    r2[1] = 0.0;
                    r2[2] = 3e30;
                    let expected = [
                        r2.map(|r2| viscosity.laplacian(r2)),
                        r2.map(|r2| cohesion.c(r2)),
                        r2.map(|r2| cohesion.c_over_r(r2)),
                        r2.map(|r2| adhesion.a(r2)),
                        r2.map(|r2| adhesion.a_over_r(r2)),
                    ];
                    for isa in Isa::available() {
                        prop_assert_eq!(evaluate_shapes::<D>(isa, h, &r2), expected, "{}", isa);
                    }
                }
            }

            #[test]
            fn cohesion_is_continuous_and_largest_at_half_the_support() {
                assert_near(c(1.0, 0.5), 0.15915, 0.5e-5);
                assert_near(c(1.0, 0.5 - 1e-7), c(1.0, 0.5 + 1e-7), 1e-6);
                assert!((0..=1000).all(|k| c(1.0, k as f64 * 1e-3) <= c(1.0, 0.5)));
            }

            #[test]
            fn cohesion_changes_sign_once() {
                assert_near(c(1.0, 0.0), -0.15915, 0.5e-5);
                assert!((0..=272).all(|k| c(1.0, k as f64 * 1e-3) < 0.0));
                assert!((273..1000).all(|k| c(1.0, k as f64 * 1e-3) > 0.0));
                assert!(c(1.0, 0.27285) < 0.0 && c(1.0, 0.27295) > 0.0);
            }

            #[test]
            fn adhesion_is_largest_at_three_quarters_and_zero_at_both_ends() {
                assert_near(a(1.0, 0.75), 0.004_949_7, 0.5e-7);
                assert!((0..=1000).all(|k| a(1.0, k as f64 * 1e-3) <= a(1.0, 0.75)));
                assert_eq!((a(1.0, 0.5), a(1.0, 1.0)), (0.0, 0.0));
            }

            #[test]
            fn integrals_are_those_of_the_reference() {
                assert_near(integrate_ball::<D>(1.0, |r| c(1.0, r)), $cohesion, 0.5e-5);
                // The root is steep at both ends of [½, 1].
                let shell = |r: f64| if D == 2 { 2.0 * PI * r } else { 4.0 * PI * r * r };
                assert_near(integrate(0.5, 1.0, 20_000, |r| shell(r) * a(1.0, r)), $adhesion, 0.5e-6);
            }
        }
    )*};
}

shape_laws! {
    shapes_2d: 2, sigma: 40.0 / PI, slope: |q| q / 2.0 - q * q / 3.0 - 1.0 / (6.0 * q),
        cohesion: 0.18661, adhesion: 0.010193;
    shapes_3d: 3, sigma: 15.0 / (2.0 * PI), slope: |q| -1.5 * q * q + 2.0 * q - 0.5 / (q * q),
        cohesion: 0.23512, adhesion: 0.015775;
}
