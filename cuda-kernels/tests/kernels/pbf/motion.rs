//! Prediction, and the corrected positions.

use super::{Axes, Case, at, call, forces, in_all_cases, noise, packed};
use cuda_kernels::{
    common::boundary::containers::Containers,
    device::executor::Executor,
    pbf::{Bdf2, Launcher, Past},
};
use sph_core::{
    Real,
    fluid::material,
    geometry::shape::{self, Region},
    numerics::{lane::each, vector::norm2},
};

/// A particle whose velocity is NaN, and one that leaves the domain.
fn spoil<const D: usize>(case: &mut Case<D>) {
    case.v[0][2] = Real::NAN;
    case.v[1][4] = 1e4;
}

/// Containers of a case: none, or a ball inside and a floor that particles fall through.
fn containers<const D: usize>() -> [Vec<shape::Enclosure<D>>; 2] {
    let of = |region| shape::Enclosure { region, restitution: 0.4, friction: 0.2, collision_radius: 0.03 };
    let ball = Region::Ball { center: [0.4; D], radius: 0.15 };
    let floor = Region::Block { min: each(|a| if a == 1 { 0.1 } else { -0.9 }), max: [1.9; D] };
    [Vec::new(), vec![of(Region::Outside(Box::new(ball))), of(floor)]]
}

/// Keeps a particle in containers, and returns whether none has moved it.
fn contain<const D: usize>(list: &[shape::Enclosure<D>], x: &mut [Real; D], v: &mut [Real; D]) -> bool {
    list.iter().fold(true, |free, container| free & !container.collide(x, v))
}

/// Its wrapped position, whether it is finite, and whether it is inside of the domain.
fn locate<const D: usize>(case: &Case<D>, x: [Real; D], v: [Real; D]) -> ([Real; D], bool, bool) {
    let domain = material::Domain { low: [-1.0; D], high: [2.0; D], periodic: case.periodic };
    let finite = (0..D).all(|a| (x[a] + v[a]).is_finite());
    let x = domain.periodic.wrap(x);
    (x, finite, finite && domain.holds(x))
}

/// Compares bits, so that NaN equals itself.
fn same<const D: usize>(a: [Real; D], b: [Real; D]) -> bool {
    a.map(Real::to_bits) == b.map(Real::to_bits)
}

fn predict<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, dt, forces) = (case.n(), 0.01, forces::<D>());
    spoil(case);
    for list in containers::<D>() {
        let (mut x, mut v, mut lost, mut moved) = (case.x.clone(), case.v.clone(), field![0; n], 0);
        let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
        let kept = Containers::new(executor, &list).unwrap();
        launcher.predict(&kept, n, dt, &mut x, &mut v, &mut lost).unwrap();
        for i in 0..n {
            let (x_i, v_i) = (at(&case.x, i), at(&case.v, i));
            let a = forces.acceleration(x_i);
            let mut v_new: [Real; D] = each(|d| v_i[d] + dt * a[d]);
            let mut x_new: [Real; D] = each(|d| x_i[d] + dt * v_new[d]);
            moved += usize::from(!contain(&list, &mut x_new, &mut v_new));
            let (x_new, finite, good) = locate(case, x_new, v_new);
            assert_eq!(lost[i], u32::from(!good));
            let (x_i, v_i) = if finite { (x_new, v_new) } else { (x_i, v_i) };
            assert!(same(at(&x, i), x_i) && same(at(&v, i), v_i), "{i}");
        }
        assert_eq!(
            (lost[2], lost[4]),
            (1, u32::from(list.is_empty())),
            "a container brings the second one back"
        );
        assert_eq!(moved > n / 20, !list.is_empty(), "{moved} were moved");
    }
}

#[test]
fn prediction_has_the_bits_of_the_cpu_and_finds_the_lost() {
    in_all_cases(predict, predict);
}

/// Displacement and change of velocity before a step, of second order.
fn past<const D: usize>(
    case: &Case<D>,
    is_new: bool,
    old: &[Axes<D>; 2],
    i: usize,
    dt: Real,
) -> [[Real; D]; 2] {
    if !is_new {
        return [at(&old[0], i), at(&old[1], i)];
    }
    let a = forces::<D>().acceleration(at(&case.x, i));
    [each(|d| dt * (case.v[d][i] - 0.5 * dt * a[d])), each(|d| dt * a[d])]
}

fn predict_from_past<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let (n, dt) = (case.n(), 0.01);
    spoil(case);
    let bdf2 = Bdf2 { history: 0.2, rate: 0.7, kappa: 0.8 };
    let old: [Axes<D>; 2] = [50, 60]
        .map(|seed| std::array::from_fn(|a| noise(n, seed + a as u64).iter().map(|u| 0.01 * u).collect()));
    let change = |last: Real, now: Real| call::<D>("Bdf2::change", &[0.2, 0.7, 0.8, last, now])[0];
    for (is_new, list) in [false, true].into_iter().zip(containers::<D>()) {
        let ([mut displacement, mut velocity_change], mut lost) = (old.clone(), field![0; n]);
        let kept = Containers::new(executor, &list).unwrap();
        let (mut x, mut v) = (case.x.clone(), case.v.clone());
        let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
        let fields = Past { displacement: &mut displacement, velocity_change: &mut velocity_change };
        launcher.predict_from_past(&kept, bdf2, is_new, n, dt, &mut x, &mut v, fields, &mut lost).unwrap();
        for i in 0..n {
            let (x_i, v_i) = (at(&case.x, i), at(&case.v, i));
            let [last_displacement, last_change] = past(case, is_new, &old, i, dt);
            let a = forces::<D>().acceleration(each(|d| x_i[d] + bdf2.kappa * last_displacement[d]));
            let mut v_new: [Real; D] = each(|d| v_i[d] + change(last_change[d], dt * a[d]));
            let step: [Real; D] = each(|d| change(last_displacement[d], dt * v_new[d]));
            let mut x_new: [Real; D] = each(|d| x_i[d] + step[d]);
            let free = contain(&list, &mut x_new, &mut v_new);
            let (x_new, finite, good) = locate(case, x_new, v_new);
            assert_eq!(lost[i], u32::from(!good));
            let expected = match (finite, free) {
                (true, true) => [x_new, v_new, step, each(|d| v_new[d] - v_i[d])],
                (true, false) => [x_new, v_new, each(|d| dt * v_new[d]), [0.0; D]],
                (false, _) => [x_i, v_i, last_displacement, last_change],
            };
            for (found, expected) in [&x, &v, &displacement, &velocity_change].into_iter().zip(expected) {
                // The sign of a NaN is not defined.
                let same =
                    |a: usize| found[a][i] == expected[a] || found[a][i].is_nan() && expected[a].is_nan();
                assert!((0..D).all(same), "{i}: {:?} {expected:?}", at(found, i));
            }
        }
        assert_eq!((lost[2], lost[4]), (1, u32::from(list.is_empty())));
    }
}

#[test]
fn prediction_of_second_order_has_the_bits_of_the_cpu_with_and_without_a_past() {
    in_all_cases(predict_from_past, predict_from_past);
}

fn store_positions<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    let n = case.n();
    case.x[0].iter_mut().for_each(|x| *x += 0.15);
    case.x[D - 1][7] = 2.5;
    let before: Axes<D> = std::array::from_fn(|a| noise(n, 20 + a as u64));
    let (x_star, v_rho) = (packed(&case.x, &field![1.0; n]), packed(&before, &case.rho));
    case.v[1][3] = Real::INFINITY;
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    for records in [None, Some(&v_rho)] {
        let nothing = || -> Axes<D> { std::array::from_fn(|_| field![0.0; n]) };
        let (mut x, mut v, mut lost) = (nothing(), case.v.clone(), field![0; n]);
        let mut v2 = field![0.0; n];
        launcher.store_positions(&x_star, records, n, &mut x, &mut v, &mut v2, &mut lost).unwrap();
        for i in 0..n {
            let (x_i, _, good) = locate(case, at(&case.x, i), [0.0; D]);
            assert_eq!((at(&x, i), lost[i]), (x_i, u32::from(!good || i == 3)));
            assert_eq!(v2[i], norm2(at(&case.v, i)));
            let old = if i == 3 && records.is_some() { &before } else { &case.v };
            assert_eq!(at(&v, i), at(old, i));
        }
        assert_eq!(lost[7], 1);
    }
}

#[test]
fn corrected_positions_are_wrapped_and_the_lost_are_found() {
    in_all_cases(store_positions, store_positions);
}
