//! Containers, against `Enclosure::collide`.

use crate::{ORDERS, noise};
use cuda_kernels::{
    common::{
        boundary::{
            containers::{Containers, Enclosure, keep_inside},
            loads::{Wrench, given_by_container},
        },
        numerics::reduce::PARTIALS,
    },
    device::executor::{Executor, Field, Plain},
};
use sph_core::{
    Real,
    geometry::shape::{self, Hull, Region},
    numerics::lane::each,
    rigid,
};

/// A star of many facets around a point, with dents in which normals jump.
fn star<const D: usize>(center: [f64; D]) -> Region<D> {
    const TURNS: u32 = 24;
    let rings = if D == 2 { 1 } else { 9 };
    let place = |k: u32, ring: u32| {
        let (along, up) =
            (f64::from(k) / f64::from(TURNS), f64::from(2 * ring + 1) / f64::from(2 * rings) - 0.5);
        let (turn, tilt) = (std::f64::consts::TAU * along, std::f64::consts::PI * up);
        let radius = if (k + ring).is_multiple_of(2) { 0.4 } else { 0.28 };
        let direction = [turn.cos() * tilt.cos(), turn.sin() * tilt.cos(), tilt.sin()];
        each(|a| center[a] + radius * direction[a])
    };
    let mut vertices: Vec<[f64; D]> = (0..rings)
        .flat_map(|ring| (0..TURNS).map(move |k| (k, ring)))
        .map(|(k, ring)| place(k, ring))
        .collect();
    let mut facets = Vec::new();
    let (low, high) = (rings * TURNS, rings * TURNS + 1);
    for (k, next) in (0..TURNS).map(|k| (k, (k + 1) % TURNS)) {
        let top = (rings - 1) * TURNS;
        facets.extend([[k, next, low], [next + top, k + top, high]]);
        for ring in 1..rings {
            let (below, above) = ((ring - 1) * TURNS, ring * TURNS);
            facets.extend([[k + below, k + above, next + above], [k + below, next + above, next + below]]);
        }
    }
    if D == 2 {
        facets.retain(|facet| facet[2] == low);
    }
    vertices.extend([-0.3, 0.3].map(|z| each(|a| center[a] + if a == 2 { z } else { 0.0 })));
    vertices.truncate(if D == 2 { low as usize } else { vertices.len() });
    let facets = facets.iter().map(|facet| each(|k| facet[k])).collect();
    Region::Hull(Hull::new(vertices, facets).unwrap().into())
}

/// Regions of every shape, from inside and from outside, and outside of the outside.
fn regions<const D: usize>() -> Vec<Region<D>> {
    let (center, third) = (each(|a| [0.45, 0.5, 0.6][a]), each(|a| [0.6, 0.8, 0.0][a]));
    let along: [f64; D] = each(|a| if a == 1 { 1.0 } else { 0.0 });
    let tilted: [f64; D] = if D == 3 { each(|a| [0.48, 0.6, 0.64][a]) } else { third };
    let cylinder = |axis| Region::Cylinder { center, axis, radius: 0.3, half_length: 0.25 };
    let mut shapes = vec![
        Region::Block { min: each(|a| [0.1, 0.2, 0.15][a]), max: each(|a| [0.9, 0.7, 0.8][a]) },
        Region::Ball { center, radius: 0.35 },
        Region::HalfSpace { point: center, normal: third },
    ];
    shapes.extend([along, tilted].map(cylinder));
    let turned = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        each(|k| each(|a| [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]][k][a]))
    };
    shapes.push(shapes[0].turned(&center, &turned(0.4)));
    shapes.push(star(center));
    shapes.push(star(center).turned(&center, &turned(0.3)));
    let outside: Vec<_> = shapes.iter().map(|shape| Region::Outside(Box::new(shape.clone()))).collect();
    let twice = outside.iter().map(|shape| Region::Outside(Box::new(shape.clone())));
    shapes.iter().cloned().chain(outside.clone()).chain(twice).collect()
}

/// A cloud around the unit cube, and points where normals jump: centers, axes, faces, edges, and NaN.
fn places<const D: usize>() -> Vec<[Real; D]> {
    let cloud = noise(600 * D, 5);
    let mut x: Vec<[Real; D]> = cloud.chunks_exact(D).map(|x| each(|a| 1.6 * x[a] - 0.3)).collect();
    let center: [Real; D] = each(|a| [0.45, 0.5, 0.6][a]);
    let low: [Real; D] = each(|a| [0.1, 0.2, 0.15][a]);
    x.extend([center, low, each(|_| 0.0), each(|_| -0.0), each(|a| if a == 1 { 0.7 } else { center[a] })]);
    x.extend([
        each(|a| if a == 0 { low[0] } else { center[a] }),
        each(|_| Real::NAN),
        each(|_| Real::INFINITY),
    ]);
    x.push(each(|a| if a == 0 { 0.9 } else { 1e6 }));
    x
}

/// The same bits, or both NaN.
#[track_caller]
fn same(found: Real, expected: Real, what: impl FnOnce() -> String) {
    let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
    assert!(is_same, "{}: {found:e} is not {expected:e}", what());
}

/// Particles that a set of containers has kept, against the Rust source; returns how many were moved.
fn collides<const D: usize>(executor: &dyn Executor, list: &[shape::Enclosure<D>]) -> usize
where
    Enclosure<D>: Plain,
{
    let start = places::<D>();
    let n = start.len();
    let mut x: [Field<Real>; D] = std::array::from_fn(|a| start.iter().map(|x| x[a]).collect());
    let mut v: [Field<Real>; D] =
        std::array::from_fn(|a| noise(n, 20 + a as u64).iter().map(|u| 4.0 * u - 2.0).collect());
    let (v_0, mut kept) = (v.clone(), x.clone());
    let containers = Containers::new(executor, list).unwrap();
    containers.contain(executor, n, &mut x, &mut v).unwrap();
    keep_inside(executor, &containers, n, &mut kept).unwrap();
    let mut n_moved = 0;
    for (i, &start) in start.iter().enumerate() {
        let (mut x_i, mut v_i): ([Real; D], [Real; D]) = (start, each(|a| v_0[a][i]));
        let mut moved = false;
        for container in list {
            moved |= container.collide(&mut x_i, &mut v_i);
        }
        n_moved += usize::from(moved);
        for a in 0..D {
            same(x[a][i], x_i[a], || format!("place of {start:?} in {list:?}"));
            same(kept[a][i], x_i[a], || format!("place alone of {start:?} in {list:?}"));
            same(v[a][i], v_i[a], || format!("velocity at {start:?} in {list:?}"));
        }
    }
    n_moved
}

/// What the last of a set of containers gives to particles, against the Rust source.
fn gives<const D: usize>(executor: &dyn Executor, list: &[shape::Enclosure<D>])
where
    Enclosure<D>: Plain,
    Wrench<D>: Plain,
{
    let (start, n) = (places::<D>(), 600);
    let x: [Field<Real>; D] = std::array::from_fn(|a| start[..n].iter().map(|x| x[a]).collect());
    let v: [Field<Real>; D] =
        std::array::from_fn(|a| noise(n, 20 + a as u64).iter().map(|u| 4.0 * u - 2.0).collect());
    let (mut partial, mut result) = (executor.zeros(PARTIALS).unwrap(), executor.zeros(1).unwrap());
    let (containers, last) = (Containers::new(executor, list).unwrap(), list.len() - 1);
    given_by_container(executor, &containers, last as u32, &x, &v, n, &mut partial, &mut result).unwrap();
    let mut found = [Wrench::<D>::default()];
    executor.read(&result, &mut found).unwrap();
    let (mut expected, mut size) = (rigid::Wrench::<D>::default(), 0.0);
    for i in 0..n {
        let (mut x_i, mut v_i): ([Real; D], [Real; D]) = (each(|a| x[a][i]), each(|a| v[a][i]));
        for container in &list[..last] {
            container.collide(&mut x_i, &mut v_i);
        }
        let before = v_i;
        list[last].collide(&mut x_i, &mut v_i);
        let dv: [f64; D] = each(|a| f64::from(v_i[a]) - f64::from(before[a]));
        expected.add(&dv, &x_i.map(f64::from));
        size += dv.iter().map(|dv| dv.abs()).sum::<f64>();
    }
    let numbers = |w: &rigid::Wrench<D>| w.force.iter().chain(&w.torque).copied().collect::<Vec<_>>();
    for (found, expected) in numbers(&found[0].into()).into_iter().zip(numbers(&expected)) {
        assert!((found - expected).abs() <= 1e-13 * size, "{found} {expected} of {list:?}");
    }
    assert!(size > 1.0, "{list:?} gives nothing");
}

fn in_all_shapes<const D: usize>()
where
    Enclosure<D>: Plain,
    Wrench<D>: Plain,
{
    let enclosure = |region, collision_radius| shape::Enclosure {
        region,
        restitution: 0.4,
        friction: 0.15,
        collision_radius,
    };
    for executor in &ORDERS {
        for (region, depth) in regions::<D>().into_iter().flat_map(|r| [(r.clone(), 0.0), (r, 0.04)]) {
            let one = [enclosure(region, depth)];
            gives(executor, &one);
            let moved = collides(executor, &one);
            assert!(moved > 10 && moved < 600, "{moved}");
        }
        let both =
            regions::<D>().into_iter().take(2).map(|region| enclosure(region, 0.02)).collect::<Vec<_>>();
        collides(executor, &both);
        gives(executor, &both);
        assert_eq!(collides::<D>(executor, &[]), 0);
    }
}

#[test]
fn particles_are_kept_at_the_bits_of_the_processor_in_all_shapes() {
    in_all_shapes::<2>();
    in_all_shapes::<3>();
}

#[test]
fn short_fields_are_refused() {
    let containers = Containers::<2>::new(&ORDERS[0], &[]).unwrap();
    assert!(containers.is_empty());
    let (mut x, mut v) = ([field![0.0; 4], field![0.0; 4]], [field![0.0; 4], field![0.0; 3]]);
    let error = containers.contain(&ORDERS[0], 4, &mut x, &mut v).unwrap_err();
    assert_eq!(error.to_string(), "kernel contain needs 4 items of v, which has 3");
}
