//! Small systems of equations, as corrected gradients have one for each particle.

use crate::{Real, numerics::lane::each};

/// Largest condition number for which a gradient is corrected (Bonet & Lok).
const MAX_CONDITION: f64 = 1e3;

/// Solves `B g = r`; `g = r` where `B` is nearly singular. `sums` holds the upper triangle of `B`, six numbers in 3D and
/// three in 2D, and from the seventh on `r`.
pub fn solve_symmetric<const D: usize>(sums: &[Real; 9]) -> [Real; D] {
    let s = sums.map(f64::from);
    let r: [f64; D] = each(|a| s[6 + a]);
    let solution = if D == 2 {
        let (a, b, c) = (s[0], s[1], s[2]);
        inverse_times([[a, b, 0.0], [b, c, 0.0], [0.0, 0.0, 1.0]], [r[0], r[1], 0.0])
    } else {
        inverse_times([[s[0], s[1], s[2]], [s[1], s[3], s[4]], [s[2], s[4], s[5]]], each(|a| s[6 + a]))
    };
    each(|a| solution.map_or(r[a], |g| g[a]) as Real)
}

/// `M⁻¹ r` by cofactors, unless the condition number (in the Frobenius norm) is beyond the limit.
fn inverse_times(m: [[f64; 3]; 3], r: [f64; 3]) -> Option<[f64; 3]> {
    let cofactor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let det = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum::<f64>();
    let adjugate: [[f64; 3]; 3] = each(|i| each(|j| cofactor(j, i)));
    let norm = |m: &[[f64; 3]; 3]| m.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    // Written so that 0 ≤ 0, of a particle with too few neighbors, is no inverse either.
    let regular = norm(&m) * norm(&adjugate) < MAX_CONDITION * det.abs();
    regular.then(|| each(|i| (0..3).map(|j| adjugate[i][j] * r[j]).sum::<f64>() / det))
}
