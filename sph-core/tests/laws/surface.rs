//! Cohesion, curvature and adhesion: signs, conservation, and a brick that becomes round.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]
#![allow(clippy::expect_used, reason = "a failure is that of the test")]

use crate::common;

use common::{EXACT, assert_cancels, assert_near, block, state, walls};
use sph_core::{
    Real,
    fluid::{
        boundary::PsiMode,
        surface::{Surface, Tension},
    },
    geometry::{lattice, sampling::Jitter},
    kernel::{Adhesion, Cohesion, CubicSpline, Formula, Kernel},
    method::state::State,
    neighbors::{FAR, Neighbors, Periodic},
    numerics::{lane::Isa, vector::norm2},
};

const H: f64 = 0.25;
const M: f64 = 0.5;
const RHO_0: f64 = 1000.0;

fn record<const D: usize>(x: [Real; D], last: Real) -> [Real; 4] {
    std::array::from_fn(|a| {
        if a < D {
            x[a]
        } else if a == 3 {
            last
        } else {
            0.0
        }
    })
}

/// Accelerations of all particles, from the densities and pseudo-volumes of the state.
fn accelerations<const D: usize>(
    state: &State<D>,
    lists: &Neighbors<D>,
    (h, surface): (f64, &Surface<D>),
) -> Vec<[f64; D]> {
    let (fluid, walls) = (&state.fluid, &state.walls);
    let null = [FAR, FAR, FAR, 0.0];
    let x4: Vec<_> =
        (0..fluid.len()).map(|i| record(fluid.position(i), fluid.rho[i])).chain([null]).collect();
    let psi = |b: usize| RHO_0 as Real * walls.volume[b];
    let samples: Vec<_> = (0..walls.len()).map(|b| record(walls.position(b), psi(b))).chain([null]).collect();
    let mut records = vec![[FAR, FAR, FAR, 0.0, 0.0, 0.0, 0.0, 0.0]; x4.len()];
    let mut a: [Vec<Real>; D] = std::array::from_fn(|_| vec![0.0; fluid.len()]);
    let (isa, kernel) = (Isa::best(), CubicSpline::<D>::new(h as Real));
    surface.write_normals(isa, kernel, lists, &x4, &mut records);
    surface.add_acceleration(isa, lists, &samples, &records, &mut a);
    (0..fluid.len()).map(|i| std::array::from_fn(|c| f64::from(a[c][i]))).collect()
}

fn surface<const D: usize>(h: f64, m: f64, periodic: Periodic<D>, tension: Tension) -> Surface<D> {
    Surface::new(h as Real, periodic, m as Real, RHO_0 as Real, tension)
}

const COHESION: Tension = Tension { cohesion: 2.0, curvature: 0.0, adhesion: 0.0 };
const CURVATURE: Tension = Tension { cohesion: 0.0, curvature: 3.0, adhesion: 0.0 };
const ADHESION: Tension = Tension { cohesion: 0.0, curvature: 0.0, adhesion: 5.0 };

/// Momentum of disordered particles whose densities differ.
fn assert_momentum<const D: usize>(tension: Tension, periodic: Periodic<D>) {
    let counts = if D == 2 { 10 } else { 8 };
    let (mut state, lists) = state(&block([counts; D], 0.1, 0.4), walls(&[]), H as Real, periodic);
    let spread = Jitter { amplitude: 1.0, seed: 3 };
    for (rho, i) in state.fluid.rho.iter_mut().zip(0..) {
        *rho = (RHO_0 * (1.0 + 0.3 * spread.uniform(i, 0))) as Real;
    }
    let a = accelerations(&state, &lists, (H, &surface(H, M, periodic, tension)));
    for c in 0..D {
        assert_cancels(a.iter().map(|a| a[c]), &format!("momentum {c} in {D}D, {tension:?}"));
    }
    if tension.curvature == 0.0 && !periodic.any() {
        let turn = |i: usize| {
            let x = state.fluid.position(i).map(f64::from);
            [x[0] * a[i][1], -x[1] * a[i][0]]
        };
        assert_cancels((0..a.len()).flat_map(turn), "angular momentum of a central force");
    }
}

#[test]
fn cohesion_and_curvature_conserve_momentum() {
    let both = Tension { cohesion: 1.0, curvature: 0.5, adhesion: 0.0 };
    for tension in [COHESION, CURVATURE, both] {
        assert_momentum::<2>(tension, Periodic::NONE);
        assert_momentum::<3>(tension, Periodic::NONE);
        assert_momentum::<2>(tension, Periodic::new([0.0; 2], [1.0, 0.0]));
        assert_momentum::<3>(tension, Periodic::new([0.0; 3], [0.8; 3]));
    }
}

/// Acceleration of a particle at `q h` along the first axis from another, or from a wall sample, at the origin.
fn acceleration_at<const D: usize>(q: f64, tension: Tension, rho: Real) -> [f64; D] {
    let x: [Real; D] = std::array::from_fn(|a| if a == 0 { (q * H) as Real } else { 0.0 });
    let adhesion = tension.adhesion > 0.0;
    let fluid = if adhesion { vec![x] } else { vec![x, [0.0; D]] };
    let mut boundary = walls(if adhesion { &[[0.0; D]] } else { &[] });
    boundary.weigh(&CubicSpline::<D>::new(H as Real), PsiMode::Akinci, 1.0, RHO_0 as Real, Periodic::NONE);
    let (mut state, lists) = state(&fluid, boundary, H as Real, Periodic::NONE);
    state.fluid.rho.fill(rho);
    let a = accelerations(&state, &lists, (H, &surface(H, M, Periodic::NONE, tension)));
    let i = state.fluid.id.iter().position(|&id| id == 0).expect("particle 0");
    a[i]
}

fn pairs_feel_the_published_forces<const D: usize>() {
    let (cohesion, adhesion) = (Cohesion::<D>::new(H as Real), Adhesion::<D>::new(H as Real));
    let psi = RHO_0 / f64::from(CubicSpline::<D>::new(H as Real).w_0());
    for (q, attracts) in [(0.1, false), (0.2, false), (0.3, true), (0.5, true), (0.9, true)] {
        let r = q * H;
        let [a, across @ ..] = &acceleration_at::<D>(q, COHESION, 800.0)[..] else { unreachable!() };
        let expected = -(RHO_0 / 800.0) * 2.0 * M * cohesion.c(r * r);
        assert_near(*a, expected, 20.0 * EXACT * expected.abs(), "cohesion");
        assert_eq!(*a < 0.0, attracts, "cohesion at q = {q}");
        assert!(across.iter().all(|&a| a == 0.0));
    }
    for q in [0.55, 0.75, 0.95] {
        let r = q * H;
        let a = acceleration_at::<D>(q, ADHESION, 1000.0)[0];
        let expected = -5.0 * psi * adhesion.a(r * r);
        assert!(a < 0.0, "adhesion attracts at q = {q}");
        assert_near(a, expected, 20.0 * EXACT * expected.abs(), "adhesion");
    }
    for q in [0.1, 0.3, 0.499, 1.0, 1.01, 1.5] {
        assert_eq!(acceleration_at::<D>(q, ADHESION, 1000.0), [0.0; D], "adhesion at q = {q}");
    }
    // Both particles have one neighbor and opposite normals into each other, h m/ρ ∇W; K = ρ_0/ρ.
    let normal = H * M / 800.0 * CubicSpline::<D>::new(H as Real).grad_factor((0.5 * H).powi(2)) * 0.5 * H;
    let expected = -(RHO_0 / 800.0) * 3.0 * 2.0 * normal;
    let a = acceleration_at::<D>(0.5, CURVATURE, 800.0)[0];
    assert_near(a, expected, 20.0 * EXACT * expected.abs(), "curvature");
}

#[test]
fn pairs_feel_the_published_forces_in_2d() {
    pairs_feel_the_published_forces::<2>();
}

#[test]
fn pairs_feel_the_published_forces_in_3d() {
    pairs_feel_the_published_forces::<3>();
}

#[test]
fn single_and_coincident_particles_have_numbers() {
    let all = Tension { cohesion: 1.0, curvature: 1.0, adhesion: 1.0 };
    let surface = surface::<3>(H, M, Periodic::NONE, all);
    for n in [0, 1, 2, 5] {
        let mut boundary = walls(&[[0.5; 3]; 2]);
        boundary.volume.fill(1e-3);
        let (mut state, lists) = state(&vec![[0.5; 3]; n], boundary, H as Real, Periodic::NONE);
        state.fluid.rho.fill(RHO_0 as Real);
        let a = accelerations(&state, &lists, (H, &surface));
        assert!(a.iter().flatten().all(|&a| a == 0.0), "{n} in one place: {a:?}");
    }
}

/// A drop with a stiff pressure, in units of its spacing.
struct Drop {
    state: State<3>,
    lists: Neighbors<3>,
    surface: Surface<3>,
    m: f64,
}

impl Drop {
    const H: f64 = 2.5;

    fn brick() -> Self {
        let kernel = CubicSpline::<3>::new(Self::H as Real);
        let m = lattice::calibrated_mass(&kernel, 1.0, RHO_0);
        let (state, lists) = state(&block([8, 4, 4], 1.0, 0.05), walls(&[]), Self::H as Real, Periodic::NONE);
        // A pull of about one spacing per unit of time squared between two particles.
        let tension = Tension { cohesion: (100.0 / m) as Real, curvature: 0.05, adhesion: 0.0 };
        Self { state, lists, surface: surface(Self::H, m, Periodic::NONE, tension), m }
    }

    /// One step of symplectic Euler, with some damping.
    fn step(&mut self, dt: f64) {
        self.lists.update(&mut self.state, []).expect("a small grid");
        let kernel = CubicSpline::<3>::new(Self::H as Real);
        let n = self.state.fluid.len();
        let x: Vec<[f64; 3]> = (0..n).map(|i| self.state.fluid.position(i).map(f64::from)).collect();
        let apart = |i: usize, j: usize| -> [f64; 3] { std::array::from_fn(|a| x[i][a] - x[j][a]) };
        let rows = &self.lists.fluid;
        for i in 0..n {
            let w = rows.neighbors(i).map(|j| kernel.w(norm2(apart(i, j))));
            self.state.fluid.rho[i] = (self.m * (f64::from(kernel.w_0()) + w.sum::<f64>())) as Real;
        }
        let p = |i: usize| {
            let rho = f64::from(self.state.fluid.rho[i]);
            100.0 * (rho - RHO_0).max(0.0) / (rho * rho)
        };
        let mut a = accelerations(&self.state, &self.lists, (Self::H, &self.surface));
        for (i, a) in a.iter_mut().enumerate() {
            for j in rows.neighbors(i) {
                let x_ij = apart(i, j);
                let push = self.m * (p(i) + p(j)) * kernel.grad_factor(norm2(x_ij));
                a.iter_mut().zip(x_ij).for_each(|(a, x)| *a -= push * x);
            }
        }
        for (i, a) in a.into_iter().enumerate() {
            for (c, a) in a.into_iter().enumerate() {
                let v = (f64::from(self.state.fluid.v[c][i]) + dt * a) * (1.0 - dt);
                self.state.fluid.v[c][i] = v as Real;
                self.state.fluid.x[c][i] = (x[i][c] + dt * v) as Real;
            }
        }
    }

    /// Second moment along the first axis over the mean of the others.
    fn anisotropy(&self) -> f64 {
        let n = self.state.fluid.len() as f64;
        let [long, b, c] = self.state.fluid.x.each_ref().map(|x| {
            let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
            x.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n
        });
        2.0 * long / (b + c)
    }
}

#[test]
fn a_brick_becomes_rounder() {
    let mut drop = Drop::brick();
    let mut anisotropy = vec![drop.anisotropy()];
    for _ in 0..4 {
        (0..100).for_each(|_| drop.step(0.02));
        anisotropy.push(drop.anisotropy());
    }
    assert!(anisotropy[0] > 4.0 && anisotropy[..3].is_sorted_by(|a, b| a > b), "{anisotropy:?}");
    assert!((0.8..1.25).contains(&anisotropy[4]), "{anisotropy:?}");
    // Still one drop of liquid at about its density.
    let mean = drop.state.fluid.rho.iter().map(|&rho| f64::from(rho)).sum::<f64>() / 128.0;
    assert!((0.7..1.3).contains(&(mean / RHO_0)), "{mean}");
}
