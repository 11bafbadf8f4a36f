//! Cohesion, curvature and adhesion.

use super::{Axes, Case, H, Points, RHO_0, Sum, at, call, in_all_cases, kernel, noise, packed, three};
use cuda_kernels::{
    common::{
        boundary::walls::LOADED,
        numerics::{Sets, fields::Packed},
        surface::Surface,
    },
    device::executor::{Executor, Field},
    pbf::Launcher,
};
use sph_core::{
    Real,
    fluid::surface::Tension,
    kernel::{Adhesion, Cohesion, Kernel},
};
use std::cell::Cell;

const TENSION: Tension = Tension { cohesion: 0.7, curvature: 1.3, adhesion: 0.9 };

fn forces<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    case.constants.surface = Surface::new::<D>(H, TENSION);
    let (n, rows, k, x_psi) = (case.n(), case.rows(executor), kernel::<D>(), case.x_psi());
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let (x_rho, mut normal) = (packed(&case.x, &case.rho), field![Packed::default(); n]);
    launcher.color_normals(&rows.fluid, &x_rho, n, &mut normal).unwrap();
    for (i, found) in normal.iter().enumerate() {
        let sum = case.sum((Points::Fluid, i), Points::Fluid, |j, x_ij, r2| {
            let f = H * case.constants.m / case.rho[j] * k.grad_factor(r2);
            three::<D>(|a| f * x_ij[a])
        });
        sum.check(three::<D>(|a| found.0[a]), "normal", i);
        assert_eq!(found.0[3], case.rho[i]);
    }
    let mut a: Axes<D> = std::array::from_fn(|_| field![Real::NAN; n]);
    launcher.tension(&rows.fluid, &rows.walls, &x_rho, &normal, &x_psi, n, &mut a).unwrap();
    check_forces(case, &normal, &a);
}

/// Accelerations by all pairs, of normals that were found.
fn check_forces<const D: usize>(case: &Case<D>, normal: &[Packed], a: &Axes<D>) {
    let (cohesion, adhesion) = (Cohesion::<D>::new(H), Adhesion::<D>::new(H));
    let out_of_reach = Cell::new(0);
    for i in 0..case.n() {
        let inner = case.sum((Points::Fluid, i), Points::Fluid, |j, x_ij, r2| {
            let amplify = 2.0 * RHO_0 / (case.rho[i] + case.rho[j]);
            let along = TENSION.cohesion * case.constants.m * cohesion.c_over_r(r2);
            let near = call::<D>("is_nonzero", &[(H * H - r2).max(0.0)])[0];
            out_of_reach.set(out_of_reach.get() + usize::from(near == 0.0));
            three::<D>(|a| {
                let curvature = TENSION.curvature * near * (normal[i].0[a] - normal[j].0[a]);
                -(amplify * (along * x_ij[a] + curvature))
            })
        });
        let outer = case.sum((Points::Fluid, i), Points::Walls, |b, x_ib, r2| {
            let pull = TENSION.adhesion * case.psi[b] * adhesion.a_over_r(r2);
            three::<D>(|a| -(pull * x_ib[a]))
        });
        let mut sum = inner.plus(1.0, outer);
        // Cohesion and curvature may cancel, and so do normals; both are below 1.
        sum.size = sum.size.map(|size| 4.0 * size + 1.0);
        sum.check(three::<D>(|d| a[d][i]), "acceleration", i);
    }
    assert!(out_of_reach.get() > 0, "no pair has left");
}

#[test]
fn surface_forces_are_those_of_all_pairs() {
    in_all_cases(forces, forces);
}

fn adhesion_reaction<const D: usize>(case: &mut Case<D>, executor: &dyn Executor) {
    case.constants.surface = Surface::new::<D>(H, TENSION);
    let (n_walls, rows, x_psi) = (case.n_walls(), case.rows(executor), case.x_psi());
    let (flags, body): (_, Field<u16>) =
        (field![0, LOADED], (0..n_walls).map(|b| u16::from(b % 3 != 0)).collect());
    let sets = Sets { flags: &flags, body: &body };
    let (x_rho, before) =
        (packed(&case.x, &case.rho), std::array::from_fn(|a| noise(n_walls, 60 + a as u64)) as Axes<D>);
    let launcher = Launcher { executor, constants: &case.constants, smoothing: "CubicSpline" };
    let mut force = before.clone();
    launcher.adhesion_reaction(&rows.of_walls, &x_rho, &x_psi, sets, n_walls, &mut force).unwrap();
    let adhesion = Adhesion::<D>::new(H);
    for b in 0..n_walls {
        if body[b] == 0 {
            assert_eq!(at(&force, b), at(&before, b), "samples of no body get nothing");
            continue;
        }
        let sum = case.sum((Points::Walls, b), Points::Fluid, |_, x_bi, r2| {
            let pull = TENSION.adhesion * case.psi[b] * adhesion.a_over_r(r2);
            three::<D>(|a| -(pull * x_bi[a]))
        });
        let own = Sum::of(three::<D>(|a| before[a][b]).map(f64::from));
        own.plus(case.constants.m.into(), sum).check(three::<D>(|a| force[a][b]), "reaction", b);
    }
}

#[test]
fn reactions_to_adhesion_are_those_of_all_pairs() {
    in_all_cases(adhesion_reaction, adhesion_reaction);
}
