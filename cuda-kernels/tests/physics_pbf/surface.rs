//! The surface as a constraint, and what bodies feel.

use crate::{
    Axes, Case, H, Points, RHO_0, Sum, at, call, in_all_cases, is_nonzero, kernel, noise, packed, three,
};
use cuda_kernels::{
    common::{
        boundary::walls::RIGID,
        numerics::{Sets, fields::Packed},
    },
    device::executor::{Executor, Field},
    pbf::Launcher,
};
use sph_core::{
    Real,
    kernel::Kernel,
    numerics::{lane::each, vector::norm2},
};

fn normals<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, rows, k, samples) = (case.n(), case.rows(executor), kernel::<D>(), case.samples());
    let (place, mut normal) = (packed(&case.x, &field![0.0; n]), field![Packed([9.0; 4]); n]);
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    launcher.surface_normals(&rows.fluid, &rows.walls, &place, &samples, n, &mut normal).unwrap();
    for (i, found) in normal.iter().enumerate() {
        let inner = case.sum((Points::Fluid, i), Points::Fluid, |_, x_ij, r2| {
            three::<D>(|a| k.grad_factor(r2) * x_ij[a])
        });
        let outer = case.sum((Points::Fluid, i), Points::Walls, |b, x_ib, r2| {
            three::<D>(|a| case.psi[b] * k.grad_factor(r2) * x_ib[a])
        });
        let all = inner.times(case.constants.m.into()).plus(1.0, outer).times(f64::from(H / RHO_0));
        let (size, error) =
            (all.value.iter().map(|x| x * x).sum::<f64>().sqrt(), all.error().iter().sum::<f64>());
        assert!((size - 0.2).abs() > error, "{i} is at the limit");
        for a in 0..D {
            let expected = if size > 0.2 { all.value[a] / size } else { 0.0 };
            // A direction errs by twice what its vector errs by, over its length.
            assert!((f64::from(found.0[a]) - expected).abs() <= 2.0 * error / size, "{i}: {found:?}");
        }
        assert!(found.0[D..].iter().all(|x| *x == 0.0));
    }
    let inside = normal.iter().filter(|n| n.0 == [0.0; 4]).count();
    assert!(inside > 0 && inside < n);
}

#[test]
fn normals_are_those_of_all_pairs_and_zero_inside() {
    in_all_cases(normals, normals);
}

fn pull<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, rows, c) = (case.n(), case.rows(executor), &case.constants);
    let place = packed(&case.x, &field![0.0; n]);
    let mut normals: Axes<D> = std::array::from_fn(|a| noise(n, 50 + a as u64));
    for i in 0..n {
        let size = if i % 4 == 0 { Real::INFINITY } else { norm2(at(&normals, i)).sqrt() };
        (0..D).for_each(|a| normals[a][i] /= size);
    }
    let normal = packed(&normals, &field![0.0; n]);
    let mut delta = field![Packed([0.25; 4]); n];
    Launcher { executor, constants: c, smoothing: "CubicSpline" }
        .pull_surface(&rows.fluid, &place, &normal, n, &mut delta)
        .unwrap();
    for i in 0..n {
        let sum = case.sum((Points::Fluid, i), Points::Fluid, |j, x_ij, r2| {
            let n_j = at(&normals, j);
            let pull = call::<D>("surface_pull", &[x_ij, at(&normals, i), n_j].concat());
            let on_surface = is_nonzero(norm2(n_j)) * is_nonzero((H * H - r2).max(0.0));
            let [x, y, z] = three::<D>(|a| on_surface * pull[a]);
            [x, y, z, on_surface]
        });
        let part = f64::from(c.half_k) / (2.0 * sum.value[3]).max(1.0);
        for a in 0..D {
            let pulled = Sum { value: [sum.value[a]], size: [sum.size[a]] };
            let expected = Sum::of([0.25]).plus(if i % 4 == 0 { 0.0 } else { -part }, pulled);
            expected.check([delta[i].0[a]], "pull", i);
        }
        assert_eq!(delta[i].0[3], 0.25);
    }
}

#[test]
fn the_pull_of_a_surface_is_that_of_all_pairs() {
    in_all_cases(pull, pull);
}

fn push_back<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, n_walls, rows, k, samples) =
        (case.n(), case.n_walls(), case.rows(executor), kernel::<D>(), case.samples());
    let (flags, rigid): (_, Field<u16>) =
        (field![0, RIGID], (0..n_walls).map(|b| u16::from(b % 5 != 0)).collect());
    let sets = Sets { flags: &flags, body: &rigid };
    let (lambda, factor) = (noise(n, 33), 0.7);
    for averages in [0, 1] {
        case.constants.averages = averages;
        let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
        let counts: Field<Real> = (0..n).map(|i| (i % 7) as Real).collect();
        let delta = packed(&case.v, &counts);
        let relaxed: Field<Real> =
            (0..n).map(|i| lambda[i] * if averages == 0 { 1.2 } else { 1.2 / counts[i].max(1.0) }).collect();
        let mut push = packed(&case.x, &lambda);
        launcher.relax_lambda(&delta, n, &mut push).unwrap();
        assert_eq!(push, packed(&case.x, &relaxed));
        let mut force: Axes<D> = std::array::from_fn(|_| field![0.25; n_walls]);
        launcher.push_back(&rows.of_walls, &push, &samples, sets, n_walls, factor, &mut force).unwrap();
        for b in 0..n_walls {
            let sum = case.sum((Points::Walls, b), Points::Fluid, |i, x_bi, r2| {
                three::<D>(|a| relaxed[i] * k.grad_factor(r2) * x_bi[a])
            });
            let scale = if rigid[b] == 0 { 0.0 } else { f64::from(factor * case.psi[b]) };
            check(sum, scale, at(&force, b), "reaction", b);
        }
    }
}

/// `0.25 + scale · sum` for each axis, against what was found.
fn check<const D: usize>(sum: Sum<3>, scale: f64, found: [Real; D], what: &str, b: usize) {
    for a in 0..D {
        let of_axis = Sum { value: [sum.value[a]], size: [sum.size[a]] };
        Sum::of([0.25]).plus(scale, of_axis).check([found[a]], what, b);
    }
}

#[test]
fn samples_of_bodies_feel_what_was_done_of_corrections() {
    in_all_cases(push_back, push_back);
}

/// What corrections by walls give to the fluid, bodies lose.
fn momentum<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, n_walls, rows, samples) = (case.n(), case.n_walls(), case.rows(executor), case.samples());
    (case.constants.relaxation, case.constants.unequal) = (1.0, 1);
    let (c, per_way, dt) = (&case.constants, 120.0, 1.0 / 100.0);
    let lambda: Field<Real> = noise(n, 33).iter().map(|u| -1e-3 * u.abs()).collect();
    let launcher = Launcher { executor, constants: c, smoothing: "CubicSpline" };
    let (push, mut delta) = (packed(&case.x, &lambda), field![Packed::default(); n]);
    launcher.delta_x(rows.near(&samples, &case.mu), &push, n, &mut delta).unwrap();
    let mut force: Axes<D> = std::array::from_fn(|_| field![0.0; n_walls]);
    let factor = c.m * c.solid / c.rho_0 * per_way / dt;
    let (flags, body) = (field![RIGID], field![0; n_walls]);
    let sets = Sets { flags: &flags, body: &body };
    launcher.push_back(&rows.of_walls, &push, &samples, sets, n_walls, factor, &mut force).unwrap();
    for a in 0..D {
        let of_fluid = |i: usize| f64::from(c.m * case.mu[i] * delta[i].0[a] * per_way / dt);
        let gained: f64 = (0..n).map(of_fluid).sum();
        let size: f64 = (0..n).map(|i| of_fluid(i).abs()).sum();
        let lost: f64 = force[a].iter().map(|f| f64::from(*f)).sum();
        assert!((gained + lost).abs() <= 400.0 * f64::from(Real::EPSILON) * size, "{gained} {lost}");
        assert!(a != 1 || lost.abs() > 1e-2 * size, "{lost} {size}");
    }
}

#[test]
fn bodies_get_the_momentum_that_the_fluid_loses() {
    in_all_cases(momentum, momentum);
}

fn rub_back<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n_walls, rows, k, samples) = (case.n_walls(), case.rows(executor), kernel::<D>(), case.samples());
    case.constants.unequal = 1;
    let (flags, rigid): (_, Field<u16>) =
        (field![0, RIGID], (0..n_walls).map(|b| u16::from(b % 5 != 0)).collect());
    let sets = Sets { flags: &flags, body: &rigid };
    let (masses, inv_dt) = (case.masses(), 50.0);
    let (records, motion) = (packed(&case.x, &masses), packed(&case.v, &case.rho));
    let mut force: Axes<D> = std::array::from_fn(|_| field![0.25; n_walls]);
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let wall_motion = case.wall_motion();
    launcher
        .rub_back(
            &rows.of_walls,
            &records,
            &motion,
            &samples,
            &wall_motion,
            sets,
            n_walls,
            inv_dt,
            &mut force,
        )
        .unwrap();
    for b in 0..n_walls {
        let (v_b, psi) = (at(&case.wall_v, b), case.sticks[b] as Real * case.psi[b]);
        let sum = case.sum((Points::Walls, b), Points::Fluid, |i, _, r2| {
            let weight = masses[i] * (psi / case.rho[i] * k.w(r2));
            let slip: [Real; D] = each(|a| case.v[a][i] - v_b[a]);
            three::<D>(|a| weight * slip[a])
        });
        let scale = if rigid[b] == 0 { 0.0 } else { f64::from(case.constants.wall_xsph * inv_dt) };
        check(sum, scale, at(&force, b), "friction", b);
    }
}

#[test]
fn samples_of_bodies_feel_the_velocity_that_the_fluid_loses() {
    in_all_cases(rub_back, rub_back);
}
