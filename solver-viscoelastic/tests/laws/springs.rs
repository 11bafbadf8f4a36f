//! Springs: displacements, plastic flow, removal and creation, also through sorts.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common::*;
use sph_core::{Real, run::simulation::Simulation};

const DT: f64 = 0.01;
/// Springs alone, with h = 1 m in a scene of two particles across.
const ALONE: &str = "stiffness = 0.0\nstiffness_near = 0.0\nrest_density = 1.0\nsupport_ratio = 2.0";

/// Springs by the ids of their ends: rest length.
pub fn springs<const D: usize>(sim: &mut Simulation<D>) -> Vec<([u64; 2], f64)> {
    let kept = memory(&mut *sim.solver);
    let column = |name: &str| {
        let found = kept.iter().find(|(kept, ..)| *kept == name).expect("a column of springs");
        found.1.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>()
    };
    let id = |low: &str, high: &str| -> Vec<u64> {
        column(low).iter().zip(column(high)).map(|(low, high)| *low as u64 + ((high as u64) << 20)).collect()
    };
    let owners = id("spring_owner_low", "spring_owner_high");
    let others = id("spring_other_low", "spring_other_high");
    let mut all: Vec<_> = owners
        .into_iter()
        .zip(others)
        .zip(column("spring_rest_length"))
        .map(|((owner, other), rest)| ([owner, other], rest))
        .collect();
    all.sort_by_key(|entry| entry.0);
    all
}

/// Sets a pair at rest at the distance `r`.
fn hold(sim: &mut Simulation<2>, r: f64) {
    for i in 0..2 {
        let side = if sim.state.fluid.id[i] == 0 { -0.5 } else { 0.5 };
        (sim.state.fluid.x[0][i], sim.state.fluid.x[1][i]) = ((side * r) as Real, 0.0);
        (sim.state.fluid.v[0][i], sim.state.fluid.v[1][i]) = (0.0, 0.0);
    }
}

fn pair(r: f64, solver: &str) -> Simulation<2> {
    particles::<2>(
        &[[-0.5 * r, 0.0], [0.5 * r, 0.0]],
        &format!("{ALONE}\nspring_stiffness = 200.0\n{solver}"),
    )
}

#[test]
fn both_ends_know_the_same_spring() {
    for mode in MODES {
        let solver = format!("{ALONE}\nspring_stiffness = 200.0\nrelax_mode = \"{mode}\"");
        let mut sim = Block::free(8, &solver.replace("support_ratio = 2.0", "")).jitter(0.3).build::<3>();
        shake(&mut sim.state, 3, 2.0);
        for _ in 0..20 {
            displacements(&mut sim, DT);
        }
        let all = springs(&mut sim);
        assert!(all.len() > 20 * 512, "{}", all.len());
        for (ends, rest) in &all {
            let back = all.binary_search_by_key(&[ends[1], ends[0]], |entry| entry.0).expect("the other end");
            assert_eq!(all[back].1.to_bits(), rest.to_bits());
        }
        assert!(all.windows(2).all(|two| two[0].0 != two[1].0), "no spring twice");
    }
}

#[test]
fn springs_free_of_stress_move_nothing() {
    for mode in MODES {
        let solver = format!("{ALONE}\nspring_stiffness = 500.0\nrelax_mode = \"{mode}\"");
        let mut sim = Block::free(8, &solver).jitter(0.2).build::<2>();
        for _ in 0..10 {
            let (_, displacements) = displacements(&mut sim, DT);
            assert!(displacements.iter().all(|way| norm(way) == 0.0), "{mode}");
        }
    }
}

#[test]
fn new_springs_are_as_long_as_their_pair_is_apart() {
    let mut sim = pair(0.6, "");
    displacements(&mut sim, DT);
    assert!(springs(&mut sim).iter().all(|(_, rest)| (rest - 0.6).abs() < 1e-6));
}

#[test]
fn within_the_yield_ratio_and_without_plasticity_nothing_flows() {
    for (solver, r) in [("yield_ratio = 0.2", 0.71), ("yield_ratio = 0.2", 0.5), ("plasticity = 0.0", 0.95)] {
        let mut sim = pair(0.6, solver);
        displacements(&mut sim, DT);
        let before = springs(&mut sim);
        for _ in 0..20 {
            hold(&mut sim, r);
            displacements(&mut sim, DT);
        }
        assert_eq!(springs(&mut sim), before, "{solver} at {r}");
    }
}

#[test]
fn rest_lengths_follow_what_exceeds_the_yield_ratio() {
    let mut sim = pair(0.6, "yield_ratio = 0.1\nplasticity = 20.0");
    displacements(&mut sim, DT);
    let mut rest = springs(&mut sim)[0].1;
    for _ in 0..10 {
        hold(&mut sim, 0.9);
        displacements(&mut sim, DT);
        rest += 0.2 * (0.9 - 1.1 * rest);
        let found = springs(&mut sim)[0].1;
        assert!((found - rest).abs() < 1e-5, "{found} {rest}");
    }
    // Compression has the same ratio.
    let mut sim = pair(0.6, "yield_ratio = 0.1\nplasticity = 20.0");
    displacements(&mut sim, DT);
    hold(&mut sim, 0.2);
    displacements(&mut sim, DT);
    let found = springs(&mut sim)[0].1;
    assert!((found - (0.6 - 0.2 * (0.9 * 0.6 - 0.2))).abs() < 1e-5, "{found}");
}

#[test]
fn a_spring_breaks_when_its_rest_length_exceeds_the_radius_and_not_before() {
    let mut sim = pair(0.9, "yield_ratio = 0.0\nplasticity = 30.0");
    displacements(&mut sim, DT);
    let mut rest = springs(&mut sim)[0].1;
    // Beyond the radius there is no neighbor, but still a spring.
    while rest <= 1.0 {
        assert_eq!(springs(&mut sim).len(), 2, "at {rest}");
        hold(&mut sim, 1.3);
        displacements(&mut sim, DT);
        rest += 0.3 * (1.3 - rest);
    }
    assert_eq!(springs(&mut sim).len(), 0, "at {rest}");
}

#[test]
fn elastic_bodies_create_springs_once() {
    let mut sim = pair(1.4, "spring_creation = \"at_start\"");
    displacements(&mut sim, DT);
    hold(&mut sim, 0.6);
    displacements(&mut sim, DT);
    assert_eq!(springs(&mut sim).len(), 0);
    let mut sim = pair(1.4, "");
    displacements(&mut sim, DT);
    hold(&mut sim, 0.6);
    displacements(&mut sim, DT);
    assert_eq!(springs(&mut sim).len(), 2);
}

#[test]
fn springs_of_removed_particles_are_gone_and_the_others_stay() {
    let solver = format!("{ALONE}\nspring_stiffness = 200.0");
    let mut sim = Block::free(6, &solver).jitter(0.2).build::<2>();
    displacements(&mut sim, DT);
    let before = springs(&mut sim);
    let keep: Vec<u32> = (0..36).filter(|&i| !sim.state.fluid.id[i as usize].is_multiple_of(3)).collect();
    sim.state.fluid.keep(&keep);
    sim.solver.fluid_changed();
    sim.solver.step(&mut sim.state, DT).expect("a step");
    let expected: Vec<_> =
        before.into_iter().filter(|(ends, _)| ends.iter().all(|id| !id.is_multiple_of(3))).collect();
    assert_eq!(springs(&mut sim), expected);
}

/// A bar that is stretched by a tenth and let go has its old length on average; sequential and colored hold it, too.
#[test]
fn a_stretched_elastic_bar_comes_back() {
    for mode in MODES {
        let solver = format!(
            "{ALONE}\nspring_stiffness = 300.0\nplasticity = 0.0\nspring_creation = \"at_start\"\nrelax_mode = \"{mode}\"\n\
             viscosity_linear = 10.0"
        );
        let mut sim = Block::free(8, &solver).build::<2>();
        displacements(&mut sim, DT);
        let length = |sim: &Simulation<2>| {
            let x = &sim.state.fluid.x[0];
            f64::from(
                x.iter().copied().fold(Real::MIN, Real::max) - x.iter().copied().fold(Real::MAX, Real::min),
            )
        };
        let before = length(&sim);
        sim.state.fluid.x[0].iter_mut().for_each(|x| *x *= 1.1);
        let mut lengths = Vec::new();
        for _ in 0..2000 {
            displacements(&mut sim, DT);
            sim.state.fluid.v.iter_mut().flatten().for_each(|v| *v *= 0.995);
            lengths.push(length(&sim));
        }
        let end = lengths[1900..].iter().sum::<f64>() / 100.0;
        assert!((end / before - 1.0).abs() < 0.005, "{mode}: {before} becomes {end}");
        assert!(lengths[..100].iter().any(|l| (l / before - 1.0).abs() > 0.05), "{mode}: it was stretched");
    }
}

/// Springs that are switched off for some steps, in which particles are sorted, join the same particles afterwards.
#[test]
fn springs_that_were_switched_off_come_back_to_their_particles() {
    let solver =
        format!("{ALONE}\nspring_stiffness = 200.0\nplasticity = 0.0\nspring_creation = \"at_start\"");
    let mut sim = Block::free(8, &solver).jitter(0.2).build::<2>();
    displacements(&mut sim, DT);
    let before = springs(&mut sim);
    // Reading them has stored them by id; a step restores their rows.
    displacements(&mut sim, DT);
    let set = |sim: &mut Simulation<2>, value: f64| {
        sim.solver.set_parameter("spring_stiffness", &toml::Value::from(value)).expect("it may change");
    };
    set(&mut sim, 0.0);
    // Turned by a right angle, they are sorted into another order.
    let [x, y] = &mut sim.state.fluid.x;
    std::mem::swap(x, y);
    x.iter_mut().for_each(|x| *x = -*x);
    let order = sim.state.fluid.id.clone();
    displacements(&mut sim, DT);
    assert_ne!(sim.state.fluid.id, order);
    set(&mut sim, 200.0);
    let (_, displacements) = displacements(&mut sim, DT);
    // No spring was stretched by the turn, but for rounding.
    assert!(displacements.iter().all(|way| norm(way) < 1e3 * EPSILON), "{displacements:?}");
    let after = springs(&mut sim);
    assert_eq!(before.iter().map(|s| s.0).collect::<Vec<_>>(), after.iter().map(|s| s.0).collect::<Vec<_>>());
}
