//! The solver's own fields: what a restart must keep, and what every step computes again.

use crate::params::{Params, VelocityUpdate};
use cuda_kernels::common::run::room;
use sph_core::{
    Real,
    method::{
        report::StepReport,
        solver::{Link, Memory},
    },
    neighbors::FAR,
    numerics::field::fit,
};
use std::slice::from_ref;

/// Records that the iteration gathers, with `N` numbers: four for equal masses, eight for unequal ones. Each array
/// ends with the null particle.
#[derive(Debug, Default)]
pub struct Records<const N: usize> {
    /// Positions that are being corrected: `[x y z · (| μ · · ·)]`. Shape `[n + 1]`.
    pub place: Vec<[Real; N]>,
    /// The same with their multipliers: `[x y z λ̂ (| μ · · ·)]`. Shape `[n + 1]`.
    pub push: Vec<[Real; N]>,
}

/// Fields over fluid particles and wall samples. Packed records end with the null particle.
#[derive(Debug)]
pub struct Fields<const D: usize> {
    /// Records of particles of one mass; empty for unequal masses.
    pub equal: Records<4>,
    /// Records of particles of unequal masses; empty otherwise.
    pub unequal: Records<8>,
    /// Multipliers λ̂ of the last iteration. Shape `[n]`, `[m²]`.
    pub lambda: Vec<Real>,
    /// Corrections, and how many constraints made them: `[Δx Δy Δz count]`. Shape `[n]`, `[m]`.
    pub delta: Vec<[Real; 4]>,
    /// `[x y z m | v ρ]` of the velocities' phases. Shape `[n + 1]`.
    pub record: Vec<[Real; 8]>,
    /// Vorticity `[x y z V | ω |ω|]`, and scratch of the surface. Shape `[n + 1]`.
    pub spin: Vec<[Real; 8]>,
    /// Unit normals of the surface, zero inside: `[x y z · | n̂ ·]`. Shape `[n + 1]`.
    pub normal: Vec<[Real; 8]>,
    /// `[x y z ρ]` of the surface forces. Shape `[n + 1]`.
    pub x4: Vec<[Real; 4]>,
    /// Accelerations of the surface forces. Shape `[D][n]`, `[m/s²]`.
    pub a: [Vec<Real>; D],
    /// Way of the last step, with the second-order update. Shape `[D][n]`, `[m]`.
    pub way: [Vec<Real>; D],
    /// Change of velocity in the last step, but for what was done to velocities alone. Shape `[D][n]`, `[m/s]`.
    pub gain: [Vec<Real>; D],
    /// Walls: `[x y z psi]`. Shape `[n_walls + 1]`.
    pub wall_x4: Vec<[Real; 4]>,
    /// Walls that fluid sticks to: `[x y z psi | v no-slip]`. Shape `[n_walls + 1]`.
    pub wall_record: Vec<[Real; 8]>,
    /// Forces on the samples of dynamic bodies in a substep; empty without bodies. Shape `[D][n_walls]`, `[N]`.
    pub reaction: [Vec<Real>; D],
    /// True while the records of the walls hold what a step would write again.
    pub walls_packed: bool,
    /// True while the density is that of the positions.
    pub density_is_current: bool,
    /// Largest speed of the last step, `[m/s]`; negative before the first one.
    pub max_speed: f64,
    /// Size of the last substep that the second-order update has seen, `[s]`; 0 before the first one.
    pub last_dt: f64,
    /// What the phases of this step have found so far.
    pub report: StepReport,
    /// The box of cells of a run on a GPU.
    pub room: room::Room<D>,
}

/// Which of the optional fields a set of parameters needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Records with masses.
    pub masses: bool,
    /// The past of the second-order update.
    pub past: bool,
    /// Records with velocities: vorticity and XSPH.
    pub velocities: bool,
    /// Vorticity.
    pub vorticity: bool,
    /// Accelerations of the surface.
    pub surface_forces: bool,
    /// Normals of the surface.
    pub surface_constraint: bool,
    /// Records of walls with velocities.
    pub sticky_walls: bool,
    /// Forces on the samples of dynamic bodies.
    pub reactions: bool,
}

impl Needs {
    /// Those of a set of parameters, and of a scene with or without dynamic bodies.
    pub fn of(params: &Params, has_bodies: bool) -> Self {
        let vorticity = params.vorticity_confinement > 0.0;
        let sticky_walls = params.wall_viscosity > 0.0;
        Self {
            masses: params.mass_spread > 0.0,
            past: params.velocity_update == VelocityUpdate::SecondOrder,
            velocities: params.xsph_viscosity > 0.0 || sticky_walls || vorticity,
            vorticity,
            surface_forces: params.has_surface_forces(),
            surface_constraint: params.has_surface_constraint(),
            sticky_walls,
            reactions: has_bodies,
        }
    }
}

const fn none<const D: usize>() -> [Vec<Real>; D] {
    [const { Vec::new() }; D]
}

impl<const D: usize> Default for Fields<D> {
    fn default() -> Self {
        Self {
            equal: Records::default(),
            unequal: Records::default(),
            lambda: Vec::new(),
            delta: Vec::new(),
            record: Vec::new(),
            spin: Vec::new(),
            normal: Vec::new(),
            x4: Vec::new(),
            a: none(),
            way: none(),
            gain: none(),
            wall_x4: Vec::new(),
            wall_record: Vec::new(),
            reaction: none(),
            walls_packed: false,
            density_is_current: false,
            max_speed: -1.0,
            last_dt: 0.0,
            room: room::Room::default(),
            report: StepReport::default(),
        }
    }
}

impl<const D: usize> Fields<D> {
    /// Makes room for `n` particles and `n_walls` samples. Allocates only when a number changed.
    pub fn resize(&mut self, n: usize, n_walls: usize, needs: Needs) {
        self.walls_packed &= self.wall_x4.len() == n_walls + 1;
        self.equal.resize(if needs.masses { 0 } else { n + 1 });
        self.unequal.resize(if needs.masses { n + 1 } else { 0 });
        fit(&mut self.lambda, n, 0.0);
        fit(&mut self.delta, n, [0.0; 4]);
        let only = |needed: bool| if needed { n + 1 } else { 0 };
        packed(&mut self.record, only(needs.velocities));
        packed(&mut self.spin, only(needs.vorticity || needs.surface_forces));
        packed(&mut self.normal, only(needs.surface_constraint));
        packed(&mut self.x4, only(needs.surface_forces));
        packed(&mut self.wall_x4, n_walls + 1);
        packed(&mut self.wall_record, if needs.sticky_walls { n_walls + 1 } else { 0 });
        for a in 0..D {
            fit(&mut self.a[a], if needs.surface_forces { n } else { 0 }, 0.0);
            fit(&mut self.reaction[a], if needs.reactions { n_walls } else { 0 }, 0.0);
        }
        self.resize_past(n, needs.past);
    }

    /// Makes room for the past, which a step reads before it sorts.
    pub fn resize_past(&mut self, n: usize, needed: bool) {
        let n = if needed { n } else { 0 };
        self.last_dt = if needed && self.way[0].len() == n { self.last_dt } else { 0.0 };
        for field in self.way.iter_mut().chain(&mut self.gain) {
            fit(field, n, 0.0);
        }
    }

    /// Whether the corrected position of a particle is finite; true beyond the end.
    pub fn place_is_finite(&self, i: usize) -> bool {
        let finite = |record: &[Real]| record.iter().all(|x| x.is_finite());
        self.equal.place.get(i).is_none_or(|record| finite(record))
            && self.unequal.place.get(i).is_none_or(|record| finite(record))
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
                is_finite: Box::new(|i| self.place_is_finite(i)),
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

    /// Shows `visit` what a restart must keep.
    pub fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        const WAY: [&str; 3] = ["way_x", "way_y", "way_z"];
        const GAIN: [&str; 3] = ["gain_x", "gain_y", "gain_z"];
        for (k, field) in self.way.iter_mut().enumerate() {
            visit(WAY[k], Memory::Field(field));
        }
        for (k, field) in self.gain.iter_mut().enumerate() {
            visit(GAIN[k], Memory::Field(field));
        }
        visit("max_speed", Memory::Number(&mut self.max_speed));
        visit("last_dt", Memory::Number(&mut self.last_dt));
        self.room.memory(visit);
    }
}

impl<const N: usize> Records<N> {
    fn resize(&mut self, n: usize) {
        packed(&mut self.place, n);
        packed(&mut self.push, n);
    }
}

/// The record of the null particle: far away, at rest, with numbers that divide and without a multiplier.
fn null_record<const K: usize>() -> [Real; K] {
    std::array::from_fn(|k| match k {
        0..3 => FAR,
        7 => 1.0,
        _ => 0.0,
    })
}

/// Makes room for `n` records, the null particle among them: it stands behind the last one, whatever `n` was before.
fn packed<const K: usize>(records: &mut Vec<[Real; K]>, n: usize) {
    fit(records, n, null_record());
    if let Some(last) = records.last_mut() {
        *last = null_record();
    }
}
