//! Memory and kernels of a card (feature `cuda`).

use crate::{
    ahead::Carried,
    compile,
    device::{self, Card},
    driver,
    error::{CudaError, Unavailable, Version},
    executor::{Argument, Executor, Field, In, Kernel, Launch, Out, Plain, copied},
    source::{self, Cache},
    variant::Variant,
};
use cudarc::{
    driver::{
        CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError,
        result, sys,
    },
    nvrtc::Ptx,
};
use sph_core::backend::Backend;
use std::{
    collections::HashMap,
    fmt::Debug,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// The memory of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cuda;

impl Backend for Cuda {
    type Field<T: Copy + Send + Sync + Debug + 'static> = CudaField<T>;
}

/// An array in the memory of a card, shape `[n]`. Given back when dropped.
#[derive(Debug)]
pub struct CudaField<T> {
    /// One item at least, since a card gives no memory of no size.
    memory: CudaSlice<T>,
    len: usize,
}

/// A card in use: one stream, on which all work is done in order.
#[derive(Debug)]
pub struct Device {
    card: Card,
    driver: Version,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    carried: Option<Carried>,
    cache: Cache,
    /// Waits for each kernel, so that a fault is told of the kernel that made it.
    wait_for_each: bool,
    variant: Variant,
    loaded: Mutex<Loaded>,
}

/// Dimension, and smoothing kernel if the text uses one.
type Build = (usize, Option<&'static str>);

/// What was loaded, and what was started last.
#[derive(Debug, Default)]
struct Loaded {
    modules: HashMap<(&'static str, Build), Arc<CudaModule>>,
    kernels: HashMap<(Kernel, Build), CudaFunction>,
    last: Option<&'static str>,
}

/// The driver's name of an error.
fn name_of(e: DriverError) -> String {
    format!("{:?}", e.0)
}

fn unavailable(call: &'static str) -> impl FnOnce(DriverError) -> CudaError {
    move |e| Unavailable::Driver { call, reason: name_of(e) }.into()
}

impl Device {
    /// Opens a GPU with a variant of the kernels. `SPH_CUDA_WAIT=1` in the environment waits for each kernel.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn open(ordinal: usize, variant: Variant) -> Result<Self, CudaError> {
        let (driver, cards) = driver::start()?;
        if ordinal >= cards {
            return Err(Unavailable::NoSuchCard { ordinal, cards }.into());
        }
        let context = CudaContext::new(ordinal).map_err(unavailable("cuDevicePrimaryCtxRetain"))?;
        // SAFETY: all work of this context is on one stream, so no field needs events to be waited for.
        unsafe { context.disable_event_tracking() };
        Ok(Self {
            card: device::card(ordinal)?,
            driver,
            // A stream of its own: the default one cannot be captured into a graph.
            stream: context.new_stream().map_err(unavailable("cuStreamCreate"))?,
            context,
            carried: Carried::of_environment()?,
            cache: Cache::of_environment(),
            wait_for_each: std::env::var_os("SPH_CUDA_WAIT").is_some_and(|v| v == "1"),
            variant,
            loaded: Mutex::default(),
        })
    }

    /// The card, as it was when it was opened.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// The CUDA version that the driver serves.
    pub fn driver(&self) -> Version {
        self.driver
    }

    /// Memory that nobody holds now, `[B]`.
    ///
    /// # Errors
    /// When the driver does not say, or a kernel before failed.
    pub fn free_memory(&self) -> Result<usize, CudaError> {
        let asked = self.context.mem_get_info().map(|(free, _)| free);
        asked.map_err(self.copy_error("asking for free memory", 0))
    }

    /// Waits until all work is done.
    ///
    /// # Errors
    /// When a kernel or a copy failed; names the kernel that was started last.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        let last = self.loaded().last;
        self.stream
            .synchronize()
            .map_err(|e| CudaError::Launch { kernel: last.unwrap_or("(none)"), reason: name_of(e) })
    }

    /// Mean time of a copy of so many bytes from one place on the card to another, in wall time around `copies` of
    /// them and one wait, after one that is not counted, `[s]`.
    ///
    /// # Errors
    /// When there is no room for both places, or a copy fails.
    pub fn time_copy(&self, bytes: usize, copies: u32) -> Result<f64, CudaError> {
        let n = bytes / size_of::<u64>();
        let (from, mut to) = (self.zeros::<u64>(n)?, self.zeros::<u64>(n)?);
        let mut copy = || {
            let copied = self.stream.memcpy_dtod(&from.memory, &mut to.memory);
            copied.map_err(self.copy_error("copy on the card", bytes))
        };
        copy()?;
        self.synchronize()?;
        let start = Instant::now();
        (0..copies).try_for_each(|_| copy())?;
        self.synchronize()?;
        Ok(start.elapsed().as_secs_f64() / f64::from(copies.max(1)))
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        // What a panicking thread left is whole: entries are made before they are entered.
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kernel, compiled and loaded when it is asked for first.
    fn function(&self, kernel: Kernel, build: Build) -> Result<CudaFunction, CudaError> {
        let mut loaded = self.loaded();
        if let Some(function) = loaded.kernels.get(&(kernel, build)) {
            return Ok(function.clone());
        }
        let module = match loaded.modules.get(&(kernel.file, build)) {
            Some(module) => Arc::clone(module),
            None => self.load(kernel.file, build)?,
        };
        let function = module
            .load_function(kernel.name)
            .map_err(|e| CudaError::Launch { kernel: kernel.name, reason: name_of(e) })?;
        loaded.modules.insert((kernel.file, build), module);
        loaded.kernels.insert((kernel, build), function.clone());
        Ok(function)
    }

    fn load(&self, file: &'static str, build: Build) -> Result<Arc<CudaModule>, CudaError> {
        let options = source::options(build.0, build.1, self.variant);
        let capability = self.card.compute_capability;
        let load = |code| self.context.load_module(Ptx::from_binary(code));
        let refused = |e| CudaError::Load { file, reason: name_of(e) };
        let mut carried = None;
        if let Some(ahead) = &self.carried {
            for code in ahead.codes(file, &options, capability)? {
                match load(code) {
                    Ok(module) => return Ok(module),
                    Err(e) => carried = Some(refused(e)),
                }
            }
        }
        let compile = || compile::compile(file, options.clone(), capability, &self.cache);
        // Where there is no compiler, what the driver has against the kernels of the folder says more.
        let compiled = compile().map_err(|e| carried.filter(|_| e == CudaError::NoCompiler).unwrap_or(e))?;
        let loaded = match load(compiled.code) {
            // What was kept may be of another driver's mind: once more, afresh.
            Err(_) if compiled.kept => {
                self.cache.forget(&compiled.key);
                load(compile()?.code)
            }
            loaded => loaded,
        };
        loaded.map_err(refused)
    }

    fn copy_error(&self, copy: &'static str, bytes: usize) -> impl FnOnce(DriverError) -> CudaError {
        let after = self.loaded().last.unwrap_or("(none)");
        move |e| CudaError::Copy { copy, bytes, after, reason: name_of(e) }
    }

    /// Memory of unknown content.
    fn room<T: Plain>(&self, n: usize) -> Result<CudaField<T>, CudaError> {
        let bytes = n.saturating_mul(size_of::<T>());
        // SAFETY: callers fill it before it is read.
        let memory = unsafe { self.stream.alloc(n.max(1)) };
        match memory {
            Ok(memory) => Ok(CudaField { memory, len: n }),
            Err(e) if e.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Err(CudaError::OutOfMemory { bytes, reason: name_of(e) })
            }
            // The fault of a kernel before may show only here.
            Err(e) => Err(self.copy_error("allocation", bytes)(e)),
        }
    }
}

impl Executor for Device {
    type Memory = Cuda;

    fn variant(&self) -> Variant {
        self.variant
    }

    fn zeros<T: Plain>(&self, n: usize) -> Result<Field<Self, T>, CudaError> {
        let mut field = self.room(n)?;
        self.clear(&mut field)?;
        Ok(field)
    }

    fn upload<T: Plain>(&self, values: &[T]) -> Result<Field<Self, T>, CudaError> {
        if values.is_empty() {
            return self.zeros(0);
        }
        let mut field = self.room(values.len())?;
        let copied = self.stream.memcpy_htod(values, &mut field.memory);
        copied.map_err(self.copy_error("upload", size_of_val(values)))?;
        Ok(field)
    }

    fn download<T: Plain>(&self, field: &Field<Self, T>) -> Result<Vec<T>, CudaError> {
        let mut values = vec![T::default(); field.len];
        self.read(field, &mut values)?;
        Ok(values)
    }

    fn write<T: Plain>(&self, values: &[T], field: &mut Field<Self, T>) -> Result<(), CudaError> {
        copied("written values", field.len, values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        let wrote = self.stream.memcpy_htod(values, &mut field.memory);
        wrote.map_err(self.copy_error("upload", size_of_val(values)))
    }

    fn read<T: Plain>(&self, field: &Field<Self, T>, values: &mut [T]) -> Result<(), CudaError> {
        copied("read values", field.len, values.len())?;
        if values.is_empty() {
            return Ok(());
        }
        let copied = self.stream.memcpy_dtoh(&field.memory.slice(..values.len()), values);
        let done = copied.and_then(|()| self.stream.synchronize());
        done.map_err(self.copy_error("download", size_of_val(values)))
    }

    fn clear<T: Plain>(&self, field: &mut Field<Self, T>) -> Result<(), CudaError> {
        let bytes = field.len * size_of::<T>();
        self.stream.memset_zeros(&mut field.memory).map_err(self.copy_error("clearing", bytes))
    }

    fn len<T: Plain>(&self, field: &Field<Self, T>) -> usize {
        field.len
    }

    fn input<T: Plain>(&self, field: &Field<Self, T>) -> In<T> {
        In::new(field.memory.device_ptr(&self.stream).0)
    }

    fn output<T: Plain>(&self, field: &mut Field<Self, T>) -> Out<T> {
        Out::new(field.memory.device_ptr_mut(&self.stream).0)
    }

    unsafe fn launch(&self, launch: Launch, arguments: &[Argument]) -> Result<(), CudaError> {
        if launch.blocks == 0 {
            return Ok(());
        }
        let kernel = launch.kernel.name;
        let failed = |e: DriverError| CudaError::Launch { kernel, reason: name_of(e) };
        let function = self.function(launch.kernel, (launch.dim, launch.smoothing))?;
        self.context.bind_to_thread().map_err(failed)?;
        let mut values: Vec<_> = arguments.iter().map(|a| a.value).collect();
        let (grid, block) = ((launch.blocks, 1, 1), (launch.threads, 1, 1));
        let stream = self.stream.cu_stream();
        // SAFETY: the arguments are those of the kernel by the caller's promise, and the driver copies them.
        unsafe { result::launch_kernel(function.cu_function(), grid, block, 0, stream, &mut values) }
            .map_err(failed)?;
        self.loaded().last = Some(kernel);
        if self.wait_for_each { self.stream.synchronize().map_err(failed) } else { Ok(()) }
    }
}
