//! A run that goes wrong on a GPU stops at the end of that step, and names the particle.

use super::{
    common::{MODES, in_mode, make},
    solver::{
        measures::scene,
        scenes::{dam_break, simulation},
    },
};
use solver_viscoelastic::METHOD;
use sph_core::{
    Real,
    error::Error,
    method::{
        failure::{BEFORE, Cause},
        solver::Memory,
        stopwatch::NoClock,
    },
    numerics::lane::Isa,
    run::simulation::Simulation,
    scene::Counts,
};

/// With all that a step can have, after a few steps.
fn started(mode: &str) -> Simulation<2> {
    let solver = in_mode(mode, "spring_stiffness = 100.0\nviscosity_linear = 5.0\nstick_stiffness = 100.0");
    let mut sim = simulation::<2>(&dam_break::<2>("standard", 0.05, "", &solver));
    for _ in 0..3 {
        sim.step(10.0).unwrap();
    }
    sim.fetch().unwrap();
    sim
}

#[test]
fn velocities_and_positions_that_are_not_finite_are_named() {
    for mode in MODES {
        for (k, field) in ["velocity", "position"].into_iter().enumerate() {
            for bad in [Real::NAN, Real::INFINITY, Real::NEG_INFINITY] {
                let mut sim = started(mode);
                let (id, fluid) = (sim.state.fluid.id[40], &mut sim.state.fluid);
                let spoilt = if k == 0 { &mut fluid.v } else { &mut fluid.x };
                spoilt[1][40] = bad;
                sim.solver.fluid_changed();
                let error = sim.step(10.0).unwrap_err();
                assert_eq!((error.phase, error.particle), (BEFORE, Some(id)), "{mode} {bad}: {error}");
                assert_eq!(error.cause, Cause::NotFinite { field }, "{mode} {bad}");
            }
        }
    }
}

/// As a restart would have them.
#[test]
fn rest_lengths_that_are_not_finite_are_named() {
    for mode in MODES {
        for bad in [Real::NAN, Real::INFINITY, Real::NEG_INFINITY] {
            let (mut sim, mut owner) = (started(mode), 0);
            sim.solver.memory(&mut |name, memory| match (name, memory) {
                ("spring_owner_low", Memory::Pairs(owners)) => owner = owners[500] as u64,
                ("spring_rest_length", Memory::Pairs(rests)) => rests[500] = bad,
                _ => {}
            });
            sim.solver.restored(&sim.state);
            let error = sim.step(10.0).unwrap_err();
            assert_eq!((error.phase, error.particle), (BEFORE, Some(owner)), "{mode} {bad}: {error}");
            assert_eq!(error.cause, Cause::NotFinite { field: "rest length" }, "{mode} {bad}");
        }
    }
}

#[test]
fn an_escape_is_found_where_it_is() {
    for mode in MODES {
        let mut sim = started(mode);
        let (far, id) = (sim.state.domain.high[0], sim.state.fluid.id[7]);
        (sim.state.fluid.x[0][7], sim.state.fluid.v[0][7]) = (0.999 * far, 1e3);
        sim.solver.fluid_changed();
        let error = (0..8).find_map(|_| sim.step(10.0).err()).unwrap();
        assert_eq!(
            (error.phase, error.particle, &error.cause),
            ("update_velocities", Some(id), &Cause::Escaped),
            "{mode}"
        );
    }
}

#[test]
fn an_absurd_step_is_found() {
    for mode in MODES {
        for dt in [1e2, 1e12, 1e30] {
            let mut sim = started(mode);
            sim.fixed_dt = Some(dt);
            let error = (0..8).find_map(|_| sim.step(1e33).err()).unwrap();
            assert!(error.particle.is_some(), "{mode} {dt}: {error}");
            assert!(
                sim.state.fluid.x.iter().chain(&sim.state.fluid.v).flatten().all(|x| x.is_finite()),
                "{mode} {dt}: {error}"
            );
        }
    }
}

#[test]
fn the_published_order_is_refused() {
    let refused = |error: Error| {
        assert_eq!(error.key(), Some("solver.relax_mode"), "{error}");
        let text = error.to_string();
        assert!(text.contains("\"sequential\"") && text.contains("relax_mode = \"colored\""), "{text}");
        assert!(text.contains("CPU"), "{text}");
    };
    let text = |mode: &str| dam_break::<2>("standard", 0.05, "", &in_mode(mode, ""));
    let run = |mode: &str| make::<2>(&scene(&text(mode)), Isa::best(), Box::new(NoClock));
    refused(run("sequential").err().unwrap());
    let mut colored = run("colored").unwrap();
    let sequential = toml::Value::from("sequential");
    refused(colored.solver.check_parameter("relax_mode", &sequential).unwrap_err());
    refused(colored.solver.set_parameter("relax_mode", &sequential).unwrap_err());
    refused((METHOD.gpu_memory)(&scene(&text("sequential")), Counts { fluid: 9.0, walls: 0.0 }).unwrap_err());
}
