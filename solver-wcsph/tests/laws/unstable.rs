//! A set-up that cannot go well stops before anything bad is written, and for the right reason.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{dam_break, simulation};
use sph_core::{
    Real,
    method::{
        failure::{Cause, StepError},
        observer::View,
        report::{Number, StepReport},
    },
    run::simulation::Simulation,
    scene::OnFailure,
    watch::diagnosis::{Facts, explain},
};

/// Runs until it fails, and checks that no observer has seen a number that is not finite.
fn fail<const D: usize>(label: &str, sim: &mut Simulation<D>, steps: u64) -> Option<StepError> {
    let mut seen_finite = true;
    let result = sim.run(
        1e9,
        steps,
        &mut [&mut |view: &View<'_, D>| {
            let fluid = &view.state.fluid;
            let fields = fluid.x.iter().chain(&fluid.v).chain([&fluid.rho]).map(Vec::as_slice);
            seen_finite &= fields.chain(view.solver.field("pressure")).flatten().all(|x| x.is_finite());
            true
        }],
    );
    assert!(seen_finite, "{label}: something that is not finite could have been written");
    result.err()
}

/// Builds a scene, changes it behind the checks of scenes, runs it, and checks what is named.
fn stops<const D: usize>(
    label: &str,
    text: String,
    change: &dyn Fn(&mut Simulation<D>),
    likely_cause: &str,
) -> StepError {
    let mut sim = simulation::<D>(&text);
    change(&mut sim);
    let Some(error) = fail(label, &mut sim, 4000) else { panic!("{label}: did not fail") };
    let diagnosis = error.diagnosis.as_ref().unwrap_or_else(|| panic!("{label}: {error}"));
    assert_eq!(diagnosis.likely_cause.name(), likely_cause, "{label}: {error}");
    assert!(diagnosis.culprit.is_some(), "{label}: nobody is named: {error}");
    if let Some(dt) = diagnosis.suggested_dt {
        assert!(dt <= 0.5 * diagnosis.dt && dt > 0.0, "{label}: {error}");
    }
    error
}

/// The limit that binds at the start.
fn limit<const D: usize>(sim: &Simulation<D>) -> f64 {
    let limits = sim.solver.derived(&sim.state).step_limits;
    limits.iter().map(|limit| limit.value).fold(f64::INFINITY, f64::min)
}

fn dam<const D: usize>(preset: &str, solver: &str) -> String {
    dam_break::<D>(preset, if D == 2 { 0.05 } else { 0.1 }, "", solver)
}

/// Gives all particles a velocity along one axis.
fn throw<const D: usize>(sim: &mut Simulation<D>, axis: usize, speed: Real) {
    sim.state.fluid.v[axis].fill(speed);
}

#[test]
fn steps_above_a_limit() {
    let times = |factor: f64| move |sim: &mut Simulation<2>| sim.fixed_dt = Some(factor * limit(sim));
    let times_3d = |factor: f64| move |sim: &mut Simulation<3>| sim.fixed_dt = Some(factor * limit(sim));
    let name = "step_too_large";
    stops::<2>("12 times, validation", dam::<2>("validation", ""), &times(12.0), name);
    stops::<2>("5 times, graphics", dam::<2>("graphics", ""), &times(5.0), name);
    stops::<2>("50 times, validation", dam::<2>("validation", ""), &times(50.0), name);
    stops::<2>("300 times, graphics", dam::<2>("graphics", ""), &times(300.0), name);
    stops::<3>("10 times, 3D validation", dam::<3>("validation", ""), &times_3d(10.0), name);
    stops::<3>("10 times, 3D graphics", dam::<3>("graphics", ""), &times_3d(10.0), name);
    stops::<2>(
        "8 times, shifting",
        dam::<2>("validation", "regularization = \"shifting\""),
        &times(8.0),
        name,
    );
    let euler = "integrator = \"symplectic_euler\"";
    stops::<2>("8 times, symplectic Euler", dam::<2>("validation", euler), &times(8.0), name);

    let sound = |sim: &mut Simulation<2>| {
        sim.fixed_dt =
            sim.solver.derived(&sim.state).step_limits.iter().find(|l| l.name == "sound").map(|l| l.value);
    };
    let viscous = "viscosity_model = \"morris\"\ndynamic_viscosity = 20000.0";
    let error = stops::<2>("too viscous, Morris", dam::<2>("validation", viscous), &sound, name);
    assert!(error.line().contains("the limit by viscosity"), "{error}");
    let viscous = "artificial_viscosity_alpha = 10.0";
    let error = stops::<2>("too viscous, Monaghan", dam::<2>("graphics", viscous), &times(6.0), name);
    assert!(error.line().contains("the limit by viscosity"), "{error}");

    let heavy = |sim: &mut Simulation<2>| {
        let dt = limit(sim);
        sim.state.forces.gravity[1] = -1e7;
        sim.fixed_dt = Some(dt);
    };
    let error = stops::<2>("enormous gravity", dam::<2>("validation", ""), &heavy, name);
    assert!(error.line().contains("the limit by acceleration"), "{error}");
    let fast = |sim: &mut Simulation<2>| {
        let dt = limit(sim);
        throw(sim, 0, 1e4);
        sim.fixed_dt = Some(dt);
    };
    let error = stops::<2>("enormous speed", dam::<2>("validation", ""), &fast, name);
    assert!(error.line().contains("the limit by particle speed"), "{error}");
}

/// Puts the first `n` particles onto the place of one in the middle, a hundredth of a spacing apart.
fn pile<const D: usize>(sim: &mut Simulation<D>, n: usize) {
    let (fluid, spacing) = (&mut sim.state.fluid, sim.state.rest.spacing);
    for i in 0..n {
        for a in 0..D {
            fluid.x[a][i] = 0.25 + if a == 0 { 0.01 * spacing * i as Real } else { 0.0 };
        }
    }
}

#[test]
fn overlaps_at_the_start() {
    let name = "overlap";
    let error = stops::<2>("a pile", dam::<2>("graphics", ""), &|sim| pile(sim, 6), name);
    assert_eq!(error.step, 0, "{error}");
    stops::<3>("a pile in 3D", dam::<3>("graphics", ""), &|sim| pile(sim, 12), name);
    let twins = |sim: &mut Simulation<2>| {
        let n = sim.state.fluid.len();
        for i in 0..n {
            let (x, id) = (sim.state.fluid.position(i), (n + i) as u64);
            sim.state.fluid.push(id, [x[0] + 0.005, x[1]], [0.0; 2], 1000.0);
        }
    };
    let error =
        stops::<2>("two bodies in one place", dam::<2>("graphics", "sound_speed = 20.0"), &twins, name);
    assert!(error.line().contains("overlap at the start"), "{error}");
}

#[test]
fn mass_and_spacing_that_do_not_fit() {
    let name = "inconsistent";
    stops::<2>("four times the mass", dam::<2>("graphics", ""), &|sim| sim.state.rest.m *= 4.0, name);
    stops::<3>("eight times the mass in 3D", dam::<3>("graphics", ""), &|sim| sim.state.rest.m *= 8.0, name);
    let denser = |sim: &mut Simulation<2>| {
        sim.state.fluid.x.iter_mut().flatten().for_each(|x| *x *= 0.6);
    };
    stops::<2>("0.6 of the spacing", dam::<2>("graphics", ""), &denser, name);
}

#[test]
fn sound_that_is_too_slow() {
    let name = "sound_too_low";
    stops::<2>("1 m/s, graphics", dam::<2>("graphics", "sound_speed = 1.0"), &|_| (), name);
    stops::<3>("1 m/s, 3D graphics", dam::<3>("graphics", "sound_speed = 1.0"), &|_| (), name);
    stops::<2>("0.5 m/s, validation", dam::<2>("validation", "sound_speed = 0.5"), &|_| (), name);
    let down = |sim: &mut Simulation<2>| throw(sim, 1, -60.0);
    stops::<2>("thrown at the floor", dam::<2>("graphics", "sound_speed = 20.0"), &down, name);
    let heavy = |sim: &mut Simulation<2>| sim.state.forces.gravity[1] = -1e4;
    stops::<2>("pressed onto the floor", dam::<2>("graphics", "sound_speed = 20.0"), &heavy, name);
}

#[test]
fn two_causes_are_both_named() {
    let both = |sim: &mut Simulation<2>| sim.fixed_dt = Some(50.0 * limit(sim));
    let soft = dam::<2>("graphics", "sound_speed = 1.0");
    let error = stops::<2>("50 times, and 1 m/s", soft, &both, "step_too_large");
    let also = &error.diagnosis.as_ref().expect("an explanation").also_fits;
    assert!(also.iter().any(|cause| cause.name() == "sound_too_low"), "{error}");
    assert!(error.to_string().contains("which fits, too: the sound speed is too low"), "{error}");
    let alone = stops::<2>("1 m/s", dam::<2>("graphics", "sound_speed = 1.0"), &|_| (), "sound_too_low");
    assert!(!alone.to_string().contains("which fits, too"), "{alone}");
}

#[test]
fn walls_that_are_too_thin() {
    let name = "wall_too_thin";
    let one_layer = |solver| dam::<2>("validation", solver).replace("layers = 3", "layers = 1");
    let right = |sim: &mut Simulation<2>| throw(sim, 0, 400.0);
    stops::<2>("one layer, hit by the fluid", one_layer("sound_speed = 100.0"), &right, name);
    // The step is right for the fluid, and one drop is too fast for it.
    let drop = |speed: Real| {
        move |sim: &mut Simulation<2>| {
            sim.fixed_dt = Some(0.5 * limit(sim));
            sim.step(10.0).expect("a healthy step");
            let i = sim.state.fluid.x[0]
                .iter()
                .enumerate()
                .fold(0, |m, (i, &x)| if x > sim.state.fluid.x[0][m] { i } else { m });
            sim.state.fluid.x[0][i] = 1.0;
            sim.state.fluid.x[1][i] = 0.8;
            sim.state.fluid.v[0][i] = speed;
        }
    };
    stops::<2>("a drop that jumps over the wall", dam::<2>("validation", ""), &drop(400.0), name);
    stops::<2>("a drop that jumps over two layers", dam::<2>("graphics", ""), &drop(300.0), name);
}

#[test]
fn walls_that_are_missing() {
    let name = "wall_missing";
    let faces = |text: String, faces: &str| text.replace("layers =", &format!("faces = {faces}\nlayers ="));
    let sides = "[\"x_min\", \"x_max\"]";
    stops::<2>("no floor", faces(dam::<2>("graphics", ""), sides), &|_| (), name);
    stops::<2>("no floor, validation", faces(dam::<2>("validation", ""), sides), &|_| (), name);
    let left = "[\"x_min\", \"y_min\"]";
    let push = |sim: &mut Simulation<2>| throw(sim, 0, 2.0);
    stops::<2>("no wall ahead", faces(dam::<2>("validation", ""), left), &push, name);
    // Behind a tank that has walls on all sides none is missing, whatever has brought a particle there.
    let behind = |sim: &mut Simulation<2>| {
        for a in 0..2 {
            sim.state.fluid.x[a][7] = 0.9 * sim.state.domain.high[a];
            sim.state.fluid.v[a][7] = if a == 0 { 2.0 } else { 0.0 };
        }
    };
    stops::<2>("behind a closed tank", dam::<2>("validation", ""), &behind, "unclear");
}

#[test]
fn domains_that_are_too_small() {
    let name = "domain_too_small";
    let ends = |sim: &mut Simulation<2>| sim.state.domain.high[0] = 0.6;
    stops::<2>("ends before the wall", dam::<2>("validation", ""), &ends, name);
    stops::<2>("ends before the wall, graphics", dam::<2>("graphics", ""), &ends, name);
    let low = |sim: &mut Simulation<2>| sim.state.domain.high[1] = 1.2;
    let up = |sim: &mut Simulation<2>| {
        low(sim);
        throw(sim, 1, 6.0);
    };
    let open =
        dam::<2>("validation", "").replace("layers =", "faces = [\"x_min\", \"x_max\", \"y_min\"]\nlayers =");
    stops::<2>("ends above the tank", open, &up, name);
    let free = "spacing = 0.05\nrun.end_time = 9.0\n\
        [[fluid]]\nshape.block = { min = [0.0, 0.0], max = [0.5, 0.5] }\n[solver]\nname = \"wcsph\"\nsound_speed = 60.0\n";
    stops::<2>("falls forever", free.to_owned(), &|_| (), name);
}

#[test]
fn floors_of_the_step() {
    let error = stops::<2>("sound", dam::<2>("validation", "sound_speed = 1e9"), &|_| (), "too_stiff");
    assert!(error.line().contains("sound asks for steps below the floor"), "{error}");
    let heavy = |sim: &mut Simulation<2>| sim.state.forces.gravity[1] = -1e18;
    let error = stops::<2>("weight", dam::<2>("validation", ""), &heavy, "too_stiff");
    assert!(error.line().contains("acceleration asks for"), "{error}");
    let viscous = "viscosity_model = \"morris\"\ndynamic_viscosity = 1e10";
    let error = stops::<2>("viscosity", dam::<2>("graphics", viscous), &|_| (), "too_stiff");
    assert!(error.line().contains("viscosity asks for"), "{error}");
    let fast = |sim: &mut Simulation<2>| throw(sim, 0, 1e9);
    stops::<2>("speed", dam::<2>("graphics", ""), &fast, "sound_too_low");
}

#[test]
fn moving_walls_that_are_too_fast() {
    let name = "wall_too_fast";
    let piston = |velocity: &str| {
        format!(
            "[[wall]]\nshape.block = {{ min = [0.7, 0.0], max = [0.8, 0.5] }}\nside = \"outside\"\nlayers = 2\n\
             motion.translation = {{ velocity = [{velocity}, 0.0] }}\n"
        )
    };
    let with = |preset: &str, wall: String| {
        dam_break::<2>(preset, 0.05, "", "").replace("[solver]", &(wall + "[solver]"))
    };
    stops::<2>("a piston", with("graphics", piston("-100.0")), &|_| (), name);
    stops::<2>("a piston, validation", with("validation", piston("-100.0")), &|_| (), name);
    let stirrer = "[[wall]]\nshape.block = { min = [0.6, 0.2], max = [0.7, 0.3] }\nside = \"outside\"\nlayers = 1\n\
        motion.rotation = { center = [0.5, 0.25], angular_velocity = 1000.0 }\n";
    stops::<2>("a stirrer", with("graphics", stirrer.to_owned()), &|_| (), name);
}

/// Neighbors too far apart, a strict limit of the density and iterations that do not converge end a run, too.
#[test]
fn other_ends() {
    let far = |sim: &mut Simulation<2>| {
        sim.state.domain.high = [1e9; 2];
        sim.state.fluid.x[0][3] = 1e6;
        sim.state.fluid.x[1][3] = 1e6;
    };
    let error = stops::<2>("far apart", dam::<2>("graphics", ""), &far, "too_far_apart");
    assert!(matches!(error.cause, Cause::Neighbors(_)), "{error}");
    let strict = |sim: &mut Simulation<2>| sim.guard.policy.density_limit = 1e-3;
    let error = stops::<2>("a strict limit of density", dam::<2>("graphics", ""), &strict, "unclear");
    assert!(matches!(error.cause, Cause::TooDense { limit, .. } if limit == 1e-3), "{error}");

    let mut sim = simulation::<2>(&dam::<2>("graphics", ""));
    let report = StepReport { iterations: 100, residual: 0.5, ..StepReport::default() };
    let cause = Cause::NotConverged(Box::new(report));
    let error = StepError::new(&sim.state, "solve_pressure", None, cause);
    let explained = |sim: &Simulation<2>, facts: Facts| {
        let explained = explain(error.clone(), &sim.state, &*sim.solver, &facts);
        let diagnosis = explained.diagnosis.expect("an explanation");
        (diagnosis.likely_cause.name(), diagnosis.suggested_dt)
    };
    let facts = Facts { dt: 1e-3, allowed: Some(2e-4), ..Facts::default() };
    assert_eq!(explained(&sim, facts), ("no_convergence", Some(2e-4)));
    // Half of a step whose limit has fallen ten thousand times, with a speed that grew, is no advice; but to who has fixed it,
    // has made it small, or whose fluid is slow.
    let start = Number { name: "speed", value: 1e-3, unit: "s" };
    let fallen = Facts { dt: 1e-7, allowed: Some(1e-7), at_start: Some(start), fixed: false };
    assert_eq!(explained(&sim, fallen), ("no_convergence", Some(5e-8)));
    throw(&mut sim, 0, 1e3);
    assert_eq!(explained(&sim, fallen), ("runaway", None));
    assert_eq!(explained(&sim, Facts { fixed: true, ..fallen }), ("no_convergence", Some(5e-8)));
    assert_eq!(explained(&sim, Facts { allowed: Some(1e-3), ..fallen }), ("no_convergence", Some(5e-8)));
}

#[test]
fn smaller_steps_rescue_what_they_can() {
    for (preset, factor) in
        [("validation", 12.0), ("graphics", 5.0), ("validation", 20.0), ("graphics", 10.0)]
    {
        let mut sim = simulation::<2>(&dam::<2>(preset, ""));
        sim.fixed_dt = Some(factor * limit(&sim));
        sim.guard.policy.on_failure = OnFailure::ReduceDt;
        let label = format!("{preset}, {factor} times");
        if let Some(error) = fail(&label, &mut sim, 150) {
            panic!("{label}: {error}");
        }
        assert!(!sim.guard.retries.is_empty(), "{label}: nothing to rescue");
        assert!(sim.guard.retries.iter().all(|retry| retry.reason.contains("too large dt")), "{label}");
    }
    // What smaller steps cannot cure is not tried again.
    let mut sim = simulation::<2>(&dam::<2>("graphics", ""));
    sim.guard.policy.on_failure = OnFailure::ReduceDt;
    sim.state.domain.high[0] = 0.6;
    assert!(fail("a small domain", &mut sim, 4000).is_some() && sim.guard.retries.is_empty());
}
