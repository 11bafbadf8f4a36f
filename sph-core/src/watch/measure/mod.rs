//! Measures: time series of a run that a scene asks for (`[[measure]]`).
//!
//! A sample is taken at the first step in each interval, counted from t = 0, or from the time at which a measure begins. No bit
//! of the run depends on it, and a run that goes on from a checkpoint has the same series as one that was not interrupted.

mod body;
mod field;
mod flow;
mod interpolate;
mod level;
mod near;
mod points;
mod seen;
mod statistic;
mod totals;

pub use body::numbers as body_numbers;
pub use interpolate::wendland;

use self::{
    body::{Body, Force},
    flow::Flow,
    interpolate::Interpolation,
    level::Gauge,
    near::{Near, Zone, bit, marks},
    points::{Probe, Profile},
    seen::Seen,
    statistic::Statistic,
    totals::Totals,
};
use crate::{
    error::Error,
    geometry::shape::vector,
    keys::join,
    method::{
        observer::View,
        sample::{Marks, Picked, Wanted},
        solver::Solver,
        state::State,
    },
    scene::{Measure, Scene},
};
use std::{fmt::Debug, sync::Arc};

/// Times that differ by less than this part of an interval are one: a sum of steps may fall short of a moment by its
/// rounding.
const SAME: f64 = 1e-9;

/// A number of each sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, as `velocity_x`.
    pub name: String,
    /// Unit, `-` for a pure number.
    pub unit: String,
}

/// The samples of a measure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name of the measure.
    pub name: String,
    /// What a sample holds. Of a profile it repeats for each point.
    pub columns: Vec<Column>,
    /// Distances of the points of a profile from its first, `[m]`; empty for other measures.
    pub along: Vec<f64>,
    /// Times of the samples. Shape `[samples]`, `[s]`.
    pub t: Vec<f64>,
    /// Their values; NaN where there is nothing to measure. Shape `[samples][points][columns]`.
    pub values: Vec<f64>,
}

impl Series {
    /// Numbers of a sample.
    pub fn width(&self) -> usize {
        self.columns.len() * self.along.len().max(1)
    }

    /// The samples, each with its time.
    pub fn rows(&self) -> impl Iterator<Item = (f64, &[f64])> {
        self.t.iter().copied().zip(self.values.chunks(self.width()))
    }
}

/// A kind of measure.
trait Reader<const D: usize>: Debug + Send {
    /// Where it reads; `None` for what needs no place.
    fn zone(&self) -> Option<Zone<D>>;

    /// True when the step before a sample must sum the forces on walls.
    fn reads_loads(&self) -> bool {
        false
    }

    /// Asks for what it reads of the particles beside their positions, and of walls.
    fn want(&self, _wanted: &mut Wanted<D>) {}

    /// Adds a sample to `row`, from the particles `near` its place.
    fn read(&mut self, near: &Near<D>, how: &Interpolation<D>, seen: &Seen<'_, D>, row: &mut Vec<f64>);
}

/// A measure of a run.
#[derive(Debug)]
struct Measured<const D: usize> {
    reader: Box<dyn Reader<D>>,
    interval: f64,
    /// Where samples are taken, and intervals begin, `[s]`.
    from: f64,
    /// Where they end; infinite for the whole run, `[s]`.
    to: f64,
    series: Series,
}

impl<const D: usize> Measured<D> {
    fn of(
        measure: &Measure,
        key: &str,
        scene: &Scene,
        state: &State<D>,
        solver: &dyn Solver<D>,
    ) -> Result<Self, Error> {
        let mut along = Vec::new();
        let (reader, columns): (Box<dyn Reader<D>>, _) = if let Some(probe) = &measure.probe {
            let probe = Probe::of(probe, &join(key, "probe"), state, solver)?;
            let columns = probe.field.columns::<D>();
            (Box::new(probe), columns)
        } else if let Some(profile) = &measure.profile {
            let profile = Profile::of(profile, &join(key, "profile"), state, solver)?;
            let columns = profile.field.columns::<D>();
            along = profile.along();
            (Box::new(profile), columns)
        } else if let Some(gauge) = &measure.gauge {
            let gauge = Gauge::of(gauge, &join(key, "gauge"), state)?;
            (Box::new(gauge), vec![column("level", "m"), column("wetted_length", "m")])
        } else if let Some(flow) = &measure.flow {
            let flow = Flow::of(flow, &join(key, "flow"), state)?;
            (Box::new(flow), vec![column("flow_rate", "m^3/s")])
        } else if let Some(name) = &measure.body {
            let found = state.bodies.list.iter().position(|body| body.form.name == *name);
            let error = || Error::invalid(join(key, "body"), "is no body").value(format!("{name:?}"));
            let k = found.ok_or_else(error)?;
            let numbers = body_numbers(&state.bodies.list[k]).into_iter();
            (Box::new(Body(k)), numbers.map(|(name, unit, _)| column(name, unit)).collect())
        } else if let Some(force) = &measure.force {
            let force = Force::of(force, &join(key, "force"), state)?;
            (Box::new(force), Force::<D>::columns())
        } else if let Some(statistic) = &measure.statistic {
            let statistic = Statistic::of(statistic, &join(key, "statistic"), solver)?;
            let column = statistic.column();
            (Box::new(statistic), vec![column])
        } else {
            let totals = Totals(measure.totals.clone().unwrap_or_default());
            let columns = totals.columns(D);
            (Box::new(totals), columns)
        };
        let series = Series { name: measure.name.clone(), columns, along, ..Series::default() };
        let (from, to) = (measure.from.unwrap_or(0.0), measure.to.unwrap_or(f64::INFINITY));
        Ok(Self { reader, interval: measure.interval_in(scene), from, to, series })
    }

    /// How many whole intervals have passed at time `t` since the first sample could be taken, negative before.
    fn intervals(&self, t: f64) -> f64 {
        ((t - self.from) / self.interval + SAME).floor()
    }

    fn is_due(&self, t: f64) -> bool {
        let is_over = t > self.to + SAME * self.interval;
        if is_over || self.intervals(t) < 0.0 {
            return false;
        }
        self.series.t.last().is_none_or(|&last| self.intervals(t) > self.intervals(last))
    }
}

/// All measures of a run.
#[derive(Debug)]
pub struct Measures<const D: usize> {
    list: Vec<Measured<D>>,
    marks: Arc<Marks<D>>,
    interpolation: Interpolation<D>,
}

impl<const D: usize> Measures<D> {
    /// Those of a scene.
    ///
    /// # Errors
    /// When a place lies out of the domain, or the method has no field of a name: by key, not place.
    pub fn of(scene: &Scene, state: &State<D>, solver: &dyn Solver<D>) -> Result<Self, Error> {
        let measures = scene.measure.iter().enumerate();
        let list = measures.map(|(k, m)| Measured::of(m, &format!("measure[{k}]"), scene, state, solver));
        let list = list.collect::<Result<Vec<_>, _>>()?;
        let h = f64::from(solver.support_radius());
        let zones: Vec<_> =
            list.iter().enumerate().filter_map(|(k, m)| Some((bit(k), m.reader.zone()?))).collect();
        let interpolation = Interpolation { h, linear: true, periodic: state.domain.periodic };
        Ok(Self { list, marks: Arc::new(marks(&zones, h, &state.domain)), interpolation })
    }

    /// True when a sample is due at time `t`, `[s]`.
    pub fn is_due(&self, t: f64) -> bool {
        self.list.iter().any(|measured| measured.is_due(t))
    }

    /// True when a sample of the force on a wall is due at time `t`, `[s]`.
    pub fn loads_due(&self, t: f64) -> bool {
        self.list.iter().any(|measured| measured.reader.reads_loads() && measured.is_due(t))
    }

    /// What the samples read that are due at time `t`, `[s]`.
    pub fn wanted(&self, t: f64) -> Wanted<D> {
        let mut wanted = Wanted::nothing(Arc::clone(&self.marks));
        for (k, Measured { reader, .. }) in self.list.iter().enumerate().filter(|(_, m)| m.is_due(t)) {
            reader.want(&mut wanted);
            wanted.places |= reader.zone().map_or(0, |_| bit(k));
        }
        wanted
    }

    /// Takes the samples that are due, of what was `picked` or, if nothing was, of the state.
    pub fn sample(&mut self, view: &View<'_, D>, picked: Option<&Picked<D>>) {
        let (t, seen) = (view.state.t, Seen { view, picked });
        let places = self.wanted(t).places;
        let mut near: Option<Near<D>> = None;
        for measured in self.list.iter_mut().filter(|measured| measured.is_due(t)) {
            let own = measured.reader.zone().map_or_else(Near::default, |place| {
                let Interpolation { h, periodic, .. } = &self.interpolation;
                near.get_or_insert_with(|| Near::of(&self.marks, places, seen.fluid()))
                    .around(&place, *h, periodic)
            });
            measured.reader.read(&own, &self.interpolation, &seen, &mut measured.series.values);
            measured.series.t.push(t);
        }
    }

    /// Forgets the samples of steps that a run has gone back over, to time `t`, `[s]`.
    pub(crate) fn go_back(&mut self, t: f64) {
        for Measured { series, .. } in &mut self.list {
            let kept = series.t.partition_point(|sample| *sample <= t);
            series.t.truncate(kept);
            series.values.truncate(kept * series.width());
        }
    }

    /// The series so far.
    pub fn series(&self) -> impl Iterator<Item = &Series> {
        self.list.iter().map(|measured| &measured.series)
    }

    /// Shows `visit` every array that a restart must keep, with its name, to read or to overwrite it.
    pub(crate) fn arrays(&mut self, visit: &mut dyn FnMut(&str, &mut Vec<f64>)) {
        for (k, Measured { series, .. }) in self.list.iter_mut().enumerate() {
            visit(&format!("{k}.t"), &mut series.t);
            visit(&format!("{k}.values"), &mut series.values);
        }
    }

    /// Refuses series that were put back at time `t` `[s]` and are not whole.
    pub(crate) fn check(&self, t: f64) -> Result<(), Error> {
        let wrong = |series: &&Series| {
            let within = series.t.iter().all(|sample| (0.0..=t).contains(sample));
            let ordered = within && series.t.windows(2).all(|pair| pair[0] < pair[1]);
            series.values.len() != series.t.len() * series.width() || !ordered
        };
        self.series().find(wrong).map_or(Ok(()), |series| {
            Err(Error::new(format!("holds samples of {:?} that are not whole", series.name)))
        })
    }
}

fn column(name: &str, unit: &str) -> Column {
    Column { name: name.to_owned(), unit: unit.to_owned() }
}

/// A point of the domain.
fn inside<const D: usize>(key: String, at: &[f64], state: &State<D>) -> Result<[f64; D], Error> {
    let (point, domain) = (vector::<D>(&key, at)?, &state.domain);
    // The ends of the domain, as a scene writes them, belong to it.
    let reach = 1e-3 * f64::from(state.rest.spacing);
    let holds = |a: usize| {
        let (low, high) = (f64::from(domain.low[a]), f64::from(domain.high[a]));
        low - reach <= point[a] && point[a] <= high + reach
    };
    if (0..D).all(holds) {
        return Ok(point);
    }
    let message = format!("lies out of the domain, {:?} to {:?} m", domain.low, domain.high);
    Err(Error::invalid(key, message).value(format!("{at:?}")))
}
