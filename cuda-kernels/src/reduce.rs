//! Reductions in a fixed order: launchers of `reduce.cu`.
//!
//! The size of the grid follows from the number of values alone, partial results merge along one tree, and sums are in f64: a result depends on
//! the values and their number alone. It differs from the processor's in the order of its sum. Results stay on the
//! card until they are asked for.

use crate::{
    error::CudaError,
    executor::{Argument, Executor, Field, In, Kernel, Launch, Out, Plain, Points, arguments, count, plain},
    physics::space,
};
use sph_core::{Real, fluid::material::Domain};

/// Twins of the constants in reduce.cuh.
const BLOCKS: u32 = 512;
const THREADS: u32 = 256;

/// Blocks of the first pass over n items. Twin of `reduce_blocks` in reduce.cuh.
fn blocks(n: u32) -> u32 {
    n.div_ceil(THREADS).clamp(1, BLOCKS)
}

/// What a search for a place says when there is none.
pub const NONE: u32 = u32::MAX;

macro_rules! kernels {
    ($($constant:ident = $name:literal),+ $(,)?) => {
        $(const $constant: Kernel = Kernel { file: "reduce.cu", name: $name };)+
    };
}
kernels! {
    SUM_REALS = "sum_reals", SUM_PRODUCTS = "sum_products", MAX_REALS = "max_reals", MAX_NORMS2 = "max_norms2",
    MAX_PLACE = "max_place", MAX_COUNTS = "max_counts", ENCLOSE_POINTS = "enclose_points", FIRST_LOST = "first_lost",
    FIRST_NOT_FINITE = "first_not_finite", MERGE_SUMS = "merge_sums", MERGE_MAXIMA = "merge_maxima",
    MERGE_PEAKS = "merge_peaks", MERGE_COUNTS = "merge_counts", MERGE_PLACES = "merge_places",
    MERGE_BOUNDS = "merge_bounds", DENSITY_ERRORS = "density_errors", MERGE_ERRORS = "merge_errors",
}

/// A maximum and the first place where it stands, [`NONE`] where nothing is a number. Twin of `Peak` in reduce.cuh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Peak {
    /// The maximum.
    pub value: f64,
    /// Its place.
    pub place: u64,
}

/// How far densities are from that at rest. Twin of `DensityErrors` in reduce.cuh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct DensityErrors {
    /// Mean of `max(ρ/ρ₀ − 1, 0)`; not a number where a density is none, or what follows from it, `[-]`.
    pub mean: f64,
    /// Largest `ρ/ρ₀ − 1`, `[-]`.
    pub largest: f64,
}

/// Lower and upper ends of a set of points, `[m]`. Twin of `Bounds` in reduce.cuh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Bounds<const D: usize> {
    /// Lower end; +∞ without a point.
    pub low: [f64; D],
    /// Upper end; -∞ without a point.
    pub high: [f64; D],
}

impl<const D: usize> Default for Bounds<D> {
    fn default() -> Self {
        Self { low: [0.0; D], high: [0.0; D] }
    }
}

plain!(DensityErrors, Peak);
// SAFETY: of `repr(C)`, of numbers alone.
unsafe impl<const D: usize> Plain for Bounds<D> {}

/// Reductions of fields, and the partial results of their blocks.
#[derive(Debug)]
pub struct Reduce<const D: usize> {
    numbers: Field<f64>,
    errors: Field<DensityErrors>,
    places: Field<u32>,
    peaks: Field<Peak>,
    bounds: Field<Bounds<D>>,
}

impl<const D: usize> Reduce<D> {
    /// Room for the partial results.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(executor: &dyn Executor) -> Result<Self, CudaError> {
        let blocks = BLOCKS as usize;
        Ok(Self {
            numbers: executor.zeros(blocks)?,
            errors: executor.zeros(blocks)?,
            places: executor.zeros(blocks)?,
            peaks: executor.zeros(blocks)?,
            bounds: executor.zeros(blocks)?,
        })
    }

    /// `result[0] ← Σ_i x_i`, i < n, in f64.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn sum(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        n: usize,
        result: &mut Field<f64>,
    ) -> Result<(), CudaError> {
        let x = read(executor, SUM_REALS, x, n)?;
        let passes = Passes { executor, n, first: SUM_REALS, second: MERGE_SUMS };
        passes.run(D, &mut self.numbers, result, |partial| launch_one(executor, SUM_REALS, D, x, n, partial))
    }

    /// `result[0] ← Σ_i x_i y_i`, i < n, in f64.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn sum_products(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        y: &Field<Real>,
        n: usize,
        result: &mut Field<f64>,
    ) -> Result<(), CudaError> {
        let (x, y) = (read(executor, SUM_PRODUCTS, x, n)?, read(executor, SUM_PRODUCTS, y, n)?);
        let passes = Passes { executor, n, first: SUM_PRODUCTS, second: MERGE_SUMS };
        passes.run(D, &mut self.numbers, result, |partial| {
            start(executor, SUM_PRODUCTS, D, n, arguments![x, y, count(n)?, partial])
        })
    }

    /// `result[0] ← max_i x_i`, i < n; -∞ of nothing. NaN does not count.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn max(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        n: usize,
        result: &mut Field<f64>,
    ) -> Result<(), CudaError> {
        let x = read(executor, MAX_REALS, x, n)?;
        let passes = Passes { executor, n, first: MAX_REALS, second: MERGE_MAXIMA };
        passes.run(D, &mut self.numbers, result, |partial| launch_one(executor, MAX_REALS, D, x, n, partial))
    }

    /// `result[0] ← max_i |v_i|²`, i < n; -∞ of nothing.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn max_norms2(
        &mut self,
        executor: &dyn Executor,
        v: &[Field<Real>; D],
        n: usize,
        result: &mut Field<f64>,
    ) -> Result<(), CudaError> {
        let v = read_points(executor, MAX_NORMS2, v, n)?;
        let passes = Passes { executor, n, first: MAX_NORMS2, second: MERGE_MAXIMA };
        passes.run(D, &mut self.numbers, result, |partial| {
            start(executor, MAX_NORMS2, D, n, arguments![v, count(n)?, partial])
        })
    }

    /// `result[0]` ← how far the first `n` densities are from `rho_0` `[kg/m³]`; both numbers are 0 of nothing. `of_rho` is
    /// what followed from the densities and must be finite, too.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn density_errors(
        &mut self,
        executor: &dyn Executor,
        rho: &Field<Real>,
        of_rho: Option<&Field<Real>>,
        rho_0: Real,
        n: usize,
        result: &mut Field<DensityErrors>,
    ) -> Result<(), CudaError> {
        let rho = read(executor, DENSITY_ERRORS, rho, n)?;
        let of_rho = of_rho.map_or(Ok(In::new(0)), |x| read(executor, DENSITY_ERRORS, x, n))?;
        let passes = Passes { executor, n, first: DENSITY_ERRORS, second: MERGE_ERRORS };
        passes.run(D, &mut self.errors, result, |partial| {
            start(executor, DENSITY_ERRORS, D, n, arguments![rho, of_rho, rho_0, count(n)?, partial])
        })
    }

    /// `result[0]` ← the maximum of x and the first i < n of it.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn max_place(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        n: usize,
        result: &mut Field<Peak>,
    ) -> Result<(), CudaError> {
        let x = read(executor, MAX_PLACE, x, n)?;
        let passes = Passes { executor, n, first: MAX_PLACE, second: MERGE_PEAKS };
        passes.run(D, &mut self.peaks, result, |partial| launch_one(executor, MAX_PLACE, D, x, n, partial))
    }

    /// `result[0]` ← the largest of the first `n` counts; 0 of nothing.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn max_counts(
        &mut self,
        executor: &dyn Executor,
        counts: &Field<u32>,
        n: usize,
        result: &mut Field<u32>,
    ) -> Result<(), CudaError> {
        let counts = read(executor, MAX_COUNTS, counts, n)?;
        let passes = Passes { executor, n, first: MAX_COUNTS, second: MERGE_COUNTS };
        passes.run(D, &mut self.places, result, |partial| {
            launch_one(executor, MAX_COUNTS, D, counts, n, partial)
        })
    }

    /// `result[0]` ← the box of the first `n` points. NaN does not widen it.
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn enclose(
        &mut self,
        executor: &dyn Executor,
        x: &[Field<Real>; D],
        n: usize,
        result: &mut Field<Bounds<D>>,
    ) -> Result<(), CudaError> {
        let x = read_points(executor, ENCLOSE_POINTS, x, n)?;
        let passes = Passes { executor, n, first: ENCLOSE_POINTS, second: MERGE_BOUNDS };
        passes.run(D, &mut self.bounds, result, |partial| {
            start(executor, ENCLOSE_POINTS, D, n, arguments![x, count(n)?, partial])
        })
    }

    /// `result[0]` ← the first i < n that is outside of the domain or whose position or velocity is no finite number,
    /// or [`NONE`].
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn first_lost(
        &mut self,
        executor: &dyn Executor,
        x: &[Field<Real>; D],
        v: &[Field<Real>; D],
        domain: &Domain<D>,
        n: usize,
        result: &mut Field<u32>,
    ) -> Result<(), CudaError> {
        let x = read_points(executor, FIRST_LOST, x, n)?;
        let v = read_points(executor, FIRST_LOST, v, n)?;
        let domain = space::Domain::from(domain);
        let passes = Passes { executor, n, first: FIRST_LOST, second: MERGE_PLACES };
        passes.run(D, &mut self.places, result, |partial| {
            start(executor, FIRST_LOST, D, n, arguments![x, v, domain, count(n)?, partial])
        })
    }

    /// `result[0]` ← the first i < n whose x is no finite number, or [`NONE`].
    ///
    /// # Errors
    /// When a field is too short, or a launch fails.
    pub fn first_not_finite(
        &mut self,
        executor: &dyn Executor,
        x: &Field<Real>,
        n: usize,
        result: &mut Field<u32>,
    ) -> Result<(), CudaError> {
        let x = read(executor, FIRST_NOT_FINITE, x, n)?;
        let passes = Passes { executor, n, first: FIRST_NOT_FINITE, second: MERGE_PLACES };
        passes.run(D, &mut self.places, result, |partial| {
            launch_one(executor, FIRST_NOT_FINITE, D, x, n, partial)
        })
    }
}

/// Blocks of the first pass: items of a field of partial results.
pub(crate) const PARTIALS: usize = BLOCKS as usize;

/// The two passes of a reduction.
pub(crate) struct Passes<'a> {
    pub executor: &'a dyn Executor,
    /// Number of items.
    pub n: usize,
    pub first: Kernel,
    pub second: Kernel,
}

impl Passes<'_> {
    /// `first` starts the first pass into `partial`, of [`PARTIALS`] items.
    pub fn run<T: Plain>(
        &self,
        dim: usize,
        partial: &mut Field<T>,
        result: &mut Field<T>,
        first: impl FnOnce(Out<T>) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        self.first.expect("partial", partial.len(), BLOCKS as usize)?;
        self.second.expect("result", result.len(), 1)?;
        first(self.executor.output(partial))?;
        let launch = Launch { kernel: self.second, dim, smoothing: None, blocks: 1, threads: THREADS };
        let (partial, result) = (self.executor.input(partial), self.executor.output(result));
        // SAFETY: `partial` has an item a block, `result` one.
        unsafe { self.executor.launch(launch, arguments![partial, count(self.n)?, result]) }
    }
}

fn read<T: Plain>(
    executor: &dyn Executor,
    kernel: Kernel,
    x: &Field<T>,
    n: usize,
) -> Result<In<T>, CudaError> {
    kernel.expect("x", x.len(), n)?;
    Ok(executor.input(x))
}

fn read_points<const D: usize>(
    executor: &dyn Executor,
    kernel: Kernel,
    x: &[Field<Real>; D],
    n: usize,
) -> Result<Points<Real, D>, CudaError> {
    for x in x {
        kernel.expect("x", x.len(), n)?;
    }
    Ok(executor.points(x))
}

fn launch_one<T: Plain, R: Plain>(
    executor: &dyn Executor,
    kernel: Kernel,
    dim: usize,
    x: In<T>,
    n: usize,
    partial: Out<R>,
) -> Result<(), CudaError> {
    start(executor, kernel, dim, n, arguments![x, count(n)?, partial])
}

/// The first pass; its callers have checked that fields have n items and `partial` one a block.
pub(crate) fn start(
    executor: &dyn Executor,
    kernel: Kernel,
    dim: usize,
    n: usize,
    arguments: &[Argument],
) -> Result<(), CudaError> {
    let launch = Launch { kernel, dim, smoothing: None, blocks: blocks(count(n)?), threads: THREADS };
    // SAFETY: the arguments are those of the kernel, which the tests run, and have the sizes that were checked.
    unsafe { executor.launch(launch, arguments) }
}
