//! Functions that are compiled once in 2D and once in 3D.

use std::any::Any;

/// The generic function `$f` of the type `$type`, with the const parameter `$D`, as this crate has compiled it in 2D and in
/// 3D. A call of `$f` itself would be compiled again, with all that it calls, in each crate that makes it.
#[macro_export]
macro_rules! compiled_here {
    ($D:ident, $f:path as $($type:tt)+) => {{
        type Of<const $D: usize> = $($type)+;
        static IN_2D: Of<2> = $f;
        static IN_3D: Of<3> = $f;
        $crate::numerics::dimension::either::<Of<$D>>([&IN_2D, &IN_3D])
    }};
}

/// That one of two functions which has this type.
///
/// # Panics
/// In other dimensions than two and three.
#[inline(always)]
pub fn either<F: Any + Copy>(functions: [&'static dyn Any; 2]) -> F {
    let [in_2d, in_3d] = functions.map(|f| f.downcast_ref::<F>());
    *in_2d.or(in_3d).unwrap_or_else(|| unreachable!("there are two dimensions or three"))
}
