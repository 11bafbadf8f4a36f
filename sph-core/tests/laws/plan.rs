//! What sizes something enters the plan of the memory.
#![allow(clippy::expect_used, reason = "a failure is that of the test")]

use sph_core::{
    scene::Scene,
    watch::plan::{Demand, MemoryPlan},
};

/// The plan of a tank of 20 by 20 particles with more lines, for a search over so many spacings.
fn plan(rest: &str, search_ratio: f64, threads: usize) -> MemoryPlan {
    let text = format!(
        "spacing = 0.01\nrun.end_time = 1.0\n{rest}\n[[fluid]]\nshape.block = {{ min = [0, 0], max = [0.2, 0.2] }}\n\
         [[wall]]\nname = \"tank\"\nshape.block = {{ min = [0, 0], max = [0.2, 0.4] }}\n"
    );
    let scene = Scene::parse("plan.toml", &text).expect("a valid scene");
    let counts = scene.estimate().expect("valid shapes");
    MemoryPlan::of_core(&scene, &Demand { counts, search_ratio, wall_rows: false, threads }).expect("a plan")
}

fn part(plan: &MemoryPlan, name: &str) -> f64 {
    plan.parts.iter().filter(|part| part.name == name).map(|part| part.bytes).sum()
}

#[test]
fn a_skin_makes_rows_longer_and_keeps_positions() {
    let (none, skin) = (plan("", 3.0, 2), plan("neighbors.skin = 0.03", 6.0, 2));
    let rows = part(&skin, "neighbor rows") / part(&none, "neighbor rows");
    // Four times the area, less what stands beyond the free faces.
    assert!((2.0..5.0).contains(&rows), "{rows}");
    assert_eq!(part(&none, "positions of the lists"), 0.0);
    let points = part(&skin, "positions of the lists") / (2.0 * size_of::<sph_core::Real>() as f64);
    assert!((500.0..1000.0).contains(&points), "{points}");
}

#[test]
fn threads_and_snapshots_are_planned() {
    let total = |rest: &str, threads| plan(rest, 3.0, threads).total();
    assert!(total("", 100) > total("", 1));
    assert!(total("run.on_failure = \"reduce_dt\"", 1) > total("", 1));
}

#[test]
fn an_emitter_counts_for_a_layer() {
    let emitter = |dim: u8, center: &str, down: &str| {
        let text = format!(
            "dim = {dim}\nspacing = 0.01\nrun.end_time = 1.0\n[[command]]\n\
             emitter = {{ center = {center}, direction = {down}, radius = 0.1, speed = 1.0 }}\n"
        );
        Scene::parse("tap.toml", &text).expect("a valid scene").estimate().expect("valid shapes").fluid
    };
    assert_eq!(emitter(2, "[0, 0]", "[0, -1]").round(), 20.0);
    assert_eq!(emitter(3, "[0, 0, 0]", "[0, -1, 0]").round(), 400.0);
}
