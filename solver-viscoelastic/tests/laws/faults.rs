//! A number that is not finite is found before it reaches an output, and where it began is told as far as it can be known:
//! in Gauss-Seidel sweeps a number spreads within its phase.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::{
    common::{NAME, make},
    solver::{
        faults::{Fault, Outcome, Spoil, VALUES, run, scene},
        ticking,
    },
};
use solver_viscoelastic::{Viscoelastic, springs::End};
use sph_core::{
    Real,
    method::{
        failure::{BEFORE, Cause},
        solver::Memory,
        state::State,
    },
    numerics::lane::Isa,
};

/// A box that floats on the dam, and a container around the tank.
fn company<const D: usize>() -> String {
    let z = |x: &str| if D == 3 { format!(", {x}") } else { String::new() };
    format!(
        "[[body]]\nname = \"box\"\ndensity = 500.0\n\
         shape.block = {{ min = [0.1, 0.6{}], max = [0.4, 0.8{}] }}\n\
         [[container]]\nshape.block = {{ min = [-0.1, -0.1{}], max = [1.3, 1.1{}] }}",
        z("0.1"),
        z("0.4"),
        z("-0.1"),
        z("0.6"),
    )
}

/// How far a number gets before it is found.
#[derive(Clone, Copy, PartialEq)]
enum Spreads {
    No,
    /// By impulses of viscosity, which none that is NaN makes.
    AsImpulse,
    /// To neighbors, and in Gauss-Seidel or with springs to theirs.
    AsPosition,
    /// From the record of a wall sample to the particles around it.
    FromWall,
}
use Spreads::*;

/// Phase, what of its output is spoilt, how far that spreads, and the field and the phases that may be named.
type Case<const D: usize> =
    (&'static str, Spoil<Viscoelastic<D>, D>, Spreads, &'static str, &'static [&'static str]);

const RELAXATION: &[&str] = &["double_density_relaxation"];
const VELOCITIES: &[&str] = &["update_velocities"];

fn position<const D: usize>(s: &mut Viscoelastic<D>, _: &mut State<D>, i: usize, bad: Real) {
    s.fields.position[i][D - 1] = bad;
}

fn velocity<const D: usize>(_: &mut Viscoelastic<D>, state: &mut State<D>, i: usize, bad: Real) {
    state.fluid.v[D - 1][i] = bad;
}

/// Rows as they are, but for the first spring of a particle.
fn rest<const D: usize>(s: &mut Viscoelastic<D>, state: &mut State<D>, victim: usize, bad: Real) {
    let (n, springs) = (state.fluid.len(), &mut s.fields.springs);
    let firsts: Vec<usize> = springs.chunks().iter().map(|chunk| chunk.first).chain([n]).collect();
    assert!(springs.row(victim).n > 0);
    springs.rewrite(
        firsts.len() - 1,
        |k| firsts[k],
        |k, before, out| {
            for i in firsts[k]..firsts[k + 1] {
                let row = before.row(i);
                for (at, end) in row.ends(0..row.n).enumerate() {
                    out.push(if (i, at) == (victim, 0) { End { rest: bad, ..end } } else { end });
                }
                out.end_row(row.n_near);
            }
        },
    );
}

/// The same in what a restart brings back.
fn kept_rest<const D: usize>(s: &mut Viscoelastic<D>, state: &mut State<D>, victim: usize, bad: Real) {
    let (id, mut at) = (state.fluid.id[victim] as Real, 0);
    s.fields.springs.memory(&mut |name, memory| match (name, memory) {
        ("spring_owner_low", Memory::Pairs(owner)) => at = owner.iter().position(|o| *o == id).unwrap(),
        ("spring_rest_length", Memory::Pairs(rest)) => rest[at] = bad,
        _ => {}
    });
}

fn record<const D: usize>(s: &mut Viscoelastic<D>, b: usize) -> &mut [Real; 4] {
    &mut s.fields.wall_x4[b]
}

fn of_walls<const D: usize>() -> Vec<Case<D>> {
    const MOVE: &[&str] = &["move_walls"];
    vec![
        ("move_walls", |_, state, b, bad| state.walls.x[0][b] = bad, No, "wall position", MOVE),
        ("move_walls", |_, state, b, bad| state.walls.v[D - 1][b] = bad, No, "wall velocity", MOVE),
        ("move_walls", |_, state, b, bad| state.walls.volume[b] = bad, No, "wall volume", &[BEFORE]),
        ("find_neighbors", |s, _, b, bad| record(s, b)[0] = bad, FromWall, "position", RELAXATION),
        ("find_neighbors", |s, _, b, bad| record(s, b)[3] = bad, FromWall, "density", RELAXATION),
    ]
}

fn of_fluid<const D: usize>() -> Vec<Case<D>> {
    // The grid refuses what is infinite.
    const GRID: &[&str] = &[BEFORE, "double_density_relaxation"];
    vec![
        ("apply_gravity", velocity, AsImpulse, "velocity", &[BEFORE]),
        ("apply_viscosity", velocity, No, "velocity", &[BEFORE]),
        ("predict_positions", velocity, No, "velocity", VELOCITIES),
        ("predict_positions", |_, state, i, bad| state.fluid.x[0][i] = bad, AsPosition, "position", GRID),
        ("find_neighbors", position, AsPosition, "position", RELAXATION),
        ("adjust_springs", position, AsPosition, "position", RELAXATION),
        ("apply_spring_displacements", position, AsPosition, "position", RELAXATION),
        ("double_density_relaxation", position, No, "position", RELAXATION),
        ("double_density_relaxation", |_, state, i, bad| state.fluid.rho[i] = bad, No, "density", RELAXATION),
        ("double_density_relaxation", velocity, No, "velocity", VELOCITIES),
        ("resolve_collisions", position, No, "position", RELAXATION),
        ("resolve_collisions", velocity, No, "velocity", VELOCITIES),
    ]
}

fn of_springs<const D: usize>() -> Vec<Case<D>> {
    vec![
        ("find_neighbors", rest, No, "rest length", &[BEFORE]),
        ("adjust_springs", rest, No, "rest length", &[BEFORE]),
        ("move_bodies", kept_rest, No, "rest length", &[BEFORE]),
    ]
}

fn is_named<const D: usize>(more: &str, solver: &str, call: u32, case: &Case<D>) {
    let (phase, spoil, spreads, field, phases) = *case;
    for value in VALUES {
        let on_wall = spreads == FromWall || field.starts_with("wall");
        let fault = Fault { phase, call, spoil, value, on_wall };
        let label = format!("{field} = {value} behind {phase} {call} in {D}D\n{more}\n{solver}");
        let Outcome { error, outputs_are_finite, is_spoilt, victim } =
            run(&scene::<D>(more, NAME, solver), make::<D>, fault, &label);
        let label = format!("{error}\n{label}");
        // What is kept is found where the next step reads it.
        let is_kept = field == "rest length" && phase != "find_neighbors";
        assert_eq!(error.step, u64::from(call) + u64::from(is_kept), "{label}");
        assert_eq!(error.cause, Cause::NotFinite { field }, "{label}");
        assert!(phases.contains(&error.phase), "{label}");
        assert!(outputs_are_finite, "{label}");
        // All neighbors of the source caught it, and of those with as many the corner has the lowest id.
        // Where it went on from there, no one knows where it began.
        let names_the_victim = match spreads {
            No => true,
            AsImpulse => value.is_nan() || !solver.contains("viscosity"),
            AsPosition => solver.contains("jacobi") && !solver.contains("spring") && more.is_empty(),
            FromWall => false,
        };
        let is_right = if names_the_victim { error.particle == victim } else { is_spoilt };
        assert!(is_right, "{label}");
    }
}

const MODES: [&str; 3] = ["sequential", "colored", "jacobi"];
const FULL: &str = "spring_stiffness = 100.0\nviscosity_linear = 5.0\nstick_stiffness = 100.0";

/// In all modes, in a step from the first particle to the last, and in one from the last to the first.
fn all_are_named<const D: usize>(more: &str, parameters: &str, cases: &[Case<D>]) {
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\n{parameters}");
        for (call, case) in [1, 2].into_iter().flat_map(|call| cases.iter().map(move |case| (call, case))) {
            is_named(more, &solver, call, case);
        }
    }
}

#[test]
fn faults_of_the_fluid_are_named() {
    for parameters in ["", FULL] {
        all_are_named::<2>("", parameters, &of_fluid());
    }
    all_are_named::<3>("", FULL, &of_fluid());
}

#[test]
fn faults_of_the_fluid_are_named_where_it_touches_a_body_and_a_container() {
    all_are_named::<2>(&company::<2>(), FULL, &of_fluid());
    all_are_named::<3>(&company::<3>(), "", &of_fluid());
}

#[test]
fn walls_are_named() {
    for more in ["", &company::<2>()] {
        all_are_named::<2>(more, FULL, &of_walls());
    }
    all_are_named::<3>("", "", &of_walls());
}

/// A rest length of a spring that is not finite is named.
/// The limit of the displacement by a spring makes a finite number of NaN.
#[test]
fn rest_lengths_are_named() {
    for flow in ["plasticity = 0.0", "", "spring_creation = \"at_start\""] {
        all_are_named::<2>("", &format!("{FULL}\n{flow}"), &of_springs());
    }
    all_are_named::<3>("", FULL, &of_springs());
}

/// The phase behind which a number of a body is spoilt.
fn of_bodies<const D: usize>() -> Vec<(&'static str, Spoil<Viscoelastic<D>, D>)> {
    let momentum: Spoil<Viscoelastic<D>, D> =
        |_, state, _, bad| state.bodies.list[0].momentum[0] = f64::from(bad);
    let spin: Spoil<Viscoelastic<D>, D> =
        |_, state, _, bad| state.bodies.list[0].angular_momentum[2] = f64::from(bad);
    let turn: Spoil<Viscoelastic<D>, D> = |_, state, _, bad| state.bodies.list[0].rotation.w = f64::from(bad);
    vec![
        ("apply_gravity", momentum),
        ("apply_gravity", spin),
        ("apply_gravity", turn),
        ("apply_gravity", |_, state, _, bad| state.bodies.list[0].x[0] = f64::from(bad)),
        // A position at which pressures were evaluated.
        ("double_density_relaxation", |s, _, i, bad| s.fields.pressure[i][0] = bad),
        ("resolve_collisions", |_, state, _, bad| state.bodies.list[0].wrench.force[0] = f64::from(bad)),
        ("resolve_collisions", |_, state, _, bad| state.bodies.list[0].wrench.torque[2] = f64::from(bad)),
        ("move_bodies", momentum),
        ("move_bodies", spin),
        ("move_bodies", turn),
    ]
}

/// It never reaches its samples, nor the fluid.
fn a_body_is_named<const D: usize>(parameters: &str) {
    for mode in MODES {
        let solver = format!("relax_mode = \"{mode}\"\n{parameters}");
        let scene = scene::<D>(&company::<D>(), NAME, &solver);
        for (k, (phase, spoil)) in of_bodies::<D>().into_iter().enumerate() {
            for value in VALUES {
                let fault = Fault { phase, call: 1, spoil, value, on_wall: false };
                let label = format!("{k}: {value} behind {phase} in {D}D\n{solver}");
                let Outcome { error, outputs_are_finite, .. } = run(&scene, make::<D>, fault, &label);
                // Behind the last phase of a step it can only be found by the next step.
                let is_last = phase == "move_bodies";
                assert_eq!((error.step, error.particle), (1 + u64::from(is_last), None), "{error}\n{label}");
                let cause = Cause::NotFinite { field: "body position or velocity" };
                assert_eq!((error.phase, &error.cause), ("move_bodies", &cause), "{error}\n{label}");
                assert!(is_last || outputs_are_finite, "{label}");
            }
        }
    }
}

#[test]
fn bodies_are_named() {
    a_body_is_named::<2>(FULL);
    a_body_is_named::<3>("");
}

#[test]
fn only_steps_are_timed() {
    let scene = scene::<2>("", NAME, "");
    ticking::only_steps_are_timed(|clock| make::<2>(&scene, Isa::best(), clock));
}
