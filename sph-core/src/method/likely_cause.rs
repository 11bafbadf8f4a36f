//! Likely causes of a failure, and what each of them says.

use std::fmt;

/// The likely cause of a failed step, with the numbers that support it.
#[derive(Clone, Debug, PartialEq)]
pub enum LikelyCause {
    /// A number was not finite before the step: an initial value, a command, a file.
    BadValue {
        /// Which field.
        field: &'static str,
    },
    /// Two particles nearly coincide.
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
    /// The particle left the domain without crossing a wall, far from all walls.
    WallMissing {
        /// Speed of the particle, `[m/s]`.
        speed: f64,
    },
    /// The fluid has more volume than the closed walls around it leave.
    Overfull {
        /// Its volume at rest over that of the space, `[-]`.
        filling: f64,
    },
    /// The domain ends where particles may well come.
    DomainTooSmall {
        /// How far the particle is outside, `[m]`.
        beyond: f64,
        /// Its speed, `[m/s]`.
        speed: f64,
    },
    /// A limit requires steps below the smallest allowed.
    TooStiff {
        /// The limit.
        limit: &'static str,
        /// Largest speed of the fluid, `[m/s]`.
        speed: f64,
    },
    /// A step that the method chose itself has thrown the particle.
    Unstable {
        /// Speed of the particle, `[m/s]`.
        speed: f64,
        /// How far it moves in a step, in spacings, `[-]`.
        travel: f64,
    },
    /// The steps that the method chose have fallen with a speed that grew: what drives it is not the step.
    Runaway {
        /// The limit of the step at the start, `[s]`.
        start: f64,
        /// The limit of the step that failed, `[s]`.
        dt: f64,
        /// Largest speed of the fluid, `[m/s]`.
        speed: f64,
    },
    /// An iteration did not reach its tolerance.
    NoConvergence,
    /// The GPU failed, or has no memory left.
    Device,
    /// A rank is gone.
    Rank,
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

impl LikelyCause {
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
            Self::Overfull { .. } => "overfull",
            Self::DomainTooSmall { .. } => "domain_too_small",
            Self::TooStiff { .. } => "too_stiff",
            Self::Unstable { .. } => "unstable",
            Self::Runaway { .. } => "runaway",
            Self::NoConvergence => "no_convergence",
            Self::Device => "device",
            Self::Rank => "rank",
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
                | Self::Rank
                | Self::Inconsistent { .. }
                | Self::WallMissing { .. }
                | Self::Overfull { .. }
                | Self::DomainTooSmall { .. }
                | Self::Runaway { .. }
                | Self::Overlap { at_start: true, .. }
        )
    }
}

/// What the longer ones say.
impl LikelyCause {
    fn of_input(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadValue { field } => {
                write!(f, "{field} was not finite when the step began: check what set it")
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
            _ => Ok(()),
        }
    }

    fn of_bounds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
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
                "wall missing: the particle crossed none on its path out, at {speed:.3} m/s; close the hole, or let the run end earlier"
            ),
            Self::Overfull { filling } => write!(
                f,
                "no room: the fluid has {filling:.2} of the volume that the closed walls around it leave; let less in, or open a side"
            ),
            Self::DomainTooSmall { beyond, speed } => write!(
                f,
                "domain too small: the particle is {beyond:.3e} m outside at {speed:.3} m/s, no wall on its path; enlarge `domain`"
            ),
            _ => Ok(()),
        }
    }

    fn of_flow(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooStiff { limit, speed } => write!(
                f,
                "too fast or too stiff: {limit} asks for steps below the floor, the largest speed is {speed:.3} m/s"
            ),
            Self::Unstable { speed, travel } => write!(
                f,
                "unstable: the method chose the step itself, and the particle moves {travel:.1} spacings in it, at {speed:.3e} m/s; go back to the defaults of what was set, one by one"
            ),
            Self::Runaway { start, dt, speed } => write!(
                f,
                "the flow has run away: at {speed:.3e} m/s the limit of its step has fallen from {start:.3e} to {dt:.3e} s, and smaller ones cannot help; go back to the defaults of what was set, one by one, or refine"
            ),
            Self::NoConvergence => write!(
                f,
                "the equations are too stiff for this step, or the iterations too few: smaller steps make them easier"
            ),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for LikelyCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadValue { .. } | Self::Overlap { .. } | Self::Inconsistent { .. } => self.of_input(f),
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
            Self::WallTooFast { .. }
            | Self::WallTooThin { .. }
            | Self::WallMissing { .. }
            | Self::Overfull { .. }
            | Self::DomainTooSmall { .. } => self.of_bounds(f),
            Self::TooStiff { .. } | Self::Unstable { .. } | Self::Runaway { .. } | Self::NoConvergence => {
                self.of_flow(f)
            }
            Self::Device => {
                f.write_str("the GPU, its driver or its memory: see `sph devices`; or run on the CPU")
            }
            Self::Rank => f.write_str(
                "the process of that rank has ended or hangs, or its machine: see its own last lines",
            ),
            Self::BadCommand => write!(f, "a command of the script does not fit the run as it is then"),
            Self::TooFarApart => {
                write!(f, "particles are too far apart for the dense grid; set `neighbors.backend`")
            }
            Self::Unclear { travel } if travel.is_finite() => {
                write!(f, "none of the known causes; the particle moves {travel:.2} spacings a step")
            }
            Self::Unclear { .. } => write!(f, "none of the known causes"),
        }
    }
}
