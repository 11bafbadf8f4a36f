//! The linear equation on the CPU: matrix-free products from the entries of the rows, and sums in one order.

use super::{Cpu, vcycle};
use crate::{
    aggregation::Multigrid,
    cg::{self, Observed},
    memory::Vectors,
    params::Preconditioner,
};
use sph_core::{
    Real,
    neighbors::{Chunk, NeighborLists},
    numerics::{
        lane::Isa,
        parallel::{self, Sum},
    },
    phase,
};
use std::convert::Infallible;

phase! {
/// `q_i = A_ii d_i − scale Σ_j c_ij d_j`. Returns `d·q` and `Σ A_ii d_i²`.
fn product<L>(
    scale: Real, diagonal: &[Real], d: &[Real], entries: &[Real], fluid: &Chunk, q: &mut [Real],
) -> [Sum; 2] {
    let (mut work, mut size) = (0.0, 0.0);
    for (k, i) in fluid.points().enumerate() {
        let own = diagonal[i] * d[i];
        q[k] = own - scale * fluid.weighted_sum::<L>(i, entries, d);
        work += f64::from(d[i]) * f64::from(q[k]);
        size += f64::from(d[i]) * f64::from(own);
    }
    [Sum(work), Sum(size)]
}
}

/// `d·A d` below this part of `Σ A_ii d_i²` is rounding.
const ROUNDING: f64 = 0.25 * Real::EPSILON as f64;

/// Room for the residuals of so many iterations is made at once.
const MOST_KEPT: u32 = 10_000;

/// The preconditioner.
pub enum Inverse<'a, const D: usize> {
    /// The identity.
    Nothing,
    /// That of the diagonal.
    Diagonal,
    /// Multigrid of ever larger cells.
    Multilevel(&'a mut Multigrid<D>),
}

impl<const D: usize> Inverse<'_, D> {
    /// Without levels: viscosity reaches about a spacing in a step.
    pub fn pointwise(chosen: Preconditioner) -> Self {
        if chosen == Preconditioner::None { Self::Nothing } else { Self::Diagonal }
    }
}

/// A matrix, by its products.
pub trait Matrix {
    /// `q ← A d`. Returns `d·q` and `Σ A_ii d_i²`.
    fn multiply(&mut self, vectors: &mut Vectors) -> [f64; 2];
}

/// The matrix of entries c that stand beside the rows, `A_ij = −scale c_ij`, with the diagonal of the vectors.
pub struct Rows<'a> {
    isa: Isa,
    lists: &'a NeighborLists,
    entries: &'a [Vec<Real>],
    scale: Real,
}

/// `A x = b`.
pub struct Equation<'a, M, const D: usize> {
    matrix: M,
    isa: Isa,
    inverse: Inverse<'a, D>,
    vectors: &'a mut Vectors,
    x: &'a mut [Real],
    history: &'a mut Vec<f64>,
    observed: Observed,
    /// True when every row adds up to 0, so that x is open up to a constant.
    pub is_closed: bool,
}

impl<const D: usize> Cpu<'_, D> {
    /// The preconditioner of the pressure. Builds `levels` if it is multigrid.
    pub fn inverse<'a>(&self, levels: &'a mut Multigrid<D>) -> Inverse<'a, D> {
        let chosen = self.method.params.preconditioner;
        if chosen != Preconditioner::Multilevel {
            return Inverse::pointwise(chosen);
        }
        let (fields, neighbors) = (&self.method.fields, &self.method.shell.neighbors);
        levels.build(neighbors.cells(), &neighbors.fluid, &fields.entries, &fields.dirichlet);
        Inverse::Multilevel(levels)
    }

    /// The equation with the entries of this step.
    pub fn equation<'a>(
        &'a self,
        inverse: Inverse<'a, D>,
        vectors: &'a mut Vectors,
        x: &'a mut [Real],
        history: &'a mut Vec<f64>,
        scale: Real,
    ) -> Equation<'a, Rows<'a>, D> {
        let matrix = Rows {
            isa: self.method.shell.isa,
            lists: &self.method.shell.neighbors.fluid,
            entries: &self.method.fields.entries,
            scale,
        };
        self.equation_with(matrix, inverse, vectors, x, history)
    }

    /// The equation with another matrix.
    pub(super) fn equation_with<'a, M: Matrix>(
        &self,
        matrix: M,
        inverse: Inverse<'a, D>,
        vectors: &'a mut Vectors,
        x: &'a mut [Real],
        history: &'a mut Vec<f64>,
    ) -> Equation<'a, M, D> {
        history.clear();
        history.reserve(self.method.params.cg_max_iter.min(MOST_KEPT) as usize);
        Equation {
            matrix,
            isa: self.method.shell.isa,
            inverse,
            vectors,
            x,
            history,
            observed: Observed::Nothing,
            is_closed: self.method.fields.is_closed,
        }
    }
}

/// `r/A_ii`; isolated particles keep a pressure of 0.
#[inline(always)]
pub(super) fn divided(r: Real, diagonal: Real) -> Real {
    if diagonal > 0.0 { r / diagonal } else { 0.0 }
}

/// Removes the mean of `z`, and returns `r·z`. Where x is open up to a constant, coarse levels amplify the mean that
/// rounding leaves in r.
fn without_mean(r: &[Real], z: &mut [Real]) -> f64 {
    super::motion::remove_mean(z);
    let z = &*z;
    let Sum(rho) = parallel::blocks(r.len(), (), |range, ()| {
        Sum(range.map(|i| f64::from(z[i]) * f64::from(r[i])).sum())
    });
    rho
}

impl Matrix for Rows<'_> {
    fn multiply(&mut self, vectors: &mut Vectors) -> [f64; 2] {
        let Vectors { diagonal, d, q, .. } = vectors;
        let (isa, scale, entries) = (self.isa, self.scale, self.entries);
        let [Sum(work), Sum(size)] = self
            .lists
            .for_each(&mut q[..], |k, fluid, q| Sums(product(isa, scale, diagonal, d, &entries[k], fluid, q)))
            .0;
        [work, size]
    }
}

/// Sums that a loop over chunks adds up.
pub(super) struct Sums(pub [Sum; 2]);

impl Default for Sums {
    fn default() -> Self {
        Self([Sum(0.0); 2])
    }
}

impl parallel::Merge for Sums {
    fn merge(self, later: Self) -> Self {
        Self(self.0.merge(later.0))
    }
}

impl<M: Matrix, const D: usize> cg::Equation for Equation<'_, M, D> {
    type Error = Infallible;
    type Scalar = f64;

    fn residual(&mut self) -> Result<[f64; 2], Infallible> {
        let n = self.x.len();
        self.vectors.d[..n].copy_from_slice(self.x);
        self.matrix.multiply(self.vectors);
        let Vectors { b, q, r, .. } = &mut *self.vectors;
        let [Sum(b2), Sum(r2)] = parallel::blocks(n, &mut r[..], |range, r| {
            let (mut b2, mut r2) = (0.0, 0.0);
            for (r, i) in r.iter_mut().zip(range) {
                *r = b[i] - q[i];
                b2 += f64::from(b[i]) * f64::from(b[i]);
                r2 += f64::from(*r) * f64::from(*r);
            }
            [Sum(b2), Sum(r2)]
        });
        Ok([b2, r2])
    }

    fn precondition(&mut self) -> Result<f64, Infallible> {
        let Vectors { diagonal, r, z, .. } = &mut *self.vectors;
        let divides = match &mut self.inverse {
            Inverse::Multilevel(levels) => {
                let rho = vcycle::precondition(levels, self.isa, diagonal, r, z);
                return Ok(if self.is_closed { without_mean(r, z) } else { rho });
            }
            Inverse::Diagonal => true,
            Inverse::Nothing => false,
        };
        let Sum(rho) = parallel::blocks(r.len(), &mut z[..], |range, z| {
            let mut rho = 0.0;
            for (z, i) in z.iter_mut().zip(range) {
                *z = if divides { divided(r[i], diagonal[i]) } else { r[i] };
                rho += f64::from(*z) * f64::from(r[i]);
            }
            Sum(rho)
        });
        Ok(rho)
    }

    fn begin(&mut self) -> Result<(), Infallible> {
        let n = self.x.len();
        self.vectors.d[..n].copy_from_slice(&self.vectors.z);
        Ok(())
    }

    fn apply(&mut self) -> Result<f64, Infallible> {
        let [work, size] = self.matrix.multiply(self.vectors);
        self.observed = match work {
            work if work > ROUNDING * size => Observed::Nothing,
            work if work >= -ROUNDING * size => Observed::Breakdown,
            _ => Observed::Indefinite,
        };
        Ok(work)
    }

    fn advance(&mut self, rho: f64, sigma: f64, _target: f64) -> Result<(), Infallible> {
        if self.observed != Observed::Nothing {
            return Ok(());
        }
        let alpha = (rho / sigma) as Real;
        let Vectors { d, q, r, .. } = &mut *self.vectors;
        let Sum(r2) = parallel::blocks(q.len(), (&mut *self.x, &mut r[..]), |range, (x, r)| {
            let mut r2 = 0.0;
            for (k, i) in range.enumerate() {
                x[k] += alpha * d[i];
                r[k] -= alpha * q[i];
                r2 += f64::from(r[k]) * f64::from(r[k]);
            }
            Sum(r2)
        });
        self.history.push(r2);
        self.observed = Observed::Residual(r2);
        Ok(())
    }

    fn turn(&mut self, next: f64, rho: f64) -> Result<(), Infallible> {
        let beta = (next / rho) as Real;
        let Vectors { d, z, .. } = &mut *self.vectors;
        parallel::blocks(z.len(), &mut d[..z.len()], |range, d| {
            for (d, i) in d.iter_mut().zip(range) {
                *d = z[i] + beta * *d;
            }
        });
        Ok(())
    }

    fn observe(&mut self, _k: u32, _last: bool) -> Result<Observed, Infallible> {
        Ok(self.observed)
    }

    fn history(&self) -> &[f64] {
        self.history
    }
}
