//! The multigrid preconditioner: the diagonal for the particles, plus a V-cycle over the levels of
//! [`aggregation`](crate::aggregation).
//!
//! `M⁻¹ = D⁻¹ + P B Pᵀ`, B the cycle. Corrections that are constant in an aggregate are too small by nearly two,
//! hence the overcorrection (Braess 1995, Computing 55, 379-393).

use crate::{
    aggregation::{Level, Multigrid},
    cpu::equation::{divided, dot},
};
use sph_core::{
    Real,
    method::failure::Lost,
    neighbors::Chunk,
    numerics::{
        lane::Isa,
        parallel::{self, Exact},
    },
    phase,
    run::ranks::shared::Others,
};
use std::{mem::swap, ops::Range};

/// Part ω of a damped Jacobi sweep: `ω A/D` stays below 2, so the cycle is positive.
const DAMPING: Real = 0.7;
/// Sweeps before and after the coarser levels.
const SWEEPS: usize = 2;
/// Sweeps at the coarsest level, in place of a solution.
const COARSEST: usize = 8;
/// Factor on the correction of a coarser level.
const OVERCORRECTION: Real = 1.8;

/// What a sweep over a level reads.
struct Sweep<'a> {
    rows: &'a Chunk,
    off_diagonal: &'a [Real],
    diagonal: &'a [Real],
    r: &'a [Real],
    z: &'a [Real],
}

phase! {
/// `z_c + ω (r_c − D_c z_c + Σ_c' w_cc' z_c')/D_c`.
fn relaxed<L>(s: &Sweep<'_>, range: Range<usize>, out: &mut [Real]) {
    for (out, c) in out.iter_mut().zip(range) {
        let around = s.rows.weighted_sum::<L>(c, s.off_diagonal, s.z);
        *out = s.z[c] + DAMPING * divided(s.r[c] - s.diagonal[c] * s.z[c] + around, s.diagonal[c]);
    }
}
}

phase! {
/// `r_c − D_c z_c + Σ_c' w_cc' z_c'`.
fn residual<L>(s: &Sweep<'_>, range: Range<usize>, out: &mut [Real]) {
    for (out, c) in out.iter_mut().zip(range) {
        *out = s.r[c] - s.diagonal[c] * s.z[c] + s.rows.weighted_sum::<L>(c, s.off_diagonal, s.z);
    }
}
}

impl<const D: usize> Level<D> {
    fn sweep(&self) -> Sweep<'_> {
        let Self { rows, off_diagonal, diagonal, r, z, .. } = self;
        Sweep { rows, off_diagonal, diagonal, r, z }
    }

    /// Sweeps, after the last of which ghosts have the solution of their owners if it is `needed`.
    fn relax(
        &mut self,
        isa: Isa,
        times: usize,
        needed: bool,
        others: &mut Others<'_, D>,
    ) -> Result<(), Lost> {
        for sweep in 1..=times {
            let mut q = std::mem::take(&mut self.q);
            let (n, s) = (self.len(), self.sweep());
            parallel::blocks(n, &mut q[..n], |range, out| relaxed(isa, &s, range, out));
            self.q = q;
            swap(&mut self.z, &mut self.q);
            if needed || sweep < times {
                others.refresh_cells(&self.halo, &mut self.z)?;
            }
        }
        Ok(())
    }

    /// The first sweep, from zero.
    fn begin(&mut self, others: &mut Others<'_, D>) -> Result<(), Lost> {
        let (n, r, diagonal) = (self.len(), &self.r, &self.diagonal);
        parallel::blocks(n, &mut self.z[..n], |range, z| {
            for (z, c) in z.iter_mut().zip(range) {
                *z = DAMPING * divided(r[c], diagonal[c]);
            }
        });
        others.refresh_cells(&self.halo, &mut self.z)
    }

    /// Restriction: `r_c`, the sum of a field over each aggregate.
    fn restrict(&mut self, field: &[Real], others: &mut Others<'_, D>) -> Result<(), Lost> {
        let mut r = std::mem::take(&mut self.r);
        let level = &*self;
        parallel::blocks(r.len(), &mut r[..], |range, r| {
            for (r, c) in r.iter_mut().zip(range) {
                *r = level.unknowns(c).iter().fold(0.0, |sum, &i| sum + field[i as usize]);
            }
        });
        self.r = r;
        if self.is_joined { others.all_sum(&mut self.r) } else { Ok(()) }
    }

    /// Coarse-grid correction: restriction of the residual, a cycle, prolongation.
    fn correct(&mut self, coarser: &mut [Self], isa: Isa, others: &mut Others<'_, D>) -> Result<(), Lost> {
        let mut q = std::mem::take(&mut self.q);
        let (n, s) = (self.len(), self.sweep());
        parallel::blocks(n, &mut q[..n], |range, out| residual(isa, &s, range, out));
        self.q = q;
        coarser[0].restrict(&self.q, others)?;
        cycle(coarser, isa, others)?;
        let coarse = &coarser[0];
        parallel::blocks(n, &mut self.z[..n], |range, z| {
            for (z, c) in z.iter_mut().zip(range) {
                *z += OVERCORRECTION * coarse.z[coarse.aggregate_of(c)];
            }
        });
        Ok(())
    }
}

/// `z ← B r` on the first of the levels.
fn cycle<const D: usize>(levels: &mut [Level<D>], isa: Isa, others: &mut Others<'_, D>) -> Result<(), Lost> {
    let Some((level, coarser)) = levels.split_first_mut() else { return Ok(()) };
    level.begin(others)?;
    if coarser.is_empty() {
        return level.relax(isa, COARSEST - 1, false, others);
    }
    level.relax(isa, SWEEPS - 1, true, others)?;
    level.correct(coarser, isa, others)?;
    level.relax(isa, SWEEPS, false, others)
}

/// `z ← (D⁻¹ + P B Pᵀ) r`. Returns `r·z` of this rank.
///
/// # Errors
/// When another rank has failed.
pub fn precondition<const D: usize>(
    levels: &mut Multigrid<D>,
    isa: Isa,
    others: &mut Others<'_, D>,
    [diagonal, r]: [&[Real]; 2],
    z: &mut [Real],
) -> Result<Exact, Lost> {
    let levels = levels.in_use();
    if let Some(finest) = levels.first_mut() {
        finest.restrict(r, others)?;
    }
    cycle(levels, isa, others)?;
    let finest = levels.first();
    Ok(parallel::blocks(r.len(), z, |range, z| {
        for (z, i) in z.iter_mut().zip(range.clone()) {
            let correction = finest.map_or(0.0, |level| level.z[level.aggregate_of(i)]);
            *z = divided(r[i], diagonal[i]) + correction;
        }
        dot(isa, &r[range], z)
    }))
}
