//! The driver's own functions, looked up one by one: a library that lacks one, or answers with a code that no binding
//! knows, then is an error and never a panic. What only lists GPUs goes through here.

use crate::device::error::{Unavailable, Version};
use cudarc::driver::sys;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Oldest driver that loads what the compiler of CUDA 13 writes.
pub const OLDEST: Version = Version { major: 13, minor: 0 };

const SUCCESS: c_int = 0;
const STUB_LIBRARY: c_int = 34;
const NO_DEVICE: c_int = 100;
const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
const COMPUTE_CAPABILITY_MINOR: c_int = 76;
const MEMORY_POOLS_SUPPORTED: c_int = 115;
const RELEASE_THRESHOLD: c_int = 4;
const RESERVED_MEMORY: c_int = 5;
const USED_MEMORY: c_int = 7;

/// Calls a function of the driver library: its name, the types of its arguments, and these.
macro_rules! call {
    ($name:literal($($value:expr => $type:ty),* $(,)?)) => {{
        // SAFETY: callers have seen that the library is present.
        let library = unsafe { sys::culib() };
        // SAFETY: the driver documents this function with these arguments, and a code as its result.
        let found = unsafe { library.get::<unsafe extern "C" fn($($type),*) -> c_int>($name.as_bytes()) };
        match found {
            Err(_) => Err(Unavailable::BrokenDriverLibrary { function: $name }),
            // SAFETY: as above; all pointers are to live values.
            Ok(function) => check($name, unsafe { function($($value),*) }),
        }
    }};
}

fn check(call: &'static str, code: c_int) -> Result<(), Unavailable> {
    match code {
        SUCCESS => Ok(()),
        STUB_LIBRARY => Err(Unavailable::StubLibrary),
        _ => Err(Unavailable::Driver { call, reason: name_of(code) }),
    }
}

/// The names of the codes that stand for a machine which is not set up.
fn name_of(code: c_int) -> String {
    let name = match code {
        2 => "CUDA_ERROR_OUT_OF_MEMORY",
        3 => "CUDA_ERROR_NOT_INITIALIZED",
        46 => "CUDA_ERROR_DEVICE_UNAVAILABLE",
        NO_DEVICE => "CUDA_ERROR_NO_DEVICE",
        101 => "CUDA_ERROR_INVALID_DEVICE",
        304 => "CUDA_ERROR_OPERATING_SYSTEM",
        802 => "CUDA_ERROR_SYSTEM_NOT_READY",
        803 => "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: library and kernel module are of different versions",
        804 => "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        999 => "CUDA_ERROR_UNKNOWN",
        _ => return format!("error {code}"),
    };
    name.into()
}

/// Starts the driver. Returns what it serves, and the number of GPUs, at least one.
pub fn start() -> Result<(Version, usize), Unavailable> {
    // SAFETY: it only tries to open libraries of known names.
    if !unsafe { sys::is_culib_present() } {
        return Err(Unavailable::NoDriverLibrary);
    }
    let mut number: c_int = 0;
    call!("cuDriverGetVersion"(&mut number => *mut c_int))?;
    let driver = Version::from_driver(number);
    let no_gpu = |e| match e {
        Unavailable::Driver { reason, .. } if reason == name_of(NO_DEVICE) => Unavailable::NoGpu { driver },
        other => other,
    };
    call!("cuInit"(0 => c_uint)).map_err(no_gpu)?;
    if driver < OLDEST {
        return Err(Unavailable::DriverTooOld { found: driver, needed: OLDEST });
    }
    let mut gpus: c_int = 0;
    call!("cuDeviceGetCount"(&mut gpus => *mut c_int)).map_err(no_gpu)?;
    if gpus < 1 { Err(Unavailable::NoGpu { driver }) } else { Ok((driver, gpus as usize)) }
}

/// Handle of a GPU.
pub fn handle(ordinal: usize) -> Result<c_int, Unavailable> {
    let mut gpu: c_int = 0;
    call!("cuDeviceGet"(&mut gpu => *mut c_int, ordinal as c_int => c_int))?;
    Ok(gpu)
}

/// Name of a GPU.
pub fn name(gpu: c_int) -> Result<String, Unavailable> {
    let mut name = [0_u8; 256];
    // The last byte stays zero.
    call!("cuDeviceGetName"(name.as_mut_ptr().cast::<c_char>() => *mut c_char, 255 => c_int, gpu => c_int))?;
    let end = name.iter().position(|&b| b == 0).unwrap_or(name.len());
    Ok(String::from_utf8_lossy(&name[..end]).into_owned())
}

/// Memory of a GPU, `[B]`.
pub fn total_memory(gpu: c_int) -> Result<usize, Unavailable> {
    let mut bytes = 0_usize;
    call!("cuDeviceTotalMem_v2"(&mut bytes => *mut usize, gpu => c_int))?;
    Ok(bytes)
}

fn attribute(gpu: c_int, which: c_int) -> Result<u32, Unavailable> {
    let mut value: c_int = 0;
    call!("cuDeviceGetAttribute"(&mut value => *mut c_int, which => c_int, gpu => c_int))?;
    Ok(value.max(0) as u32)
}

/// Compute capability of a GPU.
pub fn compute_capability(gpu: c_int) -> Result<Version, Unavailable> {
    let attribute = |which| attribute(gpu, which);
    Ok(Version { major: attribute(COMPUTE_CAPABILITY_MAJOR)?, minor: attribute(COMPUTE_CAPABILITY_MINOR)? })
}

/// The pool that allocations are made from, where the GPU has pools.
fn pool(gpu: c_int) -> Result<Option<*mut c_void>, Unavailable> {
    if attribute(gpu, MEMORY_POOLS_SUPPORTED)? == 0 {
        return Ok(None);
    }
    let mut pool: *mut c_void = std::ptr::null_mut();
    call!("cuDeviceGetDefaultMemPool"(&mut pool => *mut *mut c_void, gpu => c_int))?;
    Ok(Some(pool))
}

/// Lets the pool of a GPU keep what is freed: else each wait gives it back to the system, and the next allocation takes
/// as long as the first.
pub fn keep_freed(gpu: c_int) -> Result<(), Unavailable> {
    let Some(pool) = pool(gpu)? else { return Ok(()) };
    let mut all = u64::MAX;
    call!("cuMemPoolSetAttribute"(pool => *mut c_void, RELEASE_THRESHOLD => c_int, &mut all => *mut u64))
}

/// Memory that the pool of a GPU has kept unused, `[B]`.
pub fn kept(gpu: c_int) -> Result<usize, Unavailable> {
    let Some(pool) = pool(gpu)? else { return Ok(0) };
    let (mut reserved, mut used) = (0_u64, 0_u64);
    for (which, value) in [(RESERVED_MEMORY, &mut reserved), (USED_MEMORY, &mut used)] {
        call!("cuMemPoolGetAttribute"(pool => *mut c_void, which => c_int, value => *mut u64))?;
    }
    Ok(reserved.saturating_sub(used) as usize)
}

/// Free memory of a GPU, `[B]`. Asking takes a context on it, which fails on a GPU that others hold alone.
pub fn free_memory(gpu: c_int) -> Result<usize, Unavailable> {
    let mut context: *mut c_void = std::ptr::null_mut();
    call!("cuDevicePrimaryCtxRetain"(&mut context => *mut *mut c_void, gpu => c_int))?;
    let ask = || {
        call!("cuCtxPushCurrent_v2"(context => *mut c_void))?;
        let (mut free, mut total, mut popped) = (0_usize, 0_usize, std::ptr::null_mut());
        let asked = call!("cuMemGetInfo_v2"(&mut free => *mut usize, &mut total => *mut usize));
        call!("cuCtxPopCurrent_v2"(&mut popped => *mut *mut c_void))?;
        asked.and_then(|()| Ok(free + kept(gpu)?))
    };
    let free = ask();
    call!("cuDevicePrimaryCtxRelease_v2"(gpu => c_int))?;
    free
}
