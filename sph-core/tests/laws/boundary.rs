//! Walls: what volume a sample has, what fluid next to it sees, and how walls move.
#![allow(clippy::expect_used, reason = "a failure is that of the test")]
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

use crate::common;

use std::f64::consts::TAU;

use common::{EXACT, assert_near, block, body, reals, state, walls};
use sph_core::{
    Real,
    fluid::boundary::{Boundary, PsiMode},
    geometry::{
        lattice,
        motion::{Trajectory, Turn},
        sampling::splitmix64,
    },
    kernel::{CubicSpline, Formula, Kernel, WendlandC2},
    neighbors::Periodic,
    numerics::{field::Scratch, vector::norm2},
};

const DX: f64 = 0.1;
const RHO_0: f64 = 1000.0;

/// `psi/m` of the innermost layer and `ρ/ρ_0` of the first two rows of fluid next to a flat wall of `layers` layers.
fn next_to_a_wall<const D: usize, K: Formula<D>>(eta: f64, layers: usize, mode: PsiMode) -> [f64; 3] {
    let kernel = K::new((eta * DX) as Real);
    let m = lattice::calibrated_mass(&kernel, DX, RHO_0);
    let length: [Real; D] = std::array::from_fn(|a| if a == 1 { 0.0 } else { (12.0 * DX) as Real });
    let periodic = Periodic::new([0.0; D], length);
    let counts = |rows| std::array::from_fn(|a| if a == 1 { rows } else { 12 });
    let fluid = block::<D>(counts(6), DX, 0.0);
    let below: Vec<[Real; D]> = block::<D>(counts(layers), DX, 0.0)
        .into_iter()
        .map(|x| std::array::from_fn(|a| if a == 1 { -x[1] } else { x[a] }))
        .collect();
    let mut boundary = walls(&below);
    boundary.weigh(&kernel, mode, m as Real, RHO_0 as Real, periodic);
    let psi = |b: usize, walls: &Boundary<D>| RHO_0 * f64::from(walls.volume[b]);
    let innermost = psi(0, &boundary) / m;
    let (state, lists) = state(&fluid, boundary, kernel.support_radius(), periodic);
    let density = |row: usize| {
        let i = (0..fluid.len())
            .find(|&i| (f64::from(state.fluid.x[1][i]) / DX - 0.5 - row as f64).abs() < 0.1)
            .expect("a particle in every row");
        let x = state.fluid.position(i);
        let w = |y: [Real; D]| {
            let d = periodic.nearest(std::array::from_fn(|a| x[a] - y[a]));
            f64::from(kernel.w(norm2(d)))
        };
        let inner: f64 = lists.fluid.neighbors(i).map(|j| m * w(state.fluid.position(j))).sum();
        let outer: f64 =
            lists.walls.neighbors(i).map(|b| psi(b, &state.walls) * w(state.walls.position(b))).sum();
        (m * f64::from(kernel.w_0()) + inner + outer) / RHO_0
    };
    [innermost, density(0), density(1)]
}

fn assert_rows<const D: usize, K: Formula<D>>(eta: f64, printed: [[f64; 3]; 3]) {
    for (layers, [psi, first, second]) in (1..).zip(printed) {
        let what = format!("{} {eta} in {D}D, {layers} layers", K::NAME);
        let computed = next_to_a_wall::<D, K>(eta, layers, PsiMode::Akinci);
        assert_near(computed[0], psi, 0.00501, &format!("psi/m, {what}"));
        assert_near(computed[1], first, 0.000_501, &format!("first row, {what}"));
        assert_near(computed[2], second, 0.000_501, &format!("second row, {what}"));
    }
}

#[test]
fn rows_next_to_a_wall_have_the_measured_densities_in_2d() {
    type Cubic = CubicSpline<2>;
    type Wendland = WendlandC2<2>;
    assert_rows::<2, Cubic>(2.0, [[1.47, 1.074, 1.000], [1.19, 1.030, 1.000], [1.19, 1.030, 1.000]]);
    assert_rows::<2, Cubic>(2.5, [[1.83, 1.176, 1.005], [1.30, 1.068, 1.002], [1.29, 1.064, 1.002]]);
    assert_rows::<2, Wendland>(2.5, [[1.69, 1.135, 1.002], [1.26, 1.053, 1.001], [1.26, 1.051, 1.001]]);
    assert_rows::<2, Wendland>(3.0, [[2.02, 1.217, 1.020], [1.37, 1.094, 1.007], [1.34, 1.079, 1.007]]);
}

/// Against lattice sums made by another program.
#[test]
fn rows_next_to_a_wall_have_the_measured_densities_in_3d() {
    type Cubic = CubicSpline<3>;
    type Wendland = WendlandC2<3>;
    assert_rows::<3, Cubic>(2.0, [[1.427, 1.0640, 1.0], [1.176, 1.0264, 1.0], [1.176, 1.0264, 1.0]]);
    assert_rows::<3, Cubic>(2.5, [[1.784, 1.1649, 1.0033], [1.288, 1.0634, 1.0012], [1.282, 1.0607, 1.0012]]);
    assert_rows::<3, Wendland>(
        2.5,
        [[1.666, 1.1300, 1.0013], [1.253, 1.0505, 1.0005], [1.250, 1.0495, 1.0005]],
    );
    assert_rows::<3, Wendland>(
        3.0,
        [[1.996, 1.2160, 1.0162], [1.362, 1.0903, 1.0059], [1.332, 1.0781, 1.0054]],
    );
}

#[test]
fn full_layers_of_fluid_mass_continue_the_lattice() {
    for (eta, layers) in [(2.0, 2), (2.5, 3), (3.0, 3)] {
        let plane = next_to_a_wall::<2, WendlandC2<2>>(eta, layers, PsiMode::FluidMass);
        let space = next_to_a_wall::<3, CubicSpline<3>>(eta, layers, PsiMode::FluidMass);
        for ratio in plane.into_iter().chain(space) {
            assert_near(ratio, 1.0, EXACT, "density and psi");
        }
    }
}

/// A flat wall's samples, and their volumes by id.
fn weighed<const D: usize>(mut boundary: Boundary<D>, mode: PsiMode, periodic: Periodic<D>) -> Vec<f64> {
    boundary.weigh(&kernel::<D>(), mode, 0.7, RHO_0 as Real, periodic);
    let mut volumes: Vec<_> = boundary.id.iter().zip(&boundary.volume).collect();
    volumes.sort_by_key(|(id, _)| **id);
    volumes.into_iter().map(|(_, &v)| f64::from(v)).collect()
}

fn kernel<const D: usize>() -> WendlandC2<D> {
    WendlandC2::new((2.5 * DX) as Real)
}

#[test]
fn a_uniform_endless_wall_sees_itself_at_rest_density() {
    // All of space, and one layer of it.
    for rows in [12, 1] {
        let periodic = Periodic::new([0.0; 3], [1.2, if rows == 1 { 0.0 } else { 1.2 }, 1.2]);
        let x = block::<3>([12, rows, 12], DX, 0.0);
        let volume = weighed(walls(&x), PsiMode::Akinci, periodic);
        for k in 0..x.len() {
            let density = (0..x.len()).map(|l| {
                let d = periodic.nearest(std::array::from_fn(|a| x[k][a] - x[l][a]));
                RHO_0 * volume[l] * f64::from(kernel::<3>().w(norm2(d)))
            });
            assert_near(density.sum::<f64>() / RHO_0, 1.0, EXACT, "density of the wall");
        }
    }
}

#[test]
fn the_mode_sets_the_volume() {
    let x = block::<2>([6, 2], DX, 0.0);
    let akinci = weighed(walls(&x), PsiMode::Akinci, Periodic::NONE);
    let scaled = weighed(walls(&x), PsiMode::Scaled(0.5), Periodic::NONE);
    let fluid = weighed(walls(&x), PsiMode::FluidMass, Periodic::NONE);
    for k in 0..x.len() {
        assert_near(scaled[k], 0.5 * akinci[k], EXACT * akinci[k], "half");
        assert_near(fluid[k], 0.7 / RHO_0, EXACT * fluid[k], "that of the fluid");
    }
    // A corner has fewer samples around it than an edge.
    assert!(akinci[0] > 1.1 * akinci[3]);
}

#[test]
fn volumes_follow_their_samples_through_permutation_and_rigid_motion() {
    let x = block::<3>([5, 4, 3], DX, 0.3);
    let volume = weighed(walls(&x), PsiMode::Akinci, Periodic::NONE);
    let mut order: Vec<u32> = (0..x.len() as u32).collect();
    order.sort_by_key(|&k| splitmix64(k.into()));
    let mut permuted = walls(&x);
    permuted.permute(&order, &mut Scratch::default());
    let permuted = weighed(permuted, PsiMode::Akinci, Periodic::NONE);
    let turn = Turn { center: [3.0, -1.0, 0.4], axis: [0.6, 0.0, 0.8] };
    let turn = Trajectory::Rotation { turn, angular_velocity: 1.0 };
    let moved: Vec<[Real; 3]> = x.iter().map(|x| reals(turn.at(&x.map(f64::from), 0.77).x)).collect();
    let moved = weighed(walls(&moved), PsiMode::Akinci, Periodic::NONE);
    for k in 0..x.len() {
        assert_near(permuted[k], volume[k], EXACT * volume[k], "permuted");
        assert_near(moved[k], volume[k], 20.0 * EXACT * volume[k], "moved");
    }
}

#[test]
fn a_moving_body_is_a_rigid_set_of_its_own_and_bodies_at_rest_are_one() {
    let moving = Trajectory::Translation { velocity: [1.0, 0.0], start: 0.0, stop: 1.0 };
    let x = block::<2>([8, 4], DX, 0.1);
    let (low, high) = x.split_at(16);
    let together = |motion: Trajectory<2>| {
        let mut boundary = walls(low);
        boundary.add_body(body(motion), high);
        weighed(boundary, PsiMode::Akinci, Periodic::NONE)
    };
    let alone = |x: &[[Real; 2]]| weighed(walls(x), PsiMode::Akinci, Periodic::NONE);
    let (apart, joined) = ([alone(low), alone(high)].concat(), alone(&x));
    let (moving, resting) = (together(moving), together(Trajectory::Static));
    for k in 0..x.len() {
        assert_near(moving[k], apart[k], EXACT * apart[k], "beside a moving body");
        assert_near(resting[k], joined[k], EXACT * joined[k], "beside a body at rest");
    }
    assert!(joined[12] < 0.99 * apart[12], "the other body is near");
}

fn turning() -> Boundary<2> {
    let mut boundary = walls(&[[2.0, 0.0], [2.0, 0.0625]]);
    let motion = Trajectory::Rotation {
        turn: Turn { center: [0.25, 0.5], axis: [0.0, 0.0, 1.0] },
        angular_velocity: 0.5 * TAU,
    };
    let mut turning = body(motion);
    turning.surface_velocity = [0.125, -0.25];
    boundary.add_body(turning, &block([4, 3], 0.0625, 0.0));
    boundary
}

#[test]
fn a_full_turn_returns_exactly() {
    let mut boundary = turning();
    for turns in [1.0, 3.0, 1e6] {
        boundary.move_to(2.0 * turns - 0.7);
        assert_ne!(boundary.x, boundary.x_0);
        boundary.move_to(2.0 * turns);
        assert_eq!(boundary.x, boundary.x_0, "{turns} turns");
    }
}

#[test]
fn walls_follow_their_motion_from_where_they_began() {
    let (mut stepped, mut at_once) = (turning(), turning());
    for step in 1..=700 {
        stepped.move_to(f64::from(step) * 1e-3);
    }
    at_once.move_to(f64::from(700) * 1e-3);
    assert_eq!((&stepped.x, &stepped.v, &stepped.a), (&at_once.x, &at_once.v, &at_once.a));
    let omega = 0.5 * TAU;
    let tolerance = 40.0 * f64::from(Real::EPSILON);
    for b in 0..stepped.len() {
        let (x_0, x) = ([0, 1].map(|a| f64::from(stepped.x_0[a][b])), stepped.position(b).map(f64::from));
        let v = stepped.velocity(b).map(f64::from);
        if stepped.body[b] == 0 {
            assert_eq!((x, v), (x_0, [0.0; 2]));
            continue;
        }
        let (sin, cos) = (0.7 * omega).sin_cos();
        let (d, e) = ([x_0[0] - 0.25, x_0[1] - 0.5], [x[0] - 0.25, x[1] - 0.5]);
        assert_near(e[0], cos * d[0] - sin * d[1], tolerance, "x");
        assert_near(e[1], sin * d[0] + cos * d[1], tolerance, "y");
        assert_near(v[0], -omega * e[1] + 0.125, tolerance, "u");
        assert_near(v[1], omega * e[0] - 0.25, tolerance, "v");
        for (a, e) in stepped.a.iter().zip(e) {
            let acceleration = -omega * omega * e;
            assert_near(a[b], acceleration, 10.0 * tolerance, "acceleration");
        }
    }
}

#[test]
fn sorting_by_cells_takes_every_sample_along() {
    let mut boundary = turning();
    boundary.weigh(&kernel(), PsiMode::Akinci, 1.0, RHO_0 as Real, Periodic::NONE);
    let mut plain = boundary.clone();
    let (mut state, mut lists) = state(&[[0.0; 2]], boundary, 0.1, Periodic::NONE);
    for t in [0.3, 0.9, 1.6] {
        state.walls.move_to(t);
        lists.update(&mut state, []).expect("a small grid");
    }
    plain.move_to(1.6);
    assert_ne!(state.walls.id, plain.id, "nothing was sorted");
    for (b, &id) in state.walls.id.iter().enumerate() {
        let id = id as usize;
        assert_eq!(state.walls.position(b), plain.position(id));
        assert_eq!(state.walls.velocity(b), plain.velocity(id));
        assert_eq!((state.walls.volume[b], state.walls.body[b]), (plain.volume[id], plain.body[id]));
    }
}
