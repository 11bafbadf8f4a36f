//! Velocities, vorticity and XSPH.

use super::{Axes, Case, Points, Sum, at, call, in_all_cases, kernel, noise, packed, three};
use cuda_kernels::{
    common::numerics::{
        fields::Packed,
        reduce::{Bounds, Reduce},
    },
    device::executor::{Executor, Field, Plain},
    pbf::{Launcher, Past},
};
use sph_core::{
    Real,
    kernel::Kernel,
    numerics::{lane::each, vector::norm2},
};

fn velocities<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, per_displacement, damping) = (case.n(), 80.0, 0.9);
    let mut x_star = case.x_star();
    x_star[4].0[D - 1] = Real::MAX;
    case.rho[6] = Real::NAN;
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let old: [Axes<D>; 2] = [70, 80].map(|seed| std::array::from_fn(|a| noise(n, seed + a as u64)));
    for second_order in [false, true] {
        let [mut displacement, mut velocity_change] = old.clone();
        let past = second_order
            .then_some(Past { displacement: &mut displacement, velocity_change: &mut velocity_change });
        // The result of an earlier substep.
        let before: Field<Real> = (0..n).map(|i| if i % 3 == 0 { 1e9 } else { 0.0 }).collect();
        let (mut v, mut gain2, mut lost) = (case.v.clone(), before.clone(), field![0; n]);
        launcher
            .velocities(
                &x_star,
                &case.listed,
                &case.rho,
                n,
                per_displacement,
                damping,
                &mut v,
                past,
                &mut gain2,
                &mut lost,
            )
            .unwrap();
        for i in 0..n {
            let correction: [Real; D] = each(|a| x_star[i].0[a] - case.listed[a][i]);
            let change: [Real; D] = each(|a| correction[a] * per_displacement);
            let new: [Real; D] = each(|a| (case.v[a][i] + change[a]) * damping);
            assert_eq!(lost[i], u32::from(i == 4 || i == 6));
            assert_eq!(at(&v, i), if i == 4 { at(&case.v, i) } else { new });
            assert_eq!(gain2[i], before[i].max(norm2(change)));
            let part = if second_order { 1.0 } else { 0.0 };
            for a in 0..D {
                assert_eq!(displacement[a][i], old[0][a][i] + part * correction[a]);
                let kept = if second_order { old[1][a][i] + change[a] } else { old[1][a][i] };
                assert_eq!(velocity_change[a][i], kept);
            }
        }
    }
}

#[test]
fn velocities_have_the_bits_of_the_cpu_and_keep_the_finite_value() {
    in_all_cases(velocities, velocities);
}

fn records<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let n = case.n();
    case.v[D - 1][2] = Real::NAN;
    case.rho[3] = Real::INFINITY;
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let mut x_star = packed(&case.x, &field![7.0; n]);
    let (mut v_rho, mut x_rho, mut lost) =
        (field![Packed::default(); n], field![Packed::default(); n], field![0; n]);
    x_star[4].0[0] = Real::NAN;
    launcher.pack_velocities(&x_star, &case.v, &case.rho, n, &mut v_rho, &mut lost).unwrap();
    let same = |a: &Packed, b: &Packed| a.0.map(Real::to_bits) == b.0.map(Real::to_bits);
    assert!(v_rho.iter().zip(&packed(&case.v, &case.rho)).all(|(a, b)| same(a, b)));
    assert!(lost.iter().enumerate().all(|(i, f)| *f == u32::from((2..5).contains(&i))));
    x_star[4].0[0] = case.x[0][4];
    launcher.pack_densities(&x_star, &case.rho, n, &mut x_rho).unwrap();
    assert_eq!(x_rho, packed(&case.x, &case.rho));
}

#[test]
fn records_are_those_of_the_fields_and_what_is_not_finite_is_found() {
    in_all_cases(records, records);
}

fn xsph<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, rows, k, c) = (case.n(), case.rows(executor), kernel::<D>(), &case.constants);
    let (x_star, v_rho) = (case.x_star(), packed(&case.v, &case.rho));
    let mut v: Axes<D> = std::array::from_fn(|_| field![Real::NAN; n]);
    let launcher = Launcher { executor, constants: c, smoothing: "CubicSpline" };
    launcher.xsph(&rows.fluid, &x_star, &v_rho, n, &mut v).unwrap();
    for i in 0..n {
        let (v_i, rho_i) = (at(&case.v, i), case.rho[i]);
        let sum = case.sum((Points::Fluid, i), Points::Fluid, |j, _, r2| {
            let weight = call::<D>("xsph", &[c.m, rho_i, case.rho[j], k.w(r2)])[0];
            three::<D>(|a| weight * (case.v[a][j] - v_i[a]))
        });
        for a in 0..D {
            let change = Sum { value: [sum.value[a]], size: [sum.size[a]] };
            Sum::of([v_i[a].into()]).plus(c.xsph.into(), change).check([v[a][i]], "velocity", i);
        }
    }
}

#[test]
fn xsph_is_that_of_all_pairs() {
    in_all_cases(xsph, xsph);
}

fn vorticity<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, rows, k) = (case.n(), case.rows(executor), kernel::<D>());
    let (x_star, v_rho) = (case.x_star(), packed(&case.v, &case.rho));
    let mut out = vorticities(n);
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let Vorticities { x_volume, vorticity, squares } = &mut out;
    launcher.vorticity(&rows.fluid, &x_star, &v_rho, n, x_volume, vorticity, squares).unwrap();
    for i in 0..n {
        let v_i = at(&case.v, i);
        let omega = case.sum((Points::Fluid, i), Points::Fluid, |j, x_ij, r2| {
            let f = case.constants.m / case.rho[j] * k.grad_factor(r2);
            let (a, b) = (three::<D>(|a| f * x_ij[a]), three::<D>(|a| case.v[a][j] - v_i[a]));
            let turn = call::<D>("cross", &[a, b].concat());
            [turn[0], turn[1], turn[2]]
        });
        let [x, y, z, size] = out.vorticity[i].0;
        omega.check([x, y, z], "vorticity", i);
        assert_eq!((size, out.squares[i]), (norm2([x, y, z]).sqrt(), norm2([x, y, z])));
    }
    let volumes: Field<Real> = case.rho.iter().map(|rho| case.constants.m / rho).collect();
    assert_eq!(out.x_volume, packed(&case.x, &volumes));
}

#[test]
fn vorticity_is_that_of_all_pairs() {
    in_all_cases(vorticity, vorticity);
}

struct Vorticities {
    x_volume: Field<Packed>,
    vorticity: Field<Packed>,
    squares: Field<Real>,
}

fn vorticities(n: usize) -> Vorticities {
    Vorticities {
        x_volume: field![Packed::default(); n],
        vorticity: field![Packed::default(); n],
        squares: field![0.0; n],
    }
}

fn confine<const D: usize>(case: &mut Case<D>, executor: &dyn Executor)
where
    Bounds<D>: Plain,
{
    let (n, rows, k, strength) = (case.n(), case.rows(executor), kernel::<D>(), 0.01);
    let omega: [Field<Real>; 3] = std::array::from_fn(|a| noise(n, 90 + a as u64));
    let size: Field<Real> = (0..n).map(|i| norm2(at(&omega, i)).sqrt()).collect();
    let volume: Field<Real> = case.rho.iter().map(|rho| 10.0 / rho).collect();
    let mut vorticities = vorticities(n);
    (vorticities.x_volume, vorticities.vorticity) = (packed(&case.x, &volume), packed(&omega, &size));
    vorticities.squares = size.iter().map(|size| size * size).collect();
    let mut squares = field![0.0];
    Reduce::<D>::new(executor).unwrap().sum(executor, &vorticities.squares, n, &mut squares).unwrap();
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let mut v = case.v.clone();
    launcher
        .confine(&rows.fluid, &vorticities.x_volume, &vorticities.vorticity, &squares, strength, n, &mut v)
        .unwrap();
    for i in 0..n {
        let eta = case.sum((Points::Fluid, i), Points::Fluid, |j, x_ij, r2| {
            let f = volume[j] * (size[j] - size[i]) * k.grad_factor(r2);
            three::<D>(|a| f * x_ij[a])
        });
        let length = eta.value.iter().map(|e| e * e).sum::<f64>().sqrt();
        // A direction errs by twice what its vector errs by, over its length.
        let of_direction = 2.0 * eta.error().iter().sum::<f64>() / length;
        let [n_x, n_y, n_z] = eta.value.map(|e| e / length);
        let [x, y, z] = at(&omega, i).map(f64::from);
        let push = [n_y * z - n_z * y, n_z * x - n_x * z, n_x * y - n_y * x];
        for a in 0..D {
            let expected = f64::from(case.v[a][i]) + f64::from(strength) * push[a];
            let error = 2.0 * f64::from(strength * size[i]) * of_direction + 4.0 * f64::from(Real::EPSILON);
            assert!((f64::from(v[a][i]) - expected).abs() <= error, "{i}: {} {expected}", v[a][i]);
        }
    }
    // Beside so much vorticity elsewhere, these gradients have no direction.
    let much = field![1e20];
    let mut v = case.v.clone();
    launcher
        .confine(&rows.fluid, &vorticities.x_volume, &vorticities.vorticity, &much, strength, n, &mut v)
        .unwrap();
    assert_eq!(v, case.v);
}

#[test]
fn confinement_is_that_of_all_pairs_and_acts_on_gradients_that_have_a_direction() {
    in_all_cases(confine, confine);
}

fn accelerate<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, dt) = (case.n(), 0.01);
    let mut a: Axes<D> = std::array::from_fn(|a| noise(n, 30 + a as u64));
    a[0][4] = Real::NAN;
    let (mut v, mut lost) = (case.v.clone(), field![0; n]);
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    launcher.accelerate(&a, n, dt, &mut v, &mut lost).unwrap();
    for i in 0..n {
        for k in 0..D {
            let new = case.v[k][i] + dt * a[k][i];
            assert_eq!(v[k][i], if new.is_nan() { case.v[k][i] } else { new });
        }
        assert_eq!(lost[i], u32::from(i == 4));
    }
}

#[test]
fn accelerations_have_the_bits_of_the_cpu_and_keep_the_finite_value() {
    in_all_cases(accelerate, accelerate);
}
