//! Conjugate gradients for `A x = b` (Hestenes & Stiefel 1952), with a preconditioner `M ≈ A`.
//!
//! The matrix appears only as `A d`, so the iteration is the same on every backend: scalars are `f64` on the CPU, and
//! places in the memory of a GPU, which the host reads every few iterations.

/// An equation `A x = b` with a symmetric and positive semidefinite matrix, and the vectors of the iteration.
pub trait Equation {
    /// What a backend may fail with.
    type Error;
    /// A scalar of the iteration, or its place on a GPU.
    type Scalar: Copy;

    /// `r ← b − A x`. Returns `‖b‖²` and `‖r‖²`, as numbers.
    fn residual(&mut self) -> Result<[f64; 2], Self::Error>;
    /// `z ← M⁻¹ r`. Returns `r·z`.
    fn precondition(&mut self) -> Result<Self::Scalar, Self::Error>;
    /// `d ← z`.
    fn begin(&mut self) -> Result<(), Self::Error>;
    /// `q ← A d`. Returns `d·q`.
    fn apply(&mut self) -> Result<Self::Scalar, Self::Error>;
    /// `α = rho/sigma`, `x ← x + α d`, `r ← r − α q`. Nothing moves where `sigma` is not positive, or `‖r‖²` is not
    /// above `target` already.
    fn advance(&mut self, rho: Self::Scalar, sigma: Self::Scalar, target: f64) -> Result<(), Self::Error>;
    /// `β = next/rho`, `d ← z + β d`.
    fn turn(&mut self, next: Self::Scalar, rho: Self::Scalar) -> Result<(), Self::Error>;
    /// How the iteration stands after number `k`, from 0. A backend may answer [`Observed::Nothing`] to most.
    fn observe(&mut self, k: u32, last: bool) -> Result<Observed, Self::Error>;
    /// `‖r_k‖²` after each iteration so far, in order.
    fn history(&self) -> &[f64];
}

/// How the iteration stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observed {
    /// Not read back yet.
    Nothing,
    /// The iteration goes on: `‖r‖²`.
    Residual(f64),
    /// `d·A d` was negative, or NaN: the matrix is indefinite.
    Indefinite,
    /// `d·A d` was zero up to rounding: a breakdown.
    Breakdown,
}

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The residual is small enough.
    Converged,
    /// It is not, after the largest number of iterations.
    IterationLimitReached,
    /// The matrix has a negative eigenvalue, or a number is not finite.
    Indefinite,
    /// A breakdown: the right-hand side has a part in the null space of the matrix, so there is no solution.
    Singular,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Residual that is small enough, over `‖b‖` or, if `absolute`, as it is.
    pub tolerance: f64,
    /// What `tolerance` is measured in: `None` for `‖b‖`, else a number in the units of the equation.
    pub absolute: Option<f64>,
    /// Most iterations.
    pub iterations: u32,
}

/// The result of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// How it ended.
    pub outcome: Outcome,
    /// Iterations done.
    pub iterations: u32,
    /// `‖r‖₂`, in the units of the equation.
    pub residual: f64,
    /// `‖b‖₂`.
    pub right_hand_side: f64,
}

/// A squared residual as small as that is solved: sums of much smaller squares have lost their digits.
const LEAST: f64 = 1e-250;

/// Solves `A x = b` from the `x` that is there.
///
/// # Errors
/// As the equation.
// ANCHOR: cg
pub fn solve<E: Equation>(e: &mut E, limits: &Limits) -> Result<Solved, E::Error> {
    let [b2, r2] = e.residual()?; //            r₀ = b − A x₀
    let scale = limits.absolute.unwrap_or(b2.sqrt());
    let target = (limits.tolerance * scale).powi(2).max(LEAST);
    let ended = |outcome, iterations, r2: f64| {
        Ok(Solved { outcome, iterations, residual: r2.sqrt(), right_hand_side: b2.sqrt() })
    };
    if !(b2 + r2).is_finite() {
        return ended(Outcome::Indefinite, 0, r2);
    }
    if r2 <= target {
        return ended(Outcome::Converged, 0, r2);
    }
    let last = |e: &E| e.history().last().copied().unwrap_or(r2);
    let mut rho = e.precondition()?; //         z₀ = M⁻¹ r₀
    e.begin()?; //                              d₀ = z₀
    for k in 0..limits.iterations {
        let sigma = e.apply()?; //              q_k = A d_k
        e.advance(rho, sigma, target)?; //      α_k = r_k·z_k / d_k·q_k, x_{k+1} = x_k + α_k d_k, r_{k+1} = r_k − α_k q_k
        match e.observe(k, k + 1 == limits.iterations)? {
            Observed::Residual(r2) if r2 <= target => {
                let needed = e.history().iter().position(|&r2| r2 <= target);
                return ended(Outcome::Converged, needed.map_or(k, |k| k as u32) + 1, r2);
            }
            Observed::Residual(r2) if !r2.is_finite() => return ended(Outcome::Indefinite, k + 1, r2),
            Observed::Nothing | Observed::Residual(_) => {}
            // The iteration after the last good one: a GPU reports it late.
            Observed::Indefinite => return ended(Outcome::Indefinite, e.history().len() as u32 + 1, last(e)),
            Observed::Breakdown => return ended(Outcome::Singular, e.history().len() as u32 + 1, last(e)),
        }
        let next = e.precondition()?; //        z_{k+1} = M⁻¹ r_{k+1}
        e.turn(next, rho)?; //                  β_k = r_{k+1}·z_{k+1} / r_k·z_k, d_{k+1} = z_{k+1} + β_k d_k
        rho = next;
    }
    ended(Outcome::IterationLimitReached, limits.iterations, last(e))
}
// ANCHOR_END: cg
