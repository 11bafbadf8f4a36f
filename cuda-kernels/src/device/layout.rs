//! Where the fields of structs lie that Rust and the CUDA source share: twins that are generated from the source.

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name, the same in both languages.
    pub name: String,
    /// Bytes from the start of the struct.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
}

impl Member {
    /// A field of this name, offset and size.
    pub fn new(name: &str, offset: usize, size: usize) -> Self {
        Self { name: name.into(), offset, size }
    }
}

/// A struct of numbers that kernels get by value.
pub trait Block: Copy {
    /// Name of the C++ struct.
    const TWIN: &'static str;

    /// Its fields, in order.
    fn members() -> Vec<Member>;
}

/// Name, fields and size of a struct.
pub fn of<B: Block>() -> (&'static str, Vec<Member>, usize) {
    (B::TWIN, B::members(), size_of::<B>())
}
