//! Records, multipliers, densities and corrections.

use crate::{Case, Points, RHO_0, Sum, call, in_all_cases, is_nonzero, kernel, noise, packed, three};
use cuda_kernels::{
    common::{
        boundary::{
            containers::Containers,
            walls::{NO_SLIP, RIGID},
        },
        numerics::{Sets, fields::Packed},
    },
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
    let id: Field<u64> = (0..n as u64).map(|i| i * i + 7).collect();
    let volume: Field<Real> = case.psi.iter().map(|psi| psi / RHO_0).collect();
    let psi: Field<Real> = volume.iter().map(|v| RHO_0 * v).collect();
    for unequal in [0, 1] {
        let c = Constants { unequal, ..case.constants };
        let launcher = Launcher { executor, constants: &c, smoothing: "CubicSpline" };
        let (mut place, mut mu) = (field![Packed::default(); n], field![9.0; n]);
        launcher.pack(&case.x, &id, n, &mut place, &mut mu).unwrap();
        assert_eq!(place, packed(&case.x, &field![0.0; n]));
        let deviation = |id: u64| call::<D>("deviation", &[id as Real, 0.0, 0.0])[0];
        let of = |id: &u64| if unequal == 0 { 9.0 } else { 1.0 + 0.5 * deviation(*id) };
        assert_eq!(mu, id.iter().map(of).collect::<Vec<_>>());
    }
    // The set that sticks, and one of a body that does not.
    let flags = field![RIGID, NO_SLIP];
    let body: Field<u16> = case.sticks.iter().map(|&sticks| sticks as u16).collect();
    for wall_xsph in [0.0, 0.1] {
        let c = Constants { wall_xsph, ..case.constants };
        let launcher = Launcher { executor, constants: &c, smoothing: "CubicSpline" };
        let (mut samples, mut motion) =
            (field![Packed::default(); n_walls], field![Packed::default(); n_walls]);
        let sets = Sets { flags: &flags, body: &body };
        launcher
            .pack_walls(&case.wall_x, &volume, &case.wall_v, sets, n_walls, &mut samples, &mut motion)
            .unwrap();
        assert_eq!(samples, packed(&case.wall_x, &psi));
        let untouched = field![Packed::default(); n_walls];
        assert_eq!(motion, if wall_xsph > 0.0 { case.wall_motion() } else { untouched });
    }
}

#[test]
fn records_are_those_of_particles_and_samples() {
    in_all_cases(pack, pack);
}

/// Sums of the constraint of particle `i`: densities, squared gradients, and gradients, of fluid and of walls.
fn sums<const D: usize>(case: &Case<D>, c: &Constants<D>, i: usize) -> [Sum<5>; 2] {
    let (k, of) = (kernel::<D>(), (Points::Fluid, i));
    let mu = |i: usize| if c.unequal == 0 { 1.0 } else { case.mu[i] };
    let terms = |w: Real, squares: Real, gradient: [Real; 3]| {
        let [x, y, z] = gradient;
        [w, squares, x, y, z]
    };
    let inner = case.sum(of, Points::Fluid, |j, x_ij, r2| {
        let (f, mu_j) = (k.grad_factor(r2), mu(j));
        let weight = if c.weights.equal_mass == 0 { mu_j } else { mu_j * mu_j };
        terms(mu_j * k.w(r2), weight * (f * f * r2), three::<D>(|a| mu_j * f * x_ij[a]))
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
fn density<const D: usize>(c: &Constants<D>, [inner, outer]: &[Sum<5>; 2], mu_i: Real) -> Sum<1> {
    let own = Sum::of([f64::from(mu_i * kernel::<D>().w_0())]);
    one(inner, 0).plus(1.0, own).times(c.m.into()).plus(c.solid.into(), one(outer, 0))
}

/// The multiplier of particle `i`, and its largest error: that of `−C/S` is `δC/S + |C| δS/S²`.
fn multiplier<const D: usize>(c: &Constants<D>, [inner, outer]: &[Sum<5>; 2], mu_i: Real) -> [f64; 2] {
    let rho = density(c, &[*inner, *outer], mu_i);
    let (volume, solid) = (f64::from(c.m / c.rho_0), f64::from(c.solid / c.rho_0));
    let error = rho.value[0] / f64::from(RHO_0) - 1.0;
    let constraint = if c.unilateral == 0 { error } else { error.max(0.0) };
    let own = if c.weights.equal_mass == 0 { f64::from(mu_i) } else { 1.0 };
    let mut squares = one(inner, 1).times(volume * volume);
    if c.walls_in_denominator != 0 {
        squares = squares.plus(solid * solid, one(outer, 1));
    }
    let (mut below, mut of_below) = (squares.value[0] + f64::from(c.epsilon), squares.error()[0]);
    for a in 0..D {
        let gradient = one(inner, 2 + a).times(volume).plus(solid, one(outer, 2 + a));
        let (g, of_g) = (gradient.value[0].abs(), gradient.error()[0]);
        below += g * g / own;
        of_below += (2.0 * g * of_g + of_g * of_g) / own;
    }
    let of_constraint = rho.error()[0] / f64::from(RHO_0);
    [-constraint / below, of_constraint / below + constraint.abs() * of_below / (below * below)]
}

fn lambda<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, rows, samples) = (case.n(), case.rows(executor), case.samples());
    let place = packed(&case.x, &field![0.0; n]);
    // Bits: unequal, equal weights, unilateral, walls in the denominator.
    for choice in 0..16 {
        let bit = |k: i32| choice >> k & 1;
        let mut c = Constants { unequal: bit(0), unilateral: bit(2), ..case.constants };
        (c.weights.equal_mass, c.walls_in_denominator) = (bit(1), bit(3));
        let launcher = Launcher { executor, constants: &c, smoothing: "CubicSpline" };
        let (mut push, mut rho, mut lambda) = (field![Packed::default(); n], field![0.0; n], field![0.0; n]);
        let near = rows.near(&samples, &case.mu);
        launcher.lambda(near, &place, n, &mut push, &mut rho, &mut lambda).unwrap();
        for i in 0..n {
            let mu_i = if c.unequal == 0 { 1.0 } else { case.mu[i] };
            let sums = sums(case, &c, i);
            density(&c, &sums, mu_i).check([rho[i]], "density", i);
            let [expected, error] = multiplier(&c, &sums, mu_i);
            assert!((f64::from(lambda[i]) - expected).abs() <= error, "{i}: {} {expected}", lambda[i]);
        }
        assert_eq!(push, packed(&case.x, &lambda));
        assert!(lambda.iter().any(|l| *l != 0.0) && (c.unilateral == 0 || lambda.contains(&0.0)));
        let mut alone = field![0.0; n];
        launcher.density(near, &place, n, &mut alone).unwrap();
        assert_eq!(alone, rho, "the density is the same in both loops");
    }
}

#[test]
fn multipliers_and_densities_are_those_of_all_pairs_for_all_choices() {
    in_all_cases(lambda, lambda);
}

fn delta_x<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, rows, samples, k) = (case.n(), case.rows(executor), case.samples(), kernel::<D>());
    let broken = |(i, u): (usize, &Real)| if i % 3 == 0 { 0.0 } else { -1e-3 * u.abs() };
    let lambda: Field<Real> = noise(n, 40).iter().enumerate().map(broken).collect();
    let push = packed(&case.x, &lambda);
    for (unequal, equal_mass, k_scorr, power, averages) in
        [(0, 0, 0.0, 4, 1), (0, 0, 1e-4, 4, 0), (0, 1, 1e-4, 3, 1), (1, 0, 1e-4, 4, 1), (1, 1, 0.0, 1, 0)]
    {
        let mut c = Constants { unequal, averages, ..case.constants };
        (c.weights.equal_mass, c.scorr.k, c.scorr.n) = (equal_mass, k_scorr, power);
        let launcher = Launcher { executor, constants: &c, smoothing: "CubicSpline" };
        let mut delta = field![Packed::default(); n];
        launcher.delta_x(rows.near(&samples, &case.mu), &push, n, &mut delta).unwrap();
        let mu = |i: usize| if unequal == 0 { 1.0 } else { case.mu[i] };
        for i in 0..n {
            let inner = case.sum((Points::Fluid, i), Points::Fluid, |j, x_ij, r2| {
                let f = k.grad_factor(r2);
                let s = call::<D>("Scorr::s", &[k_scorr, c.scorr.inv_w_dq, power as Real, k.w(r2)])[0];
                let along = call::<D>("pair_correction", &[lambda[i], lambda[j], s, mu(i), mu(j)])[0] * f;
                let [x, y, z] = three::<D>(|a| along * x_ij[a]);
                [x, y, z, is_nonzero(lambda[j] * f)]
            });
            let outer = case.sum((Points::Fluid, i), Points::Walls, |b, x_ib, r2| {
                let f = case.psi[b] * k.grad_factor(r2);
                let [x, y, z] = three::<D>(|a| f * x_ib[a]);
                [x, y, z, 0.0]
            });
            let own = if equal_mass == 0 { mu(i) } else { 1.0 };
            let pushed = f64::from(lambda[i]) * f64::from(c.solid) / f64::from(c.m);
            let all = inner.plus(pushed, outer).times(f64::from(c.m) / f64::from(RHO_0 * own));
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
        let (mut place, mut lost) = (packed(&case.x, &field![0.5; n]), field![0; n]);
        lost[5] = 1;
        launcher.apply(&kept, &delta, n, &mut place, &mut lost).unwrap();
        for i in 0..n {
            let factor = if averages == 0 { 1.2 } else { 1.2 / counts[i].max(1.0) };
            let mut moved: [Real; D] = each(|a| case.x[a][i] + factor * delta[i].0[a]);
            container.collide(&mut moved, &mut [0.0; D]);
            let expected = if i == 3 { each(|a| case.x[a][i]) } else { moved };
            assert_eq!((&place[i].0[..D], place[i].0[3]), (&expected[..], 0.5));
        }
        let flags = |i: usize| u32::from(i == 3 || i == 5);
        assert!(lost.iter().enumerate().all(|(i, f)| *f == flags(i)), "a flag that is set stays");
    }
}

#[test]
fn corrections_are_relaxed_and_those_that_are_no_numbers_are_not_made() {
    in_all_cases(apply, apply);
}
