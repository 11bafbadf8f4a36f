//! The particles of one rank, the method that advances them, and what it must know of all others.

use super::{
    exchange::{PerParticle, Ranks},
    links::Links,
    member::{Make, Member},
    order::Step,
    pieces::{give_some, put_kept, take_kept, take_piece},
    wire::{Reader, put},
};
use crate::{
    Real,
    error::Error,
    fluid::particles::Particles,
    geometry::shape::{Block as BlockShape, Shape},
    method::{
        failure::{Lost, StepError},
        report::StepReport,
        sample::{Marks, Search},
        solids::Flow,
        state::State,
        stopwatch::Clock,
    },
    neighbors::{Block, Partition, Share, count_blocks},
    numerics::lane::Isa,
    scene::{Fluid, Scene},
    watch::measure::Measures,
};
use std::sync::Arc;

pub struct Part<const D: usize> {
    pub state: State<D>,
    pub method: Box<dyn Member<D>>,
    /// Where measures read.
    marks: Arc<Marks<D>>,
}

impl<const D: usize> Part<D> {
    /// That of a scene, without particles.
    pub fn of_scene(
        make: Make<D>,
        scene: &Scene,
        isa: Isa,
        clock: Box<dyn Clock>,
        links: Links,
    ) -> Result<Self, Error> {
        let (mut state, mut method) = make(scene, isa, clock)?;
        state.fluid = Particles::default();
        method.shell_mut().ranks = Some(Box::new(Ranks::new(links)));
        let marks = Measures::of(scene, &state, &*method)?.wanted(f64::NAN).marks;
        Ok(Self { state, method, marks })
    }

    /// The way to the others.
    pub fn links(&mut self) -> &mut Links {
        &mut self.ranks().links
    }

    fn ranks(&mut self) -> &mut Ranks<D> {
        let ranks = self.method.shell_mut().ranks.as_deref_mut();
        ranks.unwrap_or_else(|| unreachable!("a part is made with them, and nothing takes them away"))
    }

    /// Does a step together with the others. Where it fails, they get to know.
    pub fn step(&mut self, order: &Step<D>) -> Result<StepReport, StepError> {
        (self.state.t, self.state.step) = (order.t, order.step);
        self.state.forces.gravity = order.gravity;
        self.state.begin_loads(order.loads_due);
        self.method.shell_mut().report = StepReport::default();
        self.links().begin();
        let done = self.method.step(&mut self.state, order.dt);
        if done.is_err() {
            self.links().fail();
            let mut kept = take_kept(&mut *self.method, true);
            let fields = kept.iter_mut().map(|field| field as &mut dyn PerParticle);
            self.method.shell_mut().drop_ghosts(&mut self.state, fields);
            put_kept(&mut *self.method, kept, true);
        }
        done
    }

    /// Its particles that are looked for.
    pub fn find(&self, search: &dyn Search<D>) -> Vec<u8> {
        give_some(&self.state, &*self.method, &search.places(&self.state), &[])
    }

    /// Its particles near some places of measures, with fields of the method.
    pub fn pick<'a>(&self, places: u32, fields: impl Iterator<Item = &'a str>) -> Vec<u8> {
        let fields: Vec<_> = fields.map(|name| self.method.field(name).unwrap_or(&[])).collect();
        let near = self.marks.near(places, &self.state.fluid);
        give_some(&self.state, &*self.method, &near, &fields)
    }

    /// Finds a new cut of the cells by the particles of all ranks. Where these have become too few for one, the old one stays.
    pub fn cut(&mut self) -> Result<(), Lost> {
        let [rank, size] = [self.links().rank(), self.links().size()];
        let (fluid, frame) = (&self.state.fluid, self.method.shell().neighbors.cells().frame);
        let blocks = count_blocks(
            (0..fluid.len()).map(|i| frame.cell(fluid.position(i))),
            self.method.cells_a_block(),
        );
        let words = |(at, n): Block<D>| at.into_iter().chain([n as i32]);
        self.links().begin();
        let all = self.links().all_gather(&blocks.into_iter().flat_map(words).collect::<Vec<i32>>())?;
        let block = |words: &[i32]| (std::array::from_fn(|a| words[a]), words[D] as u32);
        let blocks = all.chunks_exact(D + 1).map(block).collect();
        if let Ok(partition) = Partition::of_blocks(frame, blocks, size, self.method.cells_a_block()) {
            self.method.shell_mut().neighbors.share = Some(Share::new(partition, rank));
            self.ranks().forget();
        }
        Ok(())
    }

    /// Takes its piece of a state.
    pub fn load(&mut self, piece: &[u8]) -> Result<(), Lost> {
        let place = [self.links().rank(), self.links().size()];
        take_piece(piece, &mut self.state, &mut *self.method, place).ok_or(Lost::Garbled(0))?;
        self.ranks().forget();
        Ok(())
    }
}

/// What the other ranks must know of the first state before they get their parts: that of the whole fluid on which constants of
/// a method depend. So no rank but the first makes all particles.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline<const D: usize> {
    /// The kind of the flow, where the method has found one.
    flow: Option<Flow>,
    /// The particles at the ends of the fluid.
    ends: Vec<[Real; D]>,
}

impl<const D: usize> Outline<D> {
    /// The particles that lie farthest along each axis and along gravity, both ways, and from the center of the central force.
    pub fn of(state: &State<D>, flow: Option<Flow>) -> Self {
        let mut ends = Vec::new();
        let mut add_last = |height: &dyn Fn([Real; D]) -> f64| {
            let all = (0..state.fluid.len()).map(|i| state.fluid.position(i));
            ends.extend(all.max_by(|a, b| height(*a).total_cmp(&height(*b))));
        };
        for a in 0..D {
            add_last(&|x| f64::from(x[a]));
            add_last(&|x| -f64::from(x[a]));
        }
        add_last(&|x| f64::from(state.height_at(x)));
        add_last(&|x| -f64::from(state.height_at(x)));
        if let Some((center, _)) = state.forces.central {
            add_last(&|x| (0..D).map(|a| f64::from(x[a] - center[a]).powi(2)).sum());
        }
        ends.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        ends.dedup();
        Self { flow, ends }
    }

    /// The scene with these particles alone, from which a method gets the constants that it has with all.
    pub fn apply(&self, scene: &Scene) -> Scene {
        let mut scene = scene.clone();
        scene.flow = scene.flow.or(self.flow);
        if self.ends.is_empty() {
            return scene;
        }
        let end = |a: usize, sign: f64| {
            let along = self.ends.iter().map(|x| sign * f64::from(x[a])).fold(f64::NEG_INFINITY, f64::max);
            sign * (along + scene.spacing)
        };
        let corner = |sign| (0..D).map(|a| end(a, sign)).collect();
        let all = Shape::Block(BlockShape { min: corner(-1.0), max: corner(1.0) });
        let places: Vec<_> = self.ends.iter().map(|x| x.map(f64::from)).collect();
        scene.fluid = vec![Fluid::at(all, &places)];
        scene
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let flow = self.flow.map_or(0, |flow| 1 + flow as u64);
        put(&mut bytes, &[flow, self.ends.len() as u64]);
        self.ends.iter().for_each(|x| put(&mut bytes, x));
        bytes
    }

    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let flow = match reader.one::<u64>()? {
            0 => None,
            code => Some(*[Flow::FreeSurface, Flow::Closed].get(code as usize - 1)?),
        };
        let (n, mut flat) = (reader.one::<u64>()? as usize, Vec::new());
        reader.append(n.checked_mul(D)?, &mut flat)?;
        let ends = flat.chunks_exact(D).map(|x| std::array::from_fn(|a| x[a])).collect();
        reader.is_empty().then_some(Self { flow, ends })
    }
}
