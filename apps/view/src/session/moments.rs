//! Moments to go back to, as checkpoints in memory.

use crate::pane::Pane;
use sph_core::error::Error;
use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// Wall-clock time from one moment to the next.
const EVERY: Duration = Duration::from_secs(1);
/// How long a moment is kept.
const KEPT: Duration = Duration::from_secs(60);
/// Memory of all moments, `[B]`: the oldest go first.
const MOST: usize = 256 << 20;

/// The moments of the last minute.
#[derive(Default)]
pub(super) struct Moments(VecDeque<Moment>);

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
        self.0.front().map(|moment| moment.t)
    }

    /// Keeps this moment, if one is due. Returns why it could not.
    pub(super) fn note(&mut self, panes: &mut [Box<dyn Pane>]) -> Option<Error> {
        if self.0.back().is_some_and(|last| last.at.elapsed() < EVERY) {
            return None;
        }
        let alive = |pane: &dyn Pane| pane.failure().is_none();
        let t =
            panes.iter().filter(|pane| alive(&***pane)).map(|pane| pane.t()).fold(f64::INFINITY, f64::min);
        if t.is_infinite() {
            return None;
        }
        let keep = |pane: &mut Box<dyn Pane>| if alive(&**pane) { pane.keep().map(Some) } else { Ok(None) };
        let kept: Result<Vec<_>, _> = panes.iter_mut().map(keep).collect();
        match kept {
            Ok(panes) => self.0.push_back(Moment { at: Instant::now(), t, panes }),
            Err(error) => return Some(error),
        }
        let mut bytes: usize = self.0.iter().map(Moment::bytes).sum();
        while self.0.len() > 1 && (bytes > MOST || self.0[0].at.elapsed() > KEPT) {
            bytes -= self.0.pop_front().map_or(0, |oldest| oldest.bytes());
        }
        None
    }

    /// Brings all panes back to the newest moment that is not later than `t` `[s]`, or to the oldest; later ones are forgotten.
    pub(super) fn back(&mut self, t: f64, panes: &mut [Box<dyn Pane>]) -> Result<(), Error> {
        let place = self.0.iter().rposition(|moment| moment.t <= t).unwrap_or(0);
        let Some(moment) = self.0.get(place) else { return Err(Error::new("no moment is kept yet")) };
        for (pane, kept) in panes.iter_mut().zip(&moment.panes) {
            kept.as_ref().map_or(Ok(()), |kept| pane.restore(kept))?;
        }
        self.0.truncate(place + 1);
        Ok(())
    }
}
