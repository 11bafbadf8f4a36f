//! Discrete gradient, divergence, curl and Laplacian over neighbor rows, and how consistent they are.
//!
//! All are sums over pairs, `Σ_j term(i, j)`, with `∇W_ij` the gradient with respect to `x_i` and `V_j` the volume of
//! particle `j`; they differ in the term alone. No operator is exact for all fields and conservative at once:
//!
//! | operator | exact for | conserves, weighted with `V_i` |
//! |---|---|---|
//! | [`gradient`](Operators::gradient) | constants; linear fields when [corrected](Correction) | - |
//! | [`symmetric_gradient`](Operators::symmetric_gradient) | - | linear and angular momentum |
//! | [`divergence`](Operators::divergence) | constants | adjoint of the symmetric gradient |
//! | [`curl`](Operators::curl) | constants | - |
//! | [`laplacian`](Operators::laplacian) | constants | linear momentum |
//! | [`vector_laplacian`](Operators::vector_laplacian) | rigid motions | linear and angular momentum |
//!
//! The direct gradient `Σ_j V_j A_j ∇W_ij`, which is neither, is not offered. These are references for tests and
//! diagnostics of results: they allocate what they return, and solvers have their own, fused loops.

use std::array::from_fn;

use nalgebra::SMatrix;

use crate::{
    Real,
    kernel::Kernel,
    neighbors::{Chunk, FAR, NeighborLists, Periodic},
    numerics::lane::{Isa, Lane},
    phase,
};

/// A field with `M` components, one array each. Shape `[M][n]`.
pub type Field<const M: usize> = [Vec<Real>; M];

/// `[x y z V | a b c ρ]`: position, volume, the components of the field and the density of a particle.
type Record<T> = [T; 8];
const VOLUME: usize = 3;
const FIELD: usize = 4;
const DENSITY: usize = 7;

/// Operators over particles in the order of their neighbor rows.
#[derive(Debug)]
pub struct Operators<'a, const D: usize, K> {
    isa: Isa,
    kernel: K,
    lists: &'a NeighborLists,
    periodic: Periodic<D>,
    /// Records without a field. The last is the null particle's.
    records: Vec<Record<Real>>,
}

/// What a term may know of a pair.
struct Pair<L, const D: usize> {
    x_ij: [L; D],
    r2: L,
    w: L,
    /// `W'(r) / r`.
    f: L,
    i: Record<L>,
    j: Record<L>,
}

impl<L: Lane, const D: usize> Pair<L, D> {
    /// `V_j`.
    #[inline(always)]
    fn volume(&self) -> L {
        self.j[VOLUME]
    }

    /// `a_j - a_i` of component `c`.
    #[inline(always)]
    fn jump(&self, c: usize) -> L {
        self.j[FIELD + c] - self.i[FIELD + c]
    }

    /// `V_j s ∇W_ij`.
    #[inline(always)]
    fn along_gradient(&self, s: L) -> [L; D] {
        let s = self.volume() * self.f * s;
        from_fn(|a| s * self.x_ij[a])
    }

    /// `V_j / (r² + 0.01 h_s²) W' / r`; the second term keeps close pairs finite.
    #[inline(always)]
    fn softened(&self, softening: Real) -> L {
        self.volume() * self.f / (self.r2 + L::splat(softening))
    }
}

/// The term of a sum over pairs; 0 for far pairs, where `W` and `W'` are.
trait Term<const D: usize, const M: usize>: Sync {
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; M];
}

phase! {
    /// `Σ_j term(i, j)` for the particles of a chunk.
    fn sum_pairs<L>[const D: usize, const M: usize, K: Kernel<D>, T: (Term<D, M>)](
        operators: &Operators<'_, D, K>,
        term: &T,
        records: &[Record<Real>],
        chunk: &Chunk,
        out: [&mut [Real]; M],
    ) {
        let (mut out, kernel) = (out, operators.kernel);
        for (k, i) in chunk.points().enumerate() {
            let x_i: [Real; D] = from_fn(|a| records[i][a]);
            let own = records[i].map(L::splat);
            let sum = chunk.sum::<L, D, 8, M>(i, x_i, records, &operators.periodic, |x_ij, r2, j| {
                term.of(&Pair { x_ij, r2, w: kernel.w(r2), f: kernel.grad_factor(r2), i: own, j })
            });
            for (out, sum) in out.iter_mut().zip(sum) {
                out[k] = sum;
            }
        }
    }
}

impl<'a, const D: usize, K: Kernel<D>> Operators<'a, D, K> {
    /// Operators with `kernel` over the rows `lists` of particles at `x` (shape `[D][n]`, \[m\]) with volumes
    /// `volume` (shape `[n]`, \[mᴰ\]) and densities `rho` (shape `[n]`, \[kg/m³\]).
    pub fn new(
        kernel: K,
        lists: &'a NeighborLists,
        periodic: Periodic<D>,
        x: &[Vec<Real>; D],
        volume: &[Real],
        rho: &[Real],
    ) -> Self {
        let place = |i: usize| from_fn(|a| if a < D { x[a][i] } else { 0.0 });
        let record = |[x, y, z]: [Real; 3], volume, rho| [x, y, z, volume, 0.0, 0.0, 0.0, rho];
        let mut records: Vec<_> = (0..lists.len()).map(|i| record(place(i), volume[i], rho[i])).collect();
        // Any finite density will do, as its volume is 0.
        records.push(record([FAR; 3], 0.0, 1.0));
        Self { isa: Isa::best(), kernel, lists, periodic, records }
    }

    /// The same with another instruction set; the results have the same bits.
    #[must_use]
    pub fn with_isa(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    fn sum<const C: usize, const M: usize>(&self, field: [&[Real]; C], term: &impl Term<D, M>) -> Field<M> {
        const { assert!(C <= 3) };
        let mut records = self.records.clone();
        for (c, values) in field.into_iter().enumerate() {
            records.iter_mut().zip(values).for_each(|(record, &value)| record[FIELD + c] = value);
        }
        let mut sums: Field<M> = from_fn(|_| vec![0.0; self.lists.len()]);
        self.lists.for_each(sums.each_mut().map(Vec::as_mut_slice), |_, chunk, out| {
            sum_pairs(self.isa, self, term, &records, chunk, out);
        });
        sums
    }

    /// `0.01 h_s²`, `h_s = h/2` \[m²\].
    fn softening(&self) -> Real {
        let h_s = 0.5 * self.kernel.support_radius();
        0.01 * h_s * h_s
    }

    /// Difference gradient `Σ_j V_j (a_j - a_i) ∇W_ij`. Shape `[D][n]`, unit of `a` per m.
    pub fn gradient(&self, a: &[Real]) -> Field<D> {
        self.sum([a], &DifferenceGradient)
    }

    /// Symmetric gradient `ρ_i Σ_j m_j (a_i/ρ_i² + a_j/ρ_j²) ∇W_ij`, `m = V ρ`: the forces `-V_i ∇a_i` act along the
    /// lines between particles and cancel in pairs. Shape `[D][n]`, unit of `a` per m.
    pub fn symmetric_gradient(&self, a: &[Real]) -> Field<D> {
        self.sum([a], &SymmetricGradient)
    }

    /// Difference divergence `Σ_j V_j (v_j - v_i) · ∇W_ij`; the negative adjoint of the symmetric gradient where the
    /// density is uniform (elsewhere that is the one with weights `m_j/ρ_i`). Shape `[n]`, unit of `v` per m.
    pub fn divergence(&self, v: &Field<D>) -> Vec<Real> {
        let [divergence] = self.sum(slices(v), &DifferenceDivergence);
        divergence
    }

    /// Curl `Σ_j V_j ∇W_ij × (v_j - v_i)`: one component in 2D (`M = 1`), three in 3D (`M = 3`). Shape `[M][n]`,
    /// unit of `v` per m.
    pub fn curl<const M: usize>(&self, v: &Field<D>) -> Field<M> {
        const { assert!((D == 2 && M == 1) || (D == 3 && M == 3)) };
        self.sum(slices(v), &Curl)
    }

    /// Laplacian `2 Σ_j V_j (a_i - a_j) x_ij · ∇W_ij / (r² + 0.01 h_s²)` (Brookshaw 1985): `+D` for `a = ½ |x|²`.
    /// Shape `[n]`, unit of `a` per m².
    pub fn laplacian(&self, a: &[Real]) -> Vec<Real> {
        let [laplacian] = self.sum([a], &Laplacian { softening: self.softening() });
        laplacian
    }

    /// Laplacian `2 (D + 2) Σ_j V_j v_ij · x_ij / (r² + 0.01 h_s²) ∇W_ij` of a field without divergence (Monaghan
    /// 2005). Shape `[D][n]`, unit of `v` per m².
    pub fn vector_laplacian(&self, v: &Field<D>) -> Field<D> {
        self.sum(slices(v), &VectorLaplacian { softening: self.softening() })
    }

    /// The sums that decide about order 0: interpolation and direct gradient are right for constants where they
    /// are 1 and 0.
    pub fn consistency_0(&self) -> Consistency0<D> {
        let [mut partition] = self.sum([], &Partition);
        for (sum, record) in partition.iter_mut().zip(&self.records) {
            *sum += record[VOLUME] * self.kernel.w_0();
        }
        Consistency0 { partition, gradient: self.sum([], &GradientOfOne) }
    }

    /// The sums that decide about order 1: interpolation and direct gradient are right for linear fields where
    /// they are 0 and the identity, and those of order 0 are right as well.
    pub fn consistency_1(&self) -> Consistency1<D> {
        Consistency1 { shift: self.sum([], &Shift), moment: from_fn(|a| self.sum([], &MomentRow(a))) }
    }

    /// What makes the difference gradient exact for linear fields.
    pub fn correction(&self) -> Correction<D> {
        let moment: [Field<D>; D] = from_fn(|a| self.sum([], &MomentRow(a)));
        let inverse_of = |i: usize| {
            let b = SMatrix::<f64, D, D>::from_fn(|row, column| f64::from(moment[row][column][i]));
            b.try_inverse().filter(|inverse| b.norm() * inverse.norm() <= MAX_CONDITION)
        };
        let inverse: Vec<_> = (0..self.lists.len()).map(inverse_of).collect();
        Correction {
            n_uncorrected: inverse.iter().filter(|inverse| inverse.is_none()).count(),
            inverse: inverse.into_iter().map(|inverse| inverse.unwrap_or_else(SMatrix::identity)).collect(),
        }
    }
}

fn slices<const M: usize>(field: &Field<M>) -> [&[Real]; M] {
    field.each_ref().map(Vec::as_slice)
}

/// Sums over `j`, particle `i` included, that are 1 and 0 in the continuum.
#[derive(Clone, Debug, PartialEq)]
pub struct Consistency0<const D: usize> {
    /// Partition of unity `Σ_j V_j W_ij`, ideally 1. Shape `[n]`, \[-\].
    pub partition: Vec<Real>,
    /// `Σ_j V_j ∇W_ij`, ideally 0. Shape `[D][n]`, \[1/m\].
    pub gradient: Field<D>,
}

/// Sums over `j` that are 0 and the identity in the continuum.
#[derive(Clone, Debug, PartialEq)]
pub struct Consistency1<const D: usize> {
    /// `Σ_j V_j (x_j - x_i) W_ij`, ideally 0. Shape `[D][n]`, \[m\].
    pub shift: Field<D>,
    /// `B_i = Σ_j V_j ∇W_ij (x_j - x_i)ᵀ`, ideally the identity: rows are components of the gradient, columns of the
    /// displacement. Shape `[D][D][n]`, \[-\].
    pub moment: [Field<D>; D],
}

/// A particle whose matrix has a larger condition number (in the Frobenius norm, at least `D`) is not corrected.
const MAX_CONDITION: f64 = 1e3;

/// Matrix correction of the gradient (Bonet & Lok 1999): `∇a_i = B_i⁻¹ Σ_j V_j (a_j - a_i) ∇W_ij`.
#[derive(Clone, Debug)]
pub struct Correction<const D: usize> {
    /// `B_i⁻¹`; the identity where too few neighbors, or neighbors in a line, leave `B_i` without a usable one.
    inverse: Vec<SMatrix<f64, D, D>>,
    /// Number of particles that are not corrected \[-\].
    pub n_uncorrected: usize,
}

impl<const D: usize> Correction<D> {
    /// Corrects a difference gradient in place.
    pub fn apply(&self, gradient: &mut Field<D>) {
        for (i, inverse) in self.inverse.iter().enumerate() {
            let raw = SMatrix::<f64, D, 1>::from_fn(|a, _| f64::from(gradient[a][i]));
            let corrected = inverse * raw;
            for a in 0..D {
                gradient[a][i] = corrected[a] as Real;
            }
        }
    }
}

struct DifferenceGradient;
impl<const D: usize> Term<D, D> for DifferenceGradient {
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; D] {
        pair.along_gradient(pair.jump(0))
    }
}

struct SymmetricGradient;
impl<const D: usize> Term<D, D> for SymmetricGradient {
    // ρ_i m_j (a_i/ρ_i² + a_j/ρ_j²) = V_j (a_i ρ_j/ρ_i + a_j ρ_i/ρ_j)
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; D] {
        let ratio = pair.j[DENSITY] / pair.i[DENSITY];
        pair.along_gradient(pair.i[FIELD] * ratio + pair.j[FIELD] / ratio)
    }
}

struct DifferenceDivergence;
impl<const D: usize> Term<D, 1> for DifferenceDivergence {
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; 1] {
        let gradient = pair.along_gradient(L::splat(1.0));
        [(1..D).fold(pair.jump(0) * gradient[0], |sum, a| sum + pair.jump(a) * gradient[a])]
    }
}

struct Curl;
impl<const D: usize, const M: usize> Term<D, M> for Curl {
    /// Component `c` of `∇W × v` is that of the two axes after `c`, of x and y for the only one in 2D.
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; M] {
        let gradient = pair.along_gradient(L::splat(1.0));
        from_fn(|c| {
            let (a, b) = if D == 2 { (0, 1) } else { ((c + 1) % 3, (c + 2) % 3) };
            gradient[a] * pair.jump(b) - gradient[b] * pair.jump(a)
        })
    }
}

struct Laplacian {
    softening: Real,
}
impl<const D: usize> Term<D, 1> for Laplacian {
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; 1] {
        [L::splat(-2.0) * pair.jump(0) * (pair.softened(self.softening) * pair.r2)]
    }
}

struct VectorLaplacian {
    softening: Real,
}
impl<const D: usize> Term<D, D> for VectorLaplacian {
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; D] {
        let approach = (1..D).fold(pair.jump(0) * pair.x_ij[0], |sum, a| sum + pair.jump(a) * pair.x_ij[a]);
        let s = L::splat(-2.0 * (D as Real + 2.0)) * approach * pair.softened(self.softening);
        from_fn(|a| s * pair.x_ij[a])
    }
}

struct Partition;
impl<const D: usize> Term<D, 1> for Partition {
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; 1] {
        [pair.volume() * pair.w]
    }
}

struct GradientOfOne;
impl<const D: usize> Term<D, D> for GradientOfOne {
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; D] {
        pair.along_gradient(L::splat(1.0))
    }
}

struct Shift;
impl<const D: usize> Term<D, D> for Shift {
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; D] {
        let share = pair.volume() * pair.w;
        from_fn(|a| -(share * pair.x_ij[a]))
    }
}

/// One row of `B`, which is symmetric, as `∇W` is along `x_ij`.
struct MomentRow(usize);
impl<const D: usize> Term<D, D> for MomentRow {
    #[inline(always)]
    fn of<L: Lane>(&self, pair: &Pair<L, D>) -> [L; D] {
        pair.along_gradient(-pair.x_ij[self.0])
    }
}
