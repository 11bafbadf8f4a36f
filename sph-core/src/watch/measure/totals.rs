//! Sums and extremes over the whole fluid.

mod disorder;
mod surface;

use super::{
    Column, Reader, column,
    interpolate::Interpolation,
    near::{Near, Zone},
    seen::Seen,
};
use crate::{
    method::{
        observer::View,
        sample::{BlockSums, Wanted},
        state::State,
    },
    numerics::{
        lane::each,
        parallel::{self, Merge},
        vector::{cross, norm2},
    },
    rigid::spatial,
    scene::Total,
};

/// The sums of the fluid on the host, all in `f64` and in a fixed order. `sum_fluid` in sample.cu has the same bits.
pub(super) fn sums<const D: usize>(state: &State<D>) -> BlockSums<D> {
    let fluid = &state.fluid;
    let gravity = state.forces.gravity.map(f64::from);
    let central = state.forces.central.map(|(c, b)| (c.map(f64::from), f64::from(b)));
    parallel::blocks(fluid.len(), (), |range, ()| {
        let mut block = BlockSums::NONE;
        for i in range {
            let (x, v) = (fluid.position(i).map(f64::from), fluid.velocity(i).map(f64::from));
            let mut potential = -(0..D).map(|a| gravity[a] * x[a]).sum::<f64>();
            if let Some((c, b)) = central {
                potential += 0.5 * b * b * norm2(each::<f64, D>(|a| x[a] - c[a]));
            }
            block = block.merge(BlockSums {
                kinetic: 0.5 * norm2(v),
                potential,
                volume: 1.0 / f64::from(fluid.rho[i]),
                v,
                x,
                moment: cross(spatial(&x), spatial(&v)),
                low: x,
                high: x,
                v2: norm2(v),
            });
        }
        block
    })
}

/// Some totals.
#[derive(Debug)]
pub(super) struct Totals(pub Vec<Total>);

impl<const D: usize> Reader<D> for Totals {
    fn zone(&self) -> Option<Zone<D>> {
        None
    }

    fn want(&self, wanted: &mut Wanted<D>) {
        wanted.sums |= self.0.iter().any(reads_sums);
        wanted.all_densities |= self.0.iter().any(reads_densities);
        wanted.everything |= self.0.iter().any(reads_everything);
    }

    fn read(&mut self, _: &Near<D>, how: &Interpolation<D>, seen: &Seen<'_, D>, row: &mut Vec<f64>) {
        let View { state, report, .. } = *seen.view;
        let sums = if self.0.iter().any(reads_sums) { seen.sums() } else { BlockSums::NONE };
        let internal = if self.0.iter().any(reads_densities) { internal_energy(seen) } else { 0.0 };
        let (m, n) = (f64::from(state.rest.m), state.fluid.len() as f64);
        let (kinetic, potential) = (m * sums.kinetic, m * sums.potential);
        // Where there is no particle, there is no extent either.
        let end = |x: &f64| if x.is_finite() { *x } else { f64::NAN };
        let of_step = |x: f64| if state.step == 0 { f64::NAN } else { x };
        for total in &self.0 {
            match total {
                Total::KineticEnergy => row.push(kinetic),
                Total::PotentialEnergy => row.push(potential),
                Total::InternalEnergy => row.push(internal),
                Total::TotalEnergy => row.push(kinetic + potential + internal),
                Total::Momentum => row.extend(sums.v.map(|v| m * v)),
                Total::AngularMomentum => {
                    row.extend(sums.moment[if D == 2 { 2 } else { 0 }..].iter().map(|l| m * l))
                }
                Total::Volume => row.push(m * sums.volume),
                Total::Center => row.extend(sums.x.map(|x| x / n)),
                Total::Extent => row.extend(sums.low.iter().chain(&sums.high).map(end)),
                Total::SurfaceArea => row.push(surface::area(state, how.h)),
                Total::Disorder => row.push(disorder::disorder(state, how.h)),
                Total::Particles => row.push(n),
                Total::LargestSpeed => row.push(sums.v2.max(0.0).sqrt()),
                Total::DensityError => {
                    row.extend([report.density_error_mean, report.density_error_max].map(of_step))
                }
                Total::TimeStep => row.push(of_step(report.dt)),
                Total::Iterations => row.push(of_step(f64::from(report.iterations))),
            }
        }
    }
}

/// True for what is energy of compression.
fn reads_densities(total: &Total) -> bool {
    matches!(total, Total::InternalEnergy | Total::TotalEnergy)
}

/// True for what needs a sum over the particles: all but energy of compression and what a step reports.
fn reads_sums(total: &Total) -> bool {
    use Total::{DensityError, InternalEnergy, Iterations, Particles, TimeStep};
    !reads_everything(total)
        && !matches!(total, InternalEnergy | Particles | DensityError | TimeStep | Iterations)
}

/// True for what needs the neighbors of all particles, and walls.
fn reads_everything(total: &Total) -> bool {
    matches!(total, Total::SurfaceArea | Total::Disorder)
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
fn internal_energy<const D: usize>(seen: &Seen<'_, D>) -> f64 {
    let View { state, solver, .. } = seen.view;
    let energies = seen.densities().iter().map(|&rho| solver.internal_energy(f64::from(rho)));
    f64::from(state.rest.m) * energies.sum::<f64>()
}
