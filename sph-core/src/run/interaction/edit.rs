//! The run that commands are done to, and what they do to its arrays.

use crate::{
    Real,
    error::Error,
    geometry::{motion::Trajectory, shape::Region},
    keys::join,
    method::{
        solver::{Memory, Solver},
        state::State,
    },
    numerics::field::compact,
    scene::{
        Change, Command, Fluid, MAX_PARTICLES, Set,
        setup::{CLEARANCE, Near, Overlap, check_clearance},
    },
};

/// A run between two steps.
pub struct Subject<'a, const D: usize> {
    /// Its state.
    pub state: &'a mut State<D>,
    /// Its method.
    pub solver: &'a mut dyn Solver<D>,
    /// Its fixed step, `[s]`.
    pub fixed_dt: &'a mut Option<f64>,
}

impl<const D: usize> Subject<'_, D> {
    /// Adds a body of fluid at rest density.
    pub(super) fn add_body(&mut self, body: &Fluid, key: &str) -> Result<(), Error> {
        let spacing = f64::from(self.state.rest.spacing);
        let region: Region<D> = body.shape.resolve(&join(key, "shape"))?;
        let sites = region.bounds().map(|(low, high)| (0..D).map(|a| (high[a] - low[a]) / spacing).product());
        if sites.is_none_or(|sites: f64| sites > MAX_PARTICLES) {
            let message = format!("has no end, or more than {MAX_PARTICLES:.0e} sites");
            return Err(Error::invalid(join(key, "shape"), message));
        }
        let points = body.sample::<D>(key, spacing)?;
        if points.is_empty() {
            return Err(Error::invalid(key, "holds no particle").hint("enlarge the shape"));
        }
        if let Some(x) = points.iter().find(|x| !body.velocity.at(x).iter().all(|v| v.is_finite())) {
            let error = Error::invalid(join(key, "velocity"), "gives a particle numbers that are not finite");
            return Err(error.value(format!("{:?}", body.velocity.at(x))));
        }
        check_free_space(self.state, &points, &self.state.fluid.x, &join(key, "shape"))?;
        self.append(&points, |x| body.velocity.at(x));
        Ok(())
    }

    /// Adds particles at rest density.
    pub(super) fn append(&mut self, points: &[[f64; D]], velocity: impl Fn(&[f64; D]) -> [f64; D]) {
        if points.is_empty() {
            return;
        }
        let before = self.state.fluid.len();
        for x in points {
            let (id, place) = (self.state.next_id, self.state.domain.periodic.wrap(x.map(|x| x as Real)));
            let v = velocity(x).map(|v| v as Real);
            self.state.fluid.push(id, place, v, self.state.rest.rho_0);
            self.state.next_id += 1;
        }
        let after = self.state.fluid.len();
        self.solver.memory(&mut |_, memory| {
            if let Memory::Field(field) = memory
                && field.len() == before
            {
                field.resize(after, 0.0);
            }
        });
        self.solver.fluid_changed();
    }

    /// Removes the particles inside of a region. Returns how many.
    pub(super) fn remove(&mut self, region: &Region<D>) -> u64 {
        let fluid = &self.state.fluid;
        let inside = |i: &u32| region.phi(&fluid.position(*i as usize).map(f64::from)) <= 0.0;
        let before = fluid.len();
        let keep: Vec<u32> = (0..before as u32).filter(|i| !inside(i)).collect();
        if keep.len() == before {
            return 0;
        }
        self.state.fluid.keep(&keep);
        self.solver.memory(&mut |_, memory| {
            if let Memory::Field(field) = memory
                && field.len() == before
            {
                compact(field, &keep);
            }
        });
        self.solver.fluid_changed();
        (before - keep.len()) as u64
    }

    /// What a command changes beside particles: motions of walls, and parameters.
    pub(super) fn reconfigure(&mut self, command: &Command) -> Result<(), Error> {
        let key = command.key();
        if let Some(step) = &command.move_wall {
            let motion = step.motion.resolve(&format!("{key}.move_wall.motion"))?;
            self.set_motion(&step.wall, &motion, &format!("{key}.move_wall.wall"))?;
        }
        if let Some(wall) = &command.stop_wall {
            self.set_motion(wall, &Trajectory::Static, &format!("{key}.stop_wall"))?;
        }
        match &command.set {
            Some(set) => self.set(set, &format!("{key}.set")),
            None => Ok(()),
        }
    }

    fn set_motion(&mut self, wall: &str, motion: &Trajectory<D>, key: &str) -> Result<(), Error> {
        if !self.state.walls.set_motion(wall, motion, self.state.t) {
            return Err(Error::invalid(key, "is no wall of this run").value(format!("{wall:?}")));
        }
        self.solver.walls_changed();
        Ok(())
    }

    fn set(&mut self, set: &Set, key: &str) -> Result<(), Error> {
        match set.change::<D>(key)? {
            Change::Gravity(g) => self.state.forces.gravity = g.map(|g| g as Real),
            Change::TimeStep(dt) => *self.fixed_dt = Some(dt),
            Change::Solver(name) => {
                let changed = self.solver.set_parameter(name, &set.value.0);
                changed.map_err(|error| error.under(join(key, "value")))?;
            }
        }
        Ok(())
    }
}

/// Refuses points outside of the domain, or nearer than [`CLEARANCE`] to each other, to `fluid` or to a wall.
pub(super) fn check_free_space<const D: usize>(
    state: &State<D>,
    points: &[[f64; D]],
    fluid: &[Vec<Real>; D],
    key: &str,
) -> Result<(), Error> {
    let x = wrapped_positions(points, state);
    for i in 0..points.len() {
        if !state.domain.holds(std::array::from_fn(|a| x[a][i])) {
            let message = format!("reaches out of the domain at {:?} m", points[i]);
            return Err(Error::invalid(key, message).hint("enlarge `domain`, or put it elsewhere"));
        }
        let margin = 0.5 * f64::from(state.rest.spacing);
        if let Some(k) = state.containers.iter().position(|c| c.region.phi(&points[i]) > margin) {
            let message = format!("reaches out of container[{k}] at {:?} m", points[i]);
            return Err(
                Error::invalid(key, message).hint("put it elsewhere: every container holds all fluid")
            );
        }
        if let Some(body) = state.bodies.containing(&points[i]) {
            let message = format!("reaches into the body `{}` at {:?} m", body.form.name, points[i]);
            return Err(Error::invalid(key, message).hint("put it elsewhere, or later"));
        }
    }
    let checked = check_clearance(&x, fluid, &state.walls.x, state.rest.spacing, &state.domain.periodic);
    checked.map_err(|Overlap { near, x, x_near, distance, .. }| {
        let what = match near {
            Near::Wall(_) => "a wall sample",
            Near::Fluid(_) => "a fluid particle",
            Near::Point(_) => "another of its particles",
        };
        let message =
            format!("a particle at {x:.4?} m is {distance:.3} spacings from {what} at {x_near:.4?} m");
        Error::invalid(key, message).hint(format!("keep at least {CLEARANCE} spacings"))
    })
}

/// Points in the precision of the run and inside of its period, one array an axis.
pub(super) fn wrapped_positions<const D: usize>(points: &[[f64; D]], state: &State<D>) -> [Vec<Real>; D] {
    let mut x = [const { Vec::new() }; D];
    for point in points {
        let place = state.domain.periodic.wrap(point.map(|x| x as Real));
        x.iter_mut().zip(place).for_each(|(axis, x)| axis.push(x));
    }
    x
}
