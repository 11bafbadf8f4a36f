//! The likely cause of a failure, by rules that go from what is certain to what is merely usual.

use super::{Culprit, Facts, culprit::closest, escape, is_before};
use crate::{
    Real,
    lane::each,
    solver::{Cause, Solver, StepError},
    state::State,
};
use std::fmt;

/// What probably made a step fail, with the numbers that speak for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Suspicion {
    /// A number was not finite before the step: an initial value, a command, a file.
    BadValue {
        /// Which field.
        field: &'static str,
    },
    /// Two particles are nearly at one place.
    Overlap {
        /// Their distance over the spacing, `[-]`.
        distance: f64,
        /// True when they were placed so, false when they came so close.
        at_start: bool,
    },
    /// Particles stand at their spacing, and yet their density is far from that at rest.
    Inconsistent {
        /// ρ/ρ₀ − 1, `[-]`.
        error: f64,
    },
    /// The step exceeds a limit of the method.
    StepTooLarge {
        /// The step, `[s]`.
        dt: f64,
        /// The largest that was allowed, `[s]`.
        allowed: f64,
        /// The limit that says so; empty if it is not known.
        limit: &'static str,
        /// How far the particle moves in a step, in spacings, `[-]`.
        travel: f64,
    },
    /// The flow is too fast for the sound speed: pressure no longer keeps particles apart.
    SoundTooLow {
        /// Largest speed over sound speed, `[-]`.
        mach: f64,
        /// ρ/ρ₀ − 1 of the particle, `[-]`.
        compression: f64,
    },
    /// A moving wall is too fast for the step or the sound speed.
    WallTooFast {
        /// Its largest speed, `[m/s]`.
        speed: f64,
        /// How far it moves in a step, in spacings, `[-]`.
        travel: f64,
    },
    /// The particle came through a wall.
    WallTooThin {
        /// Thickness of the wall where it came through, `[m]`.
        thickness: f64,
        /// Speed of the particle, `[m/s]`.
        speed: f64,
        /// How far the particle moves in a step, `[m]`.
        travel: f64,
        /// The support radius, which a wall should fill, `[m]`.
        support: f64,
    },
    /// The particle met no wall on its way out, far beyond those that there are.
    WallMissing {
        /// Speed of the particle, `[m/s]`.
        speed: f64,
    },
    /// The domain ends where particles may well come.
    DomainTooSmall {
        /// How far the particle is outside, `[m]`.
        beyond: f64,
        /// Its speed, `[m/s]`.
        speed: f64,
    },
    /// A limit asks for steps below the floor.
    TooStiff {
        /// The limit.
        limit: &'static str,
        /// Largest speed of the fluid, `[m/s]`.
        speed: f64,
    },
    /// An iteration did not reach its tolerance.
    NoConvergence,
    /// The card failed, or has no room left.
    Device,
    /// Particles are spread over a space that the dense grid cannot hold.
    TooFarApart,
    /// A command of the script does not fit the run as it is then.
    BadCommand,
    /// None of these.
    Unclear {
        /// How far the particle moves in a step, in spacings, `[-]`.
        travel: f64,
    },
}

impl Suspicion {
    /// The name for tables and files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::BadValue { .. } => "bad_value",
            Self::Overlap { .. } => "overlap",
            Self::Inconsistent { .. } => "inconsistent",
            Self::StepTooLarge { .. } => "step_too_large",
            Self::SoundTooLow { .. } => "sound_too_low",
            Self::WallTooFast { .. } => "wall_too_fast",
            Self::WallTooThin { .. } => "wall_too_thin",
            Self::WallMissing { .. } => "wall_missing",
            Self::DomainTooSmall { .. } => "domain_too_small",
            Self::TooStiff { .. } => "too_stiff",
            Self::NoConvergence => "no_convergence",
            Self::Device => "device",
            Self::TooFarApart => "too_far_apart",
            Self::BadCommand => "bad_command",
            Self::Unclear { .. } => "unclear",
        }
    }

    /// Whether going back and on with smaller steps has a chance.
    pub fn is_cured_by_smaller_steps(&self) -> bool {
        !matches!(
            self,
            Self::BadValue { .. }
                | Self::BadCommand
                | Self::Device
                | Self::Inconsistent { .. }
                | Self::WallMissing { .. }
                | Self::DomainTooSmall { .. }
                | Self::Overlap { at_start: true, .. }
        )
    }
}

/// Particles nearer than this overlap, in spacings.
const OVERLAP: f64 = 0.5;
/// Above this part of the sound speed the fluid is no longer nearly incompressible (Monaghan 1994 keeps to 0.1).
const MACH: f64 = 0.3;
/// Steps within which nothing can have come closer by itself: a step moves a particle by less than a spacing.
const FIRST_STEPS: u64 = 1;
/// Above this ρ/ρ₀ − 1 no liquid is at its start.
const COMPRESSED: f64 = 0.5;
/// A wall that moves farther in a step jumps onto particles, in spacings.
const WALL_TRAVEL: f64 = 0.5;

/// A failure, and all that is known of it.
pub struct Case<'a, const D: usize> {
    pub error: &'a StepError,
    pub culprit: Option<&'a Culprit>,
    pub state: &'a State<D>,
    pub solver: &'a dyn Solver<D>,
    pub facts: &'a Facts,
}

impl<const D: usize> Case<'_, D> {
    /// The likely cause.
    pub fn suspect(&self) -> Suspicion {
        match &self.error.cause {
            Cause::NotFinite { field } if is_before(self.error) => Suspicion::BadValue { field },
            Cause::NotConverged(_) => Suspicion::NoConvergence,
            Cause::Device(_) => Suspicion::Device,
            Cause::StepTooSmall { limit, .. } => {
                self.blown_up().unwrap_or(Suspicion::TooStiff { limit, speed: self.max_speed() })
            }
            Cause::Neighbors(_) => self.blown_up().unwrap_or(Suspicion::TooFarApart),
            Cause::Command(_) => Suspicion::BadCommand,
            Cause::Escaped => self.escaped(),
            Cause::BodyEscaped { .. } => Suspicion::WallMissing { speed: self.state.bodies.top_speed() },
            Cause::NotFinite { .. } | Cause::TooDense { .. } => self
                .wrong_from_the_start()
                .or_else(|| self.blown_up())
                .or_else(|| self.too_close())
                .unwrap_or(Suspicion::Unclear { travel: self.travel() }),
        }
    }

    fn wrong_from_the_start(&self) -> Option<Suspicion> {
        let moved = self.always_too_large().is_some() || self.wall_too_fast().is_some();
        if self.error.step > FIRST_STEPS || moved {
            return None;
        }
        let distance = self.closest_before() / self.spacing();
        let error = self.culprit?.rho / f64::from(self.state.rest.rho_0) - 1.0;
        if distance < OVERLAP {
            return Some(Suspicion::Overlap { distance, at_start: true });
        }
        (error > COMPRESSED).then_some(Suspicion::Inconsistent { error })
    }

    /// Distance of the closest two particles when the forces were computed: a step that came to its end has
    /// moved them since.
    fn closest_before(&self) -> f64 {
        let fluid = &self.state.fluid;
        let dt = if matches!(self.error.cause, Cause::NotFinite { .. }) { 0.0 } else { self.facts.dt };
        closest(self.state, self.solver, |i| each(|a| fluid.x[a][i] - dt as Real * fluid.v[a][i]))
    }

    /// The dynamics has failed: steps, walls or sound.
    fn blown_up(&self) -> Option<Suspicion> {
        self.always_too_large()
            .or_else(|| self.wall_too_fast())
            .or_else(|| self.now_too_large())
            .or_else(|| self.sound_too_low(MACH))
    }

    fn escaped(&self) -> Suspicion {
        let Some(culprit) = self.culprit else { return Suspicion::Unclear { travel: f64::NAN } };
        if let Some(suspicion) = self.always_too_large().or_else(|| self.wrong_from_the_start()) {
            return suspicion;
        }
        let way = escape::Way::of(culprit, self.state);
        let (speed, support) = (culprit.speed(), f64::from(self.solver.support_radius()));
        let travel = speed * self.facts.dt;
        if let Some(thickness) = way.thickness {
            let thin = Suspicion::WallTooThin { thickness, speed, travel, support };
            // Samples fill the support to within half a spacing.
            return match travel > thickness || thickness < support - 0.5 * self.spacing() {
                true => self.wall_too_fast().unwrap_or(thin),
                false => self.blown_up().unwrap_or(thin),
            };
        }
        match self.now_too_large() {
            Some(suspicion) if travel > self.spacing() => suspicion,
            _ if way.leaves_tight_domain => Suspicion::DomainTooSmall { beyond: way.beyond, speed },
            // What falls for long is fast, too: only beyond sound it is certain that something went wrong.
            _ => self.sound_too_low(1.0).unwrap_or(Suspicion::WallMissing { speed }),
        }
    }

    /// A fixed step above the limit that bound before anything moved.
    fn always_too_large(&self) -> Option<Suspicion> {
        let start = self.facts.at_start?;
        self.too_large(start.value, start.name)
    }

    /// A fixed step above the limit that bound when the step began.
    fn now_too_large(&self) -> Option<Suspicion> {
        let limits = self.solver.derived(self.state).step_limits;
        let binding = limits.iter().min_by(|a, b| a.value.total_cmp(&b.value));
        self.too_large(self.facts.allowed?, binding.map_or("", |limit| limit.name))
    }

    fn too_large(&self, allowed: f64, limit: &'static str) -> Option<Suspicion> {
        let dt = self.facts.dt;
        let travel = self.travel();
        // A step that the method itself chose is within its limits but for rounding.
        (self.facts.fixed && dt > 1.001 * allowed).then_some(Suspicion::StepTooLarge {
            dt,
            allowed,
            limit,
            travel,
        })
    }

    fn wall_too_fast(&self) -> Option<Suspicion> {
        let walls = &self.state.walls;
        if !walls.is_moving() {
            return None;
        }
        let speed =
            (0..walls.len()).map(|b| norm::<D>(each(|a| f64::from(walls.v[a][b])))).fold(0.0, f64::max);
        let travel = speed * self.facts.dt / self.spacing();
        let outruns_sound = self.solver.sound_speed().is_some_and(|c| speed > MACH * c);
        (travel > WALL_TRAVEL || outruns_sound).then_some(Suspicion::WallTooFast { speed, travel })
    }

    fn sound_too_low(&self, limit: f64) -> Option<Suspicion> {
        let mach = self.max_speed() / self.solver.sound_speed()?;
        let rho = self.culprit.map_or(f64::NAN, |culprit| culprit.rho);
        let compression = rho / f64::from(self.state.rest.rho_0) - 1.0;
        (mach > limit).then_some(Suspicion::SoundTooLow { mach, compression })
    }

    fn too_close(&self) -> Option<Suspicion> {
        let distance = self.culprit?.nearest? / self.spacing();
        (distance < OVERLAP).then_some(Suspicion::Overlap { distance, at_start: false })
    }

    fn spacing(&self) -> f64 {
        f64::from(self.state.rest.spacing)
    }

    /// How far the culprit moves in a step, in spacings.
    fn travel(&self) -> f64 {
        self.culprit.map_or(f64::NAN, |culprit| culprit.speed() * self.facts.dt / self.spacing())
    }

    /// Largest finite speed of the fluid.
    fn max_speed(&self) -> f64 {
        let fluid = &self.state.fluid;
        let speeds = (0..fluid.len()).map(|i| norm::<D>(each(|a| f64::from(fluid.v[a][i]))));
        speeds.filter(|speed| speed.is_finite()).fold(0.0, f64::max)
    }
}

fn norm<const D: usize>(v: [f64; D]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadValue { field } => {
                write!(f, "{field} was not finite when the step began: look for who set it")
            }
            Self::Overlap { distance, at_start: true } => write!(
                f,
                "overlap at the start: two particles are {distance:.2} spacings apart; move the bodies of fluid apart"
            ),
            Self::Overlap { distance, .. } => write!(
                f,
                "particles have been pressed together to {distance:.2} spacings; raise the sound speed or the viscosity"
            ),
            Self::Inconsistent { error } => write!(
                f,
                "mass, spacing and rest density do not fit: ρ/ρ₀ − 1 = {error:.2} from the start, without overlap"
            ),
            Self::StepTooLarge { dt, allowed, limit, travel } => {
                write!(f, "too large dt: {dt:.3e} s, the limit")?;
                if !limit.is_empty() {
                    write!(f, " by {limit}")?;
                }
                write!(f, " is {allowed:.3e} s")?;
                if *travel > 0.1 {
                    write!(f, "; at its speed the particle moves {travel:.2} spacings a step")?;
                }
                Ok(())
            }
            Self::SoundTooLow { mach, compression } => {
                write!(f, "the sound speed is too low for this flow: Mach {mach:.2}")?;
                if compression.is_finite() {
                    write!(f, ", ρ/ρ₀ − 1 = {compression:.2}")?;
                }
                write!(f, "; keep it at ten times the largest speed")
            }
            Self::WallTooFast { speed, travel } => write!(
                f,
                "a moving wall is too fast: {speed:.3} m/s, {travel:.2} spacings a step; slow it, raise the sound speed or reduce dt"
            ),
            Self::WallTooThin { thickness, speed, travel, support } => write!(
                f,
                "wall too thin for this speed: {thickness:.3e} m thick (the support is {support:.3e} m), the particle has {speed:.3} m/s and moves {travel:.3e} m a step"
            ),
            Self::WallMissing { speed } => write!(
                f,
                "wall missing: the particle met none on its way out, at {speed:.3} m/s; close the hole, or let the run end earlier"
            ),
            Self::DomainTooSmall { beyond, speed } => write!(
                f,
                "domain too small: the particle is {beyond:.3e} m outside at {speed:.3} m/s, no wall on its way; enlarge `domain`"
            ),
            Self::TooStiff { limit, speed } => write!(
                f,
                "too fast or too stiff: {limit} asks for steps below the floor, the largest speed is {speed:.3} m/s"
            ),
            Self::Device => {
                f.write_str("the card, its driver or its memory: see `sph devices`; or run on the CPU")
            }
            Self::NoConvergence => {
                write!(f, "the equations are too stiff for this step: a smaller one makes them easier")
            }
            Self::BadCommand => write!(f, "a command of the script does not fit the run as it is then"),
            Self::TooFarApart => {
                write!(f, "particles are too far apart for the dense grid; set `neighbors.backend`")
            }
            Self::Unclear { travel } if travel.is_finite() => {
                write!(f, "none of the usual ones; the particle moves {travel:.2} spacings a step")
            }
            Self::Unclear { .. } => write!(f, "none of the usual ones"),
        }
    }
}
