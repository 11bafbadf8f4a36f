//! Dynamic bodies: what they and the fluid give to each other, and where they come to rest.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{EPSILON, masses, norm, simulation};
use sph_core::{
    checkpoint::{self, Checkpoint},
    lane::Isa,
    scene::Command,
    simulation::Simulation,
    solver::NoClock,
};

/// Numbers of a vector, with zeros for z in space.
fn vector<const D: usize>(xy: [f64; 2]) -> String {
    let mut x = vec![0.0; D];
    x[..2].copy_from_slice(&xy);
    format!("{x:?}")
}

/// Momentum of fluid and bodies, and the sum of the sizes of its terms.
fn momentum<const D: usize>(sim: &Simulation<D>, spread: f64) -> ([f64; D], f64) {
    let (fluid, m) = (&sim.state.fluid, f64::from(sim.state.rest.m));
    let masses = masses(fluid.len(), spread);
    let of_fluid =
        (0..fluid.len()).map(|i| fluid.velocity(i).map(|v| m * masses[fluid.id[i] as usize] * f64::from(v)));
    let (mut p, mut scale) = ([0.0; D], 0.0);
    for momentum in of_fluid.chain(sim.state.bodies.list.iter().map(|body| body.momentum)) {
        (0..D).for_each(|a| p[a] += momentum[a]);
        scale += norm(&momentum);
    }
    (p, scale)
}

/// A block of fluid in space without gravity, a box and a ball that fly into it, turning, and into each other.
fn collision<const D: usize>(solver: &str) -> String {
    let v = vector::<D>;
    let spin = |w: f64| if D == 2 { format!("[{w:?}]") } else { format!("[0.3, -0.2, {w:?}]") };
    let block = |min: [f64; 2], max: [f64; 2], depth: f64| {
        let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
        let corner = |x: [f64; 2], z0: f64| format!("[{:?}, {:?}{}]", x[0], x[1], z(z0));
        format!("shape.block = {{ min = {}, max = {} }}", corner(min, -depth), corner(max, depth))
    };
    format!(
        "dim = {D}\nspacing = 0.05\nrest_density = 1000.0\ngravity = {gravity}\nrun.end_time = 10.0\n\
         domain = {{ min = {low:?}, max = {high:?} }}\n\
         [[fluid]]\n{fluid}\n\
         [[body]]\nname = \"box\"\n{brick}\ndensity = 600.0\nangle = 0.3\nvelocity = {fast}\nangular_velocity = {turn}\n\
         [[body]]\nname = \"ball\"\nshape.ball = {{ center = {ball}, radius = 0.12 }}\ndensity = 2000.0\nvelocity = {slow}\n\
         [solver]\nname = \"pbf\"\n{solver}\n",
        gravity = v([0.0, 0.0]),
        low = vec![-9.0; D],
        high = vec![9.0; D],
        fluid = block([-0.3, -0.2], [0.3, 0.2], 0.2),
        brick = block([0.4, -0.1], [0.7, 0.1], 0.1),
        fast = v([-1.5, 0.2]),
        turn = spin(4.0),
        ball = v([-0.1, 0.4]),
        slow = v([0.1, -1.0]),
    )
}

/// The change of the momentum over `steps` steps, relative to the sum of sizes.
fn change<const D: usize>(solver: &str, spread: f64, steps: u64) -> f64 {
    let mut sim = simulation::<D>(&collision::<D>(solver));
    let (p_0, _) = momentum(&sim, spread);
    let before = sim.state.bodies.list.clone();
    sim.run(10.0, steps, &mut []).expect("a healthy run");
    let (p, scale) = momentum(&sim, spread);
    for (body, before) in sim.state.bodies.list.iter().zip(&before) {
        let kick: [f64; D] = std::array::from_fn(|a| body.momentum[a] - before.momentum[a]);
        assert!(norm(&kick) > 0.01 * norm(&before.momentum), "{} was not touched: {kick:?}", body.form.name);
    }
    norm::<D>(&std::array::from_fn(|a| p[a] - p_0[a])) / scale
}

/// What bodies get from the fluid, in every way that keeps momentum: parameters, and the spread of masses in them.
const EXCHANGES: [(&str, f64); 5] = [
    ("", 0.0),
    ("relaxation_factor = 0.5\nsolid_pressure = 0.7\nsubsteps = 1", 0.0),
    ("mass_spread = 0.4\ncohesion = 0.0", 0.4),
    ("wall_viscosity = 0.2\nadhesion = 5.0", 0.0),
    ("kernel_mode = \"poly6_spiky\"\nwall_viscosity = 0.2\nmass_spread = 0.2\ncohesion = 0.0", 0.2),
];

fn conserves<const D: usize>(steps: u64) {
    for (solver, spread) in EXCHANGES {
        let change = change::<D>(&format!("dt_max = 0.01\n{solver}"), spread, steps);
        println!("{D}D {solver:?}: {:.1} roundings", change / EPSILON);
        // Places of half a meter are rounded by up to EPSILON/8 in each of four iterations of 5 ms: each adds up to
        // 25 EPSILON to a velocity. Over 96 particles or more and all iterations this comes to 60 EPSILON, rms.
        assert!(change < 200.0 * EPSILON, "{D}D {solver:?}: {change:e}");
    }
}

#[test]
fn momentum_of_fluid_and_bodies_is_conserved() {
    conserves::<2>(60);
    conserves::<3>(40);
}

const WIDTH: f64 = 0.8;
const DEPTH: f64 = 0.4;

/// A tank 0.8 m wide with water 0.4 m deep, 0.3 m across in 3D, and a body.
fn tank<const D: usize>(spacing: f64, body: &str, fluid: &str, solver: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{low}], max = [{WIDTH}, {DEPTH}{high}] }}\n\
         {fluid}\n\
         [[wall]]\nname = \"tank\"\nshape.block = {{ min = [0.0, 0.0{low}], max = [{WIDTH}, 1.0{high}] }}\n\
         layers = 3\n\
         [[body]]\n{body}\nlayers = 3\n\
         [solver]\nname = \"pbf\"\n{solver}\n",
        low = z(0.0),
        high = z(0.3),
    )
}

/// A box 0.2 m by 0.16 m, across the tank but for half a spacing on either side in 3D, with its center at `y`.
fn brick<const D: usize>(y: f64) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    format!(
        "shape.block = {{ min = [0.3, {:?}{}], max = [0.5, {:?}{}] }}",
        y - 0.08,
        z(0.05),
        y + 0.08,
        z(0.25)
    )
}

/// Level of the water away from the box and from the walls: half a spacing above the highest particles of columns two
/// spacings wide.
fn level<const D: usize>(sim: &Simulation<D>) -> f64 {
    let (fluid, spacing) = (&sim.state.fluid, f64::from(sim.state.rest.spacing));
    let mut tops = vec![f64::NEG_INFINITY; (0.5 * WIDTH / spacing) as usize];
    for i in 0..fluid.len() {
        let x = fluid.position(i).map(f64::from);
        let away = (x[0] - sim.state.bodies.list[0].x[0]).abs() > 0.1 + 4.0 * spacing;
        if let Some(top) = tops.get_mut((0.5 * x[0] / spacing) as usize).filter(|_| away) {
            *top = top.max(x[1] + 0.5 * spacing);
        }
    }
    let n = tops.len();
    let tops: Vec<f64> = tops[1..n - 1].iter().copied().filter(|top| top.is_finite()).collect();
    tops.iter().sum::<f64>() / tops.len() as f64
}

/// Share of the box below the water, as a mean over the last part of a run.
fn mean_share<const D: usize>(sim: &mut Simulation<D>, from: f64, to: f64) -> f64 {
    sim.run(from, u64::MAX, &mut []).expect("a healthy run");
    let (mut sum, mut time) = (0.0, 0.0);
    while sim.state.t < to {
        let report = sim.step(to).expect("a healthy run");
        let bottom = sim.state.bodies.list[0].x[1] - 0.08;
        sum += report.dt * (level(sim) - bottom) / 0.16;
        time += report.dt;
    }
    println!("level {:.4} at last, height of the box {:.4}", level(sim), sim.state.bodies.list[0].x[1]);
    sum / time
}

/// A box of half the density of water, let go where it floats too high, in water that is calmed for 1.5 s.
fn floating<const D: usize>(spacing: f64, solver: &str) -> String {
    let (margin, z) = (0.5 * spacing, |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() });
    let (low, high) = (z(0.05 - margin), z(0.25 + margin));
    let cut = format!(
        "cut = [{{ block = {{ min = [{:?}, {:?}{low}], max = [{:?}, 0.6{high}] }} }}]",
        0.3 - margin,
        0.36 - margin,
        0.5 + margin
    );
    let body = format!("{}\ndensity = 500.0", brick::<D>(0.44));
    format!("damping = {{ rate = 3.0, until = 1.5 }}\n{}", tank::<D>(spacing, &body, &cut, solver))
}

/// In water a heavy box sinks with less than g: the water that it moves is heavy, too.
#[test]
fn a_heavy_box_sinks_to_the_floor_and_stays() {
    let spacing = 0.02;
    let body = format!("{}\ndensity = 3000.0", brick::<2>(0.5));
    let mut sim = simulation::<2>(&tank::<2>(spacing, &body, "", ""));
    sim.run(0.2, u64::MAX, &mut []).expect("a healthy run");
    let falling = sim.state.bodies.list[0].velocity()[1];
    assert!(falling < -0.3 && falling > -9.81 * 0.2, "{falling}");
    sim.run(1.5, u64::MAX, &mut []).expect("a healthy run");
    let body = &sim.state.bodies.list[0];
    println!("lies at {:?}, moves with {:?}", body.x, body.velocity());
    // On the floor, or on a layer of water one spacing thick that could not get away.
    assert!(body.x[1] > 0.08 - 0.05 * spacing && body.x[1] < 0.08 + 1.5 * spacing, "{:?}", body.x);
    // What gravity adds in a substep of 1/120 s is 0.08 m/s.
    assert!(norm(&body.velocity()) < 0.08, "{:?}", body.velocity());
}

/// Bodies, a stirrer, and all that a run can have beside them.
fn busy<const D: usize>(solver: &str, extra: &str) -> String {
    let center = if D == 2 { "[0.6, 0.5]" } else { "[0.6, 0.5, 0.15]" };
    let ball = format!(
        "[[body]]\nshape.ball = {{ center = {center}, radius = 0.08 }}\ndensity = 1500.0\nrestitution = 0.4\n"
    );
    let paddle = if D == 2 {
        "[[wall]]\nname = \"paddle\"\nshape.block = { min = [0.1, 0.5], max = [0.2, 0.9] }\nside = \"outside\"\n\
         motion.rotation = { center = [0.15, 0.7], angular_velocity = 6.0 }\n"
    } else {
        ""
    };
    let body = format!(
        "{}\ndensity = 700.0\nangle = 0.3\nvelocity = {}",
        brick::<D>(0.52),
        vector::<D>([0.8, -2.0])
    );
    let mut text =
        tank::<D>(if D == 2 { 0.02 } else { 0.05 }, &body, "", &format!("{solver}\n{ball}{paddle}"));
    text.insert_str(0, &format!("{extra}\n"));
    text
}

fn hash_after<const D: usize>(text: &str, steps: u64, threads: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut sim = simulation::<D>(text);
        sim.run(10.0, steps, &mut []).expect("a healthy run");
        sim.state.hash()
    })
}

fn save<const D: usize>(run: &mut Simulation<D>) -> Vec<u8> {
    let mut bytes = Vec::new();
    checkpoint::write(run, "", "test", &mut bytes).expect("a vector takes all");
    bytes
}

/// N steps, a checkpoint, a restart and N steps are 2N steps.
fn restarts<const D: usize>(text: &str, at: &[u64]) {
    for &n in at {
        let mut run = simulation::<D>(text);
        run.run(10.0, n, &mut []).expect("a healthy run");
        let bytes = save(&mut run);
        run.run(10.0, 2 * n, &mut []).expect("a healthy run");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + n as usize % 3).build().unwrap();
        pool.install(|| {
            let mut again = simulation::<D>(text);
            let read = Checkpoint::read(&mut &bytes[..], bytes.len() as u64).expect("a checkpoint");
            read.restore(&mut again).expect("of this scene");
            assert_eq!(save(&mut again), bytes, "saved again after {n} steps");
            again.run(10.0, 2 * n, &mut []).expect("a healthy run");
            assert_eq!(again.state.hash(), run.state.hash(), "{n} + {n} steps\n{text}");
            assert_eq!(again.state.bodies.list, run.state.bodies.list);
        });
    }
}

/// The fluid keeps its distance from surfaces: the box seems larger than it is, the more so the coarser the samples.
#[test]
fn a_box_of_half_the_density_settles_half_submerged() {
    for preset in ["standard", "accurate", "fluid_demo"] {
        let mut sim = simulation::<2>(&floating::<2>(0.016, &format!("preset = \"{preset}\"")));
        let share = mean_share(&mut sim, 1.6, 2.2);
        println!("{preset}: {share:.4}");
        assert!((share - 0.5).abs() < 0.05, "{preset}: {share}");
        let tilt = sim.state.bodies.list[0].rotation.angle();
        assert!(tilt.abs() < 0.15, "{preset}: it has turned by {tilt}");
    }
}

#[test]
fn in_space_it_floats_too() {
    let mut sim = simulation::<3>(&floating::<3>(0.04, ""));
    let share = mean_share(&mut sim, 1.6, 2.2);
    println!("3D: {share:.4}");
    // The box is four or five spacings large: half of one is an eighth of its height.
    assert!((share - 0.5).abs() < 0.125, "{share}");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for solver in ["", "preset = \"fluid_demo\"\nwall_viscosity = 0.1\nadhesion = 1.0"] {
        let (plane, space) = (busy::<2>(solver, ""), busy::<3>(solver, ""));
        let expected = (hash_after::<2>(&plane, 120, 1), hash_after::<3>(&space, 40, 1));
        for threads in [2, 3, 7] {
            let found = (hash_after::<2>(&plane, 120, threads), hash_after::<3>(&space, 40, threads));
            assert_eq!(found, expected, "{solver} on {threads} threads");
        }
    }
}

#[test]
fn a_restart_changes_no_bit() {
    let commands = "[[command]]\nstep = 20\nmove_wall = { wall = \"paddle\", motion.translation = { velocity = [0.5, -1.0] } }\n";
    for solver in ["", "preset = \"fluid_demo\"\nwall_viscosity = 0.1\nadhesion = 1.0"] {
        restarts::<2>(&(busy::<2>(solver, "") + commands), &[1, 2, 7, 60, 200]);
        restarts::<3>(&busy::<3>(solver, ""), &[1, 30]);
    }
}

/// A fast body asks for short steps before it meets the fluid.
#[test]
fn the_step_knows_the_speed_of_bodies() {
    let dt = |speed: f64| {
        let text = busy::<2>("dt_min = 0.0", "")
            .replace("velocity = [0.8, -2.0]", &format!("velocity = [0.0, {speed:?}]"));
        let mut sim = simulation::<2>(&text);
        let state = sim.state.clone();
        sim.solver.max_dt(&state).expect("a healthy run")
    };
    // The speed limit binds: 0.4 spacings in each of two substeps.
    let fast = dt(-500.0);
    assert!((fast - 2.0 * 0.4 * 0.02 / 500.0).abs() < 1e-6 * fast, "{fast}");
    assert!(dt(-0.1) > 10.0 * fast);
}

/// Its past would go on with impulses that bodies got once.
#[test]
fn the_second_order_is_refused_at_load_and_later() {
    let text = busy::<2>("velocity_update = \"second_order\"", "");
    let error = solver_pbf::simulation::<2>(&common::scene(&text), Isa::best(), Box::new(NoClock));
    let error = error.err().expect("refused").to_string();
    assert!(error.contains("velocity_update") && error.contains("bodies"), "{error}");
    let mut sim = simulation::<2>(&busy::<2>("", ""));
    let set = "set = { key = \"solver.velocity_update\", value = \"second_order\" }";
    assert!(sim.command(&toml::from_str::<Command>(set).unwrap()).is_err());
}
