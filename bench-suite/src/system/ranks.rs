//! Among whom the particles of a run are shared out.

#[cfg(feature = "mpi")]
use super::mpi::World;
#[cfg(feature = "mpi")]
use std::sync::Arc;
use std::{env, time::Duration};

/// The ranks of a run.
#[derive(Clone, Debug)]
pub enum Ranks {
    /// Threads of this process.
    Threads {
        /// How many.
        count: usize,
        /// How long one may leave another waiting in a step.
        patience: Duration,
    },
    /// The processes of an MPI program.
    #[cfg(feature = "mpi")]
    Processes(Arc<World>),
}

impl Default for Ranks {
    fn default() -> Self {
        Self::Threads { count: 1, patience: Duration::MAX }
    }
}

impl Ranks {
    /// How many.
    pub fn count(&self) -> usize {
        match self {
            Self::Threads { count, .. } => *count,
            #[cfg(feature = "mpi")]
            Self::Processes(world) => world.size(),
        }
    }
}

/// Processes that a launcher of MPI programs has started together with this one, itself included.
pub fn launched() -> usize {
    said(&["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"])
}

/// True for the first of them.
pub fn is_first() -> bool {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"];
    launched() < 2 || names.iter().find_map(|name| env::var(name).ok()).is_none_or(|rank| rank == "0")
}

/// Those of them on this machine, where the launcher tells.
pub fn on_this_machine() -> usize {
    if launched() > 1 { said(&["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"]) } else { 1 }
}

/// The number in the first of some variables of the environment that is there; 1 without.
fn said(names: &[&str]) -> usize {
    names.iter().find_map(|name| env::var(name).ok()?.parse().ok()).unwrap_or(1)
}
