//! Where small copies to the device start from: their caller may change or free its values at once, and the driver promises
//! to have read them only if they lie in memory of its own (feature `cuda`).

use crate::device::{counts::STAGED, executor::Bytes};
use cudarc::driver::{CudaContext, DriverError, PinnedHostSlice};
use std::{slice, sync::Arc};

/// Values that wait for their copy lie one behind the other, until the host waits for the device and begins anew.
#[derive(Debug, Default)]
pub struct Staging {
    memory: Option<PinnedHostSlice<u8>>,
    used: usize,
}

/// Capacity, `[B]`: steps write some kilobytes between two waits.
const CAPACITY: usize = 16 * STAGED;

impl Staging {
    /// True when `values` do not fit before the next wait.
    pub fn is_full(&self, values: &Bytes) -> bool {
        self.used + values.len() > CAPACITY
    }

    /// The values, in memory that stays as it is until [`Self::restart`]; `None` when it [is full](Self::is_full).
    pub fn hold(
        &mut self,
        context: &Arc<CudaContext>,
        values: &Bytes,
    ) -> Result<Option<&Bytes>, DriverError> {
        if self.is_full(values) {
            return Ok(None);
        }
        let memory = match &mut self.memory {
            Some(memory) => memory,
            // SAFETY: nothing is read of it that was not written before.
            none => none.insert(unsafe { context.alloc_pinned(CAPACITY)? }),
        };
        let start = self.used;
        self.used += values.len();
        // SAFETY: `start` and the end are within the memory; no other values lie there, and those before were copied when
        // `used` began anew.
        unsafe {
            let place = memory.as_mut_ptr()?.add(start).cast();
            values.as_ptr().copy_to_nonoverlapping(place, values.len());
            Ok(Some(slice::from_raw_parts(place, values.len())))
        }
    }

    /// The device has copied all.
    pub fn restart(&mut self) {
        self.used = 0;
    }
}
