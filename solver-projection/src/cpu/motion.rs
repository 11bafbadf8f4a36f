//! Streaming loops over velocities and positions.

use super::Cpu;
use crate::choices::LONGEST_SHIFT;
use sph_core::{
    Real,
    fluid::material::Domain,
    method::{
        failure::{Lost, StepError},
        state::State,
    },
    numerics::{
        lane::each,
        parallel::{self, Extremes, First, Max},
        vector::norm2,
    },
    run::ranks::shared::Others,
};

/// `v ← v + dt a`. Where that is not finite v stays. Returns the first particle of which this is so.
pub(super) fn kick<const D: usize>(state: &mut State<D>, dt: Real) -> First {
    let (forces, x) = (state.forces, &state.fluid.x);
    let n = x[0].len();
    parallel::blocks(n, state.fluid.v.each_mut().map(Vec::as_mut_slice), |range, v| {
        let mut bad = First::NONE;
        for (k, i) in range.enumerate() {
            let a = forces.acceleration(each(|d| x[d][i]));
            let v_i: [Real; D] = each(|d| v[d][k] + dt * a[d]);
            let good = norm2(v_i).is_finite();
            bad.count(i, !good);
            for d in 0..D {
                v[d][k] = if good { v_i[d] } else { v[d][k] };
            }
        }
        bad
    })
}

/// Makes the least number of a field on all ranks 0: without a free surface the pressure is open up to a constant, and pairs under
/// tension would not act.
pub(super) fn fix_pressure_constant<const D: usize>(
    field: &mut [Real],
    others: &mut Others<'_, D>,
) -> Result<(), Lost> {
    // Those of ghosts are those of their owners.
    let Max(depth) = parallel::blocks(field.len(), (), |range, ()| {
        Max(field[range].iter().fold(f64::NEG_INFINITY, |most, &x| most.max(-f64::from(x))))
    });
    let depth = others.max(depth)? as Real;
    parallel::blocks(field.len(), field, |_, field| field.iter_mut().for_each(|x| *x += depth));
    Ok(())
}

/// Multiplies a field.
pub(super) fn scale(field: &mut [Real], factor: Real) {
    parallel::blocks(field.len(), field, |_, field| field.iter_mut().for_each(|x| *x *= factor));
}

impl<const D: usize> Cpu<'_, D> {
    /// `v ← v damping`, `x ← x + dt v`, with what shifting adds, wrapped into the periodic box and kept inside of the
    /// containers. Where the new x is not finite the old one stays. `displacement` is that by shifting over `Σ w n`, `[m]`.
    /// Returns the largest squared speed, and the first particle that is not finite or has left the domain.
    pub(super) fn drift(&mut self, dt: Real, damping: Real, displacement: Real) -> Extremes {
        let longest = LONGEST_SHIFT * self.state.rest.spacing;
        let fields = &self.method.fields;
        let advance = |domain: &Domain<D>, i: usize, x: [Real; D], v: [Real; D]| {
            let v: [Real; D] = each(|d| v[d] * damping);
            let shift = if displacement > 0.0 {
                let along = along_surface(fields.moments[i].w_n, fields.surface_region[i]);
                limited(each(|d| displacement * along[d]), longest)
            } else {
                [0.0; D]
            };
            (domain.periodic.wrap(each(|d| x[d] + (dt * v[d] + shift[d]))), v)
        };
        self.state.add_container_loads(f64::from(dt), 0.0, |state, i| {
            advance(&state.domain, i, state.fluid.position(i), state.fluid.velocity(i))
        });
        let State { fluid, domain, containers, .. } = &mut *self.state;
        let n = fluid.id.len();
        let outputs = (fluid.x.each_mut().map(Vec::as_mut_slice), fluid.v.each_mut().map(Vec::as_mut_slice));
        parallel::blocks(n, outputs, |range, (x, v)| {
            let mut found = Extremes::default();
            for (k, i) in range.enumerate() {
                let (mut x_i, mut v_i) = advance(domain, i, each(|d| x[d][k]), each(|d| v[d][k]));
                for container in containers.iter() {
                    container.collide(&mut x_i, &mut v_i);
                }
                let (v2, good) = (norm2(v_i), x_i.iter().all(|x| x.is_finite()));
                found.square = found.square.max(v2);
                found.bad.count(i, !(good & v2.is_finite() & domain.holds(x_i)));
                for d in 0..D {
                    x[d][k] = if good { x_i[d] } else { x[d][k] };
                    v[d][k] = v_i[d];
                }
            }
            found
        })
    }

    /// Displacement by shifting over `Σ w n`, `[m]`.
    pub(super) fn shift_length(&mut self, dt: Real) -> Result<Real, StepError> {
        let part = self.method.params.particle_shifting;
        if part == 0.0 {
            return Ok(0.0);
        }
        let fastest = f64::from(self.state.max_speed());
        let fastest = self.method.shell.max(self.state, "update_positions", fastest)?;
        Ok(part * dt * fastest as Real / self.method.full()[0])
    }
}

/// `Σ w n` without its part along N: in the surface region particles are shifted along the surface, and do not leave it.
#[inline(always)]
fn along_surface(w_n: [Real; 3], [x, y, z, in_region]: [Real; 4]) -> [Real; 3] {
    let (normal, length2) = ([x, y, z], norm2([x, y, z]));
    if in_region == 0.0 || length2 == 0.0 {
        return w_n;
    }
    let along = (w_n[0] * x + w_n[1] * y + w_n[2] * z) / length2;
    each(|a| w_n[a] - along * normal[a])
}

/// A displacement, no longer than `longest`.
#[inline(always)]
fn limited<const D: usize>(displacement: [Real; D], longest: Real) -> [Real; D] {
    let length2 = norm2(displacement);
    if length2 <= longest * longest {
        return displacement;
    }
    let scale = longest / length2.sqrt();
    each(|d| displacement[d] * scale)
}
