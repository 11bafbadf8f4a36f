//! Contact: single particles, whose pressure answers a part of their approach, pass no wall, and give it what they lose.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

use crate::{
    common::*,
    corners::{SPACING, corners, throw},
    voids::rise,
};
use sph_core::run::simulation::Simulation;

/// How deep the deepest particle is behind a surface, in spacings.
fn deepest<const D: usize>(sim: &Simulation<D>) -> f64 {
    let fluid = &sim.state.fluid;
    let depth = |i: usize| {
        let x = fluid.position(i).map(f64::from);
        let behind_box = x.iter().map(|x| (-x).max(x - 1.0)).fold(f64::NEG_INFINITY, f64::max);
        let sides = (0..D).map(|a| if a == 1 { 0.2 - x[a] } else { (x[a] - 0.4).min(0.6 - x[a]) });
        behind_box.max(sides.fold(f64::INFINITY, f64::min))
    };
    (0..fluid.len()).map(depth).fold(f64::NEG_INFINITY, f64::max) / SPACING
}

fn passes_nothing<const D: usize>(dt: f64) {
    let mut sim = simulation::<D>(&corners::<D>("density_compensation = 0.0"));
    throw(&mut sim.state);
    let energy = |sim: &Simulation<D>| -> f64 {
        vectors(&sim.state.fluid.id, &sim.state.fluid.v).iter().map(|v| norm(v).powi(2)).sum()
    };
    let (first, mut most) = (energy(&sim), f64::NEG_INFINITY);
    for _ in 0..25 {
        step(&mut sim, dt);
        most = most.max(deepest(&sim));
    }
    println!("{D}D, {dt} s: {most:.3} spacings deep, {:.3} of the energy is left", energy(&sim) / first);
    assert!(most < 1e-4, "{D}D, {dt} s: {most} spacings behind a surface");
    assert!(energy(&sim) < first, "{D}D, {dt} s");
}

#[test]
fn single_particles_pass_no_corner_and_no_step() {
    for dt in [4e-3, 1e-3] {
        passes_nothing::<2>(dt);
        passes_nothing::<3>(dt);
    }
}

/// A plate that comes takes the particle before it along, and one that goes leaves it, and holds what is faster: walls stop, and
/// neither throw nor pull.
#[test]
fn moving_plates_take_particles_along_and_leave_them() {
    let velocity = |v: f64, u: f64| {
        let mut sim = simulation::<2>(&format!(
            "spacing = {SPACING:?}\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\n\
             domain = {{ min = [-5.0, -5.0], max = [5.0, 5.0] }}\n\
             [[fluid]]\nshape.block = {{ min = [0.0, -0.025], max = [0.05, 0.025] }}\nvelocity.uniform = [{u:?}, 0.0]\n\
             [[wall]]\nname = \"plate\"\nshape.block = {{ min = [-0.2, -0.5], max = [0.0, 0.5] }}\nside = \"outside\"\n\
             layers = 2\nmotion.translation = {{ velocity = [{v:?}, 0.0] }}\n\
             [solver]\nname = \"projection\"\ndensity_compensation = 0.0\nseparation = 0.0\nxsph_viscosity = 0.0\n"
        ));
        for k in 1..=100 {
            step(&mut sim, 1e-3);
            sim.state.t = 1e-3 * f64::from(k);
        }
        let gap = f64::from(sim.state.fluid.x[0][0]) - v * sim.state.t;
        (f64::from(sim.state.fluid.v[0][0]), gap / SPACING)
    };
    let [(taken, near), (left, _), (held, far)] =
        [velocity(2.0, 0.0), velocity(-2.0, 0.0), velocity(-2.0, -3.0)];
    println!("{taken}, {left} and {held} m/s, {near} and {far} spacings before the plate");
    assert!((taken - 2.0).abs() < 0.02 && near > 0.04, "{taken} {near}");
    assert!(left == 0.0, "{left}");
    assert!((held + 2.0).abs() < 0.5 && far > 0.04, "{held} {far}");
}

/// A turning tank takes single particles along: what it turns away in a step is met at its end.
#[test]
fn turning_tanks_hold_single_particles() {
    let mut sim = simulation::<2>(
        "spacing = 0.02\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\nrun.escape_limit = 1.0\n\
         [[fluid]]\nshape.block = { min = [0.37, 0.1], max = [0.39, 0.12] }\nvelocity.uniform = [4.0, 0.0]\n\
         [[fluid]]\nshape.block = { min = [-0.1, -0.39], max = [-0.08, -0.37] }\nvelocity.uniform = [0.0, -4.0]\n\
         [[wall]]\nname = \"tank\"\nshape.block = { min = [-0.4, -0.4], max = [0.4, 0.4] }\nlayers = 2\nslip = \"free_slip\"\n\
         motion.rotation = { center = [0.0, 0.0], angular_velocity = 6.0 }\n\
         [solver]\nname = \"projection\"\ndensity_compensation = 0.0\n",
    );
    let mut deepest = f64::NEG_INFINITY;
    for k in 1..=500_i32 {
        step(&mut sim, 2e-3);
        sim.state.t = 2e-3 * f64::from(k);
        let (sin, cos) = (6.0 * sim.state.t).sin_cos();
        for i in 0..sim.state.fluid.len() {
            let [x, y] = sim.state.fluid.position(i).map(f64::from);
            let (u, v) = (cos * x + sin * y, cos * y - sin * x);
            deepest = deepest.max((u.abs().max(v.abs()) - 0.4) / 0.02);
        }
    }
    println!("{deepest:.3} spacings deep");
    assert!(deepest < 0.05, "{deepest} spacings behind the tank");
}

/// Where a particle slides along a round wall its plane tells too little, and in a valley of an obstacle one plane does.
#[test]
fn round_tanks_and_valleys_hold_single_particles() {
    let one = |x: f64, y: f64, velocity: &str, wall: &str| {
        let mut sim = simulation::<2>(&format!(
            "spacing = {SPACING:?}\ngravity = [0.0, 0.0]\nrun.end_time = 10.0\nrun.escape_limit = 1.0\n\
             domain = {{ min = [-5.0, -5.0], max = [5.0, 5.0] }}\n\
             [[fluid]]\nshape.block = {{ min = [{x:?}, {y:?}], max = [{:?}, {:?}] }}\nvelocity.uniform = {velocity}\n\
             [[wall]]\n{wall}\nlayers = 2\nslip = \"free_slip\"\n\
             [solver]\nname = \"projection\"\ndensity_compensation = 0.0\nxsph_viscosity = 0.0\n",
            x + SPACING,
            y + SPACING
        ));
        (0..100)
            .map(|_| {
                step(&mut sim, 4e-3);
                sim.state.fluid.position(0).map(f64::from)
            })
            .collect::<Vec<_>>()
    };
    let disc = "shape.disc = { center = [0.0, 0.0], radius = 0.25 }";
    // Two slopes of 45 degrees that meet at the origin, and fluid above them.
    let valley = "shape.polygon = { points = [[0.0, 0.0], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5], [-0.5, 0.5]] }\nside = \"outside\"";
    let (mut out, mut deep) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for k in 0..20 {
        let part = f64::from(k) / 20.0;
        let round = one(0.1 + 0.07 * part, -0.025, "[0.0, 10.0]", disc);
        out = round.iter().map(|x| (norm(x) - 0.25) / SPACING).fold(out, f64::max);
        let low = one(0.05 * part - 0.05, 0.1 + 0.02 * part, "[0.3, -6.0]", valley);
        deep = low.iter().map(|[x, y]| (x.abs() - y) / 2.0_f64.sqrt() / SPACING).fold(deep, f64::max);
    }
    println!("{out:.3} and {deep:.3} spacings deep");
    assert!(out < 1e-3 && deep < 1e-3, "{out} {deep}");
}

/// The tip of a coarse dam break is a single particle, squeezed onto the floor by those behind it. Held too near to the ghosts it would
/// have the pressure of fluid pressed together, and gain energy: 9 % of all at a twentieth of a spacing.
#[test]
fn particles_that_are_squeezed_along_a_floor_gain_no_energy() {
    let dam = |spacing: f64| {
        let text = format!(
            "spacing = {spacing:?}\nrun.end_time = 10.0\n\
             [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [0.05715, 0.1143] }}\n\
             [[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [0.35, 0.3] }}\nlayers = 3\nslip = \"free_slip\"\n\
             [solver]\nname = \"projection\"\n"
        );
        rise::<2>(&text, 0.3)
    };
    let risen = [0.01, 0.008, 0.00571].map(dam);
    println!("{risen:?} of the energy at first");
    assert!(risen.iter().all(|&rise| rise < 0.01), "{risen:?}");
}

/// What single particles lose at a measured wall, the wall gets: `Σ F dt = −Δp`, with their torque.
#[test]
fn measured_walls_get_what_particles_lose() {
    fn loses<const D: usize>() {
        let mut sim = simulation::<D>(&corners::<D>(
            "density_compensation = 0.0\nxsph_viscosity = 0.0\n[[measure]]\nname = \"on box\"\nforce = { on = \"box\" }\n\
             [[measure]]\nname = \"on step\"\nforce = { on = \"step\" }",
        ));
        throw(&mut sim.state);
        let m = f64::from(sim.state.rest.m);
        let momentum = |sim: &Simulation<D>| -> [f64; D] {
            each_axis(|a| sim.state.fluid.v[a].iter().map(|&v| m * f64::from(v)).sum())
        };
        let (before, mut given) = (momentum(&sim), [0.0; D]);
        for _ in 0..10 {
            sim.state.walls.loads_due = true;
            step(&mut sim, 4e-3);
            for load in &sim.state.bodies.loads {
                given = each_axis(|a| given[a] + 4e-3 * load.wrench.force[a]);
            }
        }
        let (after, scale) = (momentum(&sim), 6.0 * m * sim.state.fluid.len() as f64);
        let lost: [f64; D] = each_axis(|a| before[a] - after[a]);
        println!("{D}D: lost {lost:?}, given {given:?} kg m/s of {scale}");
        assert!(norm(&lost) > 0.02 * scale, "{lost:?} of {scale}");
        let apart: [f64; D] = each_axis(|a| lost[a] - given[a]);
        assert!(norm(&apart) < 200.0 * EPSILON * scale, "{D}D: lost {lost:?}, given {given:?}");
    }
    loses::<2>();
    loses::<3>();
}

fn each_axis<const D: usize>(of: impl FnMut(usize) -> f64) -> [f64; D] {
    std::array::from_fn(of)
}
