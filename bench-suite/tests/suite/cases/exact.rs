//! Exact solutions that scenes name by formula: they are those of the tables, and of the equations.

use bench_suite::{campaign::folder, cases::Case as _, reference::Table};
use sph_core::{keys::formula::Particle, method::report::StepReport, scene::Scene};
use std::f64::consts::{PI, TAU};

use crate::common;

fn scene(case: &str) -> Scene {
    folder::built_in().iter().find(|known| known.name() == case).unwrap().scene(50)
}

fn table(case: &str, file: &str) -> Table {
    let path = format!("{}/../cases/{case}/{file}", env!("CARGO_MANIFEST_DIR"));
    Table::parse(file, &std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Where the velocity is that of the table, the formula of the error has nothing left but the digits of the table.
#[test]
fn the_errors_of_channels_are_those_from_the_published_series() {
    const V_0: f64 = 1.25e-5;
    for case in ["couette", "poiseuille"] {
        let scene = scene(case);
        let error = scene.measure.iter().find_map(|measure| measure.statistic.as_ref()).unwrap();
        let table = table(case, "profiles.csv");
        let y = &table.columns[0].values;
        for (column, t) in table.columns[1..].iter().zip([0.0225, 0.045, 0.1125, 0.225, 100.0]) {
            for (&y, &u) in y.iter().zip(&column.values) {
                for off in [0.0, 0.01] {
                    let v = [u + off * V_0, 0.0, 0.0];
                    let found = error.formula.of(&Particle { x: [0.0, y, 0.0], t, v, ..Particle::default() });
                    assert!((found - off).abs() < 2e-6, "{case} at {y} m, {t} s: {found}, not {off}");
                }
            }
        }
    }
}

/// The vortex that a scene begins with is the one that its error is measured from, and that decays with its viscosity.
#[test]
fn a_vortex_begins_without_error() {
    for case in ["taylor_green", "taylor_green_jittered"] {
        let scene = scene(case);
        let error = scene.measure.iter().find_map(|measure| measure.statistic.as_ref()).unwrap();
        let (nu, t) = (0.01, 0.7);
        let decayed = (-2.0 * nu * TAU * TAU * t).exp();
        for (x, y) in [(0.1, 0.7), (0.33, 0.21), (0.95, 0.5)] {
            let ((sin_x, cos_x), (sin_y, cos_y)) = ((TAU * x).sin_cos(), (TAU * y).sin_cos());
            let v = [-cos_x * sin_y * decayed, (sin_x * cos_y + 0.1) * decayed, 0.0];
            let found = error.formula.of(&Particle { x: [x, y, 0.0], t, v, ..Particle::default() });
            assert!((found - 0.1).abs() < 1e-12, "{case} at {x}, {y}: {found}, not a tenth of the speed");
        }
        let mut run = common::simulation::<2>(case, &scene, &Default::default());
        run.measure(&StepReport::default()).unwrap();
        let first = run.measures.series().next().unwrap().values[0];
        assert!(first < 1e-6, "{case}: {first}");
    }
}

#[test]
fn the_table_of_the_vortex_is_its_decay() {
    let table = table("taylor_green", "decay.csv");
    for (t, speed) in table.columns[0].values.iter().zip(&table.columns[1].values) {
        assert!((speed - (-0.08 * PI * PI * t).exp()).abs() < 1e-6, "{speed} at {t}");
    }
}

/// The drop of the table obeys its equations of energy and of area, and has the period and the largest axis of the case.
#[test]
fn the_drop_of_the_table_keeps_energy_and_area() {
    let table = table("oscillating_drop", "drop.csv");
    let values = |name: &str| &table.column(name).unwrap().values;
    let (t, a, b, rate) = (values("t"), values("a"), values("b"), values("A/B"));
    for k in 0..t.len() {
        assert!((a[k] * b[k] - 1.0).abs() < 1e-5, "at {}", t[k]);
        let energy = (rate[k] * rate[k] + 1.0) * (a[k] * a[k] + b[k] * b[k]);
        assert!((energy - 4.0).abs() < 1e-4, "at {}: {energy}", t[k]);
    }
    let top = a.iter().copied().fold(0.0, f64::max);
    let exact = (2.0 + 3.0_f64.sqrt()).sqrt();
    assert!(top <= exact && top > exact - 3e-3, "{top}");
}

/// The table of the standing wave is the sine of the dispersion relation, and the scene begins with its speed.
#[test]
fn the_standing_wave_has_the_frequency_of_potential_flow() {
    let omega = (9.81 * PI * PI.tanh()).sqrt();
    let table = table("standing_wave", "wave.csv");
    for (t, y) in table.columns[0].values.iter().zip(&table.columns[1].values) {
        assert!((y - (omega * t).sin()).abs() < 1e-5, "{y} at {t}");
    }
    let scene = scene("standing_wave");
    let text = toml::to_string(&scene).unwrap();
    let speed: f64 = text.split_once("speed = ").unwrap().1.lines().next().unwrap().parse().unwrap();
    assert!((speed / (0.05 * omega) - 1.0).abs() < 1e-12, "{speed}");
}
