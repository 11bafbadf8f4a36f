//! Characteristic speed and length of a scene at its start.

use crate::{
    Real,
    method::state::State,
    numerics::{
        parallel::{self, Max},
        vector::norm2,
    },
};

/// What speeds and lengths a scene will have, as far as it tells before the first step.
///
/// The characteristic speed is `U = max(v_fluid, v_wall, √(2 g H))`, the length is `L = H`, or without gravity the
/// largest extent of the fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scales {
    /// Largest speed of the fluid at the start, `[m/s]`.
    pub fluid_speed: f64,
    /// Largest speed of a wall or of its surface at any time, and of a dynamic body now, `[m/s]`.
    pub wall_speed: f64,
    /// Speed of a fall through the height, `√(2 g H)`; 0 without gravity, `[m/s]`.
    pub fall_speed: f64,
    /// Length L, `[m]`.
    pub length: f64,
}

impl Scales {
    /// Those of a state.
    pub fn of<const D: usize>(state: &State<D>) -> Self {
        let fluid = &state.fluid;
        let Max(v2) = parallel::blocks(fluid.len(), (), |range, ()| {
            Max(range.map(|i| norm2(fluid.velocity(i))).fold(0.0, Real::max).into())
        });
        let g = f64::from(norm2(state.forces.gravity)).sqrt();
        let height = if g > 0.0 { f64::from(state.height()) } else { 0.0 };
        Self {
            fluid_speed: v2.sqrt(),
            wall_speed: wall_speed(state),
            fall_speed: (2.0 * g * height).sqrt(),
            length: if g > 0.0 { height } else { (0..D).map(|a| extent(&fluid.x[a])).fold(0.0, f64::max) },
        }
    }

    /// Characteristic speed U, `[m/s]`.
    pub fn speed(&self) -> f64 {
        self.fluid_speed.max(self.wall_speed).max(self.fall_speed)
    }
}

fn extent(x: &[Real]) -> f64 {
    let (low, high) = x.iter().fold((Real::INFINITY, Real::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
    f64::from(high - low).max(0.0)
}

fn wall_speed<const D: usize>(state: &State<D>) -> f64 {
    let walls = &state.walls;
    let Max(speed) = parallel::blocks(walls.len(), (), |range, ()| {
        let speeds = range.map(|b| {
            let body = &walls.bodies[usize::from(walls.body[b])];
            let x_0 = std::array::from_fn(|a| f64::from(walls.x_0[a][b]));
            body.motion.top_speed(&x_0, 0.0) + f64::from(norm2(body.surface_velocity)).sqrt()
        });
        Max(speeds.fold(0.0, f64::max))
    });
    speed.max(state.bodies.top_speed())
}
