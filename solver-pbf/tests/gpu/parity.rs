//! Fields of both backends agree after the same steps. The bounds are about ten times what was measured.

use super::{
    common::make,
    solver::{
        bodies, facets,
        measures::scene,
        on_gpu::{self, Difference},
        restarting::PADDLE,
        scenes::dam_break,
    },
};
use solver_pbf::simulation;
use sph_core::{
    method::{state::State, stopwatch::NoClock},
    numerics::lane::Isa,
};

/// Differences after so many steps, from a start that is stirred and then changed.
fn compare_from<const D: usize>(text: &str, steps: u64, change: fn(&mut State<D>)) -> Difference {
    let scene = scene(text);
    let rust = simulation(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    let cuda = make(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    on_gpu::compare_from([rust, cuda], steps, change)
}

fn compare<const D: usize>(text: &str, steps: u64) -> Difference {
    compare_from::<D>(text, steps, |_| ())
}

/// Presets, and what an option does over one.
const OPTIONS: [(&str, &str); 17] = [
    ("standard", ""),
    ("fluid_demo", ""),
    ("flex", ""),
    ("accurate", "solver_iterations = 20"),
    ("standard", "scorr_k = 0.02\nscorr_dq = 0.3"),
    ("standard", "scorr_k = 0.0"),
    ("standard", "relaxation_mode = \"local\"\nrelaxation_factor = 1.5"),
    ("standard", "relaxation_factor = 0.5"),
    ("standard", "unilateral = false"),
    ("standard", "walls_in_denominator = true"),
    ("standard", "cfm_mode = \"absolute\"\ncfm_epsilon = 1e-6"),
    ("standard", "xsph_viscosity = 0.1"),
    ("standard", "vorticity_confinement = 0.05"),
    ("standard", "surface_tension = 0.1\nadhesion = 0.1"),
    ("standard", "velocity_update = \"second_order\""),
    ("standard", "kernel = \"poly6_spiky\""),
    ("standard", "substeps = 3\nmin_iterations = 0\ndensity_tolerance = 0.01"),
];

#[test]
fn every_option_acts_on_the_gpu_as_on_the_cpu() {
    for (preset, solver) in OPTIONS {
        let what = format!("{preset} {solver}");
        compare::<2>(&dam_break::<2>(preset, 0.05, "", solver), 3).check(8e3, &format!("2D {what}"));
        compare::<3>(&dam_break::<3>(preset, 0.1, "", solver), 2).check(8e3, &format!("3D {what}"));
    }
}

/// A block in a container, which it reaches at once.
fn contained<const D: usize>(solver: &str) -> String {
    let z = |z: f64| if D == 3 { format!(", {z:?}") } else { String::new() };
    format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{low}], max = [0.5, 0.6{deep}] }}\nvelocity.uniform = [3.0, -3.0{low}]\n\
         [[container]]\nshape.block = {{ min = [0.0, 0.0{low}], max = [1.0, 2.0{deep}] }}\nrestitution = 0.3\nfriction = 0.1\n\
         [[container]]\nshape.outside.ball = {{ center = [0.7, 0.3{middle}], radius = 0.12 }}\n\
         [solver]\nname = \"pbf\"\n{solver}\n",
        low = z(0.0),
        deep = z(0.5),
        middle = z(0.25),
    )
}

#[test]
fn so_do_containers() {
    for solver in ["", "velocity_update = \"second_order\""] {
        compare::<2>(&contained::<2>(solver), 10).check(1e5, &format!("2D container {solver}"));
        compare::<3>(&contained::<3>(solver), 10).check(2e4, &format!("3D container {solver}"));
    }
}

/// Rows of neighbors that are too narrow at first are listed again.
/// Fluid pressed together has twice the neighbors of a lattice, and more.
#[test]
fn rows_that_are_too_narrow_at_first_are_listed_again() {
    fn squeeze<const D: usize>(state: &mut State<D>) {
        state.fluid.x.iter_mut().flatten().for_each(|x| *x *= 0.6);
    }
    let text = dam_break::<2>("standard", 0.05, "", "");
    compare_from::<2>(&text, 2, squeeze).check(1e4, "2D pressed together");
    let text = dam_break::<3>("standard", 0.1, "", "");
    compare_from::<3>(&text, 2, squeeze).check(1e4, "3D pressed together");
}

#[test]
fn so_do_periodic_axes_moving_walls_damping_and_central_forces() {
    for solver in ["", "velocity_update = \"second_order\""] {
        let periodic = "domain = { min = [0.0, 0.0], max = [1.2, 1.0], periodic = [\"x\"] }";
        compare::<2>(&dam_break::<2>("standard", 0.05, periodic, solver), 10).check(2e4, "periodic");
        let paddle = format!("{solver}\n{PADDLE}");
        compare::<2>(&dam_break::<2>("standard", 0.05, "", &paddle), 10).check(2e4, "paddle");
        let forces =
            "damping = { rate = 5.0, until = 0.1 }\nforces.central = { center = [0.3, 0.3], strength = 3.0 }";
        compare::<2>(&dam_break::<2>("standard", 0.05, forces, solver), 10).check(2e4, "forces");
    }
}

#[test]
fn so_do_dynamic_bodies() {
    let all = "adhesion = 0.1\nrelaxation_mode = \"local\"";
    for solver in ["preset = \"standard\"", "preset = \"fluid_demo\"", all] {
        compare::<2>(&bodies::collision::<2>(solver), 10).check(2e4, &format!("2D bodies {solver}"));
        compare::<3>(&bodies::collision::<3>(solver), 5).check(2e4, &format!("3D bodies {solver}"));
    }
}

#[test]
fn so_do_polygons_meshes_and_heightfields() {
    compare::<2>(&facets::scene::<2>(""), 10).check(1e4, "2D facets");
    compare::<3>(&facets::scene::<3>(""), 5).check(1e4, "3D facets");
}

#[test]
fn a_dam_breaks_alike_for_fifty_steps() {
    // Later its splashes are a chaos, where roundings grow to spacings.
    for preset in ["standard", "fluid_demo"] {
        let solver = "dt_max = 0.004";
        compare::<2>(&dam_break::<2>(preset, 0.05, "", solver), 50)
            .check(1e5, &format!("2D {preset}, 50 steps"));
        compare::<3>(&dam_break::<3>(preset, 0.125, "", solver), 50)
            .check(1e5, &format!("3D {preset}, 50 steps"));
    }
}
