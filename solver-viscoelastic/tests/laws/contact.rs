//! Walls, containers and bodies that particles touch: slip, no slip, stickiness, and what bodies get back.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::{
    common::*,
    solver::{bodies, restarting},
};
use solver_viscoelastic::{Params, contact::Contact};
use sph_core::{Real, run::simulation::Simulation};

const DT: f64 = 0.005;
const SPACING: f64 = 0.1;
/// Half of an interaction radius of 2.5 spacings.
const D_STICK: f64 = 0.125;
const K_STICK: f64 = 900.0;
/// Without pressure nothing but contacts acts.
const QUIET: &str = "stiffness = 0.0\nrest_density = 1.0";

/// A scene of 2 m around the origin with these walls, and the given particles in it, all with the same velocity.
fn among<const D: usize>(walls: &str, solver: &str, x: &[[f64; D]], v: [f64; D]) -> Simulation<D> {
    let of = |x: f64| format!("{:?}", vec![x; D]);
    // The fluid of the scene goes; until then no wall stands in it, and containers hold it.
    let first = if walls.contains("[[container]]") { 0.3 } else { 2.5 };
    let mut sim = simulation::<D>(&format!(
        "dim = {D}\nspacing = {SPACING:?}\nrest_density = 1000.0\ngravity = {zero}\nrun.end_time = 10.0\n\
         domain = {{ min = {low}, max = {high} }}\n\
         [[fluid]]\nshape.block = {{ min = {min}, max = {max} }}\n{walls}\n\
         [solver]\nname = \"{NAME}\"\n{QUIET}\n{solver}\n",
        zero = of(0.0),
        low = of(-9.0),
        high = of(9.0),
        min = of(first),
        max = of(first + 0.2),
    ));
    sim.state.fluid = Default::default();
    for (id, x) in x.iter().enumerate() {
        let rho = sim.state.rest.rho_0;
        sim.state.fluid.push(id as u64, x.map(|x| x as Real), v.map(|v| v as Real), rho);
    }
    sim.state.next_id = x.len() as u64;
    sim.solver.fluid_changed();
    sim
}

/// A tank, an obstacle, and a tank with a floor alone, all with the fluid above y = −1.
fn floors<const D: usize>(slip: &str) -> Vec<String> {
    let block = |low: [f64; 2], high: [f64; 2]| {
        let corner = |x: [f64; 2], z: f64| format!("{:?}", [x[0], x[1], z][..D].to_vec());
        format!("shape.block = {{ min = {}, max = {} }}", corner(low, -1.0), corner(high, 1.0))
    };
    let tank = format!("[[wall]]\n{}\nslip = \"{slip}\"", block([-1.0, -1.0], [1.0, 1.0]));
    let plate =
        format!("[[wall]]\nside = \"outside\"\n{}\nslip = \"{slip}\"", block([-1.0, -1.4], [1.0, -1.0]));
    let open =
        format!("[[wall]]\n{}\nfaces = [\"y_min\"]\nslip = \"{slip}\"", block([-1.0, -1.0], [1.0, 1.0]));
    vec![tank, plate, open]
}

/// The velocity, after a step, of a particle that begins it at the height `d` over a floor.
fn after<const D: usize>(walls: &str, solver: &str, d: f64, v: [f64; D]) -> [f64; D] {
    let mut x = [0.1; D];
    x[1] = d - 1.0;
    let mut sim = among::<D>(walls, solver, &[x], v);
    let (_, displacements) = displacements(&mut sim, DT);
    let v = sim.state.fluid.velocity(0).map(f64::from);
    // The way is that of the velocity.
    assert!((0..D).all(|a| (displacements[0][a] - DT * v[a]).abs() < EPSILON), "{displacements:?} {v:?}");
    v
}

fn near<const D: usize>(found: [f64; D], expected: [f64; D], what: &str) {
    let difference: [f64; D] = std::array::from_fn(|a| found[a] - expected[a]);
    assert!(norm(&difference) < 8.0 * EPSILON, "{what}: {found:?}, not {expected:?}");
}

fn velocity<const D: usize>(y: f64) -> [f64; D] {
    std::array::from_fn(|a| [0.3, y, -0.2][a])
}

fn slips<const D: usize>() {
    for floor in floors::<D>("free_slip") {
        near(after::<D>(&floor, "", 0.0005, velocity(-0.2)), velocity(0.0), &floor);
        near(after::<D>(&floor, "", 0.0005, velocity(0.2)), velocity(0.2), &floor);
        near(after::<D>(&floor, "", 0.0015, velocity(-0.2)), velocity(-0.2), &floor);
        // Behind the surface as well, as far as there are layers.
        near(after::<D>(&floor, "", -0.1, velocity(-0.2)), velocity(0.0), &floor);
        near(after::<D>(&floor, "", -0.3, velocity(-0.2)), velocity(-0.2), &floor);
    }
}

#[test]
fn a_free_slip_wall_takes_the_approach_alone() {
    slips::<2>();
    slips::<3>();
}

fn holds<const D: usize>() {
    for floor in floors::<D>("no_slip") {
        near(after::<D>(&floor, "", 0.0005, velocity(-0.2)), [0.0; D], &floor);
        // Not pressed against it, or about to part: its tangential velocity is that of the wall all the same.
        for (d, y) in [(0.0005, 0.2), (0.04, 0.0), (0.04, 0.2), (0.04, -0.2), (0.09, 0.0)] {
            let expected = std::array::from_fn(|a| if a == 1 { y } else { 0.0 });
            near(after::<D>(&floor, "", d, velocity(y)), expected, &floor);
        }
        near(after::<D>(&floor, "", 0.12, velocity(-0.2)), velocity(-0.2), &floor);
    }
}

#[test]
fn a_no_slip_wall_takes_all_of_the_first_layer() {
    holds::<2>();
    holds::<3>();
}

#[test]
fn beyond_an_open_face_nothing_is_touched() {
    let walls = "[[wall]]\nshape.block = { min = [-1.0, -1.0], max = [1.0, 1.0] }\nfaces = [\"y_min\"]";
    // On the plane of the floor beside it, before and behind an open face.
    let positions = [[1.1, -0.97], [1.02, 0.0], [0.97, 0.0], [0.0, 1.05], [-1.3, -1.05]];
    let v = [0.3, -0.2];
    let mut sim = among::<2>(walls, &format!("stick_stiffness = {K_STICK:?}"), &positions, v);
    displacements(&mut sim, DT);
    for v_i in vectors(&sim.state.fluid.id, &sim.state.fluid.v) {
        near(v_i, v.map(|v| f64::from(v as Real)), "open");
    }
}

#[test]
fn in_a_corner_both_walls_act() {
    let walls = "[[wall]]\nshape.block = { min = [-1.0, -1.0], max = [1.0, 1.0] }\nslip = \"free_slip\"";
    let mut sim = among::<2>(walls, "", &[[-0.999, -0.9995]], [-0.3, -0.2]);
    displacements(&mut sim, DT);
    near(sim.state.fluid.velocity(0).map(f64::from), [0.0; 2], "corner");
}

/// Translation, rotation, and a face that is a belt: the first layer has their velocity, in 2D and 3D.
#[test]
fn a_moving_no_slip_wall_drags() {
    let floor = |dim: usize, rest: &str| {
        let of = |x: f64| format!("{:?}", vec![x; dim]);
        format!("[[wall]]\nshape.block = {{ min = {}, max = {} }}\n{rest}", of(-1.0), of(1.0))
    };
    let moving = floor(2, "motion.translation = { velocity = [0.5, 0.0] }");
    near(after::<2>(&moving, "", 0.06, [0.0; 2]), [0.5, 0.0], "translation");
    let lifted = floor(3, "motion.translation = { velocity = [0.5, 0.4, 0.0] }");
    near(after::<3>(&lifted, "", 0.001, [0.0; 3]), [0.5, 0.4, 0.0], "lifted");
    let belt = floor(3, "surface_velocity = [{ face = \"y_min\", velocity = [0.5, 0.0, 0.1] }]");
    near(after::<3>(&belt, "", 0.06, [0.0; 3]), [0.5, 0.0, 0.1], "belt");
    let lid = floor(3, "surface_velocity = [{ face = \"y_max\", velocity = [0.5, 0.0, 0.1] }]");
    near(after::<3>(&lid, "", 0.06, [0.0; 3]), [0.0; 3], "another face");
    let walls = "[[wall]]\nshape.ball = { center = [0.0, 0.0], radius = 1.0 }\n\
                 motion.rotation = { center = [0.0, 0.0], angular_velocity = 2.0 }";
    let mut sim = among::<2>(walls, "", &[[0.0, 0.94], [0.5, 0.0]], [0.0; 2]);
    displacements(&mut sim, DT);
    let v = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
    near(v[0], [-2.0 * 0.94, 0.0], "rotation");
    near(v[1], [0.0; 2], "the middle");
}

#[test]
fn a_turned_wall_acts_where_it_is() {
    // A plate that has turned by a quarter: what was its upper face now looks to −x.
    let walls = "[[wall]]\nside = \"outside\"\nshape.block = { min = [-0.8, -0.2], max = [0.8, 0.2] }\nslip = \"free_slip\"\n\
                 motion.rotation = { center = [0.0, 0.0], angular_velocity = 314.1592653589793 }";
    let mut sim = among::<2>(walls, "", &[[-0.21, 0.0], [0.0, 0.805], [-0.5, 0.205]], [0.0; 2]);
    let before: Vec<[f64; 2]> = vec![[3.0, 2.0], [3.0, -2.0], [3.0, -2.0]];
    for (i, v) in before.iter().enumerate() {
        (0..2).for_each(|a| sim.state.fluid.v[a][i] = v[a] as Real);
    }
    displacements(&mut sim, DT);
    let v = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
    // The speed of the surface along its normal is −ω y on the side and ω x at the end, nought at the middle of each up
    // to how far the particles have gone, 0.015 m.
    assert!(v[0][0] < 0.0 && (v[0][1] - 2.0).abs() < 1e-5, "{:?}", v[0]);
    assert!(v[1][1] > 0.0 && (v[1][0] - 3.0).abs() < 1e-4, "{:?}", v[1]);
    near(v[2], before[2], "where it was");
}

#[test]
fn stickiness_ends_where_it_begins_and_never_pushes() {
    let params = Params { stick_stiffness: K_STICK as Real, ..Params::default() };
    let contact = Contact::new(&params, 0.25, SPACING as Real, DT);
    assert_eq!(contact.stick_distance, D_STICK);
    let n = 1000;
    let mut largest = 0.0_f64;
    for k in -n..=2 * n {
        let d = D_STICK * f64::from(k) / f64::from(n);
        let pull = contact.stickiness(d);
        assert!(if k <= 0 || k >= n { pull == 0.0 } else { pull < 0.0 }, "{pull} at {d}");
        largest = largest.max(-pull);
    }
    // k_stick d_stick/4, half way.
    assert!((largest - DT * f64::from(params.stick_stiffness) * D_STICK / 4.0).abs() < 1e-12, "{largest}");
}

fn sticks<const D: usize>() {
    let mut floors = floors::<D>("free_slip");
    let of = |x: f64| format!("{:?}", vec![x; D]);
    floors.push(format!(
        "[[container]]\nshape.block = {{ min = {}, max = {} }}\ncollision_radius = 0.01",
        of(-1.0),
        of(1.0)
    ));
    for floor in &floors {
        for d in [0.06, 0.09, 0.12, 0.13] {
            let v = after::<D>(floor, &format!("stick_stiffness = {K_STICK:?}"), d, [0.0; D]);
            let pull = if d < D_STICK { DT * K_STICK * d * (1.0 - d / D_STICK) } else { 0.0 };
            let expected: [f64; D] = std::array::from_fn(|a| if a == 1 { -pull } else { 0.0 });
            let difference: [f64; D] = std::array::from_fn(|a| v[a] - expected[a]);
            // The distance is the difference of two positions of the size 1.
            assert!(norm(&difference) < DT * K_STICK * 4.0 * EPSILON, "{floor} {d}: {v:?} {expected:?}");
        }
    }
}

#[test]
fn all_surfaces_are_sticky() {
    sticks::<2>();
    sticks::<3>();
}

/// How far the middle of a drop under a ceiling falls in 0.3 s.
fn fallen<const D: usize>(ceiling: &str, stiffness: f64) -> f64 {
    let corner = |xy: [f64; 2], z: f64| format!("{:?}", [xy[0], xy[1], z][..D].to_vec());
    let mut sim = simulation::<D>(&format!(
        "dim = {D}\nspacing = 0.02\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = {}, max = {} }}\n\
         {ceiling} = {{ min = {}, max = {} }}\n{}\n\
         [solver]\nname = \"{NAME}\"\nstiffness = 200.0\nviscosity_linear = 20.0\nstick_stiffness = {stiffness:?}\n",
        corner([-0.08, -0.04], -0.08),
        corner([0.08, 0.0], 0.08),
        corner([-0.3, -0.6], -0.3),
        corner([0.3, 0.0], 0.3),
        if ceiling.contains("container") { "" } else { "slip = \"free_slip\"\nfaces = [\"y_max\"]" },
    ));
    let middle = |sim: &Simulation<D>| {
        let y = &sim.state.fluid.x[1];
        y.iter().map(|&y| f64::from(y)).sum::<f64>() / y.len() as f64
    };
    let before = middle(&sim);
    sim.run(0.3, u64::MAX, &mut []).expect("a healthy run");
    before - middle(&sim)
}

fn hangs<const D: usize>(ceiling: &str) {
    let (falls, hangs) = (fallen::<D>(ceiling, 0.0), fallen::<D>(ceiling, 3e4));
    println!("{D}D {ceiling}: falls {falls:.3} m, with stickiness {hangs:.4} m");
    // Half of the parabola: samples let the drop go late, as pairs with them may draw. And it stays within a spacing.
    assert!(falls > 0.5 * (0.5 * 9.81 * 0.09) && hangs.abs() < 0.02, "{D}D {ceiling}: {falls} {hangs}");
}

#[test]
fn a_drop_hangs_under_a_sticky_ceiling() {
    for ceiling in ["[[wall]]\nshape.block", "[[container]]\nshape.block"] {
        hangs::<2>(ceiling);
        hangs::<3>(ceiling);
    }
}

/// A periodic channel that is full, 0.4 m wide, with walls that slip or hold.
fn channel(slip: &str, walls: &str, solver: &str) -> Simulation<2> {
    simulation::<2>(&format!(
        "spacing = 0.02\nrest_density = 1000.0\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
         domain = {{ min = [0.0, -1.0], max = [0.4, 1.0], periodic = [\"x\"] }}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [0.4, 0.2] }}\nvelocity.uniform = [0.5, 0.0]\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [0.4, 0.2] }}\nfaces = [\"y_min\", \"y_max\"]\n\
         slip = \"{slip}\"\n{walls}\n\
         [solver]\nname = \"{NAME}\"\n{solver}\n"
    ))
}

#[test]
fn free_slip_walls_keep_uniform_motion() {
    let mut sim = channel("free_slip", "", QUIET);
    for _ in 0..300 {
        displacements(&mut sim, 0.002);
    }
    let [x, y] = &sim.state.fluid.v;
    assert!(x.iter().all(|&v| v == 0.5) && y.iter().all(|&v| v == 0.0));
}

/// All particles of the first layer stick, in every step, also while they cross the end of the period.
#[test]
fn no_slip_walls_bring_the_first_layer_to_their_velocity() {
    for (drag, expected) in [("", 0.0), ("surface_velocity = [{ velocity = [-0.2, 0.0] }]", -0.2)] {
        for mode in MODES {
            let mut sim = channel("no_slip", drag, &format!("stiffness = 50.0\nrelax_mode = \"{mode}\""));
            for _ in 0..100 {
                displacements(&mut sim, 0.002);
                let fluid = &sim.state.fluid;
                let mut n = 0;
                for i in 0..fluid.len() {
                    let (x, v) = (fluid.position(i).map(f64::from), fluid.velocity(i).map(f64::from));
                    if x[1].min(0.2 - x[1]) < 0.0199 {
                        assert!((v[0] - expected).abs() < 8.0 * EPSILON, "{mode}: {v:?} at {x:?}");
                        n += 1;
                    }
                }
                assert!((30..=60).contains(&n), "{mode}: {n} of 40 in the first layers");
            }
            let mean = sim.state.fluid.v[0].iter().map(|&v| f64::from(v)).sum::<f64>() / 200.0;
            println!("{mode}: mean velocity {mean:.3}");
        }
    }
}

/// A box and a layer of particles that come upon its left face, `extra` to its table.
fn struck<const D: usize>(density: f64, extra: &str) -> Simulation<D> {
    let corner = |x: f64| format!("{:?}", vec![x; D]);
    let body = format!(
        "[[body]]\nshape.block = {{ min = {}, max = {} }}\ndensity = {density:?}\n{extra}",
        corner(1.0),
        corner(1.4)
    );
    let site = |n: usize, a: usize| 1.05 + SPACING * ((n / 4_usize.pow(a as u32 - 1)) % 4) as f64;
    let layer = (0..4_usize.pow(D as u32 - 1))
        .map(|n| std::array::from_fn(|a| if a == 0 { 0.999 } else { site(n, a) }));
    among::<D>(&body, "", &layer.collect::<Vec<_>>(), std::array::from_fn(|a| if a == 0 { 0.5 } else { 0.0 }))
}

/// However light it is, a body and the particles that it holds then move with their common velocity.
fn one_collision<const D: usize>() {
    for density in [20.0, 1000.0, 50_000.0] {
        let mut sim = struck::<D>(density, "");
        let (n, m, mass) =
            (sim.state.fluid.len(), f64::from(sim.state.rest.m), sim.state.bodies.list[0].form.mass);
        displacements(&mut sim, DT);
        let part = n as f64 * m / (n as f64 * m + mass);
        let common: [f64; D] = std::array::from_fn(|a| if a == 0 { 0.5 * part } else { 0.0 });
        for i in 0..n {
            near(sim.state.fluid.velocity(i).map(f64::from), common, "a particle");
        }
        near(sim.state.bodies.list[0].velocity(), common, "the body");
        println!("{D}D, {density}: {part:.3} of the velocity");
    }
}

#[test]
fn a_no_slip_body_and_its_particles_are_one_collision() {
    one_collision::<2>();
    one_collision::<3>();
}

#[test]
fn a_body_that_is_held_takes_all_and_stays() {
    let mut sim = struck::<2>(500.0, "fixed = [\"x\", \"y\", \"rotation\"]");
    displacements(&mut sim, DT);
    assert!(sim.state.fluid.v.iter().flatten().all(|v| f64::from(v.abs()) < 8.0 * EPSILON));
    assert_eq!(sim.state.bodies.list[0].velocity(), [0.0; 2]);
}

/// Momentum, and without relaxation angular momentum too: what a particle gets, it gets where it was before the step.
fn conserves<const D: usize>(steps: u64) {
    for (slip, stick) in [("no_slip", 0.0), ("no_slip", 500.0), ("free_slip", 500.0)] {
        let solver = format!("{QUIET}\ndt_max = 0.002\nstick_stiffness = {stick:?}");
        let text = bodies::collision::<D>(&solver);
        let text = text.replace("\ndensity =", &format!("\nslip = \"{slip}\"\ndensity ="));
        let change = bodies::change::<D>(&text.replace("[-0.1, 0.4", "[-0.1, 0.36"), 44, |_| 1.0)
            .map(|change| change / EPSILON);
        println!("{D}D {slip} {stick}: {change:.1?} roundings");
        assert!(change[0] < 300.0 && change[1] < 300.0, "{D}D {slip} {stick}: {change:?}");
        let all =
            format!("stiffness = 100.0\ndt_max = 0.002\nviscosity_linear = 5.0\nstick_stiffness = {stick:?}");
        let [change, _] = bodies::change::<D>(&text.replace(&solver, &all), steps, |_| 1.0);
        println!("{D}D {slip} {stick}, with relaxation: {:.1} roundings", change / EPSILON);
        assert!(change < 300.0 * EPSILON, "{D}D {slip} {stick}: {change:e}");
    }
}

#[test]
fn bodies_get_back_what_they_give() {
    conserves::<2>(120);
    conserves::<3>(60);
}

const ALL: &str = "stick_stiffness = 500.0\nviscosity_linear = 5.0\nspring_stiffness = 100.0";

#[test]
fn threads_change_no_bit() {
    bodies::threads_change_no_bit(ALL, [40, 12]);
}

#[test]
fn a_restart_changes_no_bit() {
    bodies::restarts::<2>(&bodies::busy::<2>(ALL, ""), &[1, 30]);
    bodies::restarts::<3>(&bodies::busy::<3>(ALL, ""), &[7]);
    restarting::restarts::<2>(
        &restarting::eventful("standard", "", &format!("dt_max = 0.004\n{ALL}")),
        &[40, 100],
    );
}
