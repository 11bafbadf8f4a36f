//! The solver's own fields: what a restart must keep, and what every step computes again.

pub mod record;

use crate::{
    aggregation::Multigrid,
    params::{Gradient, Params, ViscousForm},
};
use record::{Moments, RowSums};
use sph_core::{
    Real,
    method::solver::{Link, Memory},
    neighbors::FAR,
    numerics::{field::Sizing, parallel::Exact},
    rigid::{Placement, Wrench},
};
use std::slice::from_ref;

/// Fields over fluid particles and wall samples. Packed records end with the null particle.
#[derive(Debug)]
pub struct Fields<const D: usize> {
    /// Pressures, kept for the next step. Shape `[n]`, `[Pa]`.
    pub p: Vec<Real>,
    /// `[x y z ·]`. Shape `[n + 1]`.
    pub place: Vec<[Real; 4]>,
    /// `[x y z 1/α | v* p]`, before there is pressure with 1 in its place beside walls, and once the matrix is there at the surface; for viscosity `[x y z · | v ρ]`. Shape `[n + 1]`.
    pub record: Vec<[Real; 8]>,
    /// Moments of the weight. Shape `[n]`.
    pub moments: Vec<Moments>,
    /// Tangential wall correction: `[x y z · | E_xx E_xy E_xz E_yy | E_yz E_zz · ·]`; empty without walls.
    /// Shape `[n + 1]`.
    pub wall_correction: Vec<[Real; 12]>,
    /// Its pressure gradient, for the reaction on dynamic bodies: `[x y z · | E/G Σ_j w¹ (p_j − p_i) n_ij ·]`. Shape `[n + 1]`.
    pub tangential_gradient: Vec<[Real; 8]>,
    /// Sums over rows of the matrix. Shape `[n]`.
    pub sums: Vec<RowSums>,
    /// Part of a particle's pressure that acts by its pair forces, `Σ ½ a w¹ r`. Shape `[n]`, `[-]`.
    pub share: Vec<Real>,
    /// `a_ij w²_ij` of each entry of the rows of neighbors, `[1/m²]`.
    pub entries: Vec<Vec<Real>>,
    /// Dirichlet term `s_i` of the free surface, 0 inside of the fluid. Shape `[n]`, `[1/m²]`.
    pub dirichlet: Vec<Real>,
    /// `[N | 1 in the surface region]`: where a particle of the surface is in reach, and the direction out of the fluid there,
    /// `N = Σ_j w n_ji` over those of the surface and their own `Σ w n`; empty without shifting and differences. Shape `[n]`, `[-]`.
    pub surface_region: Vec<[Real; 4]>,
    /// True without a free surface: rows of the matrix add up to 0, so the pressure is open up to a constant.
    pub is_closed: bool,
    /// The linear equation.
    pub equation: Vectors,
    /// Levels of the multigrid preconditioner, empty without it.
    pub levels: Multigrid<D>,
    /// Viscous drag of walls: `[Σ_k a w² τ β v_k | Σ_k a w² τ β]`; empty without viscosity. Shape `[n]`.
    pub drag: Vec<[Real; 4]>,
    /// The equation of all components of the velocity, axis after axis; empty where none is solved. Shape `[D n]`.
    pub viscous: Vectors,
    /// Its unknowns, `[m/s]`. Shape `[D n]`.
    pub velocity: Vec<Real>,
    /// Walls: `[x y z depth | v τ | n A]`. Shape `[n_walls + 1]`.
    pub wall_record: Vec<[Real; 12]>,
    /// Forces on the samples of dynamic bodies; empty without bodies. Shape `[D][n_walls]`, `[N]`.
    pub reaction: [Vec<Real>; D],
    /// Where the surfaces of walls and bodies are. Shape `[n_surfaces]`.
    pub placements: Vec<Placement<D>>,
    /// `[v | 1 if a wall has stopped the particle]`, before; empty without reactions. Shape `[n]`.
    pub before: Vec<[Real; 4]>,
    /// What measured walls gave to particles that they stopped, over the mass of one, `[m/s]` and `[m²/s]`. Shape `[n_loads]`.
    pub given: Vec<Wrench<D>>,
    /// The same of this rank, before it is summed over all.
    pub contact_sums: Vec<[Exact; 6]>,
    /// Pressure as it acts: the field `pressure` of results. Shape `[n]`, `[Pa]`.
    pub acting: Vec<Real>,
    /// Largest size of a pressure in the last step, `[Pa]`.
    pub max_pressure: f64,
    /// Sum of weights and diagonal of a full neighborhood, `[-]` and `[1/m²]`; 0 before they are known.
    pub full: [f64; 2],
    /// Residuals `‖r‖₂/‖b‖₂` of the iterations of the last step, `[-]`.
    pub residuals: Vec<f64>,
    /// The same of the viscous velocities, squared.
    pub viscous_residuals: Vec<f64>,
}

/// The vectors of a linear equation `A x = b`, `A_ij = −scale c_ij` with the entries `c` of the rows. Shape `[n]`.
#[derive(Debug, Default)]
pub struct Vectors {
    /// Diagonal of A.
    pub diagonal: Vec<Real>,
    /// Right-hand side.
    pub b: Vec<Real>,
    /// Residual.
    pub r: Vec<Real>,
    /// Residual after the preconditioner.
    pub z: Vec<Real>,
    /// Direction; its last number, behind the `n`-th, is the null particle's, 0.
    pub d: Vec<Real>,
    /// `A d`.
    pub q: Vec<Real>,
}

impl Vectors {
    fn resize(&mut self, sizing: &mut Sizing, n: usize) {
        for field in [&mut self.diagonal, &mut self.b, &mut self.r, &mut self.z, &mut self.q] {
            sizing.fit(field, n, 0.0);
        }
        sizing.fit(&mut self.d, n + 1, 0.0);
        self.d.last_mut().into_iter().for_each(|null| *null = 0.0);
    }
}

/// Which of the optional fields a set of parameters needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// An equation for the velocity, axis by axis.
    pub viscosity: bool,
    /// One for all of its components, if the scene has a free surface.
    pub stress: bool,
    /// The velocities of neighbors once more.
    pub xsph: bool,
    /// Particles in reach of the surface.
    pub surface_region: bool,
    /// Forces on the samples of dynamic bodies.
    pub reactions: bool,
    /// The tangential wall correction.
    pub wall_correction: bool,
    /// Its reaction on dynamic bodies.
    pub tangential_reaction: bool,
}

impl Needs {
    /// Those of a set of parameters, and of a scene with or without dynamic bodies.
    pub fn of(params: &Params, reactions: bool) -> Self {
        Self {
            viscosity: params.dynamic_viscosity > 0.0,
            stress: params.dynamic_viscosity > 0.0 && params.viscosity_model == ViscousForm::Solenoidal,
            xsph: params.xsph_viscosity > 0.0,
            surface_region: params.particle_shifting > 0.0 || params.gradient == Gradient::Difference,
            reactions,
            wall_correction: params.gradient != Gradient::Peridyno,
            tangential_reaction: params.gradient == Gradient::Adjoint && reactions,
        }
    }
}

impl<const D: usize> Default for Fields<D> {
    fn default() -> Self {
        const fn none<const D: usize>() -> [Vec<Real>; D] {
            [const { Vec::new() }; D]
        }
        Self {
            p: Vec::new(),
            place: Vec::new(),
            record: Vec::new(),
            moments: Vec::new(),
            wall_correction: Vec::new(),
            tangential_gradient: Vec::new(),
            sums: Vec::new(),
            share: Vec::new(),
            entries: Vec::new(),
            dirichlet: Vec::new(),
            surface_region: Vec::new(),
            is_closed: false,
            equation: Vectors::default(),
            levels: Multigrid::default(),
            drag: Vec::new(),
            viscous: Vectors::default(),
            velocity: Vec::new(),
            wall_record: Vec::new(),
            reaction: none(),
            before: Vec::new(),
            given: Vec::new(),
            contact_sums: Vec::new(),
            placements: Vec::new(),
            acting: Vec::new(),
            max_pressure: 0.0,
            full: [0.0; 2],
            residuals: Vec::new(),
            viscous_residuals: Vec::new(),
        }
    }
}

impl<const D: usize> Fields<D> {
    /// Makes room for `n` particles and `n_walls` samples. Allocates only when a number changed.
    pub fn resize(&mut self, sizing: &mut Sizing, n: usize, n_walls: usize, needs: Needs) {
        sizing.fit(&mut self.p, n, 0.0);
        sizing.fit(&mut self.acting, n, 0.0);
        sizing.fit(&mut self.share, n, 0.0);
        sizing.fit(&mut self.dirichlet, n, 0.0);
        sizing.fit(&mut self.surface_region, if needs.surface_region { n } else { 0 }, [0.0; 4]);
        sizing.fit(&mut self.moments, n, Moments::default());
        sizing.fit(&mut self.sums, n, RowSums::default());
        sizing.packed(&mut self.place, n + 1, null_record());
        sizing.packed(&mut self.record, n + 1, null_record());
        let only = |needed: bool| if needed { n + 1 } else { 0 };
        sizing.packed(&mut self.wall_correction, only(needs.wall_correction && n_walls > 0), null_record());
        sizing.packed(&mut self.tangential_gradient, only(needs.tangential_reaction), null_record());
        sizing.packed(&mut self.wall_record, n_walls + 1, null_record());
        self.equation.resize(sizing, n);
        sizing.fit(&mut self.drag, if needs.viscosity { n } else { 0 }, [0.0; 4]);
        let components = if needs.stress { D * n } else { 0 };
        self.viscous.resize(sizing, components);
        sizing.fit(&mut self.velocity, components, 0.0);
        sizing.fit(&mut self.before, if needs.reactions { n } else { 0 }, [0.0; 4]);
        for axis in 0..D {
            sizing.fit(&mut self.reaction[axis], if needs.reactions { n_walls } else { 0 }, 0.0);
        }
    }

    /// The fields in the order of cause and effect, behind the velocities that forces have changed.
    pub fn chain<'a>(&'a self, rho: &'a Vec<Real>) -> Vec<Link<'a>> {
        let walls = &self.wall_record;
        let of_walls = move |b: usize| walls.get(b).is_none_or(|record| record.iter().all(|x| x.is_finite()));
        let (moments, sums) = (&self.moments, &self.sums);
        let of_moments = move |i: usize| moments.get(i).is_none_or(Moments::is_finite);
        let of_sums = move |i: usize| sums.get(i).is_none_or(RowSums::is_finite);
        let link = |phase, field, is_finite: Box<dyn Fn(usize) -> bool + 'a>| Link {
            phase,
            field,
            on_walls: field == "wall record",
            is_finite,
        };
        vec![
            link("move_walls", "wall record", Box::new(of_walls)),
            link("compute_alpha", "sum of weights", Box::new(of_moments)),
            Link::fluid("compute_alpha", "density", from_ref(rho)),
            link("assemble_matrix", "divergence", Box::new(of_sums)),
            Link::fluid("build_right_hand_side", "right-hand side", from_ref(&self.equation.b)),
            Link::fluid("solve_pressure", "pressure", from_ref(&self.p)),
        ]
    }

    /// Shows `visit` what a restart must keep.
    pub fn memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        visit("pressure", Memory::Field(&mut self.p));
        visit("acting_pressure", Memory::Field(&mut self.acting));
        visit("max_pressure", Memory::Number(&mut self.max_pressure));
        let [alpha, diagonal] = &mut self.full;
        visit("full_alpha", Memory::Number(alpha));
        visit("full_diagonal", Memory::Number(diagonal));
    }
}

/// The record of the null particle: far away, at rest, without weight.
fn null_record<const K: usize>() -> [Real; K] {
    std::array::from_fn(|k| if k < 3 { FAR } else { 0.0 })
}
