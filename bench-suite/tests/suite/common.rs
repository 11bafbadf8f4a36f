//! What the tests of whole runs share.
#![allow(dead_code, reason = "no test uses all of it")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests")]

use bench_suite::{run, scenes, system::processor::Processor};
use sph_core::{Real, method::solver::Memory, run::simulation::Simulation, scene::Scene};
use std::{collections::BTreeMap, path::Path};

/// A scene file at half its resolution, with its name. Half keeps periods whole and obstacles thick.
pub fn coarse(file: &Path) -> (String, Scene) {
    let mut scene = scenes::read(file).unwrap_or_else(|error| panic!("{error}"));
    scene.spacing *= 2.0;
    (file.file_stem().unwrap().to_string_lossy().into_owned(), scene)
}

/// All scene files at half their resolution.
pub fn all_coarse() -> Vec<(String, Scene)> {
    let all: Vec<_> = scenes::files().iter().map(|file| coarse(file)).collect();
    assert!(all.len() >= 12, "only {} scenes in {}", all.len(), scenes::folder().display());
    all
}

/// A run of `scene`.
pub fn simulation<const D: usize>(name: &str, scene: &Scene, processor: &Processor) -> Simulation<D> {
    run::simulation(scene, processor).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Steps of adaptive size.
pub fn steps<const D: usize>(name: &str, simulation: &mut Simulation<D>, n: u64) {
    for _ in 0..n {
        simulation.step(f64::INFINITY).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Runs `f` on so many threads.
pub fn on_threads<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(f)
}

/// Copy of what a solver wants to keep over a restart.
#[derive(Debug, Default, PartialEq)]
pub struct Kept {
    fields: BTreeMap<&'static str, Vec<Real>>,
    numbers: BTreeMap<&'static str, f64>,
}

/// Reads a solver's memory.
pub fn keep<const D: usize>(simulation: &mut Simulation<D>) -> Kept {
    let mut kept = Kept::default();
    simulation.solver.memory(&mut |name, memory| match memory {
        Memory::Field(field) | Memory::Array(field) | Memory::Pairs(field) => {
            drop(kept.fields.insert(name, field.clone()))
        }
        Memory::Number(number) => drop(kept.numbers.insert(name, *number)),
    });
    kept
}

/// Overwrites a solver's memory.
pub fn give_back<const D: usize>(simulation: &mut Simulation<D>, kept: &Kept) {
    simulation.solver.memory(&mut |name, memory| match memory {
        Memory::Field(field) | Memory::Array(field) | Memory::Pairs(field) => {
            field.clone_from(&kept.fields[name])
        }
        Memory::Number(number) => *number = kept.numbers[name],
    });
}
