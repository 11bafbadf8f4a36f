//! Pressure and viscous drag of walls.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{EXACT, acceleration, simulation};
use sph_core::{Real, run::simulation::Simulation};

/// A layer of fluid on a periodic floor, one meter long, uniform in x.
fn layer(slip: &str, gravity: f64, solver: &str) -> Simulation<2> {
    simulation(&format!(
        "spacing = 0.05\nrest_density = 1.0\ngravity = [0.0, {:?}]\nrun.end_time = 1.0\n\
         domain = {{ min = [0.0, -1.0], max = [1.0, 2.0], periodic = [\"x\"] }}\n\
         [[fluid]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 0.5] }}\n\
         [[wall]]\nshape.block = {{ min = [0.0, 0.0], max = [1.0, 1.0] }}\nlayers = 3\nfaces = [\"y_min\"]\nslip = \"{slip}\"\n\
         [solver]\nname = \"wcsph\"\nsound_speed = 20.0\nviscosity_model = \"morris\"\ndynamic_viscosity = 1.0\n{solver}\n",
        -gravity
    ))
}

/// The lowest acceleration components of the bottom row: along the floor, and away from it.
fn bottom(sim: &mut Simulation<2>) -> [f64; 2] {
    acceleration(sim)[5]
}

#[test]
fn only_a_no_slip_wall_drags() {
    for walls in ["symmetric", "dummy"] {
        let drag = |slip| {
            let mut sim = layer(slip, 0.0, &format!("wall_pressure = \"{walls}\""));
            sim.state.fluid.v[0].fill(1.0);
            bottom(&mut sim)[0]
        };
        let (sticky, slippery) = (drag("no_slip"), drag("free_slip"));
        assert!(sticky < -10.0, "{walls}: {sticky}");
        assert!(slippery.abs() < EXACT * sticky.abs(), "{walls}: {slippery} of {sticky}");
    }
}

#[test]
fn a_symmetric_wall_mirrors_the_pressure_at_rest_density() {
    let push = |rho: f64| {
        let force = |volume: Option<Real>| {
            let mut sim = layer("free_slip", 0.0, "wall_pressure = \"symmetric\"");
            sim.state.fluid.rho.fill(rho as Real);
            volume.iter().for_each(|volume| sim.state.walls.volume.fill(*volume));
            bottom(&mut sim)[1]
        };
        force(None) - force(Some(0.0))
    };
    // p_i (1/ρ_i² + 1/ρ₀²), over the stiffness
    let expected = |rho: f64| (rho.powi(7) - 1.0) * (1.0 / (rho * rho) + 1.0);
    let (found, expected) = (push(1.02) / push(1.05), expected(1.02) / expected(1.05));
    assert!(push(1.02) > 1.0 && (found / expected - 1.0).abs() < 20.0 * EXACT, "{found} {expected}");
}

/// Evenly compressed, the bottom row is pushed up by a continued lattice as by the fluid above: not at all.
#[test]
fn dummy_walls_go_on_with_the_fluid() {
    let mut sim = layer("free_slip", 0.0, "");
    sim.state.fluid.rho.fill(1.01);
    let volume = sim.state.rest.m / sim.state.rest.rho_0;
    sim.state.walls.volume.fill(volume);
    let scale = 400.0 * 0.01 * 2.0 * 20.0; // c₀² (ρ/ρ₀ − 1) · 2 / Δx
    assert!(bottom(&mut sim)[1].abs() < 20.0 * EXACT * scale, "{:?}", bottom(&mut sim));
}
