//! Flows that fill all space: what the solver chooses for them, and that they hold where walls end and bodies stand.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(clippy::print_stdout, reason = "the measured numbers")]

use crate::common::*;
use solver_projection::{Params, Projection, cpu::Cpu, params::Gradient};
use sph_core::{
    method::{solids::Flow, stopwatch::NoClock},
    numerics::lane::Isa,
    run::method::Method,
    scene::{Parameters as _, Scene},
};

/// A tank of 1 m filled up to `height` `[m]`, whose lid slides.
fn cavity(height: f64, keys: &str, solver: &str) -> String {
    format!(
        "spacing = 0.05\nrest_density = 1.0\ngravity = [0.0, 0.0]\nrun.end_time = 1.0\n{keys}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, {height:?}] }}\n\
         [[wall]]\nname = \"box\"\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 1.0] }}\nlayers = 3\n\
         surface_velocity = [{{ face = \"y_max\", velocity = [1.0, 0.0] }}]\n\
         [solver]\nname = \"projection\"\n{solver}\n"
    )
}

fn made(text: &str) -> (Params, Flow) {
    let scene = Scene::parse("test.toml", text).unwrap();
    let (state, method) = Projection::<2>::of_scene(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    (method.params().clone(), Method::derived(&method, &state).flow.unwrap())
}

#[test]
fn the_scene_decides_unless_it_says_so() {
    let gradient = |height, keys, solver| {
        let (params, flow) = made(&cavity(height, keys, solver));
        (params.gradient, flow)
    };
    let (open, closed) = (Flow::FreeSurface, Flow::Closed);
    assert_eq!(gradient(1.0, "", ""), (Gradient::Difference, closed), "full");
    assert_eq!(gradient(0.5, "", ""), (Gradient::Adjoint, open), "half full");
    assert_eq!(gradient(1.0, "flow = \"free_surface\"", ""), (Gradient::Adjoint, open), "the scene says so");
    assert_eq!(gradient(0.5, "flow = \"closed\"", ""), (Gradient::Difference, closed), "and so");
    assert_eq!(gradient(1.0, "", "preset = \"consistent\""), (Gradient::Adjoint, closed), "a preset");
    assert_eq!(gradient(1.0, "", "gradient = \"adjoint\""), (Gradient::Adjoint, closed), "a key");
    assert_eq!(made(&cavity(1.0, "", "gradient = \"adjoint\"")).0.separation, 1.0, "and no other");
    let drained = "command = [{ at = 0.5, drain.shape.block = { min = [0.0, 0.0], max = [0.2, 0.2] } }]";
    assert_eq!(gradient(1.0, drained, ""), (Gradient::Adjoint, open), "it will have a surface");
    let scene = Scene::parse("test.toml", &cavity(1.0, "", "free_surface = false"));
    let error = scene.and_then(|scene| Params::of_scene(&scene)).unwrap_err().to_string();
    assert!(error.contains("flow = \"closed\""), "{error}");
}

/// Solids that move against each other may open what was full, and beside a container, which has no ghosts, is a surface.
#[test]
fn what_may_open_is_not_closed() {
    let flow = |keys: &str, rest: &str| {
        made(&cavity(1.0, keys, "").replace("[solver]", &format!("{rest}\n[solver]"))).1
    };
    let gate = "[[wall]]\nname = \"gate\"\nshape.block = { min = [3.0, 0.0], max = [3.5, 1.0] }\nmotion.";
    assert_eq!(flow("", &format!("{gate}translation = {{ velocity = [0.1, 0.0] }}")), Flow::FreeSurface);
    assert_eq!(flow("", &gate.replace("\nmotion.", "")), Flow::Closed, "one that stays");
    let moved = "command = [{ at = 0.5, move_wall = { wall = \"box\", motion.translation = { velocity = [0.1, 0.0] } } }]";
    assert_eq!(flow(moved, ""), Flow::FreeSurface);
    let vessel = "[[container]]\nshape.block = { min = [-0.5, -0.5], max = [1.5, 1.5] }";
    assert_eq!(flow("", vessel), Flow::FreeSurface);
    assert_eq!(flow("flow = \"closed\"", vessel), Flow::Closed, "the scene says so");
}

/// What slides along a wall brings no fluid: at rest under a moving lid nothing is a source, also where the lid ends.
#[test]
fn a_sliding_lid_is_no_source() {
    let scene = Scene::parse("test.toml", &cavity(1.0, "", "")).unwrap();
    let (mut state, mut method) = Projection::<2>::of_scene(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    let mut cpu = Cpu::new(&mut method, &mut state);
    cpu.phases().move_walls(1e-3).unwrap();
    cpu.phases().find_neighbors().unwrap();
    cpu.phases().compute_alpha().unwrap();
    cpu.phases().assemble_matrix().unwrap();
    let largest =
        cpu.method.fields.sums.iter().map(|sums| f64::from(sums.divergence).abs()).fold(0.0, f64::max);
    assert_eq!(largest, 0.0, "1/s");
}

/// Under the corners of the lid the pressure is singular. No preset of full vessels lets particles out there, or makes them
/// faster than the lid.
#[test]
fn a_cavity_without_much_viscosity_holds() {
    for (solver, reynolds) in
        [("", 1e3), ("", 1e5), ("particle_shifting = 1.0", 1e3), ("density_compensation = 0.0", 1e3)]
    {
        let text = cavity(1.0, "", &format!("dynamic_viscosity = {:?}\n{solver}", 1.0 / reynolds));
        let mut sim = simulation::<2>(&text);
        sim.run(2.5, 10_000, &mut []).unwrap();
        let fluid = &sim.state.fluid;
        for i in 0..fluid.len() {
            let (x, v) = (fluid.position(i), fluid.velocity(i));
            assert!(x.iter().all(|x| (0.0..=1.0).contains(x)), "{solver} Re {reynolds}: {x:?}");
            assert!(v.iter().all(|v| v.abs() < 1.0), "{solver} Re {reynolds}: {v:?}");
        }
    }
}

/// In a full tank the pressure carries a part of a body, and fluid has to make way for it: a square of the relative density s falls, or
/// rises, with `(s − 1)/(s + c)` of gravity. In an endless fluid without viscosity c is 1.19, between walls it is more, and whatever the
/// body weighs it is the same.
#[test]
fn bodies_in_a_full_tank_feel_the_pressure() {
    for density in [0.1, 0.5, 2.0, 4.0] {
        let mut sim = simulation::<2>(&full_with_body(density));
        sim.run(0.3, 10_000, &mut []).unwrap();
        let share = sim.state.bodies.list[0].velocity()[1] / -0.3;
        let added = (density - 1.0) / share - density;
        println!("{density}: {share:.3} of gravity, added mass {added:.2}");
        assert!((1.8..2.4).contains(&added), "{density}: {share} of gravity, added mass {added}");
    }
    let mut sim = simulation::<2>(&full_with_body(1.0));
    sim.run(0.3, 10_000, &mut []).unwrap();
    let speed = sim.state.bodies.list[0].velocity()[1];
    assert!(speed.abs() < 2e-3, "as heavy as the fluid: {speed} m/s");
}

fn full_with_body(density: f64) -> String {
    format!(
        "spacing = 0.04\nrest_density = 1.0\ngravity = [0.0, -1.0]\nrun.end_time = 1.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [2.0, 2.0] }}\n\
         cut = [{{ block = {{ min = [0.72, 0.72], max = [1.28, 1.28] }} }}]\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [2.0, 2.0] }}\nlayers = 3\n\
         [[body]]\nname = \"square\"\nshape.block = {{ min = [0.72, 0.72], max = [1.28, 1.28] }}\ndensity = {density:?}\n\
         [solver]\nname = \"projection\"\ndynamic_viscosity = 0.01\n"
    )
}

/// A disc that has moved by spacings through fluid under pressure stands among particles in disorder: it feels no more than its
/// buoyancy, and the drag between two walls at so low a Reynolds number (Faxén 1946): 20 % of that.
#[test]
fn disorder_around_a_body_is_no_force() {
    let (radius, speed, viscosity, k): (f64, f64, f64, f64) = (0.1, 0.01376, 0.0276, 0.2);
    let text = format!(
        "spacing = 0.025\nrest_density = 1.0\ngravity = [0.0, -1.0]\nrun.end_time = 5.0\nmass_mode = \"calibrated\"\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 1.4] }}\npressure.hydrostatic = {{ surface = 1.4 }}\n\
         cut = [{{ ball = {{ center = [0.5, 0.8], radius = {radius:?} }} }}]\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 1.6] }}\nfaces = [\"x_min\", \"x_max\", \"y_min\"]\nlayers = 3\n\
         [[wall]]\nname = \"disc\"\nshape.disc = {{ center = [0.5, 0.8], radius = {radius:?} }}\nside = \"outside\"\nlayers = 3\n\
         motion.translation = {{ velocity = [0.0, {:?}] }}\n\
         [[measure]]\nname = \"force\"\ninterval = 0.1\nforce = {{ on = \"disc\" }}\nfrom = 3.0\n\
         [solver]\nname = \"projection\"\npreset = \"closed\"\ndynamic_viscosity = {viscosity:?}\ndt_max = 5e-3\n",
        -speed
    );
    let mut sim = simulation::<2>(&text);
    sim.run(5.0, 10_000, &mut []).unwrap();
    let along_y: Vec<f64> =
        sim.measures.series().flat_map(|series| series.rows().map(|(_, row)| row[1])).collect();
    let mean = along_y.iter().sum::<f64>() / along_y.len() as f64;
    let buoyancy = std::f64::consts::PI * radius * radius;
    let drag = 4.0 * std::f64::consts::PI * viscosity * speed
        / ((1.0 / k).ln() - 0.9157 + 1.7244 * k.powi(2) - 1.7302 * k.powi(4));
    println!("{mean:.5} N for {buoyancy:.5} N and {drag:.5} N");
    assert!((mean - buoyancy - drag).abs() < 0.1 * drag, "{mean} N for {buoyancy} N and {drag} N");
}
