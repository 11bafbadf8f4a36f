//! The formulas of the solvers as plain C++: one text for cards and for the processor.
//!
//! Every `.cuh` here is the twin of a Rust text, with the same names and symbols in the same order. It is plain C++17
//! without intrinsics, so that tests compare both texts bit by bit without a card (feature `host`). They need the macros
//! `DIM` (2 or 3) and `REAL` (float or double), and those that use a kernel `SPH_KERNEL`
//! ([`KernelKind::type_name`](sph_core::kernel::KernelKind::type_name)).
//!
//! What the kernels of a solver read and no step changes is one block of constants, [`wcsph::Constants`],
//! [`pbf::Constants`], [`viscoelastic::Constants`] and [`projection::Constants`], declared here and in the `.cuh` with the same layout.

/// Declares a block of numbers with the layout of its C++ twin, and lists its fields for the test that compares them.
macro_rules! block {
    (
        $(#[$meta:meta])*
        $name:ident$(<const $D:ident: usize>)? = $twin:literal {
            $($(#[$doc:meta])* $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name$(<const $D: usize>)? {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl$(<const $D: usize>)? $crate::physics::Block for $name$(<$D>)? {
            const TWIN: &'static str = $twin;

            fn fields() -> Vec<$crate::physics::Field> {
                vec![$($crate::physics::Field {
                    name: stringify!($field).into(),
                    offset: std::mem::offset_of!(Self, $field),
                    size: size_of::<$type>(),
                },)*]
            }
        }
    };
}

#[cfg(feature = "host")]
pub mod host;
pub mod kernel;
#[cfg(feature = "host")]
pub mod names;
pub mod pbf;
pub mod projection;
pub mod space;
pub mod viscoelastic;
pub mod wcsph;

pub use kernel::KernelConstants;

/// Numbers, vectors, periodic space.
pub const VEC: &str = include_str!("vec.cuh");
/// The SPH kernels, twin of `sph-core/src/kernel`.
pub const KERNEL: &str = include_str!("kernel.cuh");
/// What surface terms read, twin of `sph-core/src/fluid/surface.rs`.
pub const SURFACE: &str = include_str!("surface.cuh");
/// The formulas of weakly compressible SPH, twin of `solver-wcsph/src/physics.rs`.
pub const WCSPH: &str = include_str!("wcsph.cuh");
/// The formulas of Position Based Fluids, twin of `solver-pbf/src/physics.rs`.
pub const PBF: &str = include_str!("pbf.cuh");
/// The formulas of the viscoelastic fluid, twin of `solver-viscoelastic/src/physics.rs`.
pub const VISCOELASTIC: &str = include_str!("viscoelastic.cuh");
/// The formulas of the staggered projection, twin of `solver-projection/src/physics.rs`.
pub const PROJECTION: &str = include_str!("projection.cuh");

/// A field of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, the same in both languages.
    pub name: String,
    /// Bytes from the start of the block.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
}

/// A block of numbers that kernels get by value.
pub trait Block: Copy {
    /// Name of the C++ struct.
    const TWIN: &'static str;

    /// Its fields, in order.
    fn fields() -> Vec<Field>;
}
