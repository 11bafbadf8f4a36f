//! The same steps on the processor and on another backend, compared particle by particle.
//!
//! Both sum the same terms in different orders, so they part by rounding, and a fluid that is stirred lets the parting
//! grow: after few steps the fields show what is wrong, after many the sums over all particles do.

use crate::{
    metrics::{HostView, conservation},
    run,
    system::processor::Processor,
};
use serde::Serialize;
use sph_core::{
    Real,
    error::Error,
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
    let runs = [
        run::simulation::<D>(scene, &Processor::from(processor.isa))?,
        run::simulation::<D>(scene, processor)?,
    ];
    Ok(follow(runs, &processor.name(), steps))
}

/// Steps two runs of one scene, the first on the processor, and compares both after each of `steps` steps.
pub fn follow<const D: usize>(mut runs: [Simulation<D>; 2], backend: &str, steps: &[u64]) -> Parity {
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
        for (run, name) in runs.iter_mut().zip(["cpu", backend]) {
            if let Err(error) = advance(run, step) {
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

/// Steps until so many are done, and copies all fields to the host.
fn advance<const D: usize>(run: &mut Simulation<D>, steps: u64) -> Result<(), StepError> {
    while run.state.step < steps {
        run.step(f64::INFINITY)?;
    }
    run.fetch()
}

/// Places of the particles in the order of their names.
fn by_id<const D: usize>(run: &Simulation<D>) -> Vec<usize> {
    let id = &run.state.fluid.id;
    let mut order: Vec<usize> = (0..id.len()).collect();
    order.sort_by_key(|&i| id[i]);
    order
}

fn look<const D: usize>(runs: &[Simulation<D>; 2]) -> Result<Moment, String> {
    let [a, b] = runs;
    let (at, bt) = (by_id(a), by_id(b));
    let same =
        at.len() == bt.len() && at.iter().zip(&bt).all(|(&i, &j)| a.state.fluid.id[i] == b.state.fluid.id[j]);
    if !same {
        return Err(format!("{} particles on the cpu, {} others on the backend", at.len(), bt.len()));
    }
    let (fluid, other) = (&a.state.fluid, &b.state.fluid);
    let difference =
        |name, unit, left: &[&[Real]], right: &[&[Real]]| difference((name, unit), (left, &at), (right, &bt));
    let mut fields = vec![
        difference("position", "m", &slices(&fluid.x), &slices(&other.x)),
        difference("velocity", "m/s", &slices(&fluid.v), &slices(&other.v)),
        difference("density", "kg/m³", &[&fluid.rho], &[&other.rho]),
    ];
    for field in a.solver.fields() {
        let known = |run: &'_ Simulation<D>| run.solver.field(field.name).map(|x| x.len());
        if known(a) == Some(at.len()) && known(b) == Some(bt.len()) {
            let [left, right] = [a, b].map(|run| run.solver.field(field.name).unwrap_or(&[]));
            fields.push(difference(field.name, field.unit, &[left], &[right]));
        }
    }
    Ok(Moment { step: a.state.step, t: [a.state.t, b.state.t], fields, drifts: drifts(runs) })
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
    Difference { name, unit, scale, ulp, in_ulp: over(ulp), relative: over(scale) }
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

fn drifts<const D: usize>(runs: &[Simulation<D>; 2]) -> Vec<Drift> {
    let report = StepReport::default();
    let sums = runs.each_ref().map(|run| HostView::with(&run.view(&report), conservation::sums));
    let drift = |name, unit, values: [f64; 2], scale: f64| {
        let apart = values[1] - values[0];
        Drift { name, unit, values, relative: if apart == 0.0 { 0.0 } else { apart / scale }, scale }
    };
    let energy = sums.each_ref().map(|s| s.kinetic + s.potential);
    let volume = sums.each_ref().map(|s| s.volume);
    vec![
        drift("front", "m", runs.each_ref().map(front), f64::from(runs[0].state.rest.spacing)),
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
            "after {} steps, t = {:.6e} s and {:.6e} s\n  {:<36}{:>32}{:>36}\n",
            moment.step, moment.t[0], moment.t[1], "", "p50, p99, max [ULP]", "over the largest [-]"
        );
        for f in &moment.fields {
            let numbers = |x: [f64; 3], f: fn(f64) -> String| x.map(|x| format!("{:>11}", f(x))).join(" ");
            out += &format!(
                "  {:<36}{} {}\n",
                format!("{} (largest {:.4e} {})", f.name, f.scale, f.unit),
                numbers(f.in_ulp, |x| format!("{x:.2}")),
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
