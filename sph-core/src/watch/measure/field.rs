//! The fields that probes and profiles read.

use super::{Column, column, interpolate::Interpolation, near::Near, seen::Seen};
use crate::{
    Real,
    error::Error,
    fluid::particles::Particles,
    method::{report::FieldInfo, sample::Wanted, solver::Solver},
};

/// A field of the particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Velocity,
    Speed,
    Density,
    /// The solver knows it by name.
    Solver(FieldInfo),
}

const COMMON: [(&str, &str, Field); 3] = [
    ("velocity", "m/s", Field::Velocity),
    ("speed", "m/s", Field::Speed),
    ("density", "kg/m^3", Field::Density),
];

impl Field {
    /// The field of a name.
    ///
    /// # Errors
    /// When the method has none of it: the error lists those that it has.
    pub fn of<const D: usize>(name: &str, key: String, solver: &dyn Solver<D>) -> Result<Self, Error> {
        let own = solver.fields().iter();
        let mut all = COMMON
            .iter()
            .map(|(name, _, field)| (*name, *field))
            .chain(own.map(|f| (f.name, Self::Solver(*f))));
        if let Some((_, field)) = all.clone().find(|(known, _)| *known == name) {
            return Ok(field);
        }
        let known: Vec<&str> = all.by_ref().map(|(name, _)| name).collect();
        let message = format!("is no field of the method {:?}", solver.name());
        Err(Error::invalid(key, message)
            .value(format!("{name:?}"))
            .hint(format!("it has {}", known.join(", "))))
    }

    /// The columns that it fills.
    pub fn columns<const D: usize>(self) -> Vec<Column> {
        let common = COMMON.iter().find(|(_, _, field)| *field == self).map(|(name, unit, _)| (*name, *unit));
        match (self, common) {
            (Self::Velocity, _) => ["velocity_x", "velocity_y", "velocity_z"][..D]
                .iter()
                .map(|name| column(name, "m/s"))
                .collect(),
            (Self::Solver(FieldInfo { name, unit }), _) | (_, Some((name, unit))) => vec![column(name, unit)],
            _ => Vec::new(),
        }
    }

    /// Asks for it.
    pub fn want<const D: usize>(self, wanted: &mut Wanted<D>) {
        match self {
            Self::Velocity | Self::Speed => wanted.velocity = true,
            Self::Density => wanted.density = true,
            Self::Solver(field) if wanted.fields.contains(&field.name) => {}
            Self::Solver(field) => wanted.fields.push(field.name),
        }
    }

    /// Its value at a point; where no particle is in reach 0 for a pressure, that of the air, and else nothing.
    pub fn at<const D: usize>(
        self,
        point: &[f64; D],
        near: &Near<D>,
        interpolation: &Interpolation<D>,
        seen: &Seen<'_, D>,
    ) -> Option<[f64; D]> {
        let own = match self {
            Self::Solver(field) => seen.field(field.name),
            _ => &[],
        };
        let air = matches!(self, Self::Solver(FieldInfo { unit: "Pa", .. })).then_some([0.0; D]);
        interpolation.at(point, near, |i| self.value(i, own, seen.fluid())).or(air)
    }

    /// The value of a particle; scalars stand in the first entry.
    fn value<const D: usize>(self, i: usize, own: &[Real], fluid: &Particles<D>) -> [f64; D] {
        let velocity = || fluid.velocity(i).map(f64::from);
        match self {
            Self::Velocity => velocity(),
            Self::Speed => [velocity().iter().map(|v| v * v).sum::<f64>().sqrt(); D],
            Self::Density => [f64::from(fluid.rho[i]); D],
            // A method may compute a field in its first step only.
            Self::Solver(_) => [own.get(i).map_or(f64::NAN, |&value| f64::from(value)); D],
        }
    }

    /// Adds a value to a sample.
    pub fn push<const D: usize>(self, value: Option<[f64; D]>, row: &mut Vec<f64>) {
        let n = if self == Self::Velocity { D } else { 1 };
        row.extend(&value.unwrap_or([f64::NAN; D])[..n]);
    }
}
