//! Prescribed motion of walls, evaluated from the initial sample at any time, so that nothing drifts.
use std::array::from_fn;
use std::f64::consts::TAU;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    geometry::shape::{direction, vector},
    keys::{Validate, formula::Jet, join},
    numerics::vector::{cross, norm},
    parameters,
};

mod given;

pub use given::{FormulaMotion, Given, TableMotion};

parameters! {
    /// Uniform motion between two times.
    pub struct Translation {
        /// Velocity while it moves.
        pub velocity: Vec<f64>, "m/s", "(-inf, inf)";
        /// When it begins to move.
        pub start: f64 = 0.0, "s", "[0, inf)";
        /// When it stops; never if left out.
        pub stop: Option<f64> = None, "s", "(0, inf)";
    }
}

parameters! {
    /// Harmonic motion, `x(t) = x_0 + A (sin(2π f t + φ) - sin φ)`: at time 0 the wall is where it is drawn.
    pub struct Oscillation {
        /// Amplitude `A`.
        pub amplitude: Vec<f64>, "m", "(-inf, inf)";
        /// Frequency `f`.
        pub frequency: f64, "Hz", "(0, inf)";
        /// Phase `φ` at time 0.
        pub phase: f64 = 0.0, "rad", "(-inf, inf)";
    }
}

parameters! {
    /// Rotation at constant speed, counterclockwise for positive speed.
    pub struct Rotation {
        /// A point that stays at rest.
        pub center: Vec<f64>, "m", "(-inf, inf)";
        /// Angular velocity.
        pub angular_velocity: f64, "rad/s", "(-inf, inf)";
        /// Direction of the axis, of any length; used in three dimensions only.
        pub axis: Vec<f64> = vec![0.0, 0.0, 1.0], "-", "(-inf, inf)";
    }
}

parameters! {
    /// The velocity at one time of a piecewise motion.
    pub struct Keyframe {
        /// Time.
        pub time: f64, "s", "[0, inf)";
        /// Velocity at that time.
        pub velocity: Vec<f64>, "m/s", "(-inf, inf)";
    }
}

/// How a wall moves; drawn in the scene at its place at time 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Motion {
    /// Not at all.
    #[default]
    Static,
    /// Uniformly between two times.
    Translation(Translation),
    /// Harmonically.
    Oscillation(Oscillation),
    /// About an axis at constant speed.
    Rotation(Rotation),
    /// By a velocity that is linear between the given times and constant before and after them.
    Piecewise(Vec<Keyframe>),
    /// By formulas of the time.
    Formula(FormulaMotion),
    /// By a table in a file.
    Table(TableMotion),
}

impl Validate for Motion {
    fn validate(&self, prefix: &str) -> Result<(), Error> {
        match self {
            Self::Static => Ok(()),
            Self::Translation(motion) => motion.validate(&join(prefix, "translation")),
            Self::Oscillation(motion) => motion.validate(&join(prefix, "oscillation")),
            Self::Rotation(motion) => motion.validate(&join(prefix, "rotation")),
            Self::Piecewise(frames) => frames.validate(&join(prefix, "piecewise")),
            Self::Formula(motion) => motion.validate(&join(prefix, "formula")),
            Self::Table(motion) => motion.validate(&join(prefix, "table")),
        }
    }
}

impl Motion {
    /// Reads the file that it names, which a path that is not absolute names from `folder` on, and takes over how long the
    /// run is, `[s]`. Keys in errors begin with `key`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is no table of a motion.
    pub fn load(&mut self, folder: &Path, until: f64, key: &str) -> Result<(), Error> {
        match self {
            Self::Formula(motion) => motion.last_until(until),
            Self::Table(motion) => motion.load(folder, &join(key, "table"))?,
            _ => {}
        }
        Ok(())
    }

    /// The motion in a fixed dimension; keys in errors begin with `key`.
    ///
    /// # Errors
    ///
    /// If a vector has not `D` entries, or times do not ascend.
    pub fn resolve<const D: usize>(&self, key: &str) -> Result<Trajectory<D>, Error> {
        self.validate(key)?;
        match self {
            Self::Static => Ok(Trajectory::Static),
            Self::Translation(motion) => resolve_translation(motion, &join(key, "translation")),
            Self::Oscillation(motion) => Ok(Trajectory::Oscillation {
                amplitude: vector(&join(key, "oscillation.amplitude"), &motion.amplitude)?,
                frequency: motion.frequency,
                phase: motion.phase,
            }),
            Self::Rotation(motion) => resolve_rotation(motion, &join(key, "rotation")),
            Self::Piecewise(frames) => resolve_piecewise(frames, &join(key, "piecewise")),
            Self::Formula(motion) => motion.resolve(&join(key, "formula")),
            Self::Table(motion) => motion.resolve(&join(key, "table")),
        }
    }
}

fn resolve_translation<const D: usize>(motion: &Translation, key: &str) -> Result<Trajectory<D>, Error> {
    let stop = motion.stop.unwrap_or(f64::INFINITY);
    if stop <= motion.start {
        let message = format!("must be later than start, {} s", motion.start);
        return Err(Error::invalid(join(key, "stop"), message).value(stop));
    }
    let velocity = vector(&join(key, "velocity"), &motion.velocity)?;
    Ok(Trajectory::Translation { velocity, start: motion.start, stop })
}

fn resolve_rotation<const D: usize>(motion: &Rotation, key: &str) -> Result<Trajectory<D>, Error> {
    let turn = Turn::resolve(&motion.center, &motion.axis, key)?;
    Ok(Trajectory::Rotation { turn, angular_velocity: motion.angular_velocity })
}

fn resolve_piecewise<const D: usize>(frames: &[Keyframe], key: &str) -> Result<Trajectory<D>, Error> {
    let mut legs: Vec<Leg<D>> = Vec::with_capacity(frames.len());
    for (i, frame) in frames.iter().enumerate() {
        let velocity: [f64; D] = vector(&format!("{key}[{i}].velocity"), &frame.velocity)?;
        let displacement = match legs.last() {
            None => velocity.map(|v| v * frame.time),
            Some(last) if frame.time > last.time => {
                let dt = frame.time - last.time;
                from_fn(|k| last.displacement[k] + 0.5 * dt * (last.velocity[k] + velocity[k]))
            }
            Some(last) => {
                let message = format!("must be later than the time before it, {} s", last.time);
                return Err(Error::invalid(format!("{key}[{i}].time"), message).value(frame.time));
            }
        };
        legs.push(Leg { time: frame.time, velocity, displacement });
    }
    if legs.is_empty() {
        return Err(Error::invalid(key, "needs at least one time with its velocity").value("[]"));
    }
    Ok(Trajectory::Piecewise(legs))
}

/// Velocity at the beginning of a leg, and the displacement until then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg<const D: usize> {
    /// Time `[s]`.
    pub time: f64,
    /// Velocity `[m/s]`.
    pub velocity: [f64; D],
    /// Displacement since time 0 `[m]`.
    pub displacement: [f64; D],
}

/// Where a point of a moving wall is, and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kinematics<const D: usize> {
    /// Place `[m]`.
    pub x: [f64; D],
    /// Velocity `[m/s]`.
    pub v: [f64; D],
    /// Acceleration `[m/s²]`.
    pub a: [f64; D],
}

/// A motion of fixed dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Trajectory<const D: usize> {
    /// At rest.
    Static,
    /// Uniform between two times.
    Translation {
        /// Velocity `[m/s]`.
        velocity: [f64; D],
        /// Beginning `[s]`.
        start: f64,
        /// End, infinite if there is none `[s]`.
        stop: f64,
    },
    /// Harmonic.
    Oscillation {
        /// Amplitude `[m]`.
        amplitude: [f64; D],
        /// Frequency `[Hz]`.
        frequency: f64,
        /// Phase at time 0 `[rad]`.
        phase: f64,
    },
    /// About an axis.
    Rotation {
        /// The axis.
        turn: Turn<D>,
        /// Angular velocity `[rad/s]`.
        angular_velocity: f64,
    },
    /// Velocity linear between the given times, at least one.
    Piecewise(Vec<Leg<D>>),
    /// By formulas or a table; the axis of one that turns.
    Given(Arc<Given>, Option<Turn<D>>),
}

/// An axis that a wall turns about, as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn<const D: usize> {
    /// A point of it `[m]`.
    pub center: [f64; D],
    /// Its direction, of length 1; z in 2D.
    pub axis: [f64; 3],
}

impl<const D: usize> Turn<D> {
    fn resolve(center: &[f64], axis: &[f64], key: &str) -> Result<Self, Error> {
        let center = vector(&join(key, "center"), center)?;
        let axis = if D == 3 { direction::<3>(&join(key, "axis"), axis)? } else { [0.0, 0.0, 1.0] };
        Ok(Self { center, axis })
    }

    fn arm(&self, x0: &[f64; D]) -> [f64; D] {
        from_fn(|k| x0[k] - self.center[k])
    }

    /// What a vector from the center becomes, and how it moves, with the angle `[θ, θ', θ'']` `[rad, rad/s, rad/s²]`:
    /// `R d`, `ω × R d`, `ω' × R d + ω × (ω × R d)` (Rodrigues' formula for `R`).
    pub fn spin(&self, arm: &[f64; D], [angle, speed, rise]: Jet) -> Kinematics<D> {
        let (axis, (sin, cos)) = (self.axis, angle.sin_cos());
        let d: [f64; 3] = from_fn(|k| if k < D { arm[k] } else { 0.0 });
        let along: f64 = (0..3).map(|k| axis[k] * d[k]).sum();
        let across = cross(axis, d);
        let turned: [f64; 3] = from_fn(|k| cos * d[k] + sin * across[k] + (1.0 - cos) * along * axis[k]);
        let around = cross(axis, turned);
        let v = around.map(|v| v * speed);
        let inward = cross(axis, v);
        let a = from_fn(|k| inward[k] * speed + around[k] * rise);
        Kinematics { x: from_fn(|k| turned[k]), v: from_fn(|k| v[k]), a }
    }

    /// Distance of a point from the axis `[m]`.
    fn radius(&self, x0: &[f64; D]) -> f64 {
        let arm = self.arm(x0);
        norm(cross(self.axis, from_fn(|k| if k < D { arm[k] } else { 0.0 })))
    }
}

impl<const D: usize> Trajectory<D> {
    /// Whether it never moves.
    pub fn is_static(&self) -> bool {
        matches!(self, Self::Static)
    }

    /// Largest speed, from time `t` on, of the point that is at `x0` at time 0 `[m/s]`.
    pub fn top_speed(&self, x0: &[f64; D], t: f64) -> f64 {
        match self {
            Self::Static => 0.0,
            Self::Translation { stop, .. } if t >= *stop => 0.0,
            Self::Translation { velocity, .. } => norm(*velocity),
            Self::Oscillation { amplitude, frequency, .. } => TAU * frequency * norm(*amplitude),
            Self::Rotation { turn, angular_velocity } => turn.radius(x0) * angular_velocity.abs(),
            Self::Piecewise(legs) => {
                let now = norm(along(legs, t).v);
                legs.iter().filter(|leg| leg.time > t).map(|leg| norm(leg.velocity)).fold(now, f64::max)
            }
            Self::Given(given, turn) => {
                let [speed, turning] = given.top_speeds(t);
                turn.map_or(speed, |turn| speed + turning * turn.radius(x0))
            }
        }
    }

    /// Place, velocity and acceleration at time `t` of the point that is at `x0` at time 0.
    pub fn at(&self, x0: &[f64; D], t: f64) -> Kinematics<D> {
        self.now(t).of(x0)
    }

    /// How all points move at time `t`.
    pub fn now(&self, t: f64) -> Moment<D> {
        let rest = Kinematics { x: [0.0; D], v: [0.0; D], a: [0.0; D] };
        match self {
            Self::Static => Moment { shift: rest, turn: None },
            Self::Translation { velocity, start, stop } => {
                let moved = (t.min(*stop) - start).max(0.0);
                let moving = t >= *start && t < *stop;
                let v = if moving { *velocity } else { [0.0; D] };
                Moment { shift: Kinematics { x: velocity.map(|v| moved * v), v, ..rest }, turn: None }
            }
            Self::Oscillation { amplitude, frequency, phase } => {
                let omega = TAU * frequency;
                let (sin, cos) = (turns(*frequency, t) + phase).sin_cos();
                let shift = Kinematics {
                    x: amplitude.map(|a| a * (sin - phase.sin())),
                    v: amplitude.map(|a| a * omega * cos),
                    a: amplitude.map(|a| -a * omega * omega * sin),
                };
                Moment { shift, turn: None }
            }
            Self::Rotation { turn, angular_velocity } => {
                let angle = [turns(angular_velocity / TAU, t), *angular_velocity, 0.0];
                Moment { shift: rest, turn: Some((*turn, angle)) }
            }
            Self::Piecewise(legs) => Moment { shift: along(legs, t), turn: None },
            Self::Given(given, turn) => {
                let jets = given.jets(t);
                let [x, v, a] = from_fn(|order| from_fn(|k| jets[k][order]));
                Moment { shift: Kinematics { x, v, a }, turn: turn.map(|turn| (turn, jets[given::ANGLE])) }
            }
        }
    }
}

/// How the points of a wall move at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment<const D: usize> {
    /// Displacement `[m]` of all points but for the turn, with its velocity and acceleration.
    pub shift: Kinematics<D>,
    /// The axis of the turn, and the angle `[θ, θ', θ'']` `[rad, rad/s, rad/s²]`; `None` where all points move alike.
    pub turn: Option<(Turn<D>, Jet)>,
}

impl<const D: usize> Moment<D> {
    /// Place, velocity and acceleration of the point that is at `x0` at time 0.
    pub fn of(&self, x0: &[f64; D]) -> Kinematics<D> {
        let Kinematics { x, v, a } = self.shift;
        let sum = |a: &[f64; D], b: &[f64; D]| from_fn(|k| a[k] + b[k]);
        let Some((turn, angle)) = &self.turn else { return Kinematics { x: sum(x0, &x), v, a } };
        let arm = turn.spin(&turn.arm(x0), *angle);
        Kinematics { x: sum(&sum(&turn.center, &x), &arm.x), v: sum(&v, &arm.v), a: sum(&a, &arm.a) }
    }
}

/// Angle `2π f t` without its full turns, so that late times lose no digits of the sine.
fn turns(frequency: f64, t: f64) -> f64 {
    TAU * (frequency * t).fract()
}

/// Displacement of a piecewise motion, with its velocity and acceleration.
fn along<const D: usize>(legs: &[Leg<D>], t: f64) -> Kinematics<D> {
    let next = legs.partition_point(|leg| leg.time <= t);
    let (Some(first), Some(last)) = (legs.first(), legs.get(next.wrapping_sub(1)).or(legs.first())) else {
        return Kinematics { x: [0.0; D], v: [0.0; D], a: [0.0; D] };
    };
    if next == 0 {
        return Kinematics { x: first.velocity.map(|v| t * v), v: first.velocity, a: [0.0; D] };
    }
    let dt = t - last.time;
    let a: [f64; D] = match legs.get(next) {
        Some(goal) => from_fn(|k| (goal.velocity[k] - last.velocity[k]) / (goal.time - last.time)),
        None => [0.0; D],
    };
    Kinematics {
        x: from_fn(|k| last.displacement[k] + dt * (last.velocity[k] + 0.5 * dt * a[k])),
        v: from_fn(|k| last.velocity[k] + dt * a[k]),
        a,
    }
}
