//! A copy of what a frame shows, in buffers that are used again.

use super::OutputError;
use sph_core::{
    Real,
    error::Error,
    method::{report::FieldInfo, solver::Solver, state::State},
    neighbors::NeighborLists,
    numerics::parallel,
};
use std::borrow::Cow;

/// The values of a field, one a particle.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<const D: usize> {
    /// One number.
    Scalar(Vec<Real>),
    /// A vector, one array an axis.
    Vector([Vec<Real>; D]),
    /// How many, or which one.
    Count(Vec<u32>),
}

/// A named field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<const D: usize> {
    /// Name, such as `density`.
    pub name: Cow<'static, str>,
    /// Unit, such as `kg/m^3`; `-` for a pure number.
    pub unit: Cow<'static, str>,
    /// The values.
    pub values: Values<D>,
}

/// Particles at one time. Its buffers keep their capacity from one copy to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameData<const D: usize> {
    /// Steps done.
    pub step: u64,
    /// Simulated time `[s]`.
    pub t: f64,
    /// Particle spacing `[m]`.
    pub spacing: f64,
    /// Names that stay with the particles. Shape `[n]`.
    pub id: Vec<u64>,
    /// Positions, one array an axis `[m]`. Shape `[D][n]`.
    pub x: [Vec<Real>; D],
    /// Any other fields.
    pub fields: Vec<Field<D>>,
}

impl<const D: usize> Default for FrameData<D> {
    fn default() -> Self {
        let x = [const { Vec::new() }; D];
        Self { step: 0, t: 0.0, spacing: 0.0, id: Vec::new(), x, fields: Vec::new() }
    }
}

/// Where the values of a field come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Velocity,
    Speed,
    Density,
    Neighbors,
    WallNeighbors,
    /// The solver knows it by name.
    Solver,
}

impl Source {
    /// True when there is a value for each of `n` particles now.
    fn has<const D: usize>(self, name: &str, n: usize, solver: &dyn Solver<D>) -> bool {
        match self {
            Self::Velocity | Self::Speed | Self::Density => true,
            Self::Neighbors | Self::WallNeighbors => solver.neighbors().fluid.len() == n,
            Self::Solver => solver.field(name).is_some_and(|field| field.len() == n),
        }
    }
}

/// Fields that every method has: name, unit and source.
const COMMON: [(FieldInfo, Source); 5] = [
    (FieldInfo { name: "velocity", unit: "m/s" }, Source::Velocity),
    (FieldInfo { name: "density", unit: "kg/m^3" }, Source::Density),
    (FieldInfo { name: "neighbors", unit: "-" }, Source::Neighbors),
    (FieldInfo { name: "wall_neighbors", unit: "-" }, Source::WallNeighbors),
    (FieldInfo { name: "speed", unit: "m/s" }, Source::Speed),
];

/// The fields of a frame, chosen before the run.
///
/// A frame before the first step lacks what only a step finds: counts of neighbors, and fields of the solver that do
/// not follow from the state. Frames of a run on a GPU never have counts. Counts are those of the last step's rows: they
/// belong to the positions at which the forces were evaluated, and reach as far as the support plus the skin of the lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields(Vec<(FieldInfo, Source)>);

impl Fields {
    /// All fields that there are for a method.
    fn all<const D: usize>(solver: &dyn Solver<D>) -> impl Iterator<Item = (FieldInfo, Source)> {
        COMMON.into_iter().chain(solver.fields().iter().map(|&info| (info, Source::Solver)))
    }

    /// Velocity, density, number of fluid neighbors, and all that the solver computes.
    pub fn standard<const D: usize>(solver: &dyn Solver<D>) -> Self {
        let more = [Source::WallNeighbors, Source::Speed];
        Self(Self::all(solver).filter(|(_, source)| !more.contains(source)).collect())
    }

    /// All that there are.
    pub fn every<const D: usize>(solver: &dyn Solver<D>) -> Self {
        Self(Self::all(solver).collect())
    }

    /// Names and units.
    pub fn infos(&self) -> impl Iterator<Item = FieldInfo> {
        self.0.iter().map(|(info, _)| *info)
    }

    /// The fields of these names, each once, in this order.
    ///
    /// # Errors
    /// When a name is unknown: the error lists those that exist. `key` is what the error calls the choice.
    pub fn choose<'a, const D: usize>(
        key: &str,
        names: impl IntoIterator<Item = &'a str>,
        solver: &dyn Solver<D>,
    ) -> Result<Self, Error> {
        let mut chosen = Self(Vec::new());
        for name in names {
            let Some(found) = Self::all(solver).find(|(info, _)| info.name == name) else {
                let known: Vec<_> = Self::all(solver).map(|(info, _)| info.name).collect();
                let error = Error::invalid(key, "is no field").value(format!("{name:?}"));
                return Err(error.hint(format!("there are {}", known.join(", "))));
            };
            if !chosen.0.contains(&found) {
                chosen.0.push(found);
            }
        }
        Ok(chosen)
    }

    /// These fields and those of `other` that are not among them.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().filter(|field| !self.0.contains(field)).copied().collect::<Vec<_>>());
        self
    }

    /// True when a field of this name was chosen.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(info, _)| info.name == name)
    }
}

impl<const D: usize> FrameData<D> {
    /// Becomes a copy of the fluid with those of the chosen fields that there are. Allocates only what it has not held
    /// before.
    pub fn copy(&mut self, fields: &Fields, state: &State<D>, solver: &dyn Solver<D>) {
        self.copy_particles(state, &state.fluid.id, &state.fluid.x);
        let n = state.fluid.len();
        let there = || fields.0.iter().copied().filter(|(info, source)| source.has(info.name, n, solver));
        if !self.fields.iter().map(|field| &*field.name).eq(there().map(|(info, _)| info.name)) {
            self.fields = there().map(|(info, source)| Field::empty(info, source)).collect();
        }
        for (field, (info, source)) in self.fields.iter_mut().zip(there()) {
            field.values.copy(info.name, source, state, solver);
        }
    }

    /// Becomes a copy of the wall samples, with `velocity` and the number of their `body`.
    pub fn copy_walls(&mut self, state: &State<D>) {
        let walls = &state.walls;
        self.copy_particles(state, &walls.id, &walls.x);
        if self.fields.is_empty() {
            let velocity = FieldInfo { name: "velocity", unit: "m/s" };
            self.fields.push(Field::empty(velocity, Source::Velocity));
            let body = FieldInfo { name: "body", unit: "-" };
            self.fields.push(Field::empty(body, Source::Neighbors));
        }
        for field in &mut self.fields {
            match &mut field.values {
                Values::Vector(v) => copy_axes(v, &walls.v),
                Values::Count(body) => refill(body, walls.body.iter().map(|&body| body.into())),
                Values::Scalar(_) => {}
            }
        }
    }

    fn copy_particles(&mut self, state: &State<D>, id: &[u64], x: &[Vec<Real>; D]) {
        (self.step, self.t, self.spacing) = (state.step, state.t, f64::from(state.rest.spacing));
        refill(&mut self.id, id.iter().copied());
        copy_axes(&mut self.x, x);
    }

    /// Refuses arrays of another length than the ids.
    pub(crate) fn check(&self) -> Result<(), OutputError> {
        let expected = self.id.len();
        let check = |name: &str, found: usize| {
            let error = || OutputError::Length { name: name.into(), found, expected };
            if found == expected { Ok(()) } else { Err(error()) }
        };
        self.x.iter().try_for_each(|axis| check("position", axis.len()))?;
        self.fields.iter().try_for_each(|field| match &field.values {
            Values::Scalar(values) => check(&field.name, values.len()),
            Values::Count(values) => check(&field.name, values.len()),
            Values::Vector(axes) => axes.iter().try_for_each(|axis| check(&field.name, axis.len())),
        })
    }

    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&Field<D>> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl<const D: usize> Field<D> {
    /// The unit, unless the field is a pure number.
    pub(super) fn unit_if_any(&self) -> Option<&str> {
        Some(&*self.unit).filter(|unit| !matches!(*unit, "" | "-"))
    }

    fn empty(info: FieldInfo, source: Source) -> Self {
        let values = match source {
            Source::Velocity => Values::Vector([const { Vec::new() }; D]),
            Source::Neighbors | Source::WallNeighbors => Values::Count(Vec::new()),
            Source::Speed | Source::Density | Source::Solver => Values::Scalar(Vec::new()),
        };
        Self { name: info.name.into(), unit: info.unit.into(), values }
    }
}

impl<const D: usize> Values<D> {
    fn copy(&mut self, name: &str, source: Source, state: &State<D>, solver: &dyn Solver<D>) {
        let (fluid, n) = (&state.fluid, state.fluid.len());
        match self {
            Self::Vector(v) => copy_axes(v, &fluid.v),
            Self::Count(counts) if source == Source::Neighbors => count(&solver.neighbors().fluid, n, counts),
            Self::Count(counts) => count(&solver.neighbors().walls, n, counts),
            Self::Scalar(speed) if source == Source::Speed => {
                refill(speed, (0..n).map(|i| norm(fluid.velocity(i))));
            }
            Self::Scalar(density) if source == Source::Density => refill(density, fluid.rho.iter().copied()),
            Self::Scalar(values) => refill(values, solver.field(name).into_iter().flatten().copied()),
        }
    }
}

/// Length of a vector.
pub(super) fn norm<const D: usize>(v: [Real; D]) -> Real {
    v.iter().map(|v| v * v).sum::<Real>().sqrt()
}

/// Length of every row; 0 where there are none, as without walls.
fn count(rows: &NeighborLists, n: usize, counts: &mut Vec<u32>) {
    counts.clear();
    counts.resize(n, 0);
    if rows.len() != n {
        return;
    }
    rows.for_each(&mut counts[..], |_, chunk, counts| {
        for (count, i) in counts.iter_mut().zip(chunk.points()) {
            *count = chunk.count(i) as u32;
        }
    });
}

fn copy_axes<const D: usize>(to: &mut [Vec<Real>; D], from: &[Vec<Real>; D]) {
    for (to, from) in to.iter_mut().zip(from) {
        to.resize(from.len(), 0.0);
        let from = &from[..];
        parallel::blocks(from.len(), &mut to[..], |range, to| to.copy_from_slice(&from[range]));
    }
}

fn refill<T>(to: &mut Vec<T>, from: impl Iterator<Item = T>) {
    to.clear();
    to.extend(from);
}
