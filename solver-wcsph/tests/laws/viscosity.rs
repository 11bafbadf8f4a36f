//! Which viscosity a scene gets, and what it takes from flow without vorticity.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use crate::common::simulation;
use sph_core::{
    fluid::particles::Particles,
    method::{solids::Flow, state::State},
    run::simulation::Simulation,
};

/// Fluid in a box of 1 m with walls around, but for what `rest` says.
fn tank<const D: usize>(fluid: [f64; 2], rest: &str, solver: &str) -> Simulation<D> {
    let z = |x: f64| if D == 3 { format!(", {x:?}") } else { String::new() };
    let corners = |[x, y]: [f64; 2]| format!("min = [0.0, 0.0{}], max = [{x:?}, {y:?}{}]", z(0.0), z(1.0));
    simulation(&format!(
        "dim = {D}\nspacing = 0.1\nrun.end_time = 1.0\ngravity = {:?}\n[[fluid]]\nshape.block = {{ {} }}\n{rest}\n\
         [[wall]]\nshape.block = {{ {} }}\nlayers = 3\n\
         [solver]\nname = \"wcsph\"\nsound_speed = 20.0\n{solver}\n",
        vec![0.0; D],
        corners(fluid),
        corners([1.0, 1.0]),
    ))
}

fn has_free_surface<const D: usize>(state: &State<D>) -> bool {
    Flow::of(state) == Flow::FreeSurface
}

const OBSTACLE: &str = "cut = [{ ball = { center = [0.5, 0.5], radius = 0.2 } }]\n[[wall]]\nname = \"rod\"\n\
                        shape.ball = { center = [0.5, 0.5], radius = 0.2 }\nside = \"outside\"\nlayers = 2";
const BODY: &str = "cut = [{ ball = { center = [0.5, 0.5], radius = 0.2 } }]\n[[body]]\n\
                    shape.ball = { center = [0.5, 0.5], radius = 0.2 }\ndensity = 1000.0";
const HOLE: &str = "cut = [{ ball = { center = [0.5, 0.5], radius = 0.25 } }]";
const LID_AWAY: &str = "[[wall]]\nname = \"bed\"\nshape.block = { min = [2.0, 0.0], max = [3.0, 1.0] }";

#[test]
fn a_free_surface_is_where_space_is_empty() {
    let surface = |fluid, rest| has_free_surface(&tank::<2>(fluid, rest, "").state);
    assert!(!surface([1.0, 1.0], ""), "a full box");
    assert!(!surface([1.0, 1.0], OBSTACLE), "around an obstacle");
    assert!(!surface([1.0, 1.0], BODY), "around a body");
    assert!(!surface([1.0, 1.0], LID_AWAY), "another wall elsewhere");
    assert!(surface([1.0, 0.8], ""), "two rows are missing");
    let mut dry = tank::<2>([1.0, 1.0], "", "").state;
    dry.fluid = Particles::default();
    assert!(has_free_surface(&dry), "fluid that is still to come");
    assert!(surface([0.5, 1.0], ""), "half of a box");
    assert!(surface([1.0, 1.0], HOLE), "a bubble");
    assert!(!has_free_surface(&tank::<3>([1.0, 1.0], "", "").state), "a full box in 3D");
    assert!(has_free_surface(&tank::<3>([1.0, 0.7], "", "").state), "a tank in 3D");
    let periodic = |axes: &str| {
        simulation::<2>(&format!(
            "spacing = 0.1\nrun.end_time = 1.0\ngravity = [0.0, 0.0]\n\
             domain = {{ min = [0.0, 0.0], max = [1.0, 1.0], periodic = [{axes}] }}\n[[fluid]]\n\
             shape.block = {{ min = [0.0, 0.0], max = [1.0, 1.0] }}\n[solver]\nname = \"wcsph\"\nsound_speed = 20.0\n"
        ))
    };
    assert!(!has_free_surface(&periodic("\"x\", \"y\"").state), "periodic in all directions");
    assert!(has_free_surface(&periodic("\"x\"").state), "open above and below");
}

#[test]
fn fluid_that_a_command_brings_has_a_free_surface() {
    let warned = |commands: &str| {
        let solver = format!("viscosity_model = \"morris\"\ndynamic_viscosity = 5.0\n{commands}");
        let sim = tank::<2>([1.0, 1.0], "", &solver);
        !sim.solver.derived(&sim.state).warnings.is_empty()
    };
    assert!(!warned("[[command]]\nat = 0.5\nset = { key = \"solver.cfl\", value = 0.3 }"));
    assert!(warned(
        "[[command]]\nat = 0.5\ndrain = { shape.block = { min = [0.2, 0.2], max = [0.4, 0.4] } }"
    ));
}

/// The state after some steps of a shear that viscosity brakes.
fn after_steps(fluid: [f64; 2], solver: &str) -> u64 {
    let mut sim = tank::<2>(fluid, "velocity.formula = [\"y^2\", \"0\"]", solver);
    sim.run(1.0, 5, &mut []).unwrap();
    sim.state.hash()
}

#[test]
fn the_model_follows_from_viscosity_and_surface() {
    let (full, half) = ([1.0, 1.0], [1.0, 0.5]);
    let models = ["monaghan", "morris", "solenoidal"].map(|model| format!("viscosity_model = \"{model}\""));
    let laminar = |model: &str| format!("{model}\ndynamic_viscosity = 5.0");
    for (fluid, expected) in [(full, 1), (half, 2)] {
        let found = after_steps(fluid, "dynamic_viscosity = 5.0");
        for (k, model) in models.iter().enumerate().skip(1) {
            assert_eq!(found == after_steps(fluid, &laminar(model)), k == expected, "{model}");
        }
        assert_eq!(after_steps(fluid, ""), after_steps(fluid, &models[0]));
        assert_eq!(after_steps(fluid, ""), after_steps(fluid, "artificial_viscosity_alpha = 0.05"));
    }
}

#[test]
fn the_laplacian_at_a_free_surface_is_warned_of() {
    let warned = |fluid, solver: &str| {
        let sim = tank::<2>(fluid, "", solver);
        sim.solver.derived(&sim.state).warnings.iter().any(|warning| warning.contains("viscous stress"))
    };
    let named = "viscosity_model = \"morris\"\ndynamic_viscosity = 5.0";
    assert!(warned([1.0, 0.5], named));
    assert!(!warned([1.0, 1.0], named));
    assert!(!warned([1.0, 0.5], "dynamic_viscosity = 5.0"));
}

/// What a block that is drawn out, v = (x, -y)/s, loses to viscosity over what it should: `2μ ∫ e:e dV = 4μ V`.
fn loss<const D: usize>(model: &str) -> f64 {
    let z = |x: f64| if D == 3 { format!(", {x:?}") } else { String::new() };
    let energy = |viscosity: f64| {
        let mut sim = simulation::<D>(&format!(
            "dim = {D}\nspacing = 0.05\nrun.end_time = 1.0\ngravity = {:?}\nrest_density = 1.0\n[[fluid]]\n\
             shape.block = {{ min = [-0.5, -0.5{}], max = [0.5, 0.5{}] }}\nvelocity.formula = [\"x\", \"-y\"{}]\n[solver]\n\
             name = \"wcsph\"\nsound_speed = 20.0\n{model}\ndynamic_viscosity = {viscosity:?}\n",
            vec![0.0; D],
            z(-0.5),
            z(0.5),
            if D == 3 { ", \"0\"" } else { "" }
        ));
        sim.fixed_dt = Some(1e-4);
        sim.run(1e-3, 10, &mut []).unwrap();
        let fluid = &sim.state.fluid;
        let v2 = |i: usize| fluid.velocity(i).iter().map(|&v| f64::from(v).powi(2)).sum::<f64>();
        (0..fluid.len()).map(|i| 0.5 * f64::from(sim.state.rest.m) * v2(i)).sum::<f64>()
    };
    (energy(0.0) - energy(1.0)) / (4.0 * 1e-3)
}

/// A fluid that is drawn out loses the energy that its viscous stress dissipates.
/// The outermost particles lack neighbors: of 20 across that is up to 12 %.
#[test]
fn drawn_out_fluid_loses_what_its_stress_does() {
    for (model, due) in [("", 1.0), ("viscosity_model = \"morris\"", 0.5)] {
        for found in [loss::<2>(model), loss::<3>(model)] {
            assert!(
                (found - due).abs() < 0.15 * due,
                "{model:?} loses {found} of what it should, expected {due}"
            );
        }
    }
}
