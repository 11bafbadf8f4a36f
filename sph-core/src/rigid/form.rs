//! Constants of a body: shape, mass, inertia and degrees of freedom.

use crate::{
    geometry::shape::{Hull, Region, perpendicular},
    numerics::vector::{cross, dot, norm},
};
use nalgebra::{Matrix3, SymmetricEigen};
use std::{array::from_fn, sync::Arc};

/// Shape and mass of a body in its own frame: the origin is the center of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Form<const D: usize> {
    /// Name in the scene.
    pub name: String,
    /// Its shape, around the origin.
    pub region: Region<D>,
    /// Mass m (of a slab of 1 m depth in 2D), `[kg]`.
    pub mass: f64,
    /// Principal moments of inertia, `[kg m²]`.
    moments: [f64; 3],
    /// Their axes; `None` where these are those of the coordinates.
    axes: Option<[[f64; 3]; 3]>,
    /// Radius of the ball around the origin that holds it, `[m]`.
    pub reach: f64,
    /// Axes along which it does not move.
    pub held: [bool; D],
    /// True when it does not turn.
    pub held_rotation: bool,
    /// Share of the normal velocity that a collision gives back, `[-]`.
    pub restitution: f64,
    /// Coefficient of Coulomb friction, `[-]`.
    pub friction: f64,
}

impl<const D: usize> Form<D> {
    /// A body of even density, free in all directions. `region` is drawn anywhere; its center comes with the form.
    /// Returns `None` for what has no end.
    pub fn new(name: String, region: &Region<D>, mass: f64) -> Option<(Self, [f64; D])> {
        let (region, center) = centered(region)?;
        let (per_mass, axes) = moments(&region)?;
        let form = Self {
            name,
            reach: reach(&region)?,
            moments: per_mass.map(|i| i * mass),
            axes,
            region,
            mass,
            held: [false; D],
            held_rotation: false,
            restitution: 0.0,
            friction: 0.0,
        };
        Some((form, center))
    }

    /// `I₀ ω`.
    pub fn inertia(&self, omega: &[f64; 3]) -> [f64; 3] {
        self.apply(&self.moments, omega)
    }

    /// `I₀⁻¹ L`.
    pub fn inverse_inertia(&self, l: &[f64; 3]) -> [f64; 3] {
        self.apply(&self.moments.map(|i| 1.0 / i), l)
    }

    /// The inertia as a matrix, `[kg m²]`.
    pub fn inertia_matrix(&self) -> [[f64; 3]; 3] {
        from_fn(|k| self.inertia(&from_fn(|a| if a == k { 1.0 } else { 0.0 })))
    }

    fn apply(&self, along: &[f64; 3], x: &[f64; 3]) -> [f64; 3] {
        match &self.axes {
            None => from_fn(|a| along[a] * x[a]),
            Some(axes) => {
                let parts: [f64; 3] = from_fn(|k| along[k] * dot(axes[k], *x));
                from_fn(|a| dot(parts, axes.each_ref().map(|axis| axis[a])))
            }
        }
    }
}

/// The region around the origin, and where its center was.
fn centered<const D: usize>(region: &Region<D>) -> Option<(Region<D>, [f64; D])> {
    let origin = [0.0; D];
    match region {
        Region::Block { min, max } => {
            let half: [f64; D] = from_fn(|a| 0.5 * (max[a] - min[a]));
            let center = from_fn(|a| 0.5 * (max[a] + min[a]));
            Some((Region::Block { min: half.map(|h| -h), max: half }, center))
        }
        Region::Ball { center, radius } => Some((Region::Ball { center: origin, radius: *radius }, *center)),
        Region::Cylinder { center, axis, radius, half_length } => {
            let (axis, radius, half_length) = (*axis, *radius, *half_length);
            Some((Region::Cylinder { center: origin, axis, radius, half_length }, *center))
        }
        Region::TurnedBlock { center, axes, half } => {
            Some((Region::TurnedBlock { center: origin, axes: *axes, half: *half }, *center))
        }
        Region::Hull(hull) => {
            let center = *hull.center();
            Some((Region::Hull(Arc::new(hull.moved(|x| from_fn(|a| x[a] - center[a])))), center))
        }
        Region::HalfSpace { .. } | Region::Outside(_) => None,
    }
}

/// A direction or a place in space.
fn in_space<const D: usize>(x: &[f64; D]) -> [f64; 3] {
    from_fn(|a| if a < D { x[a] } else { 0.0 })
}

/// Principal moments of inertia per mass, `[m²]`, and their axes.
type Moments = ([f64; 3], Option<[[f64; 3]; 3]>);

/// Those of a hull, `I = tr(M) 1 - M` with `M = ∫ x x^T dV / V`.
fn of_hull<const D: usize>(hull: &Hull<D>) -> Moments {
    let m = hull.moments();
    let trace: f64 = (0..D).map(|a| m[a][a]).sum();
    if D == 2 {
        return ([trace; 3], None);
    }
    let inertia = Matrix3::from_fn(|a, b| if a == b { trace } else { 0.0 } - m[a.min(D - 1)][b.min(D - 1)]);
    let SymmetricEigen { eigenvectors, eigenvalues } = inertia.symmetric_eigen();
    (from_fn(|k| eigenvalues[k]), Some(from_fn(|k| from_fn(|a| eigenvectors[(a, k)]))))
}

fn moments<const D: usize>(region: &Region<D>) -> Option<Moments> {
    match region {
        Region::Block { max: half, .. } => {
            let h2: [f64; 3] = from_fn(|a| if a < D { half[a] * half[a] } else { 0.0 });
            Some((from_fn(|a| (h2[(a + 1) % 3] + h2[(a + 2) % 3]) / 3.0), None))
        }
        // Of a disc, or of a ball; a plane turns about its normal alone.
        Region::Ball { radius, .. } => {
            let part = if D == 2 { 0.5 } else { 0.4 };
            Some(([part * radius * radius; 3], None))
        }
        Region::Cylinder { axis, radius, half_length, .. } => {
            let (r2, l2) = (radius * radius, half_length * half_length);
            let across = 0.25 * r2 + l2 / 3.0;
            let axis = in_space(axis);
            let e = perpendicular(&axis);
            Some(([0.5 * r2, across, across], Some([axis, e, cross(axis, e)])))
        }
        Region::TurnedBlock { axes, half, .. } => {
            let (along, _) = moments(&Region::Block { min: half.map(|h| -h), max: *half })?;
            Some((along, (D == 3).then(|| from_fn(|k| in_space(&axes[k.min(D - 1)])))))
        }
        Region::Hull(hull) => Some(of_hull(hull)),
        Region::HalfSpace { .. } | Region::Outside(_) => None,
    }
}

fn reach<const D: usize>(region: &Region<D>) -> Option<f64> {
    match region {
        Region::Block { max: half, .. } | Region::TurnedBlock { half, .. } => Some(norm(*half)),
        Region::Hull(hull) => hull.vertices().iter().map(|x| norm(*x)).reduce(f64::max),
        Region::Ball { radius, .. } => Some(*radius),
        Region::Cylinder { radius, half_length, .. } => Some(radius.hypot(*half_length)),
        Region::HalfSpace { .. } | Region::Outside(_) => None,
    }
}
