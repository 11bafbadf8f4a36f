//! Containers: walls without particles, a signed distance that keeps particles inside.
use super::Region;
use crate::Real;

/// A region that no particle may leave, and how it answers those that try.
#[derive(Clone, Debug, PartialEq)]
pub struct Enclosure<const D: usize> {
    /// Where particles may be; [`Region::Outside`] for an obstacle.
    pub region: Region<D>,
    /// Share of the normal velocity that comes back, `e` `[-]`.
    pub restitution: f64,
    /// Share of the tangential velocity that a collision takes, `μ_t` `[-]`.
    pub friction: f64,
    /// Depth that particles keep from the surface, `r_c` `[m]`.
    pub collision_radius: f64,
}

impl<const D: usize> Enclosure<D> {
    /// Moves a particle to the depth `r_c` if it is nearer to the surface, and turns its velocity back.
    ///
    /// `x ← x - (phi + r_c) n` where `phi > -r_c`, and where `v_n = v·n > 0`:
    /// `v ← v - (1 + e) v_n n - μ_t v_t`. Returns whether the particle was moved. In `f64` inside, so that
    /// the position is right to the last bit of `Real`.
    pub fn collide(&self, x: &mut [Real; D], v: &mut [Real; D]) -> bool {
        let mut place = x.map(to_f64);
        let mut velocity = v.map(to_f64);
        let mut moved = false;
        self.region.clamp(&mut place, self.collision_radius, |n| {
            moved = true;
            let v_n: f64 = (0..D).map(|k| velocity[k] * n[k]).sum();
            if v_n > 0.0 {
                for k in 0..D {
                    let v_t = velocity[k] - v_n * n[k];
                    velocity[k] += -(1.0 + self.restitution) * v_n * n[k] - self.friction * v_t;
                }
            }
        });
        if moved {
            *x = place.map(to_real);
            *v = velocity.map(to_real);
        }
        moved
    }
}

fn to_f64(value: Real) -> f64 {
    value.into()
}

fn to_real(value: f64) -> Real {
    value as Real
}
