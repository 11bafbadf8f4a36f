//! The same steps on the processor and on another backend, compared particle by particle.
//!
//! Both sum the same terms in different orders, so they part by rounding, and a fluid that is stirred lets the parting
//! grow. How far is that of a third run: the processor again, with each value of its state moved to the next number above or
//! below before each step. What parts by much more than it is no rounding.

use crate::{
    metrics::{HostView, conservation},
    run,
    system::processor::Processor,
};
use serde::Serialize;
use sph_core::{
    Real,
    error::Error,
    fluid::particles::Particles,
    geometry::sampling::splitmix64,
    method::{failure::StepError, report::StepReport},
    run::simulation::Simulation,
    scene::Scene,
};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Parity {
    /// The backend beside the processor.
    pub backend: String,
    /// `f32` or `f64`.
    pub precision: &'static str,
    /// Fluid particles at the start.
    pub particles: usize,
    /// Wall samples.
    pub walls: usize,
    /// What it looked like after so many steps.
    pub moments: Vec<Moment>,
    /// Why a run ended early, if one did.
    pub failure: Option<String>,
}

/// Both runs after equally many steps.
#[derive(Clone, Debug, Serialize)]
pub struct Moment {
    /// Steps done.
    pub step: u64,
    /// Simulated time, of the processor and of the backend, `[s]`.
    pub t: [f64; 2],
    /// The fields, particle by particle.
    pub fields: Vec<Difference>,
    /// Sums over all particles.
    pub drifts: Vec<Drift>,
}

/// How far a field of one run is from that of the other. Of a particle it is that of the component that differs most.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// The field.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// The largest magnitude of any component of any particle on the processor, in this unit.
    pub scale: f64,
    /// One unit in the last place (ULP) of the scale: the distance to the next number of this precision, in this unit.
    pub ulp: f64,
    /// In ULP: half of the particles differ by at most this, 99 % of them, all of them `[-]`.
    pub in_ulp: [f64; 3],
    /// The same over the scale, `[-]`.
    pub relative: [f64; 3],
    /// The same as `in_ulp`, of the processor from itself with a state that is rounded once more before each step `[-]`.
    pub of_rounding: [f64; 3],
}

/// A sum over all particles in both runs.
#[derive(Clone, Debug, Serialize)]
pub struct Drift {
    /// What it is.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Of the processor and of the backend.
    pub values: [f64; 2],
    /// Their difference over `scale`, `[-]`.
    pub relative: f64,
    /// What the difference is measured in: for the front the spacing, for the energy the sum of both magnitudes, for
    /// the volume the volume, of the processor.
    pub scale: f64,
}

/// Runs the scene on the processor and where `processor` says, and compares both after each of `steps` steps. A run
/// that fails is an answer, too: what was seen until then, and why.
///
/// # Errors
/// When the scene is refused.
pub fn compare(scene: &Scene, steps: &[u64], processor: &Processor) -> Result<Parity, Error> {
    if scene.dim == 2 {
        compare_in::<2>(scene, steps, processor)
    } else {
        compare_in::<3>(scene, steps, processor)
    }
}

fn compare_in<const D: usize>(scene: &Scene, steps: &[u64], processor: &Processor) -> Result<Parity, Error> {
    let cpu = Processor::from(processor.isa);
    let runs = [
        run::simulation::<D>(scene, &cpu)?,
        run::simulation::<D>(scene, processor)?,
        run::simulation::<D>(scene, &cpu)?,
    ];
    Ok(follow(runs, &processor.name(), steps))
}

/// Steps three runs of one scene, the first and the last on the processor, and compares them after each of `steps` steps.
pub fn follow<const D: usize>(mut runs: [Simulation<D>; 3], backend: &str, steps: &[u64]) -> Parity {
    let mut parity = Parity {
        backend: backend.into(),
        precision: if size_of::<Real>() == 4 { "f32" } else { "f64" },
        particles: runs[0].state.fluid.len(),
        walls: runs[0].state.walls.len(),
        moments: Vec::new(),
        failure: None,
    };
    let mut steps = steps.to_vec();
    steps.sort_unstable();
    steps.dedup();
    for step in steps {
        let rounded = [false, false, true];
        for ((run, name), rounded) in runs.iter_mut().zip(["cpu", backend, "cpu, rounded"]).zip(rounded) {
            if let Err(error) = advance(run, step, rounded) {
                parity.failure = Some(format!("{name}: {}", error.line()));
                return parity;
            }
        }
        match look(&runs) {
            Ok(moment) => parity.moments.push(moment),
            Err(reason) => {
                parity.failure = Some(reason);
                return parity;
            }
        }
    }
    parity
}

/// Steps until so many are done, from rounded states if so, and copies all fields to the host.
fn advance<const D: usize>(run: &mut Simulation<D>, steps: u64, rounded: bool) -> Result<(), StepError> {
    while run.state.step < steps {
        if rounded {
            round(run);
        }
        run.step(f64::INFINITY)?;
    }
    run.fetch()
}

/// Moves each value of the state to the next number above or below: what one more rounding does at most.
fn round<const D: usize>(run: &mut Simulation<D>) {
    let Particles { id, x, v, rho } = &mut run.state.fluid;
    for (k, field) in x.iter_mut().chain(v).chain([rho]).enumerate() {
        let seed = splitmix64(run.state.step << 8 | k as u64);
        for (value, &id) in field.iter_mut().zip(&*id) {
            let up = splitmix64(seed ^ id) >> 63 == 0;
            *value = if up { value.next_up() } else { value.next_down() };
        }
    }
}

/// Places of the particles in the order of their names.
fn by_id<const D: usize>(run: &Simulation<D>) -> Vec<usize> {
    let id = &run.state.fluid.id;
    let mut order: Vec<usize> = (0..id.len()).collect();
    order.sort_by_key(|&i| id[i]);
    order
}

/// The components of a field of each run.
type Runs<'a> = [Vec<&'a [Real]>; 3];

fn look<const D: usize>(runs: &[Simulation<D>; 3]) -> Result<Moment, String> {
    let orders = runs.each_ref().map(by_id);
    let names = |k: usize| orders[k].iter().map(move |&i| runs[k].state.fluid.id[i]);
    if let Some(k) = [1, 2].into_iter().find(|&k| !names(0).eq(names(k))) {
        return Err(format!(
            "{} particles on the cpu, {} others beside it",
            orders[0].len(),
            orders[k].len()
        ));
    }
    let state = |of: fn(&Particles<D>) -> Vec<&[Real]>| Some(runs.each_ref().map(|run| of(&run.state.fluid)));
    let own = |name| {
        let known =
            |run: &'_ Simulation<D>| run.solver.field(name).is_some_and(|x| x.len() == orders[0].len());
        let all = runs.iter().all(known);
        all.then(|| runs.each_ref().map(|run| vec![run.solver.field(name).unwrap_or(&[])]))
    };
    let mut fields: Vec<(_, _, Option<Runs<'_>>)> = vec![
        ("position", "m", state(|fluid| slices(&fluid.x))),
        ("velocity", "m/s", state(|fluid| slices(&fluid.v))),
        ("density", "kg/m³", state(|fluid| vec![&fluid.rho])),
    ];
    fields.extend(runs[0].solver.fields().iter().map(|field| (field.name, field.unit, own(field.name))));
    let fields = fields.into_iter().filter_map(|(name, unit, found)| {
        let [cpu, backend, rounded] = found?;
        let from_cpu =
            |other: &[&[Real]], order| difference((name, unit), (&cpu, &orders[0]), (other, order));
        let of_rounding = from_cpu(&rounded, &orders[2]).in_ulp;
        Some(Difference { of_rounding, ..from_cpu(&backend, &orders[1]) })
    });
    let [a, b, _] = runs;
    Ok(Moment {
        step: a.state.step,
        t: [a.state.t, b.state.t],
        fields: fields.collect(),
        drifts: drifts([a, b]),
    })
}

fn slices<const D: usize>(x: &[Vec<Real>; D]) -> Vec<&[Real]> {
    x.iter().map(Vec::as_slice).collect()
}

/// The components of a field, and the places of its particles in the order of their names.
type Ordered<'a> = (&'a [&'a [Real]], &'a [usize]);

/// By how much a field of two runs differs, in the order of the particles' ids.
pub fn difference((name, unit): (&'static str, &'static str), a: Ordered<'_>, b: Ordered<'_>) -> Difference {
    let largest = a.0.iter().flat_map(|x| x.iter()).fold(0.0, |most: Real, x| most.max(x.abs()));
    let (scale, ulp) = (f64::from(largest), f64::from(largest.next_up() - largest));
    let of = |(&i, &j): (&usize, &usize)| {
        let axes = a.0.iter().zip(b.0);
        axes.map(|(x, y)| (f64::from(x[i]) - f64::from(y[j])).abs()).fold(0.0, more)
    };
    let mut found: Vec<f64> = a.1.iter().zip(b.1).map(of).collect();
    found.sort_by(f64::total_cmp);
    let most = [0.5, 0.99, 1.0].map(|part| quantile(&found, part));
    let over = |unit: f64| most.map(|x| if x == 0.0 { 0.0 } else { x / unit });
    Difference { name, unit, scale, ulp, in_ulp: over(ulp), relative: over(scale), of_rounding: [0.0; 3] }
}

/// The larger of two differences; NaN is larger than all.
fn more(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b).is_lt() { b } else { a }
}

/// The least of the sorted values that this part of them does not exceed; 0 of nothing.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
}

fn drifts<const D: usize>(runs: [&Simulation<D>; 2]) -> Vec<Drift> {
    let report = StepReport::default();
    let sums = runs.map(|run| HostView::with(&run.view(&report), conservation::sums));
    let drift = |name, unit, values: [f64; 2], scale: f64| {
        let apart = values[1] - values[0];
        Drift { name, unit, values, relative: if apart == 0.0 { 0.0 } else { apart / scale }, scale }
    };
    let energy = sums.each_ref().map(|s| s.kinetic + s.potential);
    let volume = sums.each_ref().map(|s| s.volume);
    vec![
        drift("front", "m", runs.map(front), f64::from(runs[0].state.rest.spacing)),
        drift("kinetic and potential energy", "J", energy, sums[0].kinetic + sums[0].potential.abs()),
        drift("volume", "m³", volume, volume[0]),
    ]
}

/// The x that 99.9 % of the particles lie below, `[m]`.
fn front<const D: usize>(run: &Simulation<D>) -> f64 {
    let mut x: Vec<f64> = run.state.fluid.x[0].iter().map(|&x| f64::from(x)).collect();
    x.sort_by(f64::total_cmp);
    quantile(&x, 0.999)
}

/// What was found, for people.
#[must_use]
pub fn table(parity: &Parity) -> String {
    let mut out = format!(
        "{} particles, {} wall samples, {}: cpu against {}\nULP: of the largest component of the field on the cpu\n",
        parity.particles, parity.walls, parity.precision, parity.backend
    );
    for moment in &parity.moments {
        out += &format!(
            "after {} steps, t = {:.6e} s and {:.6e} s\n  {:<36}{:>35}{:>36}{:>36}\n",
            moment.step,
            moment.t[0],
            moment.t[1],
            "",
            "p50, p99, max [ULP]",
            "of rounding [ULP]",
            "over the largest [-]"
        );
        for f in &moment.fields {
            let numbers = |x: [f64; 3], f: fn(f64) -> String| x.map(|x| format!("{:>11}", f(x))).join(" ");
            out += &format!(
                "  {:<36}{} {} {}\n",
                format!("{} (largest {:.4e} {})", f.name, f.scale, f.unit),
                numbers(f.in_ulp, |x| format!("{x:.2}")),
                numbers(f.of_rounding, |x| format!("{x:.2}")),
                numbers(f.relative, |x| format!("{x:.2e}"))
            );
        }
        for d in &moment.drifts {
            let [cpu, other] = d.values;
            out += &format!(
                "  {:<36}{cpu:.6e} and {other:.6e} {}: {:+.2e} of {:.4e} {}\n",
                d.name, d.unit, d.relative, d.scale, d.unit
            );
        }
    }
    out
}
