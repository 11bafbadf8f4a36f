//! Fields of the emulator as the arrays of the host that they are: for tests, which make, read and change them without
//! copies.

use super::Emulator;
use crate::device::executor::{Executor, Field, Plain};
use std::{
    alloc::{self, Layout},
    ops::{Deref, DerefMut},
    slice,
};

/// The values of a field of the emulator, where they are; nothing of that of another executor.
impl<T: Plain> Deref for Field<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let n = if self.memory.is_of_host() { self.len() } else { 0 };
        // SAFETY: it holds so many values, which whoever writes them has borrowed alone.
        unsafe { slice::from_raw_parts(self.memory.address() as *const T, n) }
    }
}

impl<T: Plain> DerefMut for Field<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let n = if self.memory.is_of_host() { self.len() } else { 0 };
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(self.memory.address() as *mut T, n) }
    }
}

impl<T: Plain> From<&[T]> for Field<T> {
    fn from(values: &[T]) -> Self {
        let executor: &dyn Executor = &Emulator::default();
        let Ok(mut field) = executor.zeros(values.len()) else {
            alloc::handle_alloc_error(Layout::new::<T>())
        };
        field.copy_from_slice(values);
        field
    }
}

impl<T: Plain> FromIterator<T> for Field<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::from(&*values.into_iter().collect::<Vec<T>>())
    }
}

impl<T: Plain> Clone for Field<T> {
    fn clone(&self) -> Self {
        Self::from(&**self)
    }
}

impl<T: Plain> AsRef<[T]> for Field<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Plain + PartialEq, V: AsRef<[T]>> PartialEq<V> for Field<T> {
    fn eq(&self, other: &V) -> bool {
        **self == *other.as_ref()
    }
}

impl<'a, T: Plain> IntoIterator for &'a Field<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> slice::Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Plain> IntoIterator for &'a mut Field<T> {
    type Item = &'a mut T;
    type IntoIter = slice::IterMut<'a, T>;

    fn into_iter(self) -> slice::IterMut<'a, T> {
        self.iter_mut()
    }
}
