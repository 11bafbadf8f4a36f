//! Signed distances `phi`, negative inside, and their gradients `n`.
use super::Hull;
use crate::numerics::vector::{dot, norm};
use std::array::from_fn;
use std::sync::Arc;

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
    /// A block at an angle.
    TurnedBlock {
        /// Its middle `[m]`.
        center: [f64; D],
        /// Directions of its edges, a right-handed set of length 1.
        axes: [[f64; D]; D],
        /// Half its edges `[m]`.
        half: [f64; D],
    },
    /// A closed polygon or mesh of triangles.
    Hull(Arc<Hull<D>>),
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
            Self::TurnedBlock { center, axes, half } => {
                box_phi(&block_excess(&half.map(|h| -h), half, &in_frame(center, axes, x)))
            }
            Self::Hull(hull) => hull.phi(x),
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
            Self::TurnedBlock { center, axes, half } => {
                Self::Block { min: half.map(|h| -h), max: *half }.face_distances(&in_frame(center, axes, x))
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
            Self::Ball { .. } | Self::HalfSpace { .. } | Self::Hull(_) | Self::Outside(_) => {
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
            Self::TurnedBlock { center, axes, half } => {
                let x = in_frame(center, axes, x);
                let weights = box_weights(&block_excess(&half.map(|h| -h), half, &x));
                combine(axes, &from_fn(|k| if x[k] < 0.0 { -weights[k] } else { weights[k] }))
            }
            Self::Hull(hull) => hull.normal(x),
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
            Self::TurnedBlock { axes, .. } => {
                let axis = axes[(face / 2).min(D - 1)];
                if face.is_multiple_of(2) { axis.map(|a| -a) } else { axis }
            }
            Self::Cylinder { center, axis, .. } => match face {
                0 => match split(center, axis, x).1 {
                    across if norm(across) > 0.0 => radial(&across),
                    _ => perpendicular(axis),
                },
                1 => axis.map(|a| -a),
                _ => *axis,
            },
            Self::Ball { .. } | Self::HalfSpace { .. } | Self::Hull(_) | Self::Outside(_) => self.normal(x),
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
            Self::TurnedBlock { center, axes, half } => {
                let reach: [f64; D] = from_fn(|a| (0..D).map(|k| half[k] * axes[k][a].abs()).sum());
                Some((sub(center, &reach), from_fn(|k| center[k] + reach[k])))
            }
            Self::Hull(hull) => Some(hull.bounds()),
            Self::HalfSpace { .. } => None,
            Self::Outside(region) => match &**region {
                Self::Outside(inner) => inner.bounds(),
                _ => None,
            },
        }
    }

    /// The corners of a block or a hull; nothing else has any `[m]`.
    pub fn corners(&self) -> Vec<[f64; D]> {
        let of = |min: &[f64; D], max: &[f64; D]| {
            let end = |k: usize| from_fn(|a| if k >> a & 1 == 0 { min[a] } else { max[a] });
            (0..1_usize << D).map(end).collect::<Vec<[f64; D]>>()
        };
        match self {
            Self::Block { min, max } => of(min, max),
            Self::TurnedBlock { center, axes, half } => {
                of(&half.map(|h| -h), half).iter().map(|x| out_of_frame(center, axes, x)).collect()
            }
            Self::Hull(hull) => hull.vertices().to_vec(),
            _ => Vec::new(),
        }
    }

    /// The region turned about a point, by a rotation with these columns.
    #[must_use]
    pub fn turned(&self, about: &[f64; D], columns: &[[f64; D]; D]) -> Self {
        let turn = |d: &[f64; D]| combine(columns, d);
        let to = |x: &[f64; D]| out_of_frame(about, columns, &sub(x, about));
        match self {
            Self::Block { min, max } => Self::TurnedBlock {
                center: to(&from_fn(|k| 0.5 * (min[k] + max[k]))),
                axes: *columns,
                half: from_fn(|k| 0.5 * (max[k] - min[k])),
            },
            Self::TurnedBlock { center, axes, half } => {
                Self::TurnedBlock { center: to(center), axes: axes.each_ref().map(turn), half: *half }
            }
            Self::Ball { center, radius } => Self::Ball { center: to(center), radius: *radius },
            Self::Cylinder { center, axis, radius, half_length } => {
                let (center, axis) = (to(center), turn(axis));
                Self::Cylinder { center, axis, radius: *radius, half_length: *half_length }
            }
            Self::HalfSpace { point, normal } => Self::HalfSpace { point: to(point), normal: turn(normal) },
            Self::Hull(hull) => Self::Hull(Arc::new(hull.moved(to))),
            Self::Outside(region) => Self::Outside(Box::new(region.turned(about, columns))),
        }
    }

    /// Volume, area in two dimensions, if bounded `[m^D]`.
    pub fn volume(&self) -> Option<f64> {
        use std::f64::consts::PI;
        match self {
            Self::Block { min, max } => Some((0..D).map(|k| max[k] - min[k]).product()),
            Self::Ball { radius, .. } if D == 2 => Some(PI * radius.powi(2)),
            Self::Ball { radius, .. } => Some(4.0 / 3.0 * PI * radius.powi(3)),
            Self::Cylinder { radius, half_length, .. } => Some(2.0 * PI * radius.powi(2) * half_length),
            Self::TurnedBlock { half, .. } => Some(half.iter().map(|h| 2.0 * h).product()),
            Self::Hull(hull) => Some(hull.volume()),
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
            Self::TurnedBlock { half, .. } => Some(2.0 * half.iter().copied().fold(f64::INFINITY, f64::min)),
            Self::Hull(hull) => Some(2.0 * hull.depth()),
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

/// A point in the frame of these axes, with `center` as its origin.
pub(crate) fn in_frame<const D: usize>(center: &[f64; D], axes: &[[f64; D]; D], x: &[f64; D]) -> [f64; D] {
    let d = sub(x, center);
    from_fn(|k| dot(d, axes[k]))
}

/// A point of the frame of these axes in space.
pub(crate) fn out_of_frame<const D: usize>(
    center: &[f64; D],
    axes: &[[f64; D]; D],
    x: &[f64; D],
) -> [f64; D] {
    let d = combine(axes, x);
    from_fn(|k| center[k] + d[k])
}

/// `Σ_k x_k e_k`.
fn combine<const D: usize>(axes: &[[f64; D]; D], x: &[f64; D]) -> [f64; D] {
    from_fn(|row| dot(axes.each_ref().map(|axis| axis[row]), *x))
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
