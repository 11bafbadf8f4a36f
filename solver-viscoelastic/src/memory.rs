//! The fields of the solver: those of checkpoints, and those of a step.

use crate::{
    cpu::{contact::WallPose, springs::Scratch},
    params::{Params, RelaxMode},
    springs::Springs,
};
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
    /// Memory of each thread for the rows of springs.
    pub scratch: Vec<Mutex<Scratch>>,
    /// Poses of the surfaces of walls. Shape `[n_surfaces]`.
    pub wall_poses: Vec<WallPose<D>>,
    /// True while the records of the walls are up to date.
    pub walls_packed: bool,
    /// Largest speed of the last step, `[m/s]`; negative before the first one.
    pub max_speed: f64,
    /// Report of the step in progress.
    pub report: StepReport,
    /// The box of cells of a run on a GPU.
    pub room: room::Room<D>,
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
    pub fn of(params: &Params, has_bodies: bool) -> Self {
        let jacobi = params.relax_mode == RelaxMode::Jacobi;
        Self {
            pressure: jacobi || has_bodies,
            viscosity: params.has_viscosity(),
            // Springs that reach beyond their cells are treated by Jacobi in all modes.
            delta: jacobi || params.has_springs(),
            springs: params.has_springs(),
            reactions: has_bodies,
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
            scratch: Vec::new(),
            wall_poses: Vec::new(),
            walls_packed: false,
            max_speed: -1.0,
            room: room::Room::default(),
            report: StepReport::default(),
        }
    }
}

impl<const D: usize> Fields<D> {
    /// Resizes the fields for `n` particles and `n_walls` samples. Allocates only when a number changed.
    pub fn resize(&mut self, n: usize, n_walls: usize, needs: Needs) {
        self.walls_packed &= self.wall_x4.len() == n_walls + 1;
        let only = |needed: bool| if needed { n + 1 } else { 0 };
        packed(&mut self.position, n + 1);
        packed(&mut self.pressure, only(needs.pressure));
        packed(&mut self.velocity, only(needs.viscosity));
        fit(&mut self.delta, if needs.delta || needs.viscosity { n } else { 0 }, [0.0; 4]);
        packed(&mut self.wall_x4, n_walls + 1);
        let threads = if needs.springs { rayon::current_num_threads() } else { 0 };
        if self.scratch.len() < threads {
            self.scratch.resize_with(threads, Mutex::default);
        }
        for axis in &mut self.reaction {
            fit(axis, if needs.reactions { n_walls } else { 0 }, 0.0);
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
        visit("max_speed", Memory::Number(&mut self.max_speed));
        self.springs.memory(visit);
        self.room.memory(visit);
    }
}

/// The record of the null particle: far away, at rest, zero pressure.
fn null_record<const K: usize>() -> [Real; K] {
    std::array::from_fn(|k| if k < 3 { FAR } else { 0.0 })
}

/// Resizes to `n` records, of which the last is the null particle.
fn packed<const K: usize>(records: &mut Vec<[Real; K]>, n: usize) {
    fit(records, n, null_record());
    if let Some(last) = records.last_mut() {
        *last = null_record();
    }
}
