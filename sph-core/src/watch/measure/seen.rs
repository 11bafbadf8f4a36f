//! What readers see: all of a run whose particles are on the host, of another what its method has picked.

use super::totals;
use crate::{
    Real,
    fluid::particles::Particles,
    method::{
        observer::View,
        sample::{BlockSums, Picked},
    },
};

/// A run at the moment of a sample.
pub(super) struct Seen<'a, const D: usize> {
    /// Its state, without the particles where some were picked.
    pub view: &'a View<'a, D>,
    /// What was picked; `None` when all particles are on the host.
    pub picked: Option<&'a Picked<D>>,
}

impl<'a, const D: usize> Seen<'a, D> {
    /// Particles, those near the places of this sample among them.
    pub fn fluid(&self) -> &'a Particles<D> {
        self.picked.map_or(&self.view.state.fluid, |picked| &picked.fluid)
    }

    /// A field of the method over these; without items where it has none yet.
    pub fn field(&self, name: &str) -> &'a [Real] {
        match self.picked {
            Some(picked) => {
                let found = picked.fields.iter().find(|(known, _)| *known == name);
                found.map_or(&[], |(_, values)| values)
            }
            None => self.view.solver.field(name).unwrap_or(&[]),
        }
    }

    /// Sums over all particles.
    pub fn sums(&self) -> BlockSums<D> {
        self.picked.map_or_else(|| totals::sums(self.view.state), |picked| BlockSums::of_blocks(&picked.sums))
    }

    /// Densities of all particles. Shape `[n]`, `[kg/m³]`.
    pub fn densities(&self) -> &'a [Real] {
        self.picked.map_or(&self.view.state.fluid.rho, |picked| &picked.all_densities)
    }
}
