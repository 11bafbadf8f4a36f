//! The particles near the places that measures read: found in one pass over the fluid, by a map of marked cells.

use crate::{
    Real,
    fluid::{material::Domain, particles::Particles},
    method::sample::Marks,
    neighbors::Periodic,
    numerics::{
        lane::each,
        vector::{dot, norm, norm2},
    },
};

/// Part of space that a measure reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Zone<const D: usize> {
    /// Around the line from one point to another, or around a single one, `[m]`.
    Line([f64; D], [f64; D]),
    /// Around the disc of a plane: middle, normal and radius, `[m]`.
    Disc([f64; D], [f64; D], f64),
}

/// The particles in marked cells, in their order.
#[derive(Debug, Default)]
pub(super) struct Near<const D: usize> {
    /// Positions, `[m]`.
    pub x: Vec<[f64; D]>,
    /// Places in the arrays of the fluid.
    pub index: Vec<usize>,
}

/// The bit of a measure in marked cells, by its place in the list. Of more than 32 some share one: more particles are near then.
pub(super) fn bit(measure: usize) -> u32 {
    1 << (measure % u32::BITS as usize)
}

/// Marks what lies within `reach` `[m]` of the zones, each with its bit.
pub(super) fn marks<const D: usize>(zones: &[(u32, Zone<D>)], reach: f64, domain: &Domain<D>) -> Marks<D> {
    if zones.is_empty() {
        return Marks { low: [0.0; D], inverse: 0.0, extent: [0; D], bits: Vec::new() };
    }
    let (low, high) = ends(zones, reach, domain);
    let count = |size: f64| each::<f64, D>(|a| ((high[a] - low[a]) / size).floor() + 1.0);
    let mut size = reach;
    while count(size).iter().product::<f64>() > Marks::<D>::MOST_CELLS as f64 {
        size *= 2.0;
    }
    let n = count(size).map(|n| n as usize);
    // What rounding may move a particle by, and half of the diagonal of a cell.
    let margin = reach + 0.01 * size + 0.5 * size * (D as f64).sqrt();
    let bits_of = |cell: usize| {
        let column = |a: usize| cell / n[..a].iter().product::<usize>() % n[a];
        let middle = each(|a| low[a] + (column(a) as f64 + 0.5) * size);
        let near = zones.iter().filter(|(_, zone)| zone.distance(&middle, &domain.periodic) <= margin);
        near.fold(0, |bits, (bit, _)| bits | bit)
    };
    let bits = (0..n.iter().product()).map(bits_of).collect();
    Marks { low: low.map(|x| x as Real), inverse: (1.0 / size) as Real, extent: n.map(|n| n as u32), bits }
}

impl<const D: usize> Near<D> {
    /// The particles in cells that are marked for one of `places`.
    pub fn of(marks: &Marks<D>, places: u32, fluid: &Particles<D>) -> Self {
        let index = marks.near(places, fluid);
        let x = index.iter().map(|&i| fluid.position(i as usize).map(f64::from)).collect();
        Self { x, index: index.into_iter().map(|i| i as usize).collect() }
    }

    /// Those of them within `reach` `[m]` of a zone.
    pub fn around(&self, zone: &Zone<D>, reach: f64, periodic: &Periodic<D>) -> Self {
        let is_near = |(x, _): &(&[f64; D], &usize)| zone.distance(x, periodic) < reach;
        let (x, index) = self.x.iter().zip(&self.index).filter(is_near).unzip();
        Self { x, index }
    }
}

/// The box around all zones, within the domain; along periodic axes that of the domain.
fn ends<const D: usize>(zones: &[(u32, Zone<D>)], reach: f64, domain: &Domain<D>) -> ([f64; D], [f64; D]) {
    let (mut low, mut high) = ([f64::INFINITY; D], [f64::NEG_INFINITY; D]);
    for (_, zone) in zones {
        for a in 0..D {
            let (from, to) = match zone {
                _ if domain.periodic.is_periodic(a) => (f64::NEG_INFINITY, f64::INFINITY),
                Zone::Line(from, to) => (from[a].min(to[a]), from[a].max(to[a])),
                Zone::Disc(x, _, r) => (x[a] - r, x[a] + r),
            };
            // No particle is farther out than the domain.
            let (from, to) = (from.max(f64::from(domain.low[a])), to.min(f64::from(domain.high[a])));
            (low[a], high[a]) = (low[a].min(from - reach), high[a].max(to + reach));
        }
    }
    (low, high)
}

impl<const D: usize> Zone<D> {
    /// Distance of a point from it, `[m]`.
    fn distance(&self, x: &[f64; D], periodic: &Periodic<D>) -> f64 {
        match self {
            Self::Line(from, to) => {
                let line: [f64; D] = each(|a| to[a] - from[a]);
                let length2 = norm2(line).max(f64::MIN_POSITIVE);
                let mut least = f64::INFINITY;
                images(periodic, |shift| {
                    let d: [f64; D] = each(|a| x[a] + shift[a] - from[a]);
                    let part = (dot(d, line) / length2).clamp(0.0, 1.0);
                    least = least.min(norm(each::<f64, D>(|a| d[a] - part * line[a])));
                });
                least
            }
            Self::Disc(at, normal, radius) => {
                let (along, across) = split(&between(at, x, periodic), normal);
                along.abs().hypot((across - radius).max(0.0))
            }
        }
    }
}

/// From a point to the nearest image of another, `[m]`.
pub(super) fn between<const D: usize>(from: &[f64; D], to: &[f64; D], periodic: &Periodic<D>) -> [f64; D] {
    each(|a| {
        let (d, length) = (to[a] - from[a], f64::from(periodic.length[a]));
        if length > 0.0 { d - length * (d / length).round() } else { d }
    })
}

/// Calls `visit` with the shift of every image that may be near: none, and one period each way along periodic axes, `[m]`.
pub(super) fn images<const D: usize>(periodic: &Periodic<D>, mut visit: impl FnMut(&[f64; D])) {
    if !periodic.any() {
        return visit(&[0.0; D]);
    }
    for image in 0..3_usize.pow(D as u32) {
        let turns = each::<_, D>(|a| (image / 3_usize.pow(a as u32) % 3) as f64 - 1.0);
        if (0..D).all(|a| turns[a] == 0.0 || periodic.is_periodic(a)) {
            visit(&each(|a| turns[a] * f64::from(periodic.length[a])));
        }
    }
}

/// The part of a vector along a direction of length 1, and the length of the rest.
pub(super) fn split<const D: usize>(d: &[f64; D], direction: &[f64; D]) -> (f64, f64) {
    let along = dot(*d, *direction);
    (along, norm(each::<f64, D>(|a| d[a] - along * direction[a])))
}
