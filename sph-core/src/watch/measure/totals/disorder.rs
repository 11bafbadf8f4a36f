//! Disorder of the particles.

use crate::{
    fluid::sorted::Sorted,
    method::state::State,
    numerics::{
        lane::each,
        parallel::{self, Merge, Sum},
        vector::{dot, norm},
    },
};

/// Cosine of half the opening of a sector: wide enough that around a point of a square, cubic or hexagonal lattice every sector
/// holds one of the nearest `[convention]`.
const HALF_OPENING: f64 = 0.5;
/// Particles farther away than this are no neighbors, in spacings: farther than the nearest in a sector ever is in a fluid
/// `[convention]`.
const FARTHEST: f64 = 2.5;

/// Particle disorder `λ = (d₂ − d₁) / (d₂ + d₁)`, the mean over the particles: `d₁` is the distance of the nearest, and `d₂`
/// the largest of the distances of the nearest in each sector of directions (Antuono, Bouscasse, Colagrossi & Marrone 2014,
/// *Comput. Phys. Commun.* 185). Sectors are cones of 120° about the axes and diagonals; one without a particle within
/// `h`, `[m]`, or 2.5 spacings if that is less, as towards air or wall, does not count. NaN without a pair, `[-]`.
pub(super) fn disorder<const D: usize>(state: &State<D>, h: f64) -> f64 {
    let reach = h.min(FARTHEST * f64::from(state.rest.spacing));
    let sorted = Sorted::of(&state.fluid, reach, state.domain.periodic);
    let sectors = sectors::<D>();
    let (Sum(sum), Sum(n)) = parallel::blocks(sorted.x.len(), (), |range, ()| {
        let (mut runs, mut nearest) = (Vec::new(), vec![f64::INFINITY; sectors.len()]);
        let mut block = (Sum(0.0), Sum(0.0));
        for i in range {
            nearest.fill(f64::INFINITY);
            let (mut least2, mut own) = (f64::INFINITY, true);
            sorted.around(&sorted.x[i], &mut runs, |d, r2| {
                // The particle itself is found once; what lies on it is a neighbor without direction.
                if r2 == 0.0 && std::mem::take(&mut own) {
                    return;
                }
                least2 = least2.min(r2);
                let r = r2.sqrt();
                for (nearest, sector) in nearest.iter_mut().zip(&sectors) {
                    if r > 0.0 && r < *nearest && dot(*d, *sector) >= HALF_OPENING * r {
                        *nearest = r;
                    }
                }
            });
            let d_1 = least2.sqrt();
            let d_2 = nearest.iter().copied().filter(|r| r.is_finite()).fold(0.0, f64::max);
            if d_2 > 0.0 {
                block = block.merge((Sum((d_2 - d_1) / (d_2 + d_1)), Sum(1.0)));
            }
        }
        block
    });
    sum / n
}

/// The middles of the sectors, of length 1.
fn sectors<const D: usize>() -> Vec<[f64; D]> {
    let all = (0..3_usize.pow(D as u32)).map(|k| each(|a| (k / 3_usize.pow(a as u32) % 3) as f64 - 1.0));
    let directions = all.filter(|d| norm::<D>(*d) > 0.0);
    directions.map(|d| d.map(|x| x / norm(d))).collect()
}
