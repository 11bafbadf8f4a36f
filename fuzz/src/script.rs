//! What any bytes must pass as a script of commands: the fuzz target `script`, and the test that replays its corpus.

use sph_core::{
    method::stopwatch::NoClock,
    numerics::lane::Isa,
    scene::{Scene, Script},
};

/// The run that scripts are for.
const SCENE: &str = "spacing = 0.1\nrun.end_time = 1.0\n\
    [[fluid]]\nshape.block = { min = [0.0, 0.0], max = [0.4, 0.4] }\n\
    [[wall]]\nname = \"tank\"\nshape.block = { min = [0.0, 0.0], max = [0.8, 0.8] }\n\
    [[command]]\nemitter = { name = \"tap\", center = [0.6, 0.6], direction = [-1.0, 0.0], radius = 0.05, speed = 1.0 }\n\
    [solver]\nname = \"wcsph\"\n";

/// Steps of a run with a script.
const STEPS: u64 = 8;
/// Particles that a script may add.
const SMALL: f64 = 1e3;

/// Reads bytes as a script, and runs the scene with it. Whatever is refused is refused in words, with its line.
///
/// # Panics
/// When the text is neither accepted nor refused as it ought to be.
pub fn runs_or_refuses(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(mut scene) = Scene::parse("fuzz.toml", SCENE) else { return };
    match Script::parse("script.toml", text, &scene) {
        Ok(script) => scene.command.extend(script.command),
        Err(error) => {
            let lines = text.matches('\n').count() + 1;
            assert!(!error.message().is_empty() && error.to_string().starts_with("script.toml:"), "{error}");
            return assert!(error.line().is_some_and(|line| (1..=lines).contains(&line)), "{error}");
        }
    }
    if scene.estimate().is_ok_and(|counts| counts.fluid + counts.walls > SMALL) {
        return;
    }
    let Ok(mut run) = solver_wcsph::simulation::<2>(&scene, Isa::best(), Box::new(NoClock)) else { return };
    let ended = run.run(f64::INFINITY, STEPS, &mut []);
    let fluid = &run.state.fluid;
    let finite = fluid.x.iter().chain(&fluid.v).flatten().all(|x| x.is_finite());
    assert!(ended.is_err() || finite, "a step that succeeds leaves numbers");
}
