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
use solver_wcsph::{params::KERNELS, simulation};
use sph_core::{method::stopwatch::NoClock, numerics::lane::Isa};

/// Differences after so many steps, from a start that is stirred.
fn compare<const D: usize>(text: &str, steps: u64) -> Difference {
    let scene = scene(text);
    let rust = simulation(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    let cuda = make(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    on_gpu::compare_from::<D>([rust, cuda], steps, |_| ())
}

/// What an option does on a GPU.
const OPTIONS: [&str; 10] = [
    "",
    "integrator = \"symplectic_euler\"",
    "density = \"summation\"\ndelta_sph = 0.0",
    "delta_sph = 0.0",
    "eos = \"linear\"",
    "wall_pressure = \"symmetric\"",
    "clamp_wall_pressure = false",
    "viscosity_model = \"morris\"\ndynamic_viscosity = 10.0",
    "viscosity_model = \"solenoidal\"\ndynamic_viscosity = 10.0",
    "regularization = \"shifting\"",
];

#[test]
fn every_option_does_on_a_gpu_what_it_does_on_the_processor() {
    let kernels: Vec<_> = KERNELS.iter().map(|kernel| format!("kernel = \"{}\"", kernel.name())).collect();
    for solver in OPTIONS.into_iter().chain(kernels.iter().map(String::as_str)) {
        compare::<2>(&dam_break::<2>("validation", 0.05, "", solver), 5).check(3e3, &format!("2D {solver}"));
        compare::<3>(&dam_break::<3>("validation", 0.1, "", solver), 5).check(3e3, &format!("3D {solver}"));
    }
}

#[test]
fn so_do_periodic_axes_moving_walls_and_central_forces() {
    let periodic = "domain = { min = [0.0, 0.0], max = [1.2, 1.0], periodic = [\"x\"] }";
    compare::<2>(&dam_break::<2>("validation", 0.05, periodic, ""), 10).check(3e3, "periodic");
    let paddle = dam_break::<2>("validation", 0.05, "", PADDLE);
    compare::<2>(&paddle, 20).check(3e3, "paddle");
    let central = "forces.central = { center = [0.3, 0.3], strength = 3.0 }";
    compare::<2>(&dam_break::<2>("validation", 0.05, central, ""), 10).check(3e3, "central force");
}

#[test]
fn so_do_dynamic_bodies() {
    for preset in ["validation", "graphics"] {
        let solver = format!("preset = \"{preset}\"");
        compare::<2>(&bodies::busy::<2>(&solver, ""), 20).check(1e5, preset);
    }
}

#[test]
fn so_do_polygons_meshes_and_heightfields() {
    for preset in ["validation", "graphics"] {
        let solver = format!("preset = \"{preset}\"");
        compare::<2>(&facets::scene::<2>(&solver), 20).check(300.0, preset);
        compare::<3>(&facets::scene::<3>(&solver), 10).check(300.0, preset);
    }
}

#[test]
fn a_dam_breaks_alike_for_fifty_steps() {
    for preset in ["validation", "graphics"] {
        compare::<2>(&dam_break::<2>(preset, 0.04, "", ""), 50).check(1e5, preset);
        compare::<3>(&dam_break::<3>(preset, 0.1, "", ""), 50).check(1e5, preset);
    }
}
