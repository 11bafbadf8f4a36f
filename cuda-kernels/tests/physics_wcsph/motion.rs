//! Drift corrections, kick and drift.

use crate::{Axes, Case, RHO_0, SPACING, Sum, around, at, dot, in_all_cases, noise, packed};
use cuda_kernels::{device::executor::Executor, wcsph::Launcher};
use sph_core::{
    Real,
    kernel::Kernel as _,
    numerics::{lane::each, vector::norm2},
};

/// `first + factor · sum` for each axis, against what was found.
fn check<const D: usize>(first: Real, factor: Real, sum: Sum<3>, found: [Real; D], what: &str, i: usize) {
    for a in 0..D {
        let of_axis = Sum { value: [sum.value[a]], size: [4.0 * sum.size[a]] };
        Sum::of([first.into()]).plus(factor.into(), of_axis).check([found[a]], what, i);
    }
}

/// The first D of three numbers.
fn three<const D: usize>(of: impl Fn(usize) -> Real) -> [Real; 3] {
    std::array::from_fn(|a| if a < D { of(a) } else { 0.0 })
}

pub fn corrections<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n, k, c, factor) = (case.n(), case.kernel, &case.constants, 0.3);
    let launcher = Launcher { executor, constants: c, smoothing: case.smoothing };
    let (cells, wall_cells) = (case.cells(executor, &case.x), case.cells(executor, &case.wall_x));
    let (place, motion) = (packed(&case.x, &case.rho), packed(&case.v, &case.rho));
    let wall_place = packed(&case.wall_x, &case.psi());
    let fluid = around(&cells, &place);
    let walls = around(&wall_cells, &wall_place);
    let start = || -> Axes<D> { std::array::from_fn(|_| field![0.25; n]) };
    let (mut shifting, mut transport) = (start(), start());
    // A largest speed of 2 m/s.
    launcher.shifting(&fluid, &walls, n, 0.5 * factor, &field![4.0], &mut shifting).unwrap();
    launcher.transport(&fluid, &motion, &walls, n, factor, &mut transport).unwrap();
    for i in 0..n {
        let (x_i, rho_i) = (at(&case.x, i), case.rho[i]);
        let shift = |x_ij: [Real; D], r2: Real| {
            let q2 = (k.w(r2) * c.inv_w_dx).powi(2);
            let weight = c.volume * ((1.0 + 0.2 * q2 * q2) * k.grad_factor(r2));
            three::<D>(|a| weight * x_ij[a])
        };
        let inner = case.sum(x_i, Some(i), &case.x, |_, x_ij, r2| shift(x_ij, r2));
        let outer = case.sum(x_i, None, &case.wall_x, |_, x_ib, r2| shift(x_ib, r2));
        check(0.0, -factor, inner.plus(1.0, outer), at(&shifting, i), "shifting", i);
        let by = |volume: Real, x_ij: [Real; D], r2: Real| {
            let weight = ((c.m / rho_i).powi(2) + volume * volume) * k.grad_factor(r2);
            three::<D>(|a| weight * x_ij[a])
        };
        let inner = case.sum(x_i, Some(i), &case.x, |j, x_ij, r2| by(c.m / case.rho[j], x_ij, r2));
        let outer = case.sum(x_i, None, &case.wall_x, |_, x_ib, r2| by(c.volume, x_ib, r2));
        check(0.0, -factor, inner.plus(1.0, outer), at(&transport, i), "transport", i);
    }
}

#[test]
fn drift_corrections_are_those_of_all_pairs() {
    in_all_cases(corrections, corrections);
}

pub fn stress<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n, k, c) = (case.n(), case.kernel, &case.constants);
    let w: Axes<D> = std::array::from_fn(|a| noise(n, 60 + a as u64));
    let cells = case.cells(executor, &case.x);
    let (place, motion) = (packed(&case.x, &case.rho), packed(&case.v, &case.rho));
    let extra = packed(&w, &field![0.0; n]);
    let mut acceleration: Axes<D> = std::array::from_fn(|_| field![0.25; n]);
    let fluid = around(&cells, &place);
    let launcher = Launcher { executor, constants: c, smoothing: case.smoothing };
    launcher.transport_stress(&fluid, &motion, &extra, n, &mut acceleration).unwrap();
    for i in 0..n {
        let sum = case.sum(at(&case.x, i), Some(i), &case.x, |j, x_ij, r2| {
            let volumes = (c.m / case.rho[i]).powi(2) + (c.m / case.rho[j]).powi(2);
            let weight = 0.5 / c.m * volumes * k.grad_factor(r2);
            let carried = |i: usize, a: usize| case.rho[i] * case.v[a][i] * dot(at(&w, i), x_ij);
            three::<D>(|a| weight * (carried(i, a) + carried(j, a)))
        });
        let (value, found) = (sum.value, at(&acceleration, i));
        // Both halves of a term may cancel, and so may the parts of their scalar products.
        let sum = Sum { value, size: sum.size.map(|size| 10.0 * (size + f64::from(RHO_0) * 1e-3)) };
        check(0.25, 1.0, sum, found, "stress", i);
    }
}

#[test]
fn transport_stress_is_that_of_all_pairs() {
    in_all_cases(stress, stress);
}

fn kick<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n, dt, damping) = (case.n(), 0.01, 0.9);
    let mut a: Axes<D> = std::array::from_fn(|a| noise(n, 70 + a as u64));
    a[D - 1][3] = Real::NAN;
    let (mut v, mut v2, mut a2) = (case.v.clone(), field![0.0; n], field![0.0; n]);
    let launcher = Launcher { executor, constants: &case.constants, smoothing: case.smoothing };
    launcher.kick(&a, n, dt, damping, &mut v, &mut v2, &mut a2).unwrap();
    for i in (0..n).filter(|i| *i != 3) {
        let (old, a_i) = (at(&case.v, i), at(&a, i));
        let new: [Real; D] = each(|k| (old[k] + dt * a_i[k]) * damping);
        assert_eq!((at(&v, i), v2[i], a2[i]), (new, norm2(new), norm2(a_i)));
    }
    assert_eq!(at(&v, 3), at(&case.v, 3), "a velocity that is not finite is not taken");
    assert!(a2[3].is_nan());
}

#[test]
fn kick_has_the_bits_of_the_processor_and_keeps_what_is_finite() {
    in_all_cases(kick, kick);
}

fn drift<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n, dt) = (case.n(), 0.05);
    let w: Axes<D> = std::array::from_fn(|a| noise(n, 80 + a as u64).iter().map(|u| 0.1 * u).collect());
    let mut v = case.v.clone();
    (v[0][2], v[D - 1][4]) = (Real::NAN, 1e3);
    let launcher = Launcher { executor, constants: &case.constants, smoothing: case.smoothing };
    for correction in [None, Some(&w)] {
        let (mut x, mut lost) = (case.x.clone(), field![9; n]);
        launcher.drift(&v, correction, n, dt, &mut x, &mut lost).unwrap();
        for i in 0..n {
            let step: [Real; D] = each(|a| correction.map_or(0.0, |w| dt * w[a][i]));
            let (limit, length2) = (0.05 * SPACING, norm2(step));
            let scale = if length2 <= limit * limit { 1.0 } else { limit / length2.sqrt() };
            let moved: [Real; D] =
                each(|a| case.periodic.wrap_axis(a, case.x[a][i] + (dt * v[a][i] + step[a] * scale)));
            let inside = (0..D).all(|a| moved[a] >= -1.0 && moved[a] <= 2.0);
            assert_eq!(lost[i], u32::from(!inside), "{moved:?}");
            for a in 0..D {
                let kept = if moved[a].is_finite() { moved[a] } else { case.x[a][i] };
                assert_eq!(x[a][i], kept);
            }
        }
        assert_eq!(lost[2], 1);
        assert!(lost[4] == 1 || case.periodic.is_periodic(D - 1));
    }
}

#[test]
fn drift_has_the_bits_of_the_processor_and_finds_the_lost() {
    in_all_cases(drift, drift);
}
