//! A run that goes wrong on a GPU stops at the end of that step, and names the particle.

use super::solver::{
    measures::memory,
    scenes::{dam_break, simulation},
};
use sph_core::{
    Real,
    method::{
        failure::{BEFORE, Cause},
        solver::Memory,
    },
    run::simulation::Simulation,
};

fn started(solver: &str) -> Simulation<2> {
    let mut sim = simulation::<2>(&dam_break::<2>("standard", 0.05, "", solver));
    for _ in 0..3 {
        sim.step(10.0).unwrap();
    }
    sim.fetch().unwrap();
    sim
}

#[test]
fn velocities_and_positions_that_are_not_finite_are_named() {
    for (k, field) in ["velocity", "position"].into_iter().enumerate() {
        let mut sim = started("");
        let (id, fluid) = (sim.state.fluid.id[40], &mut sim.state.fluid);
        let spoilt = if k == 0 { &mut fluid.v } else { &mut fluid.x };
        spoilt[1][40] = Real::NAN;
        sim.solver.fluid_changed();
        let error = sim.step(10.0).unwrap_err();
        assert_eq!((error.phase, error.particle), (BEFORE, Some(id)), "{error}");
        assert_eq!(error.cause, Cause::NotFinite { field });
    }
}

#[test]
fn the_memory_of_the_solver_is_named() {
    let mut sim = started("velocity_update = \"second_order\"");
    let id = sim.state.fluid.id[40];
    let n = memory(&mut *sim.solver).iter().find(|(name, ..)| *name == "velocity_change_y").unwrap().1.len();
    assert_eq!(n, sim.state.fluid.len());
    sim.solver.memory(&mut |name, memory| {
        if let ("velocity_change_y", Memory::Field(change)) = (name, memory) {
            change[40] = Real::NAN;
        }
    });
    sim.solver.fluid_changed();
    let error = sim.step(10.0).unwrap_err();
    assert_eq!((error.phase, error.particle), ("predict_positions", Some(id)), "{error}");
}

#[test]
fn an_escape_is_found_where_it_is() {
    let mut sim = started("");
    let (far, id) = (sim.state.domain.high[0], sim.state.fluid.id[7]);
    (sim.state.fluid.x[0][7], sim.state.fluid.v[0][7]) = (0.999 * far, 1e3);
    sim.solver.fluid_changed();
    let error = (0..8).find_map(|_| sim.step(10.0).err()).unwrap();
    assert_eq!((error.phase, error.particle, &error.cause), ("update_positions", Some(id), &Cause::Escaped));
}

#[test]
fn an_absurd_step_is_found() {
    for dt in [1e2, 1e12, 1e30] {
        let mut sim = started("");
        sim.fixed_dt = Some(dt);
        let error = (0..8).find_map(|_| sim.step(1e33).err()).unwrap();
        assert!(error.particle.is_some(), "{error}");
        assert!(
            sim.state.fluid.x.iter().chain(&sim.state.fluid.v).flatten().all(|x| x.is_finite()),
            "{error}"
        );
    }
}
