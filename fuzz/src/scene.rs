//! What any bytes must pass as a scene: the fuzz target `scene`, and the test that replays its corpus.

use sph_core::{
    error::Error, geometry::shape::Shape, method::stopwatch::NoClock, numerics::lane::Isa, scene::Scene,
};

/// Scenes up to this many particles, or sites that are looked at for them, are set up.
const SMALL: f64 = 5e3;

/// Reads bytes as a scene, and sets it up if it is small. Whatever is refused is refused in words.
///
/// # Panics
/// When the text is neither accepted nor refused as it ought to be.
pub fn accepts_or_refuses(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let scene = match Scene::parse("fuzz.toml", text) {
        Ok(scene) => scene,
        Err(error) => return explained(&error, text),
    };
    if let Ok(written) = scene.to_toml() {
        // Texts, since a solver's table may hold what is not a number, which equals nothing.
        let again = Scene::parse("again.toml", &written).and_then(|scene| scene.to_toml());
        assert_eq!(again, Ok(written), "a scene written out is the same scene");
    }
    let sites = if scene.dim == 2 { sites::<2>(&scene) } else { sites::<3>(&scene) };
    let small = scene.estimate().is_ok_and(|counts| counts.fluid + counts.walls < SMALL) && sites < SMALL;
    if !small {
        return;
    }
    if scene.dim == 2 { set_up::<2>(&scene, text) } else { set_up::<3>(&scene, text) }
}

/// A refusal names the file, a line of it, and what is wrong.
fn explained(error: &Error, text: &str) {
    assert!(!error.message().is_empty() && error.to_string().starts_with("fuzz.toml:"), "{error}");
    let lines = text.matches('\n').count() + 1;
    assert!(error.line().is_some_and(|line| (1..=lines).contains(&line)), "{error}");
}

/// Sites in the boxes around fluid and walls: what sampling walks through.
fn sites<const D: usize>(scene: &Scene) -> f64 {
    let around = |shape: &Shape| {
        let bounds = shape.resolve::<D>("").ok().and_then(|region| region.bounds());
        bounds.map_or(0.0, |(min, max)| (0..D).map(|a| (max[a] - min[a]) / scene.spacing + 1.0).product())
    };
    let shapes = scene.fluid.iter().map(|body| &body.shape).chain(scene.wall.iter().map(|wall| &wall.shape));
    shapes.map(around).sum()
}

/// The state is finite and clear, or the scene is refused.
fn set_up<const D: usize>(scene: &Scene, text: &str) {
    let simulation = match solver_wcsph::simulation::<D>(scene, Isa::best(), Box::new(NoClock)) {
        Ok(simulation) => simulation,
        Err(error) => return explained(&error, text),
    };
    let state = &simulation.state;
    let comes = scene.command.iter().any(|command| command.add.is_some() || command.emitter.is_some());
    assert!((comes || !state.fluid.is_empty()) && state.rest.m > 0.0 && state.rest.m.is_finite());
    for a in 0..D {
        let fields = [&state.fluid.x[a], &state.fluid.v[a], &state.walls.x[a], &state.walls.v[a]];
        assert!(fields.iter().all(|field| field.iter().all(|x| x.is_finite())));
    }
    assert!(simulation.solver.derived(state).binding().is_some());
}
