//! Flow rate through a plane.

use super::{
    Reader, inside,
    interpolate::Interpolation,
    near::{Near, Zone, between, split},
    seen::Seen,
};
use crate::{
    error::Error,
    geometry::shape::direction,
    keys::join,
    method::{sample::Wanted, state::State},
    numerics::vector::dot,
    scene,
};

/// A plane, or a disc of it.
#[derive(Debug)]
pub(super) struct Flow<const D: usize> {
    at: [f64; D],
    normal: [f64; D],
    /// What counts, around the point; infinite for all.
    radius: f64,
}

impl<const D: usize> Flow<D> {
    pub fn of(flow: &scene::FlowRate, key: &str, state: &State<D>) -> Result<Self, Error> {
        let at = inside(join(key, "at"), &flow.at, state)?;
        let normal = direction(&join(key, "normal"), &flow.normal)?;
        Ok(Self { at, normal, radius: flow.radius.unwrap_or(f64::INFINITY) })
    }
}

impl<const D: usize> Reader<D> for Flow<D> {
    fn zone(&self) -> Option<Zone<D>> {
        Some(Zone::Disc(self.at, self.normal, self.radius))
    }

    fn want(&self, wanted: &mut Wanted<D>) {
        (wanted.velocity, wanted.density) = (true, true);
    }

    /// `Q = Σ V (v · n) W₁(d)`, with the kernel `W₁` in one dimension.
    fn read(&mut self, near: &Near<D>, how: &Interpolation<D>, seen: &Seen<'_, D>, row: &mut Vec<f64>) {
        let fluid = seen.fluid();
        let mut sum = 0.0;
        for (x, &i) in near.x.iter().zip(&near.index) {
            let (along, across) = split(&between(&self.at, x, &how.periodic), &self.normal);
            if across <= self.radius && along.abs() < how.h {
                let speed = dot(fluid.velocity(i).map(f64::from), self.normal);
                sum += speed * wendland_1d(along.abs() / how.h) / f64::from(fluid.rho[i]);
            }
        }
        row.push(f64::from(seen.view.state.rest.m) * sum / how.h);
    }
}

/// Wendland's C2 kernel in one dimension, times h.
fn wendland_1d(q: f64) -> f64 {
    1.25 * (1.0 - q).powi(3) * (1.0 + 3.0 * q)
}
