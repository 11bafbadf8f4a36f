//! A pointer that drags fluid and bodies along its path.

use crate::{
    Real,
    error::Error,
    geometry::shape::vector,
    keys::join,
    method::state::State,
    numerics::{lane::each, parallel},
    rigid::Rigid,
    scene,
};

/// An active pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Push<const D: usize> {
    radius: f64,
    rate: f64,
    /// Times of the run, and positions: at least two.
    path: Vec<(f64, [f64; D])>,
}

impl<const D: usize> Push<D> {
    /// The pointer that a command starts at time `t`, `[s]`.
    pub(super) fn begin(push: &scene::Push, key: &str, t: f64) -> Result<Self, Error> {
        let point = |(i, point): (usize, &scene::PathPoint)| {
            let key = format!("{}[{i}].position", join(key, "path"));
            Ok((t + point.time, vector(&key, &point.position)?))
        };
        let path = push.path.iter().enumerate().map(point).collect::<Result<_, Error>>()?;
        Ok(Self { radius: push.radius, rate: push.rate, path })
    }

    /// When it vanishes, `[s]`.
    pub fn end(&self) -> f64 {
        self.path.last().map_or(f64::NEG_INFINITY, |(t, _)| *t)
    }

    /// Place and velocity at time `t`; `None` before its path and behind it.
    fn at(&self, t: f64) -> Option<([f64; D], [f64; D])> {
        let next = self.path.partition_point(|(time, _)| *time <= t);
        let ((t_0, a), (t_1, b)) = (self.path.get(next.checked_sub(1)?)?, self.path.get(next)?);
        let u = std::array::from_fn(|k| (b[k] - a[k]) / (t_1 - t_0));
        Some((std::array::from_fn(|k| a[k] + (t - t_0) * u[k]), u))
    }

    /// `v ← v + (1 − e^(−rate w Δt)) (u − v)`, `w = (1 − r²/R²)²`: never faster than pointer or fluid, for any
    /// step. A body is held where it is nearest to the pointer, and `v` is the velocity there.
    pub(super) fn act(&self, state: &mut State<D>, dt: f64) {
        let Some((center, u)) = self.at(state.t) else { return };
        state.bodies.list.iter_mut().for_each(|body| self.drag(body, &center, &u, dt));
        state.bodies.update_samples(&mut state.walls);
        let (x, periodic) = (&state.fluid.x, state.domain.periodic);
        let (center, u) = (center.map(|x| x as Real), u.map(|u| u as Real));
        let (inv_r2, k) = ((1.0 / (self.radius * self.radius)) as Real, (self.rate * dt) as Real);
        let v = state.fluid.v.each_mut().map(Vec::as_mut_slice);
        parallel::blocks(x[0].len(), v, |range, v| {
            for (n, i) in range.enumerate() {
                let d: [Real; D] = periodic.nearest(std::array::from_fn(|a| x[a][i] - center[a]));
                let q = 1.0 - d.iter().map(|d| d * d).sum::<Real>() * inv_r2;
                if q > 0.0 {
                    let part = -(-k * q * q).exp_m1();
                    for a in 0..D {
                        v[a][n] += part * (u[a] - v[a][n]);
                    }
                }
            }
        });
    }

    fn drag(&self, body: &mut Rigid<D>, center: &[f64; D], u: &[f64; D], dt: f64) {
        let local = body.inverse_transform(center);
        let region = &body.form.region;
        let distance = region.phi(&local).max(0.0);
        let q = 1.0 - (distance / self.radius).powi(2);
        if q > 0.0 {
            let normal = region.normal(&local);
            let point = body.transform(&each(|a| local[a] - distance * normal[a]));
            let (part, v) = (-(-self.rate * q * q * dt).exp_m1(), body.velocity_at(&point));
            body.change_velocity_at(&point, &each(|a| part * (u[a] - v[a])));
        }
    }
}
