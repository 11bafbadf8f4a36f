//! Dummy walls (Adami, Hu & Adams 2012): pressure and velocity taken from the fluid in reach.

use sph_core::{
    Real,
    kernel::Kernel,
    neighbors::{Chunk, Periodic},
    numerics::lane::{Lane, each},
    phase,
};

/// What the extrapolation reads.
pub struct Extrapolation<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z p/ρ² | v ρ]` of the fluid.
    pub record: &'a [[Real; 8]],
    /// Positions of the samples.
    pub x: &'a [Vec<Real>; D],
    /// Accelerations of the samples, `[m/s²]`.
    pub a: &'a [Vec<Real>; D],
    pub gravity: [Real; D],
}

/// What a sample gets from the fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extrapolated {
    /// Pressure, `[Pa]`.
    pub p: Real,
    /// Mean velocity of the fluid in reach, `None` if there is none, `[m/s]`.
    pub v: Option<[Real; 3]>,
}

phase! {
/// `p_b = (Σ p W + (g − a_b)·Σ ρ x_bf W) / Σ W` (eq. 27) and `v̄_b = Σ v W / Σ W` (eq. 22).
pub fn extrapolate<L>[const D: usize, K: Kernel<D>](
    kernel: K, s: &Extrapolation<'_, D>, rows: &Chunk, out: &mut [Extrapolated],
) {
    for (k, b) in rows.points().enumerate() {
        let x_b: [Real; D] = each(|a| s.x[a][b]);
        let zero = L::splat(0.0);
        let sums = rows.sum::<L, D, 8, 8>(b, x_b, s.record, &s.periodic, |x_bf, r2, f| {
            let w = kernel.w(r2);
            let (rho, mut terms) = (f[7], [zero; 8]);
            terms[0] = w;
            terms[1] = f[3] * rho * rho * w;
            for a in 0..D {
                terms[2 + a] = rho * x_bf[a] * w;
                terms[5 + a] = f[4 + a] * w;
            }
            terms
        });
        let sum_w = sums[0];
        out[k] = if sum_w > 0.0 {
            let weight: Real = (0..D).map(|a| (s.gravity[a] - s.a[a][b]) * sums[2 + a]).sum();
            Extrapolated {
                p: (sums[1] + weight) / sum_w,
                v: Some(each(|a| sums[5 + a] / sum_w)),
            }
        } else {
            Extrapolated::default()
        };
    }
}
}
