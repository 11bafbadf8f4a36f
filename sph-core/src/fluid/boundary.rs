//! Walls as samples with a volume (Akinci, Ihmsen, Akinci, Solenthaler & Teschner 2012, eq. 3-5).
//!
//! A sample `b` stands for the volume `V_b = 1 / Σ_k W_bk`, summed over the samples of its own rigid set,
//! itself included; its pseudo-mass is `psi_b = ρ₀ V_b`. The samples of a moving wall are evaluated from
//! where they were at t = 0, never from the step before, so no error builds up.

use crate::{
    Real, compiled_here,
    fluid::wall_surface::{Pose, WallCondition, WallSurface},
    geometry::{
        motion::{Moment, Trajectory},
        sampling::Layers,
        shape::Region,
    },
    kernel::choice::ScalarKernel,
    neighbors::{self, Cells, Periodic},
    numerics::{
        field::{Scratch, gather},
        parallel,
        vector::norm2,
    },
};

/// A rigid set of wall samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Body<const D: usize> {
    /// Name in the scene.
    pub name: String,
    /// How it moves.
    pub motion: Trajectory<D>,
    /// The moment that the times of its motion count from: 0, or that of a command, `[s]`.
    pub since: f64,
    /// Speed of its surface, added to the motion's: a belt, or the lid of a cavity, `[m/s]`.
    pub surface_velocity: [Real; D],
    /// True for no-slip, false for free slip.
    pub no_slip: bool,
    /// The dynamic body whose surface it is, by its place in [`Bodies::list`](crate::rigid::Bodies::list). Its samples
    /// are drawn in the frame of that body, which alone moves them.
    pub rigid: Option<usize>,
    /// The load to which it belongs, by its place in [`Bodies::loads`](crate::rigid::Bodies::loads): of walls on which the
    /// force is measured.
    pub load: Option<usize>,
}

impl<const D: usize> Body<D> {
    /// True when it never moves.
    pub fn is_fixed(&self) -> bool {
        self.rigid.is_none() && self.motion.is_static()
    }
}

/// Pseudo-mass of a wall sample.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PsiMode {
    /// `psi_b = ρ₀ / Σ_k W_bk` over the wall [AIA12 eq. 5].
    #[default]
    Akinci,
    /// The mass of a fluid particle: the fluid's lattice goes on behind the wall. Needs full layers.
    FluidMass,
    /// The first, times a factor `[-]`.
    Scaled(#[schemars(extend("x-unit" = "-", "x-range" = "(0, 10]"))] f64),
}

/// Wall samples: structure of arrays, in the order of their cells.
#[derive(Clone, Debug)]
pub struct Boundary<const D: usize> {
    /// Stable names. Shape `[n]`.
    pub id: Vec<u64>,
    /// Positions now. Shape `[D][n]`, `[m]`.
    pub x: [Vec<Real>; D],
    /// Velocities now, the surface's own motion included. Shape `[D][n]`, `[m/s]`.
    pub v: [Vec<Real>; D],
    /// Accelerations now. Shape `[D][n]`, `[m/s²]`.
    pub a: [Vec<Real>; D],
    /// Positions at the moment that the motion of their body counts from, or in the frame of a dynamic body. Shape
    /// `[D][n]`, `[m]`.
    pub x_0: [Vec<Real>; D],
    /// Volumes V_b (times 1 m in 2D). Shape `[n]`, `[m³]`.
    pub volume: Vec<Real>,
    /// Index into `bodies`. Shape `[n]`.
    pub body: Vec<u16>,
    /// The rigid sets.
    pub bodies: Vec<Body<D>>,
    /// The nominal surfaces that samples stand for.
    pub surfaces: Vec<WallSurface<D>>,
    /// The surface that each rigid set stands for, by its place in `surfaces`. Shape `[bodies]`.
    pub surface_of_body: Vec<Option<usize>>,
    /// True in steps after which the loads on walls are read: only then are they summed.
    pub loads_due: bool,
    /// How each rigid set moves now. Shape `[bodies]`.
    moments: Vec<Moment<D>>,
}

impl<const D: usize> Default for Boundary<D> {
    fn default() -> Self {
        const fn none<const D: usize>() -> [Vec<Real>; D] {
            [const { Vec::new() }; D]
        }
        Self {
            id: Vec::new(),
            x: none(),
            v: none(),
            a: none(),
            x_0: none(),
            volume: Vec::new(),
            body: Vec::new(),
            bodies: Vec::new(),
            surfaces: Vec::new(),
            surface_of_body: Vec::new(),
            loads_due: false,
            moments: Vec::new(),
        }
    }
}

/// Cells that a task weighs.
const CELLS: usize = 64;

impl<const D: usize> Boundary<D> {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// True when there is no sample.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Position of sample `b`, `[m]`.
    #[inline(always)]
    pub fn position(&self, b: usize) -> [Real; D] {
        std::array::from_fn(|a| self.x[a][b])
    }

    /// Velocity of sample `b`, `[m/s]`.
    #[inline(always)]
    pub fn velocity(&self, b: usize) -> [Real; D] {
        std::array::from_fn(|a| self.v[a][b])
    }

    /// True when the force on samples of this set is needed in this step.
    pub fn is_set_loaded(&self, set: &Body<D>) -> bool {
        set.rigid.is_some() || (self.loads_due && set.load.is_some())
    }

    /// True when the force on sample `b` is needed in this step.
    #[inline(always)]
    pub fn is_loaded(&self, b: usize) -> bool {
        self.is_set_loaded(&self.bodies[usize::from(self.body[b])])
    }

    /// True when a body moves, so that cells of samples change.
    pub fn is_moving(&self) -> bool {
        self.bodies.iter().any(|body| !body.is_fixed())
    }

    /// Largest speed of a prescribed motion from time `t` on, `[m/s]`.
    pub fn top_speed(&self, t: f64) -> f64 {
        compiled_here!(D, Boundary::largest_speed as fn(&Boundary<D>, f64) -> f64)(self, t)
    }

    fn largest_speed(&self, t: f64) -> f64 {
        let of_body = |(k, body): (usize, &Body<D>)| {
            let from = t - body.since;
            if body.motion.now(from).turn.is_none() {
                return body.motion.top_speed(&[0.0; D], from);
            }
            let own = (0..self.len()).filter(|&b| usize::from(self.body[b]) == k);
            let x_0 = |b: usize| std::array::from_fn(|a| f64::from(self.x_0[a][b]));
            own.map(|b| body.motion.top_speed(&x_0(b), from)).fold(0.0, f64::max)
        };
        self.bodies.iter().enumerate().map(of_body).fold(0.0, f64::max)
    }

    /// Adds a body whose samples are at `x_0` at t = 0. Call [`Boundary::weigh`] after the last one.
    pub fn add_body(&mut self, body: Body<D>, x_0: &[[Real; D]]) {
        let index = self.bodies.len() as u16;
        for &x in x_0 {
            self.id.push(self.id.len() as u64);
            for (a, &x) in x.iter().enumerate() {
                self.x_0[a].push(x);
                self.x[a].push(x);
                self.v[a].push(body.surface_velocity[a]);
                self.a[a].push(0.0);
            }
            self.volume.push(0.0);
            self.body.push(index);
        }
        self.bodies.push(body);
        self.surface_of_body.push(None);
    }

    /// Keeps the surface that the samples `first..` of the last bodies stand for, as they are now, and how it holds the
    /// fluid.
    pub fn add_surface(
        &mut self,
        name: &str,
        region: Region<D>,
        layers: &Layers,
        spacing: f64,
        first: usize,
        condition: WallCondition<D>,
    ) {
        let place = |b: usize| std::array::from_fn(|a| f64::from(self.x_0[a][b]));
        let samples: Vec<_> = (first..self.len()).map(|b| (self.id[b], place(b))).collect();
        for &body in &self.body[first..] {
            self.surface_of_body[usize::from(body)] = Some(self.surfaces.len());
        }
        self.surfaces.push(WallSurface::of_wall(name, region, layers, spacing, &samples, condition));
    }

    /// Where a surface is; `None` where it was drawn. Looking for its samples takes time, so this is left out for walls
    /// that have never moved.
    pub fn pose(&self, surface: &WallSurface<D>) -> Option<Pose<D>> {
        compiled_here!(D, Boundary::moved_pose as fn(&Boundary<D>, &WallSurface<D>) -> Option<Pose<D>>)(
            self, surface,
        )
    }

    fn moved_pose(&self, surface: &WallSurface<D>) -> Option<Pose<D>> {
        let place = |id| self.sample(id).map(|b| self.position(b).map(f64::from));
        if self.has_moved(surface) { surface.pose(place) } else { None }
    }

    /// True when a surface may be elsewhere than where it was drawn.
    fn has_moved(&self, surface: &WallSurface<D>) -> bool {
        let moved = |body: &Body<D>| body.name == surface.name && (!body.is_fixed() || body.since > 0.0);
        self.bodies.iter().any(moved)
    }

    /// The ids of the samples that tell where the surfaces are which may have moved.
    pub fn mark_ids(&self) -> Vec<u64> {
        let moved = self.surfaces.iter().filter(|surface| self.has_moved(surface));
        moved.flat_map(WallSurface::mark_ids).collect()
    }

    /// The place in the arrays of the sample with this id.
    pub fn sample(&self, id: u64) -> Option<usize> {
        self.id.iter().position(|&other| other == id)
    }

    /// Moves every sample of a prescribed motion to where that is at time `t`.
    pub fn move_to(&mut self, t: f64) {
        compiled_here!(D, Boundary::move_samples as fn(&mut Boundary<D>, f64))(self, t)
    }

    fn move_samples(&mut self, t: f64) {
        if !self.is_moving() {
            return;
        }
        self.moments.clear();
        self.moments.extend(self.bodies.iter().map(|body| body.motion.now(t - body.since)));
        let (bodies, body, x_0, moments) = (&self.bodies, &self.body, &self.x_0, &self.moments);
        let outputs = (slices(&mut self.x), slices(&mut self.v), slices(&mut self.a));
        parallel::blocks(body.len(), outputs, |range, (x, v, acceleration)| {
            for (k, b) in range.enumerate() {
                let set = usize::from(body[b]);
                if bodies[set].rigid.is_some() {
                    continue;
                }
                let now = moments[set].of(&std::array::from_fn(|a| f64::from(x_0[a][b])));
                for a in 0..D {
                    x[a][k] = now.x[a] as Real;
                    v[a][k] = now.v[a] as Real + bodies[set].surface_velocity[a];
                    acceleration[a][k] = now.a[a] as Real;
                }
            }
        });
    }

    /// Gives all bodies of this name another motion, whose times count from now and whose places are those of
    /// now. Returns false when there is no such body; dynamic ones take no prescribed motion.
    pub fn set_motion(&mut self, name: &str, motion: &Trajectory<D>, t: f64) -> bool {
        self.move_to(t);
        let mut found = false;
        for body in self.bodies.iter_mut().filter(|body| body.name == name && body.rigid.is_none()) {
            (body.motion, body.since, found) = (motion.clone(), t, true);
        }
        for b in 0..self.len() {
            let body = &self.bodies[self.body[b] as usize];
            if body.name == name && body.rigid.is_none() {
                for a in 0..D {
                    self.x_0[a][b] = self.x[a][b];
                    (self.v[a][b], self.a[a][b]) = (body.surface_velocity[a], 0.0);
                }
            }
        }
        self.move_to(t);
        found
    }

    /// Finds the volume of every sample: `V_b = 1 / Σ_k W_bk` over its own rigid set (all bodies at rest
    /// together are one). `m` and `rho_0` are the fluid's, for [`PsiMode::FluidMass`].
    pub fn weigh(
        &mut self,
        kernel: &dyn ScalarKernel<D>,
        mode: PsiMode,
        m: Real,
        rho_0: Real,
        periodic: Periodic<D>,
    ) {
        compiled_here!(
            D,
            Boundary::set_volumes
                as fn(&mut Boundary<D>, &dyn ScalarKernel<D>, PsiMode, Real, Real, Periodic<D>)
        )(self, kernel, mode, m, rho_0, periodic)
    }

    fn set_volumes(
        &mut self,
        kernel: &dyn ScalarKernel<D>,
        mode: PsiMode,
        m: Real,
        rho_0: Real,
        periodic: Periodic<D>,
    ) {
        let scale = match mode {
            PsiMode::FluidMass => {
                self.volume.fill(m / rho_0);
                return;
            }
            PsiMode::Akinci => 1.0,
            PsiMode::Scaled(factor) => factor as Real,
        };
        let sums = self.sums_of_w(kernel, periodic);
        for (volume, sum_w) in self.volume.iter_mut().zip(sums) {
            *volume = scale / sum_w;
        }
    }

    /// `Σ_k W_bk` over the rigid set of each sample, itself included.
    fn sums_of_w(&self, kernel: &dyn ScalarKernel<D>, periodic: Periodic<D>) -> Vec<Real> {
        let set: Vec<u16> = self
            .body
            .iter()
            .map(|&k| if self.bodies[k as usize].is_fixed() { u16::MAX } else { k })
            .collect();
        let mut cells = Cells::new(neighbors::Backend::HashGrid, kernel.support_radius(), periodic);
        let mut order = Vec::new();
        // The hashed cells never refuse.
        if cells.sort(&self.x_0, None, &mut order).is_err() {
            return vec![kernel.w_0(); self.len()];
        }
        let x: [Vec<Real>; D] =
            std::array::from_fn(|a| order.iter().map(|&b| self.x_0[a][b as usize]).collect());
        // No rows: they would be the largest thing in memory before the run begins. Candidates beyond the support
        // add zero.
        let mut sorted = vec![0.0; self.len()];
        let end = |piece: usize| cells.first_point((piece * CELLS).min(cells.n_occupied()));
        let pieces = cells.n_occupied().div_ceil(CELLS);
        parallel::pieces(0..pieces, &end, &mut sorted[..], &|piece, sums: &mut [Real]| {
            let (mut runs, first) = (Vec::new(), end(piece));
            for c in piece * CELLS..((piece + 1) * CELLS).min(cells.n_occupied()) {
                cells.runs_around(cells.occupied[c].at, &mut runs);
                for k in cells.first_point(c)..cells.first_point(c + 1) {
                    let same = |l: &usize| *l != k && set[order[*l] as usize] == set[order[k] as usize];
                    let near = runs.iter().flat_map(|run| run.start..run.end).filter(same);
                    let w = near.map(|l| {
                        kernel.w(norm2(periodic.nearest(std::array::from_fn(|a| x[a][k] - x[a][l]))))
                    });
                    sums[k - first] = w.fold(kernel.w_0(), |sum, w: Real| sum + w);
                }
            }
        });
        let mut sums = vec![0.0; self.len()];
        for (sum, &b) in sorted.iter().zip(&order) {
            sums[b as usize] = *sum;
        }
        sums
    }

    /// Brings the samples into `order`: the new sample `k` is the old `order[k]`.
    pub fn permute(&mut self, order: &[u32], scratch: &mut Scratch) {
        scratch.permute_ids(order, &mut self.id);
        for field in [&mut self.x, &mut self.v, &mut self.a, &mut self.x_0].into_iter().flatten() {
            scratch.permute(order, field);
        }
        scratch.permute(order, &mut self.volume);
        gather(order, &mut self.body, scratch.bodies());
    }
}

fn slices<const D: usize>(fields: &mut [Vec<Real>; D]) -> [&mut [Real]; D] {
    fields.each_mut().map(Vec::as_mut_slice)
}
