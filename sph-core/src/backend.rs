//! In which memory a field lies. The type says it, so a hidden copy cannot happen.

use std::fmt::Debug;

/// A memory space: the processor's, or later a card's.
pub trait Backend: 'static {
    /// An array of `T` in this memory, shape `[n]`.
    type Field<T: Copy + Send + Sync + Debug + 'static>: Debug + Send + Sync;
}

/// The processor's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host;

impl Backend for Host {
    type Field<T: Copy + Send + Sync + Debug + 'static> = Vec<T>;
}
