//! The solver's own fields: what a restart must keep, and what every step computes again.

use crate::{
    cpu::{contact::Stance, springs::Room},
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
    pub place: Vec<[Real; 4]>,
    /// Where a particle was when it pushed, and how hard: `[x y z · | P P_near · ·]`. Shape `[n + 1]`.
    pub push: Vec<[Real; 8]>,
    /// `[x y z · | v ·]` of the viscosity. Shape `[n + 1]`.
    pub motion: Vec<[Real; 8]>,
    /// Displacements of a pass, `[m]`, or changes of velocity, `[m/s]`: `[Δ ·]`. Shape `[n]`.
    pub delta: Vec<[Real; 4]>,
    /// Walls: `[x y z w]`, w the volume over that of a particle. Shape `[n_walls + 1]`.
    pub wall_x4: Vec<[Real; 4]>,
    /// Forces on the samples of dynamic bodies; empty without bodies. Shape `[D][n_walls]`, `[N]`.
    pub reaction: [Vec<Real>; D],
    /// The springs.
    pub springs: Springs,
    /// Room of each thread to write the rows of springs.
    pub rooms: Vec<Mutex<Room>>,
    /// Where the surfaces of walls are. Shape `[n_surfaces]`.
    pub stances: Vec<Stance<D>>,
    /// True while the records of the walls hold what a step would write again.
    pub walls_packed: bool,
    /// Largest speed of the last step, `[m/s]`; negative before the first one.
    pub max_speed: f64,
    /// What the phases of this step have found so far.
    pub report: StepReport,
    /// The box of cells of a run on a GPU.
    pub room: room::Room<D>,
}

/// Which of the optional fields a set of parameters needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Records of who pushed how hard.
    pub push: bool,
    /// Records with velocities.
    pub viscosity: bool,
    /// Displacements that are gathered before they are made.
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
            push: jacobi || has_bodies,
            viscosity: params.has_viscosity(),
            // Springs that reach beyond their cells are gathered, whatever the mode.
            delta: jacobi || params.has_springs(),
            springs: params.has_springs(),
            reactions: has_bodies,
        }
    }
}

impl<const D: usize> Default for Fields<D> {
    fn default() -> Self {
        Self {
            place: Vec::new(),
            push: Vec::new(),
            motion: Vec::new(),
            delta: Vec::new(),
            wall_x4: Vec::new(),
            reaction: [const { Vec::new() }; D],
            springs: Springs::default(),
            rooms: Vec::new(),
            stances: Vec::new(),
            walls_packed: false,
            max_speed: -1.0,
            room: room::Room::default(),
            report: StepReport::default(),
        }
    }
}

impl<const D: usize> Fields<D> {
    /// Makes room for `n` particles and `n_walls` samples. Allocates only when a number changed.
    pub fn resize(&mut self, n: usize, n_walls: usize, needs: Needs) {
        self.walls_packed &= self.wall_x4.len() == n_walls + 1;
        let only = |needed: bool| if needed { n + 1 } else { 0 };
        packed(&mut self.place, n + 1);
        packed(&mut self.push, only(needs.push));
        packed(&mut self.motion, only(needs.viscosity));
        fit(&mut self.delta, if needs.delta || needs.viscosity { n } else { 0 }, [0.0; 4]);
        packed(&mut self.wall_x4, n_walls + 1);
        let threads = if needs.springs { rayon::current_num_threads() } else { 0 };
        if self.rooms.len() < threads {
            self.rooms.resize_with(threads, Mutex::default);
        }
        for axis in &mut self.reaction {
            fit(axis, if needs.reactions { n_walls } else { 0 }, 0.0);
        }
    }

    /// The fields in the order of cause and effect, behind the predicted positions.
    pub fn chain<'a>(&'a self, rho: &'a Vec<Real>) -> Vec<Link<'a>> {
        let place = &self.place;
        let finite = move |i: usize| place.get(i).is_none_or(|x| x.iter().all(|x| x.is_finite()));
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

    /// Shows `visit` what a restart must keep.
    pub fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        visit("max_speed", Memory::Number(&mut self.max_speed));
        self.springs.memory(visit);
        self.room.memory(visit);
    }
}

/// The record of the null particle: far away, at rest, without pressure.
fn null_record<const K: usize>() -> [Real; K] {
    std::array::from_fn(|k| if k < 3 { FAR } else { 0.0 })
}

/// Makes room for `n` records, the null particle among them: it stands behind the last one, whatever `n` was before.
fn packed<const K: usize>(records: &mut Vec<[Real; K]>, n: usize) {
    fit(records, n, null_record());
    if let Some(last) = records.last_mut() {
        *last = null_record();
    }
}
