//! Laws of totals that read neighbors: the area of surfaces that are known, and the disorder of lattices and of random points.

use crate::common;
use bench_suite::system::processor::Processor;
use sph_core::{
    Real, geometry::sampling::Jitter, method::report::StepReport, run::simulation::Simulation, scene::Scene,
};
use std::f64::consts::PI;

const TOTALS: &str = "[[measure]]\nname = \"totals\"\ntotals = [\"surface_area\", \"disorder\"]\n[solver]";

/// The run of a scene that measures both, with each particle displaced by up to a part of the spacing along each axis.
fn run<const D: usize>(text: &str, displaced: f64) -> Simulation<D> {
    let text = format!("run.end_time = 1\n{}", text.replace("[solver]", TOTALS));
    let scene = Scene::parse("totals", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut run: Simulation<D> = common::simulation("totals", &scene, &Processor::default());
    let jitter = Jitter { amplitude: displaced * scene.spacing, seed: 3 };
    for i in 0..run.state.fluid.len() {
        let x = run.state.fluid.position(i);
        let x: [Real; D] =
            std::array::from_fn(|a| x[a] + jitter.uniform(i as u64, a) as Real * jitter.amplitude as Real);
        let x = run.state.domain.periodic.wrap(x);
        (0..D).for_each(|a| run.state.fluid.x[a][i] = x[a]);
    }
    run
}

/// The area of the surface, and the disorder.
fn totals<const D: usize>(run: &mut Simulation<D>) -> [f64; 2] {
    run.measure(&StepReport::default()).unwrap();
    let series = run.measures.series().next().unwrap();
    [series.values[0], series.values[1]]
}

fn area<const D: usize>(text: &str, displaced: f64) -> f64 {
    totals(&mut run::<D>(text, displaced))[0]
}

fn assert_within(found: f64, exact: f64, part: f64, what: &str) {
    assert!((found / exact - 1.0).abs() < part, "{what}: {found}, not {exact}");
}

/// Twenty spacings across and more, on a lattice and displaced from it.
#[test]
fn surfaces_of_discs_and_balls_have_their_area() {
    for (method, more) in [("wcsph", "sound_speed = 10"), ("pbf", "")] {
        for displaced in [0.0, 0.3] {
            let ball = |dim: usize, spacing: f64| {
                let [center, gravity] = [["0.51", "0.52", "0.53"], ["0"; 3]].map(|all| all[..dim].join(", "));
                format!(
                    "dim = {dim}\nspacing = {spacing}\ngravity = [{gravity}]\n[[fluid]]\nshape.ball = {{ center = \
                     [{center}], radius = 0.5 }}\n[solver]\nname = \"{method}\"\n{more}"
                )
            };
            let what = format!("{method}, displaced by {displaced}");
            for spacing in [0.05, 0.02] {
                let disc = area::<2>(&ball(2, spacing), displaced);
                assert_within(disc, PI, 0.03, &format!("disc of {spacing} m, {what}"));
            }
            assert_within(area::<3>(&ball(3, 0.05), displaced), PI, 0.03, &format!("ball, {what}"));
        }
    }
}

/// `width` times `depth`, wherever the walls lie on the grid.
#[test]
fn walls_are_no_surface() {
    let block = |x: f64, height: f64| {
        format!("shape.block = {{ min = [{x}, {x}], max = [{}, {}] }}\n", x + 1.0, x + height)
    };
    for (x, displaced) in [(0.0, 0.0), (0.013, 0.0), (0.025, 0.3), (0.04, 0.3)] {
        let fluid = format!("spacing = 0.05\n[[fluid]]\n{}", block(x, 0.6));
        let tank = block(x, 1.2);
        for layers in [1, 3] {
            let faces = "faces = [\"x_min\", \"x_max\", \"y_min\"]";
            let text =
                format!("{fluid}[[wall]]\n{tank}layers = {layers}\n{faces}\n[solver]\nname = \"wcsph\"\n");
            let what = format!("walls of {layers} layers from {x}, displaced by {displaced}");
            assert_within(area::<2>(&text, displaced), 1.0, 0.03, &what);
        }
        let text = format!("{fluid}[[container]]\n{tank}[solver]\nname = \"pbf\"\n");
        let what = format!("container from {x}, displaced by {displaced}");
        assert_within(area::<2>(&text, displaced), 1.0, 0.03, &what);
    }
}

#[test]
fn water_in_space_has_the_surface_of_its_tank() {
    let text = "dim = 3\nspacing = 0.04\n[[fluid]]\nshape.block = { min = [0, 0, 0], max = [1, 0.6, 0.4] }\n[[wall]]\n\
                shape.block = { min = [0, 0, 0], max = [1, 0.6, 0.8] }\nlayers = 2\n[solver]\nname = \"wcsph\"\n";
    for displaced in [0.0, 0.3] {
        assert_within(area::<3>(text, displaced), 0.6, 0.03, &format!("pool, displaced by {displaced}"));
    }
}

/// What stands in the water touches no air, and a period goes on without an end.
#[test]
fn bodies_under_water_and_ends_of_periods_are_no_surface() {
    let text = |domain: &str, faces: &str, solid: &str| {
        format!(
            "spacing = 0.04\n{domain}[[fluid]]\nshape.block = {{ min = [0, 0], max = [1, 0.6] }}\ncut = [{{ block = {{ \
             min = [0.4, 0.16], max = [0.6, 0.36] }} }}]\n[[wall]]\nshape.block = {{ min = [0, 0], max = [1, 1] \
             }}\nfaces = [{faces}]\nlayers = 2\n{solid}[solver]\nname = \"wcsph\"\n"
        )
    };
    let block = "shape.block = { min = [0.4, 0.16], max = [0.6, 0.36] }\n";
    let body = format!("[[body]]\nname = \"block\"\ndensity = 1000\n{block}");
    let obstacle = format!("[[wall]]\nside = \"outside\"\n{block}");
    let (tank, domain) =
        ("\"x_min\", \"x_max\", \"y_min\"", "domain = { min = [0, -1], max = [1, 2], periodic = [\"x\"] }\n");
    for displaced in [0.0, 0.3] {
        let what = |what: &str| format!("with {what}, displaced by {displaced}");
        assert_within(area::<2>(&text("", tank, &body), displaced), 1.0, 0.03, &what("a body"));
        let period = text(domain, "\"y_min\"", &obstacle);
        assert_within(area::<2>(&period, displaced), 1.0, 0.03, &what("an obstacle"));
        // The corners of the hole are round.
        let hole = area::<2>(&text(domain, "\"y_min\"", ""), displaced);
        assert!((1.65..1.8).contains(&hole), "a hole in its place: {hole}");
    }
}

/// Fluid in a box that is periodic along all axes.
fn periodic<const D: usize>(displaced: f64) -> [f64; 2] {
    let [zeros, ones, axes] =
        [["0"; 3], ["1"; 3], ["\"x\"", "\"y\"", "\"z\""]].map(|all| all[..D].join(", "));
    let text = format!(
        "dim = {D}\nspacing = 0.0625\ngravity = [{zeros}]\ndomain = {{ min = [{zeros}], max = [{ones}], periodic = \
         [{axes}] }}\n[[fluid]]\nshape.block = {{ min = [{zeros}], max = [{ones}] }}\n[solver]\nname = \
         \"wcsph\"\nsound_speed = 10\n"
    );
    totals(&mut run::<D>(&text, displaced))
}

/// Displaced by up to half of the box each, particles are anywhere.
fn disorder_grows_with_displacements<const D: usize>() {
    let [surface, lattice] = periodic::<D>(0.0);
    let [little, much, random] = [0.1, 0.3, 8.0].map(|displaced| periodic::<D>(displaced)[1]);
    assert_eq!(surface.to_bits(), 0, "{D}D: {surface}, not 0");
    assert!(lattice < 1e-5, "{D}D: {lattice}");
    assert!(0.02 < little && little < 0.5 * much && much < 0.8 * random, "{D}D: {little} {much} {random}");
    assert!((0.45..0.7).contains(&random), "{D}D: {random}");
}

#[test]
fn disorder_is_that_of_lattices_and_random_points() {
    disorder_grows_with_displacements::<2>();
    disorder_grows_with_displacements::<3>();
    let block = "spacing = 0.05\n[[fluid]]\nshape.block = { min = [0, 0], max = [1, 0.5] }\n[solver]\nname = \"wcsph\"\n";
    assert!(totals(&mut run::<2>(block, 0.0))[1] < 1e-5, "a free surface is no disorder");
}
