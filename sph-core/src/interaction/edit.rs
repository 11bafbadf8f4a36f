//! The run that commands are done to, and what they do to its arrays.

use crate::{
    Real,
    error::Error,
    motion::Trajectory,
    parameters::join,
    particles::compact,
    scene::{Command, Fluid, Set},
    setup::{CLEARANCE, Near, Overlap, check_clearance},
    shape::{Region, vector},
    solver::{Memory, Solver},
    state::State,
};

/// A run between two steps.
pub struct Run<'a, const D: usize> {
    /// Its state.
    pub state: &'a mut State<D>,
    /// Its method.
    pub solver: &'a mut dyn Solver<D>,
    /// Its fixed step, `[s]`.
    pub fixed_dt: &'a mut Option<f64>,
}

impl<const D: usize> Run<'_, D> {
    /// Adds a body of fluid at rest density.
    pub(super) fn add_body(&mut self, body: &Fluid, key: &str) -> Result<(), Error> {
        let spacing = f64::from(self.state.rest.spacing);
        let points = body.sample::<D>(key, spacing)?;
        if points.is_empty() {
            return Err(Error::invalid(key, "holds no particle").hint("enlarge the shape"));
        }
        self.check_room(&points, &join(key, "shape"))?;
        self.append(&points, |x| body.velocity.at(x));
        Ok(())
    }

    /// Refuses points outside of the domain, or nearer than [`CLEARANCE`] to what is there.
    fn check_room(&self, points: &[[f64; D]], key: &str) -> Result<(), Error> {
        let (state, periodic) = (&*self.state, &self.state.domain.periodic);
        let mut x = [const { Vec::new() }; D];
        for point in points {
            let place = periodic.wrap(point.map(|x| x as Real));
            if !state.domain.holds(place) {
                let message = format!("reaches out of the domain at {point:?} m");
                return Err(Error::invalid(key, message).hint("enlarge `domain`, or add it elsewhere"));
            }
            if let Some(body) = state.bodies.around(&place.map(f64::from)) {
                let message = format!("reaches into the body `{}` at {point:?} m", body.form.name);
                return Err(Error::invalid(key, message).hint("add it elsewhere, or later"));
            }
            x.iter_mut().zip(place).for_each(|(axis, x)| axis.push(x));
        }
        let checked = check_clearance(&x, &state.fluid.x, &state.walls.x, state.rest.spacing, periodic);
        checked.map_err(|Overlap { near, x, x_near, distance, .. }| {
            let what = match near {
                Near::Wall(_) => "a wall sample",
                Near::Fluid(_) => "a fluid particle",
                Near::Point(_) => "another particle of the body",
            };
            let message =
                format!("a particle at {x:.4?} m is {distance:.3} spacings from {what} at {x_near:.4?} m");
            Error::invalid(key, message).hint(format!("keep at least {CLEARANCE} spacings"))
        })
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
        self.changed();
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
        self.changed();
        (before - keep.len()) as u64
    }

    fn changed(&mut self) {
        self.state.n_owned = self.state.fluid.len();
        self.solver.fluid_changed();
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
        let (key, value) = (join(key, "value"), &set.value.0);
        match set.key.as_str() {
            "gravity" => {
                let g: Vec<f64> =
                    value.clone().try_into().map_err(|_| wrong(&key, value, "a list of numbers"))?;
                self.state.forces.gravity = vector::<D>(&key, &g)?.map(|g| g as Real);
            }
            "run.time_step" => {
                let dt = value.as_float().filter(|dt| *dt > 0.0 && dt.is_finite());
                *self.fixed_dt = Some(dt.ok_or_else(|| Error::range(&key, value, "(0, inf)").unit("s"))?);
            }
            other => match other.strip_prefix("solver.") {
                Some(name) => self.solver.set_parameter(name, value).map_err(|error| error.under(&key))?,
                None => {
                    let error = Error::invalid(key, "belongs to a key that cannot change in a run");
                    return Err(error.hint("change gravity, run.time_step, or a parameter of the solver"));
                }
            },
        }
        Ok(())
    }
}

fn wrong(key: &str, value: &toml::Value, expected: &str) -> Error {
    Error::invalid(key, format!("must be {expected}")).value(value)
}
