//! Signed distances `phi`, negative inside, and their gradients `n`.
use crate::numerics::vector::{dot, norm};
use std::array::from_fn;

/// A shape of fixed dimension, lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum Region<const D: usize> {
    /// Axis-aligned block.
    Block {
        /// Smallest coordinates `[m]`.
        min: [f64; D],
        /// Largest coordinates `[m]`.
        max: [f64; D],
    },
    /// Ball or disc.
    Ball {
        /// Center `[m]`.
        center: [f64; D],
        /// Radius `[m]`.
        radius: f64,
    },
    /// Circular cylinder with flat caps.
    Cylinder {
        /// Middle of the axis `[m]`.
        center: [f64; D],
        /// Direction, of length 1.
        axis: [f64; D],
        /// Radius `[m]`.
        radius: f64,
        /// Half the distance of the caps `[m]`.
        half_length: f64,
    },
    /// All points behind a plane.
    HalfSpace {
        /// A point of the plane `[m]`.
        point: [f64; D],
        /// Outward direction, of length 1.
        normal: [f64; D],
    },
    /// All points outside of another region.
    Outside(Box<Region<D>>),
}

fn sub<const D: usize>(a: &[f64; D], b: &[f64; D]) -> [f64; D] {
    from_fn(|k| a[k] - b[k])
}

/// The unit vector along `axis`.
fn unit<const D: usize>(axis: usize) -> [f64; D] {
    from_fn(|k| if k == axis { 1.0 } else { 0.0 })
}

/// Exact distance to a box from the excess over each pair of its faces.
fn box_phi(excess: &[f64]) -> f64 {
    let largest = excess.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest <= 0.0 { largest } else { excess.iter().map(|e| e.max(0.0).powi(2)).sum::<f64>().sqrt() }
}

/// Weights of the face normals in the gradient of [`box_phi`].
fn box_weights<const N: usize>(excess: &[f64; N]) -> [f64; N] {
    let phi = box_phi(excess);
    if phi > 0.0 {
        return from_fn(|k| excess[k].max(0.0) / phi);
    }
    // On a tie the first face, so that the answer does not depend on round-off of nothing.
    let nearest = (0..N).fold(0, |best, k| if excess[k] > excess[best] { k } else { best });
    unit(nearest)
}

impl<const D: usize> Region<D> {
    /// Signed distance to the surface, negative inside `[m]`.
    pub fn phi(&self, x: &[f64; D]) -> f64 {
        match self {
            Self::Block { min, max } => box_phi(&block_excess(min, max, x)),
            Self::Ball { center, radius } => norm(sub(x, center)) - radius,
            Self::Cylinder { center, axis, radius, half_length } => {
                let (along, across) = split(center, axis, x);
                box_phi(&[norm(across) - radius, along.abs() - half_length])
            }
            Self::HalfSpace { point, normal } => dot(sub(x, point), *normal),
            Self::Outside(region) => -region.phi(x),
        }
    }

    /// How far a point is beyond each face, and how many faces there are: those of
    /// [`Face::of`](crate::geometry::sampling::Face::of) in their order, or the whole surface as one. Negative inside `[m]`.
    pub fn face_distances(&self, x: &[f64; D]) -> ([f64; 6], usize) {
        let mut over = [0.0; 6];
        match self {
            Self::Block { min, max } => {
                for k in 0..D {
                    (over[2 * k], over[2 * k + 1]) = (min[k] - x[k], x[k] - max[k]);
                }
                (over, 2 * D)
            }
            Self::Cylinder { center, axis, radius, half_length } => {
                let (along, across) = split(center, axis, x);
                over[..3].copy_from_slice(&[
                    norm(across) - radius,
                    -along - half_length,
                    along - half_length,
                ]);
                (over, 3)
            }
            Self::Ball { .. } | Self::HalfSpace { .. } | Self::Outside(_) => {
                over[0] = self.phi(x);
                (over, 1)
            }
        }
    }

    /// Outward normal `∇phi`, of length 1; on an edge or a center, where there is none, one of its limits.
    pub fn normal(&self, x: &[f64; D]) -> [f64; D] {
        match self {
            Self::Block { min, max } => {
                let weights = box_weights(&block_excess(min, max, x));
                from_fn(|k| if x[k] < 0.5 * (min[k] + max[k]) { -weights[k] } else { weights[k] })
            }
            Self::Ball { center, .. } => radial(&sub(x, center)),
            Self::Cylinder { center, axis, radius, half_length } => {
                let (along, across) = split(center, axis, x);
                let r = norm(across);
                let weights = box_weights(&[r - radius, along.abs() - half_length]);
                let side = if r > 0.0 { across.map(|a| a / r) } else { perpendicular(axis) };
                let cap = if along < 0.0 { -weights[1] } else { weights[1] };
                from_fn(|k| weights[0] * side[k] + cap * axis[k])
            }
            Self::HalfSpace { normal, .. } => *normal,
            Self::Outside(region) => region.normal(x).map(|n| -n),
        }
    }

    /// Outward normal of one of the faces of [`face_distances`](Self::face_distances), `[-]`.
    pub fn face_normal(&self, face: usize, x: &[f64; D]) -> [f64; D] {
        match self {
            Self::Block { .. } => {
                let sign = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
                from_fn(|k| if k == face / 2 { sign } else { 0.0 })
            }
            Self::Cylinder { center, axis, .. } => match face {
                0 => match split(center, axis, x).1 {
                    across if norm(across) > 0.0 => radial(&across),
                    _ => perpendicular(axis),
                },
                1 => axis.map(|a| -a),
                _ => *axis,
            },
            Self::Ball { .. } | Self::HalfSpace { .. } | Self::Outside(_) => self.normal(x),
        }
    }

    /// Smallest box around the region, if it is bounded `[m]`.
    pub fn bounds(&self) -> Option<([f64; D], [f64; D])> {
        match self {
            Self::Block { min, max } => Some((*min, *max)),
            Self::Ball { center, radius } => Some((center.map(|c| c - radius), center.map(|c| c + radius))),
            Self::Cylinder { center, axis, radius, half_length } => {
                let reach: [f64; D] = from_fn(|k| {
                    half_length * axis[k].abs() + radius * (1.0 - axis[k] * axis[k]).max(0.0).sqrt()
                });
                Some((sub(center, &reach), from_fn(|k| center[k] + reach[k])))
            }
            Self::HalfSpace { .. } => None,
            Self::Outside(region) => match &**region {
                Self::Outside(inner) => inner.bounds(),
                _ => None,
            },
        }
    }

    /// The corners of a block; nothing else has any `[m]`.
    pub fn corners(&self) -> Vec<[f64; D]> {
        let Self::Block { min, max } = self else { return Vec::new() };
        (0..1_usize << D).map(|k| from_fn(|a| if k >> a & 1 == 0 { min[a] } else { max[a] })).collect()
    }

    /// Volume, area in two dimensions, if bounded `[m^D]`.
    pub fn volume(&self) -> Option<f64> {
        use std::f64::consts::PI;
        match self {
            Self::Block { min, max } => Some((0..D).map(|k| max[k] - min[k]).product()),
            Self::Ball { radius, .. } if D == 2 => Some(PI * radius.powi(2)),
            Self::Ball { radius, .. } => Some(4.0 / 3.0 * PI * radius.powi(3)),
            Self::Cylinder { radius, half_length, .. } => Some(2.0 * PI * radius.powi(2) * half_length),
            Self::HalfSpace { .. } => None,
            Self::Outside(region) => match &**region {
                Self::Outside(inner) => inner.volume(),
                _ => None,
            },
        }
    }

    /// Smallest width of the region, if bounded `[m]`.
    pub fn thickness(&self) -> Option<f64> {
        match self {
            Self::Block { min, max } => Some((0..D).map(|k| max[k] - min[k]).fold(f64::INFINITY, f64::min)),
            Self::Ball { radius, .. } => Some(2.0 * radius),
            Self::Cylinder { radius, half_length, .. } => Some(2.0 * radius.min(*half_length)),
            Self::HalfSpace { .. } => None,
            Self::Outside(region) => match &**region {
                Self::Outside(inner) => inner.thickness(),
                _ => None,
            },
        }
    }

    /// Moves a point inside, to a depth of at least `margin`; returns the normals it was moved against.
    ///
    /// `x ← x - (phi + margin) n` while `phi > -margin`. Near an edge of a block one move can leave another
    /// face violated, hence up to `D + 1` of them; each is passed to `moved`.
    pub fn clamp(&self, x: &mut [f64; D], margin: f64, mut moved: impl FnMut(&[f64; D])) {
        let scale = x.iter().fold(margin, |largest, x| largest.max(x.abs()));
        for _ in 0..=D {
            let excess = self.phi(x) + margin;
            if excess <= 4.0 * f64::EPSILON * scale {
                return;
            }
            let n = self.normal(x);
            *x = from_fn(|k| x[k] - excess * n[k]);
            moved(&n);
        }
    }
}

fn block_excess<const D: usize>(min: &[f64; D], max: &[f64; D], x: &[f64; D]) -> [f64; D] {
    from_fn(|k| (min[k] - x[k]).max(x[k] - max[k]))
}

/// Coordinate along an axis, and the vector from the axis to the point.
fn split<const D: usize>(center: &[f64; D], axis: &[f64; D], x: &[f64; D]) -> (f64, [f64; D]) {
    let d = sub(x, center);
    let along = dot(d, *axis);
    (along, from_fn(|k| d[k] - along * axis[k]))
}

fn radial<const D: usize>(d: &[f64; D]) -> [f64; D] {
    let r = norm(*d);
    if r > 0.0 { d.map(|x| x / r) } else { unit(0) }
}

/// Some unit vector at right angles to a unit vector, always the same one.
pub(crate) fn perpendicular<const D: usize>(axis: &[f64; D]) -> [f64; D] {
    let least = (0..D).fold(0, |best, k| if axis[k].abs() < axis[best].abs() { k } else { best });
    let e: [f64; D] = unit(least);
    let along = axis[least];
    radial(&from_fn(|k| e[k] - along * axis[k]))
}
