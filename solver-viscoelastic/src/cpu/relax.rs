//! Double density relaxation (Clavet et al. 2005, algorithm 2): Jacobi, or Gauss-Seidel.

use super::colors::{CellRange, Shared, with_next};
use crate::physics::{self, Stiffness};
use sph_core::{
    Real,
    neighbors::{Chunk, NeighborLists, Periodic},
    numerics::{
        lane::{Lane, each, prefetch_all},
        parallel::Max,
        vector::norm2,
    },
    phase,
};

/// Inputs of the loops.
pub struct Relaxation<'a, const D: usize> {
    pub periodic: Periodic<D>,
    /// `[x y z w]` of the wall samples.
    pub walls: &'a [[Real; 4]],
    pub stiffness: Stiffness,
    /// 1/h, `[1/m]`.
    pub inv_h: Real,
    /// `dt²`, `[s²]`.
    pub dt2: Real,
    /// Largest displacement by a pair, `[m]`.
    pub max_displacement: Real,
}

impl<const D: usize> Relaxation<'_, D> {
    /// `w g²` and `w g³` of a wall sample of weight `w`.
    #[inline(always)]
    fn wall_densities<L: Lane>(&self, r2: L, w: L) -> [L; 2] {
        let [rho, near] = physics::density_terms(physics::closeness(r2.sqrt(), self.inv_h));
        [w * rho, w * near]
    }

    /// Displacement `w dt² (P g + P_near g²)` by a wall sample of weight `w` over the distance to it, `[-]`.
    #[inline(always)]
    pub fn wall_over_r<L: Lane>(&self, r2: L, pressures: [L; 2], w: L) -> L {
        let r = r2.sqrt();
        let acceleration = physics::pair_acceleration(pressures, physics::closeness(r, self.inv_h));
        physics::limited(L::splat(self.dt2) * acceleration * w, self.max_displacement) * physics::inverse(r)
    }

    /// Half the displacement by a pair over its distance, `[-]`.
    #[inline(always)]
    fn pair_over_r<L: Lane>(&self, r2: L, pressures: [L; 2]) -> L {
        let r = r2.sqrt();
        let acceleration = physics::pair_acceleration(pressures, physics::closeness(r, self.inv_h));
        physics::limited(L::splat(0.5 * self.dt2) * acceleration, self.max_displacement) * physics::inverse(r)
    }
}

phase! {
/// `ρ_i = Σ_j g² + Σ_b w g²`, the same with g³, and the pressures of both, into records `[x y z · | P P_near · ·]`
/// and ρ.
pub fn densities<L>[const D: usize](
    s: &Relaxation<'_, D>, position: &[[Real; 4]], fluid: &Chunk, walls: &Chunk, pressure: &mut [[Real; 8]],
    rho: &mut [Real],
) {
    for (k, i) in fluid.points().enumerate() {
        let x_i: [Real; D] = each(|a| position[i][a]);
        let inner = fluid.sum::<L, D, 4, 2>(i, x_i, position, &s.periodic, |_, r2, _| {
            physics::density_terms(physics::closeness(r2.sqrt(), s.inv_h))
        });
        let outer = walls.sum::<L, D, 4, 2>(i, x_i, s.walls, &s.periodic, |_, r2, b| s.wall_densities(r2, b[3]));
        let sums = [inner[0] + outer[0], inner[1] + outer[1]];
        let [p, near] = s.stiffness.pressures(sums);
        let [x, y, z, _] = position[i];
        pressure[k] = [x, y, z, 0.0, p, near, 0.0, 0.0];
        rho[k] = sums[0];
    }
}
}

phase! {
/// `Δx_i = Σ_j ½ dt² [(P_i + P_j) g + (P_near,i + P_near,j) g²] x_ij/r`, and the contributions of walls. Returns
/// the largest displacement.
pub fn displacements<L>[const D: usize](
    s: &Relaxation<'_, D>, pressure: &[[Real; 8]], fluid: &Chunk, walls: &Chunk, delta: &mut [[Real; 4]],
) -> Max {
    let mut largest: Real = 0.0;
    for (k, i) in fluid.points().enumerate() {
        let own = &pressure[i];
        let x_i: [Real; D] = each(|a| own[a]);
        let (p_i, near_i) = (L::splat(own[4]), L::splat(own[5]));
        let inner = fluid.sum::<L, D, 8, D>(i, x_i, pressure, &s.periodic, |x_ij, r2, j| {
            let over_r = s.pair_over_r(r2, [p_i + j[4], near_i + j[5]]);
            each(|a| over_r * x_ij[a])
        });
        let on_walls = s.stiffness.on_wall([p_i, near_i]);
        let outer = walls.sum::<L, D, 4, D>(i, x_i, s.walls, &s.periodic, |x_ib, r2, b| {
            let over_r = s.wall_over_r(r2, on_walls, b[3]);
            each(|a| over_r * x_ib[a])
        });
        delta[k] = [0.0; 4];
        for a in 0..D {
            delta[k][a] = inner[a] + outer[a];
        }
        largest = largest.max(norm2(each::<Real, D>(|a| delta[k][a])));
    }
    Max(f64::from(largest.sqrt()))
}
}

/// Fields that a Gauss-Seidel sweep writes.
pub struct Swept<'a> {
    /// `[x y z ·]`.
    pub position: Shared<[Real; 4]>,
    /// ρ.
    pub rho: Shared<Real>,
    /// `[x y z · | P P_near · ·]` for the reaction forces of bodies.
    pub pressure: Option<Shared<[Real; 8]>>,
    /// Rows of fluid and walls.
    pub rows: [&'a NeighborLists; 2],
    /// Reverses the order of particles.
    pub reverse: bool,
}

impl Swept<'_> {
    /// Displaces particle `i`, and writes its other fields.
    ///
    /// # Safety
    /// `i` is a particle that no other task touches.
    #[inline(always)]
    unsafe fn write<const D: usize>(&self, i: usize, by: [Real; D], rho: Real, pressure: [Real; 8]) {
        // SAFETY: the caller vouches for `i`.
        unsafe {
            for a in 0..D {
                (*self.position.at(i))[a] = pressure[a] + by[a];
            }
            *self.rho.at(i) = rho;
            if let Some(records) = self.pressure {
                *records.at(i) = pressure;
            }
        }
    }
}

phase! {
/// Gauss-Seidel sweep over the particles of cells: densities of each from the present positions, then half of each
/// displacement for the neighbor and half for the particle. Returns the largest displacement of a particle by its own
/// pressure.
///
/// One function: closures of another one would not be compiled for the instruction set, and cost five times as much.
pub fn sweep<L>[const D: usize](s: &Relaxation<'_, D>, swept: &Swept<'_>, cells: &[CellRange]) -> Max {
    let mut largest: Real = 0.0;
    for (cell, next) in with_next(cells, swept.reverse) {
        let [fluid, walls] = swept.rows.map(|rows| &rows.chunks()[cell.chunk as usize]);
        assert!(swept.position.len() > fluid.null as usize);
        let (ahead, mut later) = (&swept.rows[0].chunks()[next.chunk as usize], next.particles(swept.reverse));
        for i in cell.particles(swept.reverse) {
            later.next().into_iter().for_each(|i| prefetch_all(ahead.row(i)));
            let row = fluid.row(i);
            // SAFETY: all entries of a row are at most the null particle's; cells of one color have no neighbors in common,
            // so no other task touches them.
            let (records, here) = unsafe { (swept.position.at(0).cast::<Real>(), *swept.position.at(i)) };
            let x_i: [Real; D] = each(|a| here[a]);
            let mut sums = [L::splat(0.0); 2];
            for j in row.chunks_exact(L::N) {
                // SAFETY: as above, and the row is padded to whole lanes.
                let x_ij = unsafe { away::<L, D>(&s.periodic, x_i, records, j) };
                let terms = physics::density_terms(physics::closeness(norm2(x_ij).sqrt(), s.inv_h));
                sums = [sums[0] + terms[0], sums[1] + terms[1]];
            }
            let outer = walls.sum::<L, D, 4, 2>(i, x_i, s.walls, &s.periodic, |_, r2, b| s.wall_densities(r2, b[3]));
            let sums = [sums[0].sum() + outer[0], sums[1].sum() + outer[1]];
            let [p, near] = s.stiffness.pressures(sums);
            let pressures = [L::splat(p), L::splat(near)];
            let mut inner = [L::splat(0.0); D];
            for j in row.chunks_exact(L::N) {
                // SAFETY: as above.
                let x_ij = unsafe { away::<L, D>(&s.periodic, x_i, records, j) };
                let over_r = s.pair_over_r(norm2(x_ij), pressures);
                let part: [L; D] = each(|a| over_r * x_ij[a]);
                inner = each(|a| inner[a] + part[a]);
                // SAFETY: as above.
                unsafe { scatter(records, j, fluid.null, part) };
            }
            let on_walls = s.stiffness.on_wall(pressures);
            let outer = walls.sum::<L, D, 4, D>(i, x_i, s.walls, &s.periodic, |x_ib, r2, b| {
                let over_r = s.wall_over_r(r2, on_walls, b[3]);
                each(|a| over_r * x_ib[a])
            });
            let displacement: [Real; D] = each(|a| inner[a].sum() + outer[a]);
            largest = largest.max(norm2(displacement));
            // SAFETY: as above.
            unsafe { swept.write(i, displacement, sums[0], [here[0], here[1], here[2], 0.0, p, near, 0.0, 0.0]) };
        }
    }
    Max(f64::from(largest.sqrt()))
}
}

/// `x_i - x_j` of the particles `j`, on the shortest way.
///
/// # Safety
/// `records` holds four numbers for each of `j`, which fill lanes.
#[inline(always)]
unsafe fn away<L: Lane, const D: usize>(
    periodic: &Periodic<D>,
    x_i: [Real; D],
    records: *const Real,
    j: &[u32],
) -> [L; D] {
    // SAFETY: the caller vouches for `j`.
    let quad = unsafe { L::quads(records, 4, j.as_ptr()) };
    periodic.nearest(each(|a| L::splat(x_i[a]) - quad[a]))
}

/// Moves the particles `j` against `part`.
///
/// # Safety
/// `records` holds four numbers for each of `j` but the null particle, which no other task touches.
#[inline(always)]
pub(super) unsafe fn scatter<L: Lane, const D: usize>(
    records: *mut Real,
    j: &[u32],
    null: u32,
    part: [L; D],
) {
    let mut parts = [[0.0; sph_core::numerics::lane::WIDTH]; 4];
    for a in 0..D {
        // SAFETY: wide lanes hold WIDTH numbers.
        unsafe { part[a].store(parts[a].as_mut_ptr()) };
    }
    for (k, &j) in j.iter().enumerate() {
        if j == null {
            // Padding stands at the end of a row.
            break;
        }
        // All four numbers at once, as the next particle reads them: it would wait for single ones to reach the cache.
        // SAFETY: the caller vouches for `j`.
        let record = unsafe { &mut *records.cast::<[Real; 4]>().add(j as usize) };
        *record = each(|a| record[a] - parts[a][k]);
    }
}
