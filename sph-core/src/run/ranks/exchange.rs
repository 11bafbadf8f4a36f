//! Particles that go over to other ranks, and copies of those around.

use super::{
    links::Links,
    plan::Plan,
    wire::{Reader, put, put_all, put_at},
};
use crate::{
    Real, compiled_here,
    fluid::particles::Particles,
    method::failure::Lost,
    neighbors::{Neighbors, Share},
    numerics::{field::Scratch, parallel},
};
use bytemuck::Pod;

/// A set of points, of which some are of other ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointSet {
    /// The particles of the fluid.
    Fluid,
    /// The wall samples, which every rank holds all of.
    Walls,
}

/// A field with one entry a particle, and perhaps one more.
pub trait PerParticle {
    /// Keeps the entries at `places`, of those of `n` particles, through `scratch`. One that has fewer is not in use.
    fn keep(&mut self, n: usize, places: &[u32], scratch: &mut Vec<Real>);
}

impl<T: Pod + Send + Sync> PerParticle for Vec<T> {
    fn keep(&mut self, n: usize, places: &[u32], scratch: &mut Vec<Real>) {
        if self.len() < n {
            return;
        }
        let size = places.len() * (size_of::<T>() / size_of::<Real>());
        scratch.resize(size.max(scratch.len()), 0.0);
        let kept: &mut [T] = bytemuck::cast_slice_mut(&mut scratch[..size]);
        parallel::blocks(places.len(), &mut *kept, |range, kept: &mut [T]| {
            for (kept, &i) in kept.iter_mut().zip(&places[range]) {
                *kept = self[i as usize];
            }
        });
        self.truncate(places.len());
        parallel::blocks(places.len(), &mut self[..], |range, to: &mut [T]| to.copy_from_slice(&kept[range]));
    }
}

/// What a rank knows of the others.
#[derive(Debug)]
pub struct Ranks<const D: usize> {
    /// The way to them.
    pub links: Links,
    fluid: Plan,
    walls: Plan,
    walls_planned: bool,
    /// Places of its own particles while ghosts stand among them, and of these.
    owned: Vec<u32>,
    ghosts: Vec<u32>,
    has_ghosts: bool,
    /// The ranks that the last import has exchanged particles with, and the ids of those that each of them got.
    left: Vec<(usize, Vec<u64>)>,
    /// Number of its own particles at the last import.
    own: usize,
    /// Particles of all ranks.
    total: u64,
    scratch: Scratch,
    reals: Vec<Real>,
}

impl<const D: usize> Ranks<D> {
    /// A rank without particles.
    pub fn new(links: Links) -> Self {
        let ((fluid, walls), (scratch, reals)) = Default::default();
        Self {
            scratch,
            reals,
            links,
            fluid,
            walls,
            walls_planned: false,
            owned: Vec::new(),
            ghosts: Vec::new(),
            has_ghosts: false,
            left: Vec::new(),
            own: 0,
            total: 0,
        }
    }

    /// Particles and their owners have been changed between steps.
    pub fn forget(&mut self) {
        (self.walls_planned, self.has_ghosts) = (false, false);
        self.ghosts.clear();
    }

    /// Brings particles to the ranks that own their cells, and ghosts from those beside. Fields of the method in `carried` go
    /// with their particles; those of ghosts are 0.
    ///
    /// # Errors
    /// When a rank is gone, or its step has failed.
    pub fn import(
        &mut self,
        share: &Share<D>,
        fluid: &mut Particles<D>,
        carried: &mut [&mut Vec<Real>],
    ) -> Result<(), Lost> {
        self.migrate(share, fluid, carried)?;
        let (own, near) = (fluid.len(), outside_of(share.inner_box(), fluid));
        let mut sends = vec![Vec::new(); share.beside.len()];
        for i in near {
            let at = share.partition.frame.cell(fluid.position(i as usize));
            for (k, send) in sends.iter_mut().enumerate() {
                if share.reaches_beside(k, at) {
                    send.push(i);
                }
            }
        }
        let messages: Vec<_> = sends.iter().map(|send| packed(fluid, &[], send)).collect();
        self.links.exchange(&share.beside, messages, |reader| unpack(reader, fluid, &mut []))?;
        carried
            .iter_mut()
            .filter(|field| field.len() == own)
            .for_each(|field| field.resize(fluid.len(), 0.0));
        self.own = own;
        Ok(())
    }

    /// Sends the ranks to which particles have gone over in the last import what `give` has for their ids, and returns what came.
    ///
    /// # Errors
    /// When a rank is gone, or its step has failed.
    pub fn hand_over(&mut self, give: impl Fn(&[u64]) -> Vec<Real>) -> Result<Vec<Real>, Lost> {
        let (mut messages, mut came) = (Vec::new(), Vec::new());
        for (_, ids) in &self.left {
            let mut message = Vec::new();
            put_all(&mut message, &give(ids));
            messages.push(message);
        }
        let peers: Vec<usize> = self.left.iter().map(|(to, _)| *to).collect();
        self.links.exchange(&peers, messages, |reader| {
            came.extend(reader.all::<Real>()?);
            Some(())
        })?;
        Ok(came)
    }

    /// Drops the ghosts that have come last, where the search that would have sorted them has failed.
    pub fn send_ghosts_back(&self, fluid: &mut Particles<D>) {
        fluid.keep(&(0..self.own as u32).collect::<Vec<_>>());
    }

    /// Sends the particles whose cells are of other ranks to these, and takes those that come.
    fn migrate(
        &mut self,
        share: &Share<D>,
        fluid: &mut Particles<D>,
        carried: &mut [&mut Vec<Real>],
    ) -> Result<(), Lost> {
        compiled_here!(
            D,
            Ranks::send_leaving
                as fn(&mut Ranks<D>, &Share<D>, &mut Particles<D>, &mut [&mut Vec<Real>]) -> Result<(), Lost>
        )(self, share, fluid, carried)
    }

    fn send_leaving(
        &mut self,
        share: &Share<D>,
        fluid: &mut Particles<D>,
        carried: &mut [&mut Vec<Real>],
    ) -> Result<(), Lost> {
        let mut leaving = vec![Vec::new(); self.links.size()];
        let mut outside = outside_of(share.inner_box(), fluid);
        outside.retain(|&i| {
            let at = share.partition.frame.cell(fluid.position(i as usize));
            let leaves = !share.owns(at);
            if leaves {
                leaving[share.partition.owner(at)].push(i);
            }
            leaves
        });
        // They come to a rank beside this one, unless something has thrown them over it.
        let is_far = |&to: &usize| !leaving[to].is_empty() && share.beside.binary_search(&to).is_err();
        let mut sums = [u64::from((0..leaving.len()).any(|to| is_far(&to))), fluid.len() as u64];
        self.links.all_reduce_each(&mut sums, |a, b| a + b)?;
        self.total = sums[1];
        let peers = match sums[0] {
            0 => share.beside.clone(),
            _ => (0..leaving.len()).filter(|&to| to != share.rank).collect(),
        };
        let ids = |to: usize| leaving[to].iter().map(|&i| fluid.id[i as usize]).collect();
        self.left = peers.iter().map(|&to| (to, ids(to))).collect();
        let fields: Vec<&[Real]> = carried.iter().map(|field| field.as_slice()).collect();
        let messages: Vec<_> = peers.iter().map(|&to| packed(fluid, &fields, &leaving[to])).collect();
        // The last ones take their places: the sort that follows knows cells and ids alone.
        for i in outside.into_iter().rev() {
            fluid.swap_remove(i as usize);
            carried.iter_mut().for_each(|field| {
                field.swap_remove(i as usize);
            });
        }
        self.links.exchange(&peers, messages, |reader| unpack(reader, fluid, carried))
    }

    /// After the search: finds whose points stand where. Those of walls change only where these move.
    pub fn plan(&mut self, neighbors: &Neighbors<D>, share: &Share<D>, walls_move: bool) {
        compiled_here!(D, Ranks::find_owners as fn(&mut Ranks<D>, &Neighbors<D>, &Share<D>, bool))(
            self, neighbors, share, walls_move,
        )
    }

    fn find_owners(&mut self, neighbors: &Neighbors<D>, share: &Share<D>, walls_move: bool) {
        self.fluid.make(neighbors.cells().points(), share);
        if walls_move || !self.walls_planned {
            self.walls.make(neighbors.wall_cells().points(), share);
            self.walls_planned = true;
        }
        self.has_ghosts = true;
        self.owned.clear();
        self.ghosts.clear();
        for (at, points) in neighbors.cells().points() {
            let places = if share.owns(at) { &mut self.owned } else { &mut self.ghosts };
            places.extend(points);
        }
    }

    /// Brings to points of other ranks what their owners have, one value each.
    ///
    /// # Errors
    /// When a rank is gone, or its step has failed.
    pub fn refresh<T: Pod>(&mut self, share: &Share<D>, of: PointSet, values: &mut [T]) -> Result<(), Lost> {
        let plan = match of {
            PointSet::Fluid => &self.fluid,
            PointSet::Walls => &self.walls,
        };
        plan.refresh(&mut self.links, &share.beside, values)
    }

    /// Places of the own particles, while ghosts stand among them.
    pub fn owned(&self) -> Option<&[u32]> {
        self.has_ghosts.then_some(&self.owned)
    }

    /// Places of the ghosts, until they are dropped.
    pub fn ghosts(&self) -> &[u32] {
        &self.ghosts
    }

    /// Drops the ghosts, with their entries in `fields`; those that are not in use stay empty.
    pub fn drop_ghosts<'a>(
        &mut self,
        fluid: &mut Particles<D>,
        fields: impl IntoIterator<Item = &'a mut dyn PerParticle>,
    ) {
        if std::mem::take(&mut self.has_ghosts) {
            let before = fluid.len();
            self.ghosts.clear();
            fluid.permute(&self.owned, &mut self.scratch);
            fields.into_iter().for_each(|field| field.keep(before, &self.owned, &mut self.reals));
        }
    }

    /// Number of particles of all ranks, at the last import.
    pub fn total(&self) -> usize {
        self.total as usize
    }
}

/// The particles that are not in a box, ascending; those whose positions are not finite are among them.
fn outside_of<const D: usize>(space: [(f64, f64); D], fluid: &Particles<D>) -> Vec<u32> {
    // As many as lanes take together: mostly all of them are inside.
    const GROUP: usize = 64;
    // In the precision of the positions, and no larger.
    let up = |x: f64| if f64::from(x as Real) < x { (x as Real).next_up() } else { x as Real };
    let ends = space.map(|(low, high)| (up(low), -up(-high)));
    parallel::places_of(fluid.len(), |range, places| {
        for first in range.clone().step_by(GROUP) {
            let group = first..range.end.min(first + GROUP);
            let mut inside = [true; GROUP];
            for (x, (low, high)) in fluid.x.iter().zip(ends) {
                for (inside, &x) in inside.iter_mut().zip(&x[group.clone()]) {
                    *inside &= (x > low) & (x < high);
                }
            }
            if inside.contains(&false) {
                places.extend(group.zip(inside).filter(|(_, inside)| !inside).map(|(i, _)| i as u32));
            }
        }
    })
}

/// The particles at `places` as a message, with their fields.
pub fn packed<const D: usize>(fluid: &Particles<D>, fields: &[&[Real]], places: &[u32]) -> Vec<u8> {
    let mut message = Vec::new();
    put(&mut message, &[places.len() as u64]);
    put_at(&mut message, &fluid.id, places);
    let axes = fluid.x.iter().chain(&fluid.v).chain([&fluid.rho]).map(Vec::as_slice);
    axes.chain(fields.iter().copied()).for_each(|field| put_at(&mut message, field, places));
    message
}

/// Adds the particles of a message, and what it holds of their fields.
pub fn unpack<const D: usize>(
    reader: &mut Reader<'_>,
    fluid: &mut Particles<D>,
    fields: &mut [&mut Vec<Real>],
) -> Option<()> {
    let n = usize::try_from(reader.one::<u64>()?).ok()?;
    reader.append(n, &mut fluid.id)?;
    let axes = fluid.x.iter_mut().chain(&mut fluid.v).chain([&mut fluid.rho]);
    axes.chain(fields.iter_mut().map(|field| &mut **field)).try_for_each(|field| reader.append(n, field))
}
