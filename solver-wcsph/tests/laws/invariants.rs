//! What the forces conserve, and what they do not see.
#![allow(clippy::expect_used, clippy::panic, reason = "a helper that fails is a test that fails")]
#![cfg_attr(feature = "f64", allow(clippy::unnecessary_cast, clippy::useless_conversion))]
use crate::common;

use common::{
    Block, EXACT, KERNELS, Probe, VISCOSITIES, acceleration, by_id, cases, density_change, norm, probe,
    shake, sum, vectors,
};
use proptest::prelude::*;
use sph_core::{Real, run::simulation::Simulation};

/// Pressure, or one of the viscosities.
const FORCES: [&str; 4] = ["pressure", VISCOSITIES[0], VISCOSITIES[1], VISCOSITIES[2]];

/// Pressure without viscosity, or a viscosity with a pressure of a millionth.
fn force(kernel: &str, force: &str) -> String {
    let terms = match force {
        "pressure" => "artificial_viscosity_alpha = 0.0".to_owned(),
        "monaghan" => "artificial_viscosity_alpha = 10.0\nsound_speed = 0.01".to_owned(),
        viscosity => {
            format!("viscosity_model = \"{viscosity}\"\ndynamic_viscosity = 0.1\nsound_speed = 0.01")
        }
    };
    format!("kernel = \"{kernel}\"\n{terms}\n")
}

/// A disordered block with random velocities and densities.
fn disordered<const D: usize>(periodic: bool, kernel: &str, of: &str, seed: u64) -> Simulation<D> {
    let (n, solver) = (if D == 2 { 12 } else { 10 }, force(kernel, of));
    let block = if periodic { Block::periodic(n, &solver) } else { Block::free(n, &solver) };
    let mut sim = block.jitter(0.3).build::<D>();
    shake(&mut sim.state, seed, 1.0, 0.9, 1.1);
    sim
}

/// `x × a`, its three components (one in 2D, in the last place).
fn cross<const D: usize>(x: &[f64; D], a: &[f64; D]) -> [f64; 3] {
    let get = |v: &[f64; D], k: usize| v.get(k).copied().unwrap_or(0.0);
    std::array::from_fn(|k| {
        let (k, l) = ((k + 1) % 3, (k + 2) % 3);
        get(x, k) * get(a, l) - get(x, l) * get(a, k)
    })
}

/// The torque over the sum of its absolute terms.
fn relative_torque<const D: usize>(sim: &mut Simulation<D>) -> f64 {
    let a = acceleration(sim);
    let x = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let torques: Vec<[f64; 3]> = x.iter().zip(&a).map(|(x, a)| cross(x, a)).collect();
    let scale: f64 = x.iter().zip(&a).map(|(x, a)| norm(x) * norm(a)).sum();
    norm(&sum(&torques).0) / scale
}

fn momentum_is_conserved<const D: usize>(periodic: bool, kernel: &str, seed: u64) {
    for force in FORCES {
        let (total, scale) = sum(&acceleration(&mut disordered::<D>(periodic, kernel, force, seed)));
        assert!(scale > 1.0, "{force} does nothing: {scale}");
        assert!(norm(&total) < EXACT * scale, "{kernel} {force}: {total:?} of {scale}");
    }
}

fn angular_momentum_is_conserved<const D: usize>(kernel: &str, seed: u64) {
    for force in ["pressure", "monaghan", "solenoidal"] {
        let torque = relative_torque(&mut disordered::<D>(false, kernel, force, seed));
        assert!(torque < EXACT, "{kernel} {force}: {torque}");
    }
    // Forces along the velocity difference turn a sheared block.
    let mut sim = Block::free(10, &force(kernel, "morris")).build::<D>();
    sim.state.fluid.v[0] = sim.state.fluid.x[1].clone();
    let torque = relative_torque(&mut sim);
    assert!(torque > 0.1, "{kernel}: {torque}");
}

fn viscosity_only_takes<const D: usize>(kernel: &str, seed: u64) {
    for viscosity in VISCOSITIES {
        let mut sim = disordered::<D>(true, kernel, viscosity, seed);
        let (a, v) = (acceleration(&mut sim), vectors(&sim.state.fluid.id, &sim.state.fluid.v));
        let power: Vec<f64> = a.iter().zip(&v).map(|(a, v)| (0..D).map(|k| a[k] * v[k]).sum()).collect();
        let (total, scale) = (power.iter().sum::<f64>(), power.iter().map(|p| p.abs()).sum::<f64>());
        assert!(total < -0.1 * scale, "{kernel} {viscosity}: {total} of {scale}");
    }
}

proptest! {
    #![proptest_config(cases(4))]

    /// The forces conserve linear momentum.
    #[test]
    fn linear_momentum(kernel in prop::sample::select(&KERNELS[..]), seed: u64, periodic: bool) {
        momentum_is_conserved::<2>(periodic, kernel, seed);
        momentum_is_conserved::<3>(periodic, kernel, seed);
    }

    /// Forces along lines of centers conserve angular momentum, and those along differences of velocity do not.
    #[test]
    fn angular_momentum(kernel in prop::sample::select(&KERNELS[..]), seed: u64) {
        angular_momentum_is_conserved::<2>(kernel, seed);
        angular_momentum_is_conserved::<3>(kernel, seed);
    }

    #[test]
    fn viscous_work_is_negative(kernel in prop::sample::select(&KERNELS[..]), seed: u64) {
        viscosity_only_takes::<2>(kernel, seed);
        viscosity_only_takes::<3>(kernel, seed);
    }

    /// Accelerations and drift corrections turn with the frame, and change neither with a shift nor with the order of
    /// particles.
    #[test]
    fn shift_permutation_and_quarter_turn(seed: u64, summation: bool) {
        symmetries::<2>(seed, summation);
        symmetries::<3>(seed, summation);
    }
}

/// Accelerations and drift corrections change with the frame and not with the order of particles.
fn symmetries<const D: usize>(seed: u64, summation: bool) {
    let density = if summation { "density = \"summation\"\ndelta_sph = 0.0" } else { "" };
    let solver = format!("regularization = \"shifting\"\n{density}");
    let sim = || {
        let mut sim = Block::free(8, &solver).jitter(0.3).build::<D>();
        shake(&mut sim.state, seed, 1.0, 0.95, 1.05);
        sim
    };
    let same = |what: &str, found: Probe<D>, expected: Probe<D>, tolerance: f64| {
        for (found, expected) in [(found.a, expected.a), (found.w, expected.w)] {
            let scale = expected.iter().map(norm).fold(0.0, f64::max);
            for (i, (f, e)) in found.iter().zip(&expected).enumerate() {
                let error = norm::<D>(&std::array::from_fn(|a| f[a] - e[a]));
                assert!(error < tolerance * scale, "{what}: particle {i} has {f:?}, not {e:?} of {scale}");
            }
        }
    };
    let expected = || probe(&mut sim());

    let mut permuted = sim();
    let order: Vec<u32> = (0..permuted.state.fluid.len() as u32).rev().collect();
    permuted.state.fluid.permute(&order, &mut Default::default());
    same("permutation", probe(&mut permuted), expected(), EXACT);

    // Shifted coordinates have rounded differently, by ε over the distance of two particles.
    let mut shifted = sim();
    shifted.state.fluid.x.iter_mut().flatten().for_each(|x| *x += 0.37);
    same("shift", probe(&mut shifted), expected(), 3.0 * EXACT);

    let mut turned = sim();
    for field in [&mut turned.state.fluid.x, &mut turned.state.fluid.v] {
        field.swap(0, 1);
        field[0].iter_mut().for_each(|c| *c = -*c);
    }
    let turn = |v: Vec<[f64; D]>| {
        let turn = |v: [f64; D]| {
            std::array::from_fn(|a| {
                if a == 0 {
                    -v[1]
                } else if a == 1 {
                    v[0]
                } else {
                    v[a]
                }
            })
        };
        v.into_iter().map(turn).collect()
    };
    let e = expected();
    same("turn", probe(&mut turned), Probe { a: turn(e.a), w: turn(e.w) }, EXACT);
}

fn lattice_is_at_rest<const D: usize>(kernel: &str) {
    for of in FORCES {
        let mut sim = Block::periodic(10, &force(kernel, of)).build::<D>();
        // Compressed evenly, so that pairs repel.
        sim.state.fluid.rho.fill(1.01);
        for a in 0..D {
            sim.state.fluid.v[a].fill(0.75);
        }
        let scale = 1.0e2 * 0.01 * 2.0 * 10.0; // c₀² (ρ/ρ₀ − 1) · 2 / Δx: a force that nothing balances
        let a = acceleration(&mut sim);
        assert!(a.iter().all(|a| norm(a) < EXACT * scale), "{kernel} {of}");
    }
}

#[test]
fn a_moving_periodic_lattice_feels_nothing() {
    for kernel in KERNELS {
        lattice_is_at_rest::<2>(kernel);
    }
    lattice_is_at_rest::<3>("wendland_c2");
}

/// `dρ/dt = −ρ div v` of a linear velocity inside of a lattice.
fn continuity<const D: usize>(kernel: &str) {
    let solver = format!("kernel = \"{kernel}\"\nintegrator = \"symplectic_euler\"\ndelta_sph = 0.0");
    let mut sim = Block::free(10, &solver).build::<D>();
    // The fluid gets denser, and does not cavitate.
    let strain = [-0.3, 0.1, -0.25];
    for (a, strain) in strain.into_iter().enumerate().take(D) {
        let shear = sim.state.fluid.x[(a + 1) % D].clone();
        let x = sim.state.fluid.x[a].clone();
        for (v, (x, y)) in sim.state.fluid.v[a].iter_mut().zip(x.iter().zip(shear)) {
            *v = strain * x + 0.5 * y;
        }
    }
    let x = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
    let change = density_change(&mut sim, 1.0);
    let expected: f64 = -strain[..D].iter().map(|&s| s as f64).sum::<f64>();
    let mut inner = 0;
    for (x, change) in x.iter().zip(change) {
        if x.iter().all(|x| x.abs() < 0.19) {
            inner += 1;
            assert!((change - expected).abs() < 0.01, "{kernel}, D = {D}: {change}, not {expected}");
        }
    }
    assert!(inner >= 1 << D);
}

#[test]
fn density_follows_the_divergence() {
    for kernel in KERNELS {
        continuity::<2>(kernel);
        continuity::<3>(kernel);
    }
}

/// The change of density by diffusion alone.
fn diffused<const D: usize>(rho: impl Fn(&[f64; D], usize) -> f64) -> (Vec<f64>, Vec<f64>) {
    let solver = "sound_speed = 0.1\nintegrator = \"symplectic_euler\"";
    let mut sim = Block::free(10, solver).jitter(0.2).build::<D>();
    for i in 0..sim.state.fluid.len() {
        let x = sim.state.fluid.position(i).map(|x| x as f64);
        sim.state.fluid.rho[i] = rho(&x, i) as Real;
    }
    let m = sim.state.rest.m as f64;
    let volume = by_id(&sim.state.fluid.id, &sim.state.fluid.rho).iter().map(|rho| m / rho).collect();
    (volume, density_change(&mut sim, 1.0))
}

fn diffusion<const D: usize>() {
    // Σ V_i dρ_i/dt = 0: what one particle gains another loses. Densities are above that of cavitation.
    let (volume, change) = diffused::<D>(|x, i| 1.3 + 0.2 * (x[0] * 9.0).sin() + 0.01 * (i % 7) as f64);
    let terms: Vec<f64> = volume.iter().zip(&change).map(|(v, c)| v * c).collect();
    let (total, scale) = (terms.iter().sum::<f64>(), terms.iter().map(|t| t.abs()).sum::<f64>());
    // A rate is read off a density between 1 and 2, so each is rounded by ε.
    let rounding = common::EPSILON * volume.iter().sum::<f64>();
    assert!(scale > 1e-3 && total.abs() < EXACT * scale + rounding, "{total} of {scale}");

    let largest = |slope: f64, wave: f64| {
        let rho = |x: &[f64; D]| 1.5 + slope * (0.4 * x[0] - 0.3 * x[1]) + wave * (x[0] * 9.0).sin();
        diffused::<D>(|x, _| rho(x)).1.iter().fold(0.0_f64, |m, c| m.max(c.abs()))
    };
    let (linear, curved) = (largest(1.0, 0.0), largest(0.0, 0.2));
    assert!(curved > 1e-3 && linear < 10.0 * EXACT * curved, "D = {D}: {linear} {curved}");
}

#[test]
fn diffusion_keeps_mass_and_spares_linear_density() {
    diffusion::<2>();
    diffusion::<3>();
}

#[test]
fn shifting_spares_the_lattice() {
    let solver = "integrator = \"symplectic_euler\"\nregularization = \"shifting\"";
    for jitter in [0.0, 0.5] {
        let mut sim = Block::periodic(10, solver).jitter(jitter).build::<2>();
        // As fast as it takes for every correction to be too long.
        shake(&mut sim.state, 1, 1.0, 1.0, 1.0);
        if jitter == 0.0 {
            // Other than uniform velocities would change the densities before the correction.
            sim.state.fluid.v.iter_mut().for_each(|v| v.fill(0.7));
        }
        let (dt, dx) = (0.1, 0.1);
        let before = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
        sim.solver.step(&mut sim.state, dt).expect("a step");
        let after = vectors(&sim.state.fluid.id, &sim.state.fluid.x);
        let v = vectors(&sim.state.fluid.id, &sim.state.fluid.v);
        let mut longest: f64 = 0.0;
        for i in 0..v.len() {
            let shift: [f64; 2] = std::array::from_fn(|a| {
                let shift = after[i][a] - before[i][a] - dt * v[i][a];
                shift - shift.round()
            });
            longest = longest.max(norm(&shift));
        }
        let rounding = 40.0 * common::EPSILON;
        if jitter == 0.0 {
            assert!(longest < EXACT * dx + rounding, "{longest} on a lattice");
        } else {
            assert!((longest - 0.05 * dx).abs() < EXACT * dx + rounding, "{longest}");
        }
    }
}

/// A single particle flies straight, and coincident particles stay finite.
#[test]
fn few_particles() {
    for kernel in KERNELS {
        for of in FORCES {
            for density in ["delta_sph = 0.0", "", "density = \"summation\"\ndelta_sph = 0.0"] {
                let solver = format!("{}{density}\nregularization = \"shifting\"", force(kernel, of));
                few::<2>(&solver);
                few::<3>(&solver);
            }
        }
    }
}

fn few<const D: usize>(solver: &str) {
    for (count, apart) in [(1, 0.0), (2, 0.0), (2, 0.4), (3, 0.4)] {
        let mut sim = Block::free(1, solver).build::<D>();
        let fluid = &mut sim.state.fluid;
        let x = fluid.position(0);
        for k in 1..count {
            let mut at = x;
            at[0] += apart * k as Real;
            fluid.push(k as u64, at, [0.0; D], fluid.rho[0]);
        }
        fluid.v[1].fill(0.25);
        fluid.v[0][0] = 0.5;
        sim.fixed_dt = Some(1.0 / 1024.0);
        sim.run(1.0, 8, &mut []).unwrap_or_else(|error| panic!("{count} particles: {error}\n{solver}"));
        let (x, y) = (x[0] as f64, sim.state.fluid.x[0][0] as f64);
        if count == 1 {
            assert!((y - x - 0.5 * 8.0 / 1024.0).abs() < 8.0 * common::EPSILON, "not straight\n{solver}");
        }
    }
}
