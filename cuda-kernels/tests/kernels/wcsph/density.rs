//! Density, its gradient and pressure.

use super::{Axes, Case, ORDERS, RHO_0, Sum, around, at, call, dot, in_all_cases, noise, packed};
use cuda_kernels::{
    common::numerics::fields::Packed,
    device::executor::{Executor, Field},
    wcsph::{Constants, Launcher},
};
use sph_core::{
    Real,
    kernel::{Kernel as _, KernelKind},
    numerics::lane::each,
};

pub fn summation<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n, c, k, psi) = (case.n(), &case.constants, case.kernel, case.psi());
    let launcher = Launcher { executor, constants: c, smoothing: case.smoothing };
    let (cells, wall_cells) = (case.cells(executor, &case.x), case.cells(executor, &case.wall_x));
    let place = packed(&case.x, &case.rho);
    let wall_place = packed(&case.wall_x, &psi);
    let mut rho = field![0.0; n];
    let fluid = around(&cells, &place);
    let walls = around(&wall_cells, &wall_place);
    launcher.summation(&fluid, &walls, n, &mut rho).unwrap();
    for i in 0..n {
        let x_i = at(&case.x, i);
        let inner = case.sum(x_i, Some(i), &case.x, |_, _, r2| [k.w(r2)]);
        let outer = case.sum(x_i, None, &case.wall_x, |b, _, r2| [psi[b] * k.w(r2)]);
        let own = Sum::of([f64::from(k.w(0.0))]);
        inner.plus(1.0, own).times(c.m.into()).plus(1.0, outer).check([rho[i]], "density", i);
    }
}

#[test]
fn summed_density_is_that_of_all_pairs() {
    in_all_cases(summation, summation);
}

fn gradient<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let n = case.n();
    // Open axes only: no density is linear around a periodic one.
    if case.periodic.any() {
        return;
    }
    let slope: [Real; D] = each(|a| [40.0, -25.0, 60.0][a]);
    let rho: Field<Real> =
        (0..n).map(|i| RHO_0 + (0..D).map(|a| slope[a] * case.x[a][i]).sum::<Real>()).collect();
    let launcher = Launcher { executor, constants: &case.constants, smoothing: case.smoothing };
    let cells = case.cells(executor, &case.x);
    let place = packed(&case.x, &rho);
    let mut extra = field![Packed::default(); n];
    launcher.gradient(&around(&cells, &place), n, &mut extra).unwrap();
    // ρ is rounded to ε ρ₀, and differs by 10 over a support.
    let tolerance = 60.0 * (100.0 * Real::EPSILON * RHO_0 / 10.0);
    for (i, found) in extra.iter().enumerate() {
        for a in 0..D {
            assert!((found.0[a] - slope[a]).abs() < tolerance, "{i}: {found:?} is not {slope:?}");
        }
    }
}

#[test]
fn the_gradient_of_a_linear_density_is_exact() {
    in_all_cases(gradient, gradient);
}

pub fn continuity<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (n, k, psi, dt) = (case.n(), case.kernel, case.psi(), 1.0);
    let slopes: Axes<D> =
        std::array::from_fn(|a| noise(n, 50 + a as u64).iter().map(|u| 100.0 * u).collect());
    let (cells, wall_cells) = (case.cells(executor, &case.x), case.cells(executor, &case.wall_x));
    let (place, motion) = (packed(&case.x, &case.rho), packed(&case.v, &case.rho));
    let (extra, wall_place) = (packed(&slopes, &field![0.0; n]), packed(&case.wall_x, &psi));
    // A step so long that the rate counts against the density, which has no floor.
    let c = Constants { rho_0: -1e9, ..case.constants };
    let launcher = Launcher { executor, constants: &c, smoothing: case.smoothing };
    let mut rho = field![0.0; n];
    let fluid = around(&cells, &place);
    let walls = around(&wall_cells, &wall_place);
    launcher.continuity(&fluid, &walls, &motion, &extra, &case.wall_v, n, dt, &mut rho).unwrap();
    for i in 0..n {
        let (x_i, v_i, rho_i) = (at(&case.x, i), at(&case.v, i), case.rho[i]);
        let flow = |m: Real, v_j: [Real; D], x_ij: [Real; D], r2: Real| {
            m * dot(each(|a| v_i[a] - v_j[a]), x_ij) * k.grad_factor(r2)
        };
        let inner = case.sum(x_i, Some(i), &case.x, |j, x_ij, r2| {
            let both: [Real; D] = each(|a| slopes[a][i] + slopes[a][j]);
            let spread = -((case.rho[j] - rho_i + 0.5 * dot(both, x_ij)) * k.grad_factor(r2));
            let volume = c.m / case.rho[j];
            [flow(c.m, at(&case.v, j), x_ij, r2), c.diffusion * volume * spread]
        });
        let outer = case
            .sum(x_i, None, &case.wall_x, |b, x_ib, r2| [flow(psi[b], at(&case.wall_v, b), x_ib, r2), 0.0]);
        let rate = inner.plus(1.0, outer).times(dt.into());
        let both = |part: [f64; 2]| [part[0] + part[1]];
        let change = Sum { value: both(rate.value), size: both(rate.size) };
        Sum::of([rho_i.into()]).plus(1.0, change).check([rho[i]], "density", i);
    }
}

#[test]
fn density_by_continuity_is_that_of_all_pairs() {
    in_all_cases(continuity, continuity);
}

#[test]
fn cavitating_fluid_gets_no_less_dense() {
    let case = Case::<2>::new(KernelKind::WendlandC2, false, 3);
    let (n, executor) = (case.n(), &ORDERS[0]);
    let (cells, wall_cells) = (case.cells(executor, &case.x), case.cells(executor, &case.wall_x));
    let rho: Field<Real> = field![0.9 * RHO_0; n];
    let apart: Axes<2> = std::array::from_fn(|a| case.x[a].iter().map(|x| 100.0 * x).collect());
    let (place, motion) = (packed(&case.x, &rho), packed(&apart, &rho));
    let nothing = packed(&case.wall_x, &field![0.0; case.n_walls()]);
    let fluid = around(&cells, &place);
    let walls = around(&wall_cells, &nothing);
    let launcher = Launcher { executor, constants: &case.constants, smoothing: case.smoothing };
    let (mut next, extra) = (field![0.0; n], field![Packed::default(); n]);
    launcher.continuity(&fluid, &walls, &motion, &extra, &case.wall_v, n, 1e-2, &mut next).unwrap();
    assert!(next.iter().all(|&next| next == (1.0 - 0.1) * RHO_0), "{next:?}");
}

pub fn pressure<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let n = case.n();
    for clamps in [0, 1] {
        let c = Constants { clamps, ..case.constants };
        let launcher = Launcher { executor, constants: &c, smoothing: case.smoothing };
        let (mut p, mut place, mut motion) =
            (field![0.0; n], field![Packed::default(); n], field![Packed::default(); n]);
        launcher.pressure(&case.x, &case.v, &case.rho, n, &mut p, &mut place, &mut motion).unwrap();
        let of_eos = |rho: Real| call::<D>("pressure", &[0.0, c.eos.b, rho, RHO_0]);
        let expected: Field<Real> = case
            .rho
            .iter()
            .map(|&rho| match clamps {
                0 => call::<D>("tensile_cutoff", &[of_eos(rho)[0], rho, RHO_0])[0],
                _ => of_eos(rho)[0].max(0.0),
            })
            .collect();
        assert_eq!(p, expected);
        let p_rho2: Field<Real> = (0..n).map(|i| p[i] / (case.rho[i] * case.rho[i])).collect();
        assert_eq!((place, motion), (packed(&case.x, &p_rho2), packed(&case.v, &case.rho)));
    }
    let (mut place, mut motion) = (field![Packed::default(); n], field![Packed::default(); n]);
    let launcher = Launcher { executor, constants: &case.constants, smoothing: case.smoothing };
    launcher.pack(&case.x, &case.v, &case.rho, n, &mut place, &mut motion).unwrap();
    assert_eq!((place, motion), (packed(&case.x, &case.rho), packed(&case.v, &case.rho)));
}

#[test]
fn pressures_and_records_are_those_of_the_formulas() {
    in_all_cases(pressure, pressure);
}
