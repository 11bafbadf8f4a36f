//! Reaction forces on bodies.

use super::{Axes, Case, Points, Sum, at, in_all_cases, kernel, noise, packed, three};
use cuda_kernels::{
    common::{
        boundary::walls::LOADED,
        numerics::{Sets, fields::Packed},
    },
    device::executor::{Executor, Field},
    pbf::Launcher,
};
use sph_core::{Real, kernel::Kernel};

fn correction_reaction<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, n_walls, rows, k, x_psi) =
        (case.n(), case.n_walls(), case.rows(executor), kernel::<D>(), case.x_psi());
    let (flags, rigid): (_, Field<u16>) =
        (field![0, LOADED], (0..n_walls).map(|b| u16::from(b % 5 != 0)).collect());
    let sets = Sets { flags: &flags, body: &rigid };
    let (lambda, factor) = (noise(n, 33), 0.7);
    for averages in [0, 1] {
        case.constants.averages = averages;
        let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
        let counts: Field<Real> = (0..n).map(|i| (i % 7) as Real).collect();
        let delta = packed(&case.v, &counts);
        let relaxed: Field<Real> =
            (0..n).map(|i| lambda[i] * if averages == 0 { 1.2 } else { 1.2 / counts[i].max(1.0) }).collect();
        let mut x_lambda = packed(&case.x, &lambda);
        launcher.relax_lambda(&delta, n, &mut x_lambda).unwrap();
        assert_eq!(x_lambda, packed(&case.x, &relaxed));
        let mut force: Axes<D> = std::array::from_fn(|_| field![0.25; n_walls]);
        launcher
            .correction_reaction(&rows.of_walls, &x_lambda, &x_psi, sets, n_walls, factor, &mut force)
            .unwrap();
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
fn reactions_are_those_of_the_relaxed_corrections() {
    in_all_cases(correction_reaction, correction_reaction);
}

/// The momentum that walls give to the fluid, bodies lose.
fn momentum<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, n_walls, rows, x_psi) = (case.n(), case.n_walls(), case.rows(executor), case.x_psi());
    case.constants.relaxation = 1.0;
    let (c, per_displacement, dt) = (&case.constants, 120.0, 1.0 / 100.0);
    let lambda: Field<Real> = noise(n, 33).iter().map(|u| -1e-3 * u.abs()).collect();
    let launcher = Launcher { executor, constants: c, smoothing: "CubicSpline" };
    let (x_lambda, mut delta) = (packed(&case.x, &lambda), field![Packed::default(); n]);
    launcher.delta_x(rows.near(&x_psi), &x_lambda, n, &mut delta).unwrap();
    let mut force: Axes<D> = std::array::from_fn(|_| field![0.0; n_walls]);
    let factor = c.m / c.rho_0 * per_displacement / dt;
    let (flags, body) = (field![LOADED], field![0; n_walls]);
    let sets = Sets { flags: &flags, body: &body };
    launcher
        .correction_reaction(&rows.of_walls, &x_lambda, &x_psi, sets, n_walls, factor, &mut force)
        .unwrap();
    for a in 0..D {
        let of_fluid = |i: usize| f64::from(c.m * delta[i].0[a] * per_displacement / dt);
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
