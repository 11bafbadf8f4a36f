//! A step, phase by phase.

use super::picture::numbers;
use crate::wire::{Interval, Message, Packet};
use bench_suite::output::{Fields, FrameData, Values};
use serde_json::{Value, json};
use sph_core::{error::Error, numerics::lane::each, run::simulation::Simulation};
use std::{
    array::from_fn,
    sync::{Arc, Mutex, PoisonError},
};

/// Numbers of all particles in all phases that are kept at most, `[-]`.
const MOST: usize = 1 << 23;

/// The particles after each phase, in the order of their ids.
pub(super) struct Recording<const D: usize>(Arc<Mutex<Phases<D>>>);

#[derive(Default)]
struct Phases<const D: usize> {
    done: Vec<(&'static str, FrameData<D>)>,
    numbers: usize,
    /// Phases that there was no room for.
    left_out: usize,
}

/// Watches the step that comes next.
///
/// # Errors
/// When one phase alone has too many numbers.
pub(super) fn begin<const D: usize>(run: &mut Simulation<D>) -> Result<Recording<D>, Error> {
    let fields = Fields::every(&*run.solver);
    let numbers = run.state.fluid.len() * (2 * D + fields.infos().count());
    if numbers > MOST / 8 {
        let error =
            Error::new(format!("a step of {} particles is too much to record", run.state.fluid.len()));
        return Err(error.hint("raise the spacing"));
    }
    let mut first = FrameData::default();
    first.copy(&fields, &run.state, &*run.solver);
    let phases = Phases { done: vec![("", by_id(&first))], numbers, left_out: 0 };
    let recording = Arc::new(Mutex::new(phases));
    let to = Arc::clone(&recording);
    run.solver.watch(Some(Box::new(move |solver, state, phase| {
        let mut phases = to.lock().unwrap_or_else(PoisonError::into_inner);
        if phases.numbers + numbers > MOST {
            phases.left_out += 1;
            return;
        }
        phases.numbers += numbers;
        let mut frame = FrameData::default();
        frame.copy(&fields, state, solver);
        if let Some(moved) = solver.moved(phase) {
            frame.x = from_fn(|a| moved[..frame.id.len()].iter().map(|record| record[a]).collect());
        }
        phases.done.push((phase, by_id(&frame)));
    })));
    Ok(Recording(recording))
}

/// A frame in the order of its ids.
fn by_id<const D: usize>(frame: &FrameData<D>) -> FrameData<D> {
    let mut order: Vec<usize> = (0..frame.id.len()).collect();
    order.sort_unstable_by_key(|&i| frame.id[i]);
    let pick = |values: &[sph_core::Real]| order.iter().map(|&i| values[i]).collect::<Vec<_>>();
    let mut sorted = frame.clone();
    sorted.id = order.iter().map(|&i| frame.id[i]).collect();
    sorted.x = from_fn(|a| pick(&frame.x[a]));
    for field in &mut sorted.fields {
        field.values = match &field.values {
            Values::Scalar(values) => Values::Scalar(pick(values)),
            Values::Vector(axes) => Values::Vector(from_fn(|a| pick(&axes[a]))),
            Values::Count(values) => Values::Count(order.iter().map(|&i| values[i]).collect()),
        };
    }
    sorted
}

impl<const D: usize> Recording<D> {
    /// The messages of all phases, and of what each has changed.
    pub(super) fn messages(self, pane: usize) -> Vec<Message> {
        let phases = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bounds: [Interval; D] = each(|a| {
            Interval::of(phases.done.iter().flat_map(|(_, frame)| frame.x[a].iter().map(|&x| f64::from(x))))
        });
        let mut messages = Vec::new();
        let mut told = Vec::new();
        for (index, [(_, before), (name, after)]) in phases.done.array_windows().enumerate() {
            if index == 0 {
                messages.push(picture(pane, 0, "", before, &bounds));
            }
            messages.push(picture(pane, index + 1, name, after, &bounds));
            told.push(json!({ "name": name, "changed": changes(before, after) }));
        }
        let recorded = json!({ "is": "recorded", "pane": pane, "phases": told, "left_out": phases.left_out });
        messages.push(Message::text(&recorded));
        messages
    }
}

fn picture<const D: usize>(
    pane: usize,
    index: usize,
    phase: &str,
    frame: &FrameData<D>,
    bounds: &[Interval; D],
) -> Message {
    let columns: Vec<_> = frame
        .fields
        .iter()
        .filter(|field| field.name != "velocity")
        .map(|field| {
            let values = numbers(&field.values);
            let range = Interval::of(values.iter().copied());
            (field, values, range)
        })
        .collect();
    let about = |(field, _, range): &(&bench_suite::output::Field<D>, Vec<f64>, Interval)| json!({ "name": field.name, "unit": field.unit, "range": range });
    let header = json!({
        "kind": "phase",
        "pane": pane,
        "index": index,
        "phase": phase,
        "n": frame.id.len(),
        "dim": D,
        "low": bounds.map(|b| b.low).to_vec(),
        "high": bounds.map(|b| b.high).to_vec(),
        "fields": columns.iter().map(about).collect::<Vec<_>>(),
    });
    let packet = Packet::new(&header).points(&frame.x, bounds);
    let packet = columns
        .into_iter()
        .fold(packet, |packet, (_, values, range)| packet.values(values.into_iter(), range));
    Message::Binary(packet.bytes())
}

/// How much a phase has changed positions and fields: the largest and the mean change.
fn changes<const D: usize>(before: &FrameData<D>, after: &FrameData<D>) -> Vec<Value> {
    if before.id != after.id {
        return Vec::new();
    }
    let of = |name: &str, unit: &str, changes: Vec<f64>| {
        let largest = changes.iter().copied().fold(0.0, f64::max);
        let mean = changes.iter().sum::<f64>() / changes.len().max(1) as f64;
        (largest > 0.0).then(|| json!({ "name": name, "unit": unit, "max": largest, "mean": mean }))
    };
    let distance = |one: &[Vec<sph_core::Real>; D], two: &[Vec<sph_core::Real>; D]| -> Vec<f64> {
        let d = |i: usize| {
            (0..D).map(|a| (f64::from(two[a][i]) - f64::from(one[a][i])).powi(2)).sum::<f64>().sqrt()
        };
        (0..one[0].len()).map(d).collect()
    };
    let fields = after.fields.iter().map(|field| {
        let name = &*field.name;
        let known = before.field(name)?;
        let changes = match (&known.values, &field.values) {
            (Values::Vector(one), Values::Vector(two)) => distance(one, two),
            (one, two) => {
                numbers(one).into_iter().zip(numbers(two)).map(|(one, two)| (two - one).abs()).collect()
            }
        };
        of(name, &field.unit, changes)
    });
    [of("position", "m", distance(&before.x, &after.x))].into_iter().chain(fields).flatten().collect()
}
