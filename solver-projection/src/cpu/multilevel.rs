//! A preconditioner that reaches across the fluid at once: the diagonal for the particles, and a V-cycle over
//! [`levels`](crate::levels) of cells for what it leaves.
//!
//! `M⁻¹ = D⁻¹ + P B Pᵀ`, B the cycle. Aggregation by piecewise constant numbers makes corrections too small by nearly two,
//! hence the factor on them (Braess 1995, Computing 55, 379-393).

use crate::{
    cpu::equation::divided,
    levels::{Level, Levels},
};
use sph_core::{
    Real,
    neighbors::Chunk,
    numerics::{
        lane::Isa,
        parallel::{self, Sum},
    },
    phase,
};
use std::{mem::swap, ops::Range};

/// Part ω of a damped Jacobi sweep: `ω A/D` stays below 2, so the cycle is positive.
const DAMPING: Real = 0.7;
/// Sweeps before and after the coarser levels.
const SWEEPS: usize = 2;
/// Sweeps at the coarsest level, in place of a solution.
const COARSEST: usize = 8;
/// Factor on what comes from a coarser level.
const OVER: Real = 1.8;

/// What a sweep over a level reads.
struct Sweep<'a> {
    rows: &'a Chunk,
    couplings: &'a [Real],
    diagonal: &'a [Real],
    r: &'a [Real],
    z: &'a [Real],
}

phase! {
/// `z_c + ω (r_c − D_c z_c + Σ_c' w_cc' z_c')/D_c`.
fn relaxed<L>(s: &Sweep<'_>, range: Range<usize>, out: &mut [Real]) {
    for (out, c) in out.iter_mut().zip(range) {
        let around = s.rows.weighted_sum::<L>(c, s.couplings, s.z);
        *out = s.z[c] + DAMPING * divided(s.r[c] - s.diagonal[c] * s.z[c] + around, s.diagonal[c]);
    }
}
}

phase! {
/// `r_c − D_c z_c + Σ_c' w_cc' z_c'`.
fn left<L>(s: &Sweep<'_>, range: Range<usize>, out: &mut [Real]) {
    for (out, c) in out.iter_mut().zip(range) {
        *out = s.r[c] - s.diagonal[c] * s.z[c] + s.rows.weighted_sum::<L>(c, s.couplings, s.z);
    }
}
}

impl<const D: usize> Level<D> {
    fn sweep(&self) -> Sweep<'_> {
        let Self { rows, couplings, diagonal, r, z, .. } = self;
        Sweep { rows, couplings, diagonal, r, z }
    }

    fn relax(&mut self, isa: Isa, times: usize) {
        for _ in 0..times {
            let mut q = std::mem::take(&mut self.q);
            let (n, s) = (self.len(), self.sweep());
            parallel::blocks(n, &mut q[..n], |range, out| relaxed(isa, &s, range, out));
            self.q = q;
            swap(&mut self.z, &mut self.q);
        }
    }

    /// The first sweep, from zero.
    fn begin(&mut self) {
        let (n, r, diagonal) = (self.len(), &self.r, &self.diagonal);
        parallel::blocks(n, &mut self.z[..n], |range, z| {
            for (z, c) in z.iter_mut().zip(range) {
                *z = DAMPING * divided(r[c], diagonal[c]);
            }
        });
    }

    /// `r_c`, the sum of a field over the members of each cell.
    fn restrict(&mut self, field: &[Real]) {
        let mut r = std::mem::take(&mut self.r);
        let level = &*self;
        parallel::blocks(r.len(), &mut r[..], |range, r| {
            for (r, c) in r.iter_mut().zip(range) {
                *r = level.members(c).iter().map(|&i| field[i as usize]).sum();
            }
        });
        self.r = r;
    }

    /// What the level does not know yet goes to the next one, whose answer comes back.
    fn correct(&mut self, coarser: &mut [Self], isa: Isa) {
        let mut q = std::mem::take(&mut self.q);
        let (n, s) = (self.len(), self.sweep());
        parallel::blocks(n, &mut q[..n], |range, out| left(isa, &s, range, out));
        self.q = q;
        coarser[0].restrict(&self.q);
        cycle(coarser, isa);
        let coarse = &coarser[0];
        parallel::blocks(n, &mut self.z[..n], |range, z| {
            for (z, c) in z.iter_mut().zip(range) {
                *z += OVER * coarse.z[coarse.cell_of(c)];
            }
        });
    }
}

/// `z ← B r` on the first of the levels.
fn cycle<const D: usize>(levels: &mut [Level<D>], isa: Isa) {
    let Some((level, coarser)) = levels.split_first_mut() else { return };
    level.begin();
    if coarser.is_empty() {
        return level.relax(isa, COARSEST - 1);
    }
    level.relax(isa, SWEEPS - 1);
    level.correct(coarser, isa);
    level.relax(isa, SWEEPS);
}

/// `z ← (D⁻¹ + P B Pᵀ) r`. Returns `r·z`.
pub fn precondition<const D: usize>(
    levels: &mut Levels<D>,
    isa: Isa,
    diagonal: &[Real],
    r: &[Real],
    z: &mut [Real],
) -> f64 {
    let levels = levels.in_use();
    if let Some(finest) = levels.first_mut() {
        finest.restrict(r);
    }
    cycle(levels, isa);
    let finest = levels.first();
    let Sum(rho) = parallel::blocks(r.len(), z, |range, z| {
        let mut rho = 0.0;
        for (z, i) in z.iter_mut().zip(range) {
            let far = finest.map_or(0.0, |level| level.z[level.cell_of(i)]);
            *z = divided(r[i], diagonal[i]) + far;
            rho += f64::from(*z) * f64::from(r[i]);
        }
        Sum(rho)
    });
    rho
}
