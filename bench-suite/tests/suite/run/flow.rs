//! Is what the geometry says of a flow kept with the run?

use super::penetration::{ran, tank};
use sph_core::{method::solids::Flow, scene::Scene};

/// A later version may find otherwise: the scene that is kept says what was found, and gives the same run.
#[test]
fn the_flow_that_was_found_is_kept() {
    for solver in [
        "name = \"projection\"\ndynamic_viscosity = 1.0",
        "name = \"wcsph\"\nsound_speed = 20.0\ndynamic_viscosity = 1.0",
    ] {
        let half = tank("surface_velocity = [{ velocity = [1.0, 0.0] }]", "run.max_steps = 5", solver);
        let mut full = half.clone();
        full.wall[0].shape = full.fluid[0].shape.clone();
        for (scene, flow, line) in
            [(half, Flow::FreeSurface, "flow = \"free_surface\""), (full, Flow::Closed, "flow = \"closed\"")]
        {
            let first = ran(&scene);
            assert_eq!(first.start.as_ref().and_then(|start| start.flow), Some(flow), "{solver}");
            assert!(first.scene_toml.contains(line), "{line} is not in\n{}", first.scene_toml);
            let again = ran(&Scene::parse("resolved.toml", &first.scene_toml).unwrap());
            assert_eq!(first.state_hash, again.state_hash, "{solver} {line}");
        }
    }
}
