//! Two runs of N steps with a restart between them are one run of 2N steps, to the last bit.

use crate::common;
use bench_suite::system::processor::Processor;

use sph_core::scene::Scene;

const STEPS: u64 = 7;

fn restarts<const D: usize>(name: &str, scene: &Scene) {
    let mut whole = common::simulation::<D>(name, scene, &Processor::default());
    common::steps(name, &mut whole, STEPS);
    let (state, kept) = (whole.state.clone(), common::keep(&mut whole));
    common::steps(name, &mut whole, STEPS);

    let mut again = common::simulation::<D>(name, scene, &Processor::default());
    again.state = state;
    common::give_back(&mut again, &kept);
    common::steps(name, &mut again, STEPS);
    assert_eq!(again.state.hash(), whole.state.hash(), "{name}");
    assert_eq!(common::keep(&mut again), common::keep(&mut whole), "{name}");
}

#[test]
fn every_scene_goes_on_where_it_stopped() {
    for (name, scene) in common::all_coarse() {
        if scene.dim == 2 { restarts::<2>(&name, &scene) } else { restarts::<3>(&name, &scene) }
    }
}
