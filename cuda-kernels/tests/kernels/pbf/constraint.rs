//! Records, multipliers, densities and corrections.

use super::{Case, Points, RHO_0, Sum, call, in_all_cases, is_nonzero, kernel, noise, packed, three};
use cuda_kernels::{
    common::{boundary::containers::Containers, numerics::fields::Packed},
    device::executor::{Executor, Field},
    pbf::{Constants, Launcher},
};
use sph_core::{
    Real,
    geometry::shape::{Enclosure, Region},
    kernel::Kernel,
    numerics::lane::each,
};

fn pack<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, n_walls) = (case.n(), case.n_walls());
    let volume: Field<Real> = case.psi.iter().map(|psi| psi / RHO_0).collect();
    let psi: Field<Real> = volume.iter().map(|v| RHO_0 * v).collect();
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let (mut x_star, mut x_psi) = (field![Packed::default(); n], field![Packed::default(); n_walls]);
    launcher.pack_positions(&case.x, n, &mut x_star).unwrap();
    assert_eq!(x_star, case.x_star());
    launcher.pack_walls(&case.wall_x, &volume, n_walls, &mut x_psi).unwrap();
    assert_eq!(x_psi, packed(&case.wall_x, &psi));
}

#[test]
fn records_are_those_of_particles_and_samples() {
    in_all_cases(pack, pack);
}

/// Sums of the constraint of particle `i`: densities, squared gradients, and gradients, of fluid and of walls.
fn sums<const D: usize>(case: &Case<D>, i: usize) -> [Sum<5>; 2] {
    let (k, of) = (kernel::<D>(), (Points::Fluid, i));
    let terms = |w: Real, squares: Real, gradient: [Real; 3]| {
        let [x, y, z] = gradient;
        [w, squares, x, y, z]
    };
    let inner = case.sum(of, Points::Fluid, |_, x_ij, r2| {
        let f = k.grad_factor(r2);
        terms(k.w(r2), f * f * r2, three::<D>(|a| f * x_ij[a]))
    });
    let outer = case.sum(of, Points::Walls, |b, x_ib, r2| {
        let f = case.psi[b] * k.grad_factor(r2);
        terms(case.psi[b] * k.w(r2), f * f * r2, three::<D>(|a| f * x_ib[a]))
    });
    [inner, outer]
}

/// One of five sums.
fn one(sum: &Sum<5>, m: usize) -> Sum<1> {
    Sum { value: [sum.value[m]], size: [sum.size[m]] }
}

/// The density of particle `i`.
fn density<const D: usize>(c: &Constants<D>, [inner, outer]: &[Sum<5>; 2]) -> Sum<1> {
    let own = Sum::of([f64::from(kernel::<D>().w_0())]);
    one(inner, 0).plus(1.0, own).times(c.m.into()).plus(1.0, one(outer, 0))
}

/// The multiplier of particle `i`, and its largest error: that of `−C/S` is `δC/S + |C| δS/S²`.
fn multiplier<const D: usize>(c: &Constants<D>, [inner, outer]: &[Sum<5>; 2]) -> [f64; 2] {
    let rho = density(c, &[*inner, *outer]);
    let (volume, inv_rho_0) = (f64::from(c.m / c.rho_0), f64::from(1.0 / c.rho_0));
    let error = rho.value[0] / f64::from(RHO_0) - 1.0;
    let constraint = if c.unilateral == 0 { error } else { error.max(0.0) };
    let mut squares = one(inner, 1).times(volume * volume);
    if c.walls_in_denominator != 0 {
        squares = squares.plus(inv_rho_0 * inv_rho_0, one(outer, 1));
    }
    let (mut below, mut of_below) = (squares.value[0] + f64::from(c.epsilon), squares.error()[0]);
    for a in 0..D {
        let gradient = one(inner, 2 + a).times(volume).plus(inv_rho_0, one(outer, 2 + a));
        let (g, of_g) = (gradient.value[0].abs(), gradient.error()[0]);
        below += g * g;
        of_below += 2.0 * g * of_g + of_g * of_g;
    }
    let of_constraint = rho.error()[0] / f64::from(RHO_0);
    [-constraint / below, of_constraint / below + constraint.abs() * of_below / (below * below)]
}

fn lambda<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, rows, x_psi, x_star) = (case.n(), case.rows(executor), case.x_psi(), case.x_star());
    for (unilateral, walls_in_denominator) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let c = Constants { unilateral, walls_in_denominator, ..case.constants };
        let launcher = Launcher { executor, constants: &c, smoothing: "CubicSpline" };
        let (mut x_lambda, mut rho, mut lambda) =
            (field![Packed::default(); n], field![0.0; n], field![0.0; n]);
        let near = rows.near(&x_psi);
        launcher.lambda(near, &x_star, n, &mut x_lambda, &mut rho, &mut lambda).unwrap();
        for i in 0..n {
            let sums = sums(case, i);
            density(&c, &sums).check([rho[i]], "density", i);
            let [expected, error] = multiplier(&c, &sums);
            assert!((f64::from(lambda[i]) - expected).abs() <= error, "{i}: {} {expected}", lambda[i]);
        }
        assert_eq!(x_lambda, packed(&case.x, &lambda));
        assert!(lambda.iter().any(|l| *l != 0.0) && (c.unilateral == 0 || lambda.contains(&0.0)));
        let mut alone = field![0.0; n];
        launcher.density(near, &x_star, n, &mut alone).unwrap();
        assert_eq!(alone, rho, "the density is the same in both loops");
    }
}

#[test]
fn multipliers_and_densities_are_those_of_all_pairs_for_all_choices() {
    in_all_cases(lambda, lambda);
}

fn delta_x<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, rows, x_psi, k) = (case.n(), case.rows(executor), case.x_psi(), kernel::<D>());
    let violated = |(i, u): (usize, &Real)| if i % 3 == 0 { 0.0 } else { -1e-3 * u.abs() };
    let lambda: Field<Real> = noise(n, 40).iter().enumerate().map(violated).collect();
    let x_lambda = packed(&case.x, &lambda);
    for (k_scorr, averages) in [(0.0, 0), (0.0, 1), (1e-4, 0), (1e-4, 1)] {
        let mut c = Constants { averages, ..case.constants };
        c.scorr.k = k_scorr;
        let launcher = Launcher { executor, constants: &c, smoothing: "CubicSpline" };
        let mut delta = field![Packed::default(); n];
        launcher.delta_x(rows.near(&x_psi), &x_lambda, n, &mut delta).unwrap();
        for i in 0..n {
            let inner = case.sum((Points::Fluid, i), Points::Fluid, |j, x_ij, r2| {
                let f = k.grad_factor(r2);
                let s = call::<D>("Scorr::s", &[k_scorr, c.scorr.inv_w_dq, k.w(r2)])[0];
                let along = (lambda[i] + lambda[j] + s) * f;
                let [x, y, z] = three::<D>(|a| along * x_ij[a]);
                [x, y, z, is_nonzero(lambda[j] * f)]
            });
            let outer = case.sum((Points::Fluid, i), Points::Walls, |b, x_ib, r2| {
                let f = case.psi[b] * k.grad_factor(r2);
                let [x, y, z] = three::<D>(|a| f * x_ib[a]);
                [x, y, z, 0.0]
            });
            let pushed = f64::from(lambda[i]) / f64::from(c.m);
            let all = inner.plus(pushed, outer).times(f64::from(c.m) / f64::from(RHO_0));
            for a in 0..D {
                Sum { value: [all.value[a]], size: [all.size[a]] }.check([delta[i].0[a]], "delta", i);
            }
            let others = if averages == 0 { 0.0 } else { inner.value[3] };
            assert_eq!(f64::from(delta[i].0[3]), others + f64::from(is_nonzero(lambda[i])));
        }
    }
}

#[test]
fn corrections_are_those_of_all_pairs_for_all_choices() {
    in_all_cases(delta_x, delta_x);
}

fn apply<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let n = case.n();
    let steps: [Field<Real>; D] = std::array::from_fn(|a| noise(n, 60 + a as u64));
    let counts: Field<Real> = (0..n).map(|i| (i % 7) as Real).collect();
    let mut delta = packed(&steps, &counts);
    delta[3].0[D - 1] = Real::INFINITY;
    let region = Region::Ball { center: [0.4; D], radius: 0.5 };
    let container = Enclosure { region, restitution: 0.0, friction: 0.0, collision_radius: 0.02 };
    let kept = Containers::new(executor, std::slice::from_ref(&container)).unwrap();
    for averages in [0, 1] {
        let c = Constants { averages, ..case.constants };
        let launcher = Launcher { executor, constants: &c, smoothing: "CubicSpline" };
        let (mut x_star, mut lost) = (packed(&case.x, &field![0.5; n]), field![0; n]);
        lost[5] = 1;
        launcher.apply(&kept, &delta, n, &mut x_star, &mut lost).unwrap();
        for i in 0..n {
            let factor = if averages == 0 { 1.2 } else { 1.2 / counts[i].max(1.0) };
            let mut moved: [Real; D] = each(|a| case.x[a][i] + factor * delta[i].0[a]);
            container.collide(&mut moved, &mut [0.0; D]);
            let expected = if i == 3 { each(|a| case.x[a][i]) } else { moved };
            assert_eq!((&x_star[i].0[..D], x_star[i].0[3]), (&expected[..], 0.5));
        }
        let flags = |i: usize| u32::from(i == 3 || i == 5);
        assert!(lost.iter().enumerate().all(|(i, f)| *f == flags(i)), "a flag that is set stays");
    }
}

#[test]
fn corrections_are_relaxed_and_applied_only_if_finite() {
    in_all_cases(apply, apply);
}
