//! The ranks of this program: threads of one process, or processes that a launcher has started together.

use bench_suite::system::ranks::{self, Ranks};
#[cfg(feature = "mpi")]
use bench_suite::{run::ranks as runs, system::mpi::World};
use sph_core::numerics::lane::Isa;
use std::{error::Error, process::ExitCode, time::Duration};
#[cfg(feature = "mpi")]
use {
    signal_hook::consts::{SIGHUP, SIGINT, SIGTERM},
    std::sync::Arc,
};

type Refused = Box<dyn Error + Send + Sync>;

/// Who takes part in runs.
pub struct Crew(Ranks);

impl Crew {
    /// The processes of an MPI program where this is one of several, else so many threads. In a step a rank waits for another
    /// no longer than `patience`.
    ///
    /// # Errors
    /// When a launcher has started several processes that cannot be ranks of one run.
    pub fn gather(threads: usize, patience: Duration) -> Result<Self, Refused> {
        let launched = ranks::launched();
        if launched > 1 && threads > 1 {
            return Err(format!("--ranks {threads}: {launched} processes are ranks already").into());
        }
        #[cfg(feature = "mpi")]
        if let Some(world) = World::join(patience)? {
            return Ok(Self(Ranks::Processes(Arc::new(world))));
        }
        match launched {
            0 | 1 => Ok(Self(Ranks::Threads { count: threads, patience })),
            _ => Err(format!(
                "{launched} processes were started together, and this program was built without the feature `mpi`: each would do \
                 the same; build it with --features mpi, or use --ranks {launched} in one process"
            )
            .into()),
        }
    }

    /// Does `work` on the first rank, and on the others what that wants: on the threads of this call where they are `given`,
    /// else on those that a scene asks for.
    #[cfg_attr(not(feature = "mpi"), allow(unused_variables))]
    pub fn work(
        self,
        isa: Isa,
        given: bool,
        work: impl FnOnce(&Ranks) -> Result<ExitCode, Refused>,
    ) -> Result<ExitCode, Refused> {
        #[cfg(feature = "mpi")]
        if let Ranks::Processes(world) = &self.0 {
            if world.rank() > 0 {
                return serve(world, isa, given);
            }
            let leaving = Leaving(world);
            let done = work(&self.0);
            if world.is_hung() {
                if let Err(error) = done {
                    super::print::note!("error: {error}");
                }
                world.abort();
            }
            runs::dismiss(world);
            drop(leaving);
            return done;
        }
        work(&self.0)
    }
}

/// Ends MPI; after a panic all processes, who would wait for this one.
#[cfg(feature = "mpi")]
struct Leaving<'a>(&'a World);

#[cfg(feature = "mpi")]
impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abort();
        }
        self.0.leave();
    }
}

/// Another process than the first: what it cannot do ends all. Signals are for the first one, which may still write a
/// checkpoint.
#[cfg(feature = "mpi")]
fn serve(world: &World, isa: Isa, given: bool) -> Result<ExitCode, Refused> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::default())?;
    }
    let leaving = Leaving(world);
    if let Err(error) = runs::serve(world, isa, given) {
        super::print::note!("error: rank {}: {error}", world.rank());
        world.abort();
    }
    drop(leaving);
    Ok(ExitCode::SUCCESS)
}
