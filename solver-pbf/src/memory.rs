//! The solver's own fields: those of a checkpoint, and those that every step computes again.

use crate::{
    params::{Params, VelocityUpdate},
    physics::Bdf2,
};
use sph_core::{
    Real,
    method::solver::{Link, Memory},
    neighbors::FAR,
    numerics::field::Sizing,
};
use std::slice::from_ref;

/// Fields over fluid particles and wall samples. Packed records end with the null particle.
#[derive(Debug)]
pub struct Fields<const D: usize> {
    /// Positions x* that are being corrected: `[x y z ·]`. Shape `[n + 1]`.
    pub x_star: Vec<[Real; 4]>,
    /// The same with their multipliers: `[x y z λ̂]`. Shape `[n + 1]`.
    pub x_lambda: Vec<[Real; 4]>,
    /// Multipliers λ̂ of the last iteration. Shape `[n]`, `[m²]`.
    pub lambda: Vec<Real>,
    /// Corrections, and the number of constraints in them: `[Δx Δy Δz count]`. Shape `[n]`, `[m]`.
    pub delta: Vec<[Real; 4]>,
    /// `[x y z · | v ρ]` of vorticity confinement and XSPH. Shape `[n + 1]`.
    pub x_v_rho: Vec<[Real; 8]>,
    /// Vorticity `[x y z V | ω |ω|]`, then color normals of the surface forces. Shape `[n + 1]`.
    pub vorticity: Vec<[Real; 8]>,
    /// `[x y z ρ]` of the surface forces. Shape `[n + 1]`.
    pub x_rho: Vec<[Real; 4]>,
    /// Accelerations of the surface forces. Shape `[D][n]`, `[m/s²]`.
    pub a: [Vec<Real>; D],
    /// Displacement of the last step, for the second-order update. Shape `[D][n]`, `[m]`.
    pub displacement: [Vec<Real>; D],
    /// Change of velocity in the last step, without that of phases that act on velocities alone. Shape `[D][n]`,
    /// `[m/s]`.
    pub velocity_change: [Vec<Real>; D],
    /// Walls: `[x y z psi]`. Shape `[n_walls + 1]`.
    pub x_psi: Vec<[Real; 4]>,
    /// Forces on the samples of dynamic bodies in a substep; empty without bodies. Shape `[D][n_walls]`, `[N]`.
    pub reaction: [Vec<Real>; D],
    /// True while the density is that of the positions.
    pub density_is_current: bool,
    /// Last substep of the second-order update, `[s]`; 0 before the first one.
    pub last_dt: f64,
}

/// Which of the optional fields a set of parameters needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The past of the second-order update.
    pub past: bool,
    /// Records with velocities, for vorticity confinement and XSPH.
    pub velocities: bool,
    /// Vorticity.
    pub vorticity: bool,
    /// Accelerations of the surface.
    pub surface_forces: bool,
    /// Forces on the samples of dynamic bodies.
    pub reactions: bool,
}

impl Needs {
    /// Those of a set of parameters, and of a scene with or without dynamic bodies.
    pub fn of(params: &Params, reactions: bool) -> Self {
        let vorticity = params.vorticity_confinement > 0.0;
        Self {
            past: params.velocity_update == VelocityUpdate::SecondOrder,
            velocities: params.xsph_viscosity > 0.0 || vorticity,
            vorticity,
            surface_forces: params.cohesion > 0.0 || params.surface_tension > 0.0 || params.adhesion > 0.0,
            reactions,
        }
    }
}

const fn none<const D: usize>() -> [Vec<Real>; D] {
    [const { Vec::new() }; D]
}

impl<const D: usize> Default for Fields<D> {
    fn default() -> Self {
        Self {
            x_star: Vec::new(),
            x_lambda: Vec::new(),
            lambda: Vec::new(),
            delta: Vec::new(),
            x_v_rho: Vec::new(),
            vorticity: Vec::new(),
            x_rho: Vec::new(),
            a: none(),
            displacement: none(),
            velocity_change: none(),
            x_psi: Vec::new(),
            reaction: none(),
            density_is_current: false,
            last_dt: 0.0,
        }
    }
}

impl<const D: usize> Fields<D> {
    /// Resizes for `n` particles and `n_walls` samples. Allocates only when a number grew.
    pub fn resize(&mut self, sizing: &mut Sizing, n: usize, n_walls: usize, needs: Needs) {
        sizing.packed(&mut self.x_star, n + 1, null_record());
        sizing.packed(&mut self.x_lambda, n + 1, null_record());
        sizing.fit(&mut self.lambda, n, 0.0);
        sizing.fit(&mut self.delta, n, [0.0; 4]);
        let only = |needed: bool| if needed { n + 1 } else { 0 };
        sizing.packed(&mut self.x_v_rho, only(needs.velocities), null_record());
        sizing.packed(&mut self.vorticity, only(needs.vorticity || needs.surface_forces), null_record());
        sizing.packed(&mut self.x_rho, only(needs.surface_forces), null_record());
        sizing.packed(&mut self.x_psi, n_walls + 1, null_record());
        for a in 0..D {
            sizing.fit(&mut self.a[a], if needs.surface_forces { n } else { 0 }, 0.0);
            sizing.fit(&mut self.reaction[a], if needs.reactions { n_walls } else { 0 }, 0.0);
        }
        self.resize_past(sizing, n, needs.past);
    }

    /// Resizes the past, which a step reads before it sorts.
    pub fn resize_past(&mut self, sizing: &mut Sizing, n: usize, needed: bool) {
        let n = if needed { n } else { 0 };
        self.last_dt = if needed && self.displacement[0].len() == n { self.last_dt } else { 0.0 };
        for field in self.displacement.iter_mut().chain(&mut self.velocity_change) {
            sizing.fit(field, n, 0.0);
        }
    }

    /// BDF2 of a substep of `dt` `[s]`, and whether its history restarts: at the first one, and at one that is much longer
    /// than the last.
    pub fn bdf2(&mut self, dt: f64) -> (Bdf2, bool) {
        let kappa = dt / self.last_dt;
        let is_new = self.last_dt == 0.0 || kappa > Bdf2::MAX_GROWTH;
        self.last_dt = dt;
        (Bdf2::new(if is_new { 1.0 } else { kappa }), is_new)
    }

    /// Whether the corrected position of a particle is finite; true beyond the end.
    pub fn x_star_is_finite(&self, i: usize) -> bool {
        self.x_star.get(i).is_none_or(|record| record.iter().all(|x| x.is_finite()))
    }

    /// The fields in the order of cause and effect, behind the predicted positions.
    pub fn chain<'a>(&'a self, rho: &'a Vec<Real>) -> Vec<Link<'a>> {
        let delta = &self.delta;
        let finite = move |i: usize| delta.get(i).is_none_or(|d| d.iter().all(|x| x.is_finite()));
        vec![
            Link {
                phase: "apply_delta_x",
                field: "position",
                on_walls: false,
                is_finite: Box::new(|i| self.x_star_is_finite(i)),
            },
            Link::fluid("compute_density", "density", from_ref(rho)),
            Link::fluid("compute_lambda", "lambda", from_ref(&self.lambda)),
            Link {
                phase: "compute_delta_x",
                field: "position correction",
                on_walls: false,
                is_finite: Box::new(finite),
            },
            Link::fluid("apply_vorticity_and_xsph", "surface acceleration", &self.a),
        ]
    }

    /// Visits the fields of a checkpoint.
    pub fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        const DISPLACEMENT: [&str; 3] = ["displacement_x", "displacement_y", "displacement_z"];
        const VELOCITY_CHANGE: [&str; 3] = ["velocity_change_x", "velocity_change_y", "velocity_change_z"];
        let past = DISPLACEMENT.into_iter().zip(&mut self.displacement);
        for (name, field) in past.chain(VELOCITY_CHANGE.into_iter().zip(&mut self.velocity_change)) {
            visit(name, Memory::Field(field));
        }
        visit("last_dt", Memory::Number(&mut self.last_dt));
    }
}

/// The record of the null particle: far away, at rest, of density 1 and without a multiplier.
fn null_record<const K: usize>() -> [Real; K] {
    std::array::from_fn(|k| match k {
        0..3 => FAR,
        7 => 1.0,
        _ => 0.0,
    })
}
