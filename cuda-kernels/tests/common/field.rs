//! Fields of the emulator, written as vectors are.

/// `vec![…]` as a field.
macro_rules! field {
    ($($of:tt)*) => {
        vec![$($of)*].into_iter().collect::<cuda_kernels::device::executor::Field<_>>()
    };
}
