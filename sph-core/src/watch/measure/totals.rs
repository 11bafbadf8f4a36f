//! Sums and extremes over the whole fluid.

use super::{
    Column, Reader, column, disorder,
    interpolate::Interpolation,
    near::{Near, Zone},
    surface,
};
use crate::{
    method::{observer::View, state::State},
    numerics::{
        lane::each,
        parallel::{self, Max, Merge, Sum},
        vector::{cross, norm2},
    },
    scene::Total,
};

/// Sums of one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sums<const D: usize> {
    /// Kinetic energy, `[J]`.
    pub kinetic: f64,
    /// Potential energy in gravity and the central force, `[J]`.
    pub potential: f64,
    /// Momentum, `[kg m/s]`.
    pub momentum: [f64; D],
    /// Angular momentum about the origin, its last entry alone in 2D, `[kg m²/s]`.
    pub angular: [f64; 3],
    /// Volume, `[m³]`.
    pub volume: f64,
    /// Sum of the positions, `[m]`.
    pub x: [f64; D],
    /// Least coordinates, `[m]`.
    pub low: [f64; D],
    /// Largest coordinates, `[m]`.
    pub high: [f64; D],
    /// Largest speed, `[m/s]`.
    pub speed: f64,
}

/// What blocks of particles add up to: scalars, vectors, and extremes; the least as the largest of the negative.
type Block<const D: usize> = (([Sum; 3], [[Sum; D]; 2]), ([Sum; 3], ([[Max; D]; 2], Max)));

impl<const D: usize> Sums<D> {
    /// Those of the fluid, all in `f64` and in a fixed order.
    fn of(state: &State<D>) -> Self {
        let fluid = &state.fluid;
        let gravity = state.forces.gravity.map(f64::from);
        let central = state.forces.central.map(|(c, b)| (c.map(f64::from), f64::from(b)));
        let block: Block<D> = parallel::blocks(fluid.len(), (), |range, ()| {
            let mut block: Block<D> = empty();
            for i in range {
                let (x, v) = (fluid.position(i).map(f64::from), fluid.velocity(i).map(f64::from));
                let mut potential = -(0..D).map(|a| gravity[a] * x[a]).sum::<f64>();
                if let Some((c, b)) = central {
                    potential += 0.5 * b * b * norm2(each::<f64, D>(|a| x[a] - c[a]));
                }
                let scalars = [0.5 * norm2(v), potential, 1.0 / f64::from(fluid.rho[i])].map(Sum);
                let extremes = ([x.map(|x| Max(-x)), x.map(Max)], Max(norm2(v)));
                let moment = cross(spatial(&x), spatial(&v)).map(Sum);
                block = block.merge(((scalars, [v.map(Sum), x.map(Sum)]), (moment, extremes)));
            }
            block
        });
        let (([kinetic, potential, volume], [v, x]), (angular, ([low, high], Max(v2)))) = block;
        let m = f64::from(state.rest.m);
        Self {
            kinetic: m * kinetic.0,
            potential: m * potential.0,
            momentum: v.map(|v| m * v.0),
            angular: angular.map(|l| m * l.0),
            volume: m * volume.0,
            x: x.map(|x| x.0),
            low: low.map(|x| -x.0),
            high: high.map(|x| x.0),
            speed: v2.max(0.0).sqrt(),
        }
    }
}

fn empty<const D: usize>() -> Block<D> {
    let (none, least) = (Sum(0.0), Max(f64::NEG_INFINITY));
    (([none; 3], [[none; D]; 2]), ([none; 3], ([[least; D]; 2], least)))
}

fn spatial<const D: usize>(x: &[f64; D]) -> [f64; 3] {
    each(|a| if a < D { x[a] } else { 0.0 })
}

/// Some totals.
#[derive(Debug)]
pub(super) struct Totals(pub Vec<Total>);

impl<const D: usize> Reader<D> for Totals {
    fn zone(&self) -> Option<Zone<D>> {
        None
    }

    fn read(&mut self, _: &Near<D>, how: &Interpolation<D>, view: &View<'_, D>, row: &mut Vec<f64>) {
        let (sums, report) = (Sums::of(view.state), view.report);
        let n = view.state.fluid.len() as f64;
        // Where there is no particle, there is no extent either.
        let end = |x: &f64| if x.is_finite() { *x } else { f64::NAN };
        let of_step = |x: f64| if view.state.step == 0 { f64::NAN } else { x };
        let compressed = |total: &Total| matches!(total, Total::InternalEnergy | Total::TotalEnergy);
        let internal = if self.0.iter().any(compressed) { internal_energy(view) } else { 0.0 };
        for total in &self.0 {
            match total {
                Total::KineticEnergy => row.push(sums.kinetic),
                Total::PotentialEnergy => row.push(sums.potential),
                Total::InternalEnergy => row.push(internal),
                Total::TotalEnergy => row.push(sums.kinetic + sums.potential + internal),
                Total::Momentum => row.extend(sums.momentum),
                Total::AngularMomentum => row.extend(&sums.angular[if D == 2 { 2 } else { 0 }..]),
                Total::Volume => row.push(sums.volume),
                Total::Center => row.extend(sums.x.map(|x| x / n)),
                Total::Extent => row.extend(sums.low.iter().chain(&sums.high).map(end)),
                Total::SurfaceArea => row.push(surface::area(view.state, how.h)),
                Total::Disorder => row.push(disorder::disorder(view.state, how.h)),
                Total::Particles => row.push(n),
                Total::LargestSpeed => row.push(sums.speed),
                Total::DensityError => {
                    row.extend([report.density_error_mean, report.density_error_max].map(of_step))
                }
                Total::TimeStep => row.push(of_step(report.dt)),
                Total::Iterations => row.push(of_step(f64::from(report.iterations))),
            }
        }
    }
}

impl Totals {
    /// Names and units of the numbers.
    pub fn columns(&self, dim: usize) -> Vec<Column> {
        let of = |total: &Total| {
            let (names, unit): (&[&str], _) = match total {
                Total::KineticEnergy => (&["kinetic_energy"], "J"),
                Total::PotentialEnergy => (&["potential_energy"], "J"),
                Total::InternalEnergy => (&["internal_energy"], "J"),
                Total::TotalEnergy => (&["total_energy"], "J"),
                Total::Momentum => (&["momentum_x", "momentum_y", "momentum_z"], "kg m/s"),
                Total::AngularMomentum if dim == 2 => (&["angular_momentum"], "kg m^2/s"),
                Total::AngularMomentum => {
                    (&["angular_momentum_x", "angular_momentum_y", "angular_momentum_z"], "kg m^2/s")
                }
                Total::Volume => (&["volume"], "m^3"),
                Total::Center => (&["center_x", "center_y", "center_z"], "m"),
                Total::Extent if dim == 2 => (&["least_x", "least_y", "largest_x", "largest_y"], "m"),
                Total::Extent => {
                    (&["least_x", "least_y", "least_z", "largest_x", "largest_y", "largest_z"], "m")
                }
                Total::SurfaceArea => (&["surface_area"], "m^2"),
                Total::Disorder => (&["disorder"], "-"),
                Total::Particles => (&["particles"], "-"),
                Total::LargestSpeed => (&["largest_speed"], "m/s"),
                Total::DensityError => (&["mean_density_error", "largest_density_error"], "-"),
                Total::TimeStep => (&["time_step"], "s"),
                Total::Iterations => (&["iterations"], "-"),
            };
            names.iter().take(total.width(dim)).map(move |name| column(name, unit)).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of).collect()
    }
}

/// Energy of compression, `Σ m e(ρ)`, `[J]`.
fn internal_energy<const D: usize>(view: &View<'_, D>) -> f64 {
    let energies = view.state.fluid.rho.iter().map(|&rho| view.solver.internal_energy(f64::from(rho)));
    f64::from(view.state.rest.m) * energies.sum::<f64>()
}
