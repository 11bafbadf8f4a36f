//! Drift corrections, kick and drift.

use super::{Axes, Case, SPACING, Sum, around, at, in_all_cases, noise, packed};
use cuda_kernels::{device::executor::Executor, wcsph::Launcher};
use sph_core::{
    Real,
    kernel::Kernel as _,
    numerics::{lane::each, vector::norm2},
};

/// The first D of three numbers.
fn three<const D: usize>(of: impl Fn(usize) -> Real) -> [Real; 3] {
    std::array::from_fn(|a| if a < D { of(a) } else { 0.0 })
}

pub fn shifting<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n, k, c, factor) = (case.n(), case.kernel, &case.constants, 0.3);
    let launcher = Launcher { executor, constants: c, smoothing: case.smoothing };
    let (cells, wall_cells) = (case.cells(executor, &case.x), case.cells(executor, &case.wall_x));
    let place = packed(&case.x, &case.rho);
    let wall_place = packed(&case.wall_x, &case.psi());
    let fluid = around(&cells, &place);
    let walls = around(&wall_cells, &wall_place);
    let mut shifting: Axes<D> = std::array::from_fn(|_| field![0.25; n]);
    // A largest speed of 2 m/s.
    launcher.shifting(&fluid, &walls, n, 0.5 * factor, &field![4.0], &mut shifting).unwrap();
    for i in 0..n {
        let x_i = at(&case.x, i);
        let shift = |x_ij: [Real; D], r2: Real| {
            let q2 = (k.w(r2) * c.inv_w_dx).powi(2);
            let weight = c.volume * ((1.0 + 0.2 * q2 * q2) * k.grad_factor(r2));
            three::<D>(|a| weight * x_ij[a])
        };
        let inner = case.sum(x_i, Some(i), &case.x, |_, x_ij, r2| shift(x_ij, r2));
        let outer = case.sum(x_i, None, &case.wall_x, |_, x_ib, r2| shift(x_ib, r2));
        let (sum, found) = (inner.plus(1.0, outer), at(&shifting, i));
        for a in 0..D {
            let of_axis = Sum { value: [sum.value[a]], size: [4.0 * sum.size[a]] };
            Sum::of([0.0]).plus((-factor).into(), of_axis).check([found[a]], "shifting", i);
        }
    }
}

#[test]
fn shifting_is_that_of_all_pairs() {
    in_all_cases(shifting, shifting);
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
