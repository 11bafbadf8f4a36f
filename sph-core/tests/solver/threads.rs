//! The same run on other threads and other instruction sets.

use super::scenes::simulation_with;
use sph_core::numerics::lane::Isa;

const STEPS: u64 = 30;
/// A wall that swings.
pub const BELT: &str = "[[wall]]\nshape.block = { min = [0.7, 0.0], max = [0.8, 0.3] }\nside = \"outside\"\nlayers = 2\n\
    motion.oscillation = { amplitude = [0.05, 0.0], frequency = 3.0 }\n";

fn hash<const D: usize>(text: &str, isa: Isa, threads: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(|| {
        let mut sim = simulation_with::<D>(text, isa);
        // Something to see after few steps, for viscosity and vorticity as well.
        for i in 0..sim.state.fluid.len() {
            sim.state.fluid.v[0][i] = (sim.state.fluid.x[1][i] * 40.0).sin();
        }
        sim.run(10.0, STEPS, &mut []).expect("a healthy run");
        sim.state.hash()
    })
}

/// Two threads have their turn with each instruction set.
pub fn same_for_threads_and_isas<const D: usize>(text: &str) {
    let expected = hash::<D>(text, Isa::available()[0], 1);
    for threads in [3, 16] {
        assert_eq!(hash::<D>(text, Isa::best(), threads), expected, "{threads} threads");
    }
    for isa in Isa::available() {
        assert_eq!(hash::<D>(text, isa, 2), expected, "{isa}");
    }
}
