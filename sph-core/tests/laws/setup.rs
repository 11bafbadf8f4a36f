//! From scenes to states.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]
#![allow(clippy::expect_used, reason = "a failure is that of the test")]

use crate::common;

use common::{EXACT, assert_near};
use sph_core::{
    Real,
    kernel::{CubicSpline, Formula, Poly6, Spiky, WendlandC2, WendlandC4},
    method::state::State,
    neighbors::{Backend, Neighbors, Settings},
    numerics::{lane::Isa, vector::norm2},
    scene::{
        Scene,
        setup::{self, Setup},
    },
};

fn parse(text: &str) -> Scene {
    Scene::parse("test.toml", &format!("run.end_time = 1.0\n{text}")).expect("a valid scene")
}

/// The state of a scene, for a kernel with a support of `eta` spacings.
fn build<const D: usize, K: Formula<D>>(scene: &Scene, eta: f64) -> Setup<D> {
    setup::build(scene, &K::new((eta * scene.spacing) as Real)).expect("a valid scene")
}

/// Density by summation and number of fluid neighbors of every particle, in the order of ids, \[kg/m³\].
fn densities<const D: usize, K: Formula<D>>(state: &State<D>, eta: f64) -> Vec<(f64, usize)> {
    let kernel = K::new((eta * f64::from(state.rest.spacing)) as Real);
    let mut state = state.clone();
    let mut lists = Neighbors::new(Settings {
        backend: Backend::DenseGrid,
        radius: kernel.support_radius(),
        skin: 0.0,
        periodic: state.domain.periodic,
        isa: Isa::best(),
        wall_rows: false,
        by_id: false,
    });
    lists.update(&mut state, []).expect("a small grid");
    let mut found: Vec<_> = (0..state.fluid.len())
        .map(|i| {
            let x = state.fluid.position(i);
            let w = lists.fluid.neighbors(i).map(|j| {
                let y = state.fluid.position(j);
                let d = state.domain.periodic.nearest(std::array::from_fn(|a| x[a] - y[a]));
                f64::from(kernel.w(norm2(d)))
            });
            let sum = f64::from(kernel.w_0()) + w.sum::<f64>();
            (state.fluid.id[i], (f64::from(state.rest.m) * sum, lists.fluid.neighbors(i).count()))
        })
        .collect();
    found.sort_by_key(|(id, _)| *id);
    found.into_iter().map(|(_, found)| found).collect()
}

const TANK: &str = r#"
    spacing = 0.05
    rest_density = 900.0
    [[fluid]]
    shape.block = { min = [0.0, 0.0], max = [0.5, 1.0] }
    velocity.uniform = [0.25, -1.0]
    pressure.hydrostatic = { surface = 1.0 }
    [[fluid]]
    shape.block = { min = [1.5, 0.0], max = [2.0, 0.25] }
    [[wall]]
    shape.block = { min = [0.0, 0.0], max = [2.0, 1.5] }
    faces = ["x_min", "x_max", "y_min"]
    [[wall]]
    name = "lid"
    shape.block = { min = [0.0, 1.75], max = [2.0, 2.0] }
    side = "outside"
    motion.translation = { velocity = [0.0, -0.5] }
    slip = "free_slip"
"#;

#[test]
fn a_tank_has_the_particles_of_its_scene() {
    let Setup { state, pressure } = build::<2, WendlandC2<2>>(&parse(TANK), 2.5);
    assert_eq!((state.fluid.len(), pressure.len()), (250, 250));
    assert_eq!(state.fluid.id, (0..250).collect::<Vec<u64>>());
    assert!(state.fluid.rho.iter().all(|&rho| rho == 900.0));
    assert_eq!((state.t, state.step), (0.0, 0));
    assert_eq!(state.fluid.position(0), [0.025; 2]);
    assert_eq!((state.fluid.velocity(0), state.fluid.velocity(249)), ([0.25, -1.0], [0.0; 2]));
    assert_near(pressure[0], 900.0 * 9.81 * 0.975, 1e-6, "pressure of the lowest row");
    assert_eq!(pressure[249], 0.0);
    assert_near(state.forces.gravity[1], -9.81, 1e-6, "gravity");
    // Two layers around 40 × 30 sites, open above.
    let [tank, lid] = &state.walls.bodies[..] else { panic!("two walls") };
    let of = |body: u16| state.walls.body.iter().filter(|&&b| b == body).count();
    assert_eq!(of(0), (40 + 4) * (30 + 2) - 40 * 30);
    assert!(of(1) > 0 && of(0) + of(1) == state.walls.len());
    assert_eq!((tank.name.as_str(), lid.name.as_str()), ("wall[0]", "lid"));
    assert!(tank.no_slip && !lid.no_slip && tank.motion.is_static() && !lid.motion.is_static());
    let b = state.walls.body.iter().position(|&b| b == 1).expect("the lid");
    assert_eq!(state.walls.velocity(b), [0.0, -0.5], "walls move from the start");
    assert!(state.walls.volume.iter().all(|&v| v > 0.0));
    for i in 0..state.fluid.len() {
        assert!(state.domain.holds(state.fluid.position(i)));
    }
}

/// A full periodic box, with a line that sets the mass.
fn periodic_box<const D: usize>(line: &str) -> Scene {
    let (low, high) = (vec![-0.5; D], vec![0.5; D]);
    let axes = &["x", "y", "z"][..D];
    parse(&format!(
        "dim = {D}\nspacing = 0.0625\n{line}\n\
         [domain]\nmin = {low:?}\nmax = {high:?}\nperiodic = {axes:?}\n\
         [[fluid]]\nshape.block = {{ min = {low:?}, max = {high:?} }}\n"
    ))
}

fn calibrated_masses_give_the_rest_density<const D: usize, K: Formula<D>>(eta: f64) {
    let state = build::<D, K>(&periodic_box::<D>(""), eta).state;
    assert_eq!(state.fluid.len(), 16_usize.pow(D as u32));
    for (rho, _) in densities::<D, K>(&state, eta) {
        assert_near(rho / 1000.0, 1.0, EXACT, K::NAME);
    }
}

#[test]
fn the_mode_sets_the_mass() {
    macro_rules! calibrate {
        ($($kernel:ident)*) => {
            $(calibrated_masses_give_the_rest_density::<2, sph_core::kernel::$kernel<2>>(2.5);)*
        };
    }
    sph_core::all_kernels!(calibrate);
    calibrated_masses_give_the_rest_density::<2, Spiky<2>>(3.0);
    calibrated_masses_give_the_rest_density::<3, CubicSpline<3>>(2.0);
    let m = |line: &str| f64::from(build::<3, WendlandC2<3>>(&periodic_box::<3>(line), 2.5).state.rest.m);
    let volume = 1000.0 * 0.0625_f64.powi(3);
    assert_near(m("mass_mode = \"volume\""), volume, EXACT * volume, "volume");
    assert_near(m("mass_mode = { factor = 0.8 }"), 0.8 * volume, EXACT * volume, "factor");
}

/// Density over rest density and neighbors, of a particle with a full support.
fn lattice_density<const D: usize, K: Formula<D>>(eta: f64) -> (f64, usize) {
    let state = build::<D, K>(&periodic_box::<D>("mass_mode = \"volume\""), eta).state;
    let (rho, n) = densities::<D, K>(&state, eta)[0];
    (rho / 1000.0, n)
}

fn assert_row<const D: usize>(eta: f64, n: usize, printed: [f64; 5]) {
    let computed = [
        lattice_density::<D, CubicSpline<D>>(eta),
        lattice_density::<D, Poly6<D>>(eta),
        lattice_density::<D, Spiky<D>>(eta),
        lattice_density::<D, WendlandC2<D>>(eta),
        lattice_density::<D, WendlandC4<D>>(eta),
    ];
    for (k, ((density, neighbors), printed)) in computed.into_iter().zip(printed).enumerate() {
        assert_eq!(neighbors, n, "neighbors in {D}D at {eta}");
        assert_near(density, printed, 0.51e-4, &format!("kernel {k} in {D}D at {eta}"));
    }
}

#[test]
fn lattices_have_the_densities_of_the_table() {
    assert_row::<2>(2.0, 8, [1.0009, 1.0146, 1.2736, 1.0376, 1.0458]);
    assert_row::<2>(2.5, 20, [0.9994, 0.9940, 1.1373, 1.0138, 1.0105]);
    assert_row::<2>(3.0, 24, [1.0034, 1.0023, 1.0812, 1.0051, 1.0030]);
    assert_row::<2>(4.0, 44, [1.0000, 1.0005, 1.0342, 1.0012, 1.0004]);
    assert_row::<3>(2.0, 26, [1.0000, 1.0098, 1.2359, 1.0338, 1.0667]);
    assert_row::<3>(2.2, 32, [1.0043, 1.0140, 1.1668, 1.0246, 1.0269]);
    assert_row::<3>(2.5, 80, [0.9985, 0.9954, 1.0962, 1.0134, 1.0106]);
    assert_row::<3>(3.0, 92, [1.0018, 1.0022, 1.0474, 1.0031, 1.0029]);
    assert_row::<3>(4.0, 250, [1.0001, 1.0000, 1.0148, 1.0005, 1.0003]);
}

/// A channel along x between `low` and `high`, its walls three spacings longer at both ends.
fn channel(low: f64, high: f64) -> String {
    format!(
        r#"
        spacing = 0.1
        domain = {{ min = [{low}, -1.0], max = [{high}, 2.0], periodic = ["x"] }}
        [[fluid]]
        shape.block = {{ min = [{low}, 0.0], max = [{high}, 1.0] }}
        jitter = 0.25
        [[wall]]
        shape.block = {{ min = [{:?}, 0.0], max = [{:?}, 1.0] }}
        faces = ["y_min", "y_max"]
        "#,
        low - 0.3,
        high + 0.3
    )
}

#[test]
fn a_periodic_axis_wraps_fluid_and_cuts_walls() {
    let state = build::<2, WendlandC2<2>>(&parse(&channel(-1.0, 1.0)), 2.5).state;
    let periodic = state.domain.periodic;
    assert!(periodic.is_periodic(0) && !periodic.is_periodic(1));
    assert_eq!((periodic.low[0], periodic.length[0]), (-1.0, 2.0));
    assert_eq!(state.fluid.len(), 200);
    assert!(state.fluid.x[0].iter().all(|x| (-1.0..1.0).contains(x)));
    assert_eq!(state.walls.len(), 2 * 2 * 20);
    assert!(state.walls.x[0].iter().all(|x| (-1.0..1.0).contains(x)));
    // All samples of a layer are alike, also at the ends.
    let walls = &state.walls;
    let layer = |y: Real| (0..walls.len()).filter(move |&b| (walls.x[1][b] - y).abs() < 1e-3);
    for y in [-0.05, -0.15, 1.05, 1.15] {
        let volumes: Vec<Real> = layer(y).map(|b| walls.volume[b]).collect();
        assert_eq!(volumes.len(), 20);
        assert!(volumes.iter().all(|v| (v / volumes[0] - 1.0).abs() < 1e-4), "{volumes:?}");
    }
}

#[test]
fn fluid_beyond_the_end_of_a_period_comes_in_at_the_other() {
    let mut scene = parse(&channel(-1.0, 1.0));
    let straight = build::<2, WendlandC2<2>>(&scene, 2.5).state;
    // The same box, begun elsewhere: a scene made in code may be drawn across the end.
    scene.domain.as_mut().expect("a domain").min[0] = -0.5;
    scene.domain.as_mut().expect("a domain").max[0] = 1.5;
    let state = build::<2, WendlandC2<2>>(&scene, 2.5).state;
    assert!(state.fluid.x[0].iter().all(|x| (-0.5..1.5).contains(x)));
    for (x, old) in state.fluid.x[0].iter().zip(&straight.fluid.x[0]) {
        let expected = f64::from(*old) + if *old < -0.5 { 2.0 } else { 0.0 };
        assert_near(*x, expected, EXACT, "wrapped");
    }
}

#[test]
fn a_period_too_short_names_its_key_and_the_least() {
    let scene = parse(&channel(0.0, 0.7));
    let error = setup::build(&scene, &WendlandC2::<2>::new(0.25)).expect_err("too short");
    assert_eq!(error.key(), Some("domain.max"));
    let text = error.to_string();
    assert!(error.line().is_some() && text.contains("0.750") && text.contains('X'), "{text}");
    assert!(setup::build(&scene, &WendlandC2::<2>::new(0.23)).is_ok());
}

#[test]
fn wrong_scenes_are_refused() {
    let no_fluid = parse("spacing = 0.1\n");
    let error = setup::build(&no_fluid, &WendlandC2::<2>::new(0.25)).expect_err("empty");
    assert_eq!(error.key(), Some("fluid"));
    let error = setup::build(&parse(TANK), &WendlandC2::<3>::new(0.25)).expect_err("other dimension");
    assert!(error.to_string().contains("dim = 3"), "{error}");
}

#[test]
fn containers_hold_particles() {
    let scene = parse(
        "spacing = 0.1\n[[fluid]]\nshape.disc = { center = [0.0, 0.0], radius = 0.9 }\n\
         cut = [{ disc = { center = [0.0, 0.0], radius = 0.2 } }]\n\
         [[container]]\nshape.disc = { center = [0.0, 0.0], radius = 1.0 }\n\
         [[container]]\nshape.outside.disc = { center = [0.0, 0.0], radius = 0.2 }\ncollision_radius = 0.0\n",
    );
    let state = build::<2, WendlandC2<2>>(&scene, 2.5).state;
    let [disc, obstacle] = &state.containers[..] else { panic!("two containers") };
    assert_eq!((disc.collision_radius, obstacle.collision_radius), (0.05, 0.0));
    for angle in 0..12 {
        let (sin, cos) = f64::from(angle).sin_cos();
        let (mut x, mut v) = ([1.5 * cos as Real, 1.5 * sin as Real], [3.0 * cos as Real, 3.0 * sin as Real]);
        assert!(disc.collide(&mut x, &mut v));
        assert_near(x[0].hypot(x[1]), 0.95, EXACT, "held at its radius");
        assert_near(v[0].hypot(v[1]), 0.0, 3.0 * EXACT, "stopped");
        let before = x;
        assert!(!obstacle.collide(&mut x, &mut v) && x == before, "far from the obstacle");
        let (mut x, mut v) = ([0.1 * cos as Real, 0.1 * sin as Real], [0.0; 2]);
        assert!(obstacle.collide(&mut x, &mut v));
        assert_near(x[0].hypot(x[1]), 0.2, EXACT, "pushed out of the obstacle");
    }
}
