//! Scenes and measurements that the tests share.
#![allow(
    dead_code,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "each test binary uses its part; a helper that fails is a test that fails"
)]

use proptest::test_runner::Config;
use sph_core::{
    Real,
    lane::Isa,
    sampling::Jitter,
    scene::Scene,
    simulation::Simulation,
    solver::{Memory, NoClock, Solver, StepReport},
    state::State,
};

/// Relative to the sum of absolute values, this is exact.
pub const EXACT: f64 = if size_of::<Real>() == 4 { 1e-5 } else { 1e-12 };
/// Spacing of numbers at 1.
#[allow(clippy::unnecessary_cast, reason = "the width of `Real` is a feature")]
pub const EPSILON: f64 = Real::EPSILON as f64;

pub const KERNELS: [&str; 2] = ["cubic_spline", "wendland_c2"];
/// Few but different cases, and no file of regressions.
pub fn cases(n: u32) -> Config {
    Config { cases: n, failure_persistence: None, ..Config::default() }
}

pub fn scene(text: &str) -> Scene {
    Scene::parse("test.toml", text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub fn simulation<const D: usize>(text: &str) -> Simulation<D> {
    simulation_with(text, Isa::best())
}

pub fn simulation_with<const D: usize>(text: &str, isa: Isa) -> Simulation<D> {
    solver_pbf::simulation(&scene(text), isa, Box::new(NoClock))
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A cube of `n^D` particles with edge 1 m around the origin, rest density 1 kg/m³, no gravity.
#[derive(Clone, Debug)]
pub struct Block {
    pub n: usize,
    pub periodic: bool,
    pub jitter: f64,
    pub gravity: f64,
    /// Lines of the table `[solver]`.
    pub solver: String,
}

impl Block {
    pub fn free(n: usize, solver: &str) -> Self {
        Self { n, periodic: false, jitter: 0.0, gravity: 0.0, solver: solver.to_owned() }
    }

    pub fn periodic(n: usize, solver: &str) -> Self {
        Self { periodic: true, ..Self::free(n, solver) }
    }

    pub fn jitter(self, jitter: f64) -> Self {
        Self { jitter, ..self }
    }

    pub fn build<const D: usize>(&self) -> Simulation<D> {
        let vector = |x: f64| format!("{:?}", vec![x; D]);
        let (low, high) = (vector(-0.5), vector(0.5));
        let axes = &["\"x\"", "\"y\"", "\"z\""][..D].join(", ");
        let domain = match self.periodic {
            true => format!("domain = {{ min = {low}, max = {high}, periodic = [{axes}] }}"),
            false => String::new(),
        };
        let mut gravity = vec![0.0; D];
        gravity[1] = -self.gravity;
        let mut sim = simulation(&format!(
            "dim = {D}\nspacing = {:?}\nrest_density = 1.0\ngravity = {gravity:?}\nrun.end_time = 1.0\n{domain}\n\
             [[fluid]]\nshape.block = {{ min = {low}, max = {high} }}\n\
             [solver]\nname = \"pbf\"\n{}\n",
            1.0 / self.n as f64,
            self.solver,
        ));
        self.displace(&mut sim.state);
        sim
    }

    /// The jitter, after the scene was read: it may bring particles nearer than a scene may.
    fn displace<const D: usize>(&self, state: &mut State<D>) {
        let mut points: Vec<[f64; D]> =
            (0..state.fluid.len()).map(|i| state.fluid.position(i).map(f64::from)).collect();
        Jitter { amplitude: self.jitter / self.n as f64, seed: 0 }.apply(&mut points);
        for (i, x) in points.iter().enumerate() {
            let x = state.domain.periodic.wrap(x.map(|x| x as Real));
            for a in 0..D {
                state.fluid.x[a][i] = x[a];
            }
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

/// Mass of each particle by id, over that at rest.
pub fn masses(n: usize, spread: f64) -> Vec<f64> {
    (0..n as u64).map(|id| 1.0 + spread * f64::from(solver_pbf::physics::deviation(id))).collect()
}

/// One step of `dt`, and the way of every particle by id.
pub fn ways<const D: usize>(sim: &mut Simulation<D>, dt: f64) -> (StepReport, Vec<[f64; D]>) {
    let before = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let report = sim.solver.step(&mut sim.state, dt).unwrap_or_else(|error| panic!("{error}"));
    let after = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let way = |(a, b): (&[f64; D], &[f64; D])| std::array::from_fn(|k| b[k] - a[k]);
    (report, before.iter().zip(&after).map(way).collect())
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
        Memory::Field(field) | Memory::Array(field) => kept.push((name, field.clone(), 0.0)),
        Memory::Number(number) => kept.push((name, Vec::new(), *number)),
    });
    kept
}

/// Overwrites the memory of a fresh solver.
pub fn remember<const D: usize>(solver: &mut dyn Solver<D>, kept: &[(&'static str, Vec<Real>, f64)]) {
    solver.memory(&mut |name, memory| {
        let (_, field, number) = kept.iter().find(|(kept, ..)| *kept == name).expect("every name is kept");
        match memory {
            Memory::Field(place) | Memory::Array(place) => place.clone_from(field),
            Memory::Number(place) => *place = *number,
        }
    });
}

/// A column of water that falls in a tank: a third of the tank's length, moved by nothing but gravity.
pub fn dam_break<const D: usize>(preset: &str, spacing: f64, extra: &str, solver: &str) -> String {
    let z = |x: f64| if D == 3 { format!(", {x:?}") } else { String::new() };
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n{extra}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0{}], max = [0.5, 0.6{}] }}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0{}], max = [1.2, 1.0{}] }}\n\
         [solver]\nname = \"pbf\"\npreset = \"{preset}\"\n{solver}\n",
        z(0.0),
        z(0.5),
        z(0.0),
        z(0.5),
    )
}
