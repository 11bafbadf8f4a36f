//! The methods: what scenes call them, and their parameters.

use cuda_kernels::common::run::entry::Entry;
use sph_core::{
    error::{Error, either},
    scene::Scene,
};

/// All methods; the first is that of scenes which name none.
pub static SOLVERS: &[&Entry] =
    &[&solver_wcsph::METHOD, &solver_pbf::METHOD, &solver_viscoelastic::METHOD, &solver_projection::METHOD];

/// The method of a scene.
///
/// # Errors
/// When there is none of that name.
pub fn solver_of(scene: &Scene) -> Result<&'static Entry, Error> {
    let Some(name) = scene.solver.name() else { return Ok(SOLVERS[0]) };
    SOLVERS.iter().copied().find(|solver| solver.name == name).ok_or_else(|| {
        let known = SOLVERS.iter().map(|solver| format!("{:?}", solver.name)).collect::<Vec<_>>();
        let error = Error::invalid("solver.name", "is no solver").value(format!("{name:?}"));
        scene.locate(error.hint(format!("use {}", either(&known))))
    })
}

/// The methods, by what a case has to give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Weakly compressible SPH.
    Wcsph,
    /// Position Based Fluids.
    Pbf,
    /// Viscoelastic fluid by double density relaxation.
    Viscoelastic,
    /// Variational pressure projection on staggered particles.
    Projection,
}

impl Method {
    /// All of them, in the order of [`SOLVERS`].
    const ALL: [Self; 4] = [Self::Wcsph, Self::Pbf, Self::Viscoelastic, Self::Projection];

    /// What scenes call it.
    pub fn name(self) -> &'static str {
        SOLVERS[self as usize].name
    }

    /// The method of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}
