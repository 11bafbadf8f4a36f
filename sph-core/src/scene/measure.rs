//! What is measured in a run: declarations of probes, gauges, profiles, flow rates, bodies, statistics and totals.
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Container, Scene};
use crate::{
    error::Error,
    geometry::shape::{direction, vector},
    keys::{
        formula::{Formula, Particle},
        join,
    },
    numerics::vector::norm,
    parameters,
};

parameters! {
    /// A quantity that is kept as a time series: exactly one kind of it.
    pub struct Measure {
        /// Name of the series and of its files.
        pub name: String;
        /// Simulated time between two samples; `run.output_interval` if left out.
        pub interval: Option<f64> = None, "s", "(0, inf)";
        /// Simulated time from which samples are taken, and intervals are counted; 0 if left out.
        pub from: Option<f64> = None, "s", "[0, inf)";
        /// Simulated time of the last sample at most; the end of the run if left out.
        pub to: Option<f64> = None, "s", "(0, inf)";
        /// A field at a point, or its mean over a disc.
        pub probe: Option<Probe> = None, validate;
        /// Level of the fluid along a line.
        pub gauge: Option<Gauge> = None, validate;
        /// A field at points along a line.
        pub profile: Option<Profile> = None, validate;
        /// Flow rate through a plane.
        pub flow: Option<FlowRate> = None, validate;
        /// Position, velocity and load of the body of this name.
        pub body: Option<String> = None;
        /// Force and moment of the fluid on a wall, a container or a body.
        pub force: Option<ForceOn> = None, validate;
        /// A mean or an extreme of a formula over the particles.
        pub statistic: Option<Statistic> = None;
        /// Sums and extremes over the whole fluid, and numbers of the step.
        pub totals: Option<Vec<Total>> = None;
    }
}

parameters! {
    /// A field at a point: that of the plane of least squares through the particles within the support radius, weighted by
    /// Wendland's C2 kernel.
    pub struct Probe {
        /// The point, or the middle of the disc.
        pub at: Vec<f64>, "m", "(-inf, inf)";
        /// `velocity`, `speed`, `density`, or a field of the solver, as `pressure`.
        pub field: String;
        /// Order of the interpolation: 1 is exact for linear fields, at walls too; 0 is the weighted mean.
        pub order: u8 = 1, "-", "[0, 1]";
        /// Diameter of a disc over which the field is averaged, as of a sensor in a wall; in two dimensions it is seen from
        /// the side, and the chord at a place is its weight.
        pub diameter: Option<f64> = None, "m", "(0, inf)";
        /// Normal of the disc, of any length.
        pub normal: Option<Vec<f64>> = None, "-", "(-inf, inf)";
    }
}

parameters! {
    /// Level along a line: where the part of the space that fluid fills, `Σ V W` over the part that no wall takes, falls
    /// through one half. Of several stretches of fluid the longest counts, and what hangs higher over the one below than it is
    /// long is spray.
    pub struct Gauge {
        /// Lower end of the line, from which the level is counted.
        pub from: Vec<f64>, "m", "(-inf, inf)";
        /// Upper end.
        pub to: Vec<f64>, "m", "(-inf, inf)";
    }
}

parameters! {
    /// A field at points along a line, both ends included, each as of a probe.
    pub struct Profile {
        /// First point.
        pub from: Vec<f64>, "m", "(-inf, inf)";
        /// Last point.
        pub to: Vec<f64>, "m", "(-inf, inf)";
        /// Number of points `[convention]`.
        pub points: u32 = 51, "-", "[2, 10000]";
        /// `velocity`, `speed`, `density`, or a field of the solver, as `pressure`.
        pub field: String;
        /// Order of the interpolation, as of a probe.
        pub order: u8 = 1, "-", "[0, 1]";
    }
}

parameters! {
    /// Volume that passes a plane in a unit of time, `Q = Σ V (v · n) W₁(d)`: `d` is the distance from the plane, `W₁`
    /// Wendland's C2 kernel in one dimension.
    pub struct FlowRate {
        /// A point of the plane.
        pub at: Vec<f64>, "m", "(-inf, inf)";
        /// Normal, of any length: what flows along it counts as positive.
        pub normal: Vec<f64>, "-", "(-inf, inf)";
        /// Radius of the disc around the point that counts, in two dimensions half of its width; all of the plane if left
        /// out.
        pub radius: Option<f64> = None, "m", "(0, inf)";
    }
}

parameters! {
    /// Force and moment of the fluid on a wall, a container or a body, `F = Σ F_b` and `M = Σ (x_b − c) × F_b` over its samples,
    /// or over the particles that a container holds: the opposite of what the fluid gets from them in the step.
    pub struct ForceOn {
        /// Name of the wall or the body, or `container[0]` for the first container.
        pub on: String;
        /// The point c of the moment; if left out, of a wall or a container the origin, of a body its center of mass.
        pub about: Option<Vec<f64>> = None, "m", "(-inf, inf)";
    }
}

parameters! {
    /// A mean or an extreme over the particles of a formula of `x`, `y`, `z`, `t`, the velocity `u`, `v`, `w`, the density `rho`,
    /// the pressure `p` and the spacing `dx`: as an error, `abs(u - y*(1 - y))`.
    pub struct Statistic {
        /// The formula.
        pub formula: Formula;
        /// What is taken of its values.
        pub take: Take = Take::Mean;
        /// Unit of the result, as tables and plots name it.
        pub unit: String = "-".into();
    }
}

/// What is taken of the values of all particles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// Their mean.
    #[default]
    Mean,
    /// The root of the mean of their squares.
    Rms,
    /// The smallest.
    Least,
    /// The largest.
    Largest,
}

/// A number of the whole fluid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Total {
    /// `½ Σ m v²`.
    KineticEnergy,
    /// In gravity, with the acceleration beside it in the last step, and the central force: `Σ m (−g · x + ½ B² |x − c|²)`.
    PotentialEnergy,
    /// Of compression, `Σ m e(ρ)`; 0 of a method without one.
    InternalEnergy,
    /// Sum of the three.
    TotalEnergy,
    /// `Σ m v`.
    Momentum,
    /// `Σ m x × v`, about the origin.
    AngularMomentum,
    /// `Σ m/ρ`.
    Volume,
    /// Center of mass.
    Center,
    /// Least and largest coordinates of particles.
    Extent,
    /// Area of the free surface, where less than half of the space beside the walls is filled; in 2D of a slab of 1 m depth.
    SurfaceArea,
    /// Mean of `(d₂ − d₁)/(d₂ + d₁)` with the distance of the nearest particle, d₁, and the largest of those of the nearest
    /// in each sector of directions, d₂: 0 on a lattice.
    Disorder,
    /// Number of particles.
    Particles,
    /// Largest speed of a particle.
    LargestSpeed,
    /// Mean over the particles of `max(ρ/ρ₀ − 1, 0)`, and largest `ρ/ρ₀ − 1`, of the last step.
    DensityError,
    /// Size of the last step.
    TimeStep,
    /// Iterations of the last step.
    Iterations,
}

/// Samples that a series may have: intervals down to this part of its stretch of time `[convention]`.
const MOST_SAMPLES: f64 = 1e6;
/// Numbers that a series may have `[convention]`.
const MOST_NUMBERS: f64 = 4e6;
/// Memory of a number, `[B]`: the series, its arrays and its text while they are written.
const BYTES: f64 = 40.0;
/// Longest line of a gauge, in spacings `[convention]`.
const LONGEST_GAUGE: f64 = 1e5;
/// Longest unit, in bytes.
const LONGEST_UNIT: usize = 16;
/// Longest name, in bytes.
const LONGEST_NAME: usize = 64;
/// Signs beside letters and digits that a name may have: it names a file.
const SIGNS: &str = " _-.+()";

impl Probe {
    /// A field at a point, of first order.
    pub fn at(at: Vec<f64>, field: &str) -> Self {
        Self { at, field: field.to_owned(), order: 1, diameter: None, normal: None }
    }
}

impl Measure {
    /// A measure of nothing yet, at the interval of the output.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            interval: None,
            from: None,
            to: None,
            probe: None,
            gauge: None,
            profile: None,
            flow: None,
            body: None,
            force: None,
            statistic: None,
            totals: None,
        }
    }

    /// True when it measures the force on the wall, container or body of this name.
    pub fn is_force_on(&self, name: &str) -> bool {
        self.force.as_ref().is_some_and(|force| force.on == name)
    }

    /// Simulated time between two samples in a scene, `[s]`.
    pub fn interval_in(&self, scene: &Scene) -> f64 {
        let run = &scene.run;
        self.interval.or(run.output_interval).unwrap_or(run.end_time / 100.0)
    }

    /// Simulated time from the first sample to the last in a scene, `[s]`.
    fn stretch_in(&self, scene: &Scene) -> f64 {
        let end = scene.run.end_time;
        self.to.map_or(end, |to| to.min(end)) - self.from.unwrap_or(0.0)
    }

    /// Numbers of a sample in `dim` dimensions, its time among them, if every field were a vector.
    fn width(&self, dim: usize) -> usize {
        let of_points = |points: u32| points as usize * dim;
        let totals = self.totals.iter().flatten().map(|total| total.width(dim)).sum::<usize>();
        // A body has at most a position, an orientation, two velocities, a force and a torque.
        let body = if self.body.is_some() || self.force.is_some() { 5 * dim + 4 } else { 0 };
        1 + self.profile.as_ref().map_or(dim, |profile| of_points(profile.points)).max(totals).max(body)
    }

    /// Memory of its series in a scene, `[B]`.
    pub fn bytes(&self, scene: &Scene) -> f64 {
        let samples = self.stretch_in(scene) / self.interval_in(scene) + 1.0;
        BYTES * self.width(scene.dim.into()) as f64 * samples
    }
}

impl Scene {
    /// True where forces of the fluid are needed: with bodies, and where one is measured.
    pub fn needs_forces(&self) -> bool {
        !self.body.is_empty() || self.measure.iter().any(|measure| measure.force.is_some())
    }

    /// True where they are needed on samples: containers have none.
    pub fn needs_reactions(&self) -> bool {
        let is_container = |on: &String| (0..self.container.len()).any(|k| *on == Container::called(k));
        let mut forces = self.measure.iter().filter_map(|measure| measure.force.as_ref());
        !self.body.is_empty() || forces.any(|force| !is_container(&force.on))
    }
}

impl Total {
    /// Numbers of it in `dim` dimensions.
    pub fn width(self, dim: usize) -> usize {
        match self {
            Self::Momentum | Self::Center => dim,
            Self::AngularMomentum => 2 * dim - 3,
            Self::Extent => 2 * dim,
            Self::DensityError => 2,
            _ => 1,
        }
    }
}

/// Checks what can be wrong with the measures of a scene before anything is made of it.
pub(super) fn check<const D: usize>(scene: &Scene) -> Result<(), Error> {
    let mut names = BTreeMap::new();
    for (k, measure) in scene.measure.iter().enumerate() {
        let key = format!("measure[{k}]");
        check_name(&measure.name, &join(&key, "name"))?;
        // Not every file system tells small letters from large ones.
        if let Some(first) = names.insert(measure.name.to_lowercase(), key.clone()) {
            let message = format!("is the name of {first}, too");
            let error = Error::invalid(join(&key, "name"), message).value(format!("{:?}", measure.name));
            return Err(error.hint("give each measure a name of its own"));
        }
        check_kind(measure, &key)?;
        check_stretch(measure, scene.run.end_time, &key)?;
        check_size(measure, scene, &key)?;
        places::<D>(measure, scene.spacing, &key)?;
        if let Some(statistic) = &measure.statistic {
            check_statistic::<D>(statistic, &join(&key, "statistic"))?;
        }
        let bodies = scene.body.iter().enumerate().map(|(k, body)| body.called(k));
        if let Some(name) = &measure.body {
            super::check::known("body", bodies, name, &join(&key, "body"))?;
        } else if let Some(force) = &measure.force {
            let walls = scene.wall.iter().enumerate().map(|(k, wall)| wall.called(k));
            let all = walls.chain((0..scene.container.len()).map(Container::called)).chain(bodies);
            super::check::known("wall, container or body", all, &force.on, &join(&key, "force.on"))?;
        }
    }
    Ok(())
}

fn check_name(name: &str, key: &str) -> Result<(), Error> {
    let fits = |c: char| c.is_alphanumeric() || SIGNS.contains(c);
    let plain =
        name.starts_with(char::is_alphanumeric) && name.chars().all(fits) && !name.ends_with(['.', ' ']);
    if plain && name.len() <= LONGEST_NAME {
        return Ok(());
    }
    let message = "must be a name of a file: at most 64 bytes of letters, digits, blanks and _ - . + ( ), a letter or digit first";
    Err(Error::invalid(key, message).value(format!("{name:?}")))
}

fn check_kind(measure: &Measure, key: &str) -> Result<(), Error> {
    let Measure { probe, gauge, profile, flow, body, force, statistic, totals, .. } = measure;
    let kinds = [
        probe.is_some(),
        gauge.is_some(),
        profile.is_some(),
        flow.is_some(),
        body.is_some(),
        force.is_some(),
        statistic.is_some(),
        totals.is_some(),
    ];
    let n = kinds.into_iter().filter(|given| *given).count();
    if n != 1 {
        let error = Error::invalid(key, format!("names {n} kinds of measure, must name one"));
        return Err(error.hint("give one of probe, gauge, profile, flow, body, force, statistic, totals"));
    }
    if let Some(totals) = totals {
        let key = join(key, "totals");
        if totals.is_empty() {
            return Err(Error::invalid(key, "names nothing to measure").value("[]"));
        }
        if let Some(k) = (1..totals.len()).find(|&k| totals[..k].contains(&totals[k])) {
            return Err(Error::invalid(format!("{key}[{k}]"), "is named twice"));
        }
    }
    Ok(())
}

/// Refuses variables that particles do not have, and a unit that would not fit into the head of a table.
fn check_statistic<const D: usize>(statistic: &Statistic, key: &str) -> Result<(), Error> {
    statistic.formula.check(&join(key, "formula"), &Particle::variables(D))?;
    let unit = &statistic.unit;
    let fits = |c: char| c.is_alphanumeric() || " /^-%".contains(c);
    if !unit.is_empty() && unit.len() <= LONGEST_UNIT && unit.chars().all(fits) {
        return Ok(());
    }
    let message = "must be a unit, as m/s or kg m^2/s; - for a pure number";
    Err(Error::invalid(join(key, "unit"), message).value(format!("{unit:?}")))
}

/// Refuses a stretch of time in which no sample can be taken.
fn check_stretch(measure: &Measure, end: f64, key: &str) -> Result<(), Error> {
    let from = measure.from.unwrap_or(0.0);
    if from > end {
        let error = Error::range(join(key, "from"), from, &format!("[0, {end:?}]")).unit("s");
        return Err(error.hint("the run ends at run.end_time"));
    }
    if let Some(to) = measure.to.filter(|to| *to <= from) {
        let error = Error::range(join(key, "to"), to, &format!("({from:?}, inf)")).unit("s");
        return Err(error.hint("the last sample is taken after the first, at `from`"));
    }
    Ok(())
}

/// Refuses a series that would not fit into memory and files.
fn check_size(measure: &Measure, scene: &Scene, key: &str) -> Result<(), Error> {
    let (interval, stretch) = (measure.interval_in(scene), measure.stretch_in(scene));
    let least = (stretch / MOST_SAMPLES).max(stretch * measure.width(scene.dim.into()) as f64 / MOST_NUMBERS);
    if interval >= least {
        return Ok(());
    }
    let range = format!("[{least:?}, inf)");
    let error = Error::range(join(key, "interval"), interval, &range).unit("s");
    Err(error.hint("a series holds at most a million samples and four million numbers"))
}

/// Checks points, normals and lines.
fn places<const D: usize>(measure: &Measure, spacing: f64, key: &str) -> Result<(), Error> {
    if let Some(probe) = &measure.probe {
        let key = join(key, "probe");
        vector::<D>(&join(&key, "at"), &probe.at)?;
        match (&probe.normal, probe.diameter) {
            (Some(normal), Some(_)) => drop(direction::<D>(&join(&key, "normal"), normal)?),
            (None, None) => {}
            (Some(_), None) => return Err(alone(&key, "normal", "diameter")),
            (None, Some(_)) => return Err(alone(&key, "diameter", "normal")),
        }
    }
    if let Some(gauge) = &measure.gauge {
        let key = join(key, "gauge");
        let length = line::<D>(&gauge.from, &gauge.to, &key)?;
        if length > LONGEST_GAUGE * spacing {
            let message = format!("makes the line {length:?} m long, more than {LONGEST_GAUGE:?} spacings");
            return Err(Error::invalid(join(&key, "to"), message).value(format!("{:?}", gauge.to)));
        }
    }
    if let Some(profile) = &measure.profile {
        line::<D>(&profile.from, &profile.to, &join(key, "profile"))?;
    }
    if let Some(flow) = &measure.flow {
        vector::<D>(&join(key, "flow.at"), &flow.at)?;
        direction::<D>(&join(key, "flow.normal"), &flow.normal)?;
    }
    if let Some(about) = measure.force.as_ref().and_then(|force| force.about.as_ref()) {
        vector::<D>(&join(key, "force.about"), about)?;
    }
    Ok(())
}

fn alone(key: &str, name: &str, missing: &str) -> Error {
    Error::invalid(join(key, name), format!("needs `{missing}` beside it")).hint("a disc has both")
}

/// The length of a line, `[m]`.
fn line<const D: usize>(from: &[f64], to: &[f64], key: &str) -> Result<f64, Error> {
    let from = vector::<D>(&join(key, "from"), from)?;
    let end = vector::<D>(&join(key, "to"), to)?;
    if end == from {
        let error = Error::invalid(join(key, "to"), "is the point `from`").value(format!("{to:?}"));
        return Err(error.hint("a line has two ends"));
    }
    Ok(norm::<D>(std::array::from_fn(|a| end[a] - from[a])))
}
