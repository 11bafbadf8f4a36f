//! A method as programs know it: by name, with everything that its crate compiles for two and three dimensions.

use crate::device::executor::Executor;
use sph_core::{
    error::Error,
    keys::schemars::Schema,
    method::stopwatch::Clock,
    numerics::lane::Isa,
    run::{
        ranks::{Start, transport::Transport},
        simulation::Simulation,
    },
    scene::{Counts, Scene, SolverSettings},
    watch::plan::MemoryPlan,
};
use std::sync::Arc;

/// Makes a run on the CPU.
pub type OnCpu<const D: usize> = fn(&Scene, Isa, Box<dyn Clock>) -> Result<Simulation<D>, Error>;
/// Makes a run whose steps run on an executor.
pub type OnExecutor<const D: usize> =
    fn(&Scene, Arc<dyn Executor>, Box<dyn Clock>) -> Result<Simulation<D>, Error>;

/// Makes a run on several ranks, as the first of them.
pub type OnRanks<const D: usize> = fn(&Scene, Isa, Box<dyn Clock>, Start) -> Result<Simulation<D>, Error>;
/// Does what the first rank of a run wants of another one.
pub type Follower = fn(&Scene, Isa, Box<dyn Transport>) -> Result<(), Error>;

/// One method. A row of the list that programs have, made by [`entry!`](crate::entry).
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// `solver.name`.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Values of `solver.preset`, the default first.
    pub presets: fn() -> Vec<&'static str>,
    /// Schema of its parameters.
    pub schema: fn() -> Schema,
    /// Those that cannot change in a run.
    pub fixed: &'static [&'static str],
    /// Source of its step.
    pub listing: &'static str,
    /// Writes out all parameters of a scene.
    pub resolve: fn(&Scene, &mut SolverSettings) -> Result<(), Error>,
    /// The memory that a run of so many points needs on so many threads.
    pub memory: fn(&Scene, Counts, usize) -> Result<MemoryPlan, Error>,
    /// The memory of a GPU that it needs.
    pub gpu_memory: fn(&Scene, Counts) -> Result<MemoryPlan, Error>,
    #[doc(hidden)]
    pub on_cpu: (OnCpu<2>, OnCpu<3>),
    #[doc(hidden)]
    pub on_gpu: (OnExecutor<2>, OnExecutor<3>),
    #[doc(hidden)]
    pub on_ranks: (OnRanks<2>, OnRanks<3>),
    #[doc(hidden)]
    pub followers: (Follower, Follower),
}

impl Entry {
    /// A run of the scene on the CPU.
    ///
    /// # Errors
    /// When the scene or the solver's parameters are refused.
    pub fn simulation<const D: usize>(
        &self,
        scene: &Scene,
        isa: Isa,
        clock: Box<dyn Clock>,
    ) -> Result<Simulation<D>, Error> {
        let (two, three) = self.on_cpu;
        Simulation::of_dimension(clock, |clock| two(scene, isa, clock), |clock| three(scene, isa, clock))
    }

    /// A run of the scene on several ranks, as the first of them; `start` makes each other one [`follow`](Entry::follow).
    ///
    /// # Errors
    /// When the scene or the solver's parameters are refused, or there are too many ranks.
    pub fn lead<const D: usize>(
        &self,
        scene: &Scene,
        isa: Isa,
        clock: Box<dyn Clock>,
        start: Start,
    ) -> Result<Simulation<D>, Error> {
        let input = (clock, start);
        let (two, three) = self.on_ranks;
        Simulation::of_dimension(
            input,
            |(clock, start)| two(scene, isa, clock, start),
            |(clock, start)| three(scene, isa, clock, start),
        )
    }

    /// Does what the first rank of a run wants of another one, until the run is over.
    ///
    /// # Errors
    /// When the scene or the solver's parameters are refused, or another rank is gone.
    pub fn follow(&self, scene: &Scene, isa: Isa, transport: Box<dyn Transport>) -> Result<(), Error> {
        let (two, three) = self.followers;
        if scene.dim == 2 { two(scene, isa, transport) } else { three(scene, isa, transport) }
    }

    /// A run of the scene whose steps run on `executor`.
    ///
    /// # Errors
    /// When the scene or the solver's parameters are refused.
    pub fn simulation_on<const D: usize>(
        &self,
        scene: &Scene,
        executor: Arc<dyn Executor>,
        clock: Box<dyn Clock>,
    ) -> Result<Simulation<D>, Error> {
        let input = (executor, clock);
        let (two, three) = self.on_gpu;
        Simulation::of_dimension(
            input,
            |(on, clock)| two(scene, on, clock),
            |(on, clock)| three(scene, on, clock),
        )
    }
}

/// The [`Entry`] of a method that is generic over its dimension, and the functions that make its runs. It is a `static`: its
/// functions are then compiled into the crate of the method, and not, as those of a constant, into what uses it.
#[macro_export]
macro_rules! entry {
    ($Method:ident, $about:literal) => {
        /// The method as programs know it.
        pub static METHOD: $crate::common::run::entry::Entry = {
            use sph_core::scene::Parameters as _;
            type Params = <$Method<2> as sph_core::run::method::Method<2>>::Params;
            $crate::common::run::entry::Entry {
                name: Params::METHOD,
                about: $about,
                presets: || Params::PRESETS.iter().map(|preset| preset.0).collect(),
                schema: || sph_core::keys::schemars::schema_for!(Params),
                fixed: Params::FIXED,
                listing: include_str!("step.rs"),
                resolve: |scene, settings| settings.resolve(&Params::of_scene(scene)?),
                memory: |scene, counts, threads| match scene.dim {
                    2 => sph_core::run::method::memory::<2, $Method<2>>(scene, counts, threads),
                    _ => sph_core::run::method::memory::<3, $Method<3>>(scene, counts, threads),
                },
                gpu_memory: |scene, counts| match scene.dim {
                    2 => $crate::common::run::plan::memory::<2, $Method<2>>(scene, counts),
                    _ => $crate::common::run::plan::memory::<3, $Method<3>>(scene, counts),
                },
                on_cpu: (
                    sph_core::run::method::simulation::<2, $Method<2>>,
                    sph_core::run::method::simulation::<3, $Method<3>>,
                ),
                on_gpu: (
                    $crate::common::run::simulation::<2, $Method<2>>,
                    $crate::common::run::simulation::<3, $Method<3>>,
                ),
                on_ranks: (
                    sph_core::run::ranks::lead::<2, $Method<2>>,
                    sph_core::run::ranks::lead::<3, $Method<3>>,
                ),
                followers: (
                    sph_core::run::ranks::follow::<2, $Method<2>>,
                    sph_core::run::ranks::follow::<3, $Method<3>>,
                ),
            }
        };

        /// A run of the scene on the CPU, in two or three dimensions.
        ///
        /// # Errors
        /// When the scene or the solver's parameters are refused.
        pub fn simulation<const D: usize>(
            scene: &sph_core::scene::Scene,
            isa: sph_core::numerics::lane::Isa,
            clock: Box<dyn sph_core::method::stopwatch::Clock>,
        ) -> Result<sph_core::run::simulation::Simulation<D>, sph_core::error::Error> {
            METHOD.simulation(scene, isa, clock)
        }
    };
}
