//! Memory and kernels of a GPU (feature `cuda`).

use crate::device::{
    compile::{
        ahead::Carried,
        nvrtc,
        source::{self, Cache},
        variant::Variant,
    },
    counts::{KernelTime, STAGED, count},
    driver,
    error::{CudaError, Unavailable, Version},
    executor::{Argument, Bytes, Executor, Kernel, Launch, Memory},
    gpu::{self, Gpu},
    profile::Profile,
    staging::Staging,
};
use cudarc::{
    driver::{
        CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, DriverError, result, sys,
    },
    nvrtc::Ptx,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

impl Memory for CudaSlice<u8> {
    fn address(&self) -> u64 {
        // There are no events, so none is recorded.
        self.device_ptr(self.stream()).0
    }
}

/// A GPU in use: one stream, on which all work is done in order.
#[derive(Debug)]
pub struct Device {
    gpu: Gpu,
    driver: Version,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    carried: Option<Carried>,
    cache: Cache,
    /// Waits for each kernel, so that a fault is told of the kernel that made it.
    wait_for_each: bool,
    variant: Variant,
    loaded: Mutex<Loaded>,
    history: Mutex<History>,
    profile: Mutex<Profile>,
    staging: Mutex<Staging>,
}

/// Dimension, and smoothing kernel if the source uses one.
type Build = (usize, Option<&'static str>);

/// What was loaded.
#[derive(Debug, Default)]
struct Loaded {
    modules: HashMap<(&'static str, Build), Arc<CudaModule>>,
    kernels: HashMap<(Kernel, Build), CudaFunction>,
}

/// What was started, and what went wrong.
#[derive(Debug, Default)]
struct History {
    /// The kernel that was started last.
    last: Option<&'static str>,
    /// The same, unless the host has waited since.
    running: Option<&'static str>,
    /// The first failure after which the driver refuses every call.
    fatal: Option<CudaError>,
}

/// What is locked. What a panicking thread left is whole: entries are made before they are entered.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True for failures after which the driver refuses every call of this process.
fn is_fatal(e: DriverError) -> bool {
    use sys::CUresult as C;
    matches!(
        e.0,
        C::CUDA_ERROR_ECC_UNCORRECTABLE
            | C::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | C::CUDA_ERROR_ILLEGAL_ADDRESS
            | C::CUDA_ERROR_LAUNCH_TIMEOUT
            | C::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | C::CUDA_ERROR_ASSERT
            | C::CUDA_ERROR_HARDWARE_STACK_ERROR
            | C::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | C::CUDA_ERROR_MISALIGNED_ADDRESS
            | C::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | C::CUDA_ERROR_INVALID_PC
            | C::CUDA_ERROR_LAUNCH_FAILED
            | C::CUDA_ERROR_UNKNOWN
    )
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
        let (driver, gpus) = driver::start()?;
        if ordinal >= gpus {
            return Err(Unavailable::NoSuchGpu { ordinal, gpus }.into());
        }
        let context = CudaContext::new(ordinal).map_err(unavailable("cuDevicePrimaryCtxRetain"))?;
        // SAFETY: all work of this context is on one stream, so no field needs events to be waited for.
        unsafe { context.disable_event_tracking() };
        driver::keep_freed(context.cu_device())?;
        Ok(Self {
            gpu: gpu::find(ordinal)?,
            driver,
            // A stream of its own: the default one cannot be captured into a graph.
            stream: context.new_stream().map_err(unavailable("cuStreamCreate"))?,
            context,
            carried: Carried::of_environment()?,
            cache: Cache::of_environment(),
            wait_for_each: std::env::var_os("SPH_CUDA_WAIT").is_some_and(|v| v == "1"),
            variant,
            loaded: Mutex::default(),
            history: Mutex::default(),
            profile: Mutex::default(),
            staging: Mutex::default(),
        })
    }

    /// The GPU, as it was when it was opened.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The CUDA version that the driver serves.
    pub fn driver(&self) -> Version {
        self.driver
    }

    /// Free memory now, `[B]`.
    ///
    /// # Errors
    /// When the driver does not say, or a kernel before failed.
    pub fn free_memory(&self) -> Result<usize, CudaError> {
        let asked = self.context.mem_get_info();
        let (free, _) = asked.map_err(self.copy_error("asking for free memory", 0))?;
        Ok(free + driver::kept(self.context.cu_device())?)
    }

    /// Waits until all work is done.
    ///
    /// # Errors
    /// When a kernel or a copy failed; names the kernel that was started last.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        let last = lock(&self.history).last.unwrap_or("(none)");
        self.wait().map_err(|e| self.died(e, last, "a wait"))
    }

    /// Measures each launch from now on, until [`Self::take_profile`]. Every launch then takes some microseconds longer,
    /// which its time does not include.
    pub fn start_profile(&self) {
        lock(&self.profile).start();
    }

    /// Ends the measurement, after all work is done. The kernels that were started, the longest first; none if nothing
    /// was measured.
    ///
    /// # Errors
    /// When a kernel or a copy failed.
    pub fn take_profile(&self) -> Result<Vec<KernelTime>, CudaError> {
        self.synchronize()?;
        let times = lock(&self.profile).take();
        times.map_err(|e| self.died(e, "(none)", "its times"))
    }

    /// Mean time of a copy of so many bytes from one place on the GPU to another, in wall time around `copies` of
    /// them and one wait, after one that is not counted, `[s]`.
    ///
    /// # Errors
    /// When there is no memory for both buffers, or a copy fails.
    pub fn time_copy(&self, bytes: usize, copies: u32) -> Result<f64, CudaError> {
        let (from, mut to) = (self.zeros(bytes)?, self.zeros(bytes)?);
        let mut copy = || {
            let copied = self.stream.memcpy_dtod(&from, &mut to);
            copied.map_err(self.copy_error("copy on the GPU", bytes))
        };
        copy()?;
        self.synchronize()?;
        let start = Instant::now();
        (0..copies).try_for_each(|_| copy())?;
        self.synchronize()?;
        Ok(start.elapsed().as_secs_f64() / f64::from(copies.max(1)))
    }

    /// Waits until all work is done: all that was staged was copied, and launches have their times.
    fn wait(&self) -> Result<(), DriverError> {
        self.wait_and_restart(&mut lock(&self.staging))
    }

    fn wait_and_restart(&self, staging: &mut Staging) -> Result<(), DriverError> {
        count::wait();
        self.stream.synchronize()?;
        staging.restart();
        lock(&self.history).running = None;
        lock(&self.profile).fold(0)
    }

    /// Copies values that the caller may change or free as soon as this returns.
    ///
    /// # Safety
    /// As of [`Executor::copy_in`].
    unsafe fn send(&self, values: &Bytes, to: u64) -> Result<(), DriverError> {
        count::upload();
        self.context.bind_to_thread()?;
        let (mut staging, stream) = (lock(&self.staging), self.stream.cu_stream());
        if values.len() <= STAGED {
            if staging.is_full(values) {
                self.wait_and_restart(&mut staging)?;
            }
            // A system may refuse memory that it cannot page out.
            if let Ok(Some(held)) = staging.hold(&self.context, values) {
                // SAFETY: by the caller's promise; what is held stays until the stream was waited for.
                return unsafe { result::memcpy_htod_async(to, held, stream) };
            }
        }
        // SAFETY: by the caller's promise; the stream is waited for before this returns.
        unsafe { result::memcpy_htod_async(to, values, stream)? };
        self.wait_and_restart(&mut staging)
    }

    /// The error to report: after a kernel has died every call fails, and the first failure says most.
    fn report(&self, e: DriverError, error: CudaError) -> CudaError {
        let mut history = lock(&self.history);
        if is_fatal(e) {
            history.fatal.get_or_insert(error).clone()
        } else {
            history.fatal.clone().unwrap_or(error)
        }
    }

    /// The failure of a kernel: of `kernel`, unless one before it still ran, which `call` then tells of.
    fn died(&self, e: DriverError, kernel: &'static str, call: &str) -> CudaError {
        let reason = name_of(e);
        let before = lock(&self.history).running.filter(|_| is_fatal(e));
        let error = match before {
            Some(before) if before != kernel => {
                CudaError::Launch { kernel: before, reason: format!("{reason}, found by {call}") }
            }
            _ => CudaError::Launch { kernel, reason },
        };
        self.report(e, error)
    }

    /// The kernel, compiled and loaded when it is asked for first.
    fn function(&self, kernel: Kernel, build: Build) -> Result<CudaFunction, CudaError> {
        let mut loaded = lock(&self.loaded);
        if let Some(function) = loaded.kernels.get(&(kernel, build)) {
            return Ok(function.clone());
        }
        let module = match loaded.modules.get(&(kernel.file, build)) {
            Some(module) => Arc::clone(module),
            None => self.load(kernel.file, build)?,
        };
        let found = module.load_function(kernel.name);
        let function =
            found.map_err(|e| self.died(e, kernel.name, &format!("the start of {}", kernel.name)))?;
        loaded.modules.insert((kernel.file, build), module);
        loaded.kernels.insert((kernel, build), function.clone());
        Ok(function)
    }

    fn load(&self, file: &'static str, build: Build) -> Result<Arc<CudaModule>, CudaError> {
        let options = source::options(file, build.0, build.1, self.variant);
        let capability = self.gpu.compute_capability;
        let load = |code| self.context.load_module(Ptx::from_binary(code));
        let refused = |e| match is_fatal(e) {
            true => self.died(e, "(none)", &format!("the loading of {file}")),
            false => self.report(e, CudaError::Load { file, reason: name_of(e) }),
        };
        let mut carried = None;
        if let Some(ahead) = &self.carried {
            for code in ahead.codes(file, &options, capability)? {
                match load(code) {
                    Ok(module) => return Ok(module),
                    Err(e) => carried = Some(refused(e)),
                }
            }
        }
        let compile = || nvrtc::compile(file, options.clone(), capability, &self.cache);
        // Where there is no compiler, what the driver has against the kernels of the folder says more.
        let compiled = compile().map_err(|e| carried.filter(|_| e == CudaError::NoCompiler).unwrap_or(e))?;
        let loaded = match load(compiled.code) {
            // What was kept may be of another driver's mind: once more, afresh.
            Err(e) if compiled.kept && !is_fatal(e) => {
                self.cache.forget(&compiled.key);
                load(compile()?.code)
            }
            loaded => loaded,
        };
        loaded.map_err(refused)
    }

    fn copy_error(&self, copy: &'static str, bytes: usize) -> impl FnOnce(DriverError) -> CudaError {
        let after = lock(&self.history).last.unwrap_or("(none)");
        move |e| self.report(e, CudaError::Copy { copy, bytes, after, reason: name_of(e) })
    }

    /// So many zeros.
    fn zeros(&self, bytes: usize) -> Result<CudaSlice<u8>, CudaError> {
        // A GPU gives no memory of no size.
        match self.stream.alloc_zeros(bytes.max(1)) {
            Ok(memory) => Ok(memory),
            Err(e) if e.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                Err(CudaError::OutOfMemory { bytes, reason: name_of(e) })
            }
            // The fault of a kernel before may show only here.
            Err(e) => Err(self.copy_error("allocation", bytes)(e)),
        }
    }
}

impl Executor for Device {
    fn variant(&self) -> Variant {
        self.variant
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, CudaError> {
        Ok(Box::new(self.zeros(bytes)?))
    }

    unsafe fn copy_in(&self, from: &Bytes, to: u64) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        let sent = unsafe { self.send(from, to) };
        sent.map_err(self.copy_error("upload", from.len()))
    }

    unsafe fn copy_out(&self, from: u64, to: &mut Bytes) -> Result<(), CudaError> {
        let bytes = to.len();
        // SAFETY: by the caller's promise; the stream is waited for before this returns.
        let copied = self
            .context
            .bind_to_thread()
            .and_then(|()| unsafe { result::memcpy_dtoh_async(to, from, self.stream.cu_stream()) });
        count::read();
        copied.and_then(|()| self.wait()).map_err(self.copy_error("download", bytes))
    }

    unsafe fn set_zero(&self, address: u64, bytes: usize) -> Result<(), CudaError> {
        // SAFETY: by the caller's promise.
        let cleared = self
            .context
            .bind_to_thread()
            .and_then(|()| unsafe { result::memset_d8_async(address, 0, bytes, self.stream.cu_stream()) });
        cleared.map_err(self.copy_error("clearing", bytes))
    }

    unsafe fn launch(&self, launch: Launch, arguments: &[Argument]) -> Result<(), CudaError> {
        if launch.blocks == 0 {
            return Ok(());
        }
        let kernel = launch.kernel.name;
        let function = self.function(launch.kernel, (launch.dim, launch.smoothing))?;
        // SAFETY: by the caller's promise.
        let started = unsafe { self.start(&function, &launch, arguments) };
        started.map_err(|e| self.died(e, kernel, &format!("the start of {kernel}")))?;
        if self.wait_for_each { self.wait().map_err(|e| self.died(e, kernel, "a wait")) } else { Ok(()) }
    }
}

impl Device {
    /// Starts a kernel, between two events when a profile is taken.
    ///
    /// # Safety
    /// As of [`Executor::launch`].
    unsafe fn start(
        &self,
        function: &CudaFunction,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        let mut values: Vec<_> = arguments.iter().map(|a| a.value).collect();
        let (grid, block) = ((launch.blocks, 1, 1), (launch.threads, 1, 1));
        let mut profile = lock(&self.profile);
        let before = profile.before(&self.stream)?;
        // SAFETY: the arguments are those of the kernel by the caller's promise, and the driver copies them.
        unsafe {
            let stream = self.stream.cu_stream();
            result::launch_kernel(function.cu_function(), grid, block, 0, stream, &mut values)?;
        }
        count::launch();
        let mut history = lock(&self.history);
        (history.last, history.running) = (Some(launch.kernel.name), Some(launch.kernel.name));
        before.map_or(Ok(()), |before| profile.after(launch.kernel.name, before, &self.stream))
    }
}

impl Drop for Device {
    /// What is staged is given back only after it was copied.
    fn drop(&mut self) {
        // A failure was reported, or is not needed any more.
        let _ = self.stream.synchronize();
    }
}
