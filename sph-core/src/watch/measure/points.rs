//! Probes and profiles: fields at points.

use super::{
    Reader,
    field::Field,
    inside,
    interpolate::Interpolation,
    near::{Near, Zone},
    seen::Seen,
};
use crate::{
    error::Error,
    geometry::shape::{direction, perpendicular},
    keys::join,
    method::{sample::Wanted, solver::Solver, state::State},
    numerics::{lane::each, vector::norm},
    scene,
};
use std::f64::consts::TAU;

/// Places of a disc along its diameter in 2D.
const CHORDS: usize = 9;
/// Rings of a disc in 3D, and places on each.
const RINGS: usize = 5;
const ANGLES: usize = 12;

/// A field at a point, or its mean over a disc.
#[derive(Debug)]
pub(super) struct Probe<const D: usize> {
    pub field: Field,
    linear: bool,
    zone: Zone<D>,
    /// Points, and their weights.
    points: Vec<([f64; D], f64)>,
}

impl<const D: usize> Probe<D> {
    pub fn of(
        probe: &scene::Probe,
        key: &str,
        state: &State<D>,
        solver: &dyn Solver<D>,
    ) -> Result<Self, Error> {
        let at = inside(join(key, "at"), &probe.at, state)?;
        let field = Field::of(&probe.field, join(key, "field"), solver)?;
        let (mut points, mut zone) = (vec![(at, 1.0)], Zone::Line(at, at));
        if let (Some(diameter), Some(normal)) = (probe.diameter, &probe.normal) {
            let normal = direction::<D>(&join(key, "normal"), normal)?;
            (points, zone) = (disc(&at, 0.5 * diameter, &normal), Zone::Disc(at, normal, 0.5 * diameter));
        }
        Ok(Self { field, linear: probe.order == 1, zone, points })
    }
}

impl<const D: usize> Reader<D> for Probe<D> {
    fn zone(&self) -> Option<Zone<D>> {
        Some(self.zone)
    }

    fn want(&self, wanted: &mut Wanted<D>) {
        self.field.want(wanted);
    }

    /// The mean of the points that have a value.
    fn read(&mut self, near: &Near<D>, how: &Interpolation<D>, seen: &Seen<'_, D>, row: &mut Vec<f64>) {
        let how = Interpolation { linear: self.linear, ..*how };
        let (mut sum, mut weights) = ([0.0; D], 0.0);
        for (x, weight) in &self.points {
            if let Some(value) = self.field.at(x, near, &how, seen) {
                sum = each(|a| sum[a] + weight * value[a]);
                weights += weight;
            }
        }
        self.field.push((weights > 0.0).then(|| sum.map(|sum| sum / weights)), row);
    }
}

/// Points of a disc, and their weights: in 2D the chords, in 3D the areas that they stand for.
fn disc<const D: usize>(at: &[f64; D], radius: f64, normal: &[f64; D]) -> Vec<([f64; D], f64)> {
    let across: [f64; D] = perpendicular(normal);
    let mut points = Vec::new();
    if D == 2 {
        for k in 0..CHORDS {
            let off = (2 * k + 1) as f64 / CHORDS as f64 - 1.0;
            points.push((each(|a| at[a] + radius * off * across[a]), (1.0 - off * off).sqrt()));
        }
        return points;
    }
    let other: [f64; D] = each(|a| {
        let (i, j) = ((a + 1) % D, (a + 2) % D);
        normal[i] * across[j] - normal[j] * across[i]
    });
    for ring in 0..RINGS {
        let part = (ring as f64 + 0.5) / RINGS as f64;
        for angle in 0..ANGLES {
            // Turned from ring to ring.
            let (sin, cos) = (TAU * (angle as f64 + 0.5 * ring as f64) / ANGLES as f64).sin_cos();
            points.push((each(|a| at[a] + radius * part * (cos * across[a] + sin * other[a])), part));
        }
    }
    points
}

/// A field at points along a line.
#[derive(Debug)]
pub(super) struct Profile<const D: usize> {
    pub field: Field,
    linear: bool,
    points: Vec<[f64; D]>,
}

impl<const D: usize> Profile<D> {
    pub fn of(
        profile: &scene::Profile,
        key: &str,
        state: &State<D>,
        solver: &dyn Solver<D>,
    ) -> Result<Self, Error> {
        let from = inside(join(key, "from"), &profile.from, state)?;
        let to = inside(join(key, "to"), &profile.to, state)?;
        let field = Field::of(&profile.field, join(key, "field"), solver)?;
        let at = |k: u32| {
            let part = f64::from(k) / f64::from(profile.points - 1);
            each(|a| from[a] + part * (to[a] - from[a]))
        };
        Ok(Self { field, linear: profile.order == 1, points: (0..profile.points).map(at).collect() })
    }

    /// Distances of the points from the first, `[m]`.
    pub fn along(&self) -> Vec<f64> {
        let first = self.points[0];
        self.points.iter().map(|x| norm::<D>(each(|a| x[a] - first[a]))).collect()
    }
}

impl<const D: usize> Reader<D> for Profile<D> {
    fn zone(&self) -> Option<Zone<D>> {
        Some(Zone::Line(self.points[0], self.points[self.points.len() - 1]))
    }

    fn want(&self, wanted: &mut Wanted<D>) {
        self.field.want(wanted);
    }

    fn read(&mut self, near: &Near<D>, how: &Interpolation<D>, seen: &Seen<'_, D>, row: &mut Vec<f64>) {
        let how = Interpolation { linear: self.linear, ..*how };
        self.points.iter().for_each(|x| self.field.push(self.field.at(x, near, &how, seen), row));
    }
}
