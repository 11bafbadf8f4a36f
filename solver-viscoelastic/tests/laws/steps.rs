//! Whole steps: motion without forces, free fall, and what no choice of axes may change.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common::*;
use sph_core::Real;

const DT: f64 = 0.005;

#[test]
fn a_lone_particle_goes_straight() {
    for mode in MODES {
        let mut sim = particles::<3>(&[[0.0; 3]], &format!("relax_mode = \"{mode}\""));
        for (a, v) in [0.3, -0.2, 0.1].into_iter().enumerate() {
            sim.state.fluid.v[a][0] = v;
        }
        let (_, displacements) = displacements(&mut sim, DT);
        for (a, v) in [0.3, -0.2, 0.1].into_iter().enumerate() {
            assert!((displacements[0][a] - DT * v).abs() < EPSILON * DT);
            assert_eq!(sim.state.fluid.v[a][0], v as Real);
        }
    }
}

/// `y_n = y_0 − ½ g t (t + Δt)`.
#[test]
fn the_center_of_mass_falls_along_the_parabola() {
    for mode in MODES {
        let solver = format!(
            "relax_mode = \"{mode}\"\nspring_stiffness = 100.0\nviscosity_linear = 5.0\nstiffness = 20.0"
        );
        let mut sim = Block { gravity: 9.81, ..Block::free(8, &solver) }.jitter(0.2).build::<2>();
        let center = |y: &[Real]| y.iter().map(|&y| f64::from(y)).sum::<f64>() / y.len() as f64;
        let y_0 = center(&sim.state.fluid.x[1]);
        let steps = 40;
        for _ in 0..steps {
            displacements(&mut sim, DT);
        }
        let t = DT * f64::from(steps);
        let fallen = y_0 - center(&sim.state.fluid.x[1]);
        assert!((fallen - 0.5 * 9.81 * t * (t + DT)).abs() < 40.0 * EPSILON, "{mode}: {fallen}");
    }
}

/// The motion of a block that is turned by a quarter is turned by a quarter.
/// Jacobi alone is independent of the order of particles, which a rotation changes.
#[test]
fn a_quarter_of_a_turn_turns_the_motion() {
    let solver = "relax_mode = \"jacobi\"\nspring_stiffness = 100.0\nviscosity_linear = 5.0";
    let run = |turned: bool| {
        let mut sim = Block::free(8, solver).jitter(0.3).build::<2>();
        squeeze(&mut sim.state, 0.9);
        if turned {
            let [x, y] = &mut sim.state.fluid.x;
            std::mem::swap(x, y);
            x.iter_mut().for_each(|x| *x = -*x);
        }
        for _ in 0..5 {
            displacements(&mut sim, DT);
        }
        vectors(&sim.state.fluid.id, &sim.state.fluid.x)
    };
    for (a, b) in run(false).iter().zip(&run(true)) {
        assert!((a[0] - b[1]).abs() + (a[1] + b[0]).abs() < 50.0 * EPSILON, "{a:?} {b:?}");
    }
}

#[test]
fn without_gravity_a_blob_rounds_up() {
    // Attraction by negative pressure: a square becomes round.
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\nviscosity_linear = 2.0\nstiffness = 20.0");
        let mut sim = Block::free(16, &solver).build::<2>();
        let corner = |sim: &sph_core::run::simulation::Simulation<2>| {
            let positions = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
            let far = positions.iter().map(norm).fold(0.0, f64::max);
            let mean2 = positions.iter().map(|x| norm(x).powi(2)).sum::<f64>() / positions.len() as f64;
            // √2 of the radius of a disc with the same second moment.
            far / (2.0 * mean2).sqrt()
        };
        let before = corner(&sim);
        for _ in 0..3000 {
            displacements(&mut sim, 0.01);
            sim.state.fluid.v.iter_mut().flatten().for_each(|v| *v *= 0.999);
        }
        let after = corner(&sim);
        assert!(before > 1.15 && after < 1.07, "{mode}: {before} becomes {after}");
    }
}

/// Root mean square speed in the second half of a second of a tank at rest, with the Courant number `waves` of pressure
/// waves; `None` where it is unstable.
fn residual_speed<const D: usize>(mode: &str, waves: f64) -> Option<f64> {
    let (spacing, edge) = if D == 2 { (0.01, 0.4) } else { (0.02, 0.2) };
    let corner = |height: f64| format!("{:?}", [edge, height, edge][..D].to_vec());
    // c² = g H/ε, with the spacing that the depth of a lattice is deeper than its centers.
    let c = (9.81 * edge / 0.03_f64).sqrt();
    let dt = waves * spacing / c;
    let mut sim = simulation::<D>(&format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 2.0\nboundary.psi_mode = \"fluid_mass\"\n\
         [[fluid]]\nshape.block = {{ min = {zero}, max = {fluid} }}\n\
         [[wall]]\nshape.block = {{ min = {zero}, max = {tank} }}\nlayers = 2\n\
         [solver]\nname = \"viscoelastic\"\nrelax_mode = \"{mode}\"\n",
        zero = format_args!("{:?}", vec![0.0; D]),
        fluid = corner(edge),
        tank = corner(2.0 * edge),
    ));
    sim.fixed_dt = Some(dt);
    let (mut squares, mut n) = (0.0, 0);
    while sim.state.t < 1.0 {
        let report = sim.step(f64::INFINITY).ok()?;
        if report.max_speed > 1e2 {
            return None;
        }
        if sim.state.t > 0.5 {
            let v = &sim.state.fluid.v;
            squares += v.iter().flatten().map(|&v| f64::from(v).powi(2)).sum::<f64>();
            n += v[0].len();
        }
    }
    Some((squares / f64::from(n as u32)).sqrt())
}

#[test]
#[ignore = "a table of the book, of half a minute"]
fn stability_map() {
    const WAVES: [f64; 5] = [0.5, 0.7, 1.0, 1.4, 2.0];
    for mode in ["jacobi", "colored", "sequential"] {
        let flat = WAVES.map(|waves| residual_speed::<2>(mode, waves));
        let space = WAVES.map(|waves| residual_speed::<3>(mode, waves));
        println!("{mode} at {WAVES:?}: {flat:.2?} {space:.2?}");
        // What the limit of the step stands on: its safe part is calm, and twice the limit explodes.
        assert!(flat[1].is_some() && space[0].is_some() && flat[4].is_none() && space[4].is_none(), "{mode}");
    }
}

/// Root mean square speed over the spacing and the step, of a perturbed elastic block with springs of this
/// `dt² k`; `None` where it is unstable.
fn residual_speed_of_springs<const D: usize>(mode: &str, stiffness: f64) -> Option<f64> {
    let solver = format!(
        "relax_mode = \"{mode}\"\nspring_stiffness = {:?}\nspring_creation = \"at_start\"\nplasticity = 0.0\n\
         stiffness = 20.0",
        stiffness / (DT * DT)
    );
    let mut sim = Block::free(if D == 2 { 16 } else { 8 }, &solver).jitter(0.3).build::<D>();
    sim.fixed_dt = Some(DT);
    for _ in 0..600 {
        sim.step(f64::INFINITY).ok()?;
    }
    let (fluid, spacing) = (&sim.state.fluid, f64::from(sim.state.rest.spacing));
    let squares = fluid.v.iter().flatten().map(|&v| f64::from(v).powi(2)).sum::<f64>();
    let speed = (squares / fluid.len() as f64).sqrt() * DT / spacing;
    (speed < 1.0).then_some(speed)
}

#[test]
#[ignore = "a table of the book, of half a minute"]
fn stability_of_springs() {
    const STIFFNESS: [f64; 6] = [0.1, 0.28, 0.5, 0.83, 1.2, 2.0];
    for mode in MODES {
        let flat = STIFFNESS.map(|stiffness| residual_speed_of_springs::<2>(mode, stiffness));
        let space = STIFFNESS.map(|stiffness| residual_speed_of_springs::<3>(mode, stiffness));
        println!("{mode} at {STIFFNESS:?}: {flat:.4?} {space:.4?}");
        // What the limit of the step stands on: about the largest that the solver takes is calm.
        for found in [flat[1], space[1]] {
            assert!(found.is_some_and(|speed| speed < 1e-3), "{mode}: {found:?}");
        }
    }
}
