//! The solver's own fields: what a restart must keep, and what every step computes again.

use crate::params::{Density, Params, Regularization};
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
    /// Accelerations, kept for the next kick. Shape `[D][n]`, `[m/s²]`.
    pub a: [Vec<Real>; D],
    /// Drift velocity minus velocity, kept for the next drift. Shape `[D][n]`, `[m/s]`.
    pub w: [Vec<Real>; D],
    /// Pressures. Shape `[n]`, `[Pa]`.
    pub p: Vec<Real>,
    /// Surface terms: `[x y z · | normal ρ]`. Shape `[n + 1]`.
    pub surface: Vec<[Real; 8]>,
    /// `[x y z ρ]`. Shape `[n + 1]`.
    pub x4: Vec<[Real; 4]>,
    /// `[x y z p/ρ² | v ρ]`. Shape `[n + 1]`.
    pub record: Vec<[Real; 8]>,
    /// `[x y z V | v ρ | ∇ρ ·]`. Shape `[n + 1]`.
    pub wide: Vec<[Real; 12]>,
    /// Walls: `[x y z psi]`. Shape `[n_walls + 1]`.
    pub wall_x4: Vec<[Real; 4]>,
    /// Walls: `[x y z p/ρ² | v ρ | psi no-slip · ·]`. Shape `[n_walls + 1]`.
    pub wall_record: Vec<[Real; 12]>,
    /// Forces on the samples of dynamic bodies; empty without bodies. Shape `[D][n_walls]`, `[N]`.
    pub reaction: [Vec<Real>; D],
    /// Largest acceleration of the last step, `[m/s²]`.
    pub max_acceleration: f64,
    /// 1 once accelerations have been computed.
    pub started: f64,
}

/// Which of the optional fields a set of parameters needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Drift correction: shifting.
    pub drift_correction: bool,
    /// Twelve-number records: continuity.
    pub wide: bool,
    /// Records of the surface terms.
    pub surface: bool,
}

impl Needs {
    /// Those of a set of parameters.
    pub fn of(params: &Params) -> Self {
        Self {
            drift_correction: params.regularization != Regularization::None,
            wide: params.density == Density::Continuity,
            surface: params.cohesion > 0.0 || params.surface_tension > 0.0 || params.adhesion > 0.0,
        }
    }
}

impl<const D: usize> Default for Fields<D> {
    fn default() -> Self {
        const fn none<const D: usize>() -> [Vec<Real>; D] {
            [const { Vec::new() }; D]
        }
        Self {
            a: none(),
            w: none(),
            p: Vec::new(),
            surface: Vec::new(),
            x4: Vec::new(),
            record: Vec::new(),
            wide: Vec::new(),
            wall_x4: Vec::new(),
            wall_record: Vec::new(),
            reaction: none(),
            max_acceleration: 0.0,
            started: 0.0,
        }
    }
}

impl<const D: usize> Fields<D> {
    /// Gives all fields their lengths, for `n` particles and `n_walls` samples.
    pub fn resize(&mut self, sizing: &mut Sizing, n: usize, n_walls: usize, needs: Needs, reactions: bool) {
        for a in 0..D {
            sizing.fit(&mut self.a[a], n, 0.0);
            sizing.fit(&mut self.reaction[a], if reactions { n_walls } else { 0 }, 0.0);
            sizing.fit(&mut self.w[a], if needs.drift_correction { n } else { 0 }, 0.0);
        }
        sizing.fit(&mut self.p, n, 0.0);
        sizing.packed(&mut self.x4, n + 1, null_record());
        sizing.packed(&mut self.record, n + 1, null_record());
        sizing.packed(&mut self.wide, if needs.wide { n + 1 } else { 0 }, null_record());
        sizing.packed(&mut self.surface, if needs.surface { n + 1 } else { 0 }, null_record());
        sizing.packed(&mut self.wall_x4, n_walls + 1, null_record());
        sizing.packed(&mut self.wall_record, n_walls + 1, null_record());
    }

    /// The fields in the order of cause and effect.
    pub fn chain<'a>(&'a self, rho: &'a Vec<Real>) -> Vec<Link<'a>> {
        let walls = &self.wall_record;
        let of_walls = move |b: usize| walls.get(b).is_none_or(|record| record.iter().all(|x| x.is_finite()));
        vec![
            Link::fluid("compute_density", "density", from_ref(rho)),
            Link::fluid("compute_pressure", "pressure", from_ref(&self.p)),
            Link {
                phase: "extrapolate_to_walls",
                field: "wall pressure or velocity",
                on_walls: true,
                is_finite: Box::new(of_walls),
            },
            Link::fluid("compute_acceleration", "acceleration", &self.a),
            Link::fluid("compute_drift_correction", "drift correction", &self.w),
        ]
    }

    /// Shows `visit` what a restart must keep.
    pub fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        const A: [&str; 3] = ["acceleration_x", "acceleration_y", "acceleration_z"];
        const W: [&str; 3] = ["drift_correction_x", "drift_correction_y", "drift_correction_z"];
        for (k, field) in self.a.iter_mut().enumerate() {
            visit(A[k], Memory::Field(field));
        }
        for (k, field) in self.w.iter_mut().enumerate() {
            visit(W[k], Memory::Field(field));
        }
        visit("max_acceleration", Memory::Number(&mut self.max_acceleration));
        visit("started", Memory::Number(&mut self.started));
    }
}

/// The record of the null particle: far away, at rest, with a density that divides.
fn null_record<const K: usize>() -> [Real; K] {
    std::array::from_fn(|k| match k {
        0..3 => FAR,
        3 if K == 4 => 1.0,
        7 => 1.0,
        _ => 0.0,
    })
}
