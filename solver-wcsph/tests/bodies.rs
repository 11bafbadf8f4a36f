//! Dynamic bodies: what they and the fluid give to each other, and where they come to rest.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
mod common;

use common::{EPSILON, norm, simulation};
use sph_core::simulation::Simulation;

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
         domain = {{ min = {low}, max = {high} }}\n\
         [[fluid]]\n{fluid}\n\
         [[body]]\nname = \"box\"\n{brick}\ndensity = 600.0\nangle = 0.3\nvelocity = {fast}\nangular_velocity = {turn}\n\
         [[body]]\nname = \"ball\"\nshape.ball = {{ center = {ball}, radius = 0.12 }}\ndensity = 2000.0\nvelocity = {slow}\n\
         [solver]\nname = \"wcsph\"\npreset = \"{preset}\"\nsound_speed = 20.0\n{solver}\n",
        gravity = v([0.0, 0.0]),
        low = format!("{:?}", vec![-9.0; D]),
        high = format!("{:?}", vec![9.0; D]),
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

/// A tank of water with a body that is let go above its floor: 2D, or a slice of it in 3D.
fn tank<const D: usize>(spacing: f64, body: &str, preset: &str, extra: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n{extra}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.8, 0.4{1}] }}\npressure.hydrostatic.surface = 0.4\n{2}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{0}], max = [0.8, 1.0{1}] }}\nlayers = 3\n\
         [[body]]\n{3}\n\
         [solver]\nname = \"wcsph\"\npreset = \"{preset}\"\n",
        z(0.0),
        z(0.4),
        if body.contains("shape.cut") { "" } else { "" },
        body,
    )
}

/// Share of a floating box that lies below the water, from the level that is left in the tank.
fn submerged(sim: &Simulation<2>, box_height: f64) -> f64 {
    let body = &sim.state.bodies.list[0];
    let fluid = &sim.state.fluid;
    // The level away from the box: half a spacing above the highest particles of each column.
    let spacing = f64::from(sim.state.rest.spacing);
    let columns = 10;
    let mut top = vec![f64::NEG_INFINITY; columns];
    for i in 0..fluid.len() {
        let [x, y] = fluid.position(i).map(f64::from);
        if (x - body.x[0]).abs() > 0.16 {
            let k = ((x / 0.8 * columns as f64) as usize).min(columns - 1);
            top[k] = top[k].max(y + 0.5 * spacing);
        }
    }
    let wet: Vec<f64> = top.into_iter().filter(|y| y.is_finite()).collect();
    let level = wet.iter().sum::<f64>() / wet.len() as f64;
    (level - (body.x[1] - 0.5 * box_height)) / box_height
}

#[test]
fn explore_float() {
    for preset in ["validation", "graphics"] {
        let body = "shape.block = { min = [0.3, 0.42], max = [0.5, 0.58] }\ndensity = 500.0";
        let mut sim = simulation::<2>(&tank::<2>(0.01, body, preset, ""));
        for k in 1..=10 {
            sim.run(0.3 * k as f64, u64::MAX, &mut []).expect("a healthy run");
            let b = &sim.state.bodies.list[0];
            println!(
                "{preset} t {:.2} x {:?} v {:?} angle {:.4} submerged {:.4} F {:?} steps {}",
                sim.state.t,
                b.x,
                b.velocity(),
                b.rotation.angle(),
                submerged(&sim, 0.16),
                b.wrench.force,
                sim.state.step
            );
        }
    }
}
