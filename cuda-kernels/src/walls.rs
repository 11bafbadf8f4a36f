//! Samples of walls and bodies: launchers of `walls.cu`.
//!
//! **Motion.** Every rigid set of samples, of a prescribed motion or of a dynamic body, is an affine map of where it
//! was drawn. The host makes these few maps in `f64` once a step, and the card applies them; nothing drifts, as on the
//! processor. Translations and oscillations have its bits; all others differ by the rounding of a few operations in
//! `f64`.
//!
//! **Wrenches.** Force and torque on a body are sums over its samples in `f64` and in an order that depends on their
//! number alone. They stay on the card until the host asks for a few numbers a body.

use crate::{
    error::CudaError,
    executor::{Executor, Field, In, Kernel, Launch, Plain, Points, arguments, count},
    reduce::NONE,
};
use sph_core::{
    Real,
    fluid::boundary::{Body, Boundary},
    geometry::motion::Trajectory,
    numerics::lane::each,
    rigid::{self, Bodies, Rigid},
};

const MOVE_SAMPLES: Kernel = Kernel { file: "walls.cu", name: "move_samples" };
const SUM_WRENCHES: Kernel = Kernel { file: "walls.cu", name: "sum_wrenches" };
const MERGE_WRENCHES: Kernel = Kernel { file: "walls.cu", name: "merge_wrenches" };

/// Twin of `WRENCH_BLOCKS` in walls.cu.
const WRENCH_BLOCKS: u32 = 64;
/// Twin of `REDUCE_THREADS` in reduce.cuh.
const REDUCE_THREADS: u32 = 256;

/// Where a rigid set of samples is now: `x = A (x_0 − c) + b`, `v = V (x_0 − c) + w + s`, `a = U (x_0 − c) + q`. Twin
/// of `Affine` in walls.cu.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Affine<const D: usize> {
    /// A point about which the set turns, as it was drawn, c `[m]`.
    pub center: [f64; D],
    /// Rotation A, `[-]`.
    pub a: [[f64; D]; D],
    /// Where c is now, b `[m]`.
    pub b: [f64; D],
    /// `ω × A`, V `[1/s]`.
    pub v: [[f64; D]; D],
    /// Velocity of c, w `[m/s]`.
    pub w: [f64; D],
    /// `ω × (ω × A)`, U `[1/s²]`.
    pub u: [[f64; D]; D],
    /// Acceleration of c, q `[m/s²]`.
    pub q: [f64; D],
    /// Speed of the surface in itself, s, added to v in the width of `Real`, `[m/s]`.
    pub surface: [f64; D],
    /// 0 where samples keep what they have.
    pub moves: i32,
    /// 0 where accelerations stay, too: those of samples of dynamic bodies.
    pub accelerates: i32,
}

impl<const D: usize> Default for Affine<D> {
    /// Of a set at rest.
    fn default() -> Self {
        let (none, nowhere) = ([[0.0; D]; D], [0.0; D]);
        let a = each(unit);
        let [center, b, w, q, surface] = [nowhere; 5];
        Self { center, a, b, v: none, w, u: none, q, surface, moves: 0, accelerates: 0 }
    }
}

/// Force and torque on a body, in `f64`. Twin of `Wrench` in walls.cu.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Wrench<const D: usize> {
    /// Force F, `[N]`.
    pub force: [f64; D],
    /// Torque τ about the center of mass; its last entry alone in 2D, `[N m]`.
    pub torque: [f64; 3],
}

impl<const D: usize> Default for Wrench<D> {
    fn default() -> Self {
        Self { force: [0.0; D], torque: [0.0; 3] }
    }
}

impl<const D: usize> From<Wrench<D>> for rigid::Wrench<D> {
    fn from(Wrench { force, torque }: Wrench<D>) -> Self {
        Self { force, torque }
    }
}

// SAFETY: of `repr(C)`, of numbers alone, of which all may be zero.
unsafe impl<const D: usize> Plain for Affine<D> {}
// SAFETY: as above.
unsafe impl<const D: usize> Plain for Wrench<D> {}

/// The unit vector along an axis.
fn unit<const D: usize>(axis: usize) -> [f64; D] {
    each(|a| if a == axis { 1.0 } else { 0.0 })
}

/// The matrix of these columns.
fn of_columns<const D: usize>(columns: [[f64; D]; D]) -> [[f64; D]; D] {
    each(|k| each(|l| columns[l][k]))
}

impl<const D: usize> Affine<D> {
    /// Where a prescribed motion brings a set at time `t`, `[s]`.
    fn of_motion(body: &Body<D>, t: f64) -> Self {
        let t = t - body.since;
        let moving = Self {
            surface: body.surface_velocity.map(f64::from),
            moves: i32::from(!body.motion.is_static()),
            accelerates: 1,
            ..Self::default()
        };
        if let Trajectory::Rotation { center, axis, angular_velocity } = &body.motion {
            // About the origin, so that the columns lose no digits to a center far away.
            let turning =
                Trajectory::Rotation { center: [0.0; D], axis: *axis, angular_velocity: *angular_velocity };
            let columns: [_; D] = each(|k| turning.at(&unit(k), t));
            return Self {
                center: *center,
                a: of_columns(columns.map(|column| column.x)),
                b: *center,
                v: of_columns(columns.map(|column| column.v)),
                u: of_columns(columns.map(|column| column.a)),
                ..moving
            };
        }
        // All others shift every point alike.
        let now = body.motion.at(&[0.0; D], t);
        Self { b: now.x, w: now.v, q: now.a, ..moving }
    }

    /// Where a dynamic body has its samples now.
    fn of_rigid(body: &Rigid<D>) -> Self {
        let omega = body.angular_velocity();
        let turned: [[f64; 3]; D] = each(|k| body.rotation.turn(&each(|a| if a == k { 1.0 } else { 0.0 })));
        let turning = turned.map(|arm| cross(&omega, &arm));
        Self {
            a: of_columns(turned.map(|column| each(|a| column[a]))),
            b: body.x,
            v: of_columns(turning.map(|column| each(|a| column[a]))),
            w: body.velocity(),
            moves: 1,
            ..Self::default()
        }
    }
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Where every rigid set of samples is: that of a prescribed motion at time `t` `[s]`, that of a dynamic body where the
/// body is now. As `Boundary::move_to` and `Bodies::place_samples` have it.
pub fn affine_maps<const D: usize>(walls: &Boundary<D>, bodies: &Bodies<D>, t: f64) -> Vec<Affine<D>> {
    let map = |set: &Body<D>| match set.rigid {
        // Samples of a body that is not there stay.
        Some(k) => bodies.list.get(k).map(Affine::of_rigid).unwrap_or_default(),
        None => Affine::of_motion(set, t),
    };
    walls.bodies.iter().map(map).collect()
}

/// The fluid sticks to samples of such a set, [`Sets::flags`].
pub const NO_SLIP: u32 = 1;
/// Such a set is the surface of a dynamic body, [`Sets::flags`].
pub const RIGID: u32 = 2;

/// The rigid sets of the samples.
#[derive(Clone, Copy, Debug)]
pub struct Sets<'a> {
    /// [`NO_SLIP`] and [`RIGID`] of each set. Shape `[n_sets]`.
    pub flags: &'a Field<u32>,
    /// The set of each sample, below `n_sets`. Shape `[n_walls]`.
    pub body: &'a Field<u16>,
}

/// Twin of `Sets` in base.cuh.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct SetTable {
    flags: In<u32>,
    body: In<u16>,
}

impl Sets<'_> {
    /// As `kernel` takes them, for `n` samples.
    pub(crate) fn table(
        &self,
        executor: &dyn Executor,
        kernel: Kernel,
        n: usize,
    ) -> Result<SetTable, CudaError> {
        // The flags of no set are read of no sample.
        kernel.expect("flags", self.flags.len(), n.min(1))?;
        kernel.expect("body", self.body.len(), n)?;
        Ok(SetTable { flags: executor.input(self.flags), body: executor.input(self.body) })
    }
}

/// What each rigid set of `walls` is, for [`Sets::flags`].
pub fn flags<const D: usize>(walls: &Boundary<D>) -> Vec<u32> {
    let of = |set: &Body<D>| (u32::from(set.no_slip) * NO_SLIP) | (u32::from(set.rigid.is_some()) * RIGID);
    walls.bodies.iter().map(of).collect()
}

/// What never changes of samples, in the order of the fields that go with it.
#[derive(Debug)]
pub struct Drawn<'a, const D: usize> {
    /// The rigid set of each. Shape `[n]`.
    pub body: &'a Field<u16>,
    /// Where each was drawn. Shape `[D][n]`, `[m]`.
    pub x_0: &'a [Field<Real>; D],
}

/// Positions, velocities and accelerations of samples.
#[derive(Debug)]
pub struct Moving<'a, const D: usize> {
    /// Shape `[D][n]`, `[m]`.
    pub x: &'a mut [Field<Real>; D],
    /// Shape `[D][n]`, `[m/s]`.
    pub v: &'a mut [Field<Real>; D],
    /// Shape `[D][n]`, `[m/s²]`.
    pub a: &'a mut [Field<Real>; D],
}

/// Brings the first `n` samples to where the maps of their sets say; `sets` are [`affine_maps`], uploaded.
///
/// # Errors
/// When a field is shorter than `n`, or the launch fails.
pub fn move_samples<const D: usize>(
    executor: &dyn Executor,
    sets: &Field<Affine<D>>,
    drawn: &Drawn<'_, D>,
    n: usize,
    out: Moving<'_, D>,
) -> Result<(), CudaError> {
    MOVE_SAMPLES.expect("body", drawn.body.len(), n)?;
    let expect =
        |name, x: &[Field<Real>; D]| x.iter().try_for_each(|x| MOVE_SAMPLES.expect(name, x.len(), n));
    for (name, x) in [("x_0", drawn.x_0), ("x", &*out.x), ("v", &*out.v), ("a", &*out.a)] {
        expect(name, x)?;
    }
    let (n_sets, number) = (count(sets.len())?, count(n)?);
    let (sets, body, x_0) = (executor.input(sets), executor.input(drawn.body), executor.points(drawn.x_0));
    let (x, v, a) = (executor.writable(out.x), executor.writable(out.v), executor.writable(out.a));
    // SAFETY: fields of samples have n items, and the kernel passes over samples of a set beyond the table.
    unsafe {
        let launch = MOVE_SAMPLES.for_each(D, n)?;
        executor.launch(launch, arguments![sets, n_sets, body, x_0, number, x, v, a])
    }
}

/// Forces and torques on the dynamic bodies of a run.
#[derive(Debug)]
pub struct Wrenches<const D: usize> {
    /// The body of each set of samples, [`NONE`] for walls. Shape `[sets]`.
    rigid: Field<u32>,
    partial: Field<Wrench<D>>,
    /// What the fluid does to each body, for the host to download. Shape `[bodies]`.
    pub total: Field<Wrench<D>>,
}

impl<const D: usize> Wrenches<D> {
    /// Room for `n_bodies` bodies, whose samples are among `n_sets` sets.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor, n_sets: usize, n_bodies: usize) -> Result<Self, CudaError> {
        Ok(Self {
            rigid: executor.zeros(n_sets)?,
            partial: executor.zeros(n_bodies * WRENCH_BLOCKS as usize)?,
            total: executor.zeros(n_bodies)?,
        })
    }

    /// Takes the bodies of the sets of `walls`.
    ///
    /// # Errors
    /// When the copy fails.
    pub fn write(&mut self, executor: &dyn Executor, walls: &Boundary<D>) -> Result<(), CudaError> {
        let rigid: Vec<u32> = walls.bodies.iter().map(|set| set.rigid.map_or(NONE, |k| k as u32)).collect();
        executor.write(&rigid, &mut self.rigid)
    }

    /// `total[k] ← Σ_b F_b, Σ_b (x_b − X) × F_b` over those of the first `n` samples that are of body k. `body` is the
    /// set of each sample, `center` the centers of mass X, shape `[bodies · D]`, `[m]`.
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
    ) -> Result<(), CudaError> {
        let n_bodies = self.total.len();
        SUM_WRENCHES.expect("body", body.len(), n)?;
        SUM_WRENCHES.expect("center", center.len(), n_bodies * D)?;
        let points = |name, x: &[Field<Real>; D]| -> Result<Points<Real, D>, CudaError> {
            x.iter().try_for_each(|x| SUM_WRENCHES.expect(name, x.len(), n))?;
            Ok(executor.points(x))
        };
        let (x, force) = (points("x", x)?, points("force", force)?);
        let rigid: In<u32> = executor.input(&self.rigid);
        let (n_sets, number) = (count(self.rigid.len())?, count(n)?);
        let (body, center) = (executor.input(body), executor.input(center));
        let launch =
            |kernel, blocks| Launch { kernel, dim: D, smoothing: None, blocks, threads: REDUCE_THREADS };
        let blocks = count(self.partial.len())?;
        let partial = executor.output(&mut self.partial);
        // SAFETY: `partial` has an item a block, fields of samples n, and samples of no known set are passed over.
        unsafe {
            executor.launch(
                launch(SUM_WRENCHES, blocks),
                arguments![rigid, n_sets, body, x, force, center, number, partial],
            )?;
        }
        let (partial, total) = (executor.input(&self.partial), executor.output(&mut self.total));
        // SAFETY: `partial` has WRENCH_BLOCKS items a body, `total` one.
        unsafe { executor.launch(launch(MERGE_WRENCHES, blocks / WRENCH_BLOCKS), arguments![partial, total]) }
    }
}
