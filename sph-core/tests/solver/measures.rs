//! Numbers and measurements that the tests of all methods share.

use proptest::test_runner::Config;
use sph_core::{
    Real,
    geometry::sampling::Jitter,
    method::{
        report::StepReport,
        solver::{Memory, Solver},
        state::State,
    },
    run::simulation::Simulation,
    scene::Scene,
};

/// Relative to the sum of absolute values, this is exact.
pub const EXACT: f64 = if size_of::<Real>() == 4 { 1e-5 } else { 1e-12 };
/// Spacing of numbers at 1.
#[allow(clippy::unnecessary_cast, reason = "the width of `Real` is a feature")]
pub const EPSILON: f64 = Real::EPSILON as f64;

/// Few but different cases, and no file of regressions.
pub fn cases(n: u32) -> Config {
    Config { cases: n, failure_persistence: None, ..Config::default() }
}

pub fn scene(text: &str) -> Scene {
    Scene::parse("test.toml", text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Moves every particle by up to `amplitude`, in m, an axis. It may bring particles nearer than a scene may.
pub fn jitter<const D: usize>(state: &mut State<D>, amplitude: f64) {
    let mut points: Vec<[f64; D]> =
        (0..state.fluid.len()).map(|i| state.fluid.position(i).map(f64::from)).collect();
    Jitter { amplitude, seed: 0 }.apply(&mut points);
    for (i, x) in points.iter().enumerate() {
        let x = state.domain.periodic.wrap(x.map(|x| x as Real));
        for a in 0..D {
            state.fluid.x[a][i] = x[a];
        }
    }
}

/// Numbers in [-1, 1), the same for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Random velocities up to `speed` an axis.
pub fn shake<const D: usize>(state: &mut State<D>, seed: u64, speed: f64) {
    let mut random = Random(seed);
    for i in 0..state.fluid.len() {
        for a in 0..D {
            state.fluid.v[a][i] = (speed * random.next()) as Real;
        }
    }
}

/// Presses the fluid together around the origin: lengths times `scale`.
pub fn squeeze<const D: usize>(state: &mut State<D>, scale: f64) {
    state.fluid.x.iter_mut().flatten().for_each(|x| *x *= scale as Real);
}

/// One step of `dt`, and the displacement of every particle by id.
pub fn displacements<const D: usize>(sim: &mut Simulation<D>, dt: f64) -> (StepReport, Vec<[f64; D]>) {
    let before = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let report = sim.solver.step(&mut sim.state, dt).unwrap_or_else(|error| panic!("{error}"));
    sim.state.step += 1;
    let after = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let displacement = |(a, b): (&[f64; D], &[f64; D])| std::array::from_fn(|k| b[k] - a[k]);
    (report, before.iter().zip(&after).map(displacement).collect())
}

/// `field` in the order of ids.
#[allow(clippy::useless_conversion, reason = "the width of `Real` is a feature")]
pub fn by_id(id: &[u64], field: &[Real]) -> Vec<f64> {
    let mut sorted = vec![f64::NAN; field.len()];
    for (&id, &value) in id.iter().zip(field) {
        sorted[id as usize] = f64::from(value);
    }
    sorted
}

/// Vectors in the order of ids.
pub fn vectors<const D: usize>(id: &[u64], field: &[Vec<Real>; D]) -> Vec<[f64; D]> {
    let axes = field.each_ref().map(|field| by_id(id, field));
    (0..id.len()).map(|i| std::array::from_fn(|a| axes[a][i])).collect()
}

pub fn norm<const D: usize>(a: &[f64; D]) -> f64 {
    a.iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// The sum of vectors, and the sum of their sizes.
pub fn sum<const D: usize>(a: &[[f64; D]]) -> ([f64; D], f64) {
    (std::array::from_fn(|k| a.iter().map(|a| a[k]).sum()), a.iter().map(norm).sum())
}

/// The solver's memory by name.
pub fn memory<const D: usize>(solver: &mut dyn Solver<D>) -> Vec<(&'static str, Vec<Real>, f64)> {
    let mut kept = Vec::new();
    solver.memory(&mut |name, memory| match memory {
        Memory::Field(field) | Memory::Array(field) | Memory::Pairs(field) => {
            kept.push((name, field.clone(), 0.0))
        }
        Memory::Number(number) => kept.push((name, Vec::new(), *number)),
    });
    kept
}

/// Overwrites the memory of a fresh solver.
pub fn remember<const D: usize>(solver: &mut dyn Solver<D>, kept: &[(&'static str, Vec<Real>, f64)]) {
    solver.memory(&mut |name, memory| {
        let (_, field, number) = kept.iter().find(|(kept, ..)| *kept == name).expect("every name is kept");
        match memory {
            Memory::Field(place) | Memory::Array(place) | Memory::Pairs(place) => place.clone_from(field),
            Memory::Number(place) => *place = *number,
        }
    });
}
