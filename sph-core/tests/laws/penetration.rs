//! Does the penetration monitor say what was done to the walls?
#![allow(clippy::unwrap_used, reason = "helpers of tests")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

use sph_core::{
    Real,
    geometry::motion::Trajectory,
    kernel::{Formula, WendlandC2},
    method::state::State,
    scene::{Scene, setup},
    watch::penetration::PenetrationMonitor,
};

const DX: f64 = 0.1;

/// A scene of these walls around the fluid `[0, 1]^D`.
fn state<const D: usize>(walls: &str) -> State<D> {
    let corner = |x: &str| vec![x; D].join(", ");
    let text = format!(
        "dim = {D}\nspacing = {DX}\nrun.end_time = 1.0\n[[fluid]]\n\
         shape.block = {{ min = [{}], max = [{}] }}\n{walls}",
        corner("0.0"),
        corner("1.0")
    );
    let scene = Scene::parse("penetration.toml", &text).unwrap();
    setup::build(&scene, &WendlandC2::<D>::new((3.0 * DX) as Real)).unwrap().state
}

fn put<const D: usize>(state: &mut State<D>, particle: usize, x: [f64; D]) {
    for (a, x) in x.into_iter().enumerate() {
        state.fluid.x[a][particle] = x as Real;
    }
}

/// A place is rounded to `Real`, and where the walls are is found from two or three of their samples, whose places
/// are rounded too.
fn close(depth: f64, expected: f64) -> bool {
    (depth - expected).abs() < 40.0 * f64::from(Real::EPSILON) / DX
}

/// Depth in spacings and number of escaped after particle 7 was seen at each place.
fn after<const D: usize>(state: &mut State<D>, path: &[[f64; D]]) -> (f64, usize) {
    let mut monitor = PenetrationMonitor::new(state);
    for &x in path {
        put(state, 7, x);
        monitor.measure(state);
    }
    if let Some(deepest) = monitor.deepest() {
        assert_eq!(deepest.particle, 7);
    }
    (monitor.deepest().map_or(0.0, |deepest| deepest.depth), monitor.escaped().len())
}

const TANK: &str = "[[wall]]\nshape.block = { min = [0.0, 0.0], max = [1.0, 1.0] }\nlayers = 3";

#[test]
fn nothing_is_behind_a_wall_at_the_start() {
    let state = state::<2>(TANK);
    let monitor = PenetrationMonitor::new(&state);
    assert_eq!((monitor.deepest(), monitor.escaped().len()), (None, 0));
}

#[test]
fn depth_behind_a_flat_wall_and_a_corner_is_exact() {
    let (depth, escaped) = after(&mut state::<2>(TANK), &[[1.0 + 0.3 * DX, 0.5], [0.5, 0.5]]);
    assert!(close(depth, 0.3) && escaped == 0, "{depth}");
    let (depth, escaped) = after(&mut state::<2>(TANK), &[[1.0 + 0.3 * DX, -0.4 * DX]]);
    assert!(close(depth, 0.5) && escaped == 0, "{depth}");
}

#[test]
fn beyond_the_last_layer_is_escaped_and_counted_once() {
    // Layers at 0.5, 1.5 and 2.5 spacings.
    let at = |depth: f64| [1.0 + depth * DX, 0.5];
    assert_eq!(after(&mut state::<2>(TANK), &[at(1.0), at(2.0), at(2.45)]).1, 0);
    assert_eq!(after(&mut state::<2>(TANK), &[at(1.0), at(2.0), at(2.55)]).1, 1);
    assert_eq!(after(&mut state::<2>(TANK), &[at(1.0), at(2.0), at(2.55), at(9.0), at(1.0)]).1, 1);
}

#[test]
fn depth_behind_curved_walls_is_exact() {
    let inside = "[[wall]]\nshape.disc = { center = [0.5, 0.5], radius = 1.0 }\nlayers = 3";
    let (depth, _) = after(&mut state::<2>(inside), &[[0.5 + 0.6 * 1.02, 0.5 + 0.8 * 1.02]]);
    assert!(close(depth, 0.2), "{depth}");
    let around =
        "[[wall]]\nshape.disc = { center = [3.0, 0.5], radius = 1.0 }\nside = \"outside\"\nlayers = 3";
    let (depth, escaped) = after(&mut state::<2>(around), &[[2.01, 0.5], [2.03, 0.5]]);
    assert!(close(depth, 0.3) && escaped == 0, "{depth}");
    let cylinder = "[[wall]]\nshape.cylinder = { center = [0.5, 0.5, 0.5], axis = [0.0, 1.0, 0.0], \
                    radius = 1.0, length = 1.2 }\nlayers = 3";
    let (depth, _) = after(&mut state::<3>(cylinder), &[[0.5 + 0.6 * 1.02, 0.5, 0.5 + 0.8 * 1.02]]);
    assert!(close(depth, 0.2), "{depth}");
    let (depth, _) = after(&mut state::<3>(cylinder), &[[0.5, -0.1 - 0.4 * DX, 0.5]]);
    assert!(close(depth, 0.4), "{depth}");
}

/// Moves the walls to `t` and asks for the depth of a point that was drawn 0.3 spacings behind the surface.
fn moved<const D: usize>(walls: &str, drawn: [f64; D], t: f64) -> (State<D>, f64) {
    let mut state = state::<D>(walls);
    let mut monitor = PenetrationMonitor::new(&state);
    let x = state.walls.bodies[0].motion.at(&drawn, t).x;
    state.walls.move_to(t);
    put(&mut state, 7, x);
    monitor.measure(&state);
    let depth = monitor.deepest().unwrap().clone();
    assert_eq!(depth.particle, 7);
    (state, depth.depth)
}

#[test]
fn depth_behind_a_moving_wall_is_that_in_its_own_frame() {
    let plate =
        "[[wall]]\nshape.block = { min = [2.0, 0.0], max = [3.0, 1.0] }\nside = \"outside\"\nlayers = 3\n";
    let drawn = [2.0 + 0.3 * DX, 0.4];
    for motion in [
        "motion.translation = { velocity = [0.3, -0.2] }",
        "motion.oscillation = { amplitude = [0.2, 0.1], frequency = 0.7 }",
        "motion.rotation = { center = [2.0, 1.0], angular_velocity = 2.0 }",
        "motion.piecewise = [{ time = 0.5, velocity = [1.0, 0.0] }, { time = 1.0, velocity = [0.0, 0.0] }]",
    ] {
        let (_, depth) = moved(&format!("{plate}{motion}"), drawn, 0.8);
        assert!(close(depth, 0.3), "{motion}: {depth}");
    }
    let wheel = "[[wall]]\nshape.block = { min = [2.0, 0.0, 0.0], max = [3.0, 1.0, 1.0] }\nside = \"outside\"\n\
                 motion.rotation = { center = [2.0, 1.0, 0.0], angular_velocity = 2.0, axis = [1.0, 1.0, 1.0] }";
    let (_, depth) = moved(wheel, [2.0 + 0.3 * DX, 0.4, 0.6], 0.8);
    assert!(close(depth, 0.3), "3D: {depth}");
}

/// As when the motion of a body is replaced in a run: its samples go on from where they are.
#[test]
fn a_wall_that_stopped_where_it_was_not_drawn_is_where_its_samples_are() {
    let plate = "[[wall]]\nshape.block = { min = [2.0, 0.0], max = [3.0, 1.0] }\nside = \"outside\"\nlayers = 3\n\
                 motion.rotation = { center = [2.0, 1.0], angular_velocity = 2.0 }";
    let drawn = [2.0 + 0.3 * DX, 0.4];
    let (mut state, _) = moved(plate, drawn, 0.8);
    let x = state.walls.bodies[0].motion.at(&drawn, 0.8).x;
    state.walls.x_0 = state.walls.x.clone();
    state.walls.bodies[0].motion = Trajectory::Static;
    put(&mut state, 7, [0.5, 0.5]);
    let (depth, _) = after(&mut state, &[x]);
    assert!(close(depth, 0.3), "{depth}");
}

#[test]
fn what_left_over_an_open_rim_has_not_escaped() {
    let open = "[[wall]]\nshape.block = { min = [0.0, 0.0], max = [1.0, 1.0] }\nlayers = 3\n\
                faces = [\"x_min\", \"x_max\", \"y_min\"]";
    let over: [[f64; 2]; 4] = [[0.95, 1.1], [1.2, 1.1], [1.2, 0.9], [1.5, 0.2]];
    assert_eq!(after(&mut state::<2>(open), &over), (0.0, 0));
    let through = [[1.1, 0.9], [1.2, 0.9], [1.3, 0.9]];
    assert_eq!(after(&mut state::<2>(open), &through).1, 1);
    // What has come back is watched again.
    let back = [[0.95, 1.1], [0.95, 0.9], [1.1, 0.9], [1.3, 0.9]];
    assert_eq!(after(&mut state::<2>(open), &back).1, 1);
}

const PLATE: &str =
    "[[wall]]\nshape.block = { min = [1.5, 0.0], max = [1.6, 1.0] }\nside = \"outside\"\nlayers = 1";

#[test]
fn through_a_plate_is_escaped_and_a_visit_or_a_cut_corner_is_not() {
    let x = |x: f64| [x, 0.5];
    assert_eq!(after(&mut state::<2>(PLATE), &[x(1.49), x(1.52), x(1.54), x(1.57), x(1.61)]).1, 1);
    let (depth, escaped) = after(&mut state::<2>(PLATE), &[x(1.49), x(1.52), x(1.54), x(1.49)]);
    assert!(close(depth, 0.4) && escaped == 0, "{depth}");
    let corner = [[1.49, 0.97], [1.52, 0.97], [1.54, 0.99], [1.56, 1.01]];
    assert_eq!(after(&mut state::<2>(PLATE), &corner).1, 0);
}

#[test]
fn outside_of_a_container_or_of_the_domain_is_escaped() {
    let container = "[[container]]\nshape.disc = { center = [0.5, 0.5], radius = 1.0 }";
    let (depth, escaped) = after(&mut state::<2>(container), &[[1.52, 0.5]]);
    assert!(close(depth, 0.2) && escaped == 0, "{depth}");
    assert_eq!(after(&mut state::<2>(container), &[[1.56, 0.5], [1.56, 0.5]]).1, 1);
    assert_eq!(after(&mut state::<2>(""), &[[1e6, 0.5], [f64::NAN, 0.5]]).1, 1);
}

#[test]
fn a_new_particle_behind_a_wall_belongs_there() {
    let mut state = state::<2>(TANK);
    let mut monitor = PenetrationMonitor::new(&state);
    let id = state.fluid.len() as u64;
    state.fluid.push(id, [2.0, 0.5], [0.0; 2], 1000.0);
    monitor.measure(&state);
    assert_eq!((monitor.deepest(), monitor.escaped().len()), (None, 0));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let seen = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut state = state::<3>(
                "[[wall]]\nshape.block = { min = [0.0, 0.0, 0.0], max = [1.0, 1.0, 1.0] }\nlayers = 3",
            );
            let more = (0..10_000_u64).map(|k| [0.001 * k as f64 % 1.0, 0.5, 0.5].map(|x| x as Real));
            more.for_each(|x| state.fluid.push(state.fluid.len() as u64, x, [0.0; 3], 1000.0));
            state.next_id = state.fluid.len() as u64;
            let mut monitor = PenetrationMonitor::new(&state);
            for i in 0..state.fluid.len() {
                let depth = (i * 7919 % 1000) as f64 * 0.003;
                put(&mut state, i, [1.0 + depth * DX, 0.5, 0.5]);
            }
            monitor.measure(&state);
            (monitor.deepest().unwrap().clone(), monitor.escaped().to_vec())
        })
    };
    let one = seen(1);
    assert!(one.1.len() > 1000 && one.0.depth > 2.9);
    assert_eq!(one, seen(2));
    assert_eq!(one, seen(5));
}
