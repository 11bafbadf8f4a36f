//! What the registers of both precisions share.

/// Defines a register type: its operators and those methods of [`Lane`](super::Lane) that are one intrinsic.
/// The others follow the list of intrinsics.
macro_rules! register {
    ($(#[$meta:meta])* $name:ident, $raw:ty, $n:literal, $load:ident $store:ident $xor:ident
     $add:ident $sub:ident $mul:ident $div:ident $max:ident $min:ident $sqrt:ident, $($rest:item)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub struct $name($raw);

        register! { @operators $name Add add $add Sub sub $sub Mul mul $mul Div div $div }

        impl std::ops::Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                unsafe { Self($xor(self.0, Self::splat(-0.0).0)) }
            }
        }

        impl Lane for $name {
            const N: usize = $n;
            // Not `_mm*_set1_*`: one call of it that is not inlined into a large function cost 40 %.
            #[inline(always)]
            fn splat(a: Real) -> Self {
                unsafe { Self(std::mem::transmute::<[Real; $n], $raw>([a; $n])) }
            }
            #[inline(always)]
            fn max(self, b: Self) -> Self {
                unsafe { Self($max(self.0, b.0)) }
            }
            #[inline(always)]
            fn min(self, b: Self) -> Self {
                unsafe { Self($min(self.0, b.0)) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                unsafe { Self($sqrt(self.0)) }
            }
            #[inline(always)]
            unsafe fn load(from: *const Real) -> Self {
                unsafe { Self($load(from)) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut Real) {
                unsafe { $store(to, self.0) }
            }
            $($rest)*
        }
    };
    (@operators $name:ident $($Operator:ident $operator:ident $intrinsic:ident)*) => {$(
        impl std::ops::$Operator for $name {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, b: Self) -> Self {
                unsafe { Self($intrinsic(self.0, b.0)) }
            }
        }
    )*};
}

/// For each mask of N bits the words that compress N items of `WORDS` words each, `N * WORDS = ALL`:
/// first those of the items whose bit is set, then zeros.
pub(super) const fn compress_order<const ALL: usize, const MASKS: usize>(
    words: usize,
) -> [[u32; ALL]; MASKS] {
    let mut order = [[0; ALL]; MASKS];
    let mut mask = 0;
    while mask < MASKS {
        let (mut to, mut from) = (0, 0);
        while from < ALL {
            if mask >> (from / words) & 1 == 1 {
                order[mask][to] = from as u32;
                to += 1;
            }
            from += 1;
        }
        mask += 1;
    }
    order
}
