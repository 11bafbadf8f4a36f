//! Fields of both backends agree after the same steps.
//!
//! Both solve their equation until the residual is small enough, and no further: so fields differ by a part of that
//! residual, which is set small here.

use super::{
    common::make,
    solver::{
        bodies, facets,
        measures::scene,
        on_gpu::{Difference, compared, run},
        restarting::PADDLE,
        scenes::{contained, dam_break, walled},
    },
};
use crate::corners::{corners, throw};
use solver_projection::simulation;
use sph_core::{
    Real,
    method::{state::State, stopwatch::NoClock},
    numerics::lane::Isa,
    rigid::Wrench,
    run::simulation::Simulation,
};

/// About ten times what was measured, in roundings.
const BOUND: f64 = 3e3;

/// A run on the processor, and one on a GPU.
fn both<const D: usize>(text: &str) -> [Simulation<D>; 2] {
    let scene = scene(text);
    let rust = simulation(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    [rust, make(&scene, Isa::best(), Box::new(NoClock)).unwrap()]
}

/// Differences after so many steps, from a start that is stirred and then changed. A rounding may decide on one
/// iteration more or less.
fn compare_from<const D: usize>(text: &str, steps: u64, change: fn(&mut State<D>)) -> Difference {
    let (found, [a, b]) = compared(both::<D>(text), steps, change);
    println!("{} {} iterations, residuals {:.2e} {:.2e}", a.iterations, b.iterations, a.residual, b.residual);
    assert!(a.iterations.abs_diff(b.iterations) <= 1 + a.iterations / 10, "{text}");
    found
}

fn compare<const D: usize>(text: &str, steps: u64) -> Difference {
    compare_from::<D>(text, steps, |_| ())
}

/// Viscosity without its stress at the surface.
const LAPLACIAN: &str = "dynamic_viscosity = 5.0\nviscosity_model = \"morris\"";

/// Presets, and what an option does over one.
const OPTIONS: [(&str, &str); 23] = [
    ("consistent", ""),
    ("consistent", "projection_weight = \"spiky\"\nsupport_ratio = 3.0"),
    ("consistent", "projection_weight = \"wendland\"\nsupport_ratio = 3.0"),
    ("consistent", "reference = \"first_step\""),
    ("consistent", "surface_asymmetry = 0.0\nwall_surface_factor = 1.5"),
    ("consistent", "compensation_mode = \"one_sided\"\ndensity_compensation = 1.0"),
    ("consistent", "gradient = \"peridyno\""),
    ("closed", ""),
    ("consistent", "preconditioner = \"none\""),
    ("consistent", "preconditioner = \"diagonal\""),
    ("consistent", "cg_tolerance_mode = \"absolute\"\ncg_tolerance = 10.0"),
    ("consistent", "warm_start = false"),
    ("consistent", "tangential = 0.3\nseparation = 0.5"),
    ("consistent", "xsph_viscosity = 0.0"),
    ("consistent", "dynamic_viscosity = 5.0"),
    ("consistent", "dynamic_viscosity = 5.0\npreconditioner = \"none\""),
    ("consistent", "dynamic_viscosity = 5.0\ntangential = 0.3"),
    ("consistent", "dynamic_viscosity = 5.0\nviscosity_model = \"morris\""),
    ("consistent", "particle_shifting = 0.2"),
    ("consistent", "support_ratio = 3.0"),
    ("consistent", "cg_max_iter = 13"),
    ("peridyno_compat", ""),
    ("peridyno_compat", "gradient = \"adjoint\""),
];

/// The same start for all: a small residual, unless an option says otherwise.
fn solved(solver: &str) -> String {
    let has = |key: &str| solver.lines().any(|line| line.starts_with(key));
    if has("cg_tolerance") { solver.into() } else { format!("cg_tolerance = 1e-6\n{solver}") }
}

#[test]
fn every_option_does_on_a_gpu_what_it_does_on_the_processor() {
    for (preset, solver) in OPTIONS {
        let (what, solver) = (
            format!("{preset} {solver}"),
            if preset != "peridyno_compat" { solved(solver) } else { solver.into() },
        );
        compare::<2>(&dam_break::<2>(preset, 0.05, "", &solver), 4).check(BOUND, &format!("2D {what}"));
        compare::<3>(&dam_break::<3>(preset, 0.1, "", &solver), 2).check(BOUND, &format!("3D {what}"));
    }
}

/// Fluid pressed together has twice the neighbors of a lattice, and more.
fn squeeze<const D: usize>(state: &mut State<D>) {
    state.fluid.x.iter_mut().flatten().for_each(|x| *x *= 0.7);
}

#[test]
fn rows_that_are_too_narrow_at_first_are_listed_again() {
    // Without the pressure of the density error, which is that of a shock.
    let (dense, solver) = ("run.density_limit = 1e3", "density_compensation = 0.0\ncg_tolerance = 1e-4");
    let two = dam_break::<2>("consistent", 0.05, dense, solver);
    compare_from::<2>(&two, 2, squeeze).check(BOUND, "2D pressed together");
    let three = dam_break::<3>("consistent", 0.1, dense, solver);
    compare_from::<3>(&three, 2, squeeze).check(BOUND, "3D pressed together");
}

/// A limited source of density agrees on both backends, in fluid that is pressed together a little.
#[test]
fn so_does_a_limited_density_source() {
    for (warm, bound) in [("false", BOUND), ("true", 1e5)] {
        let solver = format!("density_compensation = 50.0\nwarm_start = {warm}");
        let text = dam_break::<2>("consistent", 0.05, "", &solved(&solver));
        let squeezed = |state: &mut State<2>| state.fluid.x.iter_mut().flatten().for_each(|x| *x *= 0.95);
        compare_from::<2>(&text, 3, squeezed).check(bound, &format!("2D limited source, warm start {warm}"));
    }
}

/// Blocks that land flat, where the pressure finds voids and the fluid bounces off.
#[test]
fn so_do_voids_and_walls_that_are_left() {
    let flat = |dim: usize, spacing: f64, z: &str, deep: &str| {
        format!(
            "dim = {dim}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
             [[fluid]]\nshape.block = {{ min = [0.0, {spacing:?}{z}], max = [0.4, 0.8{deep}] }}\n\
             velocity.uniform = [0.0, -2.8{z}]\n\
             [[wall]]\nshape.block = {{ min = [-0.2, 0.0{z}], max = [0.6, 1.0{deep}] }}\nfaces = [\"y_min\"]\n\
             offset = 0.7\n[solver]\nname = \"projection\"\ndt_max = 0.005\n{}",
            solved("")
        )
    };
    compare::<2>(&flat(2, 0.02, "", ""), 8).check(BOUND, "2D flat");
    compare::<3>(&flat(3, 0.05, ", 0.0", ", 0.2"), 8).check(BOUND, "3D flat");
}

/// Single particles that are thrown into corners and onto a step, and what walls get of them.
#[test]
fn so_does_contact() {
    fn thrown<const D: usize>() {
        let text = corners::<D>(&format!(
            "{}\n[[measure]]\nname = \"on box\"\nforce = {{ on = \"box\" }}",
            solved("density_compensation = 0.0")
        ));
        compare_from::<D>(&text, 12, throw).check(BOUND, &format!("{D}D corners"));
        let [a, b] = both::<D>(&text).map(|mut sim| {
            throw(&mut sim.state);
            sim.state.walls.loads_due = true;
            run(&mut sim, 3);
            sim.state.bodies.loads[0].wrench
        });
        let numbers = |w: Wrench<D>| w.force.into_iter().chain(w.torque).collect::<Vec<_>>();
        let size: f64 = numbers(a).iter().map(|f| f.abs()).sum();
        let apart: f64 = numbers(a).iter().zip(numbers(b)).map(|(a, b)| (a - b).abs()).sum();
        println!("{D}D force on the box: {:.1e} of {size} apart", apart / size);
        assert!(size > 0.0 && apart < BOUND * f64::from(Real::EPSILON) * size, "{D}D: {apart} of {size}");
    }
    thrown::<2>();
    thrown::<3>();
}

#[test]
fn so_do_containers() {
    compare::<2>(&contained::<2>("", &solved("")), 6).check(BOUND, "2D container");
    compare::<3>(&contained::<3>("", &solved("")), 6).check(BOUND, "3D container");
}

#[test]
fn so_do_obstacles_and_moving_walls() {
    const BALL: [&str; 2] = [
        "shape.ball = { center = [0.66, 0.3], radius = 0.12 }",
        "shape.ball = { center = [0.66, 0.3, 0.25], radius = 0.12 }",
    ];
    for slip in ["no_slip", "free_slip"] {
        for solver in ["", "dynamic_viscosity = 5.0", LAPLACIAN] {
            let what = format!("{slip} {solver}");
            compare::<2>(&walled::<2>(BALL[0], slip, &solved(solver)), 6).check(BOUND, &format!("2D {what}"));
            compare::<3>(&walled::<3>(BALL[1], slip, &solved(solver)), 3).check(BOUND, &format!("3D {what}"));
        }
    }
}

/// A block that is full of fluid and periodic along all axes.
fn endless<const D: usize>(solver: &str) -> String {
    let (spacing, axes) = (if D == 2 { 0.05 } else { 0.125 }, ["x", "y", "z"]);
    let (low, high) = (vec![0.0; D], vec![1.0; D]);
    format!(
        "dim = {D}\nspacing = {spacing:?}\ngravity = {low:?}\nrun.end_time = 10.0\n\
         domain = {{ min = {low:?}, max = {high:?}, periodic = {:?} }}\n\
         [[fluid]]\nshape.block = {{ min = {low:?}, max = {high:?} }}\njitter = 0.2\n\
         [solver]\nname = \"projection\"\n{solver}\n",
        &axes[..D],
    )
}

/// A closed domain that is full, and stirred.
fn full<const D: usize>(solver: &str) -> String {
    let (low, high) = (vec![0.0; D], vec![0.6; D]);
    let block = format!("shape.block = {{ min = {low:?}, max = {high:?} }}");
    format!(
        "dim = {D}\nspacing = {}\nrun.end_time = 10.0\n[[fluid]]\n{block}\n[[wall]]\n{block}\nlayers = 3\n\
         [solver]\nname = \"projection\"\n{solver}\n",
        if D == 2 { 0.05 } else { 0.1 },
    )
}

#[test]
fn so_do_periods_and_vessels_that_are_full() {
    const FULL: [&str; 4] = [
        "",
        "dynamic_viscosity = 5.0",
        "dynamic_viscosity = 5.0\nviscosity_model = \"solenoidal\"",
        "preset = \"consistent\"",
    ];
    for solver in FULL {
        let text = solved(solver);
        compare::<2>(&endless::<2>(&text), 5).check(BOUND, &format!("2D periodic {solver}"));
        compare::<3>(&endless::<3>(&text), 3).check(BOUND, &format!("3D periodic {solver}"));
        compare::<2>(&full::<2>(&text), 5).check(BOUND, &format!("2D full {solver}"));
        compare::<3>(&full::<3>(&text), 2).check(BOUND, &format!("3D full {solver}"));
    }
}

/// Water over a period of this length in x, with a surface on both sides, and spray far from it.
fn sprayed<const D: usize>(length: f64, solver: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    let block = |min: [f64; 2], max: [f64; 2], low: f64, high: f64| {
        let (low, high) = (z(low), z(high));
        format!(
            "[[fluid]]\nshape.block = {{ min = [{:?}, {:?}{low}], max = [{:?}, {:?}{high}] }}\n",
            min[0], min[1], max[0], max[1]
        )
    };
    let drop = |k: usize| {
        let (x, y) = (0.1 + 0.2 * k as f64, 3.0 + k as f64);
        block([x, y], [x + 0.1, y + 0.1], 0.2, 0.3)
    };
    format!(
        "dim = {D}\nspacing = {:?}\nrun.end_time = 10.0\n\
         domain = {{ min = [0.0, -9.0{}], max = [{length:?}, 9.0{}], periodic = [\"x\"] }}\n\
         {}jitter = 0.2\n{}[solver]\nname = \"projection\"\n{solver}\n",
        if D == 2 { 0.05 } else { 0.1 },
        z(0.0),
        z(1.0),
        block([0.0, -0.6], [length, 0.6], 0.0, 0.5),
        (0..4).map(drop).collect::<String>(),
    )
}

#[test]
fn so_do_levels_over_periods_and_spray() {
    let solver = solved("preconditioner = \"multilevel\"");
    // Drops by themselves are solved in a few iterations, and from then on conjugate gradients amplify roundings.
    let few = format!("cg_max_iter = 6\n{solver}");
    // An even and an odd number of cells in the period.
    for length in [1.1, 1.2, 1.3] {
        compare::<2>(&sprayed::<2>(length, &few), 4).check(BOUND, &format!("2D spray {length}"));
        compare::<3>(&sprayed::<3>(length, &few), 2).check(BOUND, &format!("3D spray {length}"));
    }
    compare::<2>(&endless::<2>(&solver), 5).check(BOUND, "2D periodic, levels");
    compare::<3>(&endless::<3>(&solver), 3).check(BOUND, "3D periodic, levels");
}

#[test]
fn so_do_a_paddle_damping_and_central_forces() {
    let paddle = solved(PADDLE);
    compare::<2>(&dam_break::<2>("consistent", 0.05, "", &paddle), 6).check(BOUND, "paddle");
    let forces =
        "damping = { rate = 5.0, until = 0.1 }\nforces.central = { center = [0.3, 0.3], strength = 3.0 }";
    compare::<2>(&dam_break::<2>("consistent", 0.05, forces, &solved("")), 6).check(BOUND, "forces");
}

/// A light box in a full vessel, over whose surface the pressure acts.
fn sunk<const D: usize>(solver: &str) -> String {
    let (low, high) = (vec![0.2; D], vec![0.4; D]);
    let block = format!("block = {{ min = {low:?}, max = {high:?} }}");
    let cut = full::<D>(solver).replacen("[[wall]]", &format!("cut = [{{ {block} }}]\n[[wall]]"), 1);
    cut.replace("[solver]", &format!("[[body]]\nshape.{block}\ndensity = 500.0\nlayers = 1\n[solver]"))
}

/// Box and ball that touch the fluid from the first steps on.
fn collision<const D: usize>(slip: &str, solver: &str) -> String {
    let text = bodies::collision::<D>(solver);
    let near = text.replace("min = [0.4, -0.1", "min = [0.35, -0.1").replace("[-0.1, 0.4", "[-0.1, 0.33");
    near.replace("\ndensity =", &format!("\nslip = \"{slip}\"\ndensity ="))
}

#[test]
fn so_do_dynamic_bodies() {
    const PERIDYNO: &str = "gradient = \"peridyno\"";
    const DIFFERENCE: &str = "gradient = \"difference\"";
    const VISCOUS: &str = "dynamic_viscosity = 5.0";
    for (slip, more) in [
        ("no_slip", ""),
        ("free_slip", ""),
        ("no_slip", VISCOUS),
        ("free_slip", VISCOUS),
        ("no_slip", LAPLACIAN),
        ("no_slip", PERIDYNO),
        ("no_slip", DIFFERENCE),
    ] {
        let (solver, what) = (solved(more), format!("{slip} {more}"));
        compare::<2>(&collision::<2>(slip, &solver), 5).check(BOUND, &format!("2D bodies {what}"));
        compare::<3>(&collision::<3>(slip, &solver), 2).check(BOUND, &format!("3D bodies {what}"));
    }
    compare::<2>(&sunk::<2>(&solved("")), 5).check(BOUND, "2D sunk");
    compare::<3>(&sunk::<3>(&solved("")), 2).check(BOUND, "3D sunk");
    compare::<2>(&bodies::busy::<2>(&solved(""), ""), 5).check(BOUND, "2D busy");
    compare::<3>(&bodies::busy::<3>(&solved(""), ""), 2).check(BOUND, "3D busy");
}

#[test]
fn so_do_polygons_meshes_and_heightfields() {
    for solver in ["", "dynamic_viscosity = 5.0"] {
        compare::<2>(&facets::scene::<2>(&solved(solver)), 5).check(100.0, &format!("2D facets {solver}"));
        compare::<3>(&facets::scene::<3>(&solved(solver)), 3).check(100.0, &format!("3D facets {solver}"));
    }
}

/// Particles come and go, and parameters change.
const COMMANDS: &str = "
[[command]]
step = 2
add.shape.block = { min = [0.2, 0.7], max = [0.4, 0.85] }
add.velocity.uniform = [0.5, -1.0]
[[command]]
step = 4
drain = { name = \"sink\", shape.ball = { center = [0.25, 0.3], radius = 0.12 } }
[[command]]
step = 6
close = \"sink\"
[[command]]
step = 7
set = { key = \"solver.dynamic_viscosity\", value = 5.0 }
";

#[test]
fn so_do_commands() {
    let text = format!("{}\n{COMMANDS}", dam_break::<2>("consistent", 0.05, "", &solved("dt_max = 0.002")));
    compare::<2>(&text, 10).check(BOUND, "commands");
}

#[test]
fn a_dam_breaks_alike_for_many_steps() {
    compare::<2>(&dam_break::<2>("consistent", 0.05, "", &solved("")), 40).check(BOUND, "2D 40 steps");
    compare::<3>(&dam_break::<3>("consistent", 0.125, "", &solved("")), 20).check(BOUND, "3D 20 steps");
}
