//! Means and extremes of a formula over the particles.

use super::{
    Column, Reader,
    interpolate::Interpolation,
    near::{Near, Zone},
    seen::Seen,
};
use crate::{
    error::Error,
    keys::{formula::Particle, join},
    method::{sample::Wanted, solver::Solver},
    numerics::parallel::{self, Merge},
    rigid::spatial,
    scene::{self, Take},
};

/// The field that formulas name `p`.
const PRESSURE: &str = "pressure";

/// A number of all particles.
#[derive(Debug)]
pub(super) struct Statistic {
    asked: scene::Statistic,
    names_pressure: bool,
}

impl Statistic {
    /// What a scene asks for.
    ///
    /// # Errors
    /// When it names a pressure, and the method has none.
    pub fn of<const D: usize>(
        asked: &scene::Statistic,
        key: &str,
        solver: &dyn Solver<D>,
    ) -> Result<Self, Error> {
        let names_pressure = asked.formula.named().any(|name| name == "p");
        if names_pressure && !solver.fields().iter().any(|field| field.name == PRESSURE) {
            let message = format!("names `p`, but the method {:?} has no pressure", solver.name());
            let error = Error::invalid(join(key, "formula"), message);
            return Err(error.value(format!("{:?}", asked.formula.text())));
        }
        Ok(Self { asked: asked.clone(), names_pressure })
    }

    /// Name and unit of the number.
    pub fn column(&self) -> Column {
        let name = match self.asked.take {
            Take::Mean => "mean",
            Take::Rms => "rms",
            Take::Least => "least",
            Take::Largest => "largest",
        };
        Column { name: name.into(), unit: self.asked.unit.clone() }
    }
}

impl<const D: usize> Reader<D> for Statistic {
    fn zone(&self) -> Option<Zone<D>> {
        None
    }

    fn want(&self, wanted: &mut Wanted<D>) {
        wanted.everything = true;
    }

    fn read(&mut self, _: &Near<D>, _: &Interpolation<D>, seen: &Seen<'_, D>, row: &mut Vec<f64>) {
        let (state, fluid) = (seen.view.state, &seen.view.state.fluid);
        let pressure = if self.names_pressure { seen.field(PRESSURE) } else { &[] };
        let (t, dx) = (state.t, f64::from(state.rest.spacing));
        let spread = parallel::blocks(fluid.len(), (), |range, ()| {
            range.fold(Spread::NONE, |spread, i| {
                let [x, v] = [fluid.position(i), fluid.velocity(i)].map(|x| spatial(&x.map(f64::from)));
                // A method may compute it in its first step only.
                let p = pressure.get(i).map_or(f64::NAN, |&p| p.into());
                let particle = Particle { x, t, v, rho: fluid.rho[i].into(), p, dx };
                spread.merge(Spread::of(self.asked.formula.of(&particle)))
            })
        });
        row.push(spread.take(self.asked.take, fluid.len()));
    }
}

/// Sums and extremes of values.
#[derive(Clone, Copy)]
struct Spread {
    sum: f64,
    squares: f64,
    least: f64,
    largest: f64,
}

impl Spread {
    const NONE: Self = Self { sum: 0.0, squares: 0.0, least: f64::INFINITY, largest: f64::NEG_INFINITY };

    fn of(value: f64) -> Self {
        Self { sum: value, squares: value * value, least: value, largest: value }
    }

    /// NaN where there is no particle, or a value is not finite.
    fn take(self, take: Take, n: usize) -> f64 {
        let n = n as f64;
        match take {
            _ if !(self.sum / n).is_finite() => f64::NAN,
            Take::Mean => self.sum / n,
            Take::Rms => (self.squares / n).sqrt(),
            Take::Least => self.least,
            Take::Largest => self.largest,
        }
    }
}

impl Merge for Spread {
    fn merge(self, other: Self) -> Self {
        Self {
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
            least: self.least.min(other.least),
            largest: self.largest.max(other.largest),
        }
    }
}
