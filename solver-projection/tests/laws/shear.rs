//! A fluid under pressure does not resist shear; a lattice of particles nearly does not, if its weights are smooth.
//!
//! `D v` is the rate of `c_i = Σ_j φ(r_ij)` with `φ' = w¹`, and the pressure keeps c. A shear γ that lowers c makes the
//! fluid grow until c is what it was, against the pressure: work `½ G γ²`, with `G/p = −c''(γ)/c'(ln V)`.

use super::common::{dam_break, simulation};
use solver_projection::{Params, params::WeightForm, physics::Weight};
use sph_core::{Real, geometry::lattice, scene::Parameters as _};

/// Sites but the origin, of one particle per unit of volume.
type Sites<const D: usize> = Vec<[f64; D]>;

/// Farthest site that a deformation may bring into the support.
const FAR: f64 = 3.5;

fn cubic<const D: usize>() -> Sites<D> {
    let mut sites = Vec::new();
    lattice::for_each_site::<D>(FAR, |site| sites.push(site));
    sites.retain(|site| site.iter().any(|&x| x != 0.0));
    sites
}

fn hexagonal() -> Sites<2> {
    let (edge, row) = ((2.0 / 3.0_f64.sqrt()).sqrt(), 0.75_f64.sqrt());
    let mut sites = Vec::new();
    lattice::for_each_site::<2>(2.0 * FAR, |[a, b]| sites.push([edge * (a + 0.5 * b), edge * row * b]));
    sites.retain(|site| site.iter().any(|&x| x != 0.0));
    sites
}

/// `φ(q)` with `φ' = w¹` and `φ(1) = 0`, by Simpson's rule.
fn antiderivative(weight: Weight, q: f64) -> f64 {
    let (steps, w1) = (400, |q: f64| weight.at::<f64>(q * q).w1);
    let step = (1.0 - q).max(0.0) / f64::from(steps);
    let starts = (0..steps).map(|k| q + step * f64::from(k));
    -starts.map(|q| step / 6.0 * (w1(q) + 4.0 * w1(q + 0.5 * step) + w1(q + step))).sum::<f64>()
}

/// G/p of the shears along the axes and along the diagonals of the first two.
fn stiffness<const D: usize>(sites: &Sites<D>, weight: Weight, eta: f64) -> [f64; 2] {
    const SHEAR: f64 = 0.03;
    let sum = |map: &dyn Fn([f64; D]) -> [f64; D]| -> f64 {
        let radius = |site: &[f64; D]| map(*site).iter().map(|x| x * x).sum::<f64>().sqrt() / eta;
        sites.iter().map(radius).map(|q| antiderivative(weight, q)).sum()
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
    [-curvature(&along_axes) / slope, -curvature(&along_diagonals) / slope]
}

/// Square, hexagonal, cubic.
fn all(form: WeightForm, clamps: [Real; 2], eta: f64) -> [[f64; 2]; 3] {
    let [plane, space] = clamps.map(|clamp| Weight::new(form, 1.0, clamp));
    [
        stiffness(&cubic::<2>(), plane, eta),
        stiffness(&hexagonal(), plane, eta),
        stiffness(&cubic::<3>(), space, eta),
    ]
}

#[test]
fn smooth_weights_with_a_support_of_three_spacings_let_lattices_shear() {
    for (form, clamp) in [(WeightForm::Spiky, 0.3), (WeightForm::Wendland, 0.0)] {
        let stiff = all(form, [clamp; 2], 3.0);
        assert!(stiff.iter().flatten().all(|g| g.abs() < 0.05), "{form:?}: {stiff:?}");
    }
    let quartic = all(WeightForm::MpsQuartic, [0.3, 0.4], 3.0);
    assert!(quartic[1..].iter().flatten().any(|g| g.abs() > 0.1), "{quartic:?}");
}

#[test]
fn shorter_supports_are_as_stiff_as_the_book_says() {
    let near = |form, clamps, expected: [[f64; 2]; 3]| {
        let found = all(form, clamps, 2.5);
        let off = found.iter().flatten().zip(expected.iter().flatten()).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 0.01, "{form:?}: {found:?}");
    };
    near(WeightForm::MpsQuartic, [0.3, 0.4], [[0.137, 0.006], [-0.08, -0.08], [0.316, 0.326]]);
    near(WeightForm::Spiky, [0.3, 0.3], [[0.243, 0.014], [0.104, 0.104], [0.184, -0.024]]);
    near(WeightForm::Wendland, [0.0, 0.0], [[0.09, -0.019], [0.075, 0.075], [0.016, -0.043]]);
}

#[test]
fn a_smooth_weight_on_a_short_support_is_warned_of() {
    let warnings = |solver: &str| {
        let sim = simulation::<2>(&dam_break::<2>("consistent", 0.05, "", solver));
        sim.solver.derived(&sim.state).warnings
    };
    for weight in ["spiky", "wendland"] {
        let text = format!("projection_weight = \"{weight}\"");
        let (short, wide) = (warnings(&text), warnings(&format!("{text}\nsupport_ratio = 3.0")));
        assert!(short.len() == 1 && short[0].contains("support_ratio = 2.5"), "{weight}: {short:?}");
        assert!(wide.is_empty(), "{weight}: {wide:?}");
    }
    assert!(warnings("").is_empty());
}

#[test]
fn a_clamp_is_refused_where_nothing_is_clamped() {
    let check = |preset, projection_weight, radius_clamp| {
        Params { projection_weight, radius_clamp, ..preset }.check()
    };
    let refused = check(Params::default(), WeightForm::Wendland, Some(0.25)).unwrap_err().to_string();
    assert!(refused.contains("solver.radius_clamp") && refused.contains("0.25"), "{refused}");
    assert!(check(Params::default(), WeightForm::Wendland, None).is_ok());
    for form in [WeightForm::MpsQuartic, WeightForm::Spiky] {
        assert!(check(Params::default(), form, Some(0.25)).is_ok());
    }
}
