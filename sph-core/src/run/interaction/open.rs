//! What a command has opened and time, or another command, will close.

use crate::{error::Error, geometry::shape::Region, keys::join, scene};

/// Something open, and the place in the history of the command that opened it.
#[derive(Clone, Debug, PartialEq)]
pub struct Open<T> {
    /// Place in the history.
    pub by: usize,
    /// What is open.
    pub what: T,
}

/// A shape in which fluid vanishes.
#[derive(Clone, Debug, PartialEq)]
pub struct Drain<const D: usize> {
    /// Name, to close it by.
    pub name: String,
    /// Where fluid vanishes.
    pub region: Region<D>,
    /// When it closes, infinite if never, `[s]`.
    pub end: f64,
}

impl<const D: usize> Drain<D> {
    /// The drain that a command opens at time `t`, `[s]`.
    pub(super) fn open(drain: &scene::Drain, key: &str, t: f64) -> Result<Self, Error> {
        Ok(Self {
            name: drain.name.clone(),
            region: drain.shape.resolve(&join(key, "shape"))?,
            end: drain.duration.map_or(f64::INFINITY, |duration| t + duration),
        })
    }
}
