//! Moments to go back to, as checkpoints in memory.

use crate::pane::Pane;
use bench_suite::system::clock::Instant;
use sph_core::error::Error;
use std::{collections::VecDeque, time::Duration};

/// Wall-clock time from one moment to the next.
const EVERY: Duration = Duration::from_secs(1);
/// How many are kept: those of the last minute of running, since none is taken in a pause.
const MOST_MOMENTS: usize = 60;
/// Memory of all moments, `[B]`: the oldest go first, and of runs of which one is larger none is kept.
const MOST: usize = 256 << 20;

/// The moments of the last minute.
#[derive(Default)]
pub(super) struct Moments {
    list: VecDeque<Moment>,
    is_too_large: bool,
}

struct Moment {
    at: Instant,
    /// Simulated time, `[s]`.
    t: f64,
    /// A checkpoint for each pane that had not failed.
    panes: Vec<Option<Vec<u8>>>,
}

impl Moment {
    fn bytes(&self) -> usize {
        self.panes.iter().flatten().map(Vec::len).sum()
    }
}

impl Moments {
    /// The time of the oldest, `[s]`.
    pub(super) fn first(&self) -> Option<f64> {
        self.list.front().map(|moment| moment.t)
    }

    /// Keeps this moment, if one is due.
    ///
    /// # Errors
    /// Why it cannot be kept.
    pub(super) fn note(&mut self, panes: &mut [Box<dyn Pane>]) -> Result<(), Error> {
        if self.is_too_large || self.list.back().is_some_and(|last| last.at.elapsed() < EVERY) {
            return Ok(());
        }
        let alive = |pane: &dyn Pane| pane.failure().is_none();
        let times = panes.iter().filter(|pane| alive(&***pane)).map(|pane| pane.t());
        let Some(t) = times.reduce(f64::min) else { return Ok(()) };
        let keep = |pane: &mut Box<dyn Pane>| if alive(&**pane) { pane.keep().map(Some) } else { Ok(None) };
        let panes = panes.iter_mut().map(keep).collect::<Result<_, _>>()?;
        self.list.push_back(Moment { at: Instant::now(), t, panes });
        let mut bytes: usize = self.list.iter().map(Moment::bytes).sum();
        while bytes > MOST || self.list.len() > MOST_MOMENTS {
            bytes -= self.list.pop_front().map_or(0, |oldest| oldest.bytes());
        }
        self.is_too_large = self.list.is_empty();
        if self.is_too_large {
            return Err(Error::new(format!(
                "a moment needs more than {} MiB: none is kept to go back to",
                MOST >> 20
            )));
        }
        Ok(())
    }

    /// Brings all panes, or none, back to the newest moment that is not later than `t` `[s]`, or to the oldest; later ones are
    /// forgotten.
    ///
    /// # Errors
    /// When there is none, or a run cannot be made anew.
    pub(super) fn back(&mut self, t: f64, panes: &mut [Box<dyn Pane>]) -> Result<(), Error> {
        let place = self.list.iter().rposition(|moment| moment.t <= t).unwrap_or(0);
        let Some(moment) = self.list.get(place) else { return Err(Error::new("no moment is kept")) };
        let mut earlier = Vec::new();
        for (pane, kept) in panes.iter().zip(&moment.panes) {
            earlier.push(kept.as_ref().map(|kept| pane.rewound(kept)).transpose()?);
        }
        for (pane, earlier) in panes.iter_mut().zip(earlier) {
            if let Some(earlier) = earlier {
                *pane = earlier;
            }
        }
        self.list.truncate(place + 1);
        Ok(())
    }
}
