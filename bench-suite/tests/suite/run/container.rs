//! Does a container without wall particles hold the fluid?

use crate::common;
use bench_suite::system::processor::Processor;

use sph_core::scene::Scene;

/// A drop that flies through weightlessness towards the side of a round container.
fn drop_in_disc(container: &str) -> Scene {
    let text = format!(
        "spacing = 0.05\ngravity = [0.0, 0.0]\nrun.end_time = 1.0\n{container}\n\
         [[fluid]]\nshape.disc = {{ center = [0.0, 0.0], radius = 0.2 }}\nvelocity.uniform = [2.0, 1.0]\n\
         [solver]\nname = \"wcsph\"\nsound_speed = 20.0\n"
    );
    Scene::parse("drop", &text).unwrap()
}

fn farthest_after(scene: &Scene, t: f64) -> f64 {
    let mut simulation = common::simulation::<2>("drop", scene, &Processor::default());
    while simulation.state.t < t {
        common::steps("drop", &mut simulation, 1);
    }
    let fluid = &simulation.state.fluid;
    (0..fluid.len())
        .map(|i| fluid.position(i).iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt())
        .fold(0.0, f64::max)
}

#[test]
fn no_particle_leaves_a_container() {
    let held = "[[container]]\nshape.disc = { center = [0.0, 0.0], radius = 1.0 }\nrestitution = 0.5";
    // Particles keep half a spacing; a place of about 1 m rounds at 1e-7 m.
    let farthest = farthest_after(&drop_in_disc(held), 0.8);
    assert!(farthest < 1.0 - 0.025 + 1e-6, "{farthest} m");
    assert!(farthest > 0.9, "the drop never arrived: {farthest} m");
    assert!(farthest_after(&drop_in_disc(""), 0.8) > 1.5, "nothing had to be held");
}
