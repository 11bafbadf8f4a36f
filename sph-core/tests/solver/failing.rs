//! Runs with a faulty state.

use super::scenes::simulation;
use sph_core::{
    Real,
    method::{
        failure::{BEFORE, Cause},
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
