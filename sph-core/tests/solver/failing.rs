//! Runs with a faulty state.

use super::scenes::{dam_break, simulation};
use sph_core::{
    Real,
    method::{
        failure::{BEFORE, Cause, StepError},
        likely_cause::LikelyCause,
        state::State,
    },
};

const VALUES: [Real; 3] = [Real::NAN, Real::INFINITY, Real::NEG_INFINITY];

/// Runs for a few steps, spoils one number, and checks that the next step names it.
pub fn is_named<const D: usize>(
    text: &str,
    field: &'static str,
    id: impl Fn(&State<D>) -> Option<u64>,
    spoil: impl Fn(&mut State<D>, Real),
) {
    for (steps, value) in [0, 3].into_iter().flat_map(|steps| VALUES.map(|value| (steps, value))) {
        let mut sim = simulation::<D>(text);
        sim.run(10.0, steps, &mut []).expect("a healthy run");
        let id = id(&sim.state);
        spoil(&mut sim.state, value);
        let label = format!("{field} = {value} after {steps} steps\n{text}");
        let Err(error) = sim.run(10.0, steps + 1, &mut []) else { panic!("not found: {label}") };
        assert_eq!((error.step, error.t.to_bits()), (sim.state.step, sim.state.t.to_bits()), "{label}");
        assert_eq!((error.phase, error.particle), (BEFORE, id), "{error}\n{label}");
        assert_eq!(error.cause, Cause::NotFinite { field }, "{error}\n{label}");
        let diagnosis = error.diagnosis.expect("an explanation");
        assert_eq!(diagnosis.likely_cause, LikelyCause::BadValue { field }, "{label}");
        assert_eq!((diagnosis.suggested_dt, diagnosis.culprit.map(|c| c.id)), (None, id), "{label}");
    }
}

/// Spoils the number of the particle in the middle of the order.
pub fn spoil_middle(field: &mut [Real], bad: Real) {
    let middle = field.len() / 2;
    field[middle] = bad;
}

/// Checks that every number of the state that a step reads is named when it is not finite.
pub fn bad_input_is_named<const D: usize>(text: &str) {
    let middle = |s: &State<D>| Some(s.fluid.id[s.fluid.len() / 2]);
    let wall = |s: &State<D>| Some(s.walls.id[s.walls.len() / 2]);
    for a in 0..D {
        is_named::<D>(text, "position", middle, |s, bad| spoil_middle(&mut s.fluid.x[a], bad));
        is_named::<D>(text, "velocity", middle, |s, bad| spoil_middle(&mut s.fluid.v[a], bad));
        is_named::<D>(text, "wall position", wall, |s, bad| {
            let b = s.walls.len() / 2;
            s.walls.x[a][b] = bad;
        });
        is_named::<D>(text, "wall velocity", wall, |s, bad| {
            let b = s.walls.len() / 2;
            s.walls.v[a][b] = bad;
        });
    }
    is_named::<D>(text, "wall volume", wall, |s, bad| {
        let b = s.walls.len() / 2;
        s.walls.volume[b] = bad;
    });
    is_named::<D>(text, "particle mass", |_| None, |s, bad| s.rest.m = bad);
    is_named::<D>(text, "rest density", |_| None, |s, bad| s.rest.rho_0 = bad);
    is_named::<D>(text, "spacing", |_| None, |s, bad| s.rest.spacing = bad);
    is_named::<D>(text, "gravity", |_| None, |s, bad| s.forces.gravity[0] = bad);
}

/// The same of positions and velocities by the hash grid, whose cells reach as far as numbers do.
pub fn bad_input_is_named_by_the_hash_grid(preset: &str) {
    let text = dam_break::<2>(preset, 0.05, "neighbors.backend = \"hash_grid\"", "");
    let middle = |s: &State<2>| Some(s.fluid.id[s.fluid.len() / 2]);
    is_named::<2>(&text, "position", middle, |s, bad| spoil_middle(&mut s.fluid.x[0], bad));
    is_named::<2>(&text, "velocity", middle, |s, bad| spoil_middle(&mut s.fluid.v[0], bad));
}

/// A step whose size is not a number is refused before it begins.
pub fn a_step_of_nan_is_named(preset: &str) {
    let mut sim = simulation::<2>(&dam_break::<2>(preset, 0.05, "", ""));
    sim.fixed_dt = Some(f64::NAN);
    let error = sim.step(1.0).expect_err("it is NaN");
    assert_eq!((error.phase, error.cause), (BEFORE, Cause::NotFinite { field: "dt" }));
}

/// A particle keeps its last finite position and velocity, and neighbors catch nothing that is not finite.
pub fn a_failed_step_leaves_a_readable_state(text: &str) {
    let mut sim = simulation::<2>(text);
    sim.run(10.0, 3, &mut []).expect("a healthy run");
    sim.fixed_dt = Some(1e30);
    let error = sim.run(1e33, 8, &mut []).expect_err("cannot go well");
    let fluid = &sim.state.fluid;
    assert!(fluid.x.iter().chain(&fluid.v).flatten().all(|x| x.is_finite()), "{error}");
    let culprit = error.diagnosis.and_then(|d| d.culprit).expect("a culprit");
    assert!(culprit.x.iter().chain(&culprit.v).all(|x| x.is_finite()), "{culprit}");
}

/// A step that is far too long is found within a few, and named as the cause.
pub fn an_absurd_step_is_found(text: &str) {
    for dt in [1e2, 1e12, 1e30] {
        let mut sim = simulation::<2>(text);
        sim.fixed_dt = Some(dt);
        let error = sim.run(1e33, 8, &mut []).expect_err("cannot go well");
        assert!(error.step < 8 && error.particle.is_some(), "{error}");
        assert!(likely_cause(&error).name() == "step_too_large", "{error}");
    }
}

/// What an error takes for its cause.
pub fn likely_cause(error: &StepError) -> &LikelyCause {
    &error.diagnosis.as_ref().unwrap_or_else(|| panic!("{error} is not explained")).likely_cause
}

/// A particle that flies out of the domain is named, with its place, by the phase that moves it there.
pub fn an_escape_is_found_where_it_is(text: &str, phase: &str) {
    let mut sim = simulation::<2>(text);
    let far = sim.state.domain.high[0];
    let id = sim.state.fluid.id[7];
    sim.state.fluid.x[0][7] = 0.9999 * far;
    sim.state.fluid.v[0][7] = 1e3;
    let error = sim.run(10.0, 40, &mut []).expect_err("it left");
    assert_eq!((error.phase, error.particle, &error.cause), (phase, Some(id), &Cause::Escaped));
    let culprit = error.diagnosis.as_ref().and_then(|d| d.culprit.clone()).expect("a culprit");
    assert!(culprit.x[0] > f64::from(far) && (culprit.speed() - 1e3).abs() < 1.0, "{error}");
}

/// Two lines that people and machines rely on: one line stays one, and the block begins with it.
pub fn an_error_is_a_line_or_a_block(preset: &str) {
    let mut sim = simulation::<2>(&dam_break::<2>(preset, 0.05, "", ""));
    sim.fixed_dt = Some(1.0);
    let error = sim.run(10.0, 8, &mut []).expect_err("cannot go well");
    let (line, block) = (error.line(), error.to_string());
    assert_eq!(line.lines().count(), 1);
    assert!(block.lines().count() > 3 && line.starts_with(block.lines().next().unwrap_or("-")), "{block}");
    for part in ["likely cause: too large dt", "suggested: ", "particles and ", " kg/m³"] {
        assert!(block.contains(part), "{part:?} is not in\n{block}");
    }
}
