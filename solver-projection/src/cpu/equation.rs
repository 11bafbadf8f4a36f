//! The linear equation on the CPU: matrix-free products from the entries of the rows, and sums in one order.

use super::vcycle;
use crate::{
    aggregation::Multigrid,
    cg::{self, Observed},
    memory::Vectors,
    params::Preconditioner,
};
use sph_core::{
    Real,
    method::failure::Lost,
    neighbors::{Chunk, NeighborLists},
    numerics::{
        lane::Isa,
        parallel::{self, Exact, Max, Merge},
    },
    phase,
    run::ranks::{exchange::PointSet, shared::Others},
};

phase! {
/// `q_i = A_ii d_i − scale Σ_j c_ij d_j`. Returns `d·q`, and the largest `A_ii d_i²`.
fn product<L>(
    scale: Real, diagonal: &[Real], d: &[Real], entries: &[Real], fluid: &Chunk, q: &mut [Real],
) -> Product {
    let mut largest: Real = 0.0;
    for (k, i) in fluid.points().enumerate() {
        let own = diagonal[i] * d[i];
        q[k] = own - scale * fluid.weighted_sum::<L>(i, entries, d);
        largest = largest.max(own * d[i]);
    }
    Product { work: Exact::dot(&d[fluid.points()], q), largest: Max(f64::from(largest)) }
}
}

phase! {
/// `a·b`.
pub(super) fn dot<L>(a: &[Real], b: &[Real]) -> Exact {
    Exact::dot(a, b)
}
}

/// What a product with the matrix has found.
#[derive(Clone, Copy)]
pub struct Product {
    /// `d·q`.
    pub work: Exact,
    /// The largest `A_ii d_i²`.
    pub largest: Max,
}

impl Default for Product {
    fn default() -> Self {
        Self { work: Exact::default(), largest: Max(0.0) }
    }
}

impl Merge for Product {
    fn merge(self, later: Self) -> Self {
        Self { work: self.work.merge(later.work), largest: self.largest.merge(later.largest) }
    }
}

/// `d·A d` below this part of `Σ A_ii d_i²` is rounding.
const ROUNDING: f64 = 0.25 * Real::EPSILON as f64;

/// Room for the residuals of so many iterations is made at once.
const MOST_KEPT: u32 = 10_000;

/// Makes room for the residuals of a solution.
pub(super) fn make_room(history: &mut Vec<f64>, limits: &cg::Limits) {
    history.clear();
    history.reserve(limits.iterations.min(MOST_KEPT) as usize);
}

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
pub trait Matrix<const D: usize> {
    /// `q ← A d`, once ghosts have the d of their owners.
    ///
    /// # Errors
    /// When another rank has failed.
    fn multiply(&mut self, vectors: &mut Vectors, others: &mut Others<'_, D>) -> Result<Product, Lost>;
}

/// The matrix of entries c that stand beside the rows, `A_ij = −scale c_ij`, with the diagonal of the vectors.
pub struct Rows<'a> {
    /// Instruction set of the loops.
    pub isa: Isa,
    /// Rows of neighbors.
    pub lists: &'a NeighborLists,
    /// Entries c.
    pub entries: &'a [Vec<Real>],
    /// What they are multiplied by.
    pub scale: Real,
}

/// `A x = b`. Ghosts have 0 in the diagonal, in b and in all products, so that they stand in no sum.
pub struct Equation<'a, M, const D: usize> {
    matrix: M,
    isa: Isa,
    inverse: Inverse<'a, D>,
    others: Others<'a, D>,
    vectors: &'a mut Vectors,
    x: &'a mut [Real],
    history: &'a mut Vec<f64>,
    observed: Observed,
    /// Unknowns on all ranks.
    n: usize,
    /// True when every row adds up to 0, so that x is open up to a constant.
    pub is_closed: bool,
}

impl<'a, M, const D: usize> Equation<'a, M, D> {
    /// The one with a matrix, a preconditioner and a right-hand side, of `n` unknowns on all ranks; `x` is the first guess.
    pub fn new(
        (matrix, inverse, n): (M, Inverse<'a, D>, usize),
        (isa, others): (Isa, Others<'a, D>),
        vectors: &'a mut Vectors,
        x: &'a mut [Real],
        history: &'a mut Vec<f64>,
    ) -> Self {
        history.clear();
        Self {
            matrix,
            isa,
            inverse,
            others,
            vectors,
            x,
            history,
            observed: Observed::Nothing,
            n,
            is_closed: false,
        }
    }

    /// `Σ A_ii d_i²`, which is at most as large as n times the largest one: few products are as small as rounding of that.
    fn size(&mut self) -> Result<f64, Lost> {
        let Vectors { diagonal, d, .. } = &*self.vectors;
        let term = |i: usize| f64::from(diagonal[i]) * f64::from(d[i]).powi(2);
        let size = parallel::blocks(diagonal.len(), (), |range, ()| Exact::of(range, term));
        self.others.sums([size]).map(|[size]| size)
    }
}

/// `r/A_ii`; isolated particles keep a pressure of 0.
#[inline(always)]
pub(super) fn divided(r: Real, diagonal: Real) -> Real {
    if diagonal > 0.0 { r / diagonal } else { 0.0 }
}

impl<const D: usize> Matrix<D> for Rows<'_> {
    fn multiply(&mut self, vectors: &mut Vectors, others: &mut Others<'_, D>) -> Result<Product, Lost> {
        let Vectors { diagonal, d, q, .. } = vectors;
        others.refresh(PointSet::Fluid, d)?;
        let (isa, scale, entries) = (self.isa, self.scale, self.entries);
        Ok(self
            .lists
            .for_each(&mut q[..], |k, fluid, q| product(isa, scale, diagonal, d, &entries[k], fluid, q)))
    }
}

/// Subtracts the mean of a field with `n` entries on all ranks, of which those of ghosts are 0.
pub(super) fn remove_mean<const D: usize>(
    field: &mut [Real],
    n: usize,
    others: &mut Others<'_, D>,
) -> Result<(), Lost> {
    let sum = parallel::blocks(field.len(), (), |range, ()| Exact::of(range, |i| f64::from(field[i])));
    let [sum] = others.sums([sum])?;
    let mean = (sum / n.max(1) as f64) as Real;
    parallel::blocks(field.len(), &mut *field, |_, field| field.iter_mut().for_each(|x| *x -= mean));
    others.clear_ghosts(field);
    Ok(())
}

impl<M: Matrix<D>, const D: usize> cg::Equation for Equation<'_, M, D> {
    type Error = Lost;
    type Scalar = f64;

    fn residual(&mut self) -> Result<[f64; 2], Lost> {
        let n = self.x.len();
        self.vectors.d[..n].copy_from_slice(self.x);
        self.matrix.multiply(self.vectors, &mut self.others)?;
        let Vectors { b, q, r, .. } = &mut *self.vectors;
        let isa = self.isa;
        let sums = parallel::blocks(n, &mut r[..], |range, r| {
            for (r, i) in r.iter_mut().zip(range.clone()) {
                *r = b[i] - q[i];
            }
            let b = &b[range];
            [dot(isa, b, b), dot(isa, r, r)]
        });
        self.others.sums(sums)
    }

    fn precondition(&mut self) -> Result<f64, Lost> {
        let isa = self.isa;
        let Vectors { diagonal, r, z, .. } = &mut *self.vectors;
        let divides = match &mut self.inverse {
            Inverse::Multilevel(levels) => {
                let mut rho = vcycle::precondition(levels, isa, &mut self.others, [diagonal, r], z)?;
                if self.is_closed {
                    // Coarse levels amplify the mean that rounding leaves in r.
                    self.others.clear_ghosts(z);
                    remove_mean(z, self.n, &mut self.others)?;
                    let (r, z) = (&*r, &*z);
                    rho = parallel::blocks(r.len(), (), |range, ()| dot(isa, &r[range.clone()], &z[range]));
                }
                return self.others.sums([rho]).map(|[rho]| rho);
            }
            Inverse::Diagonal => true,
            Inverse::Nothing => false,
        };
        let rho = parallel::blocks(r.len(), &mut z[..], |range, z| {
            let (r, diagonal) = (&r[range.clone()], &diagonal[range]);
            for (k, z) in z.iter_mut().enumerate() {
                *z = if divides { divided(r[k], diagonal[k]) } else { r[k] };
            }
            dot(isa, r, z)
        });
        self.others.sums([rho]).map(|[rho]| rho)
    }

    fn begin(&mut self) -> Result<(), Lost> {
        let n = self.x.len();
        self.vectors.d[..n].copy_from_slice(&self.vectors.z);
        Ok(())
    }

    fn apply(&mut self) -> Result<f64, Lost> {
        let Product { work, largest: Max(largest) } = self.matrix.multiply(self.vectors, &mut self.others)?;
        let [work] = self.others.sums([work])?;
        let most = self.n as f64 * self.others.max(largest)?;
        let size = if work > ROUNDING * most { most } else { self.size()? };
        self.observed = match work {
            work if work > ROUNDING * size => Observed::Nothing,
            work if work >= -ROUNDING * size => Observed::Breakdown,
            _ => Observed::Indefinite,
        };
        Ok(work)
    }

    fn advance(&mut self, rho: f64, sigma: f64, _target: f64) -> Result<(), Lost> {
        if self.observed != Observed::Nothing {
            return Ok(());
        }
        let (alpha, isa) = ((rho / sigma) as Real, self.isa);
        let Vectors { d, q, r, .. } = &mut *self.vectors;
        let r2 = parallel::blocks(q.len(), (&mut *self.x, &mut r[..]), |range, (x, r)| {
            for (k, i) in range.enumerate() {
                x[k] += alpha * d[i];
                r[k] -= alpha * q[i];
            }
            dot(isa, r, r)
        });
        let [r2] = self.others.sums([r2])?;
        self.history.push(r2);
        self.observed = Observed::Residual(r2);
        Ok(())
    }

    fn turn(&mut self, next: f64, rho: f64) -> Result<(), Lost> {
        let beta = (next / rho) as Real;
        let Vectors { d, z, .. } = &mut *self.vectors;
        parallel::blocks(z.len(), &mut d[..z.len()], |range, d| {
            for (d, i) in d.iter_mut().zip(range) {
                *d = z[i] + beta * *d;
            }
        });
        Ok(())
    }

    fn observe(&mut self, _k: u32, _last: bool) -> Result<Observed, Lost> {
        Ok(self.observed)
    }

    fn history(&self) -> &[f64] {
        self.history
    }
}
