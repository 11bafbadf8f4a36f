//! Vorticity.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::common::make;
use solver_pbf::Pbf;
use sph_core::{Real, method::stopwatch::NoClock, numerics::lane::Isa, scene::Scene};
use std::{
    any::Any,
    sync::{Arc, Mutex},
};

/// Vorticity in the middle of a block that turns by `Ω` = 0.5 rad/s about z.
fn turning<const D: usize>() -> [Real; 3] {
    let vector = |x: f64| format!("{:?}", vec![x; D]);
    let text = format!(
        "dim = {D}\nspacing = 0.1\ngravity = {}\nrun.end_time = 1.0\n\
         [[fluid]]\nshape.block = {{ min = {}, max = {} }}\n\
         [solver]\nname = \"pbf\"\nvorticity_confinement = 1e-6\nsupport_ratio = 3.0\ncohesion = 0.0\n",
        vector(0.0),
        vector(-0.55),
        vector(0.55),
    );
    let scene = Scene::parse("test.toml", &text).unwrap();
    let mut sim = make::<D>(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    for i in 0..sim.state.fluid.len() {
        let [x, y] = [sim.state.fluid.x[0][i], sim.state.fluid.x[1][i]];
        (sim.state.fluid.v[0][i], sim.state.fluid.v[1][i]) = (-0.5 * y, 0.5 * x);
    }
    // So light that no constraint is violated.
    sim.state.rest.m *= 0.9;
    let spin = Arc::new(Mutex::new([0.0; 3]));
    let seen = Arc::clone(&spin);
    sim.solver.watch(Some(Box::new(move |pbf, state, phase| {
        if phase == "apply_vorticity_and_xsph" {
            let near = |i: &usize| state.fluid.x.iter().map(|x| x[*i] * x[*i]).sum::<Real>();
            let middle = (0..state.fluid.len()).min_by(|i, j| near(i).total_cmp(&near(j))).unwrap();
            let record = (pbf as &mut dyn Any).downcast_ref::<Pbf<D>>().unwrap().fields.vorticity[middle];
            *seen.lock().unwrap() = [record[4], record[5], record[6]];
        }
    })));
    sim.solver.step(&mut sim.state, 1e-3).unwrap();
    *spin.lock().unwrap()
}

/// ω = 2 Ω, but for what a sum over a lattice differs from an integral.
#[test]
fn a_rigid_rotation_has_twice_its_angular_velocity() {
    for [x, y, z] in [turning::<2>(), turning::<3>()] {
        assert!(x.abs() < 1e-3 && y.abs() < 1e-3 && (z - 1.0).abs() < 0.02, "{x} {y} {z}");
    }
}
