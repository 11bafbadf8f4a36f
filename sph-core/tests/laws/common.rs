//! States and rows for tests of the core.
#![allow(clippy::expect_used, reason = "a failure is that of the test")]
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

use sph_core::{
    Real,
    fluid::{
        boundary::{Body, Boundary},
        material::{Domain, Forces, Material},
        particles::Particles,
    },
    geometry::{motion::Trajectory, sampling::Jitter},
    method::state::State,
    neighbors::{Backend, Neighbors, Periodic, Settings},
    numerics::lane::Isa,
    rigid::Bodies,
};

/// "Exact" up to round-off, relative to the sum of absolute values.
pub const EXACT: f64 = if cfg!(feature = "f64") { 1e-12 } else { 1e-5 };

pub fn reals<const D: usize>(x: [f64; D]) -> [Real; D] {
    x.map(|x| x as Real)
}

/// Sites `(k + ½) dx` of a block of a lattice, x fastest, displaced by up to `jitter` spacings.
pub fn block<const D: usize>(counts: [usize; D], dx: f64, jitter: f64) -> Vec<[Real; D]> {
    let mut x: Vec<[f64; D]> = (0..counts.iter().product())
        .map(|mut site: usize| {
            counts.map(|count| {
                let k = site % count;
                site /= count;
                (k as f64 + 0.5) * dx
            })
        })
        .collect();
    Jitter { amplitude: jitter * dx, seed: 11 }.apply(&mut x);
    x.into_iter().map(reals).collect()
}

pub fn body<const D: usize>(motion: Trajectory<D>) -> Body<D> {
    Body {
        name: String::new(),
        motion,
        since: 0.0,
        surface_velocity: [0.0; D],
        no_slip: true,
        rigid: None,
        load: None,
    }
}

pub fn walls<const D: usize>(x: &[[Real; D]]) -> Boundary<D> {
    let mut walls = Boundary::default();
    walls.add_body(body(Trajectory::Static), x);
    walls
}

/// A state without forces, and its rows; ids are places in `fluid`.
pub fn state<const D: usize>(
    fluid: &[[Real; D]],
    walls: Boundary<D>,
    h: Real,
    periodic: Periodic<D>,
) -> (State<D>, Neighbors<D>) {
    let mut particles = Particles::default();
    for (k, &x) in fluid.iter().enumerate() {
        particles.push(k as u64, periodic.wrap(x), [0.0; D], 1.0);
    }
    let mut state = State {
        fluid: particles,
        walls,
        bodies: Bodies::default(),
        rest: Material { rho_0: 1.0, m: 1.0, spacing: 1.0 },
        forces: Forces { gravity: [0.0; D], central: None, damping: None },
        domain: Domain { low: [-1e9; D], high: [1e9; D], periodic },
        containers: Vec::new(),
        t: 0.0,
        step: 0,
        next_id: 0,
    };
    let isa = Isa::best();
    let backend = Backend::DenseGrid;
    let mut lists = Neighbors::new(Settings {
        backend,
        radius: h,
        skin: 0.0,
        periodic,
        isa,
        wall_rows: false,
        by_id: false,
    });
    lists.update(&mut state, []).expect("a small grid");
    (state, lists)
}

/// A sum of terms is 0 up to round-off of the terms.
#[track_caller]
pub fn assert_cancels(terms: impl Iterator<Item = f64>, what: &str) {
    let (sum, scale) = terms.fold((0.0, 0.0), |(sum, scale), t: f64| (sum + t, scale + t.abs()));
    assert!(scale > 0.0, "{what}: nothing to cancel");
    assert!(sum.abs() <= EXACT * scale, "{what}: {sum:e} of {scale:e}");
}

#[track_caller]
pub fn assert_near(computed: impl Into<f64>, expected: f64, tolerance: f64, what: &str) {
    let computed = computed.into();
    assert!((computed - expected).abs() <= tolerance, "{what}: {computed}, not {expected} ± {tolerance:e}");
}
