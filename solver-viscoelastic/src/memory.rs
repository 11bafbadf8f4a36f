//! The fields of the solver: those of checkpoints, and those of a step.

use crate::{
    cpu::springs::Scratch,
    params::{Params, RelaxMode},
    springs::Springs,
};
use sph_core::{
    Real,
    method::solver::{Link, Memory},
    neighbors::FAR,
    numerics::field::Sizing,
    rigid::Placement,
};
use std::sync::Mutex;

/// Fields over fluid particles and wall samples. Packed records end with the null particle.
#[derive(Debug)]
pub struct Fields<const D: usize> {
    /// Positions that are being relaxed: `[x y z ·]`. Shape `[n + 1]`.
    pub position: Vec<[Real; 4]>,
    /// Pressures and the positions of their evaluation: `[x y z · | P P_near · ·]`. Shape `[n + 1]`.
    pub pressure: Vec<[Real; 8]>,
    /// `[x y z · | v ·]` of the viscosity. Shape `[n + 1]`.
    pub velocity: Vec<[Real; 8]>,
    /// Displacements, `[m]`, or changes of velocity, `[m/s]`, of a Jacobi pass: `[Δ ·]`. Shape `[n]`.
    pub delta: Vec<[Real; 4]>,
    /// Walls: `[x y z w]`, w the volume over that of a particle. Shape `[n_walls + 1]`.
    pub wall_x4: Vec<[Real; 4]>,
    /// Forces on the samples of dynamic bodies; empty without bodies. Shape `[D][n_walls]`, `[N]`.
    pub reaction: [Vec<Real>; D],
    /// The springs.
    pub springs: Springs,
    /// On several ranks the places of rows of springs, [as particles carry them](crate::springs::among::carried). Shape `[n]`.
    pub was: Vec<Real>,
    /// Memory of each thread for the rows of springs.
    pub scratch: Vec<Mutex<Scratch>>,
    /// Where the surfaces of walls are. Shape `[n_surfaces]`.
    pub placements: Vec<Placement<D>>,
}

/// Optional fields that a set of parameters needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Records of pressures.
    pub pressure: bool,
    /// Records with velocities.
    pub viscosity: bool,
    /// Displacements of a Jacobi pass.
    pub delta: bool,
    /// Rows of springs.
    pub springs: bool,
    /// Forces on the samples of dynamic bodies.
    pub reactions: bool,
}

impl Needs {
    /// Those of a set of parameters, and of a scene with or without dynamic bodies.
    pub fn of(params: &Params, reactions: bool) -> Self {
        let jacobi = params.relax_mode == RelaxMode::Jacobi;
        Self {
            pressure: jacobi || reactions,
            viscosity: params.has_viscosity(),
            // Springs that reach beyond their cells are treated by Jacobi in all modes.
            delta: jacobi || params.has_springs(),
            springs: params.has_springs(),
            reactions,
        }
    }
}

impl<const D: usize> Default for Fields<D> {
    fn default() -> Self {
        Self {
            position: Vec::new(),
            pressure: Vec::new(),
            velocity: Vec::new(),
            delta: Vec::new(),
            wall_x4: Vec::new(),
            reaction: [const { Vec::new() }; D],
            springs: Springs::default(),
            was: Vec::new(),
            scratch: Vec::new(),
            placements: Vec::new(),
        }
    }
}

impl<const D: usize> Fields<D> {
    /// Resizes the fields for `n` particles and `n_walls` samples. Allocates only when a number changed.
    pub fn resize(&mut self, sizing: &mut Sizing, n: usize, n_walls: usize, needs: Needs) {
        let only = |needed: bool| if needed { n + 1 } else { 0 };
        sizing.packed(&mut self.position, n + 1, null_record());
        sizing.packed(&mut self.pressure, only(needs.pressure), null_record());
        sizing.packed(&mut self.velocity, only(needs.viscosity), null_record());
        sizing.fit(&mut self.delta, if needs.delta || needs.viscosity { n } else { 0 }, [0.0; 4]);
        sizing.packed(&mut self.wall_x4, n_walls + 1, null_record());
        for axis in &mut self.reaction {
            sizing.fit(axis, if needs.reactions { n_walls } else { 0 }, 0.0);
        }
    }

    /// The fields in the order of computation, after the predicted positions.
    pub fn chain<'a>(&'a self, rho: &'a Vec<Real>) -> Vec<Link<'a>> {
        let position = &self.position;
        let finite = move |i: usize| position.get(i).is_none_or(|x| x.iter().all(|x| x.is_finite()));
        vec![
            Link {
                phase: "double_density_relaxation",
                field: "position",
                on_walls: false,
                is_finite: Box::new(finite),
            },
            Link::fluid("double_density_relaxation", "density", std::slice::from_ref(rho)),
        ]
    }

    /// Visits the memory of checkpoints.
    pub fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        self.springs.memory(visit);
    }
}

/// The record of the null particle: far away, at rest, zero pressure.
fn null_record<const K: usize>() -> [Real; K] {
    std::array::from_fn(|k| if k < 3 { FAR } else { 0.0 })
}
