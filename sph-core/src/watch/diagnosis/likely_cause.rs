//! The likely cause of a failure, by rules from the certain to the probable.

use super::{Facts, culprit::closest, enclosure, escape, is_before};
use crate::{
    Real,
    method::{
        failure::{Cause, Culprit, StepError},
        likely_cause::LikelyCause,
        solver::Solver,
        state::State,
    },
    numerics::{lane::each, vector::norm},
};

/// Particles nearer than this overlap, in spacings.
const OVERLAP: f64 = 0.5;
/// Above this part of the sound speed the fluid is no longer nearly incompressible (Monaghan 1994 keeps to 0.1).
const MACH: f64 = 0.3;
/// Steps within which nothing can have come closer by itself: a step moves a particle by less than a spacing.
const FIRST_STEPS: u64 = 1;
/// Above this ρ/ρ₀ − 1 no liquid is at its start.
const COMPRESSED: f64 = 0.5;
/// A wall that moves farther in a step limits it, or drives fluid that does (particles move 0.4 spacings at most where
/// speed limits the step): what then happens is its doing, in spacings.
const DRIVING_WALL: f64 = 0.3;
/// A wall that would move farther in a step as at the start has cut that to a tenth, and drives whatever runs away, in
/// spacings.
const OUTRUNNING: f64 = 4.0;
/// A particle that moves farther in a step that no scene has fixed was thrown by it, in spacings.
const UNSTABLE: f64 = 1.0;

/// Fluid of this part of the room in closed walls has none: what a lattice fills differs from it by some percent `[convention]`.
const OVERFULL: f64 = 1.05;
/// A limit of the step that has fallen to this part of that at the start has followed a flow that grew without bound.
const FALLEN: f64 = 0.01;

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
    pub fn likely_cause(&self) -> LikelyCause {
        match &self.error.cause {
            Cause::NotFinite { field } if is_before(self.error) => LikelyCause::BadValue { field },
            Cause::NotConverged(_) => {
                self.overfull().or_else(|| self.runaway()).unwrap_or(LikelyCause::NoConvergence)
            }
            Cause::Device(_) => LikelyCause::Device,
            Cause::Rank(_) => LikelyCause::Rank,
            Cause::StepTooSmall { limit, .. } => self
                .blown_up()
                .or_else(|| self.runaway())
                .unwrap_or(LikelyCause::TooStiff { limit, speed: self.max_speed() }),
            Cause::Neighbors(_) => self.blown_up().unwrap_or(LikelyCause::TooFarApart),
            Cause::Command(_) => LikelyCause::BadCommand,
            Cause::Escaped => self.escaped(),
            Cause::Penetrated { .. } => self
                .wrong_from_the_start()
                .or_else(|| self.blown_up())
                .or_else(|| self.too_thin())
                .unwrap_or(LikelyCause::Unclear { travel: self.travel() }),
            Cause::BodyEscaped { name } => self.body_escaped(name),
            Cause::NotFinite { .. } | Cause::TooDense { .. } => self
                .wrong_from_the_start()
                .or_else(|| self.blown_up())
                .or_else(|| self.runaway())
                .or_else(|| self.too_close())
                .unwrap_or(LikelyCause::Unclear { travel: self.travel() }),
        }
    }

    /// The limits of the step have fallen far below those at the start, and at that step the fluid would now fly by a spacing:
    /// after a wall that would by far, or by itself.
    fn runaway(&self) -> Option<LikelyCause> {
        let (dt, start, speed) = (self.facts.allowed?, self.facts.at_start?.value, self.max_speed());
        let has_grown = speed * start > self.spacing();
        if self.facts.fixed || dt >= FALLEN * start || !has_grown {
            return None;
        }
        let wall = self.wall_speed();
        Some(match wall * start > OUTRUNNING * self.spacing() {
            true => LikelyCause::WallTooFast { speed: wall, travel: wall * self.facts.dt / self.spacing() },
            false => LikelyCause::Runaway { start, dt, speed },
        })
    }

    fn wrong_from_the_start(&self) -> Option<LikelyCause> {
        let moved = self.always_too_large().or_else(|| self.wall_too_fast());
        if self.error.step > FIRST_STEPS || moved.is_some() {
            return None;
        }
        let (rest, rho_0) = (&self.state.rest, f64::from(self.state.rest.rho_0));
        let error = f64::from(rest.m) / (rho_0 * self.spacing().powi(D as i32)) - 1.0;
        if error > COMPRESSED {
            return Some(LikelyCause::Inconsistent { error });
        }
        let thrown = self.unstable().is_some();
        // Where a step has parts, what the first of them began with is not known.
        if thrown && self.solver.substeps() > 1 {
            return None;
        }
        let distance = self.closest_before() / self.spacing();
        if distance < OVERLAP {
            return Some(LikelyCause::Overlap { distance, at_start: true });
        }
        let error = self.culprit?.rho / rho_0 - 1.0;
        // What was thrown was not found where it began.
        (!thrown && error > COMPRESSED).then_some(LikelyCause::Inconsistent { error })
    }

    /// Distance of the closest two particles when the forces were computed: a step that came to its end has
    /// moved them since. Infinite where that is not known, since what they have now is not the velocity that moved them: it
    /// would have brought one of them from outside of the domain.
    fn closest_before(&self) -> f64 {
        let State { fluid, domain, .. } = self.state;
        let dt =
            if matches!(self.error.cause, Cause::NotFinite { .. }) { 0.0 } else { self.facts.dt as Real };
        let before = |i: usize| each(|a| fluid.x[a][i] - dt * fluid.v[a][i]);
        match (0..fluid.len()).all(|i| domain.holds(before(i)) || !domain.holds(fluid.position(i))) {
            true => closest(self.state, self.solver, before),
            false => f64::INFINITY,
        }
    }

    /// The dynamics has failed: steps, walls or sound.
    fn blown_up(&self) -> Option<LikelyCause> {
        self.signs().next()
    }

    /// What has made the dynamics fail, the most certain first.
    fn signs(&self) -> impl Iterator<Item = LikelyCause> {
        let always = self.always_too_large();
        let now = if always.is_none() { self.now_too_large() } else { None };
        let bounds = [self.wall_too_fast(), self.overfull()];
        let flow = [now, self.sound_too_low(MACH), self.unstable()];
        always.into_iter().chain(bounds.into_iter().chain(flow).flatten())
    }

    /// What else shows signs of a failed dynamics, where that is the cause.
    pub fn also_fits(&self, likely_cause: &LikelyCause) -> Vec<LikelyCause> {
        let certain = matches!(
            likely_cause,
            LikelyCause::BadValue { .. }
                | LikelyCause::BadCommand
                | LikelyCause::Device
                | LikelyCause::Rank
                | LikelyCause::Inconsistent { .. }
                | LikelyCause::Overlap { at_start: true, .. }
        );
        // Who has passed a wall may have been let through.
        let passed = matches!(self.error.cause, Cause::Penetrated { .. });
        let thin = if passed { self.too_thin() } else { None };
        let all = self.signs().chain(thin);
        all.filter(|cause| !certain && cause.name() != likely_cause.name()).collect()
    }

    fn escaped(&self) -> LikelyCause {
        let Some(culprit) = self.culprit else { return LikelyCause::Unclear { travel: f64::NAN } };
        let certain =
            self.always_too_large().or_else(|| self.wrong_from_the_start()).or_else(|| self.wall_too_fast());
        if let Some(likely_cause) = certain {
            return likely_cause;
        }
        // What falls for long stays within the limits of the step.
        if let Some(likely_cause) = self.unstable().and_then(|_| self.blown_up()) {
            return likely_cause;
        }
        let path = escape::EscapePath::of(culprit, self.state);
        let passed = path.thickness.and_then(|thickness| self.passed(culprit, thickness, path.is_open));
        passed.unwrap_or_else(|| self.left(culprit, &path))
    }

    /// Why a particle came through a wall; `None` where it came around that.
    fn passed(&self, culprit: &Culprit, thickness: f64, is_open: bool) -> Option<LikelyCause> {
        let (speed, support) = (culprit.speed(), f64::from(self.solver.support_radius()));
        let travel = speed * self.facts.dt;
        let thin = LikelyCause::WallTooThin { thickness, speed, travel, support };
        // Samples fill the support to within half a spacing.
        if travel > thickness || thickness < support - 0.5 * self.spacing() {
            return Some(thin);
        }
        // A full wall holds as long as nothing has blown up: where a side is open, the way led around the end of the wall.
        (!is_open).then(|| self.blown_up().unwrap_or(thin))
    }

    /// Why a particle is outside that has come through no wall.
    fn left(&self, culprit: &Culprit, path: &escape::EscapePath) -> LikelyCause {
        let speed = culprit.speed();
        match self.now_too_large() {
            Some(likely_cause) if speed * self.facts.dt > self.spacing() => return likely_cause,
            _ if path.leaves_tight_domain => {
                return LikelyCause::DomainTooSmall { beyond: path.beyond, speed };
            }
            _ => {}
        }
        // What falls for long is fast, too: only beyond sound it is certain that something went wrong.
        if let Some(likely_cause) = self.sound_too_low(1.0) {
            return likely_cause;
        }
        match path.is_outside_of_closed {
            true => self.too_thin().unwrap_or(LikelyCause::Unclear { travel: self.travel() }),
            false => LikelyCause::WallMissing { speed },
        }
    }

    /// A body that has left a closed tank came through its wall.
    fn body_escaped(&self, name: &str) -> LikelyCause {
        let bodies = &self.state.bodies;
        let place = bodies.list.iter().find(|body| body.form.name == name).map(|body| body.x);
        match place.is_some_and(|x| enclosure::is_outside_of_closed(&x, self.state)) {
            true => self.blown_up().unwrap_or(LikelyCause::Unclear { travel: f64::NAN }),
            false => LikelyCause::WallMissing { speed: bodies.top_speed() },
        }
    }

    /// More fluid than its walls have room for.
    fn overfull(&self) -> Option<LikelyCause> {
        enclosure::filling_above(OVERFULL, self.state).map(|filling| LikelyCause::Overfull { filling })
    }

    /// A fixed step above the limit that bound before anything moved.
    fn always_too_large(&self) -> Option<LikelyCause> {
        let start = self.facts.at_start?;
        self.too_large(start.value, start.name)
    }

    /// A fixed step above the limit that bound when the step began.
    fn now_too_large(&self) -> Option<LikelyCause> {
        let limits = self.solver.derived(self.state).step_limits;
        let binding = limits.iter().min_by(|a, b| a.value.total_cmp(&b.value));
        self.too_large(self.facts.allowed?, binding.map_or("", |limit| limit.name))
    }

    fn too_large(&self, allowed: f64, limit: &'static str) -> Option<LikelyCause> {
        let dt = self.facts.dt;
        let travel = self.travel();
        // A step that the method itself chose is within its limits but for rounding.
        (self.facts.fixed && dt > 1.001 * allowed).then_some(LikelyCause::StepTooLarge {
            dt,
            allowed,
            limit,
            travel,
        })
    }

    /// No method lets a particle move by more than a spacing in a step.
    fn unstable(&self) -> Option<LikelyCause> {
        let (travel, speed) = (self.travel(), self.culprit?.speed());
        (!self.facts.fixed && travel > UNSTABLE).then_some(LikelyCause::Unstable { speed, travel })
    }

    fn wall_too_fast(&self) -> Option<LikelyCause> {
        let walls = &self.state.walls;
        if !walls.is_moving() {
            return None;
        }
        let speed = self.wall_speed();
        let travel = speed * self.facts.dt / self.spacing();
        let outruns_sound = self.solver.sound_speed().is_some_and(|c| speed > MACH * c);
        (travel > DRIVING_WALL || outruns_sound).then_some(LikelyCause::WallTooFast { speed, travel })
    }

    /// The largest speed of a wall or a body in the last steps, `[m/s]`.
    fn wall_speed(&self) -> f64 {
        let (walls, dt) = (&self.state.walls, self.facts.dt);
        let now = (0..walls.len()).map(|b| norm::<D>(each(|a| f64::from(walls.v[a][b])))).fold(0.0, f64::max);
        f64::max(now, enclosure::farthest_step(walls, self.state.t, dt) / dt)
    }

    fn sound_too_low(&self, limit: f64) -> Option<LikelyCause> {
        let mach = self.max_speed() / self.solver.sound_speed()?;
        let rho = self.culprit.map_or(f64::NAN, |culprit| culprit.rho);
        let compression = rho / f64::from(self.state.rest.rho_0) - 1.0;
        (mach > limit).then_some(LikelyCause::SoundTooLow { mach, compression })
    }

    /// The thinnest wall, if it does not fill the support to within half a spacing.
    fn too_thin(&self) -> Option<LikelyCause> {
        let support = f64::from(self.solver.support_radius());
        let layers =
            self.state.walls.surfaces.iter().map(|surface| surface.last_layer + 0.5 * self.spacing());
        let thickness = layers.fold(f64::INFINITY, f64::min);
        let (speed, travel) = (self.culprit?.speed(), self.culprit?.speed() * self.facts.dt);
        (thickness < support - 0.5 * self.spacing()).then_some(LikelyCause::WallTooThin {
            thickness,
            speed,
            travel,
            support,
        })
    }

    fn too_close(&self) -> Option<LikelyCause> {
        let distance = self.culprit?.nearest? / self.spacing();
        (distance < OVERLAP).then_some(LikelyCause::Overlap { distance, at_start: false })
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
