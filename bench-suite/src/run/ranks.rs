//! Runs on several ranks.

#[cfg(feature = "mpi")]
use crate::system::mpi::World;
use crate::{
    scenes::methods::solver_of,
    system::{clock::SystemClock, processor::Processor, ranks::Ranks},
};
#[cfg(feature = "mpi")]
use sph_core::method::failure::Lost;
use sph_core::{
    error::Error,
    numerics::lane::Isa,
    run::{
        ranks::{
            Start,
            transport::{Threads, Transport},
        },
        simulation::Simulation,
    },
    scene::Scene,
};
use std::{thread, time::Duration};

/// The run of a scene on the ranks of a processor, each with as many threads as this call has.
///
/// # Errors
/// When the method refuses the scene, or has no ranks; when there are more ranks than cells with particles.
pub fn simulation<const D: usize>(scene: &Scene, processor: &Processor) -> Result<Simulation<D>, Error> {
    let (isa, method) = (processor.isa, solver_of(scene)?);
    let copy = scene.clone();
    let size = processor.ranks.count();
    let start: Box<dyn FnOnce() -> Result<Box<dyn Transport>, Error>> = match processor.ranks.clone() {
        Ranks::Threads { count, patience } => Box::new(move || start_threads(copy, isa, count, patience)),
        #[cfg(feature = "mpi")]
        Ranks::Processes(world) => Box::new(move || start_processes(&copy, &world)),
    };
    method.lead(scene, isa, Box::new(SystemClock::default()), Start { size, start })
}

fn start_threads(
    scene: Scene,
    isa: Isa,
    count: usize,
    patience: Duration,
) -> Result<Box<dyn Transport>, Error> {
    let method = solver_of(&scene)?;
    let mut ranks = Threads::ranks(count, patience);
    let threads = rayon::current_num_threads();
    for rank in ranks.split_off(1) {
        let (scene, name) = (scene.clone(), format!("rank {}", rank.rank()));
        let follow = move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
            // What it cannot do ends its messages, which the first rank sees.
            pool.install(|| method.follow(&scene, isa, Box::new(rank))).ok()
        };
        let spawned = thread::Builder::new().name(name).spawn(follow);
        spawned.map_err(|error| Error::new(format!("cannot start a thread for a rank: {error}")))?;
    }
    Ok(Box::new(ranks.remove(0)))
}

/// The other processes [`serve`]: they take the scene.
#[cfg(feature = "mpi")]
fn start_processes(scene: &Scene, world: &World) -> Result<Box<dyn Transport>, Error> {
    let text = super::resolved(scene)?;
    let mut transport = world.transport()?;
    for to in 1..transport.size() {
        transport.send(to, text.clone().into_bytes()).map_err(lost)?;
    }
    Ok(Box::new(transport))
}

/// Does what the first rank wants of another process, run for run, until the program ends: on the threads of this call where
/// they are `given`, else on those that a scene asks for.
///
/// # Errors
/// When a run is refused here and was not there, or the first rank is gone.
#[cfg(feature = "mpi")]
pub fn serve(world: &World, isa: Isa, given: bool) -> Result<(), Error> {
    loop {
        let text = world.transport()?.receive(0, None).map_err(lost)?;
        if text.is_empty() {
            return Ok(());
        }
        let text = String::from_utf8(text).map_err(|_| lost(Lost::Garbled(0)))?;
        let scene = Scene::parse("scene of rank 0", &text)?;
        let (method, transport) = (solver_of(&scene)?, Box::new(world.transport()?));
        match scene.run.threads.filter(|_| !given) {
            None => method.follow(&scene, isa, transport)?,
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build();
                let pool = pool.map_err(|error| Error::new(error.to_string()))?;
                pool.install(|| method.follow(&scene, isa, transport))?;
            }
        }
    }
}

/// Tells the other processes that the program ends.
#[cfg(feature = "mpi")]
pub fn dismiss(world: &World) {
    // A run that is still there ends first, or has with a failure of this rank.
    let Ok(mut transport) = world.transport() else { world.abort() };
    for to in 1..transport.size() {
        // Who is gone need not know.
        let _ = transport.send(to, Vec::new());
    }
}

#[cfg(feature = "mpi")]
fn lost(lost: Lost) -> Error {
    Error::new(lost.to_string())
}
