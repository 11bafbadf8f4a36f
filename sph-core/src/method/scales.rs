//! Characteristic speed and length of a scene at its start, and bodies that will be slow.

use crate::{
    Real,
    geometry::shape::Region,
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

/// Bodies that sink below this Reynolds number are slow, `[-]`: at 0.1 to 17 they were found held up `[convention]`.
const SLOW: f64 = 50.0;

/// What to know of the first body that sinks slowly in a fluid of the viscosity `mu` `[Pa s]`, where forces of the pressure are sums over
/// pairs: particles under pressure resist as a soft solid does. `lost` tells how much of their speed that was found to take.
///
/// Its speed is taken to be that of a ball of its size, `U = 2/9 (ρ_b/ρ₀ − 1) g a²/ν` [Stokes 1851], and `Re = 2 a U/ν`.
pub fn held_up<const D: usize>(state: &State<D>, mu: f64, lost: &str) -> Option<String> {
    let rho_0 = f64::from(state.rest.rho_0);
    let (g, nu) = (f64::from(norm2(state.forces.gravity)).sqrt(), mu / rho_0);
    let falls = |held: &[bool; D]| (0..D).any(|a| !held[a] && state.forces.gravity[a] != 0.0);
    state.bodies.list.iter().filter(|body| falls(&body.form.held)).find_map(|body| {
        let volume = body.form.region.volume()?;
        let radius = (volume / Region::Ball { center: [0.0; D], radius: 1.0 }.volume()?).powf(1.0 / D as f64);
        let excess = body.form.mass / (rho_0 * volume) - 1.0;
        let re = 4.0 / 9.0 * excess * g * radius.powi(3) / nu.powi(2);
        (re > 0.0 && re < SLOW).then(|| {
            format!(
                "the body `{}` sinks slowly, at a Reynolds number of about {re:.2}: pressure holds it up, which took {lost} of the speed of \
                 discs with 4 to 1.2 times the density of the fluid; solver.name = \"projection\" with preset = \"closed\" does not",
                body.form.name
            )
        })
    })
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
