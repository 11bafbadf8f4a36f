//! A moment of a run, kept in memory to go back to.

use crate::{
    Real,
    method::{
        solver::{Memory, Solver},
        state::State,
    },
    run::interaction::{Interaction, Openings},
};

/// A copy of a state, of its solver's memory, and of the emitters, drains and pointers that are open. Taking it
/// again into the same place allocates nothing while the number of particles stays.
#[derive(Debug, Default)]
pub struct Snapshot<const D: usize> {
    state: Option<State<D>>,
    fields: Vec<Vec<Real>>,
    numbers: Vec<f64>,
    open: Openings<D>,
}

impl<const D: usize> Snapshot<D> {
    /// The step at which it was taken.
    pub fn step(&self) -> Option<u64> {
        self.state.as_ref().map(|state| state.step)
    }

    /// Copies `state`, the memory of `solver` and what is open.
    pub fn take(&mut self, state: &State<D>, solver: &mut dyn Solver<D>, interaction: &Interaction<D>) {
        self.open.clone_from(&interaction.open);
        match &mut self.state {
            Some(kept) => copy(state, kept),
            none => *none = Some(state.clone()),
        }
        let (mut n_fields, mut n_numbers) = (0, 0);
        solver.memory(&mut |_, memory| match memory {
            Memory::Field(field) | Memory::Array(field) | Memory::Pairs(field) => {
                place(&mut self.fields, n_fields).clone_from(field);
                n_fields += 1;
            }
            Memory::Number(number) => {
                *place(&mut self.numbers, n_numbers) = *number;
                n_numbers += 1;
            }
        });
    }

    /// Puts all back. Returns false when nothing was taken.
    pub fn restore(
        &self,
        state: &mut State<D>,
        solver: &mut dyn Solver<D>,
        interaction: &mut Interaction<D>,
    ) -> bool {
        let Some(kept) = &self.state else { return false };
        copy(kept, state);
        interaction.open.clone_from(&self.open);
        let (mut fields, mut numbers) = (self.fields.iter(), self.numbers.iter());
        solver.memory(&mut |_, memory| match memory {
            Memory::Field(field) | Memory::Array(field) | Memory::Pairs(field) => {
                fields.next().into_iter().for_each(|kept| field.clone_from(kept));
            }
            Memory::Number(number) => numbers.next().into_iter().for_each(|&kept| *number = kept),
        });
        solver.restored(state);
        true
    }
}

/// The item at `k`, made if it is the next one.
fn place<T: Default>(items: &mut Vec<T>, k: usize) -> &mut T {
    if k == items.len() {
        items.push(T::default());
    }
    &mut items[k]
}

/// `to ← from`, into the capacity that `to` has.
fn copy<const D: usize>(from: &State<D>, to: &mut State<D>) {
    let State { fluid, walls, bodies, rest, forces, domain, containers, t, step, next_id } = to;
    bodies.list.clone_from(&from.bodies.list);
    fluid.id.clone_from(&from.fluid.id);
    fluid.rho.clone_from(&from.fluid.rho);
    walls.id.clone_from(&from.walls.id);
    walls.volume.clone_from(&from.walls.volume);
    walls.body.clone_from(&from.walls.body);
    for a in 0..D {
        fluid.x[a].clone_from(&from.fluid.x[a]);
        fluid.v[a].clone_from(&from.fluid.v[a]);
        walls.x[a].clone_from(&from.walls.x[a]);
        walls.v[a].clone_from(&from.walls.v[a]);
        walls.a[a].clone_from(&from.walls.a[a]);
        walls.x_0[a].clone_from(&from.walls.x_0[a]);
    }
    // They hold names and trees, whose copies allocate, and change seldom.
    if walls.bodies != from.walls.bodies {
        walls.bodies.clone_from(&from.walls.bodies);
    }
    if *containers != from.containers {
        containers.clone_from(&from.containers);
    }
    (*rest, *forces, *domain) = (from.rest, from.forces, from.domain);
    (*t, *step, *next_id) = (from.t, from.step, from.next_id);
}
