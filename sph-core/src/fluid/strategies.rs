//! Proptest strategies for the tests of all crates (feature `proptest`).
//!
//! A solver must be right on particles as a scene makes them, which are lattices with some disorder, and must
//! survive any others. All strategies shrink to fewer particles, less disorder and smaller speeds.
//!
//! ```
//! use proptest::prelude::*;
//! use sph_core::{neighbors::Periodic, fluid::strategies};
//!
//! proptest!(|(x in strategies::jittered_block::<3>(2..=4, 0.1, 0.2), v in strategies::velocities::<3>(64, 1.0))| {
//!     let particles = strategies::particles(&x, &v, 1000.0);
//!     prop_assert_eq!(particles.len(), x.len());
//! });
//! ```

use std::ops::RangeInclusive;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::{Real, fluid::particles::Particles, geometry::sampling::Jitter};

/// A block of a square or cubic lattice from the origin on, x fastest, first site at half a spacing; every site
/// is displaced at random.
///
/// `edge`: number of sites along each axis; `spacing` \[m\]; `jitter`: largest displacement along each axis, in
/// spacings, of which some blocks use all and others nothing \[-\]. Positions have shape `[n][D]`, \[m\].
pub fn jittered_block<const D: usize>(
    edge: RangeInclusive<usize>,
    spacing: Real,
    jitter: Real,
) -> impl Strategy<Value = Vec<[Real; D]>> {
    let counts = proptest::array::uniform::<_, D>(edge);
    (counts, 0.0..=1.0_f64, any::<u32>()).prop_map(move |(counts, part, seed)| {
        let spacing = f64::from(spacing);
        let n: usize = counts.iter().product();
        let mut x: Vec<[f64; D]> =
            (0..n).map(|site| coordinates(site, &counts).map(|c| (c as f64 + 0.5) * spacing)).collect();
        Jitter { amplitude: part * f64::from(jitter) * spacing, seed: seed.into() }.apply(&mut x);
        x.into_iter().map(|x| x.map(|c| c as Real)).collect()
    })
}

/// Integer coordinates of a site of a block, x fastest.
#[doc(hidden)]
pub fn coordinates<const D: usize>(mut site: usize, counts: &[usize; D]) -> [usize; D] {
    counts.map(|count| {
        let c = site % count;
        site /= count;
        c
    })
}

/// Up to `most` points anywhere in the cube of half edge `reach` \[m\] around the origin; every fifth point, about,
/// coincides with an earlier one. Shape `[n][D]`, \[m\].
pub fn cloud<const D: usize>(most: usize, reach: Real) -> impl Strategy<Value = Vec<[Real; D]>> {
    let point = proptest::array::uniform::<_, D>(-reach..=reach);
    let copy_of = prop_oneof![4 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)];
    vec((point, copy_of), 0..=most).prop_map(|points| {
        let mut x: Vec<[Real; D]> = Vec::with_capacity(points.len());
        for (point, copy_of) in points {
            let earlier = copy_of.filter(|_| !x.is_empty()).map(|index| x[index.index(x.len())]);
            x.push(earlier.unwrap_or(point));
        }
        x
    })
}

/// `n` velocities of components up to `speed` \[m/s\]. Shape `[n][D]`, \[m/s\].
pub fn velocities<const D: usize>(n: usize, speed: Real) -> impl Strategy<Value = Vec<[Real; D]>> {
    vec(proptest::array::uniform::<_, D>(-speed..=speed), n)
}

/// Points with a velocity each, of components up to `speed` \[m/s\]: [`jittered_block`] or [`cloud`] in motion.
/// Shape `[n]` of position \[m\] and velocity \[m/s\].
pub fn moving<const D: usize>(
    points: impl Strategy<Value = Vec<[Real; D]>>,
    speed: Real,
) -> impl Strategy<Value = Vec<([Real; D], [Real; D])>> {
    points.prop_flat_map(move |x| {
        let v = velocities::<D>(x.len(), speed);
        (Just(x), v).prop_map(|(x, v)| x.into_iter().zip(v).collect())
    })
}

/// Particles of density `rho` \[kg/m³\] with ids 0, 1, 2, …; those beyond the end of `v` are at rest.
pub fn particles<const D: usize>(x: &[[Real; D]], v: &[[Real; D]], rho: Real) -> Particles<D> {
    let mut particles = Particles::default();
    for (k, &x) in x.iter().enumerate() {
        particles.push(k as u64, x, v.get(k).copied().unwrap_or([0.0; D]), rho);
    }
    particles
}
