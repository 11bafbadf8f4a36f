//! A fluid under pressure does not resist shear; a lattice of particles nearly does not, if its weights are smooth.
//!
//! `D v` is the rate of `c_i = Σ_j φ(r_ij)` with `φ' = w¹`, and the pressure keeps c. A shear that raises c lets the fluid
//! shrink until c is what it was: against the pressure it takes the work `½ G γ²` to shear it by γ, with
//! `G/p = −c''(γ)/c'(ln V)`.

use solver_projection::{params::WeightForm, physics::Weight};
use sph_core::lattice;

/// Largest |G/p| of the two shears of a square or cubic lattice, along its axes and along its diagonals.
fn stiffness<const D: usize>(form: WeightForm, clamp: f64, eta: f64) -> f64 {
    const SHEAR: f64 = 0.03;
    let phi = antiderivative(Weight::new(form, 1.0, clamp as _));
    let sum = |map: &dyn Fn([f64; D]) -> [f64; D]| {
        let mut sum = 0.0;
        // Sites that a deformation may bring into the support.
        lattice::for_each_site::<D>(1.1 * eta, |site| {
            let r = map(site).iter().map(|x| x * x).sum::<f64>().sqrt() / eta;
            sum += if r > 0.0 { phi(r) } else { 0.0 };
        });
        sum
    };
    let grown = |e: f64| sum(&|x| x.map(|x| x * (e / D as f64).exp()));
    let slope = (grown(SHEAR) - grown(-SHEAR)) / (2.0 * SHEAR);
    let along_axes = |e: f64| {
        sum(&|mut x| {
            (x[0], x[1]) = (x[0] * (0.5 * e).exp(), x[1] * (-0.5 * e).exp());
            x
        })
    };
    let along_diagonals = |e: f64| {
        sum(&|mut x| {
            let (cosh, sinh) = ((0.5 * e).cosh(), (0.5 * e).sinh());
            (x[0], x[1]) = (x[0] * cosh + x[1] * sinh, x[0] * sinh + x[1] * cosh);
            x
        })
    };
    let curvature = |c: &dyn Fn(f64) -> f64| (c(SHEAR) + c(-SHEAR) - 2.0 * c(0.0)) / (SHEAR * SHEAR);
    curvature(&along_axes).abs().max(curvature(&along_diagonals).abs()) / slope
}

/// `φ(q)` with `φ' = w¹` and `φ(1) = 0`, by Simpson's rule.
fn antiderivative(weight: Weight) -> impl Fn(f64) -> f64 {
    move |q: f64| {
        let (steps, w1) = (400, |q: f64| weight.at::<f64>(q * q).w1);
        let step = (1.0 - q) / f64::from(steps);
        let pairs = (0..steps).map(|k| q + step * f64::from(k));
        -pairs.map(|q| step / 6.0 * (w1(q) + 4.0 * w1(q + 0.5 * step) + w1(q + step))).sum::<f64>()
            * f64::from(u8::from(q < 1.0))
    }
}

#[test]
fn smooth_weights_let_lattices_shear_and_the_quartic_does_not() {
    for (form, clamp) in [(WeightForm::Spiky, 0.3), (WeightForm::Wendland, 0.0)] {
        let (plane, space) = (stiffness::<2>(form, clamp, 3.0), stiffness::<3>(form, clamp, 3.0));
        assert!(plane < 0.03 && space < 0.05, "{form:?}: {plane} {space}");
    }
    let (plane, space) =
        (stiffness::<2>(WeightForm::MpsQuartic, 0.3, 2.5), stiffness::<3>(WeightForm::MpsQuartic, 0.4, 2.5));
    assert!((0.1..0.2).contains(&plane) && (0.2..0.5).contains(&space), "{plane} {space}");
}
