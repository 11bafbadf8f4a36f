//! Particles and walls as the page draws them.

use super::stats::Sample;
use crate::wire::{Interval, Message, Packet};
use bench_suite::output::{Fields, FrameData, Values};
use serde_json::{Value, json};
use sph_core::{
    error::Error,
    fluid::wall_surface::Place,
    geometry::shape::{Enclosure, Region},
    method::{solver::Solver, state::State},
    numerics::lane::each,
};
use std::array::from_fn;

/// The field that is shown as vectors.
const VELOCITY: &str = "velocity";

/// What colors the particles, and whether their velocities are sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    field: String,
    low: Option<f64>,
    high: Option<f64>,
    vectors: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Self { field: "speed".into(), low: None, high: None, vectors: false }
    }
}

impl Shown {
    /// A field, from end to end of its colors; an end that is left out is that of the values.
    ///
    /// # Errors
    /// When the ends are no interval.
    pub fn new(field: &str, low: Option<f64>, high: Option<f64>, vectors: bool) -> Result<Self, Error> {
        let ends = [low, high].into_iter().flatten();
        if let Some(end) = ends.clone().find(|end| !end.is_finite()) {
            return Err(Error::range("show.range", end, "(-inf, inf)"));
        }
        if low.zip(high).is_some_and(|(low, high)| low >= high) {
            return Err(Error::invalid("show.range", "must end above where it begins"));
        }
        Ok(Self { field: field.to_owned(), low, high, vectors })
    }

    /// The fields that a frame needs.
    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        let velocity = self.vectors.then_some(VELOCITY);
        [self.field.as_str()].into_iter().chain(velocity)
    }

    fn range(&self, values: impl Iterator<Item = f64>) -> Interval {
        let found = Interval::of(values);
        // Speed begins at rest.
        let low = if self.field == "speed" { 0.0 } else { found.low };
        let low = self.low.unwrap_or(low);
        // An end that is fixed may lie beyond all values.
        let high = self.high.unwrap_or(found.high.max(low));
        Interval { low: low.min(high), high }
    }
}

/// Name and unit of what can color particles: every number that a method has of each.
pub(super) fn fields<const D: usize>(solver: &dyn Solver<D>) -> Value {
    let all = Fields::every(solver);
    all.infos()
        .filter(|info| info.name != VELOCITY)
        .map(|info| json!({ "name": info.name, "unit": info.unit }))
        .collect()
}

/// The box around all that there is, grown to three times its size: what leaves it is drawn at its end.
pub(super) fn bounds<const D: usize>(state: &State<D>) -> [Interval; D] {
    each(|a| {
        let points = state.fluid.x[a].iter().chain(&state.walls.x[a]).map(|&x| f64::from(x));
        let ends = state.containers.iter().filter_map(|container| container.region.bounds());
        let found = Interval::of(points.chain(ends.flat_map(|(low, high)| [low[a], high[a]])));
        let margin = (found.high - found.low).max(f64::from(state.rest.spacing));
        Interval { low: found.low - margin, high: found.high + margin }
    })
}

/// The message of a frame.
pub(super) fn frame<const D: usize>(
    pane: usize,
    frame: &FrameData<D>,
    shown: &Shown,
    bounds: &[Interval; D],
    stats: &Sample,
) -> Message {
    let field = frame.field(&shown.field);
    let values: Vec<f64> =
        field.map_or_else(|| vec![f64::NAN; frame.id.len()], |field| numbers(&field.values));
    let range = shown.range(values.iter().copied());
    let vectors = match frame.field(VELOCITY).map(|field| &field.values) {
        Some(Values::Vector(axes)) if shown.vectors => Some(axes),
        _ => None,
    };
    let components = vectors.map(|axes| Interval::of(axes.iter().flatten().map(|&v| f64::from(v))));
    let header = json!({
        "kind": "frame",
        "pane": pane,
        "n": frame.id.len(),
        "dim": D,
        "low": bounds.map(|b| b.low).to_vec(),
        "high": bounds.map(|b| b.high).to_vec(),
        "step": frame.step,
        "t": frame.t,
        "field": shown.field,
        "unit": field.map_or("", |field| &field.unit),
        "range": range,
        "components": components,
        "stats": stats,
    });
    let packet = Packet::new(&header).points(&frame.x, bounds).values(values.into_iter(), range);
    Message::Binary(match vectors.zip(components) {
        Some((axes, components)) => packet.points(axes, &[components; D]).bytes(),
        None => packet.bytes(),
    })
}

/// One number a particle: of a vector its length.
pub(super) fn numbers<const D: usize>(values: &Values<D>) -> Vec<f64> {
    match values {
        Values::Scalar(values) => values.iter().map(|&x| f64::from(x)).collect(),
        Values::Count(values) => values.iter().map(|&n| f64::from(n)).collect(),
        Values::Vector(axes) => {
            let length = |i: usize| axes.iter().map(|axis| f64::from(axis[i]).powi(2)).sum::<f64>().sqrt();
            (0..axes[0].len()).map(length).collect()
        }
    }
}

/// Points of walls, bodies and containers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Solids<const D: usize> {
    /// So many of the first are samples of dynamic bodies.
    free: usize,
    x: [Vec<f32>; D],
}

/// Containers, which have no samples, and points on their surfaces.
#[derive(Clone, Debug)]
pub(super) struct Outlines<const D: usize> {
    of: Vec<Enclosure<D>>,
    points: [Vec<f32>; D],
    /// Of each sample, by id, whether it is shown.
    shown: Vec<bool>,
}

impl<const D: usize> Default for Outlines<D> {
    fn default() -> Self {
        Self { of: Vec::new(), points: [const { Vec::new() }; D], shown: Vec::new() }
    }
}

impl<const D: usize> Outlines<D> {
    /// Where walls are: their samples, in 3D the layer at the fluid, first those of dynamic bodies, and the outlines of containers, which are made anew where
    /// these have moved.
    pub(super) fn walls(&mut self, state: &State<D>) -> Solids<D> {
        if self.of != state.containers {
            self.of.clone_from(&state.containers);
            self.points = [const { Vec::new() }; D];
            for container in &self.of {
                outline(container, f64::from(state.rest.spacing), &mut |point| {
                    self.points.iter_mut().zip(point).for_each(|(axis, p)| axis.push(p as f32));
                });
            }
        }
        let walls = &state.walls;
        let is_free = |b: &usize| walls.bodies[usize::from(walls.body[*b])].rigid.is_some();
        if self.shown.len() != walls.len() {
            self.shown = first_layer(state);
        }
        let samples = (0..walls.len()).filter(|b| self.shown.get(walls.id[*b] as usize) != Some(&false));
        let (mut samples, still): (Vec<usize>, Vec<usize>) = samples.partition(is_free);
        let free = samples.len();
        samples.extend(still);
        let x = from_fn(|a| {
            let samples = samples.iter().map(|&b| walls.x[a][b] as f32);
            samples.chain(self.points[a].iter().copied()).collect()
        });
        Solids { free, x }
    }
}

/// Of each sample of a wall or body, by id, whether it is in the first layer behind a surface, in 3D, where others stand behind it; those of dynamic
/// bodies are all shown.
fn first_layer<const D: usize>(state: &State<D>) -> Vec<bool> {
    let (walls, spacing) = (&state.walls, f64::from(state.rest.spacing));
    let mut shown = vec![true; walls.len()];
    for b in (0..walls.len()).filter(|_| D == 3) {
        let x = each(|a| f64::from(walls.x_0[a][b]));
        let layers = walls.surfaces.iter().filter_map(|surface| match surface.locate(&x) {
            Place::Behind(depth) => Some((depth - surface.first_layer) / spacing),
            Place::Free | Place::Open => None,
        });
        let is_rigid = walls.bodies[usize::from(walls.body[b])].rigid.is_some();
        if let Some(shown) = shown.get_mut(walls.id[b] as usize) {
            // Behind no surface is who has none.
            *shown = is_rigid || layers.reduce(f64::min).is_none_or(|layer| layer < 0.5);
        }
    }
    shown
}

/// Points of a grid along each axis, at most.
const MOST: f64 = 96.0;

/// Points of a grid that are nearest to the surface of a container.
fn outline<const D: usize>(container: &Enclosure<D>, spacing: f64, put: &mut dyn FnMut([f64; D])) {
    let region: &Region<D> = &container.region;
    let Some((low, high)) = region.bounds() else { return };
    let longest = (0..D).fold(0.0, |size: f64, a| size.max(high[a] - low[a]));
    let step = spacing.max(longest / MOST);
    let count = each::<usize, D>(|a| ((high[a] - low[a]) / step).ceil() as usize + 1);
    for k in 0..count.iter().product::<usize>() {
        let x = each::<f64, D>(|a| {
            let i = k / count[..a].iter().product::<usize>() % count[a];
            (low[a] + i as f64 * step).min(high[a])
        });
        if region.phi(&x).abs() <= 0.5 * step {
            put(x);
        }
    }
}

/// The message of walls, bodies and containers.
pub(super) fn points<const D: usize>(pane: usize, solids: &Solids<D>, bounds: &[Interval; D]) -> Message {
    let Solids { free, x } = solids;
    let header = json!({
        "kind": "walls",
        "pane": pane,
        "n": x[0].len(),
        "free": free,
        "dim": D,
        "low": bounds.map(|b| b.low).to_vec(),
        "high": bounds.map(|b| b.high).to_vec(),
    });
    Message::Binary(Packet::new(&header).points(x, bounds).bytes())
}
