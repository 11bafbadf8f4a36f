//! Where kernels run: one launcher in Rust serves a GPU and the processor.

use crate::device::{compile::variant::Variant, error::CudaError};
use sph_core::Real;
use std::{ffi::c_void, fmt::Debug, marker::PhantomData, mem::MaybeUninit, slice};

/// Plain data: bytes that mean the same in Rust and in the CUDA source, for which all zeros is a value.
///
/// # Safety
/// The type has no pointer, no padding that matters, and the layout of its twin in the CUDA source.
pub unsafe trait Plain: Copy + Default + Debug + Send + Sync + 'static {}

/// Declares types of this crate as plain data.
macro_rules! plain {
    ($($(#[$of:tt])? $type:ty),+ $(,)?) => { $(
        // SAFETY: of `repr(C)`, of numbers alone; sizes are compared by the host shim at every launch.
        unsafe impl $crate::device::executor::Plain for $type {}
    )+ };
}
pub(crate) use plain;

macro_rules! numbers {
    ($($type:ty),+) => { $(
        // SAFETY: a number.
        unsafe impl Plain for $type {}
    )+ };
}
numbers!(u16, u32, u64, f32, f64);

/// One kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// The source file it stands in, as `cells.cu`.
    pub file: &'static str,
    /// Its name there.
    pub name: &'static str,
}

/// What is started, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// The kernel.
    pub kernel: Kernel,
    /// Dimension of space, 2 or 3 `[-]`.
    pub dim: usize,
    /// The smoothing kernel, by the name that the macro `SPH_KERNEL` has; `None` for texts that use none.
    pub smoothing: Option<&'static str>,
    /// Number of blocks `[-]`.
    pub blocks: u32,
    /// Threads a block `[-]`.
    pub threads: u32,
}

/// Threads a block where each has one particle: `THREADS` in base.cuh.
pub const THREADS: u32 = 128;
/// Most particles: their numbers, and one more, are u32, and threads of the last block are numbered, too.
pub const MOST: usize = u32::MAX as usize - THREADS as usize;

impl Kernel {
    /// One thread for each of `n` items, without a smoothing kernel.
    ///
    /// # Errors
    /// When there are more than can be numbered.
    pub fn for_each(self, dim: usize, n: usize) -> Result<Launch, CudaError> {
        let blocks = count(n)?.div_ceil(THREADS);
        Ok(Launch { kernel: self, dim, smoothing: None, blocks, threads: THREADS })
    }

    /// Refuses a field that is shorter than `needed`.
    ///
    /// # Errors
    /// When it is.
    pub fn expect(self, field: &'static str, len: usize, needed: usize) -> Result<(), CudaError> {
        if len >= needed {
            return Ok(());
        }
        Err(CudaError::TooShort { kernel: self.name, field, len, needed })
    }
}

/// A number of items as kernels take it.
///
/// # Errors
/// When there are more than can be numbered.
pub fn count(n: usize) -> Result<u32, CudaError> {
    if n > MOST { Err(CudaError::TooMany { n, most: MOST }) } else { Ok(n as u32) }
}

/// Address of a field that a kernel reads.
#[derive(Debug)]
#[repr(transparent)]
pub struct In<T>(u64, PhantomData<T>);

/// Address of a field that a kernel writes.
#[derive(Debug)]
#[repr(transparent)]
pub struct Out<T>(u64, PhantomData<T>);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for In<T> {}
impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Out<T> {}

impl<T> Default for In<T> {
    /// Nowhere.
    fn default() -> Self {
        Self::new(0)
    }
}

impl<T> Default for Out<T> {
    /// Nowhere.
    fn default() -> Self {
        Self::new(0)
    }
}

impl<T> In<T> {
    /// A field at this address, or nowhere (0).
    pub fn new(address: u64) -> Self {
        Self(address, PhantomData)
    }

    /// What begins at item `k`.
    pub(crate) fn item(self, k: usize) -> Self {
        Self::new(self.0 + (k * size_of::<T>()) as u64)
    }
}

impl<T> Out<T> {
    /// A field at this address, or nowhere (0).
    pub fn new(address: u64) -> Self {
        Self(address, PhantomData)
    }
}

/// Coordinates that a kernel reads, one field an axis. Twin of `Points` in base.cuh.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Points<T, const D: usize>(pub [In<T>; D]);

/// Coordinates that a kernel writes, one field an axis. Twin of `Writable` in base.cuh.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Writable<const D: usize>(pub [Out<Real>; D]);

impl<T, const D: usize> Default for Points<T, D> {
    fn default() -> Self {
        Self([In::default(); D])
    }
}

impl<const D: usize> Default for Writable<D> {
    fn default() -> Self {
        Self([Out::default(); D])
    }
}

/// One argument of a launch: where it lies, its size, and what it is called.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// The value, as `cuLaunchKernel` takes it.
    pub value: *mut c_void,
    /// Its size, `[B]`.
    pub size: usize,
    /// Name of the parameter: many have the same type, and only the name tells one from another. Empty where
    /// it is not checked.
    pub name: &'static str,
    of: PhantomData<&'a ()>,
}

impl<'a> Argument<'a> {
    /// An argument of a launch, which only reads it, without a name.
    pub fn of<T: Copy>(value: &'a T) -> Self {
        Self::named("", value)
    }

    /// The same, for the parameter of this name.
    pub fn named<T: Copy>(name: &'static str, value: &'a T) -> Self {
        let place = std::ptr::from_ref(value).cast_mut().cast();
        Self { value: place, size: size_of::<T>(), name, of: PhantomData }
    }

    /// True when it may stand for a parameter of this name.
    pub fn stands_for(&self, parameter: &str) -> bool {
        self.name.is_empty() || self.name == parameter
    }
}

/// A piece of memory of an executor, given back when dropped.
pub trait Memory: Debug + Send + Sync {
    /// Where it begins, for kernels.
    fn address(&self) -> u64;

    /// True when the host may read and write it there.
    fn is_of_host(&self) -> bool {
        false
    }
}

/// An array in the memory of the executor that made it, shape `[n]`, for this one alone. Given back when dropped.
#[derive(Debug)]
pub struct Field<T> {
    pub(crate) memory: Box<dyn Memory>,
    len: usize,
    of: PhantomData<T>,
}

impl<T> Field<T> {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True without items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Values as they are copied: of types with padding, too.
pub type Bytes = [MaybeUninit<u8>];

/// What runs kernels: a GPU, or the processor in its place. Work is done in the order it is asked for.
///
/// Executors provide these operations on bytes; what launchers use are the methods of `dyn Executor`.
pub trait Executor: Debug + Send + Sync + 'static {
    /// The variant of the kernels.
    fn variant(&self) -> Variant;

    /// Memory of so many zeros, `[B]`, aligned for all plain types.
    ///
    /// # Errors
    /// When there is no memory left.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, CudaError>;

    /// Copies values, some at least, to an address. The caller may change or free them as soon as this returns.
    ///
    /// # Errors
    /// When the copy fails.
    ///
    /// # Safety
    /// Memory of this executor has as many bytes from the address on.
    unsafe fn copy_in(&self, from: &Bytes, to: u64) -> Result<(), CudaError>;

    /// Copies values, some at least, from an address, after all work before.
    ///
    /// # Errors
    /// When the copy fails, or a kernel before it did.
    ///
    /// # Safety
    /// As of [`Self::copy_in`].
    unsafe fn copy_out(&self, from: u64, to: &mut Bytes) -> Result<(), CudaError>;

    /// Sets so many bytes from an address on to zeros.
    ///
    /// # Errors
    /// When it fails, or a kernel before it did.
    ///
    /// # Safety
    /// As of [`Self::copy_in`].
    unsafe fn set_zero(&self, address: u64, bytes: usize) -> Result<(), CudaError>;

    /// Starts a kernel. Nothing happens for a launch of no block.
    ///
    /// # Errors
    /// When it cannot be compiled, found or started.
    ///
    /// # Safety
    /// The arguments are those of the kernel, by number and type, and every address among them is valid for what the
    /// kernel does with it.
    unsafe fn launch(&self, launch: Launch, arguments: &[Argument]) -> Result<(), CudaError>;
}

/// In the errors of copies.
const COPY: Kernel = Kernel { file: "", name: "(copy)" };

impl dyn Executor + '_ {
    /// A field of `n` zeros.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn zeros<T: Plain>(&self, n: usize) -> Result<Field<T>, CudaError> {
        let memory = self.allocate(n.saturating_mul(size_of::<T>()))?;
        Ok(Field { memory, len: n, of: PhantomData })
    }

    /// A field of these values.
    ///
    /// # Errors
    /// When there is no memory left, or the copy fails.
    pub fn upload<T: Plain>(&self, values: &[T]) -> Result<Field<T>, CudaError> {
        let mut field = self.zeros(values.len())?;
        self.write(values, &mut field)?;
        Ok(field)
    }

    /// The values of a field, after all work before.
    ///
    /// # Errors
    /// When the copy fails, or a kernel before it did.
    pub fn download<T: Plain>(&self, field: &Field<T>) -> Result<Vec<T>, CudaError> {
        let mut values = vec![T::default(); field.len];
        self.read(field, &mut values)?;
        Ok(values)
    }

    /// Overwrites the first values of a field.
    ///
    /// # Errors
    /// When the field is shorter, or the copy fails.
    pub fn write<T: Plain>(&self, values: &[T], field: &mut Field<T>) -> Result<(), CudaError> {
        COPY.expect("written values", field.len, values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        // SAFETY: values are bytes, whatever these are, and the field has as many.
        unsafe {
            let bytes = slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values));
            self.copy_in(bytes, field.memory.address())
        }
    }

    /// Reads the first values of a field, after all work before.
    ///
    /// # Errors
    /// When the field is shorter, or the copy or a kernel before it fails.
    pub fn read<T: Plain>(&self, field: &Field<T>, values: &mut [T]) -> Result<(), CudaError> {
        COPY.expect("read values", field.len, values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        // SAFETY: all that an executor copies to this place are values of the field, which has as many.
        unsafe {
            let bytes = slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values));
            self.copy_out(field.memory.address(), bytes)
        }
    }

    /// Sets a field to zeros.
    ///
    /// # Errors
    /// When it fails, or a kernel before it did.
    pub fn clear<T: Plain>(&self, field: &mut Field<T>) -> Result<(), CudaError> {
        // SAFETY: all bytes of the field.
        unsafe { self.set_zero(field.memory.address(), field.len * size_of::<T>()) }
    }

    /// Where a kernel reads a field.
    pub fn input<T: Plain>(&self, field: &Field<T>) -> In<T> {
        In::new(field.memory.address())
    }

    /// Where a kernel writes a field.
    pub fn output<T: Plain>(&self, field: &mut Field<T>) -> Out<T> {
        Out::new(field.memory.address())
    }

    /// The coordinates that a kernel reads, one field an axis.
    pub fn points<T: Plain, const D: usize>(&self, x: &[Field<T>; D]) -> Points<T, D> {
        Points(x.each_ref().map(|x| self.input(x)))
    }

    /// The coordinates that a kernel writes, one field an axis.
    pub fn writable<const D: usize>(&self, x: &mut [Field<Real>; D]) -> Writable<D> {
        Writable(x.each_mut().map(|x| self.output(x)))
    }
}
