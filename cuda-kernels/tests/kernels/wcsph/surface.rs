//! Cohesion, curvature and adhesion.

use super::{Axes, Case, H, RHO_0, Sum, around, at, in_all_cases, noise, packed};
use cuda_kernels::{
    common::{
        boundary::walls::LOADED,
        numerics::{Sets, fields::Packed},
        surface::{Surface, surface_forces, surface_normals, surface_reaction},
    },
    device::executor::{Executor, Field},
};
use sph_core::{
    Real,
    fluid::surface::Tension,
    kernel::{Adhesion, Cohesion, Kernel as _},
};

const TENSION: Tension = Tension { cohesion: 0.7, curvature: 1.3, adhesion: 0.9 };

/// The first D of three numbers.
fn three<const D: usize>(of: impl Fn(usize) -> Real) -> [Real; 3] {
    std::array::from_fn(|a| if a < D { of(a) } else { 0.0 })
}

pub fn forces<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let (kernel, smoothing, k) = (case.constants.kernel, case.smoothing, case.kernel);
    let (n, psi, m) = (case.n(), case.psi(), case.constants.m);
    let surface = Surface::new::<D>(H, TENSION);
    let (cells, wall_cells) = (case.cells(executor, &case.x), case.cells(executor, &case.wall_x));
    // Nothing but positions is read of the fluid's records.
    let (place, wall_place) = (packed(&case.x, &field![Real::NAN; n]), packed(&case.wall_x, &psi));
    let fluid = around(&cells, &place);
    let walls = around(&wall_cells, &wall_place);
    let mut normal = field![Packed::default(); n];
    surface_normals(executor, smoothing, kernel, &fluid, &case.rho, m, n, &mut normal).unwrap();
    for i in 0..n {
        let sum = case.sum(at(&case.x, i), Some(i), &case.x, |j, x_ij, r2| {
            let f = H * m / case.rho[j] * k.grad_factor(r2);
            three::<D>(|a| f * x_ij[a])
        });
        sum.check(three::<D>(|a| normal[i].0[a]), "normal", i);
        assert_eq!(normal[i].0[3], case.rho[i]);
    }
    let mut a: Axes<D> = std::array::from_fn(|_| field![0.25; n]);
    surface_forces(executor, smoothing, surface, &fluid, &normal, &walls, m, RHO_0, n, &mut a).unwrap();
    check_forces(case, &normal, &psi, &a);
}

/// Accelerations by all pairs, of normals that were found.
fn check_forces<const D: usize>(case: &Case<D>, normal: &[Packed], psi: &[Real], a: &Axes<D>) {
    let (cohesion, adhesion) = (Cohesion::<D>::new(H), Adhesion::<D>::new(H));
    for i in 0..case.n() {
        let x_i = at(&case.x, i);
        let inner = case.sum(x_i, Some(i), &case.x, |j, x_ij, r2| {
            let amplify = 2.0 * RHO_0 / (case.rho[i] + case.rho[j]);
            let along = TENSION.cohesion * case.constants.m * cohesion.c_over_r(r2);
            three::<D>(|a| {
                let curvature = TENSION.curvature * (normal[i].0[a] - normal[j].0[a]);
                -(amplify * (along * x_ij[a] + curvature))
            })
        });
        let outer = case.sum(x_i, None, &case.wall_x, |b, x_ib, r2| {
            let pull = TENSION.adhesion * psi[b] * adhesion.a_over_r(r2);
            three::<D>(|a| -(pull * x_ib[a]))
        });
        let mut sum = Sum::of([0.25; 3]).plus(1.0, inner).plus(1.0, outer);
        // Cohesion and curvature may cancel, and so do normals; both are below 1.
        sum.size = sum.size.map(|size| 4.0 * size + 1.0);
        sum.check(std::array::from_fn(|d| if d < D { a[d][i] } else { 0.25 }), "acceleration", i);
    }
}

#[test]
fn surface_forces_are_those_of_all_pairs() {
    in_all_cases(forces, forces);
}

pub fn reaction<const D: usize>(case: &Case<D>, executor: &dyn Executor) {
    let smoothing = case.smoothing;
    let (n, n_walls, psi, m) = (case.n(), case.n_walls(), case.psi(), case.constants.m);
    let surface = Surface::new::<D>(H, TENSION);
    let cells = case.cells(executor, &case.x);
    let (place, wall_place) = (packed(&case.x, &field![0.0; n]), packed(&case.wall_x, &psi));
    let fluid = around(&cells, &place);
    let (flags, rigid): (_, Field<u16>) = (field![0, LOADED], (0..n_walls as u16).map(|b| b % 2).collect());
    let sets = Sets { flags: &flags, body: &rigid };
    let before: Axes<D> = std::array::from_fn(|a| noise(n_walls, 60 + a as u64));
    let mut force = before.clone();
    surface_reaction(executor, smoothing, surface, &fluid, &wall_place, sets, m, n_walls, &mut force)
        .unwrap();
    let adhesion = Adhesion::<D>::new(H);
    for b in 0..n_walls {
        if rigid[b] == 0 {
            assert_eq!(at(&force, b), at(&before, b), "samples of no body get nothing");
            continue;
        }
        let sum = case.sum(at(&case.wall_x, b), None, &case.x, |_, x_bi, r2| {
            let pull = TENSION.adhesion * psi[b] * adhesion.a_over_r(r2);
            three::<D>(|a| -(pull * x_bi[a]))
        });
        let own = Sum::of(three::<D>(|a| before[a][b]).map(f64::from));
        own.plus(m.into(), sum).check(three::<D>(|a| force[a][b]), "reaction", b);
    }
}

#[test]
fn bodies_feel_the_adhesion_of_all_pairs() {
    in_all_cases(reaction, reaction);
}
