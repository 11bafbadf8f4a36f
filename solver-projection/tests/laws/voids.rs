//! Voids that the pressure finds: what lands flat is under the pressure of all that is above it, while there is a gap before it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]
#![allow(clippy::print_stdout, reason = "the measured numbers")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]

use crate::common::*;
use solver_projection::{Projection, cpu::Cpu};
use sph_core::{
    method::stopwatch::NoClock,
    numerics::lane::Isa,
    run::{method::Method, simulation::Simulation},
    scene::Scene,
};

/// A block of fluid that falls flat with 2.8 m/s, one spacing above the floor of a box.
pub fn flat<const D: usize>(spacing: f64, across: f64, height: f64) -> String {
    let (z, deep) = if D == 3 { (", 0.0", format!(", {across:?}")) } else { ("", String::new()) };
    format!(
        "dim = {D}\nspacing = {spacing:?}\nrun.end_time = 10.0\n\
         [[fluid]]\nshape.block = {{ min = [0.0, {spacing:?}{z}], max = [{across:?}, {top:?}{deep}] }}\n\
         velocity.uniform = [0.0, -2.8{z}]\n\
         [[wall]]\nshape.block = {{ min = [-0.4, 0.0{low}], max = [1.4, 2.0{wide}] }}\nlayers = 2\noffset = 0.7\n\
         slip = \"free_slip\"\n[solver]\nname = \"projection\"\n",
        top = height + spacing,
        low = if D == 3 { ", -0.4" } else { "" },
        wide = if D == 3 { ", 1.4" } else { "" },
    )
}

/// The most by which total energy rises above the least before, over what it is at first, in a run to `end`.
pub fn rise<const D: usize>(text: &str, end: f64) -> f64 {
    let mut sim = simulation::<D>(text);
    let energy = |sim: &Simulation<D>| {
        let fluid = &sim.state.fluid;
        let of = |i: usize| {
            let v2: f64 = fluid.velocity(i).iter().map(|&v| f64::from(v).powi(2)).sum();
            0.5 * v2 + 9.81 * f64::from(fluid.x[1][i])
        };
        (0..fluid.len()).map(of).sum::<f64>()
    };
    let first = energy(&sim);
    let (mut least, mut rise) = (first, 0.0);
    while sim.state.t < end {
        sim.step(f64::INFINITY).expect("a healthy run");
        rise = f64::max(rise, (energy(&sim) - least) / first);
        least = least.min(energy(&sim));
    }
    rise
}

#[test]
fn fluid_that_lands_flat_gains_no_energy() {
    let tall = rise::<2>(&flat::<2>(0.02, 0.8, 0.8), 0.1);
    let fine = rise::<2>(&flat::<2>(0.0125, 0.4, 0.8), 0.05);
    let wide = rise::<2>(&flat::<2>(0.04, 1.0, 0.6), 0.1);
    let cube = rise::<3>(&flat::<3>(0.08, 0.8, 0.8), 0.1);
    println!("{tall:.1e} {fine:.1e} {wide:.1e} {cube:.1e}");
    assert!([tall, fine, wide, cube].iter().all(|&rise| rise < 0.01), "{tall} {fine} {wide} {cube}");
}

/// Steps as long as they may be, at most so many; then until one finds voids, at most so many. True if one does; `check` sees it.
fn finds(text: &str, [settle, search]: [u32; 2], check: impl Fn(&Cpu<'_, 2>, f64)) -> bool {
    let scene = Scene::parse("test.toml", text).unwrap();
    let (mut state, mut method) = Projection::<2>::of_scene(&scene, Isa::best(), Box::new(NoClock)).unwrap();
    for step in 0..settle + search {
        let dt = method.max_dt(&state).unwrap();
        let mut cpu = Cpu::new(&mut method, &mut state);
        cpu.phases().move_walls(dt).unwrap();
        cpu.phases().apply_forces(dt).unwrap();
        assemble(cpu.phases());
        cpu.phases().build_right_hand_side(dt).unwrap();
        cpu.phases().solve_pressure().unwrap();
        if cpu.phases().limit_density_source(dt).unwrap() {
            cpu.phases().solve_pressure().unwrap();
        }
        while cpu.phases().open_voids(dt).unwrap() {
            if step >= settle {
                check(&cpu, dt);
                return true;
            }
            cpu.phases().solve_pressure().unwrap();
        }
        cpu.phases().correct_velocities(dt).unwrap();
        cpu.phases().apply_viscosity(dt).unwrap();
        cpu.phases().update_positions(dt).unwrap();
        cpu.phases().report(dt);
        state.t += dt;
    }
    false
}

/// A particle at a void is one of the surface: its lack of density is not taken out.
#[test]
fn voids_do_not_pull() {
    let found = finds(&flat::<2>(0.02, 0.8, 0.8), [0, 10], |cpu, dt| {
        let fields = &cpu.method.fields;
        for i in (0..fields.dirichlet.len()).filter(|&i| fields.dirichlet[i] > 0.0) {
            let of_velocities = -1e3 / dt * f64::from(fields.sums[i].divergence);
            let b = f64::from(fields.equation.b[i]);
            assert!(b - of_velocities >= -1e-5 * of_velocities.abs(), "{b} {of_velocities}");
        }
    });
    assert!(found);
}

/// In disorder σ is nowhere 0, and Dirichlet terms inside would screen the pressure of a tank: once it has settled there are none.
#[test]
fn settled_disorder_has_no_voids() {
    let text = "spacing = 0.02\nrun.end_time = 1.0\n\
                [[fluid]]\nshape.block = { min = [0.0, 0.0], max = [0.4, 1.0] }\njitter = 0.2\n\
                [[wall]]\nshape.block = { min = [0.0, 0.0], max = [0.4, 1.4] }\nlayers = 2\n\
                [solver]\nname = \"projection\"\n";
    assert!(!finds(text, [1000, 100], |_, _| ()));
}

/// Where no surface binds the pressure it is known but for a constant, which throws nothing.
#[test]
fn closed_flows_have_no_voids() {
    let text = "spacing = 0.05\ngravity = [0.0, 0.0]\nrun.end_time = 1.0\nflow = \"closed\"\n\
                domain = { min = [0.0, 0.0], max = [1.0, 1.0], periodic = [\"x\", \"y\"] }\n\
                [[fluid]]\nshape.block = { min = [0.0, 0.0], max = [1.0, 1.0] }\njitter = 0.2\n\
                velocity.taylor_green = { speed = 3.0, length = 1.0 }\n\
                [solver]\nname = \"projection\"\ngradient = \"adjoint\"\n";
    assert!(!finds(text, [0, 5], |_, _| ()));
    assert!(
        finds(&flat::<2>(0.02, 0.8, 0.8), [0, 10], |_, _| ()),
        "a search that finds nothing tells nothing"
    );
}
