//! Which viscosity a scene gets, and what it takes from a flow.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a helper that fails is a test that fails")]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

use crate::{common::*, solver::bodies::collision};
use sph_core::run::simulation::Simulation;

const MODELS: [&str; 2] = ["viscosity_model = \"morris\"", "viscosity_model = \"solenoidal\""];

/// Fluid in a box of 1 m with walls around, but for what `rest` says.
fn tank<const D: usize>(fluid: [f64; 2], rest: &str, solver: &str) -> Simulation<D> {
    let z = |x: f64| if D == 3 { format!(", {x:?}") } else { String::new() };
    let corners = |[x, y]: [f64; 2]| format!("min = [0.0, 0.0{}], max = [{x:?}, {y:?}{}]", z(0.0), z(1.0));
    simulation(&format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 1.0\ngravity = {:?}\n[[fluid]]\nshape.block = {{ {} }}\n{rest}\n\
         [[wall]]\nshape.block = {{ {} }}\nlayers = 3\n[solver]\nname = \"projection\"\n{solver}\n",
        vec![0.0; D],
        corners(fluid),
        corners([1.0, 1.0]),
    ))
}

/// The state after some steps of a shear that viscosity brakes.
fn after_steps(fluid: [f64; 2], solver: &str) -> u64 {
    let mut sim = tank::<2>(fluid, "velocity.formula = [\"y^2\", \"0\"]", solver);
    sim.run(1.0, 5, &mut []).unwrap();
    sim.state.hash()
}

#[test]
fn the_model_follows_from_the_surface() {
    const DRAIN: &str =
        "[[command]]\nat = 0.9\ndrain = { shape.block = { min = [0.2, 0.2], max = [0.4, 0.4] } }";
    let (full, half) = ([1.0, 1.0], [1.0, 0.5]);
    for (fluid, more, expected) in [(full, "", MODELS[0]), (half, "", MODELS[1]), (full, DRAIN, MODELS[1])] {
        let hash = |model: &str| after_steps(fluid, &format!("dynamic_viscosity = 5.0\n{model}\n{more}"));
        for model in MODELS {
            assert_eq!(hash("") == hash(model), model == expected, "{fluid:?} {more}: {model}");
        }
    }
    assert_eq!(after_steps(half, MODELS[0]), after_steps(half, MODELS[1]), "without viscosity");
}

#[test]
fn the_laplacian_at_a_free_surface_is_warned_of() {
    let warned = |fluid, solver: &str| {
        let sim = tank::<2>(fluid, "", &format!("dynamic_viscosity = 5.0\n{solver}"));
        sim.solver.derived(&sim.state).warnings.iter().any(|warning| warning.contains("viscous stress"))
    };
    assert!(warned([1.0, 0.5], MODELS[0]));
    assert!(!warned([1.0, 0.5], MODELS[1]) && !warned([1.0, 0.5], ""));
    assert!(!warned([1.0, 1.0], MODELS[0]));
}

/// A block 1 m across that moves as `velocity` says, and the walls, bodies and other lines that `rest` adds.
fn block<const D: usize>(velocity: [&str; 3], rest: &str, solver: &str) -> Simulation<D> {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let [u, v, w] = velocity;
    simulation(&format!(
        "dim = {D}\nspacing = {:?}\nrun.end_time = 1.0\ngravity = {:?}\nrest_density = 1.0\n{rest}\n[[fluid]]\n\
         shape.block = {{ min = [-0.5, 0.0{low}], max = [0.5, 1.0{high}] }}\n\
         velocity.formula = [\"{u}\", \"{v}\"{}]\n\
         [solver]\nname = \"projection\"\nxsph_viscosity = 0.0\ndensity_compensation = 0.0\n{solver}\n",
        if D == 2 { 0.04 } else { 0.1 },
        vec![0.0; D],
        z(&format!("\"{w}\"")),
        low = z("-0.5"),
        high = z("0.5"),
    ))
}

fn energy<const D: usize>(sim: &Simulation<D>) -> f64 {
    let fluid = &sim.state.fluid;
    let v2 = |i: usize| fluid.velocity(i).iter().map(|&v| f64::from(v).powi(2)).sum::<f64>();
    (0..fluid.len()).map(|i| 0.5 * f64::from(sim.state.rest.m) * v2(i)).sum()
}

/// What a step takes by viscosity of 1 Pa s, over time, `[W]`. So short that pressure, which differs between the runs by
/// what viscosity did in the step before, has no part in it.
fn loss<const D: usize>(velocity: [&str; 3], rest: &str, solver: &str) -> f64 {
    const DT: f64 = 1e-4;
    let left = |mu: f64| {
        let solver = format!("{solver}\ndynamic_viscosity = {mu:?}");
        let mut sim = block::<D>(velocity, rest, &solver);
        step(&mut sim, DT);
        energy(&sim)
    };
    (left(0.0) - left(1.0)) / DT
}

/// Drawn out by v = (x, −y)/s a block loses `2μ ∫ e:e dV = 4μ V`, at its surface and on a bed without friction as inside;
/// its Laplacian sees half of it.
#[test]
fn drawn_out_fluid_loses_what_its_stress_does() {
    const BED: &str = "[[wall]]\nshape.block = { min = [-2.0, 0.0], max = [2.0, 3.0] }\nfaces = [\"y_min\"]\n\
                       slip = \"free_slip\"\nlayers = 3";
    let drawn = ["x", "-y", "0"];
    for (model, due) in [("", 4.0), (MODELS[0], 2.0)] {
        let found = [loss::<2>(drawn, "", model), loss::<2>(drawn, BED, model), loss::<3>(drawn, "", model)];
        println!("{model:?}: {found:?}");
        // The outermost rows see half of all directions, on a lattice 25 across, and 10 in space.
        for (found, bound) in found.iter().zip([0.05, 0.05, 0.07]) {
            let right = if due == 4.0 { (found / due - 1.0).abs() < bound } else { *found < 1.1 * due };
            assert!(right, "{model:?}: {found}, not {due}");
        }
    }
}

/// A shear wave along the axes of a lattice decays at the rate ν k², to what the curvature of the wave over a support makes of it.
fn decays<const D: usize>(model: &str) {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    let mut sim = simulation::<D>(&format!(
        "dim = {D}\nspacing = 0.05\nrun.end_time = 1.0\ngravity = {:?}\nrest_density = 1.0\n\
         domain = {{ min = [0.0, 0.0{low}], max = [0.5, 1.0{high}], periodic = [\"x\", \"y\"{}] }}\n[[fluid]]\n\
         shape.block = {{ min = [0.0, 0.0{low}], max = [0.5, 1.0{high}] }}\n\
         velocity.formula = [\"sin(6.283185307*y)\", \"0\"{}]\n[solver]\nname = \"projection\"\nxsph_viscosity = 0.0\n\
         dynamic_viscosity = 1.0\n{model}\n",
        vec![0.0; D],
        z("\"z\""),
        z("\"0\""),
        low = z("0.0"),
        high = z("0.5"),
    ));
    let before = energy(&sim);
    const DT: f64 = 1e-4;
    step(&mut sim, DT);
    let rate = 0.5 * (before / energy(&sim)).ln() / DT / std::f64::consts::TAU.powi(2);
    println!("{D}D {model}: {rate}");
    assert!((rate - 1.0).abs() < 0.05, "{D}D {model}: {rate}");
}

#[test]
fn shear_along_a_lattice_decays_as_it_should() {
    for model in MODELS {
        decays::<2>(model);
        decays::<3>(model);
    }
}

/// Neither by itself nor by a wall that turns along, which is a step ahead of the fluid.
#[test]
fn a_rotation_of_the_whole_is_not_braked() {
    const RING: &str = "[[wall]]\nshape.disc = { center = [0.0, 0.5], radius = 0.72 }\nlayers = 3\nslip = \"no_slip\"\n\
                        motion.rotation = { center = [0.0, 0.5], angular_velocity = 1.0 }";
    let turning = ["-(y-0.5)", "x", "0"];
    for (model, most) in [(MODELS[1], 1e-3), (MODELS[0], f64::INFINITY)] {
        let found =
            [loss::<2>(turning, "", model), loss::<3>(turning, "", model), loss::<2>(turning, RING, model)];
        println!("{model}: {found:?}");
        assert!(found.iter().all(|loss| loss.abs() < most), "{model}: {found:?}");
        assert!(most.is_finite() || found.iter().all(|loss| *loss > 0.1), "{model}: {found:?}");
    }
}

/// What a step of viscosity alone does to the angular momentum of a shaken block, over the sizes of its terms.
fn torque<const D: usize>(model: &str) -> f64 {
    let gains = |mu: f64| {
        let solver = format!("dynamic_viscosity = {mu:?}\nxsph_viscosity = 0.0\n{model}");
        let mut sim = Block::free(if D == 2 { 12 } else { 6 }, &solver).jitter(0.2).build::<D>();
        sim.state.fluid.v[0] = sim.state.fluid.x[1].clone();
        let x = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
        (x, gains(&mut sim, 1e-3))
    };
    let ((x, with), (_, without)) = (gains(1.0), gains(0.0));
    let (mut turned, mut size) = (0.0, 0.0);
    for ((x, a), b) in x.iter().zip(&with).zip(&without) {
        turned += x[0] * (a[1] - b[1]) - x[1] * (a[0] - b[0]);
        size += norm(x) * (0..D).map(|k| (a[k] - b[k]).abs()).sum::<f64>();
    }
    turned.abs() / size
}

#[test]
fn angular_momentum_is_kept_along_lines_of_centers_alone() {
    let of = |model| [torque::<2>(model), torque::<3>(model)];
    let [morris, solenoidal] = MODELS.map(of);
    println!("{morris:?} {solenoidal:?}");
    assert!(solenoidal.iter().all(|torque| *torque < 300.0 * EPSILON), "{solenoidal:?}");
    assert!(morris.iter().all(|torque| *torque > 0.05), "{morris:?}");
}

/// Fluid between a wall at rest and one that moves: the shear is the same everywhere.
#[test]
fn walls_with_friction_hold_the_fluid_where_they_are() {
    for (model, bound) in MODELS.into_iter().zip([2e-3, 1e-4]) {
        let mut sim = block::<2>(
            ["y", "0", "0"],
            "domain = { min = [-0.5, -1.0], max = [0.5, 2.0], periodic = [\"x\"] }\n\
             [[wall]]\nshape.block = { min = [-0.5, 0.0], max = [0.5, 1.0] }\nfaces = [\"y_min\", \"y_max\"]\nslip = \"no_slip\"\n\
             layers = 3\nsurface_velocity = [{ face = \"y_max\", velocity = [1.0, 0.0] }]",
            &format!("dynamic_viscosity = 1.0\n{model}"),
        );
        let gains = gains(&mut sim, 1e-2);
        let largest = gains.iter().map(norm).fold(0.0, f64::max);
        println!("{model}: {largest:e}");
        assert!(largest < bound, "{model}: {largest}");
    }
}

/// Along a wall that slips nothing is braked, whatever the disorder.
#[test]
fn walls_without_friction_do_not_brake() {
    for model in MODELS {
        let mut sim = block::<2>(
            ["1", "0", "0"],
            "domain = { min = [-0.5, -1.0], max = [0.5, 2.0], periodic = [\"x\"] }\n\
             [[wall]]\nshape.block = { min = [-0.5, 0.0], max = [0.5, 1.0] }\nfaces = [\"y_min\"]\nslip = \"free_slip\"\nlayers = 3",
            &format!("dynamic_viscosity = 1.0\n{model}"),
        );
        jitter(&mut sim.state, 0.2 * 0.04);
        let gains = gains(&mut sim, 1e-3);
        let largest = gains.iter().map(norm).fold(0.0, f64::max);
        assert!(largest < 100.0 * EPSILON, "{model}: {largest:e}");
    }
}

/// A box and a ball that dive into fluid, and what viscosity alone changes in the momentum and in the angular momentum of
/// all, over what it changes in those of the bodies.
fn given_away(model: &str) -> [f64; 2] {
    let text = |mu: f64| {
        let solver = format!("dynamic_viscosity = {mu:?}\nxsph_viscosity = 0.0\n{model}");
        let near = collision::<2>(&solver).replace("min = [0.4, -0.1", "min = [0.35, -0.1");
        near.replace("[-0.1, 0.4", "[-0.1, 0.33").replace("\ndensity =", "\nslip = \"no_slip\"\ndensity =")
    };
    let moments = |mu: f64| {
        let mut sim = simulation::<2>(&text(mu));
        step(&mut sim, 1e-3);
        let (fluid, m) = (&sim.state.fluid, f64::from(sim.state.rest.m));
        let of = |[x, y]: [f64; 2], [p, q]: [f64; 2]| [p, x * q - y * p];
        let fluid = (0..fluid.len())
            .map(|i| of(fluid.position(i).map(f64::from), fluid.velocity(i).map(|v| m * f64::from(v))))
            .fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        let bodies = sim.state.bodies.list.iter().map(|body| {
            let [p, l] = of(body.x, body.momentum);
            [p, l + body.angular_momentum[2]]
        });
        [fluid, bodies.fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])]
    };
    let ([fluid, bodies], [fluid_0, bodies_0]) = (moments(100.0), moments(0.0));
    std::array::from_fn(|k| {
        let taken = bodies[k] - bodies_0[k];
        ((fluid[k] - fluid_0[k] + taken) / taken).abs()
    })
}

#[test]
fn bodies_get_what_the_fluid_gives_and_along_lines_of_centers_its_moment_too() {
    let [morris, solenoidal] = MODELS.map(given_away);
    println!("{morris:?} {solenoidal:?}");
    assert!(solenoidal.iter().all(|change| *change < 0.01), "{solenoidal:?}");
    assert!(morris[0] < 0.01 && morris[1] > 0.05, "{morris:?}");
}
