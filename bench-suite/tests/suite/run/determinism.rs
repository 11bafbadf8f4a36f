//! Is every scene the same to the last bit, whatever the threads and the instruction set?

use crate::common;

use sph_core::{numerics::lane::Isa, scene::Scene};

const STEPS: u64 = 12;

fn hash_in<const D: usize>(name: &str, scene: &Scene, threads: usize, isa: Isa) -> u64 {
    common::on_threads(threads, || {
        let mut simulation = common::simulation::<D>(name, scene, &isa.into());
        common::steps(name, &mut simulation, STEPS);
        simulation.state.hash()
    })
}

fn hash(name: &str, scene: &Scene, threads: usize, isa: Isa) -> u64 {
    if scene.dim == 2 {
        hash_in::<2>(name, scene, threads, isa)
    } else {
        hash_in::<3>(name, scene, threads, isa)
    }
}

#[test]
fn threads_change_no_bit() {
    for (name, scene) in common::all_coarse() {
        let one = hash(&name, &scene, 1, Isa::best());
        for threads in [2, 7] {
            assert_eq!(hash(&name, &scene, threads, Isa::best()), one, "{name} on {threads} threads");
        }
    }
}

#[test]
fn instruction_sets_change_no_bit() {
    for (name, scene) in common::all_coarse() {
        let best = hash(&name, &scene, 2, Isa::best());
        for isa in Isa::available() {
            assert_eq!(hash(&name, &scene, 2, isa), best, "{name} on {isa}");
        }
    }
}

/// What the two tests above compare does change with the scene.
#[test]
fn another_velocity_changes_the_hash() {
    let (name, scene) = common::all_coarse().into_iter().find(|(name, _)| name == "square").unwrap();
    let mut other = scene.clone();
    other.fluid[0].velocity = sph_core::scene::VelocityField::Uniform(vec![1e-6, 0.0]);
    assert_ne!(hash(&name, &scene, 2, Isa::best()), hash(&name, &other, 2, Isa::best()));
}
