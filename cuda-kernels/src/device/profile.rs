//! The time of each kernel, by events of the driver (feature `cuda`).

use crate::device::counts::KernelTime;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, sys::CUevent_flags};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

/// Launches whose events are not yet read.
const MOST_RUNNING: usize = 1024;

/// Events around launches, and sums of those that have finished.
#[derive(Debug, Default)]
pub struct Profile {
    on: bool,
    spare: Vec<CudaEvent>,
    running: VecDeque<(&'static str, CudaEvent, CudaEvent)>,
    sums: BTreeMap<&'static str, (u64, f64)>,
}

impl Profile {
    /// Starts anew.
    pub fn start(&mut self) {
        *self = Self { on: true, ..Self::default() };
    }

    /// Stops, and returns the sums, the longest first. All work has finished.
    pub fn take(&mut self) -> Result<Vec<KernelTime>, DriverError> {
        self.fold(0)?;
        let sums = std::mem::take(self).sums.into_iter();
        let mut times: Vec<_> =
            sums.map(|(kernel, (launches, seconds))| KernelTime { kernel, launches, seconds }).collect();
        times.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        Ok(times)
    }

    /// The event before a launch, when a profile is taken.
    pub fn before(&mut self, stream: &Arc<CudaStream>) -> Result<Option<CudaEvent>, DriverError> {
        if !self.on {
            return Ok(None);
        }
        // The older half has most likely finished, and the newer one keeps the GPU busy meanwhile.
        if self.running.len() == MOST_RUNNING {
            self.fold(MOST_RUNNING / 2)?;
        }
        self.record(stream).map(Some)
    }

    /// After the launch.
    pub fn after(
        &mut self,
        kernel: &'static str,
        start: CudaEvent,
        stream: &Arc<CudaStream>,
    ) -> Result<(), DriverError> {
        let end = self.record(stream)?;
        self.running.push_back((kernel, start, end));
        Ok(())
    }

    fn record(&mut self, stream: &Arc<CudaStream>) -> Result<CudaEvent, DriverError> {
        let event = match self.spare.pop() {
            Some(event) => event,
            None => stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?,
        };
        event.record(stream)?;
        Ok(event)
    }

    /// Sums up all but the last `left` launches, and waits for those that still run.
    pub fn fold(&mut self, left: usize) -> Result<(), DriverError> {
        while self.running.len() > left
            && let Some((kernel, start, end)) = self.running.pop_front()
        {
            let (launches, seconds) = self.sums.entry(kernel).or_default();
            *launches += 1;
            *seconds += f64::from(start.elapsed_ms(&end)?) * 1e-3;
            self.spare.extend([start, end]);
        }
        Ok(())
    }
}
