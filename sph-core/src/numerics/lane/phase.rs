//! The macro that writes a function once for each instruction set.

/// Writes a function once for each instruction set, and once more to choose among them by the
/// [`Isa`](crate::numerics::lane::Isa) that becomes its first argument.
///
/// `fn name<L>[generics](arguments) -> Result { body }`: `L` is the wide [`Lane`](crate::numerics::lane::Lane) type in the
/// body; the generics of the function stand in brackets, which may be left out. Attributes, documentation and
/// visibility go to the choosing function. Arguments are plain names; bounds may not contain a comma outside of
/// parentheses.
///
/// Closures inside the body inherit the target features, so what they call is inlined into them. This is why a
/// phase is a macro and not a closure handed to a function with `#[target_feature]`: there, intrinsics may
/// stay calls, which was 15 to 40 times slower as soon as the closure was used twice.
///
/// ```
/// use sph_core::numerics::lane::{Isa, Lane};
/// use sph_core::{Real, phase};
///
/// phase! {
///     /// `Σ a_k x_k` over whole lanes.
///     fn dot<L>(a: &[Real], x: &[Real]) -> Real {
///         let mut sum = L::splat(0.0);
///         for (a, x) in a.chunks_exact(L::N).zip(x.chunks_exact(L::N)) {
///             // SAFETY: both slices hold L::N numbers.
///             sum = sum + unsafe { L::load(a.as_ptr()) * L::load(x.as_ptr()) };
///         }
///         sum.sum()
///     }
/// }
/// assert_eq!(dot(Isa::best(), &[2.0; 32], &[0.5; 32]), 32.0);
/// ```
#[macro_export]
macro_rules! phase {
    // Collects the names of the generics, to hand them on.
    (@names [$($name:ident)*] [] $function:tt) => {
        $crate::phase! { @write [$($name),*] $function }
    };
    (@names [$($name:ident)*] [const $next:ident $($rest:tt)*] $function:tt) => {
        $crate::phase! { @skip [$($name)* $next] [$($rest)*] $function }
    };
    (@names [$($name:ident)*] [$next:ident $($rest:tt)*] $function:tt) => {
        $crate::phase! { @skip [$($name)* $next] [$($rest)*] $function }
    };
    (@names [$($name:ident)*] [$next:lifetime $($rest:tt)*] $function:tt) => {
        $crate::phase! { @skip [$($name)*] [$($rest)*] $function }
    };
    (@skip [$($name:ident)*] [, $($rest:tt)*] $function:tt) => {
        $crate::phase! { @names [$($name)*] [$($rest)*] $function }
    };
    (@skip [$($name:ident)*] [$skipped:tt $($rest:tt)*] $function:tt) => {
        $crate::phase! { @skip [$($name)*] [$($rest)*] $function }
    };
    (@skip [$($name:ident)*] [] $function:tt) => {
        $crate::phase! { @names [$($name)*] [] $function }
    };
    (@write [$($name:ident),*] {
        $(#[$meta:meta])* $vis:vis fn $function:ident<$L:ident>[$($generics:tt)*]($($arg:ident: $type:ty),*)
        -> $result:ty $body:block
    }) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments, clippy::unused_unit)]
        $vis fn $function<$($generics)*>(isa: $crate::numerics::lane::Isa, $($arg: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2,popcnt,lzcnt")]
            fn with_avx512<$($generics)*>($($arg: $type),*) -> $result {
                type $L = $crate::numerics::lane::wide::Avx512;
                $body
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
            fn with_avx2<$($generics)*>($($arg: $type),*) -> $result {
                type $L = $crate::numerics::lane::wide::Avx2;
                $body
            }
            #[cfg(target_arch = "x86_64")]
            fn with_sse2<$($generics)*>($($arg: $type),*) -> $result {
                type $L = $crate::numerics::lane::wide::Sse2;
                $body
            }
            #[cfg(not(target_arch = "x86_64"))]
            fn with_portable<$($generics)*>($($arg: $type),*) -> $result {
                type $L = $crate::numerics::lane::wide::Portable;
                $body
            }
            match isa.level() {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: an `Isa` of this level exists only where its features were detected.
                $crate::numerics::lane::Level::Avx512 => unsafe { with_avx512::<$($name),*>($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the same.
                $crate::numerics::lane::Level::Avx2 | $crate::numerics::lane::Level::Mixed => unsafe { with_avx2::<$($name),*>($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                $crate::numerics::lane::Level::Sse2 => with_sse2::<$($name),*>($($arg),*),
                #[cfg(not(target_arch = "x86_64"))]
                $crate::numerics::lane::Level::Portable => with_portable::<$($name),*>($($arg),*),
            }
        }
    };
    // The four forms of use: with and without generics, with and without a result.
    ($(#[$meta:meta])* $vis:vis fn $function:ident<$L:ident>[$($generics:tt)*]($($arg:ident: $type:ty),* $(,)?)
     -> $result:ty $body:block) => {
        $crate::phase! { @names [] [$($generics)*] {
            $(#[$meta])* $vis fn $function<$L>[$($generics)*]($($arg: $type),*) -> $result $body
        } }
    };
    ($(#[$meta:meta])* $vis:vis fn $function:ident<$L:ident>[$($generics:tt)*]($($arg:ident: $type:ty),* $(,)?)
     $body:block) => {
        $crate::phase! { @names [] [$($generics)*] {
            $(#[$meta])* $vis fn $function<$L>[$($generics)*]($($arg: $type),*) -> () $body
        } }
    };
    ($(#[$meta:meta])* $vis:vis fn $function:ident<$L:ident>($($arg:ident: $type:ty),* $(,)?)
     $(-> $result:ty)? $body:block) => {
        $crate::phase! { $(#[$meta])* $vis fn $function<$L>[]($($arg: $type),*) $(-> $result)? $body }
    };
}
