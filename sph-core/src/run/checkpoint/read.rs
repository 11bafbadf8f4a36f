//! From bytes to a run.

use super::{
    Array, Header, MAGIC, MEASURE, PAIRS, REAL, VERSION, Values, arrays,
    header::{ALIGNMENT, LONGEST_HEADER, PREFIX},
    numbers,
};
use crate::{Real, compiled_here, error::Error, keys::reader, run::simulation::Simulation};
use std::{
    collections::BTreeMap,
    io::{self, Read},
};

/// A checkpoint that was read and is whole.
#[derive(Debug)]
pub struct Checkpoint {
    header: Header,
    reals: BTreeMap<String, Vec<Real>>,
    words: BTreeMap<String, Vec<u64>>,
    shorts: BTreeMap<String, Vec<u16>>,
    doubles: BTreeMap<String, Vec<f64>>,
}

impl Checkpoint {
    /// Reads a checkpoint from a file of `size` bytes. No more is held than the file is long.
    ///
    /// # Errors
    /// When it is no checkpoint, of another version or precision, or damaged.
    pub fn read(from: &mut dyn Read, size: u64) -> Result<Self, Error> {
        let (header, mut at) = read_header(from, size)?;
        header.check(size)?;
        let mut checkpoint = Self {
            header,
            reals: BTreeMap::new(),
            words: BTreeMap::new(),
            shorts: BTreeMap::new(),
            doubles: BTreeMap::new(),
        };
        for array in checkpoint.header.array.clone() {
            checkpoint.read_array(from, &array, &mut at)?;
        }
        skip(from, size - at)?;
        Ok(checkpoint)
    }

    /// What it says about itself: `scene` is the scene to build the run from.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the next array; `at` is where the reader stands.
    fn read_array(&mut self, from: &mut dyn Read, array: &Array, at: &mut u64) -> Result<(), Error> {
        skip(from, array.offset.checked_sub(*at).ok_or_else(|| damaged(array, "overlaps"))?)?;
        let mut crc = crc32fast::Hasher::new();
        let name = array.name.clone();
        let n = array.count as usize;
        let fresh = match array.dtype.as_str() {
            "<f8" if name.split('.').next() == Some(MEASURE) => {
                self.doubles.insert(name, values(from, n, &mut crc, f64::from_le_bytes)?).is_none()
            }
            REAL => self.reals.insert(name, values(from, n, &mut crc, Real::from_le_bytes)?).is_none(),
            "<u8" => self.words.insert(name, values(from, n, &mut crc, u64::from_le_bytes)?).is_none(),
            "<u2" => self.shorts.insert(name, values(from, n, &mut crc, u16::from_le_bytes)?).is_none(),
            other => return Err(damaged(array, &format!("has the unknown type {other:?}"))),
        };
        if !fresh {
            return Err(damaged(array, "comes twice"));
        }
        if crc.finalize() != array.crc32 {
            return Err(damaged(array, "has another checksum"));
        }
        *at = array.end().unwrap_or(u64::MAX);
        Ok(())
    }

    /// Overwrites a run of the same scene before its first step: it goes on where the checkpoint was written.
    ///
    /// # Errors
    /// When the arrays do not fit this scene and its solver; the run is useless then.
    pub fn restore<const D: usize>(self, run: &mut Simulation<D>) -> Result<(), Error> {
        type Restore<const D: usize> = fn(Checkpoint, &mut Simulation<D>) -> Result<(), Error>;
        compiled_here!(D, Checkpoint::overwrite as Restore<D>)(self, run)
    }

    fn overwrite<const D: usize>(mut self, run: &mut Simulation<D>) -> Result<(), Error> {
        self.check_fits(run)?;
        let history = std::mem::take(&mut self.header.history);
        let (interaction, mut parts) = run.parts();
        interaction.restore(history, &self.header.counters, &mut parts)?;
        let mut wrong = None;
        arrays(run, &mut |name, values| {
            let found = match values {
                Values::Reals(to) => self.reals.remove(name).map(|from| *to = from).is_some(),
                Values::Words(to) => self.words.remove(name).map(|from| *to = from).is_some(),
                Values::Shorts(to) => self.shorts.remove(name).map(|from| *to = from).is_some(),
                Values::Doubles(to) => self.doubles.remove(name).map(|from| *to = from).is_some(),
            };
            if !found {
                wrong.get_or_insert_with(|| format!("lacks the array {name:?}"));
            }
        });
        numbers(run, &mut |name, to| match self.header.numbers.remove(name) {
            Some(from) => *to = from,
            None => drop(wrong.get_or_insert_with(|| format!("lacks the number {name:?}"))),
        });
        let arrays = self.reals.keys().chain(self.words.keys()).chain(self.shorts.keys());
        let arrays = arrays.chain(self.doubles.keys());
        if let Some(left) = arrays.chain(self.header.numbers.keys()).next() {
            wrong.get_or_insert_with(|| format!("holds {left:?}, which this solver does not know"));
        }
        if let Some(wrong) = wrong {
            return Err(Error::new(wrong));
        }
        let state = &mut run.state;
        (state.t, state.step, state.next_id) = (self.header.t, self.header.step, self.header.next_id);
        check_lengths(run)?;
        run.measures.check(run.state.t)?;
        run.solver.restored(&run.state);
        Ok(())
    }

    fn check_fits<const D: usize>(&self, run: &Simulation<D>) -> Result<(), Error> {
        let (solver, dim) = (run.solver.name(), self.header.dim);
        if self.header.solver != solver || usize::from(dim) != D {
            let message = format!(
                "is of {:?} in {dim}D, the run of {solver:?} in {D}D: another scene",
                self.header.solver
            );
            return Err(Error::new(message));
        }
        Ok(())
    }
}

/// Every field has an entry for each particle, every sample a body.
fn check_lengths<const D: usize>(run: &mut Simulation<D>) -> Result<(), Error> {
    let (n, n_walls) = (run.state.fluid.len(), run.state.walls.len());
    let bodies = run.state.walls.bodies.len();
    let (largest, next_id) = (run.state.fluid.id.iter().max(), run.state.next_id);
    if let Some(largest) = largest.filter(|id| **id >= next_id) {
        let message = format!("must be larger than every id, of which the largest is {largest}");
        return Err(Error::invalid("next_id", message).value(next_id));
    }
    if let Some(body) = run.state.walls.body.iter().find(|body| usize::from(**body) >= bodies) {
        return Err(Error::new(format!("counts on wall {body} of {bodies}")));
    }
    let mut wrong = None;
    arrays(run, &mut |name, values| {
        let found = match values {
            Values::Reals(values) => values.len(),
            Values::Words(values) => values.len(),
            Values::Shorts(values) => values.len(),
            Values::Doubles(values) => values.len(),
        };
        let fits = match name.split('.').next() {
            Some("fluid") => found == n,
            Some("walls") => found == n_walls,
            // The method takes the rows that are whole.
            Some(PAIRS) => true,
            // They know themselves whether they are whole.
            Some(MEASURE) => true,
            _ => found == 0 || found == n || found == n_walls,
        };
        if !fits {
            wrong.get_or_insert_with(|| format!("array {name:?} has {found} entries for {n} particles"));
        }
    });
    wrong.map_or(Ok(()), |wrong| Err(Error::new(wrong)))
}

fn damaged(array: &Array, how: &str) -> Error {
    Error::new(format!("is damaged: array {:?} {how}", array.name))
}

fn read_header(from: &mut dyn Read, size: u64) -> Result<(Header, u64), Error> {
    let mut prefix = [0; PREFIX];
    fill(from, &mut prefix)?;
    let word = |at: usize| u32::from_le_bytes([prefix[at], prefix[at + 1], prefix[at + 2], prefix[at + 3]]);
    if prefix[..8] != MAGIC {
        return Err(Error::new("is no checkpoint: it does not begin with SPHSTATE"));
    }
    if word(20) != 0 {
        return Err(Error::new("is damaged: bytes 20 to 23 are not 0"));
    }
    if word(8) != VERSION {
        let message = format!("is a checkpoint of version {}, this program reads version {VERSION}", word(8));
        return Err(Error::new(message).hint("resume it with the program that wrote it"));
    }
    let length = word(12);
    if length > LONGEST_HEADER || u64::from(length) > size {
        return Err(Error::new(format!("is damaged: its header would have {length} bytes")));
    }
    let mut text = vec![0; length as usize];
    fill(from, &mut text)?;
    if crc32fast::hash(&text) != word(16) {
        return Err(Error::new("is damaged: its header has another checksum"));
    }
    let text = String::from_utf8(text).map_err(|_| Error::new("is damaged: its header is not UTF-8 text"))?;
    let header = reader::read_text(&text).map_err(|error| {
        let message = format!("has a header of another program: {error}");
        if error.0.path.is_empty() { Error::new(message) } else { Error::invalid(error.0.path, message) }
    })?;
    Ok((header, (PREFIX + text.len()) as u64))
}

fn fill(from: &mut dyn Read, to: &mut [u8]) -> Result<(), Error> {
    from.read_exact(to).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::new("is no checkpoint, or cut off: it ends too early"),
        _ => Error::new(format!("cannot be read: {error}")),
    })
}

/// Passes over the zeros up to the next array.
fn skip(from: &mut dyn Read, n: u64) -> Result<(), Error> {
    let mut gap = [0; ALIGNMENT as usize];
    let gap = usize::try_from(n).ok().and_then(|n| gap.get_mut(..n));
    let gap = gap.ok_or_else(|| Error::new(format!("is damaged: a gap of {n} bytes between arrays")))?;
    fill(from, gap)?;
    if gap.iter().any(|byte| *byte != 0) {
        return Err(Error::new("is damaged: bytes between arrays are not 0"));
    }
    Ok(())
}

/// `n` values: the file was found to be long enough for them.
fn values<T: Copy, const W: usize>(
    from: &mut dyn Read,
    n: usize,
    crc: &mut crc32fast::Hasher,
    value: impl Fn([u8; W]) -> T,
) -> Result<Vec<T>, Error> {
    const PART: usize = 4096;
    let mut values = Vec::with_capacity(n);
    let mut buffer = [0; PART * 8];
    while values.len() < n {
        let bytes = &mut buffer[..(n - values.len()).min(PART) * W];
        fill(from, bytes)?;
        crc.update(bytes);
        values.extend(bytes.chunks_exact(W).map(|bytes| {
            let mut word = [0; W];
            word.copy_from_slice(bytes);
            value(word)
        }));
    }
    Ok(values)
}
