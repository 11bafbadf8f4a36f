//! The kernels of weakly compressible SPH against sums over all pairs, on the processor in several orders of threads.
//!
//! Terms are computed by the same formulas, so that results differ by the order of sums alone: by at most
//! `n ε Σ|terms|`, with a factor of 4 for the few operations around it.

use crate::common::{Axes, H, ORDERS, SPACING, Sum, at, cells, lattice, noise, packed};
use cuda_kernels::{
    common::{
        numerics::{
            fields::Packed,
            kernel::KernelConstants,
            space::{Domain, Forces},
        },
        search::{cells::CellSort, neighbors::Around},
        surface::Surface,
    },
    device::{
        emulator::formulas::Formulas,
        executor::{Executor, Field},
    },
    wcsph::{Constants, Contact, Eos, Monaghan, Morris, Solenoidal, viscosity, wall},
};
use sph_core::{
    Real,
    fluid::{material, surface::Tension},
    kernel::{Kernel, KernelKind},
    neighbors::Periodic,
    numerics::{lane::each, vector::norm2},
};

mod density;
mod edges;
mod momentum;
mod motion;
mod surface;

const RHO_0: Real = 1000.0;
const C_0: Real = 20.0;

/// Fluid over a wall of two layers, both in disorder and in the order of their cells.
struct Case<const D: usize> {
    periodic: Periodic<D>,
    x: Axes<D>,
    v: Axes<D>,
    rho: Field<Real>,
    wall_x: Axes<D>,
    wall_v: Axes<D>,
    constants: Constants<D>,
    kernel: Smoothing<D>,
    smoothing: &'static str,
}

sph_core::smoothing! {
    /// The smoothing kernel of a case.
    enum Smoothing: bell;
}

impl<const D: usize> Case<D> {
    fn new(kind: KernelKind, is_periodic: bool, seed: u64) -> Self {
        let counts: [usize; D] = each(|a| if D == 2 { 12 } else { [8, 5, 4][a] });
        let wall_counts: [usize; D] = each(|a| if a == 1 { 2 } else { counts[a] });
        let length: [Real; D] =
            each(|a| if a == 0 && is_periodic { counts[0] as Real * SPACING } else { 0.0 });
        let periodic = Periodic::new([0.0; D], length);
        let x = lattice(counts, [0.0; D], &periodic, seed);
        let below: [f64; D] = each(|a| if a == 1 { -0.2 } else { 0.0 });
        let wall_x = lattice(wall_counts, below, &periodic, seed + 1);
        let (n, n_walls) = (x[0].len(), wall_x[0].len());
        Self {
            v: std::array::from_fn(|a| noise(n, seed + 2 + a as u64)),
            rho: noise(n, seed + 9).iter().map(|u| RHO_0 * (1.0 + 0.02 * u)).collect(),
            wall_v: std::array::from_fn(|a| noise(n_walls, seed + 5 + a as u64)),
            constants: constants(kind, &periodic),
            kernel: Smoothing::new(kind, H).unwrap(),
            smoothing: kind.type_name(),
            periodic,
            x,
            wall_x,
        }
    }

    fn n(&self) -> usize {
        self.x[0].len()
    }

    fn n_walls(&self) -> usize {
        self.wall_x[0].len()
    }

    fn psi(&self) -> Field<Real> {
        noise(self.n_walls(), 77).iter().map(|u| self.constants.m * (1.0 + 0.1 * u)).collect()
    }

    /// Cells of points that are sorted already.
    fn cells(&self, executor: &dyn Executor, x: &Axes<D>) -> CellSort<D> {
        cells(executor, &self.periodic, x)
    }

    /// `Σ_j term(j, x_ij, r²)` over all points of `from` in reach of `x_i` but `own`, and `Σ_j |term|`, in f64.
    fn sum<const M: usize>(
        &self,
        x_i: [Real; D],
        own: Option<usize>,
        from: &Axes<D>,
        term: impl Fn(usize, [Real; D], Real) -> [Real; M],
    ) -> Sum<M> {
        let mut sum = Sum { value: [0.0; M], size: [0.0; M] };
        for j in (0..from[0].len()).filter(|j| Some(*j) != own) {
            let x_ij = self.periodic.nearest(each(|a| x_i[a] - from[a][j]));
            let r2 = norm2(x_ij);
            if r2 < H * H {
                for (m, t) in term(j, x_ij, r2).into_iter().enumerate() {
                    sum.value[m] += f64::from(t);
                    sum.size[m] += f64::from(t).abs();
                }
            }
        }
        sum
    }
}

fn constants<const D: usize>(kind: KernelKind, periodic: &Periodic<D>) -> Constants<D> {
    let domain = material::Domain { low: [-1.0; D], high: [2.0; D], periodic: *periodic };
    let gravity: [Real; D] = each(|a| if a == 1 { -9.81 } else { 0.0 });
    let forces = material::Forces { gravity, central: Some(([0.5; D], 0.7)), damping: None };
    let (h_s, volume) = (0.5 * H, SPACING.powi(D as i32));
    Constants {
        kernel: KernelConstants::new::<D>(kind, H),
        domain: Domain::from(&domain),
        forces: Forces::from(&forces),
        surface: Surface::new::<D>(H, Tension::default()),
        eos: Eos { kind: Eos::TAIT, b: RHO_0 * C_0 * C_0 / 7.0 },
        contact: Contact { stiffness: 300.0, reach: 0.085 },
        monaghan: Monaghan { alpha_h_c: 0.3 * h_s * C_0 },
        morris: Morris { mu: 0.7 },
        solenoidal: Solenoidal { mu: 5.0 },
        m: RHO_0 * volume,
        rho_0: RHO_0,
        spacing: SPACING,
        volume,
        softening: 0.01 * h_s * h_s,
        diffusion: 0.2 * h_s * C_0,
        inv_w_dx: 1.0 / Smoothing::<D>::new(kind, H).unwrap().w(SPACING * SPACING),
        correction_limit: 0.05 * SPACING,
        viscosity: viscosity::MONAGHAN,
        wall: wall::MIRRORED,
        clamps: 0,
    }
}

/// Runs a test in two and three dimensions, with all smoothing kernels, with open and periodic axes, for three orders of
/// threads.
fn in_all_cases(two: impl Fn(&Case<2>, &dyn Executor), three: impl Fn(&Case<3>, &dyn Executor)) {
    for (seed, executor) in ORDERS.iter().enumerate() {
        for &kind in KERNELS {
            for periodic in [false, true] {
                two(&Case::new(kind, periodic, 10 * seed as u64), executor);
                three(&Case::new(kind, periodic, 10 * seed as u64), executor);
            }
        }
    }
}

/// Points as loops find them.
fn around<'a, const D: usize>(cells: &'a CellSort<D>, place: &'a Field<Packed>) -> Around<'a, D> {
    Around { cells, place, rows: None, radius: H }
}

fn dot<const D: usize>(a: [Real; D], b: [Real; D]) -> Real {
    (1..D).fold(a[0] * b[0], |sum, k| sum + a[k] * b[k])
}

fn call<const D: usize>(function: &str, input: &[Real]) -> Vec<Real> {
    Formulas::Wcsph.call::<D>(function, input).unwrap()
}
