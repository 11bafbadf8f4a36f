//! Fluid under tension: a square that turns in empty space, whose pressure is below that of the air around it.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stdout, reason = "the measured numbers")]

use crate::common::assemble;
use solver_projection::{Projection, cpu::Cpu, step::step};
use sph_core::{
    Real,
    method::{state::State, stopwatch::NoClock},
    numerics::lane::Isa,
    run::method::Method as _,
    scene::Scene,
};

const TEXT: &str = "spacing = SPACING\nrest_density = 1.0\ngravity = [0.0, 0.0]\nmass_mode = \"volume\"\nrun.end_time = 2.0\n\
    [[fluid]]\nshape.block = { min = [-0.5, -0.5], max = [0.5, 0.5] }\njitter = JITTER\n\
    velocity.linear = { matrix = [[0.0, -1.0], [1.0, 0.0]], center = [0.0, 0.0] }\n\
    [solver]\nname = \"projection\"\npreset = \"closed\"\n";

/// A square of 1 m that turns by 1 rad/s, and the method, with the settings that keep order by shifting.
fn square(n: u32, jitter: f64) -> (State<2>, Projection<2>) {
    let text = TEXT
        .replace("SPACING", &format!("{:?}", 1.0 / f64::from(n)))
        .replace("JITTER", &format!("{jitter:?}"));
    let scene = Scene::parse("test.toml", &text).unwrap();
    let (state, method) = Projection::<2>::of_scene(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    (state, method)
}

fn advance(state: &mut State<2>, method: &mut Projection<2>, dt: f64, steps: u32) {
    for _ in 0..steps {
        step(Cpu::new(method, state).phases(), dt).unwrap();
        state.t += dt;
    }
}

/// Over the particles of the square, kinetic energy and angular momentum per mass.
fn motion(state: &State<2>) -> [f64; 2] {
    let fluid = &state.fluid;
    (0..fluid.len()).fold([0.0; 2], |[energy, spin], i| {
        let ([x, y], [u, v]) = (fluid.position(i).map(f64::from), fluid.velocity(i).map(f64::from));
        [energy + 0.5 * (u * u + v * v), spin + x * v - y * u]
    })
}

/// `∇²p = 2 ρΩ²` with p = 0 on the sides: `p = −0.14734 ρΩ²L²` in the middle (Prandtl's function of a square bar under torsion).
#[test]
fn a_turning_square_has_the_pressure_of_poissons_equation() {
    let (mut state, mut method) = square(40, 0.0);
    advance(&mut state, &mut method, 2e-3, 40);
    let place = |i: &usize| state.fluid.position(*i).iter().all(|x| x.abs() < 0.06);
    let middle: Vec<_> =
        (0..state.fluid.len()).filter(place).map(|i| f64::from(method.fields.p[i])).collect();
    let p = middle.iter().sum::<f64>() / middle.len() as f64;
    println!("pressure in the middle {p:.4} of ρΩ²L²");
    assert!((p / -0.14734 - 1.0).abs() < 0.05, "{p}");
}

/// It keeps energy and angular momentum, and its arms grow, and no more than the tips of these leave it.
#[test]
fn a_turning_square_stays_whole() {
    for jitter in [0.0, 0.1] {
        let (mut state, mut method) = square(24, jitter);
        let first = motion(&state);
        advance(&mut state, &mut method, 2e-3, 500);
        let [energy, spin] = motion(&state);
        let lost = [1.0 - energy / first[0], 1.0 - spin / first[1]];
        let at = |i: usize| state.fluid.position(i).map(f64::from);
        let n = state.fluid.len();
        let gap = |i: usize, j: usize| (at(i)[0] - at(j)[0]).hypot(at(i)[1] - at(j)[1]);
        let nearest = |i: usize| (0..n).filter(|&j| j != i).map(|j| gap(i, j)).fold(f64::MAX, f64::min);
        let alone = (0..n).filter(|&i| nearest(i) > 1.6 / 24.0).count();
        let farthest = (0..n).map(|i| at(i)[0].hypot(at(i)[1])).fold(0.0, f64::max);
        println!("jitter {jitter}: lost {lost:.3?}, farthest {farthest:.2} m, {alone} alone");
        assert!(lost.iter().all(|lost| lost.abs() < 0.03), "{lost:?}");
        assert!((0.9..1.05).contains(&farthest), "{farthest}");
        assert!(alone <= 8, "{alone}");
    }
}

/// What is answered to a constant pressure, `D G 1`, is not more than what the matrix takes it for, `A 1 = s`: beyond twice that
/// such a pressure would change its sign from step to step, and grow.
#[test]
fn a_constant_pressure_is_not_answered_too_much() {
    for (jitter, turned) in [(0.0, 0), (0.2, 0), (0.0, 400)] {
        let (mut state, mut method) = square(24, jitter);
        advance(&mut state, &mut method, 2e-3, turned);
        state.fluid.v.iter_mut().flatten().for_each(|v| *v = 0.0);
        let mut cpu = Cpu::new(&mut method, &mut state);
        assemble(cpu.phases());
        cpu.method.fields.p.fill(1.0);
        let _ = cpu.pack_pressures();
        let dt = 1e-3;
        let _ = cpu.project(dt as Real);
        cpu.phases().assemble_matrix().unwrap();
        let fields = &cpu.method.fields;
        let answered = fields.sums.iter().map(|sums| f64::from(sums.divergence)).sum::<f64>() / dt;
        let expected = fields.dirichlet.iter().map(|&s| f64::from(s)).sum::<f64>();
        println!("jitter {jitter}, {turned} steps: {:.3} answered", answered / expected);
        assert!(answered > 0.5 * expected && answered < 1.001 * expected, "{answered} of {expected}");
    }
}

#[test]
fn differences_without_shifting_are_warned_of() {
    let warned = |solver: &str| {
        let text =
            TEXT.replace("SPACING", "0.1").replace("JITTER", "0.0").replace("preset = \"closed\"", solver);
        let scene = Scene::parse("test.toml", &text).unwrap();
        let (state, method) = Projection::<2>::of_scene(&scene, Isa::best(), Box::new(NoClock)).unwrap();
        method.derived(&state).warnings.iter().any(|warning| warning.contains("keeps no order"))
    };
    assert!(warned("gradient = \"difference\""));
    assert!(!warned("preset = \"closed\"") && !warned("preset = \"consistent\""));
}

/// An asymmetry of 0 is off: χ alone tells the surface then, and the middle of a square is none.
#[test]
fn without_asymmetry_the_inside_is_not_surface() {
    for key in ["", "surface_asymmetry = 0.0"] {
        let text = TEXT.replace("SPACING", "0.05").replace("JITTER", "0.0") + key;
        let scene = Scene::parse("test.toml", &text).unwrap();
        let (mut state, mut method) =
            Projection::<2>::of_scene(&scene, Isa::best(), Box::new(NoClock)).unwrap();
        advance(&mut state, &mut method, 1e-4, 1);
        let inside =
            (0..state.fluid.len()).filter(|&i| state.fluid.position(i).iter().all(|x| x.abs() < 0.3));
        assert!(inside.into_iter().all(|i| method.fields.dirichlet[i] == 0.0), "{key}");
        assert!(method.fields.dirichlet.iter().any(|&s| s > 0.0), "{key}");
    }
}
