//! The header of a checkpoint: text that people and programs can read.

use crate::{
    error::Error,
    run::interaction::{Counters, Done},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The first bytes of every checkpoint.
pub const MAGIC: [u8; 8] = *b"SPHSTATE";
/// Version of the format that this program writes and reads.
pub const VERSION: u32 = 1;
/// Bytes before the header.
pub(super) const PREFIX: usize = 24;
/// A longer header is damage, not a history.
pub(super) const LONGEST_HEADER: u32 = 1 << 28;
/// Numbers of steps are exact up to here.
const LAST_STEP: u64 = 1 << 53;
/// Arrays begin at multiples of this.
pub(super) const ALIGNMENT: u64 = 64;

/// What a checkpoint says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Program and version that wrote it.
    pub program: String,
    /// Name of the method.
    pub solver: String,
    /// `f32` or `f64`.
    pub precision: String,
    /// Number of dimensions.
    pub dim: u8,
    /// Steps done.
    pub step: u64,
    /// Time, `[s]`.
    pub t: f64,
    /// The id of the next particle that is added.
    pub next_id: u64,
    /// Length of the whole file in bytes.
    pub size: u64,
    /// The scene with all defaults written out.
    pub scene: String,
    /// Counters of emitters, drains and script.
    pub counters: Counters,
    /// Numbers of the solver.
    pub numbers: BTreeMap<String, f64>,
    /// Commands done so far.
    #[serde(default)]
    pub history: Vec<Done>,
    /// The arrays behind the header.
    pub array: Vec<Array>,
}

/// An array of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// Name, as `fluid.x.y`.
    pub name: String,
    /// Type in the words of numpy: `<f4`, `<f8`, `<u8`, `<u2`.
    pub dtype: String,
    /// Number of entries.
    pub count: u64,
    /// Place in the file, in bytes from its beginning.
    pub offset: u64,
    /// CRC-32 (zlib's) of its bytes.
    pub crc32: u32,
}

impl Array {
    /// Bytes of an entry.
    pub(super) fn width(&self) -> Option<u64> {
        match self.dtype.as_str() {
            "<f4" => Some(4),
            "<f8" | "<u8" => Some(8),
            "<u2" => Some(2),
            _ => None,
        }
    }

    /// Where the next array may begin.
    pub(super) fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.count.checked_mul(self.width()?)?)
    }
}

/// The next multiple of 64.
pub(super) fn aligned(place: u64) -> u64 {
    place.next_multiple_of(ALIGNMENT)
}

impl Header {
    /// Gives every array its place behind a header of `length` bytes. Returns the size of the file.
    pub(super) fn place(&mut self, length: u64) -> u64 {
        let mut at = aligned(PREFIX as u64 + length);
        for array in &mut self.array {
            array.offset = at;
            at = aligned(array.end().unwrap_or(at));
        }
        self.size = at;
        at
    }

    /// Refuses a time or a step that no run has come to.
    fn check_moment(&self) -> Result<(), Error> {
        let times = |key: &str, t: f64, last: f64| match t.is_finite() && (0.0..=last).contains(&t) {
            true => Ok(()),
            false if last.is_finite() => Err(Error::range(key, t, &format!("[0, {last}]")).unit("s")),
            false => Err(Error::range(key, t, "[0, inf)").unit("s")),
        };
        times("t", self.t, f64::INFINITY)?;
        if self.step > LAST_STEP {
            return Err(Error::range("step", self.step, &format!("[0, {LAST_STEP}]")));
        }
        if self.step == 0 && self.t > 0.0 {
            return Err(Error::invalid("t", "must be 0 before the first step").value(self.t));
        }
        let mut history = self.history.iter().enumerate();
        history.try_for_each(|(k, done)| times(&format!("history[{k}].t"), done.t, self.t))
    }

    /// Refuses what this program cannot go on with.
    pub(super) fn check(&self, file_size: u64) -> Result<(), Error> {
        if self.size != file_size {
            let message = format!("is damaged: it has {file_size} bytes and says {}", self.size);
            return Err(Error::new(message));
        }
        self.check_moment()?;
        let mut at = 0;
        for array in &self.array {
            let end = array.end().filter(|end| array.offset >= at && *end <= file_size);
            at = end.ok_or_else(|| Error::new(format!("array {:?} has no place in the file", array.name)))?;
        }
        let ours = if size_of::<crate::Real>() == 4 { "f32" } else { "f64" };
        if self.precision != ours {
            let message = format!("holds {} numbers, this program computes with {ours}", self.precision);
            return Err(Error::new(message)
                .hint(format!("build it with{} `--features f64`", if ours == "f32" { "" } else { "out" })));
        }
        Ok(())
    }
}
