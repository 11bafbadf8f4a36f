//! Samples of walls and bodies.
//!
//! **Motion.** Every rigid set of samples, of a prescribed motion or of a dynamic body, is an affine map of where it
//! was drawn. The host makes these few maps in `f64` once a step, and the device applies them; nothing drifts, as on the
//! processor. Translations and oscillations have its bits; all others differ by the rounding of a few operations in
//! `f64`.
//!
//! **Wrenches.** Force and torque on a body are sums over its samples in `f64` and in an order that depends on their
//! number alone. They stay on the device until the host asks for a few numbers a body.

use crate::{
    common::{boundary::loads::Wrench, numerics::reduce::NONE},
    device::{
        error::CudaError,
        executor::{Executor, Field},
        launch::Launched,
    },
};
use sph_core::{
    Real,
    fluid::boundary::{Body, Boundary},
    geometry::motion::Moment,
    numerics::lane::each,
    rigid::{Bodies, Rigid},
};

crate::device::launch::generated!("common_boundary_walls.rs");

/// The unit vector along an axis.
fn unit<const D: usize>(axis: usize) -> [f64; D] {
    each(|a| if a == axis { 1.0 } else { 0.0 })
}

/// The matrix of these columns.
fn of_columns<const D: usize>(columns: [[f64; D]; D]) -> [[f64; D]; D] {
    each(|k| each(|l| columns[l][k]))
}

impl<const D: usize> Affine<D> {
    /// Of a set at rest.
    fn at_rest() -> Self {
        Self { a: each(unit), ..Self::default() }
    }

    /// Where a prescribed motion brings a set at time `t`, `[s]`.
    fn of_motion(body: &Body<D>, t: f64) -> Self {
        let Moment { shift, turn } = body.motion.now(t - body.since);
        let shifted = Self {
            b: shift.x,
            w: shift.v,
            q: shift.a,
            surface: body.surface_velocity.map(f64::from),
            moves: i32::from(!body.motion.is_static()),
            accelerates: 1,
            ..Self::at_rest()
        };
        let Some((turn, angle)) = turn else { return shifted };
        let columns: [_; D] = each(|k| turn.spin(&unit(k), angle));
        Self {
            center: turn.center,
            a: of_columns(columns.map(|column| column.x)),
            b: each(|k| turn.center[k] + shift.x[k]),
            v: of_columns(columns.map(|column| column.v)),
            u: of_columns(columns.map(|column| column.a)),
            ..shifted
        }
    }

    /// Where a dynamic body has its samples now.
    fn of_rigid(body: &Rigid<D>) -> Self {
        let omega = body.angular_velocity();
        let turned: [[f64; 3]; D] = each(|k| body.rotation.rotate(&each(|a| if a == k { 1.0 } else { 0.0 })));
        let turning = turned.map(|arm| cross(&omega, &arm));
        Self {
            a: of_columns(turned.map(|column| each(|a| column[a]))),
            b: body.x,
            v: of_columns(turning.map(|column| each(|a| column[a]))),
            w: body.velocity(),
            moves: 1,
            ..Self::at_rest()
        }
    }
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Where every rigid set of samples is: that of a prescribed motion at time `t` `[s]`, that of a dynamic body where the
/// body is now. As `Boundary::move_to` and `Bodies::update_samples` have it.
pub fn affine_maps<const D: usize>(walls: &Boundary<D>, bodies: &Bodies<D>, t: f64) -> Vec<Affine<D>> {
    let map = |set: &Body<D>| match set.rigid {
        // Samples of a body that is not there stay.
        Some(k) => bodies.list.get(k).map_or_else(Affine::at_rest, Affine::of_rigid),
        None => Affine::of_motion(set, t),
    };
    walls.bodies.iter().map(map).collect()
}

/// The fluid sticks to samples of such a set, [`Sets::flags`](crate::common::numerics::Sets).
pub const NO_SLIP: u32 = 1;
/// Such a set is the surface of a dynamic body, [`Sets::flags`](crate::common::numerics::Sets).
pub const RIGID: u32 = 2;

/// The force on samples of such a set is needed in this step, [`Sets::flags`](crate::common::numerics::Sets).
pub const LOADED: u32 = 4;

/// What each rigid set of `walls` is, for [`Sets::flags`](crate::common::numerics::Sets).
pub fn flags<const D: usize>(walls: &Boundary<D>) -> Vec<u32> {
    let flag = |holds: bool, flag: u32| u32::from(holds) * flag;
    let of = |set: &Body<D>| {
        flag(set.no_slip, NO_SLIP) | flag(set.rigid.is_some(), RIGID) | flag(walls.is_set_loaded(set), LOADED)
    };
    walls.bodies.iter().map(of).collect()
}

/// Forces and torques on the dynamic bodies of a run, and on walls where they are measured.
#[derive(Debug)]
pub struct Wrenches<const D: usize> {
    /// The place of each set of samples in [`Bodies::pivots`], [`NONE`] of those that need no force. Shape `[sets]`.
    pivot: Field<u32>,
    partial: Field<Wrench<D>>,
    /// What the fluid does to each of [`Bodies::pivots`], for the host to download. Shape `[pivots]`.
    pub total: Field<Wrench<D>>,
}

impl<const D: usize> Wrenches<D> {
    /// Buffers for `n_pivots` bodies and walls, whose samples are among `n_sets` sets.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, n_sets: usize, n_pivots: usize) -> Result<Self, CudaError> {
        Ok(Self {
            pivot: executor.zeros(n_sets)?,
            partial: executor.zeros(n_pivots * WRENCH_BLOCKS as usize)?,
            total: executor.zeros(n_pivots)?,
        })
    }

    /// Takes what the sets of `walls` belong to in this step.
    ///
    /// # Errors
    /// When the copy fails.
    pub fn write(
        &mut self,
        executor: &dyn Executor,
        walls: &Boundary<D>,
        bodies: &Bodies<D>,
    ) -> Result<(), CudaError> {
        let pivot = |set| bodies.pivot_of(set, walls).map_or(NONE, |k| k as u32);
        let pivots: Vec<u32> = walls.bodies.iter().map(pivot).collect();
        executor.write(&pivots, &mut self.pivot)
    }

    /// `total[k] ← Σ_b F_b, Σ_b (x_b − X) × F_b` over those of the first `n` samples that are of pivot k. `body` is the
    /// set of each sample, `center` the points X of [`Bodies::pivots`], shape `[pivots · D]`, `[m]`.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn collect(
        &mut self,
        executor: &dyn Executor,
        body: &Field<u16>,
        x: &[Field<Real>; D],
        force: &[Field<Real>; D],
        n: usize,
        center: &Field<f64>,
    ) -> Launched {
        let Self { pivot, partial, total } = self;
        sum_wrenches(executor, pivot, pivot.len(), body, x, force, center, n, partial, total)
    }
}
