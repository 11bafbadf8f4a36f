//! A method as ranks know it: without the types of its crate, so that all that ranks do is compiled here, and not with each
//! method again.

use crate::{
    Real,
    error::Error,
    method::{
        solver::{Memory, Solver},
        state::State,
        stopwatch::Clock,
    },
    numerics::lane::Isa,
    run::method::{Method, Shell},
    scene::{Parameters as _, Scene},
};

/// The method of one rank.
pub trait Member<const D: usize>: Solver<D> {
    /// As [`Method::shell`].
    fn shell(&self) -> &Shell<D>;

    /// As [`Method::shell_mut`].
    fn shell_mut(&mut self) -> &mut Shell<D>;

    /// As [`Method::memory`].
    fn own_memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>));

    /// As [`Method::numbers`].
    fn own_numbers(&mut self, visit: &mut dyn FnMut(&mut f64));

    /// As [`Method::field_mut`].
    fn field_mut(&mut self, name: &str) -> Option<&mut Vec<Real>>;

    /// As [`Method::restored`].
    fn own_restored(&mut self, state: &State<D>);

    /// As [`Method::CELLS_A_BLOCK`].
    fn cells_a_block(&self) -> i32;

    /// As [`Method::refuses_ranks`], with one of its parameters changed where one is given.
    ///
    /// # Errors
    /// When the changed parameter is refused on one rank, too.
    fn refuses_ranks(
        &self,
        change: Option<(&str, &toml::Value)>,
    ) -> Result<Option<(&'static str, &'static str)>, Error>;
}

/// As [`Method::of_scene`].
pub type Make<const D: usize> =
    fn(&Scene, Isa, Box<dyn Clock>) -> Result<(State<D>, Box<dyn Member<D>>), Error>;

/// The first state of a scene, and the method for it.
///
/// # Errors
/// Those of [`Method::of_scene`].
pub fn make<const D: usize, M: Method<D>>(
    scene: &Scene,
    isa: Isa,
    clock: Box<dyn Clock>,
) -> Result<(State<D>, Box<dyn Member<D>>), Error> {
    let (state, method) = M::of_scene(scene, isa, clock)?;
    Ok((state, Box::new(method)))
}

impl<const D: usize, M: Method<D>> Member<D> for M {
    fn shell(&self) -> &Shell<D> {
        Method::shell(self)
    }

    fn shell_mut(&mut self) -> &mut Shell<D> {
        Method::shell_mut(self)
    }

    fn own_memory(&mut self, visit: &mut dyn FnMut(&'static str, Memory<'_>)) {
        Method::memory(self, visit);
    }

    fn own_numbers(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        Method::numbers(self, visit);
    }

    fn field_mut(&mut self, name: &str) -> Option<&mut Vec<Real>> {
        Method::field_mut(self, name)
    }

    fn own_restored(&mut self, state: &State<D>) {
        Method::restored(self, state);
    }

    fn cells_a_block(&self) -> i32 {
        M::CELLS_A_BLOCK
    }

    fn refuses_ranks(
        &self,
        change: Option<(&str, &toml::Value)>,
    ) -> Result<Option<(&'static str, &'static str)>, Error> {
        Ok(match change {
            None => M::refuses_ranks(self.params()),
            Some((name, value)) => M::refuses_ranks(&self.params().changed(name, value)?),
        })
    }
}
