//! The particles of one rank, and the method that advances them.

use super::{
    exchange::{PerParticle, Ranks},
    links::Links,
    order::Step,
    pieces::{put_kept, take_kept, take_piece},
};
use crate::{
    error::Error,
    fluid::particles::Particles,
    method::{
        failure::{Lost, StepError},
        report::StepReport,
        state::State,
        stopwatch::Clock,
    },
    numerics::lane::Isa,
    run::method::Method,
    scene::Scene,
};

pub struct Part<const D: usize, M> {
    pub state: State<D>,
    pub method: M,
}

impl<const D: usize, M: Method<D>> Part<D, M> {
    /// That of a scene, without particles.
    pub fn of_scene(scene: &Scene, isa: Isa, clock: Box<dyn Clock>, links: Links) -> Result<Self, Error> {
        let (mut state, mut method) = M::of_scene(scene, isa, clock)?;
        state.fluid = Particles::default();
        method.shell_mut().ranks = Some(Box::new(Ranks::new(links)));
        Ok(Self { state, method })
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
        let done = self.method.advance(&mut self.state, order.dt);
        if done.is_err() {
            self.links().fail();
            let mut kept = take_kept(&mut self.method, true);
            let fields = kept.iter_mut().map(|field| field as &mut dyn PerParticle);
            self.method.shell_mut().drop_ghosts(&mut self.state, fields);
            put_kept(&mut self.method, kept, true);
        }
        done
    }

    /// Takes its piece of a state.
    pub fn load(&mut self, piece: &[u8]) -> Result<(), Lost> {
        let place = [self.links().rank(), self.links().size()];
        take_piece(piece, &mut self.state, &mut self.method, place).ok_or(Lost::Garbled(0))?;
        self.ranks().forget();
        Ok(())
    }
}
