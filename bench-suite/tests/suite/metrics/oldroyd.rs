use bench_suite::{
    metrics::{Curve, oldroyd::*},
    reference,
};
use std::f64::consts::PI;

/// The series of the start-up flow is that of the table.
/// The table has seven digits of the same series.
#[test]
fn the_series_is_that_of_the_table() {
    let table = reference::table("oldroydb_poiseuille_waters_king").unwrap();
    let t = &table.column("T").unwrap().values;
    for (name, e) in [("U_centre E1 beta1/9", 1.0), ("U_centre E0.1 beta1/9", 0.1)] {
        for (t, u) in t.iter().zip(&table.column(name).unwrap().values) {
            let ours = center_line(*t, e, 1.0 / 9.0);
            assert!((ours - u).abs() < 1e-6, "{name} at {t}: {ours}, not {u}");
        }
    }
}

/// Without elasticity it is Newton's fluid: `1.5 − 48 Σ ± n⁻³ exp(−n²τ/4)` with `τ = νt/h²`.
#[test]
fn a_short_relaxation_is_newtonian() {
    let e = 1e-6;
    for tau in [0.05, 0.2, 1.0] {
        let term = |k: i32| {
            let n = f64::from(2 * k + 1) * PI;
            f64::from(1 - 2 * (k % 2)) / n.powi(3) * (-0.25 * n * n * tau).exp()
        };
        let newton = 1.5 - 48.0 * (0..50).map(term).sum::<f64>();
        assert!((center_line(tau / e, e, 0.3) - newton).abs() < 1e-4, "{tau}");
    }
}

#[test]
fn the_fit_finds_the_fluid_of_a_curve() {
    let start = Start { half_width: 0.5, force: 2.0 };
    for (elasticity, solvent) in [(1.0, 1.0 / 9.0), (0.1, 0.4), (3.0, 0.7)] {
        let viscosity = 0.3;
        let relaxation = elasticity * 0.25 / viscosity;
        let fluid = OldroydB { viscosity, relaxation, solvent };
        let mut curve = Curve::default();
        for k in 0..100 {
            let t = 0.05 * f64::from(k) * relaxation.max(1.0);
            // A ripple as of particles that pass.
            let ripple = 1e-3 * (7.0 * f64::from(k)).sin();
            curve.push(t, fluid.velocity(&start, t) + ripple);
        }
        let found = OldroydB::fitted(&start, &curve, curve.last());
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 0.02;
        assert!(
            close(found.viscosity, viscosity)
                && close(found.relaxation, relaxation)
                && (found.solvent - solvent).abs() < 0.02,
            "{found:?}, not {fluid:?}"
        );
        assert!(found.rms(&start, &curve) < 1.1e-3, "{}", found.rms(&start, &curve));
    }
}
