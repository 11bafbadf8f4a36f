//! Samples of walls and bodies, against `Boundary` and `Bodies`.

use crate::{ORDERS, bounds, cloud, fields_of, noise};
use cuda_kernels::{
    common::{
        boundary::{
            loads::Wrench,
            walls::{self, Affine, Wrenches},
            weigh,
        },
        numerics::{
            fields::{self, Packed},
            kernel::KernelConstants,
        },
        search::{
            cells::{CellGrid, CellSort},
            neighbors::Around,
        },
    },
    device::{
        compile::source,
        executor::{Executor, Field, Plain},
    },
};
use sph_core::{
    Real,
    fluid::boundary::{Body, Boundary, PsiMode},
    geometry::{
        motion::{Leg, Motion, Trajectory, Turn},
        shape::Region,
    },
    kernel::{self, Formula, KernelKind},
    neighbors::Periodic,
    numerics::lane::each,
    rigid::{self, Bodies, Form, Rigid, Rotation},
};
use std::sync::Arc;

fn body<const D: usize>(motion: Trajectory<D>) -> Body<D> {
    let surface_velocity = each(|a| [0.1, -0.3, 0.7][a]);
    let name = String::new();
    Body { name, motion, since: 0.0, surface_velocity, no_slip: true, rigid: None, load: None }
}

/// Motions of every kind.
fn trajectories<const D: usize>() -> Vec<Trajectory<D>> {
    let vector = |scale: f64| each(|a| scale * [0.7, -1.3, 0.4][a]);
    let axis = if D == 3 { [0.6, 0.0, 0.8] } else { [0.0, 0.0, 1.0] };
    let leg =
        |time, speed, displacement| Leg { time, velocity: vector(speed), displacement: vector(displacement) };
    vec![
        Trajectory::Static,
        Trajectory::Translation { velocity: vector(2.0), start: 0.1, stop: 1.5 },
        Trajectory::Oscillation { amplitude: vector(0.3), frequency: 1.7, phase: 0.4 },
        Trajectory::Rotation { turn: Turn { center: vector(0.9), axis }, angular_velocity: -2.3 },
        Trajectory::Piecewise(vec![leg(0.2, 1.0, 0.1), leg(0.9, -2.0, 0.3)]),
        shifting_and_turning(),
    ]
}

/// A displacement along x beside an angle, neither of constant speed.
fn shifting_and_turning<const D: usize>() -> Trajectory<D> {
    let zero = if D == 3 { ", \"0\"" } else { "" };
    let center: [f64; D] = each(|a| [0.5, -0.2, 0.1][a]);
    let motion = format!(
        "formula = {{ displacement = [\"0.3*sin(3*t)\", \"0\"{zero}], angle = \"0.8*sin(2*t)\", center = {center:?}, axis \
         = [0.6, 0, 0.8] }}"
    );
    toml::from_str::<Motion>(&motion).unwrap().resolve("motion").unwrap()
}

/// Walls of all trajectories, a belt that has been given its motion late, and two dynamic bodies, one of two sets.
fn scene<const D: usize>() -> (Boundary<D>, Bodies<D>) {
    let mut walls = Boundary::default();
    let late = Body { since: 0.4, ..body(trajectories()[3].clone()) };
    let of_body = |k| Body { rigid: Some(k), ..body(Trajectory::Static) };
    let sets = trajectories().into_iter().map(body).chain([
        late,
        of_body(1),
        of_body(0),
        of_body(1),
        body(Trajectory::Static),
    ]);
    for (k, set) in sets.enumerate() {
        walls.add_body(set, &cloud::<D>(150 + k, k as u64 + 1));
    }
    // Sets stand mixed, as the sort by cell leaves them.
    let n = walls.len();
    let order: Vec<u32> = (0..n as u32).map(|k| (k * 7919) % n as u32).collect();
    walls.permute(&order, &mut sph_core::numerics::field::Scratch::default());
    for a in &mut walls.a {
        a.fill(7.0);
    }
    let region = Region::Ball { center: [0.0; D], radius: 0.6 };
    let rigid = |seed: f64| {
        let (form, _) = Form::new(String::new(), &region, 40.0).unwrap();
        let mut rigid = Rigid::new(Arc::new(form), each(|a| seed + a as f64));
        let turned = [0.3 * seed, -0.8, 1.1].map(|angle| if D == 2 { 0.0 } else { angle });
        rigid.rotation = Rotation::by(&[turned[0], turned[1], 1.1]);
        rigid.momentum = each(|a| [3.0, -50.0, 8.0][a]);
        rigid.angular_momentum = [turned[0], turned[1], 3.0 - seed];
        rigid
    };
    (walls, Bodies { list: vec![rigid(0.7), rigid(-1.2)], ..Bodies::default() })
}

/// Equal to the last bit, or if it `rounds` to one of `Real` at the size of `scale`, or to the rounding of some
/// operations in `f64`.
#[track_caller]
fn same(found: Real, expected: Real, rounds: bool, scale: f64) {
    let ulp = f64::from(Real::EPSILON).max(8.0 * f64::EPSILON);
    let near = (f64::from(found) - f64::from(expected)).abs() <= ulp * scale;
    assert!(if rounds { near } else { found.to_bits() == expected.to_bits() }, "{found} is not {expected}");
}

fn moves<const D: usize>()
where
    Affine<D>: Plain,
{
    for (t, executor) in [0.0, 0.05, 0.73, 1.9, 1234.5].into_iter().zip(ORDERS.iter().cycle()) {
        let (mut walls, bodies) = scene::<D>();
        let (mut x, mut v, mut a) = (fields_of(&walls.x), fields_of(&walls.v), fields_of(&walls.a));
        let n = walls.len();
        let maps = Field::from(&walls::affine_maps(&walls, &bodies, t)[..]);
        let (body, x_0) = (Field::from(&walls.body[..]), fields_of(&walls.x_0));
        walls::move_samples(executor, &maps, maps.len(), &body, &x_0, n, &mut x, &mut v, &mut a).unwrap();
        walls.move_to(t);
        bodies.update_samples(&mut walls);
        for b in 0..n {
            let set = &walls.bodies[usize::from(walls.body[b])];
            let rounds = set.rigid.is_some() || set.motion.now(t).turn.is_some();
            for d in 0..D {
                same(x[d][b], walls.x[d][b], rounds, 4.0);
                same(v[d][b], walls.v[d][b], rounds, 4.0 * 2.3);
                // Those of walls at rest stay on the GPU, where the processor writes zeros.
                let at_rest = set.rigid.is_none() && set.motion.is_static();
                same(a[d][b], if at_rest { 7.0 } else { walls.a[d][b] }, rounds, 4.0 * 2.3 * 2.3);
            }
        }
    }
}

#[test]
fn samples_are_where_their_sets_are() {
    moves::<2>();
    moves::<3>();
}

fn collects<const D: usize>()
where
    Wrench<D>: Plain,
{
    let (walls, mut bodies) = scene::<D>();
    let n = walls.len();
    let force: [Vec<Real>; D] =
        std::array::from_fn(|a| noise(n, 40 + a as u64).iter().map(|u| 3.0 * u - 1.0).collect());
    let centers: Field<f64> = bodies.list.iter().flat_map(|body| body.x).collect();
    bodies.collect(&walls, &force);
    let (body, x, on_device) = (Field::from(&walls.body[..]), fields_of(&walls.x), fields_of(&force));
    let mut first = None;
    for executor in &ORDERS {
        let mut wrenches = Wrenches::new(executor, walls.bodies.len(), 2).unwrap();
        wrenches.write(executor, &walls, &bodies).unwrap();
        wrenches.collect(executor, &body, &x, &on_device, n, &centers).unwrap();
        for (found, body) in wrenches.total.iter().zip(&bodies.list) {
            let found = rigid::Wrench::from(*found);
            let numbers = |w: &rigid::Wrench<D>| [&w.force[..], &w.torque].concat();
            for (found, expected) in numbers(&found).iter().zip(numbers(&body.wrench)) {
                // Of some 300 terms, none of them above 20.
                assert!(
                    (found - expected).abs() <= 300.0 * 300.0 * 20.0 * f64::EPSILON,
                    "{found} {expected}"
                );
            }
            assert!(body.wrench.force[0].abs() > 10.0 && body.wrench.torque[2].abs() > 10.0);
        }
        assert_eq!(*first.get_or_insert(wrenches.total.to_vec()), wrenches.total[..], "in every order");
    }
}

#[test]
fn bodies_get_the_sum_of_the_forces_on_their_samples() {
    collects::<2>();
    collects::<3>();
}

#[test]
fn nothing_pushes_a_body_without_samples() {
    let (_, bodies) = scene::<3>();
    let none: [Field<Real>; 3] = [field![], field![], field![]];
    let mut wrenches = Wrenches::new(&ORDERS[0], 0, bodies.list.len()).unwrap();
    wrenches.total[1].force[2] = 5.0;
    wrenches.collect(&ORDERS[0], &field![], &none, &none, 0, &field![0.0; 6]).unwrap();
    assert_eq!(wrenches.total, [Wrench::default(); 2]);
    let mut wrenches = Wrenches::new(&ORDERS[0], 0, 0).unwrap();
    wrenches.collect(&ORDERS[0], &field![], &none, &none, 0, &field![]).unwrap();
    let error = Wrenches::new(&ORDERS[0], 0, 2)
        .unwrap()
        .collect(&ORDERS[0], &field![], &none, &none, 0, &field![0.0; 5])
        .unwrap_err();
    assert_eq!(error.to_string(), "kernel sum_wrenches needs 6 items of center, which has 5");
}

const H: Real = 0.15;

fn weighs<const D: usize, K: Formula<D>>(kind: KernelKind, executor: &dyn Executor, periodic: Periodic<D>) {
    if !source::smoothing("common/boundary/weigh.cu").contains(&Some(kind.type_name())) {
        return;
    }
    let (mut walls, _) = scene::<D>();
    let n = walls.len();
    let (low, high) = bounds(&(0..n).map(|b| each(|a| walls.x_0[a][b])).collect::<Vec<[Real; D]>>());
    let mut cells = CellSort::new(executor, CellGrid::new(H, &periodic, low, high, n).unwrap(), n).unwrap();
    let (body, x_0) = (Field::from(&walls.body[..]), fields_of(&walls.x_0));
    cells.sort(executor, &x_0, n).unwrap();
    let mut x: [Field<Real>; D] = std::array::from_fn(|_| field![0.0; n]);
    let mut pairs: Vec<_> = x_0.iter().zip(&mut x).collect();
    fields::permute_fields::<D>(executor, &cells.order, n, &mut pairs).unwrap();
    let mut records = field![Packed::default(); n];
    fields::pack_positions(executor, &x, n, &mut records).unwrap();
    let constants = KernelConstants::new::<D>(kind, H);
    let (sorted, group) = (
        Around { cells: &cells, place: &records, rows: None, radius: H },
        Field::from(&weigh::groups(&walls)[..]),
    );
    let mut volume = field![0.0; n];
    weigh::weigh_samples(
        executor,
        kind.type_name(),
        constants,
        &sorted,
        &cells.order,
        &x_0,
        &body,
        &group,
        group.len(),
        n,
        0.9,
        &mut volume,
    )
    .unwrap();
    walls.weigh(&K::new(H), PsiMode::Scaled(0.9), 0.0, 0.0, periodic);
    for (found, expected) in volume.iter().zip(&walls.volume) {
        // Sums of positive terms, no more than 50 of them.
        assert!((found - expected).abs() <= 50.0 * Real::EPSILON * expected, "{found} {expected}");
    }
    // Sets at rest are one, and others stand at the same places.
    assert_eq!(group.iter().filter(|&&group| group == u32::MAX).count(), 2);
}

fn weighs_in_all_cases<const D: usize>() {
    let cases = ORDERS.iter().flat_map(|executor| {
        [Periodic::NONE, Periodic::new([0.0; D], each(|a| if a == 0 { 1.0 } else { 0.0 }))]
            .map(|periodic| (executor, periodic))
    });
    for (executor, periodic) in cases {
        macro_rules! weigh {
            ($($kernel:ident)*) => {
                $(weighs::<D, kernel::$kernel<D>>(KernelKind::$kernel, executor, periodic);)*
            };
        }
        sph_core::all_kernels!(weigh);
    }
}

#[test]
fn volumes_are_those_of_the_samples_of_the_own_set() {
    weighs_in_all_cases::<2>();
    weighs_in_all_cases::<3>();
}
