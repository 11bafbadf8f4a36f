//! Fluid in tanks at an angle, of polygons and of formulas moves as in those that are drawn along the axes.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common::simulation;
use sph_core::{geometry::shape::Region, run::simulation::Simulation};

const ANGLE: f64 = 0.4;
const SPACING: f64 = 0.05;

fn scene(head: &str, fluid: &str, wall: &str) -> Simulation<2> {
    simulation(&format!(
        "spacing = {SPACING}\nrun.end_time = 2.0\n{head}\n[[fluid]]\n{fluid}\n[[wall]]\n{wall}\nlayers = 3\n\
         [solver]\nname = \"wcsph\"\n"
    ))
}

/// Places by name.
fn places(sim: &Simulation<2>) -> Vec<[f64; 2]> {
    let fluid = &sim.state.fluid;
    let mut places: Vec<_> =
        (0..fluid.len()).map(|i| (fluid.id[i], fluid.position(i).map(f64::from))).collect();
    places.sort_by_key(|place| place.0);
    places.into_iter().map(|place| place.1).collect()
}

#[test]
fn a_turned_dam_breaks_as_the_dam_under_turned_gravity() {
    let (fluid, wall) = ("{ min = [0.0, 0.0], max = [0.4, 0.6] }", "{ min = [0.0, 0.0], max = [1.0, 1.0] }");
    let rotated = |block: &str| {
        format!("shape.rotated = {{ shape.block = {block}, center = [0.3, 0.2], angle = {ANGLE} }}")
    };
    let (sin, cos) = ANGLE.sin_cos();
    let mut drawn =
        scene("gravity = [0.0, -9.81]", &format!("shape.block = {fluid}"), &format!("shape.block = {wall}"));
    let gravity = format!("gravity = [{}, {}]", 9.81 * sin, -9.81 * cos);
    let mut turned = scene(&gravity, &rotated(fluid), &rotated(wall));
    for sim in [&mut drawn, &mut turned] {
        sim.run(0.1, 10_000, &mut []).unwrap();
    }
    let start = 0.6 - 0.5 * SPACING;
    let (drawn, turned) = (places(&drawn), places(&turned));
    assert!(drawn.len() == 96 && drawn.iter().all(|x| x[1] < start), "it has fallen");
    for (a, b) in drawn.iter().zip(&turned) {
        let d = [b[0] - 0.3, b[1] - 0.2];
        let back = [0.3 + cos * d[0] + sin * d[1], 0.2 + cos * d[1] - sin * d[0]];
        let off = (back[0] - a[0]).hypot(back[1] - a[1]);
        assert!(off < 0.02 * SPACING, "{a:?} {back:?}");
    }
}

#[test]
fn a_polygon_holds_water_at_rest() {
    let points = "[[0.0, 0.0], [1.0, 0.0], [1.4, 0.8], [-0.3, 0.8]]";
    let polygon = format!("shape.polygon = {{ points = {points} }}");
    let cut = format!(
        "{polygon}\ncut = [{{ half_space = {{ point = [0.0, 0.5], normal = [0.0, -1.0] }} }}]\npressure.hydrostatic.surface = 0.5"
    );
    let mut sim = scene("gravity = [0.0, -9.81]", &cut, &polygon);
    let n = sim.state.fluid.len();
    let area = 0.5 * (1.0 + 1.0 + 0.4375) * 0.5;
    assert!((n as f64 * SPACING * SPACING - area).abs() < 0.03 * area, "{n}");
    sim.run(1.0, 100_000, &mut []).unwrap();
    let region: &Region<2> = &sim.state.walls.surfaces[0].region;
    assert!(places(&sim).iter().all(|x| region.phi(x) < 0.0 && x[1] < 0.6));
    let speed = (0..n).map(|i| f64::from(sim.state.fluid.v[0][i]).hypot(f64::from(sim.state.fluid.v[1][i])));
    // Of √(g H) = 2.2 m/s.
    let mean = speed.sum::<f64>() / n as f64;
    assert!(mean < 0.11, "{mean}");
}

#[test]
fn a_formula_moves_a_wall_as_the_oscillation_that_it_is() {
    let run = |motion: &str| {
        let wall = format!("shape.block = {{ min = [0.0, 0.0], max = [1.0, 1.0] }}\nmotion.{motion}");
        let mut sim = scene("", "shape.block = { min = [0.0, 0.0], max = [1.0, 0.5] }", &wall);
        sim.run(0.1, 10_000, &mut []).unwrap();
        places(&sim)
    };
    let expected = run("oscillation = { amplitude = [0.02, 0.0], frequency = 2.0 }");
    for motion in
        ["displacement = [\"0.02*sin(4*pi*t)\", \"0\"]", "velocity = [\"0.08*pi*cos(4*pi*t)\", \"0\"]"]
    {
        for (a, b) in expected.iter().zip(&run(&format!("formula.{motion}"))) {
            assert!((a[0] - b[0]).hypot(a[1] - b[1]) < 0.02 * SPACING, "{motion}: {a:?} {b:?}");
        }
    }
}
