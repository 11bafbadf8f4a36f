//! What a step may change, and the constants that it reads.

use crate::{
    Real,
    fluid::{
        boundary::Boundary,
        material::{Domain, Forces, Material},
        particles::Particles,
    },
    geometry::shape::Enclosure,
    neighbors::Points,
    numerics::{
        field::Scratch,
        lane::each,
        parallel::{self, Max},
        vector::norm2,
    },
    rigid::{Bodies, Wrench},
};
use std::mem::take;

/// Everything that evolves, with the constants it evolves under.
#[derive(Clone, Debug)]
pub struct State<const D: usize> {
    /// The fluid.
    pub fluid: Particles<D>,
    /// The walls.
    pub walls: Boundary<D>,
    /// The dynamic bodies, whose samples are among those of the walls.
    pub bodies: Bodies<D>,
    /// The liquid.
    pub rest: Material,
    /// Accelerations from outside.
    pub forces: Forces<D>,
    /// The space that may be used.
    pub domain: Domain<D>,
    /// Containers without samples, given by their signed distance.
    pub containers: Vec<Enclosure<D>>,
    /// Time, `[s]`.
    pub t: f64,
    /// Steps done.
    pub step: u64,
    /// The id of the next particle that is added.
    pub next_id: u64,
}

impl<const D: usize> State<D> {
    /// The largest speed of the fluid, `[m/s]`.
    pub fn max_speed(&self) -> Real {
        let fluid = &self.fluid;
        let Max(v2) = parallel::blocks(fluid.len(), (), |range, ()| {
            Max(range.map(|i| norm2(fluid.velocity(i))).fold(0.0, Real::max) as f64)
        });
        v2.sqrt() as Real
    }

    /// Begins a step after which the loads on walls and containers are read if they are `due`: those on containers, which are
    /// summed wherever a step meets these, begin at zero.
    pub fn begin_loads(&mut self, due: bool) {
        self.walls.loads_due = due;
        for load in self.bodies.container_loads.iter_mut().filter(|_| due) {
            load.wrench = Wrench::default();
        }
    }

    /// True when the forces on containers are needed in this step.
    pub fn needs_container_loads(&self) -> bool {
        self.walls.loads_due && !self.bodies.container_loads.is_empty()
    }

    /// Adds to the forces on containers, where they are needed, what these are about to do to the particles in the step `dt`
    /// `[s]`, and moves none: `F = −Σ m Δv/dt`, `M = Σ x × F_i` at the places to which they bring them. `before` has position
    /// and velocity of a particle as containers find it, and a displacement by one changes the velocity at the end of the step
    /// by `rate` `[1/s]` times itself. The loop that moves particles has no part in it, and keeps its bits and its time.
    pub fn add_container_loads(
        &mut self,
        dt: f64,
        rate: f64,
        before: impl Fn(&Self, usize) -> ([Real; D], [Real; D]) + Sync,
    ) {
        if !self.needs_container_loads() {
            return;
        }
        let mut loads = take(&mut self.bodies.container_loads);
        let state = &*self;
        for load in &mut loads {
            let (container, earlier) =
                (&state.containers[load.container], &state.containers[..load.container]);
            let given = parallel::blocks(state.fluid.len(), (), |range, ()| {
                let mut given = Wrench::default();
                for i in range {
                    let (mut x, mut v) = before(state, i);
                    for earlier in earlier {
                        earlier.collide(&mut x, &mut v);
                    }
                    let (x_0, v_0) = (x, v);
                    if container.collide(&mut x, &mut v) {
                        let moved = |a: usize| f64::from(x[a]) - f64::from(x_0[a]);
                        let dv = each(|a| f64::from(v[a]) - f64::from(v_0[a]) + rate * moved(a));
                        given.add(&dv, &x.map(f64::from));
                    }
                }
                given
            });
            load.wrench.react(&given, f64::from(state.rest.m) / dt);
        }
        self.bodies.container_loads = loads;
    }

    /// True when the forces on samples are needed in this step: those of bodies always, those of walls where they are due.
    pub fn needs_reactions(&self) -> bool {
        !self.bodies.is_empty() || (self.walls.loads_due && !self.bodies.loads.is_empty())
    }

    /// The largest acceleration from outside: that of gravity, or with a central force the largest on a particle, `[m/s²]`.
    pub fn max_outer_acceleration(&self) -> f64 {
        let size2 = |a: [Real; D]| a.iter().map(|a| f64::from(a * a)).sum::<f64>();
        if self.forces.central.is_none() {
            return size2(self.forces.gravity).sqrt();
        }
        let Max(a2) = parallel::blocks(self.fluid.len(), (), |range, ()| {
            Max(range.map(|i| size2(self.forces.acceleration(self.fluid.position(i)))).fold(0.0, f64::max))
        });
        a2.sqrt()
    }

    /// Extent of the fluid along gravity, and a spacing for the half particles at both ends; 0 without gravity, `[m]`.
    pub fn height(&self) -> Real {
        self.extent(&self.fluid.x)
    }

    /// The same of the walls, `[m]`.
    pub fn height_of_walls(&self) -> Real {
        self.extent(&self.walls.x)
    }

    /// The direction against gravity, if there is any.
    fn up(&self) -> Option<[Real; D]> {
        let g = self.forces.gravity;
        let size = g.iter().map(|g| g * g).sum::<Real>().sqrt();
        (size != 0.0).then(|| each(|a| -g[a] / size))
    }

    /// Height of a place from the origin; 0 without gravity, `[m]`.
    pub fn height_at(&self, x: [Real; D]) -> Real {
        self.up().map_or(0.0, |up| (0..D).map(|a| up[a] * x[a]).sum())
    }

    fn extent(&self, x: &[Vec<Real>; D]) -> Real {
        let Some(up) = self.up() else { return 0.0 };
        let heights = (0..x[0].len()).map(|i| (0..D).map(|a| up[a] * x[a][i]).sum::<Real>());
        let (low, high) =
            heights.fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
        high - low + self.rest.spacing
    }

    /// A hash of all raw bits: equal for equal histories, whatever the number of threads.
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv::default();
        self.fluid.id.iter().for_each(|&id| hash.add(id));
        for a in 0..D {
            hash.reals(&self.fluid.x[a]);
            hash.reals(&self.fluid.v[a]);
            hash.reals(&self.walls.x[a]);
            hash.reals(&self.walls.v[a]);
        }
        hash.reals(&self.fluid.rho);
        self.bodies.clone().numbers(&mut |_, number| hash.add(number.to_bits()));
        hash.add(self.t.to_bits());
        hash.add(self.step);
        hash.0
    }
}

impl<const D: usize> Points<D> for State<D> {
    fn fluid(&self) -> &[Vec<Real>; D] {
        &self.fluid.x
    }

    fn walls(&self) -> &[Vec<Real>; D] {
        &self.walls.x
    }

    fn fluid_ids(&self) -> &[u64] {
        &self.fluid.id
    }

    fn wall_ids(&self) -> &[u64] {
        &self.walls.id
    }

    fn walls_move(&self) -> bool {
        self.walls.is_moving()
    }

    fn walls_are_loaded(&self) -> bool {
        self.needs_reactions()
    }

    fn permute_fluid(&mut self, order: &[u32], scratch: &mut Scratch) {
        self.fluid.permute(order, scratch);
    }

    fn permute_walls(&mut self, order: &[u32], scratch: &mut Scratch) {
        self.walls.permute(order, scratch);
    }
}

/// FNV-1a over words.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x100_0000_01b3);
    }

    fn reals(&mut self, values: &[Real]) {
        values.iter().for_each(|x| self.add(x.to_bits() as u64));
    }
}
