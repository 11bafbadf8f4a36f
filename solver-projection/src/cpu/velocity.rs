//! The pressure gradient, and the velocities that it corrects.

use super::Cpu;
use crate::{
    choices::peridyno_part,
    memory::record::{CORRECTION, GRADIENT, INV_ALPHA, NORMAL, P, V},
    params::Gradient,
    physics::{Parting, WallCorrection, Weight, dot},
};
use sph_core::{
    Real,
    neighbors::{Chunk, Periodic},
    numerics::{
        lane::{Lane, each},
        linear,
        parallel::Extremes,
        vector::norm2,
    },
    phase,
};
use std::mem::take;

/// What the loops read.
pub(super) struct Gradients<'a, const D: usize> {
    pub weight: Weight,
    pub periodic: Periodic<D>,
    /// `[x y z 1/α | v* p]`.
    pub record: &'a [[Real; 8]],
    pub walls: &'a [[Real; 12]],
    /// `[x y z · | E]`; empty without walls.
    pub wall_correction: &'a [[Real; 12]],
    /// Not 0 at the surface, as PeriDyno's gradient asks.
    pub dirichlet: &'a [Real],
    /// `[N | 1 in the surface region]`.
    pub surface_region: &'a [[Real; 4]],
    /// `d dt/ρ₀`, `[m³ s/kg]`.
    pub factor: Real,
    /// With how much of the pressure walls act.
    pub parting: Parting,
}

/// New velocities, and the largest change of one.
#[inline(always)]
fn write<const D: usize>(
    v: &mut [&mut [Real]; D],
    k: usize,
    i: usize,
    gain: [Real; D],
    found: &mut Extremes,
) {
    let v_i: [Real; D] = each(|a| v[a][k] + gain[a]);
    let good = norm2(v_i).is_finite();
    found.square = found.square.max(norm2(gain));
    found.bad.count(i, !good);
    for a in 0..D {
        v[a][k] = if good { v_i[a] } else { v[a][k] };
    }
}

impl<const D: usize> Gradients<'_, D> {
    /// `Σ_j ½ a_ij w¹_ij f(p_i + p_j) n_ij`, `f` of what acts.
    #[inline(always)]
    pub fn mirrored<L: Lane>(&self, fluid: &Chunk, i: usize, f: impl Fn(L) -> L + Copy) -> [Real; D] {
        let r_i = &self.record[i];
        let (inv_i, p_i, half) = (L::splat(r_i[INV_ALPHA]), L::splat(r_i[P]), L::splat(0.5));
        fluid.sum::<L, D, 8, D>(i, each(|a| r_i[a]), self.record, &self.periodic, |x_ij, r2, j| {
            let at = self.weight.at(r2);
            let coefficient = half * (inv_i + j[INV_ALPHA]) * at.w1 * at.inv_r * f(p_i + j[P]);
            each(|a| coefficient * x_ij[a])
        })
    }

    /// `Σ_k w¹_ik n_ik` over ghosts, each times the part of the pressure with which it acts.
    #[inline(always)]
    pub fn of_walls<L: Lane>(&self, walls: &Chunk, i: usize) -> [Real; D] {
        let x_i = each(|a| self.record[i][a]);
        let v_i: [L; D] = each(|a| L::splat(self.record[i][V + a]));
        walls.sum::<L, D, 12, D>(i, x_i, self.walls, &self.periodic, |x_ik, r2, k| {
            let at = self.weight.at(r2);
            let held = self.parting.held::<L, D>(each(|a| v_i[a] - k[V + a]), each(|a| k[NORMAL + a]));
            let coefficient = held * at.w1 * at.inv_r;
            each(|a| coefficient * x_ik[a])
        })
    }
}

phase! {
/// `v_i −= dt/ρ₀ G⁺`, with `G⁺ = d Σ_j ½ a_ij w¹_ij max(p_i + p_j, 0) n_ji + d Σ_k ½ a_ik w¹_ik 2 max(p_i, 0) n_ki`: pairs
/// under tension are left out. Beside walls the correction `d E_i Σ_j w¹_ij (p_j − p_i) n_ji` joins it.
fn adjoint<L>[const D: usize](
    s: &Gradients<'_, D>, fluid: &Chunk, walls: &Chunk, out: ([&mut [Real]; D], &mut [[Real; 8]]),
) -> Extremes {
    let ((mut v, tangential_gradient), mut found) = (out, Extremes::default());
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let x_i: [Real; D] = each(|a| r_i[a]);
        let p_i = L::splat(r_i[P]);
        let inner = s.mirrored::<L>(fluid, i, |p| L::splat(0.0).max(p));
        let mut gain: [Real; D] = each(|a| s.factor * inner[a]);
        if !walls.row(i).is_empty() {
            let held = 2.0 * r_i[INV_ALPHA] * r_i[P].max(0.0);
            let outer = s.of_walls::<L>(walls, i);
            gain = each(|a| gain[a] + s.factor * held * outer[a]);
        }
        if !walls.row(i).is_empty() && !s.wall_correction.is_empty() {
            let rise = fluid.sum::<L, D, 8, D>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
                let at = s.weight.at(r2);
                let coefficient = at.w1 * at.inv_r * (j[P] - p_i);
                each(|a| coefficient * x_ij[a])
            });
            let e_i = WallCorrection::<Real>(each(|t| s.wall_correction[i][CORRECTION + t]));
            let more = e_i.times(rise);
            gain = each(|a| gain[a] + s.factor * more[a]);
            if let Some(tangential_gradient) = tangential_gradient.get_mut(k) {
                tangential_gradient[GRADIENT..GRADIENT + D].copy_from_slice(&rise);
            }
        }
        write(&mut v, k, i, gain, &mut found);
    }
    found
}
}

phase! {
/// `v_i −= dt/ρ₀ G⁻`, the difference gradient that is exact for linear pressure, `(Σ_j w¹ r n nᵀ)⁻¹ Σ_j w¹ (p_j − p_i) n_ji`. In
/// the surface region neighbors are missing whose pressure is 0: there it is the mirrored one, of either sign.
fn difference<L>[const D: usize](
    s: &Gradients<'_, D>, inv_d: Real, fluid: &Chunk, walls: &Chunk, v: [&mut [Real]; D],
) -> Extremes {
    let (mut v, mut found) = (v, Extremes::default());
    let zero = L::splat(0.0);
    for (k, i) in fluid.points().enumerate() {
        if s.surface_region[i][3] != 0.0 {
            let (inner, outer) = (s.mirrored::<L>(fluid, i, |p| p), s.of_walls::<L>(walls, i));
            let held = 2.0 * s.record[i][INV_ALPHA] * s.record[i][P];
            write(&mut v, k, i, each(|a| s.factor * (inner[a] + held * outer[a])), &mut found);
            continue;
        }
        let p_i = L::splat(s.record[i][P]);
        let sums = fluid.sum::<L, D, 8, 9>(i, each(|a| s.record[i][a]), s.record, &s.periodic, |x_ij, r2, j| {
            let at = s.weight.at(r2);
            let coefficient = at.w1 * at.inv_r;
            let rise = coefficient * (p_i - j[P]);
            let (mut terms, mut t) = ([zero; 9], 0);
            for a in 0..D {
                for b in a..D {
                    terms[t] = coefficient * x_ij[a] * x_ij[b];
                    t += 1;
                }
                terms[6 + a] = rise * x_ij[a];
            }
            terms
        });
        // Both carry 1/m² less than the gradient: r n nᵀ against n.
        let gradient = linear::solve_symmetric::<D>(&sums);
        let gain = -s.factor * inv_d;
        write(&mut v, k, i, each(|a| gain * gradient[a]), &mut found);
    }
    found
}
}

phase! {
/// PeriDyno's: `c₀ Σ_j w¹ ((p_j − p_i)/α_i + (p_i/α_i + p_j/α_j)) n_ij`, `p_j` in place of the difference at the surface
/// and the second only of pairs under pressure; walls take the velocity along the line to them,
/// `Σ_k w/α_i ((v_k − v_i)·n_ik) n_ik`. They also push with the mirrored pressure: the published program holds particles
/// at walls by collisions.
fn peridyno<L>[const D: usize](
    s: &Gradients<'_, D>, fluid: &Chunk, walls: &Chunk, v: [&mut [Real]; D],
) -> Extremes {
    let (mut v, mut found) = (v, Extremes::default());
    for (k, i) in fluid.points().enumerate() {
        let r_i = &s.record[i];
        let x_i: [Real; D] = each(|a| r_i[a]);
        let own = if s.dirichlet[i] == 0.0 { r_i[P] } else { 0.0 };
        let (p_i, own, inv_i, zero) = (L::splat(r_i[P]), L::splat(own), L::splat(r_i[INV_ALPHA]), L::splat(0.0));
        let part = L::splat(peridyno_part::<D>());
        let inner = fluid.sum::<L, D, 8, D>(i, x_i, s.record, &s.periodic, |x_ij, r2, j| {
            let at = s.weight.at(r2);
            let under_pressure = zero.max(p_i + j[P]) / (p_i + j[P]).max(zero - (p_i + j[P])).max(L::splat(1e-30));
            let pair = under_pressure * (inv_i * p_i + j[INV_ALPHA] * j[P]);
            let acts = part * inv_i * (j[P] - own) + part * pair;
            let coefficient = at.w1 * at.inv_r * acts;
            each(|a| coefficient * x_ij[a])
        });
        let v_i: [L; D] = each(|a| L::splat(r_i[V + a]));
        let (factor, held) = (L::splat(s.factor * peridyno_part::<D>()), p_i.max(zero) + p_i.max(zero));
        let outer = walls.sum::<L, D, 12, D>(i, x_i, s.walls, &s.periodic, |x_ik, r2, k| {
            let at = s.weight.at(r2);
            let approach: [L; D] = each(|a| k[V + a] - v_i[a]);
            let taken = at.w * at.inv_r * at.inv_r * dot(approach, x_ik);
            let coefficient = taken + factor * held * at.w1 * at.inv_r;
            each(|a| coefficient * x_ik[a])
        });
        write(&mut v, k, i, each(|a| s.factor * inner[a] + r_i[INV_ALPHA] * outer[a]), &mut found);
    }
    found
}
}

impl<const D: usize> Cpu<'_, D> {
    pub(super) fn gradients(&self, dt: Real) -> Gradients<'_, D> {
        let s = &*self.method;
        Gradients {
            weight: s.constants.weight,
            periodic: self.state.domain.periodic,
            record: &s.fields.record,
            walls: &s.fields.wall_record,
            wall_correction: &s.fields.wall_correction,
            dirichlet: &s.fields.dirichlet,
            surface_region: &s.fields.surface_region,
            factor: D as Real * dt / self.state.rest.rho_0,
            parting: s.parting(self.state, f64::from(dt)),
        }
    }

    /// The velocities after the pressure. Returns the largest squared change, and the first that is not finite.
    pub fn project(&mut self, dt: Real) -> Extremes {
        let mut v = self.state.fluid.v.each_mut().map(take);
        let mut tangential_gradient = take(&mut self.method.fields.tangential_gradient);
        let (s, gradients) = (&*self.method, self.gradients(dt));
        let (isa, lists) = (s.shell.isa, &s.shell.neighbors);
        let out = v.each_mut().map(Vec::as_mut_slice);
        let found = match s.params.gradient {
            Gradient::Adjoint if tangential_gradient.is_empty() => {
                lists.fluid.for_each(out, |k, fluid, v| {
                    adjoint(isa, &gradients, fluid, &lists.walls.chunks()[k], (v, &mut []))
                })
            }
            Gradient::Adjoint => lists
                .fluid
                .for_each((out, &mut tangential_gradient[..self.state.fluid.len()]), |k, fluid, out| {
                    adjoint(isa, &gradients, fluid, &lists.walls.chunks()[k], out)
                }),
            Gradient::Difference => lists.fluid.for_each(out, |k, fluid, v| {
                difference(isa, &gradients, 1.0 / D as Real, fluid, &lists.walls.chunks()[k], v)
            }),
            Gradient::Peridyno => lists
                .fluid
                .for_each(out, |k, fluid, v| peridyno(isa, &gradients, fluid, &lists.walls.chunks()[k], v)),
        };
        self.state.fluid.v = v;
        self.method.fields.tangential_gradient = tangential_gradient;
        found
    }
}
