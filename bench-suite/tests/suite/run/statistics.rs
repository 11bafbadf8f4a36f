//! Laws of means and extremes of a formula over the particles.

use crate::common;
use bench_suite::system::processor::Processor;
use sph_core::{method::report::StepReport, scene::Scene};

/// The numbers of statistics, each a formula and what is taken of it, before the first step and after it.
fn samples<const D: usize>(method: &str, statistics: &[(&str, &str)]) -> [Vec<f64>; 2] {
    let corner = |x: f64| vec![x; D];
    let velocity = if D == 2 { "[\"y\", \"0\"]" } else { "[\"y\", \"0\", \"z\"]" };
    let mut text = format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 1\nrun.time_step = 1e-4\n[[fluid]]\nshape.block = \
         {{ min = {min:?}, max = {max:?} }}\nvelocity.formula = {velocity}\npressure.hydrostatic.surface = 1.0\n[solver]\nname = \"{method}\"\n",
        min = corner(0.0),
        max = corner(1.0),
    );
    for (k, (formula, take)) in statistics.iter().enumerate() {
        text += &format!("[[measure]]\nname = \"{k}\"\ninterval = 1e-5\n");
        text += &format!("statistic = {{ formula = \"{formula}\", take = \"{take}\" }}\n");
    }
    let scene = Scene::parse("statistics", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut run = common::simulation::<D>("statistics", &scene, &Processor::default());
    run.measure(&StepReport::default()).unwrap();
    let report = run.step(f64::INFINITY).unwrap();
    run.measure(&report).unwrap();
    [0, 1].map(|sample| run.measures.series().map(|series| series.values[sample]).collect())
}

/// On a lattice of ten particles along each axis.
fn of_a_lattice<const D: usize>() {
    let statistics = [
        ("x", "mean", 0.5),
        // Of (k + 1/2)/10 about the middle: (1 - 1/10²)/12.
        ("y - 0.5", "rms", (0.99_f64 / 12.0).sqrt()),
        ("y - dx/2", "least", 0.0),
        ("y + dx/2", "largest", 1.0),
        ("abs(u - y)", "largest", 0.0),
        ("u + 10*v", "mean", 0.5),
        ("t", "largest", 0.0),
        ("-x", "largest", -0.05),
        ("1/(x - x)", "largest", f64::NAN),
    ];
    let asked = statistics.map(|(formula, take, _)| (formula, take));
    for method in ["wcsph", "pbf", "viscoelastic", "projection"] {
        let [found, later] = samples::<D>(method, &asked);
        for ((formula, take, exact), found) in statistics.iter().zip(&found) {
            let fits = (found - exact).abs() < 1e-6 || found.is_nan() && exact.is_nan();
            assert!(fits, "{D}D {method}, {take} of {formula}: {found}, not {exact}");
        }
        assert_eq!(later[6], 1e-4, "the time of the second sample");
    }
}

#[test]
fn statistics_are_means_and_extremes_over_the_particles() {
    of_a_lattice::<2>();
    of_a_lattice::<3>();
    let [_, in_space] = samples::<3>("wcsph", &[("z", "mean"), ("abs(w - z)", "largest")]);
    assert!((in_space[0] - 0.5).abs() < 1e-4 && in_space[1] < 0.1, "{in_space:?}");
}

/// Water under its own weight: the pressure of its depth, and a density that hardly differs from that at rest.
#[test]
fn statistics_read_density_and_pressure() {
    let statistics = [("p/4905", "mean"), ("rho/1000", "mean"), ("p/(9810*(1 - y))", "rms")];
    let [_, found] = samples::<2>("wcsph", &statistics);
    assert!(found.iter().all(|x| (x - 1.0).abs() < 0.02), "{found:?}");
}
