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

use common::{EPSILON, norm, simulation};
use sph_core::{
    checkpoint::{self, Checkpoint},
    scene::Command,
    simulation::Simulation,
    snapshot::Snapshot,
    solver::Cause,
};

/// Numbers of a vector, with zeros for z in space.
fn vector<const D: usize>(xy: [f64; 2]) -> String {
    let mut x = vec![0.0; D];
    x[..2].copy_from_slice(&xy);
    format!("{x:?}")
}

/// `x × p`, with its last entry alone in 2D.
fn cross<const D: usize>(x: &[f64; D], p: &[f64; D]) -> [f64; 3] {
    let get = |v: &[f64; D], k: usize| v.get(k).copied().unwrap_or(0.0);
    std::array::from_fn(|k| {
        let (k, l) = ((k + 1) % 3, (k + 2) % 3);
        get(x, k) * get(p, l) - get(x, l) * get(p, k)
    })
}

/// Momentum and angular momentum about the origin of fluid and bodies, and the sums of the sizes of their terms.
fn momenta<const D: usize>(sim: &Simulation<D>) -> ([f64; D], [f64; 3], [f64; 2]) {
    let (fluid, m) = (&sim.state.fluid, f64::from(sim.state.rest.m));
    let of_fluid = (0..fluid.len())
        .map(|i| (fluid.position(i).map(f64::from), fluid.velocity(i).map(|v| m * f64::from(v)), [0.0; 3]));
    let of_bodies = sim.state.bodies.list.iter().map(|body| (body.x, body.momentum, body.angular_momentum));
    let (mut p, mut l, mut scale) = ([0.0; D], [0.0; 3], [0.0; 2]);
    for (x, momentum, spin) in of_fluid.chain(of_bodies) {
        let orbit = cross(&x, &momentum);
        (0..D).for_each(|a| p[a] += momentum[a]);
        (0..3).for_each(|a| l[a] += orbit[a] + spin[a]);
        scale[0] += norm(&momentum);
        scale[1] += norm(&x) * norm(&momentum) + norm(&spin);
    }
    (p, l, scale)
}

/// A block of fluid in space without gravity, a box and a ball that fly into it, turning, and into each other.
fn collision<const D: usize>(preset: &str, solver: &str) -> String {
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
         [solver]\nname = \"wcsph\"\npreset = \"{preset}\"\nsound_speed = 20.0\n{solver}\n",
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

/// The change over `steps` steps, relative to the sums of sizes: of momentum, and of angular momentum.
fn change<const D: usize>(text: &str, steps: u64) -> [f64; 2] {
    let mut sim = simulation::<D>(text);
    let (p_0, l_0, _) = momenta(&sim);
    let before = sim.state.bodies.list.clone();
    sim.run(10.0, steps, &mut []).expect("a healthy run");
    let (p, l, scale) = momenta(&sim);
    for (body, before) in sim.state.bodies.list.iter().zip(&before) {
        let kick: [f64; D] = std::array::from_fn(|a| body.momentum[a] - before.momentum[a]);
        assert!(norm(&kick) > 0.01 * norm(&before.momentum), "{} was not touched: {kick:?}", body.form.name);
    }
    let dp: [f64; D] = std::array::from_fn(|a| p[a] - p_0[a]);
    let dl: [f64; 3] = std::array::from_fn(|a| l[a] - l_0[a]);
    [norm(&dp) / scale[0], norm(&dl) / scale[1]]
}

fn conserves<const D: usize>(steps: u64) {
    for preset in ["validation", "graphics"] {
        for solver in ["", "cohesion = 1.0\nadhesion = 5.0\nwall_friction = 0.3\nwall_contact = 0.5"] {
            let [p, l] = change::<D>(&collision::<D>(preset, solver), steps);
            println!("{D}D {preset} {solver:?}: {:.2} {:.2} roundings", p / EPSILON, l / EPSILON);
            // Each step rounds each velocity by up to half of EPSILON, with either sign: over the 96 particles or more
            // of the block and all steps that adds up to half of √(steps/96), times EPSILON; 1.6 were measured.
            let tolerance = 4.0 * (steps as f64 / 96.0).sqrt() * EPSILON;
            assert!(p < tolerance && l < tolerance, "{D}D {preset} {solver:?}: {p:e} {l:e}");
        }
    }
}

#[test]
fn momentum_and_angular_momentum_are_conserved() {
    conserves::<2>(600);
    conserves::<3>(300);
}

const WIDTH: f64 = 0.8;
const DEPTH: f64 = 0.4;

/// A tank 0.8 m wide with water 0.4 m deep, 0.3 m across in 3D, and a body.
fn tank<const D: usize>(spacing: f64, body: &str, fluid: &str, preset: &str, solver: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    // Pseudo-masses at half a spacing push resting fluid off.
    let offset = if preset == "graphics" { 0.7 } else { 0.5 };
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{low}], max = [{WIDTH}, {DEPTH}{high}] }}\n\
         pressure.hydrostatic.surface = {DEPTH}\n{fluid}\n\
         [[wall]]\nname = \"tank\"\nshape.block = {{ min = [0.0, 0.0{low}], max = [{WIDTH}, 1.0{high}] }}\n\
         layers = 3\noffset = {offset}\n\
         [[body]]\n{body}\noffset = {offset}\nlayers = 3\n\
         [solver]\nname = \"wcsph\"\npreset = \"{preset}\"\n{solver}\n",
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
fn floating<const D: usize>(spacing: f64, preset: &str) -> String {
    let (margin, z) = (0.5 * spacing, |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() });
    let (low, high) = (z(0.05 - margin), z(0.25 + margin));
    let cut = format!(
        "cut = [{{ block = {{ min = [{:?}, {:?}{low}], max = [{:?}, 0.6{high}] }} }}]",
        0.3 - margin,
        0.36 - margin,
        0.5 + margin
    );
    let body = format!("{}\ndensity = 500.0", brick::<D>(0.44));
    format!("damping = {{ rate = 3.0, until = 1.5 }}\n{}", tank::<D>(spacing, &body, &cut, preset, ""))
}

/// The fluid keeps half a spacing from surfaces, and a little more from pseudo-masses: the box seems larger than it is,
/// the more so the coarser the samples. At 10, 20 spacings across: 0.450, 0.477 (`validation`), 0.497, 0.487 (`graphics`).
#[test]
fn a_box_of_half_the_density_settles_half_submerged() {
    for preset in ["validation", "graphics"] {
        let mut sim = simulation::<2>(&floating::<2>(0.016, preset));
        let share = mean_share(&mut sim, 1.6, 2.2);
        println!("{preset}: {share:.4}");
        assert!((share - 0.5).abs() < 0.05, "{preset}: {share}");
        let tilt = sim.state.bodies.list[0].rotation.angle();
        assert!(tilt.abs() < 0.1, "{preset}: it has turned by {tilt}");
    }
}

#[test]
fn in_space_it_floats_too() {
    let mut sim = simulation::<3>(&floating::<3>(0.04, "validation"));
    let share = mean_share(&mut sim, 1.6, 2.2);
    println!("3D: {share:.4}");
    // The box is four or five spacings large: half of one is an eighth of its height.
    assert!((share - 0.5).abs() < 0.125, "{share}");
}

/// In water a heavy box sinks with less than g: the water that it moves is heavy, too.
#[test]
fn a_heavy_box_sinks_to_the_floor_and_stays() {
    let spacing = 0.02;
    let body = format!("{}\ndensity = 3000.0", brick::<2>(0.5));
    let mut sim = simulation::<2>(&tank::<2>(spacing, &body, "", "validation", ""));
    sim.run(0.2, u64::MAX, &mut []).expect("a healthy run");
    let falling = sim.state.bodies.list[0].velocity()[1];
    assert!(falling < -0.3 && falling > -9.81 * 0.2, "{falling}");
    sim.run(1.5, u64::MAX, &mut []).expect("a healthy run");
    let body = &sim.state.bodies.list[0];
    println!("lies at {:?}, moves with {:?}", body.x, body.velocity());
    // On the floor, or on a layer of water one spacing thick that could not get away.
    assert!(body.x[1] > 0.08 - 0.05 * spacing && body.x[1] < 0.08 + 1.5 * spacing, "{:?}", body.x);
    assert!(norm(&body.velocity()) < 0.02, "{:?}", body.velocity());
}

/// Without a fluid near it a body is moved by gravity and contacts alone; the water beside it does not shake it.
#[test]
fn a_body_on_a_dry_floor_rests() {
    let body = "shape.block = { min = [0.6, 0.0], max = [0.7, 0.1] }\ndensity = 3000.0";
    let dam = "cut = [{ half_space = { point = [0.3, 0.0], normal = [-1.0, 0.0] } }]";
    let wall =
        "[[wall]]\nshape.block = { min = [0.3, 0.0], max = [0.4, 0.8] }\nside = \"outside\"\nlayers = 3\n";
    let mut sim = simulation::<2>(&tank::<2>(0.02, body, dam, "validation", wall));
    sim.run(0.5, u64::MAX, &mut []).expect("a healthy run");
    let body = &sim.state.bodies.list[0];
    assert_eq!(body.wrench.force, [0.0; 2]);
    assert!((body.x[0] - 0.65).abs() < 1e-5 && (body.x[1] - 0.05).abs() < 1e-4, "{:?}", body.x);
}

/// Bodies, a stirrer, and all that a run can have beside them.
fn busy<const D: usize>(preset: &str, extra: &str) -> String {
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
    let mut text = tank::<D>(if D == 2 { 0.02 } else { 0.05 }, &body, "", preset, &format!("{ball}{paddle}"));
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

#[test]
fn the_number_of_threads_changes_no_bit() {
    for preset in ["validation", "graphics"] {
        let (plane, space) = (busy::<2>(preset, ""), busy::<3>(preset, ""));
        let expected = (hash_after::<2>(&plane, 300, 1), hash_after::<3>(&space, 60, 1));
        for threads in [2, 3, 7] {
            let found = (hash_after::<2>(&plane, 300, threads), hash_after::<3>(&space, 60, threads));
            assert_eq!(found, expected, "{preset} on {threads} threads");
        }
    }
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

#[test]
fn a_restart_changes_no_bit() {
    let commands = "[[command]]\nstep = 20\nmove_wall = { wall = \"paddle\", motion.translation = { velocity = [0.5, -1.0] } }\n";
    for preset in ["validation", "graphics"] {
        restarts::<2>(&(busy::<2>(preset, "") + commands), &[1, 2, 7, 60, 250, 600]);
        restarts::<3>(&busy::<3>(preset, ""), &[1, 30, 100]);
    }
    restarts::<2>(&busy::<2>("validation", "neighbors.skin = 0.005"), &[3, 40, 200]);
}

/// A run that goes back to an earlier state takes its bodies back, too.
#[test]
fn snapshots_hold_bodies() {
    let text = busy::<2>("graphics", "");
    let mut sim = simulation::<2>(&text);
    sim.run(10.0, 50, &mut []).expect("a healthy run");
    let mut snapshot = Snapshot::default();
    snapshot.take(&sim.state, &mut *sim.solver, &sim.interaction);
    sim.run(10.0, 90, &mut []).expect("a healthy run");
    let expected = sim.state.hash();
    assert!(snapshot.restore(&mut sim.state, &mut *sim.solver, &mut sim.interaction));
    sim.run(10.0, 90, &mut []).expect("a healthy run");
    assert_eq!(sim.state.hash(), expected);
}

/// Commands on walls are none on bodies.
#[test]
fn a_wall_is_moved_by_its_name_and_a_body_is_not() {
    let mut sim = simulation::<2>(&busy::<2>("graphics", ""));
    let command = |wall: &str| {
        let motion = "motion.translation = { velocity = [1.0, 0.0] }";
        toml::from_str::<Command>(&format!("move_wall = {{ wall = \"{wall}\", {motion} }}")).unwrap()
    };
    assert!(sim.command(&command("body[1]")).is_err());
    sim.command(&command("paddle")).expect("a wall of this run");
    let before = sim.state.bodies.list.clone();
    sim.run(10.0, 1, &mut []).expect("a healthy run");
    let b = (0..sim.state.walls.len())
        .find(|&b| sim.state.walls.bodies[usize::from(sim.state.walls.body[b])].name == "paddle")
        .unwrap();
    assert_eq!(sim.state.walls.v[0][b], 1.0);
    assert!(sim.state.bodies.list[0].x != before[0].x);
}

#[test]
fn a_body_that_leaves_the_domain_ends_the_run() {
    // The tank of the scene has a lid; without it the box flies through where it was.
    let domain = "domain = { min = [-0.2, -0.2], max = [1.0, 1.2] }";
    let open = "layers = 3\nfaces = [\"x_min\", \"x_max\", \"y_min\"]\noffset = 0.7\n\n[[body]]";
    let text = busy::<2>("graphics", domain).replace("velocity = [0.8, -2.0]", "velocity = [0.0, 20.0]");
    let text = text.replace("layers = 3\noffset = 0.7\n[[body]]", open);
    let error = simulation::<2>(&text).run(10.0, u64::MAX, &mut []).expect_err("it flies off");
    assert!(matches!(&error.cause, Cause::BodyEscaped { name } if name == "body[0]"), "{error}");
    assert!(error.diagnosis.is_some_and(|d| d.suspicion.name() == "wall_missing"));
}

/// A fast body asks for short steps before it meets the fluid.
#[test]
fn the_step_knows_the_speed_of_bodies() {
    let dt = |speed: f64| {
        let text = busy::<2>("validation", "")
            .replace("velocity = [0.8, -2.0]", &format!("velocity = [0.0, {speed:?}]"));
        let mut sim = simulation::<2>(&text);
        let state = sim.state.clone();
        sim.solver.max_dt(&state).expect("a healthy run")
    };
    // The speed limit binds: 0.4 spacings a step.
    let fast = dt(-500.0);
    assert!((fast - 0.4 * 0.02 / 500.0).abs() < 1e-6 * fast, "{fast}");
    assert!(dt(-0.1) > 10.0 * fast);
}
