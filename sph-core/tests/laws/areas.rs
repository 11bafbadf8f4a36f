//! Areas of the samples of closed surfaces.
#![allow(clippy::unwrap_used, reason = "tests")]

use sph_core::{
    Real,
    fluid::areas::Areas,
    kernel::{Formula as _, WendlandC2},
    method::state::State,
    scene::{Scene, setup},
};

const SPACING: f64 = 0.1;

/// A tank of 4 m with a wall around a shape, the first of both surfaces being that of the shape.
fn state<const D: usize>(wall: &str) -> State<D> {
    let (zeros, ones, fours) = ([0.0; D], [0.1; D], [4.0; D]);
    let text = format!(
        "dim = {D}\nspacing = {SPACING:?}\nrun.end_time = 1.0\n\
         [[fluid]]\nshape.block = {{ min = {zeros:?}, max = {ones:?} }}\n\
         [[wall]]\n{wall}\nside = \"outside\"\nlayers = 3\n\
         [[wall]]\nshape.block = {{ min = {zeros:?}, max = {fours:?} }}\nlayers = 3\n\
         [solver]\nname = \"wcsph\"\n"
    );
    let scene = Scene::parse("test.toml", &text).unwrap();
    setup::build(&scene, &WendlandC2::<D>::new((3.0 * SPACING) as Real)).unwrap().state
}

/// The force that a pressure `p_0 + b·x` has on the samples of the first surface, `b` along the axis `a` alone.
fn force<const D: usize>(state: &State<D>, p_0: f64, a: usize) -> [f64; D] {
    let (walls, areas) = (&state.walls, Areas::all(&state.walls, SPACING));
    let mut force = [0.0; D];
    for b in (0..walls.len()).filter(|&b| walls.surface_of_body[usize::from(walls.body[b])] == Some(0)) {
        let x = walls.position(b).map(f64::from);
        let (depth, n) = walls.surfaces[0].depth_and_normal(&x);
        let area = areas[0].at(&x, depth, &n);
        assert!(area >= 0.0, "{area} m^{} at {x:?}", D - 1);
        for k in 0..D {
            force[k] -= area * n[k] * (p_0 + x[a] + depth * n[a]);
        }
    }
    force
}

fn archimedes<const D: usize>(shape: &str, volume: f64) {
    let state = state::<D>(shape);
    for a in 0..D {
        let exact: [f64; D] = std::array::from_fn(|k| if k == a { -volume } else { 0.0 });
        for (got, exact) in force(&state, 1e3, a).into_iter().zip(exact) {
            // Positions are of 32 bits.
            assert!((got - exact).abs() < 1e-3 * volume, "{shape}: {got} N for {exact}");
        }
    }
}

#[test]
fn a_linear_pressure_gives_the_force_of_archimedes() {
    use std::f64::consts::PI;
    archimedes::<2>("shape.disc = { center = [2.0, 2.03], radius = 0.51 }", PI * 0.51 * 0.51);
    archimedes::<2>("shape.block = { min = [1.0, 1.2], max = [2.0, 1.63] }", 0.43);
    archimedes::<2>(
        "shape.rotated = { shape.block = { min = [1.0, 1.2], max = [2.0, 2.0] }, center = [1.5, 1.5], angle = 0.4 }",
        0.8,
    );
    archimedes::<2>("shape.polygon = { points = [[1.0, 1.0], [3.0, 1.1], [1.5, 2.5]] }", 1.475);
    archimedes::<3>(
        "shape.ball = { center = [2.0, 2.03, 1.98], radius = 0.51 }",
        4.0 / 3.0 * PI * 0.51_f64.powi(3),
    );
    archimedes::<3>("shape.block = { min = [1.0, 1.2, 1.0], max = [2.0, 1.63, 1.5] }", 0.215);
    archimedes::<3>(
        "shape.cylinder = { center = [2.0, 2.0, 2.0], axis = [0.0, 1.0, 0.0], radius = 0.5, length = 1.2 }",
        0.3 * PI,
    );
}

/// What the fluid is inside of, and what has faces without wall, is not closed.
#[test]
fn open_surfaces_have_none() {
    let state =
        state::<2>("shape.block = { min = [1.0, 1.0], max = [2.0, 2.0] }\nfaces = [\"x_min\", \"y_min\"]");
    for areas in Areas::all(&state.walls, SPACING) {
        assert!(areas.at(&[1.0, 1.0], 0.05, &[1.0, 0.0]) < 0.0, "{areas:?}");
    }
}
