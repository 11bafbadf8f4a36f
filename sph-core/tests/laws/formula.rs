//! What formulas of scenes mean, and what is said of those that mean nothing.
#![allow(clippy::unwrap_used, clippy::panic)] // Helpers of tests may panic as tests do.
use proptest::prelude::*;
use sph_core::{keys::formula::Formula, scene::Scene};
use std::f64::consts::PI;

fn value(text: &str) -> f64 {
    Formula::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).at(&[0.3, 0.7, -0.2], 1.5)
}

/// As in mathematics: a power before a sign before a product before a sum, powers from the right, all else from the left.
#[test]
fn operations_bind_as_in_mathematics() {
    let (x, y, z, t) = (0.3_f64, 0.7_f64, -0.2_f64, 1.5_f64);
    let cases = [
        ("-x^2", -(x * x)),
        ("exp(-(x - 0.5)^2/0.01)", (-(x - 0.5_f64).powi(2) / 0.01).exp()),
        ("2^3^2", 512.0),
        ("2^-1", 0.5),
        ("-2^-x^2", -(2.0_f64.powf(-(x * x)))),
        ("(-x)^2", x * x),
        ("8 - 4 - 2", 2.0),
        ("8/4/2", 1.0),
        ("1/2*x", 0.5 * x),
        ("2*-3 - -1 + +4", -1.0),
        ("--x", x),
        ("1e-3*t + 2.5E+2 + .5", 1e-3 * t + 250.5),
        ("sin(2*pi*x)*cos(2*pi*y)", (2.0 * PI * x).sin() * (2.0 * PI * y).cos()),
        ("atan2(y, x) + min(x, z)*max(y, t)", y.atan2(x) + z * t),
        ("tan(x) + asin(x) + acos(x) + atan(x)", x.tan() + x.asin() + x.acos() + x.atan()),
        ("sinh(x) - cosh(y) + tanh(z)", x.sinh() - y.cosh() + z.tanh()),
        ("sqrt(abs(z))*ln(t)/floor(t + 0.5)", 0.2_f64.sqrt() * t.ln() / 2.0),
        ("step(x) + 10*step(z) + 100*step(0)", 101.0),
    ];
    for (text, expected) in cases {
        assert!((value(text) - expected).abs() < 1e-14 * expected.abs().max(1.0), "{text}: {}", value(text));
    }
    assert!(value("1/0").is_infinite(), "what has no value is not finite");
    for text in [
        "sqrt(z)",
        "step(sqrt(z))",
        "max(sqrt(z), 0)",
        "max(0, sqrt(z))",
        "min(sqrt(z), 0)",
        "min(0, sqrt(z))",
    ] {
        assert!(value(text).is_nan(), "{text}");
    }
}

#[test]
fn what_is_no_formula_is_told_with_its_place() {
    let deep = |n: usize| "(".repeat(n) + "x" + &")".repeat(n);
    let cases = [
        ("", "is no formula: needs a number, a name or a parenthesis at its end"),
        ("2x", "has \"2x\", which is no number, at `2`, sign 1"),
        ("x y", "needs an operation, or to end, at `y`, sign 3"),
        ("x + ", "needs a number, a name or a parenthesis at its end"),
        ("(x", "needs `)` at its end"),
        ("x)", "needs an operation, or to end, at `)`, sign 2"),
        ("x**2", "needs a number, a name or a parenthesis, at `*`, sign 3"),
        (
            "sin x",
            "knows no `sin`, but x, y, z, t and pi, and of particles u, v, w, rho, p, dx, at `s`, sign 1",
        ),
        ("3*q", "knows no `q`, but x, y, z, t and pi, and of particles u, v, w, rho, p, dx, at `q`, sign 3"),
        ("foo(x)", "knows no function `foo`, but sin, cos"),
        ("min(x)", "needs `,`, at `)`, sign 6"),
        ("sin(x, y)", "needs `)`, at `,`, sign 6"),
        ("1e999", "has \"1e999\", which is no number"),
        ("1.2.3", "has \"1.2.3\", which is no number"),
        ("π + ü", "knows no `π`"),
        (&deep(10_000), "20001 bytes are more than 1000"),
        (&deep(100), "is nested more than 64 deep"),
        (&"x^".repeat(100), "is nested more than 64 deep"),
        (&"sin(".repeat(100), "is nested more than 64 deep"),
    ];
    for (text, message) in cases {
        let error = Formula::parse(text).unwrap_err();
        assert!(error.contains(message), "{text}: {error}");
    }
    assert!(Formula::parse(&deep(60)).is_ok() && Formula::parse(&"-".repeat(900)).is_err());
}

/// A formula as a tree, with its text and its value.
fn tree() -> impl Strategy<Value = (String, f64)> {
    let leaf = prop_oneof![
        Just(("x".to_owned(), 0.3)),
        Just(("t".to_owned(), 1.5)),
        (0.1..9.0_f64).prop_map(|a| (format!("{a}"), a)),
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let two = (inner.clone(), inner.clone(), 0..4);
        prop_oneof![
            two.prop_map(|((a, x), (b, y), k)| match k {
                0 => (format!("({a})+({b})"), x + y),
                1 => (format!("({a}) - ({b})"), x - y),
                2 => (format!("({a})*({b})"), x * y),
                _ => (format!("({a})/({b})"), x / y),
            }),
            inner.clone().prop_map(|(a, x)| (format!("-({a})"), -x)),
            inner.clone().prop_map(|(a, x)| (format!("sin({a})"), x.sin())),
            inner.prop_map(|(a, x)| (format!("({a})^2"), x * x)),
        ]
    })
}

proptest! {
    #[test]
    fn formulas_have_the_values_of_their_trees((text, expected) in tree()) {
        let found = value(&text);
        prop_assert!(found == expected || (found - expected).abs() <= 1e-9 * expected.abs()
            || !expected.is_finite(), "{text}: {found}, {expected}");
    }

    /// Whatever is written, it is read or refused.
    #[test]
    fn any_text_is_read_or_refused(text in "[-+*/^(),. a-z0-9]{0,60}|.{0,60}") {
        let _ = Formula::parse(&text).map(|formula| formula.at(&[0.1], 0.2));
    }
}

#[test]
fn scenes_have_formulas_where_they_say() {
    let scene = |text: &str| {
        let text = format!(
            "spacing = 0.1\nrun.end_time = 1\n[[fluid]]\nshape.block = {{ min = [0, 0], max = [1, 1] }}\n{text}"
        );
        Scene::parse("s", &text).map_err(|error| error.to_string())
    };
    let vortex = "velocity.formula = [\"-cos(2*pi*x)*sin(2*pi*y)\", \"sin(2*pi*x)*cos(2*pi*y)\"]\n\
                  pressure.formula = \"-250*(cos(4*pi*x) + cos(4*pi*y))\"\n";
    let formula = scene(vortex).unwrap();
    let built_in = scene("velocity.taylor_green = {}\npressure.taylor_green = {}\n").unwrap();
    for x in [[0.13, 0.71], [0.5, 0.2]] {
        let [found, expected] = [&formula, &built_in].map(|scene| {
            let fluid = &scene.fluid[0];
            let [u, v] = fluid.velocity.at(&x);
            [u, v, 1e-3 * fluid.pressure.at(&x, 1000.0, &[0.0, 0.0])]
        });
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
    }
    assert_eq!(
        Scene::parse("again", &formula.to_toml().unwrap()).unwrap(),
        formula,
        "it is written as it was read"
    );
    let wrong = [
        (
            "velocity.formula = [\"x\"]",
            "s:5:20: fluid[0].velocity.formula: has 1 formulas, but the scene has dim = 2",
        ),
        (
            "velocity.formula = [\"x\", \"z\"]",
            "fluid[0].velocity.formula[1] = \"z\": names `z`, but here a formula has x, y alone",
        ),
        ("velocity.formula = [\"x\", \"t\"]", "names `t`, but here a formula has x, y alone"),
        (
            "velocity.formula = [\"x\", \"2*\"]",
            "is no formula: needs a number, a name or a parenthesis at its end",
        ),
        (
            "[forces]\nacceleration = [\"x\", \"0\"]",
            "forces.acceleration[0] = \"x\": names `x`, but here a formula has t alone",
        ),
    ];
    for (text, message) in wrong {
        let error = scene(text).unwrap_err();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn slopes_are_those_of_the_values() {
    let texts = "sin(2*t) cos(t) tan(t/3) asin(t/4) acos(t/4) atan(t^2) sinh(t) cosh(t) tanh(t)*t exp(-t^2/2) ln(1+t) sqrt(t) \
        abs(t-7) floor(t)+t step(t-1)*t min(t^2,t^3) max(t^2,t^3) atan2(t,1-t) t^2 t^0.5 2^t t^t t^-1 (1+t)/(2-t) -t^3+t-1/t";
    for text in texts.split_whitespace() {
        let formula = Formula::parse(text).unwrap();
        for t in [0.31_f64, 1.37, 1.93, 2.71] {
            let h = 1e-4;
            let [before, now, after] = [t - h, t, t + h].map(|t| formula.at(&[], t));
            let jet = formula.jet(&[], t);
            let scale = 1.0 + jet.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert_eq!(jet[0], now);
            // h² of the third and fourth derivative, up to 6 scale⁴ here, and round-off over h and h².
            assert!(
                ((after - before) / (2.0 * h) - jet[1]).abs() < 1e-6 * scale.powi(4),
                "{text} at {t}: {jet:?}"
            );
            let bend = (after - 2.0 * now + before) / (h * h);
            assert!((bend - jet[2]).abs() < 1e-6 * scale.powi(4), "{text} at {t}: {jet:?} {bend}");
        }
    }
    // What has no slope has none at a corner of another, too.
    assert_eq!(Formula::parse("t^1 + t^2 + t^0").unwrap().jet(&[], 0.0), [1.0, 1.0, 2.0]);
}
