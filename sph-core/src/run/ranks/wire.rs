//! Arrays of plain numbers as bytes, in the order of the machine: all ranks run the same program.

use bytemuck::Pod;

/// Adds `values` to a message.
pub fn put<T: Pod>(message: &mut Vec<u8>, values: &[T]) {
    message.extend_from_slice(bytemuck::cast_slice(values));
}

/// Adds their number as well, so that [`Reader::all`] finds their end.
pub fn put_all<T: Pod>(message: &mut Vec<u8>, values: &[T]) {
    put(message, &[values.len() as u64]);
    put(message, values);
}

/// Adds the values at some places.
pub fn put_at<T: Pod>(message: &mut Vec<u8>, values: &[T], places: &[u32]) {
    message.reserve(size_of::<T>() * places.len());
    places.iter().for_each(|&i| put(message, &values[i as usize..=i as usize]));
}

/// A message that is being read, from its start on. What it does not hold reads as `None`.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// From its first byte.
    pub fn new(message: &'a [u8]) -> Self {
        Self(message)
    }

    /// True at its end.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next number.
    pub fn one<T: Pod>(&mut self) -> Option<T> {
        self.bytes(size_of::<T>()).map(bytemuck::pod_read_unaligned)
    }

    /// The next `n` numbers, after those that `to` holds.
    pub fn append<T: Pod>(&mut self, n: usize, to: &mut Vec<T>) -> Option<()> {
        let bytes = self.bytes(size_of::<T>().checked_mul(n)?)?;
        let before = to.len();
        if to.capacity() < before + n {
            // Twice the memory for a few ghosts more would be what bounds a run.
            to.reserve_exact(n + before / 16);
        }
        to.resize(before + n, T::zeroed());
        bytemuck::cast_slice_mut(&mut to[before..]).copy_from_slice(bytes);
        Some(())
    }

    /// Writes the rest, which is as many numbers.
    pub fn write<T: Pod>(&mut self, values: &mut [T]) -> Option<()> {
        let bytes = self.bytes(size_of_val(values)).filter(|_| self.is_empty())?;
        bytemuck::cast_slice_mut(values).copy_from_slice(bytes);
        Some(())
    }

    /// The numbers that [`put_all`] has added.
    pub fn all<T: Pod>(&mut self) -> Option<Vec<T>> {
        let (n, mut values) = (self.one::<u64>()?, Vec::new());
        self.append(usize::try_from(n).ok()?, &mut values)?;
        Some(values)
    }

    /// Writes the next numbers to some places.
    pub fn write_at<T: Pod>(&mut self, values: &mut [T], places: &[u32]) -> Option<()> {
        let bytes = self.bytes(size_of::<T>() * places.len())?;
        for (bytes, &i) in bytes.chunks_exact(size_of::<T>()).zip(places) {
            values[i as usize] = bytemuck::pod_read_unaligned(bytes);
        }
        Some(())
    }

    fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(bytes)
    }
}
