//! The phases on the CPU: loops over particles and pairs that call `physics.rs`.

pub(crate) mod colors;
pub(crate) mod contact;
mod integration;
mod others;
mod reaction;
mod relax;
pub(crate) mod springs;
mod viscosity;

use crate::{Viscoelastic, is_reversed, params::RelaxMode, physics, step::Phases};
use colors::Shared;
use relax::{Relaxation, Swept};
use sph_core::{
    Real,
    method::{
        failure::{BEFORE, Cause, StepError},
        phases::Timed,
        report::StepReport,
        state::State,
        stopwatch::Stopwatch,
    },
    numerics::{
        field::Sizing,
        parallel::{self, First, Max},
        vector::norm2,
    },
    run::ranks::exchange::PointSet,
};
use springs::{Adjustment, Scratch, SpringPass};
use std::{
    mem::take,
    sync::{Mutex, PoisonError},
};

/// A step in progress: the method and the state it advances. Between prediction and [`Phases::update_velocities`] the
/// state holds `x*` and `v*`, the records hold the relaxed positions.
pub(crate) struct Cpu<'a, const D: usize> {
    pub method: &'a mut Viscoelastic<D>,
    pub state: &'a mut State<D>,
    /// The step, `[s]`.
    pub dt: f64,
    /// Time at its end, `[s]`.
    pub end: f64,
}

impl<const D: usize> Timed for Cpu<'_, D> {
    fn stopwatch(&mut self) -> &mut Stopwatch {
        &mut self.method.shell.stopwatch
    }
}

impl<const D: usize> Phases for Cpu<'_, D> {
    fn move_walls(&mut self, dt: f64) -> Result<(), StepError> {
        self.end = self.state.t + dt;
        self.state.walls.move_to(self.end);
        Ok(())
    }

    fn apply_gravity(&mut self, dt: f64) -> Result<(), StepError> {
        self.restore_springs();
        let found = integration::kick(self.state, dt as Real);
        let Some(i) = found.place() else { return Ok(()) };
        let cause = Cause::NotFinite { field: "velocity" };
        Err(StepError::new(self.state, BEFORE, Some(self.state.fluid.id[i]), cause))
    }

    fn apply_viscosity(&mut self, dt: f64) -> Result<(), StepError> {
        if !self.method.constants.needs.viscosity {
            return Ok(());
        }
        self.list()?;
        self.pack_velocities();
        self.viscous_impulses(self.method.viscosity(dt));
        self.drop_ghosts();
        Ok(())
    }

    fn predict_positions(&mut self, dt: f64) -> Result<(), StepError> {
        let found = integration::predict(self.state, dt as Real);
        let Some(i) = found.place() else { return Ok(()) };
        let fluid = &self.state.fluid;
        // Impulses are limited, and forces are finite.
        let (phase, field) = match [fluid.position(i), fluid.velocity(i)].map(integration::all_finite) {
            [false, _] => (BEFORE, "position"),
            [_, false] => (BEFORE, "velocity"),
            _ => ("predict_positions", "position"),
        };
        Err(StepError::new(self.state, phase, Some(fluid.id[i]), Cause::NotFinite { field }))
    }

    fn find_neighbors(&mut self) -> Result<(), StepError> {
        self.list()?;
        let s = &mut *self.method;
        s.fields.resize(&mut Sizing::Make, self.state.fluid.len(), self.state.walls.len(), s.constants.needs);
        self.pack_positions();
        let walls = self.pack_walls();
        self.method.shell.stopwatch.lap("pack");
        match walls.place() {
            None => self.find_far_ends(),
            Some(b) => {
                let cause = Cause::NotFinite { field: "wall position" };
                Err(StepError::new(self.state, "move_walls", Some(self.state.walls.id[b]), cause))
            }
        }
    }

    fn adjust_springs(&mut self, dt: f64) -> Result<(), StepError> {
        if !self.method.constants.needs.springs {
            return Ok(());
        }
        let not_finite = self.rewrite_springs(dt);
        let Some(i) = not_finite else { return Ok(()) };
        let cause = Cause::NotFinite { field: "rest length" };
        Err(StepError::new(self.state, BEFORE, Some(self.state.fluid.id[i]), cause))
    }

    fn apply_spring_displacements(&mut self, dt: f64) -> Result<(), StepError> {
        if self.method.constants.needs.springs {
            self.displace_by_springs(dt);
            let s = &mut *self.method;
            let position = &mut s.fields.position;
            s.shell.refresh(self.state, "apply_spring_displacements", PointSet::Fluid, position)?;
        }
        Ok(())
    }

    fn double_density_relaxation(&mut self, _dt: f64) -> Result<(), StepError> {
        const PHASE: &str = "double_density_relaxation";
        let Max(largest) = match self.method.params.relax_mode {
            RelaxMode::Jacobi => self.relax_jacobi(PHASE)?,
            _ => self.relax_gauss_seidel(),
        };
        let s = &mut *self.method;
        s.shell.report.residual = s.shell.max(self.state, PHASE, largest)? / f64::from(s.constants.h);
        self.scale_density();
        self.method.shell.report_density(self.state, PHASE)
    }

    fn resolve_collisions(&mut self, dt: f64) -> Result<(), StepError> {
        if self.state.needs_reactions() {
            self.collect_reactions()?;
        }
        self.drop_ghosts();
        self.contacts(dt).map_err(|lost| self.lost("resolve_collisions", lost))
    }

    fn update_velocities(&mut self, dt: f64) -> Result<(), StepError> {
        let (inv_dt, damping) = ((1.0 / dt) as Real, self.damping());
        let (change, speed) =
            integration::update_velocities(self.state, &self.method.fields.position, inv_dt, damping);
        let report = &mut self.method.shell.report;
        report.max_acceleration = f64::from(change.square).sqrt() / dt;
        report.max_speed = f64::from(speed.square).sqrt();
        let Some(i) = change.bad.place() else { return self.report_largest("update_velocities") };
        let fluid = &self.state.fluid;
        let of = |field| Cause::NotFinite { field };
        let (phase, cause) = match (fluid.rho[i].is_finite(), fluid.position(i).iter().all(|x| x.is_finite()))
        {
            (false, _) => ("double_density_relaxation", of("density")),
            (_, false) => ("double_density_relaxation", of("position")),
            _ if !self.state.domain.holds(fluid.position(i)) => ("update_velocities", Cause::Escaped),
            _ => ("update_velocities", of("velocity")),
        };
        Err(StepError::new(self.state, phase, Some(fluid.id[i]), cause))
    }

    fn move_bodies(&mut self) -> Result<(), StepError> {
        if self.state.bodies.is_empty() {
            return Ok(());
        }
        let finite = self.advance_bodies(self.damping());
        let cause = Cause::NotFinite { field: "body position or velocity" };
        if finite { Ok(()) } else { Err(StepError::new(self.state, "move_bodies", None, cause)) }
    }

    fn report(&mut self, dt: f64) -> StepReport {
        let shell = &mut self.method.shell;
        shell.max_speed = shell.report.max_speed;
        StepReport { dt, ..shell.report }
    }
}

impl<'a, const D: usize> Cpu<'a, D> {
    pub fn new(method: &'a mut Viscoelastic<D>, state: &'a mut State<D>, dt: f64) -> Self {
        method.shell.report = StepReport::default();
        let end = state.t + dt;
        Self { method, state, dt, end }
    }

    /// Factor of the velocity in a step, `[-]`.
    fn damping(&self) -> Real {
        self.state.forces.damping_of(self.state.t, self.dt)
    }

    fn relaxation(&self) -> Relaxation<'_, D> {
        let s = &*self.method;
        Relaxation {
            periodic: self.state.domain.periodic,
            walls: &s.fields.wall_x4,
            stiffness: s.constants.stiffness,
            inv_h: 1.0 / s.constants.h,
            dt2: (self.dt * self.dt) as Real,
            max_displacement: physics::MAX_DISPLACEMENT * s.constants.h,
        }
    }

    /// Sorts particles by cell and lists their neighbors at the present positions.
    fn list(&mut self) -> Result<(), StepError> {
        let shares = self.shares_springs();
        let (s, state) = (&mut *self.method, &mut *self.state);
        let was = Some(&mut s.fields.was).filter(|_| shares);
        let sorted = s.shell.find_neighbors(state, was).map_err(|cause| {
            let lost = state.fluid.first_lost();
            let (phase, cause) = match lost {
                Some(_) => (BEFORE, Cause::NotFinite { field: "position" }),
                None => ("find_neighbors", cause),
            };
            StepError::new(state, phase, lost.map(|i| state.fluid.id[i]), cause)
        })?;
        if s.params.relax_mode != RelaxMode::Jacobi {
            s.colors.update(&s.shell.neighbors, s.params.relax_mode);
        }
        if sorted {
            self.follow_search()?;
        }
        self.method.shell.stopwatch.lap("find_neighbors");
        Ok(())
    }

    fn pack_positions(&mut self) {
        let x = &self.state.fluid.x;
        let n = x[0].len();
        parallel::blocks(n, &mut self.method.fields.position[..n], |range, position| {
            for (out, i) in position.iter_mut().zip(range) {
                *out = [0.0; 4];
                for a in 0..D {
                    out[a] = x[a][i];
                }
            }
        });
    }

    fn pack_velocities(&mut self) {
        let (s, fluid) = (&mut *self.method, &self.state.fluid);
        s.fields.resize(&mut Sizing::Make, fluid.len(), self.state.walls.len(), s.constants.needs);
        parallel::blocks(fluid.len(), &mut s.fields.velocity[..fluid.len()], |range, velocity| {
            for (out, i) in velocity.iter_mut().zip(range) {
                *out = [0.0; 8];
                for a in 0..D {
                    (out[a], out[4 + a]) = (fluid.x[a][i], fluid.v[a][i]);
                }
            }
        });
    }

    /// Packs the wall samples. Returns the first that is not finite.
    fn pack_walls(&mut self) -> First {
        let Viscoelastic { fields, shell, .. } = &mut *self.method;
        let (walls, spacing) = (&self.state.walls, self.state.rest.spacing);
        if shell.walls_packed && !walls.is_moving() {
            return First::NONE;
        }
        let (n, inv_volume) = (walls.len(), 1.0 / spacing.powi(D as i32));
        shell.walls_packed = true;
        parallel::blocks(n, &mut fields.wall_x4[..n], |range, x4| {
            let mut bad = First::NONE;
            for (out, b) in x4.iter_mut().zip(range) {
                for a in 0..D {
                    out[a] = walls.x[a][b];
                }
                out[3] = walls.volume[b] * inv_volume;
                let speed = norm2::<Real, D>(std::array::from_fn(|a| walls.v[a][b]));
                bad.count(b, !(out.iter().all(|x| x.is_finite()) & speed.is_finite()));
            }
            bad
        })
    }

    /// Returns the first particle that had a rest length that was not finite.
    fn rewrite_springs(&mut self, dt: f64) -> Option<usize> {
        let (s, periodic) = (&mut *self.method, self.state.domain.periodic);
        let (flow, h) = (s.flow(dt), s.constants.h);
        let (creates, fields) = (s.creates(), &mut s.fields);
        let adjustment = Adjustment { periodic, position: &fields.position, flow, h, creates };
        let chunks = s.shell.neighbors.fluid.chunks();
        let (isa, scratch, n) = (s.shell.isa, &mut fields.scratch, fields.position.len());
        if scratch.len() < rayon::current_num_threads() {
            scratch.resize_with(rayon::current_num_threads(), Mutex::default);
        }
        scratch
            .iter_mut()
            .for_each(|scratch| scratch.get_mut().unwrap_or_else(PoisonError::into_inner).clear(n));
        let scratch = &fields.scratch;
        fields.springs.rewrite(
            chunks.len(),
            |k| chunks[k].first,
            |k, before, out| {
                let scratch = &scratch[rayon::current_thread_index().unwrap_or(0)];
                let mut scratch = scratch.lock().unwrap_or_else(PoisonError::into_inner);
                springs::adjust(isa, &adjustment, &chunks[k], before, out, &mut scratch);
            },
        );
        let not_finite =
            |scratch: &Mutex<Scratch>| scratch.lock().unwrap_or_else(PoisonError::into_inner).not_finite;
        scratch.iter().filter_map(not_finite).min()
    }

    fn displace_by_springs(&mut self, dt: f64) {
        let reverse = is_reversed(self.state.step);
        let (s, periodic) = (&mut *self.method, self.state.domain.periodic);
        let (mode, h, n) = (s.params.relax_mode, s.constants.h, self.state.fluid.len());
        let pass =
            SpringPass { periodic, spring: s.spring(dt), max_displacement: physics::MAX_DISPLACEMENT * h };
        let chunks = s.fields.springs.chunks();
        let (isa, position) = (s.shell.isa, Shared::new(&mut s.fields.position));
        match mode {
            RelaxMode::Sequential => {
                return s
                    .colors
                    .for_each(mode, reverse, |cells| pass.sweep(position, chunks, cells, reverse));
            }
            RelaxMode::Colored => s.colors.for_each(mode, reverse, |cells| {
                springs::sweep_short(isa, &pass, position, chunks, cells, reverse);
            }),
            RelaxMode::Jacobi => {}
        }
        // Springs that reach beyond the adjacent cells are treated by Jacobi.
        let position = &s.fields.position;
        let start_of = |k: usize| chunks.get(k).map_or(n, |chunk| chunk.first);
        let gather = |k: usize, delta: &mut [[Real; 4]]| match mode {
            RelaxMode::Jacobi => springs::gather(isa, &pass, position, &chunks[k], delta),
            _ => pass.gather_far(position, &chunks[k], delta),
        };
        if !chunks.is_empty() {
            parallel::pieces(0..chunks.len(), &start_of, &mut s.fields.delta[..n], &gather);
        }
        add(&mut s.fields.position[..n], &s.fields.delta);
    }

    /// Jacobi: all displacements from the same positions.
    fn relax_jacobi(&mut self, phase: &'static str) -> Result<Max, StepError> {
        let n = self.state.fluid.len();
        let mut pressure = take(&mut self.method.fields.pressure);
        let mut delta = take(&mut self.method.fields.delta);
        let mut rho = take(&mut self.state.fluid.rho);
        let (isa, lists) = (self.method.shell.isa, &self.method.shell.neighbors);
        let (loops, position) = (self.relaxation(), &self.method.fields.position);
        lists.fluid.for_each((&mut pressure[..n], &mut rho[..]), |k, fluid, (pressure, rho)| {
            relax::densities(isa, &loops, position, fluid, &lists.walls.chunks()[k], pressure, rho);
        });
        self.state.fluid.rho = rho;
        self.method.shell.refresh(self.state, phase, PointSet::Fluid, &mut pressure)?;
        let (lists, loops) = (&self.method.shell.neighbors, self.relaxation());
        let largest = lists.fluid.for_each(&mut delta[..], |k, fluid, delta| {
            Largest(relax::displacements(isa, &loops, &pressure, fluid, &lists.walls.chunks()[k], delta))
        });
        let fields = &mut self.method.fields;
        (fields.pressure, fields.delta) = (pressure, delta);
        add(&mut fields.position[..n], &fields.delta);
        Ok(largest.0)
    }

    /// Gauss-Seidel: each particle uses the positions that the previous one has left.
    fn relax_gauss_seidel(&mut self) -> Max {
        let (mut position, mut pressure) =
            (take(&mut self.method.fields.position), take(&mut self.method.fields.pressure));
        let mut rho = take(&mut self.state.fluid.rho);
        let (s, loops, reverse) = (&*self.method, self.relaxation(), is_reversed(self.state.step));
        let swept = Swept {
            position: Shared::new(&mut position),
            rho: Shared::new(&mut rho),
            pressure: s.constants.needs.pressure.then(|| Shared::new(&mut pressure)),
            rows: [&s.shell.neighbors.fluid, &s.shell.neighbors.walls],
            reverse,
        };
        let largest = s.colors.for_each(s.params.relax_mode, reverse, |cells| {
            Largest(relax::sweep(s.shell.isa, &loops, &swept, cells))
        });
        self.state.fluid.rho = rho;
        (self.method.fields.position, self.method.fields.pressure) = (position, pressure);
        largest.0
    }

    /// Scales the double density to `[kg/m³]`.
    fn scale_density(&mut self) {
        let factor = self.state.rest.rho_0 * (1.0 / self.method.constants.lattice_rho);
        let rho = &mut self.state.fluid.rho[..];
        parallel::blocks(rho.len(), rho, |_, rho| rho.iter_mut().for_each(|rho| *rho *= factor));
    }
}

/// A maximum of nonnegative numbers.
#[derive(Clone, Copy, Debug)]
struct Largest(Max);

impl Default for Largest {
    fn default() -> Self {
        Self(Max(0.0))
    }
}

impl parallel::Merge for Largest {
    fn merge(self, later: Self) -> Self {
        Self(self.0.merge(later.0))
    }
}

/// `position ← position + delta`.
fn add(position: &mut [[Real; 4]], delta: &[[Real; 4]]) {
    parallel::blocks(position.len(), position, |range, position| {
        for (position, delta) in position.iter_mut().zip(&delta[range]) {
            for a in 0..3 {
                position[a] += delta[a];
            }
        }
    });
}
